//! Spans, and Dask's fine performance metrics.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::{Activities, MetricKind, Micros, TaskStates};

dto! {
#[derive(Default)]
pub struct SpansRequest {
    pub id: i64,
    /// Only those that were going on in this time.
    #[serde(default)]
    pub from_micros: Option<Micros>,
    #[serde(default)]
    pub to_micros: Option<Micros>,
    /// Only those that this task group belongs to.
    #[serde(default)]
    pub group_id: Option<String>,
    /// 0 is 100; no more than 1,000.
    #[serde(default)]
    pub limit: u32,
    #[serde(default)]
    pub offset: u64,
}
}

dto! {
pub struct SpanList {
    /// Newest first.
    pub rows: Vec<SpanRow>,
    pub total: u64,
    pub truncated: bool,
}
}

dto! {
pub struct SpanRow {
    pub span_id: String,
    pub parent_id: Option<String>,
    pub name: String,
    /// The path of names down to this one, outermost first.
    pub tags: Vec<String>,
    pub start_micros: Option<Micros>,
    /// Null while it runs.
    pub stop_micros: Option<Micros>,
    pub enqueued_micros: Option<Micros>,
    /// `group_id`s of its own groups; those of its children are theirs.
    pub groups: Vec<String>,
    /// Over its own groups.
    pub states: TaskStates,
    pub seconds: Activities,
    pub result_bytes: u64,
}
}

dto! {
pub struct MetricsRequest {
    pub id: i64,
    /// Only of this span.
    #[serde(default)]
    pub span_id: Option<String>,
    /// Only of this prefix.
    #[serde(default)]
    pub prefix: Option<String>,
}
}

dto! {
/// What the workers' time and bytes went to. No two rows count the same thing: they can be added up.
pub struct MetricList {
    /// By unit, most first; at most 5,000.
    pub rows: Vec<MetricRow>,
    pub total: u64,
    pub truncated: bool,
}
}

/// What the time of workers is summed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ActivityBy {
    #[default]
    Prefix,
    Span,
    Context,
}

dto! {
pub struct ActivityRequest {
    pub id: i64,
    #[serde(default)]
    pub by: ActivityBy,
    /// Only of this prefix.
    #[serde(default)]
    pub prefix: Option<String>,
}
}

dto! {
/// What the workers' time and bytes went to, added up. The event loops of workers run beside everything else: they are in
/// no sum.
pub struct Activity {
    /// Most seconds first; at most 1,000.
    pub sums: Vec<ActivitySum>,
    pub total: u64,
    pub truncated: bool,
    /// Of all sums.
    pub seconds: f64,
    /// Of everything, most seconds first.
    pub lines: Vec<ActivityLine>,
}
}

dto! {
pub struct ActivitySum {
    /// The prefix, the `span_id` or the context; null: what is of none.
    pub of: Option<String>,
    pub seconds: f64,
    pub bytes: f64,
    /// They sum to `seconds`.
    pub parts: Vec<ActivityPart>,
    /// What it is made of, most seconds first.
    pub lines: Vec<ActivityLine>,
}
}

dto! {
pub struct ActivityPart {
    pub kind: MetricKind,
    pub seconds: f64,
}
}

dto! {
/// One activity in Dask's own words; null is not counted in this unit.
pub struct ActivityLine {
    pub context: String,
    pub activity: String,
    pub seconds: Option<f64>,
    pub bytes: Option<f64>,
    pub count: Option<f64>,
    /// Units that Bobbin does not know.
    pub others: Vec<ActivityUnit>,
}
}

dto! {
pub struct ActivityUnit {
    pub unit: String,
    pub value: f64,
}
}

dto! {
pub struct MetricRow {
    /// Null: of no span.
    pub span_id: Option<String>,
    /// What the worker was doing: `execute`, `gather-dep`, `get-data`, ….
    pub context: String,
    /// Null: for no task in particular.
    pub prefix: Option<String>,
    pub activity: String,
    /// Of what kind that is.
    pub kind: MetricKind,
    /// `seconds`, `bytes`, `count`, ….
    pub unit: String,
    pub value: f64,
}
}
