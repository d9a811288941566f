//! One cluster: its facts, its losses and its course.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Answer, ClusterRow};
use crate::model::{Activities, Micros, SourceFormat};

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
    /// Null where nothing computed.
    pub largest: Option<LargestPrefix>,
    /// What is missing from the record.
    pub losses: Losses,
}
}

dto! {
pub struct ClusterAnswersRequest {
    /// Bobbin's number of the cluster.
    pub id: i64,
    /// Whether the answers include what it cost.
    #[serde(default)]
    pub cost: bool,
}
}

dto! {
/// What a person asks first of one cluster, answered.
pub struct ClusterAnswers {
    pub rows: Vec<Answer>,
}
}

dto! {
/// The prefix whose tasks computed longest, over all groups.
pub struct LargestPrefix {
    pub prefix: String,
    pub compute_seconds: f64,
    /// Of the compute time of all prefixes.
    pub share: f64,
    /// Those that have been worked on.
    pub tasks: u64,
}
}

dto! {
pub struct ClusterFacts {
    /// The user that it named itself; the row says whom that counts as.
    pub said_user: Option<String>,
    pub cluster_class: Option<String>,
    pub scheduler_address: Option<String>,
    pub dashboard_url: Option<String>,
    pub python_version: Option<String>,
    pub python_path: Option<String>,
    pub os: Option<String>,
    pub architecture: Option<String>,
    pub plugin_version: String,
    pub interval_micros: i64,
    /// The plugin closes a cluster that was idle for this long; null is never.
    pub idle_timeout_micros: Option<i64>,
    /// Package to version; null where the package is not installed.
    pub versions: BTreeMap<String, Option<String>>,
    /// Interpreter, operating system, byte order and locale of the scheduler, by Dask's words.
    pub host_versions: BTreeMap<String, Option<String>>,
    /// Versions of workers and clients that are not the scheduler's.
    pub mismatches: Vec<VersionMismatch>,
    /// What its version of Dask does not tell, in short stable words such as `spans`.
    pub unavailable: Vec<String>,
    /// Categories that are off at source, and since when: `code`, `profile`, `exceptions`, `names`, `user`, `host`,
    /// `paths`, `events`. Once off is off: what is in here is not stored.
    pub off_since: BTreeMap<String, Micros>,
    /// Where it came in a bundle: what became of it there.
    pub from_bundle: Option<FromBundle>,
    pub remote_close_allowed: bool,
    pub events_allow: Vec<String>,
    /// Why it stopped, as the plugin said.
    pub stop_reason: Option<String>,
    pub plugin_cost: PluginCost,
}
}

dto! {
/// What a bundle told of a cluster, and what it did not. Categories are those of `off_since`, and `lines`: lines of source in
/// profiles.
pub struct FromBundle {
    pub imported_micros: Micros,
    /// The latest that was known of it where the bundle was written.
    pub as_of_micros: Micros,
    /// `metrics`, `names`, `errors` or `everything`.
    pub level: String,
    /// `aliases` or `real`.
    pub identities: String,
    /// Values by category that were left out.
    pub left_out: BTreeMap<String, u64>,
    /// Categories of which aliases or parts are told instead.
    pub masked: Vec<String>,
    /// Of which kind the file of another program was that it was read from; null where a plugin told of it.
    pub source: Option<SourceFormat>,
}
}

/// On which side a version differs from the scheduler's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VersionSide {
    Worker,
    Client,
}

dto! {
pub struct VersionMismatch {
    pub package: String,
    #[serde(rename = "where")]
    pub side: VersionSide,
    /// Null: not installed there.
    pub version: Option<String>,
    /// Workers or clients that have it.
    pub count: u64,
}
}

dto! {
/// What the plugin cost the scheduler. Null before the first sample.
pub struct PluginCost {
    /// Of the last beat, on the scheduler's event loop.
    pub beat_micros: Option<i64>,
    /// In hooks since the beat before.
    pub hook_micros: Option<i64>,
    /// Share of the loop in the ten seconds before the last sample, 0 to 1; over more where samples are further apart.
    pub loop_share: Option<f64>,
    pub sent_bytes: Option<u64>,
    /// Exceptions caught in its own hooks since it started.
    pub hook_errors: Option<u64>,
    /// Records waiting to be sent.
    pub waiting_records: Option<u64>,
    /// Records shed since it started; `losses` has them by kind.
    pub shed_records: Option<u64>,
    /// On the scheduler's disk, waiting for a receiver.
    pub spooled_bytes: Option<u64>,
    /// Over all samples.
    pub all_beat_micros: u64,
    pub all_hook_micros: u64,
    pub all_sent_bytes: u64,
    /// The largest of any such ten seconds.
    pub loop_share_peak: Option<f64>,
}
}

dto! {
/// What never arrived, was shed or could not be read. All zero is a full record; `unchecked` alone takes nothing from it.
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
    /// Batches that came again more than a week later, when Bobbin no longer knows their bytes; the first stands.
    pub unchecked: u64,
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
    /// Sum over the workers; 100 is one core.
    pub cpu_percent: Vec<Option<f64>>,
    pub network_read_bytes_per_s: Vec<Option<f64>>,
    pub network_write_bytes_per_s: Vec<Option<f64>>,
    pub disk_read_bytes_per_s: Vec<Option<f64>>,
    pub disk_write_bytes_per_s: Vec<Option<f64>>,
    pub gpu_percent: Vec<Option<f64>>,
    pub gpu_memory_bytes: Vec<Option<f64>>,
    /// How late the scheduler's event loop was, and that of the worst worker.
    pub loop_lag_micros: Vec<Option<i64>>,
    pub worker_lag_micros: Vec<Option<i64>>,
    pub workers_paused: Vec<Option<u64>>,
    /// Share of the scheduler's loop that the plugin took, 0 to 1.
    pub plugin_loop_share: Vec<Option<f64>>,
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
