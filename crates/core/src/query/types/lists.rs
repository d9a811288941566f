//! Groups and computations of one cluster.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::{Activities, Micros, TaskStates};

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
    /// How long its single tasks computed; null until one did, or where Dask does not tell.
    pub durations: Option<TaskDurations>,
    /// How many times as long as the middle task the slow ones (p95) take, where that is more than five; else null.
    pub skew: Option<f64>,
    /// Attempts that failed and were made again; null where Dask does not tell.
    pub retried: Option<u64>,
    pub span_id: Option<String>,
    /// `group_id`s.
    pub dependencies: Vec<String>,
    /// Dask has forgotten the group; these are its last numbers.
    pub is_final: bool,
}
}

dto! {
/// How long single tasks computed. The percentiles are right within 2 %, the others exact.
pub struct TaskDurations {
    /// Tasks that were timed.
    pub count: u64,
    pub mean_seconds: f64,
    pub std_seconds: f64,
    pub p50_seconds: f64,
    pub p95_seconds: f64,
    pub max_seconds: f64,
}
}

dto! {
pub struct ComputationsRequest {
    pub id: i64,
    /// Only those that were going on in this time.
    #[serde(default)]
    pub from_micros: Option<Micros>,
    #[serde(default)]
    pub to_micros: Option<Micros>,
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
    /// Tasks that have been worked on; the rest is still to come.
    pub tasks_done: u64,
    /// Attempts that failed and were made again; null where Dask does not tell.
    pub retried: Option<u64>,
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
    /// A reader had it taken out.
    Forgotten {
        /// It is not stored when it comes again, either.
        for_good: bool,
    },
}

dto! {
/// The code of one computation.
pub struct CodeRequest {
    pub cluster_id: i64,
    pub computation_id: String,
}
}

dto! {
/// What became of some code.
pub struct ForgottenCode {
    /// Computations that were started by it, in any cluster.
    pub computations: u64,
}
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
