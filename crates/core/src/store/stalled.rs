//! Time of threads while a cluster was stalled.

use rusqlite::{Connection, named_params};

use crate::Result;

/// The hours of a cluster in which it was stalled, each with the time of its threads, from the samples that are there.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn stalled_hours(db: &Connection, cluster: i64) -> Result<Vec<(i64, i64)>> {
    let mut statement = db.prepare_cached(include_str!("stalled_hours.sql"))?;
    let rows = statement.query_map(named_params! { ":cluster_id": cluster }, |row| {
        Ok((row.get("hour")?, row.get("stalled_micros")?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
