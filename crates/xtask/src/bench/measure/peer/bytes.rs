//! The first peer: each body as it came, as one row.

use std::path::Path;

use rusqlite::Connection;

use super::{Pace, failed, make};
use crate::process::Result;

pub const TABLES: &str = "create table body (id integer primary key, bytes blob not null)";

/// Commits each body as one row, `group` of them a transaction.
///
/// # Errors
/// SQLite fails.
pub fn commit_all(folder: &Path, tables: &str, bodies: &[Vec<u8>], group: usize) -> Result<Pace> {
    let settings = "pragma journal_mode = wal; pragma synchronous = full";
    let mut db = make(&folder.join("bytes.sqlite"), settings, tables)?;
    Pace::of(bodies.len(), || {
        write(&mut db, bodies, group).map_err(failed)
    })
}

fn write(db: &mut Connection, bodies: &[Vec<u8>], group: usize) -> rusqlite::Result<()> {
    for group in bodies.chunks(group) {
        let transaction = db.transaction()?;
        {
            let mut insert = transaction.prepare_cached("insert into body (bytes) values (?1)")?;
            for body in group {
                insert.execute([body])?;
            }
        }
        transaction.commit()?;
    }
    Ok(())
}
