//! Which rows are looked at, and when.

use std::collections::HashMap;

use super::clusters::About;
use super::invalid;
use crate::Result;
use crate::model::Micros;
use crate::query::types::{HeatRows, SelectedCells};

/// Parts of a selection.
const CELLS: usize = 5_000;

/// Part of the heat-map, or all of it.
pub(crate) struct Selection {
    pub(super) by: HeatRows,
    /// Rows and when: of every row first. Parts are in order and do not touch.
    every: Vec<(i64, i64)>,
    pub(super) of_row: HashMap<Option<String>, Vec<(i64, i64)>>,
    all: bool,
}

/// Parts in order, those that overlap or touch as one.
fn merged(parts: &mut Vec<(i64, i64)>) {
    parts.sort_unstable();
    parts.dedup_by(|later, kept| {
        let touch = later.0 <= kept.1;
        if touch {
            kept.1 = kept.1.max(later.1);
        }
        touch
    });
}

fn within(parts: &[(i64, i64)], at: i64) -> bool {
    let begun = parts.partition_point(|(from, _)| *from <= at);
    begun > 0 && at < parts[begun - 1].1
}

impl Selection {
    /// # Errors
    /// [`crate::Error::Invalid`] if it has too many parts, or one that ends before it begins or lies where no time is.
    pub(crate) fn new(by: Option<HeatRows>, cells: &[SelectedCells]) -> Result<Self> {
        if cells.len() > CELLS {
            return Err(invalid(
                "selection",
                cells.len(),
                "it has more than 5,000 parts; choose fewer cells",
            ));
        }
        let mut selection = Self {
            by: by.unwrap_or(HeatRows::Project),
            every: Vec::new(),
            of_row: HashMap::new(),
            all: cells.is_empty(),
        };
        for cell in cells {
            let (from, to) = (cell.from_micros.0, cell.to_micros.0);
            if let Some(reason) = Micros::no_time_between(cell.from_micros, cell.to_micros) {
                return Err(invalid("selection", format!("{from} to {to}"), reason));
            }
            match cell.every_row {
                true => selection.every.push((from, to)),
                false => selection
                    .of_row
                    .entry(cell.row.clone())
                    .or_default()
                    .push((from, to)),
            }
        }
        merged(&mut selection.every);
        selection.of_row.values_mut().for_each(merged);
        Ok(selection)
    }

    /// From the first moment of any part to the last, if it is not all.
    pub(crate) fn span(&self) -> Option<(Micros, Micros)> {
        let parts = || self.every.iter().chain(self.of_row.values().flatten());
        let from = parts().map(|part| part.0).min()?;
        let to = parts().map(|part| part.1).max()?;
        Some((Micros(from), Micros(to)))
    }

    /// The same, so much earlier.
    pub(crate) fn earlier(&self, by_micros: i64) -> Self {
        let earlier = |parts: &Vec<(i64, i64)>| {
            parts
                .iter()
                .map(|(from, to)| (from.saturating_sub(by_micros), to.saturating_sub(by_micros)))
                .collect()
        };
        Self {
            by: self.by,
            every: earlier(&self.every),
            of_row: self
                .of_row
                .iter()
                .map(|(row, parts)| (row.clone(), earlier(parts)))
                .collect(),
            all: self.all,
        }
    }

    /// What it depends on.
    pub(crate) fn about(&self) -> About {
        match self.of_row.is_empty() {
            true => About::default(),
            false => About::rows(Some(self.by)),
        }
    }

    /// Whether it holds what was done at a moment in a row; without one only what is of every row.
    pub(super) fn holds(&self, at: i64, row: Option<Option<&str>>) -> bool {
        self.all || within(&self.every, at) || {
            let Some(row) = row else {
                return false;
            };
            // A map of `Option<String>` cannot be asked with a borrowed row; selections have few rows.
            self.of_row
                .iter()
                .any(|(key, parts)| key.as_deref() == row && within(parts, at))
        }
    }

    /// Whether it holds anything of a moment, whatever the row.
    pub(super) fn meets(&self, at: i64) -> bool {
        self.holds(at, None) || self.of_row.values().any(|parts| within(parts, at))
    }
}
