//! Hours held against what may be spent.

use super::clusters::{About, Clusters, row_of};
use crate::insight::cost::Bill;
use crate::model::Micros;
use crate::query::types::{BudgetRow, Covers, HeatRows, Money, PriceBook, Range};
use crate::query::{Budget, HourUse, Who};

/// Percents at which a budget is worth a word.
const STEPS: [u32; 3] = [100, 80, 50];
/// Before, a month says nothing of its rest.
const A_DAY: i64 = 24 * Micros::HOUR;

pub(crate) struct BudgetFold {
    budgets: Vec<(Budget, Bill)>,
}

impl BudgetFold {
    pub(crate) fn new(budgets: Vec<Budget>) -> Self {
        let budgets = budgets.into_iter();
        Self {
            budgets: budgets.map(|budget| (budget, Bill::new())).collect(),
        }
    }

    /// What it depends on.
    pub(crate) fn about(&self) -> About {
        let mut budgets = self.budgets.iter();
        About {
            each: budgets.any(|(budget, _)| matches!(budget.covers, Covers::Tag { .. })),
            spans: false,
        }
    }

    pub(crate) fn add(&mut self, hour: &HourUse, clusters: &Clusters<'_>) {
        let Some(who) = clusters.who(hour.cluster, hour.named) else {
            return;
        };
        for (budget, bill) in &mut self.budgets {
            if covers(&budget.covers, who) {
                bill.add(clusters.price(hour), &hour.used);
            }
        }
    }

    /// The fullest first, in a month of which `past` has gone by.
    pub(crate) fn finish(self, book: &PriceBook, past: i64, month: i64) -> Vec<BudgetRow> {
        let rows = self.budgets.into_iter();
        let mut rows: Vec<BudgetRow> = rows
            .map(|(budget, bill)| row(budget, &bill, book, past, month))
            .collect();
        rows.sort_by(|a, b| {
            let full = |row: &BudgetRow| row.share.map_or(-1.0, middle);
            full(b).total_cmp(&full(a)).then(a.id.cmp(&b.id))
        });
        rows
    }
}

fn row(budget: Budget, bill: &Bill, book: &PriceBook, past: i64, month: i64) -> BudgetRow {
    let spent = bill.cost(&book.prices, &book.currency);
    let share = spent.as_ref().map(|spent| Range {
        low: spent.total.low_nanos as f64 / budget.amount_nanos as f64,
        high: spent.total.high_nanos as f64 / budget.amount_nanos as f64,
    });
    let reached = share.map_or(0.0, middle) * 100.0;
    let expected = spent.as_ref().filter(|_| past >= A_DAY).map(|spent| {
        let all = |nanos: i64| (nanos as f64 / past as f64 * month as f64) as i64;
        Money {
            low_nanos: all(spent.total.low_nanos),
            high_nanos: all(spent.total.high_nanos),
        }
    });
    BudgetRow {
        id: budget.id,
        covers: budget.covers,
        amount_nanos: budget.amount_nanos,
        reached_percent: STEPS
            .into_iter()
            .find(|step| reached >= f64::from(*step))
            .unwrap_or(0),
        spent,
        share,
        expected,
    }
}

fn middle(range: Range) -> f64 {
    (range.low + range.high) / 2.0
}

fn covers(what: &Covers, who: &Who) -> bool {
    match what {
        Covers::Everything => true,
        Covers::User { user } => row_of(HeatRows::User, who) == Some(user),
        Covers::Project { project } => row_of(HeatRows::Project, who) == Some(project),
        Covers::Tag { name, value } => who.tags.get(name) == Some(value),
    }
}
