//! What the store takes, what goes by which rule, and what would.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::{Micros, RetentionCategory, RetentionRules};

dto! {
/// The store's size, its rules, and what is being deleted.
pub struct Storage {
    /// The file. What was freed in it is given back a megabyte at a time.
    pub file_bytes: u64,
    /// Of the file.
    pub used_bytes: u64,
    /// The log beside it.
    pub log_bytes: u64,
    /// All snapshots. The limit does not count them.
    pub snapshots_bytes: u64,
    /// Stores that were moved aside, damaged or replaced. The limit does not count them.
    pub aside_bytes: u64,
    pub rules: RetentionRules,
    /// The rules until somebody sets others.
    pub defaults: RetentionRules,
    /// When somebody last did. For ten seconds nothing is removed by them.
    pub changed_micros: Option<Micros>,
    /// The clock is more than a week ahead of when Bobbin last ran: age rules wait until it ran for so long, or somebody
    /// says that it is right.
    pub clock_waits_seconds: Option<f64>,
    /// The time that age rules go by meanwhile.
    pub clock_trusted_micros: Micros,
    /// When all that was due had last been removed. It is looked at every hour, and the size every minute.
    pub worked_micros: Option<Micros>,
    /// Clusters that no rule touches.
    pub pinned: u64,
    /// Clusters that are to be deleted, or are being deleted.
    pub deletions: Vec<Deletion>,
    /// How many were ever deleted, and how many batches came of them since, which were not stored.
    pub deleted_clusters: u64,
    pub deleted_batches: u64,
}
}

dto! {
/// A cluster that is to be deleted.
pub struct Deletion {
    pub id: i64,
    pub name: String,
    /// Until then it can be undone.
    pub due_micros: Micros,
    /// It can be no more.
    pub begun: bool,
}
}

/// What would go: these clusters, or else what these rules remove, or else the present ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct RemovalPreviewRequest {
    /// Bobbin's numbers, at most 1,000.
    pub ids: Vec<i64>,
    pub rules: Option<RetentionRules>,
}

dto! {
/// What would go, the largest first.
pub struct RemovalPreview {
    /// All of them together. An estimate from the lengths of what is stored: pages that stay half full are not known before.
    pub bytes: u64,
    pub clusters: u64,
    /// Of these, those that would be deleted with all their totals.
    pub whole: u64,
    pub rows: Vec<Removal>,
    /// Whether there are more than the rows.
    pub truncated: bool,
    /// With the cap that was asked about, this much would still be too much: pinned clusters and those that report are kept.
    pub beyond_bytes: u64,
}
}

dto! {
/// What would go of one cluster.
pub struct Removal {
    pub id: i64,
    pub name: String,
    pub started_micros: Micros,
    /// It still reports: what it sends after its deletion is not stored.
    pub reports: bool,
    pub pinned: bool,
    /// The whole cluster, or else these categories.
    pub whole: bool,
    pub categories: Vec<RetentionCategory>,
    pub bytes: u64,
}
}

dto! {
/// Clusters to delete.
pub struct DeleteRequest {
    /// Bobbin's numbers, at most 1,000.
    pub ids: Vec<i64>,
    /// Without ten seconds to undo it.
    #[serde(default)]
    pub at_once: bool,
}
}

dto! {
/// Clusters whose deletion is taken back.
pub struct UndoDeleteRequest {
    pub ids: Vec<i64>,
}
}

dto! {
/// What was removed of one cluster.
pub struct PrunedList {
    pub rows: Vec<Pruned>,
}
}

dto! {
/// A category of which something was removed.
pub struct Pruned {
    pub category: RetentionCategory,
    /// When that last happened.
    pub at_micros: Micros,
    /// By the rule of so many days; null is to make room under the cap.
    pub rule_days: Option<u32>,
    /// How many were, ever.
    pub records: u64,
}
}
