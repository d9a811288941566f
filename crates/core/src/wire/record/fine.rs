//! Spans, and Dask's fine performance metrics.

use serde::{Deserialize, Serialize};

use crate::model::Micros;

/// A fine performance metric: it only grows. The latest by (`at_micros`, sequence number) of its five words stands.
/// Those of different words never count the same thing twice: they can be added up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricRecord {
    pub at_micros: Micros,
    /// Null: of no span, or Dask has none.
    #[serde(default)]
    pub span_id: Option<String>,
    /// What the worker was doing: `execute`, `gather-dep`, `get-data`, ….
    pub context: String,
    #[serde(default)]
    pub prefix: Option<String>,
    pub activity: String,
    /// `seconds`, `bytes`, `count`, ….
    pub unit: String,
    pub value: f64,
}

/// A span. The latest by (`at_micros`, sequence number) stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpanRecord {
    pub at_micros: Micros,
    pub span_id: String,
    #[serde(default)]
    pub parent_id: Option<String>,
    pub name: String,
    /// The whole path of names, outermost first.
    #[serde(default)]
    pub tags: Vec<String>,
    pub start_micros: Option<Micros>,
    /// Null while it runs.
    pub stop_micros: Option<Micros>,
    #[serde(default)]
    pub enqueued_micros: Option<Micros>,
    /// `group_id`s of its own groups, not of those of its children.
    #[serde(default)]
    pub groups: Vec<String>,
}
