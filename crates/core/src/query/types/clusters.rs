//! The list of clusters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::{ClusterState, Micros, TaskStates};

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
    /// At its last sample; once it finished, at the last that had any.
    pub workers: u64,
    pub threads: u64,
    pub workers_peak: u64,
    pub memory_used_bytes: Option<u64>,
    pub memory_peak_bytes: Option<u64>,
    pub memory_limit_bytes: Option<u64>,
    /// Tasks known to the scheduler at that sample, by state.
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
