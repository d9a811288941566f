//! Hours summed by who their clusters are: the table of costs.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::clusters::{About, Clusters, Rows};
use super::sums::Sums;
use crate::insight::cost::Bill;
use crate::query::HourUse;
use crate::query::types::{
    CostBy, CostCell, CostTableRow, HeatRows, Money, PriceBook, UsageTotals,
};

/// Rows that are told; of those that are parted fewer, each with as many parts as there are columns.
const ROWS: usize = 1_000;
const PARTED: usize = 100;
/// One more is not worth a column of others.
const COLUMNS: usize = 12;

pub(crate) struct ByFold {
    by: CostBy,
    rows: Rows,
    sums: Vec<Sums>,
    all: Sums,
    across: Option<Across>,
}

/// What the rows are parted by.
struct Across {
    by: CostBy,
    columns: Rows,
    sums: Vec<Sums>,
    /// By row and column.
    cells: HashMap<(usize, usize), Bill>,
}

/// What is told.
pub(crate) struct By {
    pub(crate) rows: Vec<CostTableRow>,
    pub(crate) rows_total: u64,
    pub(crate) columns: Vec<CostTableRow>,
    pub(crate) columns_total: u64,
    pub(crate) others: Option<Money>,
    pub(crate) cells: Vec<CostCell>,
    pub(crate) all: UsageTotals,
}

impl ByFold {
    pub(crate) fn new(by: CostBy, across: Option<CostBy>) -> Self {
        Self {
            by,
            rows: Rows::default(),
            sums: Vec::new(),
            all: Sums::new(),
            across: across.map(|by| Across {
                by,
                columns: Rows::default(),
                sums: Vec::new(),
                cells: HashMap::new(),
            }),
        }
    }

    /// What it depends on.
    pub(crate) fn about(&self) -> About {
        let across = self.across.as_ref().map(|across| &across.by);
        let by = || [Some(&self.by), across].into_iter().flatten();
        About {
            each: by().any(|by| matches!(by, CostBy::Name | CostBy::Tag { .. })),
            spans: by().any(|by| *by == CostBy::Span),
        }
    }

    pub(crate) fn add(&mut self, hour: &HourUse, clusters: &Clusters<'_>) {
        let price = clusters.price(hour);
        let place = |rows: &mut Rows, sums: &mut Vec<Sums>, by: &CostBy| {
            let place = place(by, hour, clusters, rows)?;
            if place == sums.len() {
                sums.push(Sums::new());
            }
            sums[place].add(hour, price);
            Some(place)
        };
        let Some(row) = place(&mut self.rows, &mut self.sums, &self.by) else {
            return;
        };
        if let Some(across) = &mut self.across
            && let Some(column) = place(&mut across.columns, &mut across.sums, &across.by)
        {
            let cell = across.cells.entry((row, column)).or_insert_with(Bill::new);
            cell.add(price, &hour.used);
        }
        self.all.add(hour, price);
    }

    /// Rows and columns with the dearest first, and all together.
    pub(crate) fn finish(self, book: &PriceBook) -> By {
        let (rows_total, rows) = dearest(self.rows, self.sums);
        let mut told = By {
            rows: Vec::new(),
            rows_total,
            columns: Vec::new(),
            columns_total: 0,
            others: None,
            cells: Vec::new(),
            all: self.all.totals(book),
        };
        let most = match self.across {
            None => ROWS,
            Some(_) => PARTED,
        };
        if let Some(across) = self.across {
            let (columns_total, mut columns) = dearest(across.columns, across.sums);
            let shown = if columns.len() <= COLUMNS + 1 {
                columns.len()
            } else {
                COLUMNS
            };
            let mut cells = across.cells;
            for row in rows.iter().take(most) {
                parts(
                    row,
                    columns.split_at(shown),
                    &mut cells,
                    book,
                    &mut told.cells,
                );
            }
            let others = columns.split_off(shown).into_iter();
            told.others = others
                .map(|line| line.sums.bill)
                .reduce(merged)
                .and_then(|bill| total(&bill, book));
            told.columns = columns.into_iter().map(|line| line.told(book)).collect();
            told.columns_total = columns_total;
        }
        told.rows = rows
            .into_iter()
            .take(most)
            .map(|line| line.told(book))
            .collect();
        told
    }
}

/// A row or a column, by the place that it had while hours were added.
struct Line {
    place: usize,
    label: Option<String>,
    sums: Sums,
}

impl Line {
    fn told(self, book: &PriceBook) -> CostTableRow {
        CostTableRow {
            label: self.label,
            used: self.sums.totals(book),
        }
    }
}

/// How many there are, and all of them, the dearest first.
fn dearest(labels: Rows, sums: Vec<Sums>) -> (u64, Vec<Line>) {
    let labels = labels.into_labels().into_iter();
    let mut lines: Vec<Line> = labels
        .zip(sums)
        .enumerate()
        .map(|(place, (label, sums))| Line { place, label, sums })
        .collect();
    lines.sort_by(dearer);
    (lines.len() as u64, lines)
}

fn dearer(a: &Line, b: &Line) -> Ordering {
    let dear = |line: &Line| {
        let sums = &line.sums;
        (sums.bill.middle().unwrap_or(0.0), sums.used.thread_micros)
    };
    let (one, two) = (dear(a), dear(b));
    let dearer = two.0.total_cmp(&one.0).then(two.1.cmp(&one.1));
    dearer.then_with(|| a.label.cmp(&b.label))
}

fn merged(mut one: Bill, other: Bill) -> Bill {
    one.merge(other);
    one
}

fn total(bill: &Bill, book: &PriceBook) -> Option<Money> {
    bill.cost(&book.prices, &book.currency)
        .map(|cost| cost.total)
}

/// The parts of a row in all columns that have one: in those that are shown, and in the others together.
fn parts(
    row: &Line,
    (shown, others): (&[Line], &[Line]),
    cells: &mut HashMap<(usize, usize), Bill>,
    book: &PriceBook,
    told: &mut Vec<CostCell>,
) {
    let mut cell = |column: &Line| cells.remove(&(row.place, column.place));
    for column in shown {
        if let Some(bill) = cell(column) {
            told.push(CostCell {
                row: row.label.clone(),
                column: column.label.clone(),
                others: false,
                cost: total(&bill, book),
            });
        }
    }
    if let Some(bill) = others.iter().filter_map(cell).reduce(merged) {
        told.push(CostCell {
            row: row.label.clone(),
            column: None,
            others: true,
            cost: total(&bill, book),
        });
    }
}

/// The place among `rows` of the row in which an hour is; none if its cluster is gone.
fn place(by: &CostBy, hour: &HourUse, clusters: &Clusters<'_>, rows: &mut Rows) -> Option<usize> {
    let name = match by {
        CostBy::User => return clusters.place(HeatRows::User, hour, rows),
        CostBy::Project => return clusters.place(HeatRows::Project, hour, rows),
        CostBy::Host => return clusters.place(HeatRows::Host, hour, rows),
        CostBy::Name => return clusters.place(HeatRows::Name, hour, rows),
        CostBy::Span => return clusters.place(HeatRows::Span, hour, rows),
        CostBy::Tag { name } => name,
    };
    let who = clusters.who(hour.cluster, hour.named)?;
    let tag = || who.tags.get(name).map(String::as_str);
    Some(rows.place(clusters.key(hour), tag))
}
