//! What the threads of a cluster did, over time and in sum.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::{Activities, Micros};

dto! {
pub struct ThreadUseRequest {
    pub id: i64,
    #[serde(default)]
    pub from_micros: Option<Micros>,
    #[serde(default)]
    pub to_micros: Option<Micros>,
    /// Bins of equal length; 0 is 120, no more than 1,000.
    #[serde(default)]
    pub bins: u32,
    /// Prefixes that have a part of their own; 0 is 4, no more than 20.
    #[serde(default)]
    pub prefixes: u32,
}
}

dto! {
/// How the time of threads divides, from 0 to 1, as columns of one length; null where nothing was told. In each bin
/// all parts with `idle` and `stalled` make 1.
///
/// A worker tells the time of a task when it ends. What is more than the threads of that time could do is laid to the
/// free threads before it, so what a long task did is where it was done. Which prefix computed is estimated: a group's
/// seconds are spread evenly from its start to its stop.
pub struct ThreadUse {
    pub from_micros: Option<Micros>,
    /// The end of each bin.
    pub at_micros: Vec<Micros>,
    /// Threads that were there on average.
    pub threads: Vec<Option<f64>>,
    /// Threads that were in users' functions on average.
    pub threads_computing: Vec<Option<f64>>,
    /// Computing, by the prefixes with the most of it; then all others, whose prefix is null.
    pub computing: Vec<PrefixUse>,
    pub transfer: Vec<Option<f64>>,
    pub disk_read: Vec<Option<f64>>,
    pub disk_write: Vec<Option<f64>>,
    pub deserialize: Vec<Option<f64>>,
    pub other: Vec<Option<f64>>,
    pub idle: Vec<Option<f64>>,
    /// They did nothing while the cluster was stalled.
    pub stalled: Vec<Option<f64>>,
    pub totals: WindowTotals,
}
}

dto! {
pub struct PrefixUse {
    pub prefix: Option<String>,
    pub share: Vec<Option<f64>>,
    /// In this time.
    pub seconds: f64,
}
}

dto! {
/// What was done in this time.
pub struct WindowTotals {
    /// Time of all threads; `seconds`, `idle_seconds` and `stalled_seconds` make it up.
    pub thread_seconds: f64,
    pub seconds: Activities,
    pub idle_seconds: f64,
    /// Threads did nothing while the cluster was stalled.
    pub stalled_seconds: f64,
    /// Seconds that were told later than they were spent, and laid to where threads were free.
    pub moved_seconds: f64,
    /// Between the last samples before its bounds.
    pub tasks_completed: u64,
    pub tasks_erred: u64,
    pub workers_peak: Option<u64>,
    pub memory_peak_bytes: Option<u64>,
    pub spilled_peak_bytes: Option<u64>,
    /// Worked on, seen or happened in this time.
    pub groups: u64,
    pub computations: u64,
    pub exceptions: u64,
    pub events: u64,
    pub worker_events: u64,
}
}
