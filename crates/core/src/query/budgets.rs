//! What may be spent in a month.

use rusqlite::{Connection, named_params};

use super::page::Json;
use super::types::Covers;
use crate::Result;

/// How many there are at most: each hour of a month is held against all of them.
pub(crate) const MOST: usize = 100;

/// A budget as it was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Budget {
    pub(crate) id: i64,
    pub(crate) covers: Covers,
    pub(crate) amount_nanos: i64,
}

/// Every budget.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn budgets(db: &Connection) -> Result<Vec<Budget>> {
    let mut statement = db.prepare_cached(include_str!("budgets.sql"))?;
    let rows = statement.query_map(named_params! { ":limit": MOST as u64 }, |row| {
        Ok(Budget {
            id: row.get("id")?,
            covers: row.get::<_, Json<_>>("covers")?.0,
            amount_nanos: row.get("amount_nanos")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
