//! One cluster: its facts, its losses and its course.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ClusterRow;
use crate::model::{Activities, Micros};

dto! {
pub struct ClusterRequest {
    /// Bobbin's number of the cluster.
    pub id: i64,
}
}

dto! {
/// Everything about one cluster that is not a list of its own.
pub struct Cluster {
    pub row: ClusterRow,
    pub facts: ClusterFacts,
    /// Seconds by activity over all groups.
    pub seconds: Activities,
    /// What is missing from the record.
    pub losses: Losses,
}
}

dto! {
pub struct ClusterFacts {
    pub cluster_class: Option<String>,
    pub scheduler_address: Option<String>,
    pub dashboard_url: Option<String>,
    pub python_version: Option<String>,
    pub python_path: Option<String>,
    pub os: Option<String>,
    pub architecture: Option<String>,
    pub plugin_version: String,
    pub interval_micros: i64,
    /// Package to version; null where the package is not installed.
    pub versions: BTreeMap<String, Option<String>>,
    /// Categories sent by this cluster. False is: off at source.
    pub code_sent: bool,
    pub profile_sent: bool,
    pub remote_close_allowed: bool,
    pub events_allow: Vec<String>,
    /// Why it stopped, as the plugin said.
    pub stop_reason: Option<String>,
    /// The last beat's cost on the scheduler's loop, and bytes sent.
    pub plugin_beat_micros: Option<i64>,
    pub plugin_sent_bytes: Option<u64>,
    pub plugin_hook_errors: Option<u64>,
}
}

dto! {
/// What never arrived, was shed or could not be read. All zero is a full record.
pub struct Losses {
    /// Records missing between batches that did arrive.
    pub missing_records: u64,
    /// Records that the plugin shed, by kind.
    pub dropped_records: BTreeMap<String, u64>,
    /// Lines that could not be read.
    pub refused_records: u64,
    /// Records kept for a later version, of kinds or with fields unknown to this one.
    pub kept_unknown: u64,
    /// Batches that came again with other bytes; the first stands.
    pub conflicts: u64,
}
}

dto! {
pub struct TimelineRequest {
    pub id: i64,
    #[serde(default)]
    pub from_micros: Option<Micros>,
    #[serde(default)]
    pub to_micros: Option<Micros>,
    /// At most this many points; 0 is 600. Each stands for the largest of its bin.
    #[serde(default)]
    pub points: u32,
}
}

dto! {
/// Samples as columns of one length, oldest first.
pub struct Timeline {
    pub at_micros: Vec<Micros>,
    pub workers: Vec<u64>,
    pub threads: Vec<u64>,
    pub memory_limit_bytes: Vec<Option<u64>>,
    pub memory_used_bytes: Vec<Option<u64>>,
    pub memory_managed_bytes: Vec<Option<u64>>,
    pub memory_unmanaged_bytes: Vec<Option<u64>>,
    pub memory_spilled_bytes: Vec<Option<u64>>,
    /// Tasks on workers now.
    pub tasks_processing: Vec<u64>,
    /// Tasks that wait for others, for a worker or in the scheduler's queue.
    pub tasks_waiting: Vec<u64>,
    /// Threads busy with users' functions on average since the point before.
    pub threads_computing: Vec<Option<f64>>,
    /// Periods from which records are missing.
    pub gaps: Vec<Gap>,
}
}

dto! {
pub struct Gap {
    pub from_micros: Micros,
    pub to_micros: Micros,
    pub missing_records: u64,
}
}
