//! The state of the whole cluster at one moment, and what the plugin cost.

use serde::{Deserialize, Serialize};

use crate::model::{Activities, Micros, TaskStates};
use crate::wire::strict;

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
    /// Attempts that failed and were made again.
    pub tasks_retried: Option<u64>,
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
    #[serde(default)]
    tasks_retried: Option<u64>,
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
            tasks_retried: flat.tasks_retried,
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
            tasks_retried: totals.tasks_retried,
        }
    }
}

/// What the plugin cost the scheduler in the beat before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginCost {
    /// Time on the scheduler's event loop. What asking workers for profiles takes is estimated from the steps of the requests.
    pub beat_micros: i64,
    /// Time in hooks. That of `transition`, which is too short to be measured each time, is estimated from some of its calls.
    pub hook_micros: i64,
    /// Of the scheduler's loop since the sample before, 0 to 1.
    pub loop_share: f64,
    pub sent_bytes: u64,
    /// Exceptions caught in the plugin's own hooks since it started.
    pub hook_errors: u64,
    /// Records waiting to be sent.
    pub waiting_records: u64,
    /// Records shed since it started.
    pub shed_records: u64,
    /// On disk now, waiting for a receiver.
    pub spooled_bytes: u64,
}

/// What tells a stalled cluster from a busy one: present while work is assigned, and something is known of how long such work takes
/// or where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stall {
    /// Longer than this, no task that ended means a stall: five times the p95 of the slowest assigned group, at least a minute.
    pub limit_micros: i64,
    /// Whether the last two profiles had the same stacks; null where that is not known.
    #[serde(default)]
    pub same_stacks: Option<bool>,
    /// The slowest assigned group.
    #[serde(default)]
    pub group_id: Option<String>,
}

/// One worker at the time of a sample. On the wire it is a row without names: there may be many.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "WorkerRow", into = "WorkerRow")]
pub struct WorkerNow {
    pub worker_id: String,
    pub cpu_percent: Option<f64>,
    pub memory_used_bytes: Option<u64>,
    pub memory_managed_bytes: Option<u64>,
    pub memory_spilled_bytes: Option<u64>,
    pub processing: Option<u64>,
    pub lag_micros: Option<i64>,
}

/// [`WorkerNow`] as it is written.
type WorkerRow = (
    String,
    Option<f64>,
    Option<u64>,
    Option<u64>,
    Option<u64>,
    Option<u64>,
    Option<i64>,
);

impl From<WorkerRow> for WorkerNow {
    fn from(row: WorkerRow) -> Self {
        Self {
            worker_id: row.0,
            cpu_percent: row.1,
            memory_used_bytes: row.2,
            memory_managed_bytes: row.3,
            memory_spilled_bytes: row.4,
            processing: row.5,
            lag_micros: row.6,
        }
    }
}

impl From<WorkerNow> for WorkerRow {
    fn from(now: WorkerNow) -> Self {
        (
            now.worker_id,
            now.cpu_percent,
            now.memory_used_bytes,
            now.memory_managed_bytes,
            now.memory_spilled_bytes,
            now.processing,
            now.lag_micros,
        )
    }
}

/// Least, lower quartile, median, upper quartile and most of the workers.
pub type Band = [f64; 5];

/// How the workers are spread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerBands {
    pub cpu_percent: Option<Band>,
    pub memory_used_bytes: Option<Band>,
    pub memory_spilled_bytes: Option<Band>,
    pub processing: Option<Band>,
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
    /// Sum over the workers; 100 is one core.
    #[serde(default)]
    pub cpu_percent: Option<f64>,
    #[serde(default)]
    pub network_read_bytes_per_s: Option<f64>,
    #[serde(default)]
    pub network_write_bytes_per_s: Option<f64>,
    #[serde(default)]
    pub disk_read_bytes_per_s: Option<f64>,
    #[serde(default)]
    pub disk_write_bytes_per_s: Option<f64>,
    #[serde(default)]
    pub gpu_percent: Option<f64>,
    #[serde(default)]
    pub gpu_memory_bytes: Option<f64>,
    /// How late the event loop of the worst worker is.
    #[serde(default)]
    pub worker_lag_micros: Option<i64>,
    /// Workers that take no tasks because their memory is nearly full.
    #[serde(default)]
    pub workers_paused: Option<u64>,
    /// When the last task ended, well or not.
    #[serde(default)]
    pub last_completed_micros: Option<Micros>,
    /// Null: no work is assigned to any worker.
    #[serde(default)]
    pub stall: Option<Stall>,
    /// Each worker by itself, where there are few.
    #[serde(default)]
    pub workers_each: Option<Vec<WorkerNow>>,
    /// How the workers are spread, where there are many.
    #[serde(default)]
    pub workers_bands: Option<WorkerBands>,
    /// How late the scheduler's event loop answered this beat.
    pub loop_lag_micros: Option<i64>,
    pub totals: Totals,
    #[serde(default)]
    pub cost: PluginCost,
}
