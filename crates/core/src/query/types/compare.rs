//! Two runs side by side.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::{Activities, ClusterState, Micros};

dto! {
/// Which two clusters. What is left out is the other one's baseline: the cluster whose time is the median of its runs before.
#[derive(Default)]
pub struct CompareRequest {
    #[serde(default)]
    pub a: Option<i64>,
    #[serde(default)]
    pub b: Option<i64>,
    /// Times, tasks and bytes for each thousand tasks, for runs of different size.
    #[serde(default)]
    pub per_task: bool,
}
}

dto! {
/// What changed from A to B.
pub struct Comparison {
    pub a: ComparedRun,
    pub b: ComparedRun,
    /// The most telling first, what is equal after that.
    pub environment: Vec<EnvironmentRow>,
    pub code: CodeComparison,
    /// In what they are not alike, in words, to be said before any number.
    pub unlike: Vec<String>,
    /// What was not looked at, in words.
    pub left_out: Vec<String>,
    /// B ran other numbers of tasks: a comparison for each thousand tasks says more.
    pub better_per_task: bool,
    pub waterfall: Waterfall,
    /// By prefix; the largest difference in thread time first.
    pub groups: Vec<GroupDifference>,
    /// By type and prefix; those of one run alone first.
    pub exceptions: Vec<ExceptionDifference>,
}
}

dto! {
/// One of the two runs. Times add up: start-up, working and idle are the wall clock.
pub struct ComparedRun {
    pub id: i64,
    pub name: String,
    pub state: ClusterState,
    pub started_micros: Micros,
    /// Of so many earlier runs it is the one with the median time; null where it was chosen by its number.
    pub typical_of: Option<u64>,
    pub wall_micros: i64,
    pub startup_micros: i64,
    pub working_micros: i64,
    pub idle_micros: i64,
    pub tasks: u64,
    pub erred: u64,
    pub result_bytes: u64,
    pub computations: u64,
    pub workers_peak: u64,
    pub workers_lost: u64,
    /// While it worked, on average; null where nothing tells.
    pub threads: Option<f64>,
}
}

/// What a fact of the environment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EnvironmentArea {
    Package,
    Python,
    System,
    Workers,
    Configuration,
}

dto! {
pub struct EnvironmentRow {
    pub area: EnvironmentArea,
    pub name: String,
    /// Null: not there, or not told.
    pub a: Option<String>,
    pub b: Option<String>,
    pub differs: bool,
}
}

/// The code of both runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CodeComparison {
    /// All of it is the same text.
    Same {
        snippets: u64,
    },
    Different {
        snippets: Vec<SnippetDifference>,
    },
    /// It is not there: off at source, or not captured. `both`, or the one that has none.
    Missing {
        both: bool,
        b: bool,
    },
    /// Stored, and the key to it is missing. What is known without it: whether both ran the same.
    Locked {
        same: bool,
    },
}

dto! {
/// A piece of code in both runs, or in one.
pub struct SnippetDifference {
    pub filename: Option<String>,
    pub lines: Vec<DiffLine>,
    /// More differs than is compared line by line: what lies between its first and its last difference is told as taken
    /// away and put.
    pub replaced_whole: bool,
}
}

dto! {
/// A line that is in A, in B (numbers from 1), or in both.
pub struct DiffLine {
    pub a: Option<u32>,
    pub b: Option<u32>,
    pub text: String,
}
}

dto! {
/// The difference in wall clock in parts that add up to it exactly.
pub struct Waterfall {
    pub a_micros: i64,
    pub b_micros: i64,
    /// In the order in which they are drawn. Their sum is B less A.
    pub parts: Vec<WaterfallPart>,
    /// Tasks that the times are for; null is the whole runs.
    pub per_tasks: Option<u64>,
}
}

/// What a part of the difference comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// Until the first task began.
    Startup,
    /// More or fewer tasks of a prefix.
    Tasks,
    /// Slower or faster tasks of a prefix.
    Speed,
    /// Data moved between workers.
    Transfer,
    /// Spilled and read back.
    Disk,
    Deserialize,
    Other,
    /// Fewer or more threads while there was work.
    Threads,
    /// Threads that did nothing while the cluster was stalled.
    Stalled,
    /// Threads that stood still while there was work.
    Waiting,
    /// Time at work that cannot be split: nothing tells how many threads there were.
    Working,
    /// Nothing to do: nobody asked.
    Idle,
}

dto! {
pub struct WaterfallPart {
    pub kind: PartKind,
    /// Of tasks and speed.
    pub prefix: Option<String>,
    /// More than zero: B took longer for it.
    pub micros: i64,
    /// What changed, in words: `300 tasks instead of 100`.
    pub words: String,
    /// One of many small ones, which are drawn as one.
    pub small: bool,
}
}

dto! {
/// The groups of one prefix.
pub struct GroupSums {
    pub groups: u64,
    pub tasks: u64,
    pub erred: u64,
    pub seconds: Activities,
    pub result_bytes: u64,
    /// Computing, for each task; null without tasks.
    pub task_seconds: Option<f64>,
}
}

dto! {
pub struct GroupDifference {
    pub prefix: String,
    /// Null: it has none.
    pub a: Option<GroupSums>,
    pub b: Option<GroupSums>,
    pub differs: bool,
    /// Thread seconds of B less those of A.
    pub more_seconds: f64,
}
}

dto! {
pub struct ExceptionDifference {
    pub exception_type: String,
    pub prefix: Option<String>,
    pub a: u64,
    pub b: u64,
}
}
