//! Clusters whose deletion was begun match nothing, though their rows, texts and functions go a little later.

use rusqlite::Connection;

use super::{Filter, Term};
use crate::Result;

/// The same filter, of the clusters that stay.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn staying(db: &Connection, filter: Filter) -> Result<Filter> {
    let going: Vec<i64> = db
        .prepare_cached(include_str!("staying.sql"))?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    if going.is_empty() {
        return Ok(filter);
    }
    let going = Filter::Term(Term::Ids(going));
    Ok(Filter::all(vec![filter, Filter::Not(Box::new(going))]))
}
