//! One box over everything.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::Micros;

/// What to look for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// Part of what is looked for, in any case.
    pub text: String,
    /// Looks in what is sealed, and only there: the messages of exceptions and code, some of each, from the newest on.
    pub sealed: bool,
    /// Goes on behind so many of the newest messages, which an answer before this one looked through.
    pub messages_looked: u64,
    /// The same of pieces of code.
    pub code_looked: u64,
    /// Hits of each kind; 0 is 6, and no more than 50 are given.
    pub limit: u32,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// By name, user, host, project or the scheduler's id.
    Cluster,
    Tag,
    Note,
    /// A prefix: what a function is called in the names of its tasks.
    Function,
    /// The name of a function in profiles.
    Frame,
    /// The type of an exception.
    Exception,
    /// The message of an exception.
    Message,
    Code,
}

dto! {
/// Hits of one kind, newest first.
pub struct SearchGroup {
    pub kind: SearchKind,
    pub hits: Vec<SearchHit>,
    /// Whether there are more.
    pub truncated: bool,
}
}

dto! {
pub struct SearchHit {
    pub cluster_id: i64,
    pub cluster: String,
    /// The text around the match, cut: before it, the match, and behind it.
    pub before: String,
    pub matched: String,
    pub after: String,
    /// When the cluster began, or the exception or computation was last seen.
    pub at_micros: Micros,
    /// In how many clusters there is the same; null where each is its own.
    pub clusters: Option<u64>,
    /// The exception or computation, for a link.
    pub item: Option<String>,
}
}

dto! {
pub struct SearchAnswer {
    /// Kinds without hits are left out.
    pub groups: Vec<SearchGroup>,
    /// All that was looked through.
    pub searched: Vec<SearchKind>,
    /// Whether what is sealed is closed to this Bobbin: its key is not here.
    pub locked: bool,
    /// How far each kind of what is sealed was looked through.
    pub sealed: Vec<SealedLook>,
}
}

dto! {
pub struct SealedLook {
    pub kind: SearchKind,
    /// So many of the newest, those included behind which the request began.
    pub looked: u64,
    /// So many there are.
    pub total: u64,
}
}
