//! What is still to come in a cluster, and how fast it goes.

use rusqlite::{Connection, named_params};

use crate::Result;

/// Two minutes of ten seconds each: long enough for a pace, short enough to follow it.
const SAMPLES: u32 = 13;

/// Work that is still to come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Todo {
    pub(crate) tasks: f64,
    /// Time of threads, by what tasks of the same group or prefix took.
    pub(crate) seconds: f64,
    /// Of which none like them has ended.
    pub(crate) unknown_tasks: f64,
    pub(crate) threads: u64,
    /// Threads that computed lately, on average.
    pub(crate) computing: Option<f64>,
}

/// What a cluster has still to do.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn todo(db: &Connection, id: i64) -> Result<Todo> {
    let mut found = db
        .prepare_cached(include_str!("time_left.sql"))?
        .query_one(named_params! { ":id": id }, |row| {
            Ok(Todo {
                tasks: row.get("tasks")?,
                seconds: row.get("seconds")?,
                unknown_tasks: row.get("unknown_tasks")?,
                ..Todo::default()
            })
        })?;
    (found.threads, found.computing) = db
        .prepare_cached(include_str!("time_left_pace.sql"))?
        .query_one(named_params! { ":id": id, ":samples": SAMPLES }, |row| {
            Ok((row.get("threads")?, row.get("computing")?))
        })?;
    Ok(found)
}
