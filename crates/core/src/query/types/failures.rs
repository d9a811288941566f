//! Exceptions and events.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::SealedText;
use crate::model::{ExceptionOrigin, Micros};

/// Which exceptions to list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ExceptionsRequest {
    /// Of one cluster; null is of all.
    pub id: Option<i64>,
    /// Last seen at or after this.
    pub from_micros: Option<Micros>,
    pub user: Option<String>,
    /// 0 is 100; no more than 1,000.
    pub limit: u32,
    pub offset: u64,
}

dto! {
pub struct ExceptionList {
    /// Newest first.
    pub rows: Vec<ExceptionRow>,
    pub total: u64,
    pub truncated: bool,
}
}

dto! {
pub struct ExceptionRow {
    pub exception_id: String,
    pub cluster_id: i64,
    pub cluster_name: String,
    pub group_id: Option<String>,
    pub group: Option<String>,
    pub origin: ExceptionOrigin,
    pub exception_type: String,
    pub message: SealedText,
    pub traceback: SealedText,
    pub worker: Option<String>,
    pub first_seen_micros: Micros,
    pub last_seen_micros: Micros,
    pub count: u64,
    /// Tasks that erred only because they depend on a failed one.
    pub dependents: u64,
}
}

dto! {
pub struct EventsRequest {
    pub id: i64,
    /// 0 is 100; no more than 1,000.
    #[serde(default)]
    pub limit: u32,
    #[serde(default)]
    pub offset: u64,
}
}

dto! {
pub struct EventList {
    /// Newest first.
    pub rows: Vec<EventRow>,
    pub total: u64,
    pub truncated: bool,
}
}

dto! {
pub struct EventRow {
    pub cluster_id: i64,
    pub at_micros: Micros,
    pub topic: String,
    /// The payload as JSON text.
    pub payload: SealedText,
}
}
