//! Hours summed into the cells of the heat-map.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::clusters::Rows;
use super::sums::Sums;
use super::{Clusters, Edges, invalid};
use crate::Result;
use crate::query::types::{HeatMap, HeatMapRequest, HeatOrder, HeatRow, HeatRows, Measure};
use crate::query::{HourUse, Mixed};

const COLUMNS: u32 = 10_000;
/// Cells of a heat-map with all its rows, before the tail is folded.
pub(super) const MOST_CELLS: usize = 200_000;

type Cells = HashMap<u32, Sums, BuildHasherDefault<Mixed>>;

/// The heat-map as it is summed: rows are found by what each cluster says of itself.
pub(crate) struct HeatFold {
    by: HeatRows,
    measure: Measure,
    edges: Edges,
    column_of: Vec<u32>,
    columns: usize,
    rows: Rows,
    cells_of: Vec<Cells>,
    cells: usize,
}

impl HeatFold {
    /// # Errors
    /// [`crate::Error::Invalid`] if edges and columns make no sense together.
    pub(crate) fn new(by: HeatRows, request: &HeatMapRequest) -> Result<Self> {
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
            cells: 0,
        })
    }

    /// # Errors
    /// [`crate::Error::Invalid`] if there are too many cells.
    pub(crate) fn add(&mut self, hour: &HourUse, clusters: &Clusters<'_>) -> Result<()> {
        let Some(stretch) = self.edges.of(hour.hour) else {
            return Ok(());
        };
        let Some(row) = clusters.place(self.by, hour, &mut self.rows) else {
            return Ok(());
        };
        if row == self.cells_of.len() {
            self.cells_of.push(Cells::default());
        }
        let cells = &mut self.cells_of[row];
        let before = cells.len();
        let cell = cells
            .entry(self.column_of[stretch])
            .or_insert_with(Sums::new);
        cell.add(hour, clusters.price(hour));
        self.cells += cells.len() - before;
        match self.cells > MOST_CELLS {
            true => Err(invalid(
                "heat-map",
                self.cells,
                "it has more than 200,000 cells; choose a shorter period, wider columns or other rows",
            )),
            false => Ok(()),
        }
    }

    /// The map with its rows in order; those beyond `most` are one.
    pub(crate) fn finish(self, order: HeatOrder, most: usize, currency: &str) -> HeatMap {
        let mut rows: Vec<(Option<String>, Cells, f64)> = self
            .rows
            .into_labels()
            .into_iter()
            .zip(self.cells_of)
            .map(|(key, cells)| {
                let weight = total(self.measure, cells.values()).unwrap_or(0.0);
                (key, cells, weight)
            })
            .collect();
        rows.sort_by(|one, two| two.2.total_cmp(&one.2).then_with(|| one.0.cmp(&two.0)));
        let rest = if rows.len() > most {
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
        if !rest.is_empty() {
            let others = rest.len() as u64;
            let mut cells = Cells::default();
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
        Measure::Idle => {
            let idle: i64 = cells
                .map(|sums| sums.used.thread_micros - sums.used.busy_micros())
                .fold(0, i64::saturating_add);
            Some(idle.max(0) as f64 / 1e6)
        }
        Measure::Compute | Measure::Cluster | Measure::Cost | Measure::Failures => {
            let told = cells.clone().filter_map(|sums| sums.value(measure));
            (cells.count() == 0 || told.clone().next().is_some()).then(|| told.sum())
        }
    }
}
