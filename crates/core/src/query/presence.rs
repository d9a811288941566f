//! What is alive.

use rusqlite::{Connection, named_params};

use crate::Result;
use crate::model::Micros;

/// The clusters that are alive, and whether each is idle.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn presence(db: &Connection, now: Micros) -> Result<Vec<(i64, bool)>> {
    let mut alive = db.prepare_cached(include_str!("presence.sql"))?;
    let alive = alive.query_map(named_params! { ":now": now }, |row| {
        Ok((row.get("id")?, row.get("idle")?))
    })?;
    Ok(alive.collect::<rusqlite::Result<_>>()?)
}
