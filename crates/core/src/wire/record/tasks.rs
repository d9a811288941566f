//! Task groups and computations.

use serde::{Deserialize, Serialize};

use crate::model::{Activities, Micros, TaskStates};
use crate::wire::strict;

/// How long single tasks computed. The percentiles come from a logarithmic sketch and are right within 2 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Durations {
    /// Tasks that were timed.
    pub count: u64,
    pub mean_seconds: f64,
    pub std_seconds: f64,
    pub p50_seconds: f64,
    pub p95_seconds: f64,
    pub max_seconds: f64,
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
    /// How long its single tasks computed; null until one did.
    #[serde(default)]
    pub durations: Option<Durations>,
    /// Attempts of its tasks that failed and were made again.
    #[serde(default)]
    pub retried: Option<u64>,
    /// The span that touched it first.
    #[serde(default)]
    pub span_id: Option<String>,
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
    /// Attempts of its tasks that failed and were made again.
    #[serde(default)]
    pub retried: Option<u64>,
    /// Outermost frame first. Absent: as in an earlier record, or not captured. Sent once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Vec<CodeFrame>>,
}
