//! Users, and which of their names are one person.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::Micros;

dto! {
/// Names of users, those with the most clusters first, at most 1,000.
pub struct UserList {
    pub rows: Vec<UserRow>,
    pub truncated: bool,
}
}

dto! {
pub struct UserRow {
    /// As clusters name it.
    pub user: String,
    /// Whom it counts as everywhere; null: nobody else.
    pub person: Option<String>,
    pub clusters: u64,
    /// The latest sample of any of them; null without one.
    pub seen_micros: Option<Micros>,
    /// At most three, by name.
    pub hosts: Vec<String>,
    pub hosts_total: u64,
}
}

dto! {
/// Names that are one person.
pub struct MergeUsersRequest {
    /// At most 100. Names that counted as one of these go along.
    pub users: Vec<String>,
    /// Whom they count as: one of them, or any other name.
    pub person: String,
}
}

dto! {
pub struct SplitUserRequest {
    /// Counts as itself again.
    pub user: String,
}
}
