//! What was used between moments, by whom: hours summed into totals, series, cells of the heat-map and clusters.
//!
//! An hour counts for the stretch of time in which it begins. A zone that is half an hour off cuts its days by whole hours
//! of UTC all the same, since finer sums are not kept.

mod budget;
mod by;
mod clusters;
mod edges;
mod fold;
mod heat;
mod selection;
mod spans;
mod sums;
#[cfg(test)]
mod tests;
mod trend;

pub(crate) use budget::BudgetFold;
pub(crate) use by::{By, ByFold};
pub(crate) use clusters::{About, Clusters, usual_rows};
pub(crate) use edges::Edges;
pub(crate) use fold::{ClusterFold, UsageFold};
pub(crate) use heat::heat_map;
pub(crate) use selection::Selection;
pub(crate) use sums::totals;
pub(crate) use trend::trends;

use crate::Error;
use crate::model::Micros;

/// When an hour begins.
fn begins(hour: i64) -> i64 {
    hour.saturating_mul(Micros::HOUR)
}

/// The first hour that begins at a moment or after it.
pub(crate) fn first_hour(at: Micros) -> i64 {
    (at.0 + Micros::HOUR - 1).div_euclid(Micros::HOUR)
}

fn invalid(what: &'static str, value: impl ToString, reason: &str) -> Error {
    Error::Invalid {
        what,
        value: value.to_string(),
        reason: reason.into(),
    }
}
