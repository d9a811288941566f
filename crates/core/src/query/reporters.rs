//! Which plugins report, and by which clocks.

use rusqlite::{Connection, named_params};

use super::page::LARGEST;
use crate::Result;
use crate::model::Micros;

/// One run of the plugin.
pub(crate) struct Heard {
    pub(crate) plugin_version: String,
    /// Those of its newest batches that it sent itself.
    pub(crate) batches: u64,
    /// How long before they came they ended, by the two clocks, µs.
    pub(crate) least: i64,
    pub(crate) most: i64,
    /// How long after the first of them the last one ended, µs.
    pub(crate) apart: i64,
}

/// The runs that were heard since a moment, the newest first, at most a thousand.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn reporters(db: &Connection, since: Micros) -> Result<Vec<Heard>> {
    let mut statement = db.prepare_cached(include_str!("reporters.sql"))?;
    let rows = statement.query_map(
        named_params! { ":since_micros": since, ":limit": LARGEST },
        |row| {
            Ok(Heard {
                plugin_version: row.get("plugin_version")?,
                batches: row.get("batches")?,
                least: row.get::<_, Option<i64>>("least_micros")?.unwrap_or(0),
                most: row.get::<_, Option<i64>>("most_micros")?.unwrap_or(0),
                apart: row.get::<_, Option<i64>>("apart_micros")?.unwrap_or(0),
            })
        },
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
