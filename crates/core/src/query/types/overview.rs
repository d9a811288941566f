//! What was used in a period, by whom and when.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ClusterRow, Cost, EvidenceTab, Money, TimeParts};
use crate::model::Micros;

/// What a row of the heat-map stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum HeatRows {
    User,
    Project,
    Host,
    /// The cluster's name.
    Name,
    /// The path of the span: what a cluster used in an hour, divided as its spans computed then.
    Span,
    /// One row of all clusters.
    Everything,
}

/// What a cell of the heat-map measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Seconds of threads in users' functions.
    #[default]
    Compute,
    /// Seconds of threads, idleness included.
    Cluster,
    /// In the book's currency, in the middle of its range.
    Cost,
    /// Seconds of threads that had nothing to do.
    Idle,
    /// Seconds of threads that did nothing while their cluster was stalled.
    Stalled,
    /// Tasks that erred of themselves.
    Failures,
    /// Bytes, the most of any cluster.
    MemoryPeak,
}

/// How the rows of the heat-map are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum HeatOrder {
    #[default]
    Total,
    Name,
}

dto! {
/// Part of the heat-map: a row, or all rows, between two moments.
pub struct SelectedCells {
    /// Null: clusters that have none, unless it is every row.
    #[serde(default)]
    pub row: Option<String>,
    #[serde(default)]
    pub every_row: bool,
    pub from_micros: Micros,
    /// Exclusive.
    pub to_micros: Micros,
}
}

dto! {
/// Which period, and which part of it. An hour counts for the stretch in which it begins; the default is the last 28
/// times 24 hours.
pub struct OverviewRequest {
    #[serde(default)]
    pub from_micros: Option<Micros>,
    /// Exclusive.
    #[serde(default)]
    pub to_micros: Option<Micros>,
    /// Where the points of the series part, rising; without any there are no series.
    #[serde(default)]
    pub edges: Vec<Micros>,
    /// What the rows of `cells` are.
    #[serde(default)]
    pub by: Option<HeatRows>,
    /// Only what lies in any of these, at most 5,000; none is all.
    #[serde(default)]
    pub cells: Vec<SelectedCells>,
}
}

dto! {
pub struct Overview {
    pub now_micros: Micros,
    pub from_micros: Micros,
    pub to_micros: Micros,
    /// Of the period, as far as it is selected.
    pub period: UsageTotals,
    /// Of what lies as long before.
    pub before: UsageTotals,
    pub before_from_micros: Micros,
    pub before_to_micros: Micros,
    /// How the period differs from that; null where nothing was reported then.
    pub trends: Option<UsageTrends>,
    /// Since the first batch ever, of everything.
    pub ever: UsageTotals,
    pub series: UsageSeries,
    /// Clusters that are running, stalled or idle now, newest first. At most 50: where there are more, what is stalled, what
    /// has been idle for longest, and then the newest.
    pub live: Vec<ClusterRow>,
    /// How many are running, stalled or idle now.
    pub live_total: u64,
    /// What an hour of all that have a price costs as they stand; null where none has.
    pub live_burning: Option<Money>,
    /// How many of all have a price.
    pub live_priced: u64,
    /// What an hour of each of `live` costs as it stands; null without a price.
    pub burning: Vec<Option<Money>>,
    /// When each of `live` will be through with what it has to do; null where that cannot be said.
    pub left: Vec<Option<TimeLeft>>,
    pub currency: String,
    pub answers: Vec<Answer>,
}
}

dto! {
/// How long the tasks that are to come will take, if no others come.
pub struct TimeLeft {
    pub tasks: u64,
    /// With all threads computing.
    pub low_seconds: f64,
    /// With as many as computed lately.
    pub high_seconds: f64,
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
    /// `compute_seconds` ÷ `thread_seconds`; null where no thread was up.
    pub efficiency: Option<f64>,
    /// `thread_seconds` by what was done.
    pub parts: TimeParts,
    /// Tasks that finished.
    pub tasks_completed: u64,
    /// Tasks that erred of themselves.
    pub tasks_erred: u64,
    /// Bytes of all results.
    pub result_bytes: u64,
    /// The most workers that any one cluster had at once.
    pub workers_peak: u64,
    /// Null where nothing could be priced.
    pub cost: Option<Cost>,
}
}

/// Which way a figure went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    Up,
    Down,
    Level,
}

dto! {
/// How a figure changed.
pub struct Trend {
    /// `+12 %`, `3.4 times`, `+2 points`, `none before`, `no change`.
    pub words: String,
    pub way: Way,
}
}

dto! {
/// How each of the totals changed; null where it was nothing and still is, or is not known in both. Money by the middle of
/// its range.
pub struct UsageTrends {
    pub clusters: Option<Trend>,
    pub thread_seconds: Option<Trend>,
    pub compute_seconds: Option<Trend>,
    /// In points of a hundred.
    pub efficiency: Option<Trend>,
    pub tasks_completed: Option<Trend>,
    pub tasks_erred: Option<Trend>,
    pub result_bytes: Option<Trend>,
    pub workers_peak: Option<Trend>,
    pub cost: Option<Trend>,
    pub idle_cost: Option<Trend>,
}
}

dto! {
/// What was used between the edges, as columns of one length.
pub struct UsageSeries {
    pub thread_seconds: Vec<f64>,
    pub compute_seconds: Vec<f64>,
    pub tasks_completed: Vec<f64>,
    pub tasks_erred: Vec<f64>,
    pub result_bytes: Vec<f64>,
    pub workers_peak: Vec<f64>,
    pub clusters: Vec<f64>,
    /// In the book's currency, in the middle of its range.
    pub cost: Vec<f64>,
    /// The same of what idle threads cost.
    pub idle_cost: Vec<f64>,
}
}

/// How an answer is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    Calm,
    Good,
    Warn,
    Stalled,
    Bad,
}

/// Where the proof of an answer is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Proof {
    Nothing,
    /// The clusters of the period that were lost.
    Lost,
    /// The clusters of the period that finished.
    Finished,
    /// Exceptions of this type.
    Exception {
        text: String,
    },
    /// The clusters of the period in which tasks failed.
    Failed,
    /// What the period cost, and whom.
    Costs,
    Prices,
    Cluster {
        #[ts(type = "number")]
        id: i64,
    },
    /// The task groups of one prefix of a cluster.
    Prefix {
        #[ts(type = "number")]
        id: i64,
        prefix: String,
    },
    /// A list of a cluster.
    List {
        #[ts(type = "number")]
        id: i64,
        tab: EvidenceTab,
    },
}

dto! {
/// A question that a person asks first, answered.
pub struct Answer {
    pub question: String,
    /// One sentence, with a number.
    pub answer: String,
    /// The figures behind it.
    pub because: String,
    pub tone: Tone,
    pub proof: Proof,
}
}

dto! {
pub struct HeatMapRequest {
    /// Null: users where there are several, else projects.
    #[serde(default)]
    pub by: Option<HeatRows>,
    #[serde(default)]
    pub measure: Measure,
    /// Where stretches of time part, rising: at least two, at most 90,000.
    pub edges: Vec<Micros>,
    /// The column of each stretch, so that days of a zone with summer time and hours of the week are told alike; none is:
    /// each is a column of its own.
    #[serde(default)]
    pub columns: Vec<u32>,
    #[serde(default)]
    pub order: HeatOrder,
    /// Rows that are given at most, the last of them what is left; 0 is 40, and no more than 200.
    #[serde(default)]
    pub rows: u32,
}
}

dto! {
pub struct HeatMap {
    pub by: HeatRows,
    pub measure: Measure,
    /// Of `cost`.
    pub currency: String,
    pub columns: u64,
    pub rows: Vec<HeatRow>,
}
}

dto! {
pub struct HeatRow {
    /// The user, project, host, name or span; null where clusters have none.
    pub key: Option<String>,
    /// How many rows are in this one; 0 is a row of its own.
    pub others: u64,
    /// Null with clusters: they reported, and this was not told. Null without: nothing reported.
    pub values: Vec<Option<f64>>,
    /// Clusters that reported, by column.
    pub clusters: Vec<u32>,
    /// Over the columns: the sum, of memory the most.
    pub total: Option<f64>,
}
}

dto! {
pub struct ClusterUsesRequest {
    #[serde(default)]
    pub from_micros: Option<Micros>,
    #[serde(default)]
    pub to_micros: Option<Micros>,
    #[serde(default)]
    pub by: Option<HeatRows>,
    #[serde(default)]
    pub cells: Vec<SelectedCells>,
    /// What the list is ordered by, most first.
    #[serde(default)]
    pub measure: Measure,
    /// 0 is 50; no more than 500.
    #[serde(default)]
    pub limit: u32,
}
}

dto! {
/// The clusters behind a period or a selection, with what they used in it.
pub struct ClusterUses {
    pub rows: Vec<ClusterUse>,
    pub total: u64,
    pub truncated: bool,
    pub currency: String,
}
}

dto! {
pub struct ClusterUse {
    pub cluster: ClusterRow,
    /// In the selection alone.
    pub used: UsageTotals,
    pub memory_peak_bytes: Option<u64>,
}
}
