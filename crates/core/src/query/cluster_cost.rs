//! The time of task groups, for what each of them cost.

use std::collections::HashMap;

use rusqlite::{Connection, named_params};

use super::page::Json;
use crate::Result;
use crate::model::Micros;
use crate::store::{self, Stalled};

/// One task group.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GroupTime {
    pub(crate) group_id: String,
    pub(crate) name: String,
    pub(crate) prefix: String,
    pub(crate) tasks: u64,
    pub(crate) compute_micros: i64,
    /// Transfers, disk, deserializing and what Dask counts as other.
    pub(crate) other_micros: i64,
}

/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn group_times(db: &Connection, id: i64) -> Result<Vec<GroupTime>> {
    let mut statement = db.prepare_cached(include_str!("cluster_cost_groups.sql"))?;
    let rows = statement.query_map(named_params! { ":id": id }, |row| {
        let micros = |column: &str| -> rusqlite::Result<i64> {
            let seconds: f64 = row.get(column)?;
            Ok((seconds * 1e6).round() as i64)
        };
        let tasks: f64 = row.get("tasks")?;
        Ok(GroupTime {
            group_id: row.get("group_id")?,
            name: row.get("name")?,
            prefix: row.get("prefix")?,
            tasks: tasks as u64,
            compute_micros: micros("compute_seconds")?,
            other_micros: micros("other_seconds")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Time of a cluster's threads while it was stalled.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn stalled_micros(db: &Connection, id: i64) -> Result<i64> {
    match stalled_counted(db, id)? {
        Some(micros) => Ok(micros),
        None => Ok(stalled_times(db, id)?
            .iter()
            .fold(0, |sum, one| sum.saturating_add(one.micros))),
    }
}

/// When a cluster was stalled: from sample to sample, and by the hour where samples were removed.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn stalled_times(db: &Connection, id: i64) -> Result<Vec<Stalled>> {
    // So it is of nearly all clusters: their samples need not be read for it.
    if stalled_counted(db, id)? == Some(0) {
        return Ok(Vec::new());
    }
    let mut times = store::stalled_times(db, id)?;
    let mut told: HashMap<i64, i64> = HashMap::new();
    for one in &times {
        let sum = told.entry(one.to / Micros::HOUR).or_default();
        *sum = sum.saturating_add(one.micros);
    }
    let mut statement = db.prepare_cached(include_str!("cluster_stalled_kept.sql"))?;
    let mut kept = statement.query(named_params! { ":id": id })?;
    while let Some(row) = kept.next()? {
        let hour: i64 = row.get("hour")?;
        let counted: i64 = row.get("stalled_micros")?;
        let micros = counted.saturating_sub(told.get(&hour).copied().unwrap_or(0));
        if micros > 0 {
            times.push(Stalled {
                from: hour * Micros::HOUR,
                to: (hour + 1) * Micros::HOUR,
                micros,
            });
        }
    }
    Ok(times)
}

/// What the writer counted; none while it has to count again.
fn stalled_counted(db: &Connection, id: i64) -> Result<Option<i64>> {
    Ok(db
        .prepare_cached(include_str!("cluster_stalled.sql"))?
        .query_one(named_params! { ":id": id }, |row| row.get(0))?)
}

/// The groups of each computation, newest first; no more than `limit` computations.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn computation_groups(
    db: &Connection,
    id: i64,
    limit: u32,
) -> Result<Vec<(String, Vec<String>)>> {
    let mut statement = db.prepare_cached(include_str!("computation_groups.sql"))?;
    let rows = statement.query_map(named_params! { ":id": id, ":limit": limit }, |row| {
        Ok((row.get(0)?, row.get::<_, Json<_>>(1)?.0))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// What one cluster computed for one prefix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PrefixTime {
    pub(crate) cluster: i64,
    /// None where prefixes were not told apart.
    pub(crate) prefix: Option<String>,
    pub(crate) compute_micros: i64,
}

/// What some clusters computed for these prefixes, or for all together where none is named.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn prefix_times(
    db: &Connection,
    ids: &[i64],
    prefixes: &[String],
) -> Result<Vec<PrefixTime>> {
    let named = match prefixes {
        [] => None,
        prefixes => Some(serde_json::to_string(prefixes)?),
    };
    let mut statement = db.prepare_cached(include_str!("prefix_times.sql"))?;
    let rows = statement.query_map(
        named_params! { ":ids": serde_json::to_string(ids)?, ":prefixes": named },
        |row| {
            let seconds: f64 = row.get("compute_seconds")?;
            Ok(PrefixTime {
                cluster: row.get("cluster_id")?,
                prefix: row.get("prefix")?,
                compute_micros: (seconds.max(0.0) * 1e6).round() as i64,
            })
        },
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
