//! What is to be said of a cluster, and the figures that it rests on.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What became of a cluster, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// It did its work, and no rule below found anything.
    Healthy,
    /// It did its work at a price that a look could lower.
    Wasteful,
    /// Nothing to do, and nobody closed it.
    Idle,
    /// Tasks are assigned, and for too long none has ended.
    Stalled,
    /// Tasks erred, or workers were lost.
    Failing,
    /// Silent without a goodbye.
    Lost,
    /// It has not worked yet.
    Unknown,
}

impl VerdictKind {
    /// As people read it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Wasteful => "wasteful",
            Self::Idle => "idle",
            Self::Stalled => "stalled",
            Self::Failing => "failing",
            Self::Lost => "lost",
            Self::Unknown => "unknown",
        }
    }
}

/// What a line of evidence is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    State,
    ErredTasks,
    LostWorkers,
    Stalled,
    IdleShare,
    SpilledBytes,
    Skew,
    TransferShare,
    EventLoopLag,
    ShortTasks,
    ComputeShare,
    TasksCompleted,
    /// Versions of packages that are not the scheduler's.
    Versions,
    LargeGraph,
    SingleTasks,
    LargeResults,
    PausedWorkers,
    Unpickling,
    Retried,
    IdleBefore,
    IdleAfter,
}

/// What the figure of a line of evidence counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceUnit {
    /// 0 to 1.
    Share,
    Count,
    Bytes,
    Seconds,
    /// How many times as much.
    Times,
}

/// The list of the cluster that has the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceTab {
    Groups,
    Exceptions,
    Workers,
    Activity,
    Computations,
    Cost,
    Facts,
}

dto! {
pub struct Verdict {
    pub kind: VerdictKind,
    /// At most three, the weightiest first.
    pub evidence: Vec<Evidence>,
    /// Findings that were not told.
    pub more: u64,
}
}

/// Clusters whose verdicts are asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct VerdictsRequest {
    /// Bobbin's numbers, at most 200.
    pub ids: Vec<i64>,
}

dto! {
/// In the order of the request; clusters that are gone are left out.
pub struct VerdictList {
    pub rows: Vec<ShortVerdict>,
}
}

dto! {
/// A verdict with the weightiest of its reasons.
pub struct ShortVerdict {
    pub id: i64,
    pub kind: VerdictKind,
    /// A clause, such as `up to 4.2 GiB were spilled to disk`.
    pub words: String,
}
}

dto! {
/// One reason.
pub struct Evidence {
    pub about: EvidenceKind,
    /// The figure in a clause, such as `threads were idle for 62 % of their time`.
    pub words: String,
    /// The same figure, exact.
    pub value: f64,
    pub unit: EvidenceUnit,
    /// From where on it counts, and why.
    pub rule: String,
    /// Where the proof is; null: on the charts.
    pub tab: Option<EvidenceTab>,
    /// The item of that list.
    pub item: Option<String>,
}
}

dto! {
/// Everything that the stored numbers say against how a cluster was used, the weightiest first.
pub struct FindingList {
    pub rows: Vec<Finding>,
    /// Rules that were asked.
    pub rules: u32,
}
}

dto! {
/// Something that could go better.
pub struct Finding {
    pub evidence: Evidence,
    /// What to do about it, a sentence or two.
    pub advice: String,
    /// A page of Dask's documentation on it.
    pub page: Option<String>,
}
}
