//! Prices, and what things cost by them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::UsageTotals;
use crate::model::Micros;

/// What something cost: between what its price says at least and at most. In billionths of the book's currency, as whole
/// numbers: parts sum exactly to the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Money {
    #[ts(type = "number")]
    pub low_nanos: i64,
    #[ts(type = "number")]
    pub high_nanos: i64,
}

/// At least, and at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct Range {
    pub low: f64,
    pub high: f64,
}

/// What is paid for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Rate {
    /// A machine of one's own: the electricity that it draws.
    Own {
        /// For each core that is up.
        watts_per_core: Range,
        kilowatt_hour: Range,
    },
    /// Rented by the hour; what is zero is not charged. A thread is taken for a core.
    Rented {
        core_hour: Range,
        /// Of memory that workers may use, by 1,024 MiB.
        memory_gib_hour: Range,
        machine_hour: Range,
        /// How many workers share a machine.
        workers_per_machine: u32,
    },
}

/// Which clusters a price is for. Patterns fit in any case; `*` stands for any text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum AppliesTo {
    Everything,
    Host { pattern: String },
    Project { pattern: String },
    Tag { name: String, pattern: String },
}

dto! {
/// A price as it is written down.
pub struct PriceTerms {
    pub name: String,
    /// Where the figures are from.
    pub provenance: String,
    /// Clusters that began at or after this, …
    pub from_micros: Micros,
    /// … and before this; null has no end.
    pub to_micros: Option<Micros>,
    pub applies_to: AppliesTo,
    pub rate: Rate,
}
}

dto! {
pub struct Price {
    pub id: i64,
    pub terms: PriceTerms,
}
}

dto! {
/// Prices in force. Of those that fit a cluster when it began, the narrowest counts (tag, then project, host,
/// everything), and of equal ones the one that is valid from the latest day.
pub struct PriceBook {
    /// Of all prices, so that sums mean something.
    pub currency: String,
    /// Narrowest first, then the newest.
    pub prices: Vec<Price>,
    /// Newest first, at most 500.
    pub changes: Vec<PriceChange>,
    /// List prices to begin a price of one's own with; none of them is in force.
    pub known: Vec<KnownPrice>,
}
}

dto! {
/// A price that many pay, as of the month that its source says.
pub struct KnownPrice {
    pub name: String,
    pub provenance: String,
    pub currency: String,
    pub rate: Rate,
}
}

dto! {
/// One line of the book's history.
pub struct PriceChange {
    pub at_micros: Micros,
    pub currency: String,
    /// As it was before, if it was removed.
    pub price: Price,
    pub removed: bool,
}
}

dto! {
pub struct SetPriceRequest {
    /// The price to correct; null writes a new one.
    #[serde(default)]
    pub id: Option<i64>,
    pub terms: PriceTerms,
}
}

dto! {
pub struct RemovePriceRequest {
    pub id: i64,
}
}

dto! {
pub struct SetCurrencyRequest {
    /// Such as `EUR`. Figures stay as they are: nothing is converted.
    pub currency: String,
}
}

dto! {
/// What a cluster or a period cost.
pub struct Cost {
    pub currency: String,
    pub total: Money,
    /// Of it, for threads that had nothing to do.
    pub idle: Money,
    /// Of it, for threads that did nothing while work was assigned and for too long none of it had ended.
    pub stalled: Money,
    /// Time of threads for which no price was in force: it is in neither figure.
    pub unpriced_seconds: f64,
    /// Which prices, as words.
    pub words: String,
}
}

/// Time of threads by what they did. The parts sum exactly to threads times the time that they were there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TimeParts {
    #[ts(type = "number")]
    pub compute_micros: i64,
    #[ts(type = "number")]
    pub transfer_micros: i64,
    /// Reading and writing.
    #[ts(type = "number")]
    pub disk_micros: i64,
    /// Deserializing, and what Dask counts as other.
    #[ts(type = "number")]
    pub other_micros: i64,
    #[ts(type = "number")]
    pub idle_micros: i64,
    /// They did nothing while the cluster was stalled, as far as that was counted.
    #[ts(type = "number")]
    pub stalled_micros: i64,
}

dto! {
/// What a cluster cost, and what for. Operations sum exactly to it, and so do the groups of each.
pub struct ClusterCost {
    pub now_micros: Micros,
    /// Null: no price was in force when it began, or nothing was heard of its threads.
    pub cost: Option<Cost>,
    /// The price that was in force when it began.
    pub price: Option<Price>,
    /// What an hour costs as it stands now; null when it is over.
    pub an_hour: Option<Money>,
    /// Of all its threads.
    pub thread_micros: i64,
    /// What was assumed, a sentence each.
    pub assumptions: Vec<String>,
    /// Dearest first; what is idle is one of them, and of it what is known to have stalled another.
    pub operations: Vec<OperationCost>,
}
}

/// What threads were paid for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Operation {
    Prefix {
        prefix: String,
    },
    /// Work of task groups that are not on the record.
    Unrecorded,
    /// Prefixes beyond the dearest 500.
    Others {
        #[ts(type = "number")]
        prefixes: u64,
    },
    /// Threads that had nothing to do.
    Idle,
    /// Threads that did nothing while work was assigned and for too long none of it had ended.
    Stalled,
}

dto! {
pub struct OperationCost {
    pub operation: Operation,
    /// Tasks of all states.
    pub tasks: u64,
    /// Time of threads that is paid for; all operations sum to the cluster's.
    pub thread_micros: i64,
    /// Null without a price.
    pub money: Option<Money>,
    /// Dearest first, at most 100; none for what is idle or stalled.
    pub groups: Vec<GroupCost>,
    pub groups_total: u64,
}
}

dto! {
pub struct GroupCost {
    pub group_id: String,
    pub name: String,
    pub tasks: u64,
    pub thread_micros: i64,
    pub money: Option<Money>,
}
}

dto! {
/// The dearest lines of code by the profile: share of samples × time that its threads computed × price. Where no line was
/// counted, a row is a function.
pub struct LineCosts {
    /// Dearest first, at most 50: lines of the user's own code with what they call, all others in themselves.
    pub rows: Vec<LineCost>,
    /// Whether any profile has samples by line: not of an older plugin, nor where code is off.
    pub by_line: bool,
    /// Lines and functions with too few samples for a price.
    pub too_few: u64,
    pub samples: u64,
    /// Of which they are.
    pub clusters: u64,
    /// Whether there were more clusters than are looked at.
    pub truncated: bool,
    pub currency: String,
    /// How the figures and their errors are made.
    pub words: String,
}
}

dto! {
pub struct LineCost {
    pub function: String,
    pub file: String,
    /// The function's first line.
    pub line: Option<u32>,
    /// The line that the figures are of; null for a function whose lines were not counted, and for other lines.
    pub at_line: Option<u32>,
    /// The figures are of the function's other lines: some have rows of their own, or too few samples.
    pub other_lines: bool,
    /// What the line says, where that was sent; of a function, the line that was first seen running.
    pub text: Option<String>,
    /// Dask's own, Python's, or of an installed package.
    pub library: bool,
    /// Samples in it, or in what it called.
    pub samples: u64,
    /// Of the time that was computed, with everything that it calls and with the sampling error.
    pub share: Range,
    /// Time of threads in itself, with the sampling error.
    pub seconds: Range,
    /// From the least at the lowest price to the most at the highest; null without a price.
    pub money: Option<Money>,
    /// The same with everything that it calls.
    pub with_calls_seconds: Range,
    pub with_calls_money: Option<Money>,
}
}

/// What clusters cost, by whom: of a period, or of the last 28 times 24 hours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct CostTableRequest {
    pub from_micros: Option<Micros>,
    /// Exclusive.
    pub to_micros: Option<Micros>,
    pub by: CostBy,
    /// What the costs of a row are parted by, too.
    pub across: Option<CostBy>,
}

/// What a row or a column of the table of costs stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CostBy {
    #[default]
    User,
    Project,
    Host,
    /// The cluster's name.
    Name,
    /// The path of the span.
    Span,
    /// The values of this tag.
    Tag {
        name: String,
    },
}

dto! {
/// What clusters cost, by whom. Rows sum to the whole.
pub struct CostTable {
    pub from_micros: Micros,
    /// Exclusive.
    pub to_micros: Micros,
    pub currency: String,
    /// Dearest first, at most 1,000.
    pub rows: Vec<CostTableRow>,
    /// How many there are.
    pub rows_total: u64,
    /// Of all rows.
    pub all: UsageTotals,
    /// What the rows are parted by, dearest first, at most 13; empty where that was not asked for.
    pub columns: Vec<CostTableRow>,
    /// How many there are.
    pub columns_total: u64,
    /// What all rows cost in the columns beyond these; null where there is none, or no price.
    pub others: Option<Money>,
    /// The parts of each row that is told: those of a row sum to it.
    pub cells: Vec<CostCell>,
    /// Tags of these clusters, by name, at most 100.
    pub tags: Vec<String>,
}
}

dto! {
/// The cost of a row in a column.
pub struct CostCell {
    /// Null: clusters that have none.
    pub row: Option<String>,
    pub column: Option<String>,
    /// Of all columns together that are not told.
    pub others: bool,
    /// Null without a price.
    pub cost: Option<Money>,
}
}

dto! {
pub struct CostTableRow {
    /// Null: clusters that have none.
    pub label: Option<String>,
    pub used: UsageTotals,
}
}
