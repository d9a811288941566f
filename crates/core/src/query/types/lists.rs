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
