//! A run against its own history.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::Micros;

dto! {
pub struct BaselineRequest {
    /// Bobbin's number of the cluster.
    pub id: i64,
}
}

dto! {
/// One cluster and its computations, each against the last runs of the same.
pub struct Baseline {
    /// The cluster as the sum of its computations; null while it has none.
    pub cluster: Option<History>,
    /// Newest first, at most 100.
    pub computations: Vec<ComputationHistory>,
    pub total: u64,
    pub truncated: bool,
}
}

dto! {
pub struct ComputationHistory {
    pub computation_id: String,
    pub history: History,
}
}

/// By what a run is recognised again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FingerprintBasis {
    /// The calling code and the shape of the graph.
    CodeAndShape,
    /// The shape of the graph alone: its code is off or was not captured.
    Shape,
}

/// How a run stands to its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BaselineVerdict {
    Faster,
    Same,
    Slower,
    /// Of another size than the runs before, or failed: its time says nothing beside theirs.
    Unlike,
    /// Fewer runs before it than are needed.
    TooFew,
    /// It has not ended.
    Running,
}

dto! {
/// A run against the last runs of the same before it.
pub struct History {
    pub basis: FingerprintBasis,
    pub verdict: BaselineVerdict,
    /// `worked 4.60 s, 12 % longer than its last 8 runs (4.1 s ± 0.2 s)`
    pub words: String,
    /// From its start to its end; null while it runs.
    pub micros: Option<i64>,
    /// Of the runs that are alike; null where there are fewer than are needed.
    pub median_micros: Option<i64>,
    /// Half the width of the noise band around the median.
    pub band_micros: Option<i64>,
    /// Runs that are needed before anything is said.
    pub needed: u64,
    /// Why it is unlike, in words.
    pub unlike: Vec<String>,
    /// The last runs of the same before this one, oldest first, at most 20.
    pub runs: Vec<PastRun>,
    /// Older runs were not looked through, and among those that were, fewer than 20 are the same.
    pub truncated: bool,
}
}

dto! {
/// An earlier run of the same.
pub struct PastRun {
    pub cluster_id: i64,
    pub cluster_name: String,
    /// Null for a whole cluster.
    pub computation_id: Option<String>,
    pub start_micros: Micros,
    pub micros: i64,
    pub tasks: u64,
    pub result_bytes: u64,
    /// The most workers that its cluster had.
    pub workers: u64,
    /// Of about the same size as the run that is looked at: one of those that make the median.
    pub alike: bool,
}
}
