//! The list of clusters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Money;
use crate::model::{ClusterState, Micros, SourceFormat, TaskStates};

/// What the list is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ClusterOrder {
    #[default]
    Started,
    Name,
    User,
    Host,
    Project,
    /// When it was last seen alive, by its last sample.
    Seen,
    /// When the last of its tasks ended; those of which that is not known come as the least.
    LastWork,
    /// To its end, or to its last sample while it lives.
    Duration,
    WorkersPeak,
    ThreadsPeak,
    MemoryPeak,
    TasksCompleted,
    ComputeSeconds,
    ThreadSeconds,
    StalledSeconds,
    Efficiency,
    Exceptions,
    /// In the middle of its range; those without a cost last where it falls.
    Cost,
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
    /// A typed filter: `user:ana workers>=10 has:exception since:7d -tag:ci`. Words alone are part of the name, user,
    /// host, project, a tag, the note or the scheduler's id, in any case.
    pub text: Option<String>,
    /// The days of the filter are cut by the rules of this zone, such as `Europe/Berlin`; empty is UTC.
    pub time_zone: String,
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
    /// Only these; none is all.
    pub ids: Vec<i64>,
    pub order: ClusterOrder,
    pub direction: Direction,
    /// At most this many; 0 is 100, and no more than 1,000 are given.
    pub limit: u32,
    pub offset: u64,
}

dto! {
pub struct ClusterList {
    pub rows: Vec<ClusterRow>,
    /// Of all costs.
    pub currency: String,
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
    /// It is told from a recording: a story of the demo, or a replay. In no sum of one's own clusters.
    pub sample: bool,
    pub name: String,
    pub state: ClusterState,
    /// It is finished because a reader said so when it was lost.
    pub finished_by_hand: bool,
    /// Why `state` says so, in a few words.
    pub state_evidence: String,
    pub user: Option<String>,
    pub host: Option<String>,
    pub project: Option<String>,
    /// From its own configuration.
    pub tags: BTreeMap<String, String>,
    /// By hand; a tag that is a word alone has an empty value.
    pub own_tags: BTreeMap<String, String>,
    /// What it was called by hand; then `name` is the same.
    pub given_name: Option<String>,
    pub note: Option<String>,
    pub pinned: bool,
    pub started_micros: Micros,
    /// Null until it finished. For a lost cluster: its last sample.
    pub stopped_micros: Option<Micros>,
    /// By this machine's clock.
    pub last_heard_micros: Micros,
    /// Since when it has nothing to do; null while busy or over.
    pub idle_since_micros: Option<Micros>,
    /// When the last task ended, well or not, by the scheduler's clock.
    pub last_completed_micros: Option<Micros>,
    /// For how long no task has ended, as of now; null when it is over or none has ended yet.
    pub since_completed_micros: Option<i64>,
    /// At its last sample; once it finished, at the last that had any.
    pub workers: u64,
    pub threads: u64,
    pub workers_peak: u64,
    pub threads_peak: u64,
    pub memory_used_bytes: Option<u64>,
    pub memory_peak_bytes: Option<u64>,
    pub memory_limit_bytes: Option<u64>,
    /// Tasks known to the scheduler at that sample, by state.
    pub tasks: TaskStates,
    /// Those of them that have been worked on; the rest is still to come.
    pub tasks_done: u64,
    pub tasks_completed: u64,
    pub tasks_erred: u64,
    pub compute_seconds: f64,
    pub thread_seconds: f64,
    /// Of it, that in which threads did nothing while the cluster was stalled.
    pub stalled_seconds: f64,
    /// Compute ÷ (threads × time); null until there was any time.
    pub efficiency: Option<f64>,
    pub result_bytes: u64,
    pub computations: u64,
    /// Distinct exceptions.
    pub exceptions: u64,
    /// By the price in force when it began; null without one, or where nothing was heard of its threads.
    pub cost: Option<Money>,
    /// What is not told of it, as far as figures above are about it, in the words of its facts: a 0 of these is no zero.
    pub unavailable: Vec<String>,
    /// Null for a cluster that was not read from a file of another program.
    pub source: Option<SourceFormat>,
}
}

impl ClusterRow {
    /// What workers might use when they used most. The limit is that of the last sample: it is the peak's too only while all
    /// workers are there.
    pub(crate) fn limit_at_peak(&self) -> Option<u64> {
        let peak = self.memory_peak_bytes?;
        self.memory_limit_bytes
            .filter(|limit| self.workers == self.workers_peak && *limit >= peak)
    }
}
