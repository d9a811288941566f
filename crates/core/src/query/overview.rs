//! What was used in a period and ever, and the heat-map.

use std::collections::HashMap;

use chrono::{DateTime, Days, NaiveDate};
use rusqlite::{Connection, named_params};

use super::clusters::seconds;
use super::types::{HeatMap, HeatMapRow, OverviewRequest, UsageTotals};
use crate::model::Micros;
use crate::{Error, Result};

/// Local days of the period that is shown when none is named.
const DAYS: i64 = 28;
/// Days that a heat-map has at most: ten years.
const MOST_DAYS: i64 = 3_700;
/// Rows that a heat-map has at most.
const ROWS: usize = 40;
const DAY: i64 = 24 * Micros::HOUR;
/// Hours west or east of Greenwich that any clock has.
const OFFSET_MINUTES: i32 = 24 * 60;

/// A period, and whose days it is counted in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Period {
    pub(crate) from: Micros,
    pub(crate) to: Micros,
    offset_micros: i64,
}

impl Period {
    /// Number of the local day in which a moment lies.
    fn day(&self, at: Micros) -> i64 {
        (at.0 + self.offset_micros).div_euclid(DAY)
    }

    fn first_hour(&self) -> i64 {
        self.from.0.div_euclid(Micros::HOUR)
    }

    /// The first hour that is not in the period.
    fn end_hour(&self) -> i64 {
        (self.to.0 - 1).div_euclid(Micros::HOUR) + 1
    }
}

/// The period of a request.
///
/// # Errors
/// [`Error::Invalid`] if it ends before it begins or is longer than ten years.
pub(crate) fn period(now: Micros, request: &OverviewRequest) -> Result<Period> {
    let invalid = |value: String, reason: &str| Error::Invalid {
        what: "period",
        value,
        reason: reason.into(),
    };
    if request.utc_offset_minutes.abs() > OFFSET_MINUTES {
        return Err(invalid(
            request.utc_offset_minutes.to_string(),
            "the offset is more than a day",
        ));
    }
    let offset_micros = i64::from(request.utc_offset_minutes) * 60_000_000;
    let to = request.to_micros.unwrap_or(Micros(now.0 + 1));
    let limits = Micros(0)..=Micros::LATEST;
    let from = request.from_micros.unwrap_or_else(|| {
        let today = (to.0.clamp(0, Micros::LATEST.0) - 1 + offset_micros).div_euclid(DAY);
        Micros(((today + 1 - DAYS) * DAY - offset_micros).max(0))
    });
    if !limits.contains(&from) || !limits.contains(&to) {
        return Err(invalid(
            format!("{} to {}", from.0, to.0),
            "it lies outside 1970 to 2255",
        ));
    }
    if from >= to {
        return Err(invalid(
            format!("{} to {}", from.0, to.0),
            "it ends before it begins",
        ));
    }
    let period = Period {
        from,
        to,
        offset_micros,
    };
    if period.day(Micros(to.0 - 1)) - period.day(from) >= MOST_DAYS {
        return Err(invalid(
            format!("{} to {}", from.0, to.0),
            "it is longer than ten years",
        ));
    }
    Ok(period)
}

/// What was used in a period, by whole hours.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn usage(db: &Connection, period: Period) -> Result<UsageTotals> {
    let parameters =
        named_params! { ":first_hour": period.first_hour(), ":end_hour": period.end_hour() };
    Ok(db
        .prepare_cached(include_str!("usage.sql"))?
        .query_one(parameters, read_usage)?)
}

/// What was ever used.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn usage_ever(db: &Connection) -> Result<UsageTotals> {
    Ok(db
        .prepare_cached(include_str!("usage_ever.sql"))?
        .query_one([], read_usage)?)
}

fn read_usage(row: &rusqlite::Row<'_>) -> rusqlite::Result<UsageTotals> {
    Ok(UsageTotals {
        clusters: row.get("clusters")?,
        thread_seconds: seconds(row.get("thread_micros")?),
        compute_seconds: seconds(row.get("compute_micros")?),
        tasks_completed: row.get("tasks_completed")?,
        tasks_erred: row.get("tasks_erred")?,
        result_bytes: row.get("result_bytes")?,
        workers_peak: row.get("workers_peak")?,
    })
}

/// Compute time by row and local day.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn heat_map(db: &Connection, period: Period) -> Result<HeatMap> {
    let first = period.day(period.from);
    let days = (period.day(Micros(period.to.0 - 1)) - first + 1) as usize;
    let mut rows: HashMap<String, HeatMapRow> = HashMap::new();
    let mut statement = db.prepare_cached(include_str!("heat_map.sql"))?;
    let mut cells = statement.query(named_params! {
        ":first_hour": period.first_hour(),
        ":end_hour": period.end_hour(),
        ":offset_micros": period.offset_micros,
    })?;
    while let Some(cell) = cells.next()? {
        let label: String = cell.get("label")?;
        // The first and the last hour may reach into the days beside.
        let day = (cell.get::<_, i64>("day")? - first).clamp(0, days as i64 - 1) as usize;
        let row = rows
            .entry(label)
            .or_insert_with_key(|label| empty(label.clone(), days));
        add(
            row,
            day,
            seconds(cell.get("compute_micros")?),
            cell.get("clusters")?,
        );
    }
    let mut rows: Vec<HeatMapRow> = rows.into_values().collect();
    rows.sort_by(|one, two| {
        two.total_compute_seconds
            .total_cmp(&one.total_compute_seconds)
            .then_with(|| one.label.cmp(&two.label))
    });
    if rows.len() > ROWS {
        let rest = rows.split_off(ROWS - 1);
        let mut others = empty(format!("({} others)", rest.len()), days);
        for row in rest {
            for (day, compute) in row.compute_seconds.iter().enumerate() {
                if let Some(compute) = compute {
                    add(&mut others, day, *compute, row.clusters[day]);
                }
            }
        }
        rows.push(others);
    }
    Ok(HeatMap {
        days: names(first, days),
        rows,
    })
}

fn empty(label: String, days: usize) -> HeatMapRow {
    HeatMapRow {
        label,
        compute_seconds: vec![None; days],
        total_compute_seconds: 0.0,
        clusters: vec![0; days],
    }
}

fn add(row: &mut HeatMapRow, day: usize, compute_seconds: f64, clusters: u32) {
    *row.compute_seconds[day].get_or_insert(0.0) += compute_seconds;
    row.total_compute_seconds += compute_seconds;
    row.clusters[day] = row.clusters[day].saturating_add(clusters);
}

/// The names of days from the `first` since 1970.
fn names(first: i64, days: usize) -> Vec<String> {
    let begin: NaiveDate = DateTime::from_timestamp(first * 86_400, 0)
        .unwrap_or_default()
        .date_naive();
    (0..days as u64)
        .filter_map(|day| begin.checked_add_days(Days::new(day)))
        .map(|day| day.to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(from: Option<i64>, to: Option<i64>, minutes: i32) -> OverviewRequest {
        OverviewRequest {
            from_micros: from.map(Micros),
            to_micros: to.map(Micros),
            utc_offset_minutes: minutes,
        }
    }

    #[test]
    fn the_period_is_28_local_days_unless_named() {
        // 2023-11-14 22:13:20 UTC, which is the 15th at two hours east.
        let now = Micros(1_700_000_000_000_000);
        for (minutes, last) in [
            (0, "2023-11-14"),
            (120, "2023-11-15"),
            (-1_380, "2023-11-13"),
        ] {
            let period = period(now, &request(None, None, minutes)).unwrap();
            let days = (period.day(now) - period.day(period.from) + 1) as usize;
            let names = names(period.day(period.from), days);
            assert_eq!((names.len(), names.last().unwrap().as_str()), (28, last));
        }
    }

    #[test]
    fn a_period_that_makes_no_sense_is_refused() {
        let now = Micros(1_700_000_000_000_000);
        for (from, to, minutes) in [
            (Some(5), Some(5), 0),
            (Some(9), Some(5), 0),
            (Some(-1), Some(5), 0),
            (Some(0), Some(i64::MAX), 0),
            (Some(0), None, 0),
            (None, Some(i64::MIN), 0),
            (None, None, 99_999),
            (None, None, i32::MIN + 1),
        ] {
            assert!(
                period(now, &request(from, to, minutes)).is_err(),
                "{from:?} {to:?} {minutes}"
            );
        }
    }
}
