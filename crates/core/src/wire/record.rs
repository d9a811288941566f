//! The records of a batch, one struct a kind. A field that the scheduler's version of Dask does not have is null.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::strict;
use crate::model::{Activities, ExceptionOrigin, Micros, TaskStates};

/// One line of a batch after its header.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    Cluster(Box<ClusterRecord>),
    Sample(Box<SampleRecord>),
    TaskGroup(Box<TaskGroupRecord>),
    Computation(Box<ComputationRecord>),
    Exception(Box<ExceptionRecord>),
    Event(EventRecord),
    Dropped(DroppedRecord),
    Stop(StopRecord),
}

impl Record {
    /// When it was made.
    pub fn at(&self) -> Micros {
        match self {
            Record::Cluster(record) => record.at_micros,
            Record::Sample(record) => record.at_micros,
            Record::TaskGroup(record) => record.at_micros,
            Record::Computation(record) => record.at_micros,
            Record::Exception(record) => record.at_micros,
            Record::Event(record) => record.at_micros,
            Record::Dropped(record) => record.at_micros,
            Record::Stop(record) => record.at_micros,
        }
    }
}

/// Which categories the plugin was told to send. What is off never left the scheduler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Switches {
    /// Source code around the call that started a computation.
    pub code: bool,
    /// The statistical profile.
    pub profile: bool,
    /// Whether the scheduler lets this install close it.
    #[serde(default)]
    pub remote_close: bool,
    /// Event topics that are sent; `["*"]` is all.
    #[serde(default)]
    pub events_allow: Vec<String>,
}

/// Who and where a cluster is: sent first, and again when something in it changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterRecord {
    pub at_micros: Micros,
    /// The name that its user gave it, or Dask's.
    pub name: Option<String>,
    /// Python class of the cluster object, such as `LocalCluster`; null for a bare scheduler.
    pub cluster_class: Option<String>,
    pub scheduler_address: Option<String>,
    pub dashboard_url: Option<String>,
    pub started_micros: Micros,
    pub user: Option<String>,
    pub host: Option<String>,
    pub project: Option<String>,
    #[serde(default, deserialize_with = "strict::map")]
    pub tags: BTreeMap<String, String>,
    /// Package name to version, as `distributed.versions` tells it.
    #[serde(default, deserialize_with = "strict::map")]
    pub versions: BTreeMap<String, Option<String>>,
    pub python_version: Option<String>,
    /// The interpreter's path, with the home folder shortened to `~`.
    pub python_path: Option<String>,
    pub os: Option<String>,
    pub architecture: Option<String>,
    pub plugin_version: String,
    /// Time between two beats.
    pub interval_micros: i64,
    pub switches: Switches,
}

/// Sums over the life of one plugin instance: they only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "FlatTotals", into = "FlatTotals")]
pub struct Totals {
    /// Seconds of all task groups by activity; on the wire they are fields like the others.
    pub seconds: Activities,
    /// Threads times time: what the cluster could have computed.
    pub thread_seconds: f64,
    /// Tasks that finished, well or not.
    pub tasks_completed: u64,
    /// Tasks that erred of themselves, not for a dependency.
    pub tasks_erred: u64,
    /// Bytes of all results ever made.
    pub result_bytes: u64,
}

/// [`Totals`] as they are written: flat. Reading them by `serde(flatten)` would lose sight of unknown and double fields.
#[derive(Serialize, Deserialize)]
struct FlatTotals {
    #[serde(default)]
    compute: f64,
    #[serde(default)]
    transfer: f64,
    #[serde(default)]
    disk_read: f64,
    #[serde(default)]
    disk_write: f64,
    #[serde(default)]
    deserialize: f64,
    #[serde(default)]
    other: f64,
    #[serde(default)]
    thread_seconds: f64,
    #[serde(default)]
    tasks_completed: u64,
    #[serde(default)]
    tasks_erred: u64,
    #[serde(default)]
    result_bytes: u64,
}

impl From<FlatTotals> for Totals {
    fn from(flat: FlatTotals) -> Self {
        let FlatTotals {
            compute,
            transfer,
            disk_read,
            disk_write,
            deserialize,
            other,
            ..
        } = flat;
        Self {
            seconds: Activities {
                compute,
                transfer,
                disk_read,
                disk_write,
                deserialize,
                other,
            },
            thread_seconds: flat.thread_seconds,
            tasks_completed: flat.tasks_completed,
            tasks_erred: flat.tasks_erred,
            result_bytes: flat.result_bytes,
        }
    }
}

impl From<Totals> for FlatTotals {
    fn from(totals: Totals) -> Self {
        let Activities {
            compute,
            transfer,
            disk_read,
            disk_write,
            deserialize,
            other,
        } = totals.seconds;
        Self {
            compute,
            transfer,
            disk_read,
            disk_write,
            deserialize,
            other,
            thread_seconds: totals.thread_seconds,
            tasks_completed: totals.tasks_completed,
            tasks_erred: totals.tasks_erred,
            result_bytes: totals.result_bytes,
        }
    }
}

/// What the plugin cost the scheduler in the beat before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginCost {
    /// Time on the scheduler's event loop.
    pub beat_micros: i64,
    pub sent_bytes: u64,
    /// Exceptions caught in the plugin's own hooks since it started.
    pub hook_errors: u64,
    /// Records waiting to be sent.
    pub waiting_records: u64,
}

/// The state of the whole cluster at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleRecord {
    pub at_micros: Micros,
    pub workers: u64,
    pub threads: u64,
    /// Sum of the workers' limits; null where any worker has none.
    pub memory_limit_bytes: Option<u64>,
    /// Resident memory of all workers.
    pub memory_used_bytes: Option<u64>,
    pub memory_managed_bytes: Option<u64>,
    pub memory_unmanaged_bytes: Option<u64>,
    pub memory_spilled_bytes: Option<u64>,
    /// Tasks that the scheduler knows, by state.
    #[serde(deserialize_with = "strict::map")]
    pub tasks: TaskStates,
    /// Since when nothing has run and nothing is waiting; null while busy.
    pub idle_since_micros: Option<Micros>,
    /// How late the scheduler's event loop answered this beat.
    pub loop_lag_micros: Option<i64>,
    pub totals: Totals,
    #[serde(default)]
    pub cost: PluginCost,
}

/// A task group's cumulative state. The latest by (`at_micros`, sequence number) stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskGroupRecord {
    pub at_micros: Micros,
    /// The plugin's own id of the group object: names are not identities, Dask reuses them.
    pub group_id: String,
    pub name: String,
    pub prefix: String,
    #[serde(deserialize_with = "strict::map")]
    pub states: TaskStates,
    pub seconds: Activities,
    /// Bytes of all results that its tasks ever made.
    pub result_bytes: u64,
    /// Names of the result types.
    #[serde(default)]
    pub types: Vec<String>,
    /// Null until a task finished.
    pub start_micros: Option<Micros>,
    pub stop_micros: Option<Micros>,
    /// `group_id`s it depends on. Loops and cycles are normal.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// Dask has forgotten the group: this is its last state.
    #[serde(rename = "final")]
    pub is_final: bool,
}

/// One frame of the code that started a computation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeFrame {
    /// The enclosing function, cell or file.
    pub code: String,
    pub filename: Option<String>,
    /// Line of `code` (from 0) that made the call.
    pub line_relative: Option<u32>,
    /// Line of the file.
    pub line: Option<u32>,
}

/// One call of `compute`, `persist` or the like. The latest by (`at_micros`, sequence number) stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComputationRecord {
    pub at_micros: Micros,
    pub computation_id: String,
    pub start_micros: Option<Micros>,
    pub stop_micros: Option<Micros>,
    /// `group_id`s of its groups.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Tasks by state over its groups.
    #[serde(default, deserialize_with = "strict::map")]
    pub states: TaskStates,
    /// Outermost frame first. Absent: as in an earlier record, or not captured. Sent once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Vec<CodeFrame>>,
}

/// One failure, counted. The latest by (`at_micros`, sequence number) stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExceptionRecord {
    pub at_micros: Micros,
    pub exception_id: String,
    pub group_id: Option<String>,
    /// Name of the group whose task failed.
    pub group: Option<String>,
    /// `user` for an exception of the user's function, `dask` for a failure of Dask's own, such as `KilledWorker`.
    pub origin: ExceptionOrigin,
    pub exception_type: String,
    pub message: Option<String>,
    pub traceback: Option<String>,
    pub worker: Option<String>,
    pub first_seen_micros: Micros,
    pub last_seen_micros: Micros,
    pub count: u64,
    /// Tasks that erred only because they depend on a failed one.
    #[serde(default)]
    pub dependents: u64,
}

/// An event of an allowed topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRecord {
    pub at_micros: Micros,
    pub topic: String,
    #[serde(deserialize_with = "strict::value")]
    pub payload: Value,
}

/// What the plugin shed since it last said so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DroppedRecord {
    pub at_micros: Micros,
    /// Kind of the records that were shed.
    pub what: String,
    pub count: u64,
    /// Why, such as `queue_full`.
    pub reason: String,
}

/// The scheduler said goodbye.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StopRecord {
    pub at_micros: Micros,
    /// `closed`, `idle_timeout`, `remote_close` or `exit`.
    pub reason: String,
}
