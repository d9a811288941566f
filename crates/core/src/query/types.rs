//! Requests and answers. `ui/src/generated/api.ts` is written from these.
//!
//! Null always means *not available*, never zero. Lists have an order, a limit, and say what they left out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::{Activities, ClusterState, ExceptionOrigin, Micros, TaskStates};

/// Answers and requests share these derives.
macro_rules! dto {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$fmeta:meta])* pub $field:ident : $ty:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
        pub struct $name { $($(#[$fmeta])* pub $field: $ty,)* }
    };
}

dto! {
/// Nothing to say.
pub struct Empty {}
}

dto! {
/// Which period the overview is about, and whose days. The default is the last 28 local days.
pub struct OverviewRequest {
    /// Start of the period, inclusive.
    #[serde(default)]
    pub from_micros: Option<Micros>,
    /// End of the period, exclusive.
    #[serde(default)]
    pub to_micros: Option<Micros>,
    /// Local time is UTC plus this.
    #[serde(default)]
    pub utc_offset_minutes: i32,
}
}

dto! {
pub struct Overview {
    pub now_micros: Micros,
    pub from_micros: Micros,
    pub to_micros: Micros,
    /// Of the period.
    pub period: UsageTotals,
    /// Since the first batch ever.
    pub ever: UsageTotals,
    /// Clusters that are running or idle now, newest first, at most 50.
    pub live: Vec<ClusterRow>,
    pub heat_map: HeatMap,
}
}

dto! {
/// What clusters used. Times are in seconds of one thread: 3,600 are one core-hour.
pub struct UsageTotals {
    /// Clusters that reported in the period.
    pub clusters: u64,
    /// Threads times time, idleness included.
    pub thread_seconds: f64,
    /// Time that threads spent in users' functions.
    pub compute_seconds: f64,
    /// Tasks that finished.
    pub tasks_completed: u64,
    /// Tasks that erred of themselves.
    pub tasks_erred: u64,
    /// Bytes of all results.
    pub result_bytes: u64,
    /// The most workers that any one cluster had at once.
    pub workers_peak: u64,
}
}

dto! {
/// Compute time by row and local day.
pub struct HeatMap {
    /// Local days, `YYYY-MM-DD`, oldest first, without holes.
    pub days: Vec<String>,
    /// By total, most first; at most 40, the last may be the others together.
    pub rows: Vec<HeatMapRow>,
}
}

dto! {
pub struct HeatMapRow {
    /// The project, else the user, else `unnamed`.
    pub label: String,
    /// Seconds of compute by day; null where no cluster of this row reported on that day.
    pub compute_seconds: Vec<Option<f64>>,
    /// Sum over the days.
    pub total_compute_seconds: f64,
    /// Clusters that reported, by day.
    pub clusters: Vec<u32>,
}
}

/// What the list is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ClusterOrder {
    #[default]
    Started,
    Name,
    User,
    Duration,
    WorkersPeak,
    MemoryPeak,
    TasksCompleted,
    ComputeSeconds,
    ThreadSeconds,
    Exceptions,
}

/// Which way the list runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Ascending,
    #[default]
    Descending,
}

/// Which clusters to list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ClustersRequest {
    /// Part of the name, user, host, project, a tag or the scheduler's id, in any case.
    pub text: Option<String>,
    /// Only these states; none is all.
    pub states: Vec<ClusterState>,
    /// Only clusters that reported at or after this.
    pub from_micros: Option<Micros>,
    /// Only clusters that reported before this.
    pub to_micros: Option<Micros>,
    /// Only clusters of this row of the heat-map.
    pub label: Option<String>,
    /// Only this user.
    pub user: Option<String>,
    pub order: ClusterOrder,
    pub direction: Direction,
    /// At most this many; 0 is 100, and no more than 1,000 are given.
    pub limit: u32,
    pub offset: u64,
}

dto! {
pub struct ClusterList {
    pub rows: Vec<ClusterRow>,
    /// How many match, whatever the limit.
    pub total: u64,
    /// Whether rows beyond these exist.
    pub truncated: bool,
}
}

dto! {
/// One cluster with its numbers.
pub struct ClusterRow {
    /// Bobbin's own number, from 1.
    pub id: i64,
    pub scheduler_id: String,
    pub name: String,
    pub state: ClusterState,
    /// Why `state` says so, in a few words.
    pub state_evidence: String,
    pub user: Option<String>,
    pub host: Option<String>,
    pub project: Option<String>,
    pub tags: BTreeMap<String, String>,
    pub started_micros: Micros,
    /// Null until it finished. For a lost cluster: its last sample.
    pub stopped_micros: Option<Micros>,
    /// By this machine's clock.
    pub last_heard_micros: Micros,
    /// Since when it has nothing to do; null while busy or over.
    pub idle_since_micros: Option<Micros>,
    /// At its last sample.
    pub workers: u64,
    pub threads: u64,
    pub workers_peak: u64,
    pub memory_used_bytes: Option<u64>,
    pub memory_peak_bytes: Option<u64>,
    pub memory_limit_bytes: Option<u64>,
    /// Tasks known to the scheduler at its last sample, by state.
    pub tasks: TaskStates,
    pub tasks_completed: u64,
    pub tasks_erred: u64,
    pub compute_seconds: f64,
    pub thread_seconds: f64,
    pub result_bytes: u64,
    pub computations: u64,
    /// Distinct exceptions.
    pub exceptions: u64,
}
}

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

dto! {
pub struct TaskGroupsRequest {
    pub id: i64,
}
}

dto! {
pub struct TaskGroupList {
    /// Most compute time first, at most 2,000.
    pub rows: Vec<TaskGroupRow>,
    pub total: u64,
    pub truncated: bool,
}
}

dto! {
pub struct TaskGroupRow {
    pub group_id: String,
    pub name: String,
    pub prefix: String,
    pub states: TaskStates,
    pub seconds: Activities,
    pub result_bytes: u64,
    pub types: Vec<String>,
    pub start_micros: Option<Micros>,
    pub stop_micros: Option<Micros>,
    /// `group_id`s.
    pub dependencies: Vec<String>,
    /// Dask has forgotten the group; these are its last numbers.
    pub is_final: bool,
}
}

dto! {
pub struct ComputationsRequest {
    pub id: i64,
    /// 0 is 100; no more than 1,000.
    #[serde(default)]
    pub limit: u32,
    #[serde(default)]
    pub offset: u64,
}
}

dto! {
pub struct ComputationList {
    /// Newest first.
    pub rows: Vec<ComputationRow>,
    pub total: u64,
    pub truncated: bool,
}
}

dto! {
pub struct ComputationRow {
    pub computation_id: String,
    pub cluster_id: i64,
    pub start_micros: Option<Micros>,
    /// Null while it runs.
    pub stop_micros: Option<Micros>,
    /// `group_id`s.
    pub groups: Vec<String>,
    /// Over its groups.
    pub states: TaskStates,
    pub seconds: Activities,
    pub code: ComputationCode,
}
}

/// The code that started a computation, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum ComputationCode {
    /// Outermost frame first.
    Frames { frames: Vec<Frame> },
    /// The plugin was told not to send code.
    Off,
    /// Dask did not capture it: `distributed.diagnostics.computations.nframes` is 0 in the client.
    NotCaptured,
    /// Stored, and the key to it is missing.
    Locked,
}

dto! {
pub struct Frame {
    /// The enclosing function, cell or file.
    pub code: String,
    pub filename: Option<String>,
    /// Line of `code`, from 0, that made the call.
    pub line_relative: Option<u32>,
    /// Line of the file.
    pub line: Option<u32>,
}
}

/// Text that is stored sealed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum SealedText {
    Text {
        text: String,
    },
    /// The plugin did not send it.
    None,
    /// Stored, and the key to it is missing.
    Locked,
}

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

dto! {
/// What this Bobbin is and where it listens.
pub struct Status {
    pub version: String,
    pub data_dir: String,
    /// Null while no receiver runs.
    pub receiver: Option<ReceiverStatus>,
    pub store_bytes: u64,
    pub clusters: u64,
    /// By this machine's clock.
    pub last_batch_micros: Option<Micros>,
    /// Whether code and tracebacks can be read.
    pub key_present: bool,
    /// Requests refused since the receiver started, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Whether a Dask configuration file makes every scheduler of this user report.
    pub connected: bool,
}
}

dto! {
pub struct ReceiverStatus {
    pub pid: u32,
    pub tcp: String,
    pub socket: Option<String>,
    pub started_micros: Micros,
}
}
