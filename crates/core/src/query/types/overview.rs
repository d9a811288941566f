//! What was used in a period, and by whom.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ClusterRow;
use crate::model::Micros;

dto! {
/// Which period the overview is about, and whose days. The default is the last 28 local days.
pub struct OverviewRequest {
    /// Start of the period, inclusive.
    #[serde(default)]
    pub from_micros: Option<Micros>,
    /// End of the period, exclusive.
    #[serde(default)]
    pub to_micros: Option<Micros>,
    /// Local time is UTC plus this.
    #[serde(default)]
    pub utc_offset_minutes: i32,
}
}

dto! {
pub struct Overview {
    pub now_micros: Micros,
    pub from_micros: Micros,
    pub to_micros: Micros,
    /// Of the period.
    pub period: UsageTotals,
    /// Since the first batch ever.
    pub ever: UsageTotals,
    /// Clusters that are running or idle now, newest first, at most 50.
    pub live: Vec<ClusterRow>,
    pub heat_map: HeatMap,
}
}

dto! {
/// What clusters used. Times are in seconds of one thread: 3,600 are one core-hour.
pub struct UsageTotals {
    /// Clusters that reported in the period.
    pub clusters: u64,
    /// Threads times time, idleness included.
    pub thread_seconds: f64,
    /// Time that threads spent in users' functions.
    pub compute_seconds: f64,
    /// Tasks that finished.
    pub tasks_completed: u64,
    /// Tasks that erred of themselves.
    pub tasks_erred: u64,
    /// Bytes of all results.
    pub result_bytes: u64,
    /// The most workers that any one cluster had at once.
    pub workers_peak: u64,
}
}

dto! {
/// Compute time by row and local day.
pub struct HeatMap {
    /// Local days, `YYYY-MM-DD`, oldest first, without holes.
    pub days: Vec<String>,
    /// By total, most first; at most 40, the last may be the others together.
    pub rows: Vec<HeatMapRow>,
}
}

dto! {
pub struct HeatMapRow {
    /// The project, else the user, else `unnamed`.
    pub label: String,
    /// Seconds of compute by day; null where no cluster of this row reported on that day.
    pub compute_seconds: Vec<Option<f64>>,
    /// Sum over the days.
    pub total_compute_seconds: f64,
    /// Clusters that reported, by day.
    pub clusters: Vec<u32>,
}
}
