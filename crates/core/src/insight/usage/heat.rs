//! Hours summed into the cells of the heat-map.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use super::clusters::Rows;
use super::sums::Sums;
use super::{Clusters, Edges, invalid};
use crate::Result;
use crate::query::types::{HeatMap, HeatMapRequest, HeatOrder, HeatRow, HeatRows, Measure, Price};
use crate::query::{HourUse, Mixed, Rates};

const COLUMNS: u32 = 10_000;
/// Cells that are summed at once.
const MOST_CELLS: usize = 200_000;

type Cells = HashMap<u32, Sums, BuildHasherDefault<Mixed>>;

/// The heat-map of hours: its rows in order; those beyond `most` are one.
///
/// # Errors
/// [`crate::Error::Invalid`] if edges and columns make no sense together, or if so many rows have too many cells.
pub(crate) fn heat_map(
    request: &HeatMapRequest,
    by: HeatRows,
    most: usize,
    currency: &str,
    (hours, clusters): (&[HourUse], &Clusters<'_>),
) -> Result<HeatMap> {
    let mut fold = HeatFold::new(by, request)?;
    if !fold.add_all(hours, clusters) {
        // All rows have more cells than are held: which rows are shown is found first, and the others are one from the start.
        let others = fold.lightest(most, hours, clusters);
        fold = HeatFold {
            others,
            ..HeatFold::new(by, request)?
        };
        if !fold.add_all(hours, clusters) {
            return Err(invalid(
                "heat-map",
                fold.cells,
                "it has more than 200,000 cells; choose a shorter period, wider columns or fewer rows",
            ));
        }
    }
    Ok(fold.finish(request.order, most, currency))
}

/// The heat-map as it is summed: rows are found by what each cluster says of itself.
struct HeatFold {
    by: HeatRows,
    measure: Measure,
    edges: Edges,
    column_of: Vec<u32>,
    columns: usize,
    rows: Rows,
    cells_of: Vec<Cells>,
    /// Places of rows that are summed as one from the start, and what they sum to.
    others: HashSet<usize>,
    cells_of_others: Cells,
    /// In all.
    cells: usize,
}

impl HeatFold {
    /// # Errors
    /// [`crate::Error::Invalid`] if edges and columns make no sense together.
    fn new(by: HeatRows, request: &HeatMapRequest) -> Result<Self> {
        let edges = Edges::new(&request.edges)?;
        let stretches = edges.stretches();
        if stretches == 0 {
            return Err(invalid(
                "edges",
                request.edges.len(),
                "a heat map needs at least two",
            ));
        }
        let column_of = match request.columns.is_empty() {
            true => (0..stretches as u32).collect(),
            false => request.columns.clone(),
        };
        if column_of.len() != stretches {
            return Err(invalid(
                "columns",
                column_of.len(),
                "there must be one for each interval between two edges",
            ));
        }
        let columns = column_of
            .iter()
            .max()
            .map_or(0, |last| last.saturating_add(1));
        if columns > COLUMNS {
            return Err(invalid(
                "columns",
                columns,
                "there are more than 10,000; choose wider ones",
            ));
        }
        Ok(Self {
            by,
            measure: request.measure,
            edges,
            column_of,
            columns: columns as usize,
            rows: Rows::default(),
            cells_of: Vec::new(),
            others: HashSet::new(),
            cells_of_others: Cells::default(),
            cells: 0,
        })
    }

    /// The row and the stretch of time of an hour; nothing where it is not on the map.
    fn place(&mut self, hour: &HourUse, clusters: &Clusters<'_>) -> Option<(usize, usize)> {
        let stretch = self.edges.of(hour.hour)?;
        Some((clusters.place(self.by, hour, &mut self.rows)?, stretch))
    }

    /// What an hour is priced at, where the cells say what was paid: nothing else of them is made of it.
    fn price<'a>(
        &self,
        hour: &HourUse,
        clusters: &'a Clusters<'_>,
    ) -> Option<(&'a Price, &'a Rates)> {
        match self.measure {
            Measure::Cost => clusters.price(hour),
            Measure::Compute
            | Measure::Cluster
            | Measure::Idle
            | Measure::Stalled
            | Measure::Failures
            | Measure::MemoryPeak => None,
        }
    }

    /// Whether all of these have room.
    fn add_all(&mut self, hours: &[HourUse], clusters: &Clusters<'_>) -> bool {
        hours.iter().all(|hour| {
            self.add(hour, clusters);
            self.cells <= MOST_CELLS
        })
    }

    fn add(&mut self, hour: &HourUse, clusters: &Clusters<'_>) {
        let Some((row, stretch)) = self.place(hour, clusters) else {
            return;
        };
        let price = self.price(hour, clusters);
        if row == self.cells_of.len() {
            self.cells_of.push(Cells::default());
        }
        let cells = match self.others.contains(&row) {
            true => &mut self.cells_of_others,
            false => &mut self.cells_of[row],
        };
        let before = cells.len();
        let cell = cells
            .entry(self.column_of[stretch])
            .or_insert_with(Sums::new);
        cell.add(hour, price);
        self.cells += cells.len() - before;
    }

    /// The places of the rows that are one where no more than `most` are shown.
    fn lightest(
        mut self,
        most: usize,
        hours: &[HourUse],
        clusters: &Clusters<'_>,
    ) -> HashSet<usize> {
        self.rows = Rows::default();
        let mut sums: Vec<Sums> = Vec::new();
        for hour in hours {
            let Some((row, _)) = self.place(hour, clusters) else {
                continue;
            };
            if row == sums.len() {
                sums.push(Sums::new());
            }
            sums[row].add(hour, self.price(hour, clusters));
        }
        if sums.len() <= most {
            return HashSet::new();
        }
        let labels = self.rows.into_labels();
        let mut rows: Vec<(usize, f64)> = sums
            .iter()
            .map(|sums| sums.weight(self.measure))
            .enumerate()
            .collect();
        rows.sort_by(|one, two| heavier((&labels[one.0], one.1), (&labels[two.0], two.1)));
        rows.into_iter()
            .skip(most - 1)
            .map(|(row, _)| row)
            .collect()
    }

    fn finish(self, order: HeatOrder, most: usize, currency: &str) -> HeatMap {
        let folded = self.others.len();
        let mut rows: Vec<(Option<String>, Cells, f64)> = self
            .rows
            .into_labels()
            .into_iter()
            .zip(self.cells_of)
            .enumerate()
            .filter(|(row, _)| !self.others.contains(row))
            .map(|(_, (key, cells))| {
                let weight = total(self.measure, cells.values()).unwrap_or(0.0);
                (key, cells, weight)
            })
            .collect();
        rows.sort_by(|one, two| heavier((&one.0, one.2), (&two.0, two.2)));
        let rest = if rows.len() + folded > most {
            rows.split_off(most - 1)
        } else {
            Vec::new()
        };
        if order == HeatOrder::Name {
            // Those without a name come last.
            rows.sort_by_cached_key(|(key, ..)| {
                (key.is_none(), key.as_ref().map(|key| key.to_lowercase()))
            });
        }
        let mut told: Vec<HeatRow> = rows
            .into_iter()
            .map(|(key, cells, _)| row(key, 0, &cells, self.measure, self.columns))
            .collect();
        let others = (rest.len() + folded) as u64;
        if others > 0 {
            let mut cells = self.cells_of_others;
            for (column, sums) in rest.into_iter().flat_map(|(_, cells, _)| cells) {
                cells.entry(column).or_insert_with(Sums::new).merge(sums);
            }
            told.push(row(None, others, &cells, self.measure, self.columns));
        }
        HeatMap {
            by: self.by,
            measure: self.measure,
            currency: currency.into(),
            columns: self.columns as u64,
            rows: told,
        }
    }
}

/// Rows by their sums, the largest first.
fn heavier(one: (&Option<String>, f64), two: (&Option<String>, f64)) -> Ordering {
    two.1.total_cmp(&one.1).then_with(|| one.0.cmp(two.0))
}

fn row(
    key: Option<String>,
    others: u64,
    cells: &Cells,
    measure: Measure,
    columns: usize,
) -> HeatRow {
    let mut values = vec![None; columns];
    let mut clusters = vec![0; columns];
    for (column, sums) in cells {
        values[*column as usize] = sums.value(measure);
        clusters[*column as usize] = sums.clusters.len() as u32;
    }
    HeatRow {
        key,
        others,
        total: total(measure, cells.values()),
        values,
        clusters,
    }
}

/// Over cells: of memory the most, else the sum. An hour that is overdrawn by a long task makes up for those before.
fn total<'a>(measure: Measure, cells: impl Iterator<Item = &'a Sums> + Clone) -> Option<f64> {
    match measure {
        Measure::MemoryPeak => cells
            .filter_map(|sums| sums.value(measure))
            .reduce(f64::max),
        Measure::Idle | Measure::Stalled => {
            let mut all = Sums::new();
            for sums in cells {
                all.used.add(&sums.used);
            }
            all.value(measure)
        }
        Measure::Compute | Measure::Cluster | Measure::Cost | Measure::Failures => {
            let told = cells.clone().filter_map(|sums| sums.value(measure));
            (cells.count() == 0 || told.clone().next().is_some()).then(|| told.sum())
        }
    }
}
