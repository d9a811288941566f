//! Time of threads while a cluster was stalled.

use std::collections::BTreeMap;

use rusqlite::{Connection, named_params};

use crate::Result;
use crate::model::Micros;

/// A time between two samples, in which a cluster was stalled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stalled {
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// The time of its threads, without what they did meanwhile.
    pub(crate) micros: i64,
}

/// When a cluster was stalled, from the samples that are there.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn stalled_times(db: &Connection, cluster: i64) -> Result<Vec<Stalled>> {
    let mut statement = db.prepare_cached(include_str!("stalled_times.sql"))?;
    let rows = statement.query_map(named_params! { ":cluster_id": cluster }, |row| {
        Ok(Stalled {
            from: row.get("from_micros")?,
            to: row.get("at_micros")?,
            micros: row.get("stalled_micros")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The hours of a cluster in which it was stalled, each with the time of its threads, from the samples that are there.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn stalled_hours(db: &Connection, cluster: i64) -> Result<Vec<(i64, i64)>> {
    let mut hours = BTreeMap::new();
    for one in stalled_times(db, cluster)? {
        let sum: &mut i64 = hours.entry(one.to / Micros::HOUR).or_default();
        *sum = sum.saturating_add(one.micros).min(Micros::LATEST.0);
    }
    Ok(hours.into_iter().collect())
}
