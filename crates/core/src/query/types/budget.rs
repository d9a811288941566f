//! What may be spent in a month, and what of it is.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Cost, Money, Range};
use crate::model::Micros;

/// Which clusters a budget covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Covers {
    Everything,
    User { user: String },
    Project { project: String },
    Tag { name: String, value: String },
}

dto! {
pub struct BudgetsRequest {
    /// By the rules of this zone the month is cut; empty is UTC.
    #[serde(default)]
    pub time_zone: String,
}
}

dto! {
/// The budgets of this month, the fullest first.
pub struct BudgetList {
    pub currency: String,
    /// The month.
    pub from_micros: Micros,
    /// Exclusive.
    pub to_micros: Micros,
    pub rows: Vec<BudgetRow>,
}
}

dto! {
pub struct BudgetRow {
    pub id: i64,
    pub covers: Covers,
    /// In billionths of the currency, for a month.
    pub amount_nanos: i64,
    /// Since the month began; null where nothing of it has a price.
    pub spent: Option<Cost>,
    /// Of the amount; 1 is all of it.
    pub share: Option<Range>,
    /// The largest of 50, 80 and 100 percent that the middle of it has reached; 0 before.
    pub reached_percent: u32,
    /// What the month will cost if it goes on as it began; null in its first day.
    pub expected: Option<Money>,
}
}

dto! {
pub struct SetBudgetRequest {
    /// The budget to correct; null writes a new one.
    #[serde(default)]
    pub id: Option<i64>,
    pub covers: Covers,
    /// In billionths of the currency, for a month.
    pub amount_nanos: i64,
    #[serde(default)]
    pub time_zone: String,
}
}

dto! {
pub struct RemoveBudgetRequest {
    pub id: i64,
    #[serde(default)]
    pub time_zone: String,
}
}
