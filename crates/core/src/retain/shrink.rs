//! The file gives back what was freed in it, a megabyte at a time, and then the log is cut to nothing: what was deleted is
//! in neither.

use std::time::Duration;

use rusqlite::Connection;

use super::remove::Pace;
use crate::Result;

/// Pages of one step, for each row that a statement removes: a megabyte, and less where the disk has no room for a log of it.
const PAGES_OF_ROW: u64 = 4;
/// How long a commit waits for others, as every connection does.
const PATIENCE: Duration = Duration::from_secs(5);

/// How far it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shrunk {
    Some,
    /// Somebody reads what the log still holds: it is tried again later.
    Held,
    Done,
}

/// Copies the log into the file, which needs no room where pages are written again that it has: then the log begins anew
/// in the room that it takes.
pub(super) fn copy_log(db: &Connection) -> Result<()> {
    Ok(db.query_row("pragma wal_checkpoint(passive)", [], |_| Ok(()))?)
}

/// Gives back some pages, or cuts the log.
pub(super) fn step(db: &Connection, pace: Pace) -> Result<Shrunk> {
    if give_back(db, pace)? {
        return Ok(Shrunk::Some);
    }
    db.busy_timeout(Duration::ZERO)?;
    let held = db.query_row("pragma wal_checkpoint(truncate)", [], |row| {
        row.get::<_, bool>(0)
    });
    db.busy_timeout(PATIENCE)?;
    Ok(if held? { Shrunk::Held } else { Shrunk::Done })
}

/// Gives back some pages; whether there were any. A file that was made otherwise keeps its pages, and uses them again.
pub(super) fn give_back(db: &Connection, pace: Pace) -> Result<bool> {
    let free = free_pages(db)?;
    if free == 0 {
        return Ok(false);
    }
    let pages = pace.rows * PAGES_OF_ROW;
    let mut vacuum = db.prepare(&format!("pragma incremental_vacuum({pages})"))?;
    let mut rows = vacuum.query([])?;
    while rows.next()?.is_some() {}
    Ok(free_pages(db)? < free)
}

fn free_pages(db: &Connection) -> Result<u64> {
    Ok(db.pragma_query_value(None, "freelist_count", |row| row.get(0))?)
}
