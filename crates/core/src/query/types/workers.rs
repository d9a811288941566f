//! The workers of one cluster.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::{Micros, WorkerChange, WorkerState};

dto! {
pub struct WorkersRequest {
    pub id: i64,
    /// Only this one, which is then all that is counted.
    #[serde(default)]
    pub worker_id: Option<String>,
    /// 0 is 100; no more than 1,000.
    #[serde(default)]
    pub limit: u32,
    #[serde(default)]
    pub offset: u64,
}
}

dto! {
pub struct WorkerList {
    /// Those that are here first, then the last that left.
    pub rows: Vec<WorkerRow>,
    pub total: u64,
    pub truncated: bool,
    /// Workers that are here, by the last that was heard.
    pub here: u64,
    /// Times that a worker was killed, or left and was not asked to as far as Dask tells.
    pub lost: u64,
}
}

dto! {
/// One worker server, from its start to its end.
pub struct WorkerRow {
    pub worker_id: String,
    pub address: Option<String>,
    pub name: Option<String>,
    pub host: Option<String>,
    pub state: WorkerState,
    pub first_seen_micros: Micros,
    /// Null while it is here.
    pub left_micros: Option<Micros>,
    pub threads: Option<u64>,
    pub memory_limit_bytes: Option<u64>,
    pub resources: BTreeMap<String, f64>,
    /// Whether a nanny restarts it.
    pub nanny: Option<bool>,
    /// At the last sample; null where that did not tell of single workers.
    pub now: Option<WorkerNow>,
    /// The last 20 of its life, oldest first.
    pub events: Vec<WorkerEvent>,
    pub events_total: u64,
}
}

dto! {
pub struct WorkerNow {
    pub at_micros: Micros,
    /// 100 is one core.
    pub cpu_percent: Option<f64>,
    pub memory_used_bytes: Option<u64>,
    pub memory_managed_bytes: Option<u64>,
    pub memory_spilled_bytes: Option<u64>,
    /// Tasks assigned to it.
    pub processing: Option<u64>,
    /// How late its event loop is.
    pub lag_micros: Option<i64>,
}
}

dto! {
pub struct WorkerEvent {
    pub at_micros: Micros,
    pub event: WorkerChange,
    pub cause: Option<String>,
    /// Whether it was asked to; null where Dask does not tell.
    pub expected: Option<bool>,
}
}

/// What to show of the workers over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum WorkerMeasure {
    #[default]
    CpuPercent,
    MemoryUsedBytes,
    MemorySpilledBytes,
    Processing,
}

dto! {
pub struct WorkerSeriesRequest {
    pub id: i64,
    #[serde(default)]
    pub measure: WorkerMeasure,
    #[serde(default)]
    pub from_micros: Option<Micros>,
    #[serde(default)]
    pub to_micros: Option<Micros>,
    /// At most this many points; 0 is 600. Each is the last sample of its bin.
    #[serde(default)]
    pub points: u32,
}
}

dto! {
/// One measure of the workers over time, as columns of one length, oldest first.
pub struct WorkerSeries {
    pub at_micros: Vec<Micros>,
    /// Least, lower quartile, median, upper quartile and most over the workers.
    pub bands: Vec<Option<[f64; 5]>>,
    /// Each worker by itself; empty where any of the samples tells only bands, or more than 64 workers came by.
    pub workers: Vec<WorkerLine>,
}
}

dto! {
pub struct WorkerLine {
    pub worker_id: String,
    pub name: Option<String>,
    pub values: Vec<Option<f64>>,
}
}

dto! {
pub struct WorkerHeatRequest {
    pub id: i64,
    #[serde(default)]
    pub measure: WorkerMeasure,
    #[serde(default)]
    pub from_micros: Option<Micros>,
    #[serde(default)]
    pub to_micros: Option<Micros>,
    /// Bins of equal length; 0 is 60, no more than 240.
    #[serde(default)]
    pub bins: u32,
    /// Workers that have a row of their own; 0 is 64, and there are no more.
    #[serde(default)]
    pub rows: u32,
}
}

dto! {
/// One measure of the workers in bins, on average over each; null where a worker was not there or did not tell.
pub struct WorkerHeat {
    /// Null where no sample tells of workers.
    pub from_micros: Option<Micros>,
    /// The end of each bin.
    pub at_micros: Vec<Micros>,
    /// Those with the most of it in all of this time first.
    pub workers: Vec<WorkerHeatRow>,
    /// All that have no row of their own; null where each has one.
    pub others: Option<OtherWorkers>,
    /// The median of all workers where more than 64 were there, of which samples tell only how they spread; empty where
    /// there never were.
    pub together: Vec<Option<f64>>,
    pub samples: u64,
    /// Of very many samples some are left out, evenly.
    pub samples_read: u64,
}
}

dto! {
pub struct WorkerHeatRow {
    pub worker_id: String,
    pub name: Option<String>,
    /// While it told of it.
    pub mean: Option<f64>,
    pub values: Vec<Option<f64>>,
}
}

dto! {
pub struct OtherWorkers {
    pub workers: u64,
    /// The mean of those that were there.
    pub values: Vec<Option<f64>>,
}
}
