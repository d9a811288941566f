//! Which clusters a notice of the desktop could be about.

use rusqlite::{Connection, named_params};

use super::clusters::{Found, by_ids};
use crate::Result;
use crate::model::Micros;

/// More than a person is told of one by one; a team's hub has no window.
const MOST: u32 = 500;

/// The clusters that are alive, or that were seen since a moment, newest first.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn noticed(db: &Connection, now: Micros, since: Micros) -> Result<Vec<Found>> {
    let ids = db
        .prepare_cached(include_str!("notices.sql"))?
        .query_map(
            named_params! { ":now": now, ":since": since, ":limit": MOST },
            |row| row.get(0),
        )?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    by_ids(db, now, &ids)
}
