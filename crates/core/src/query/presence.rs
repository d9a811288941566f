//! What is alive, counted.

use rusqlite::{Connection, named_params};

use crate::Result;
use crate::model::Micros;

/// How many clusters are alive, and how many of those are idle.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn presence(db: &Connection, now: Micros) -> Result<(u64, u64)> {
    Ok(db
        .prepare_cached(include_str!("presence.sql"))?
        .query_one(named_params! { ":now": now }, |row| {
            Ok((row.get("alive")?, row.get("idle")?))
        })?)
}
