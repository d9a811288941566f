//! The peer: SQLite alone, with the same promises, given the same bytes.

use std::{path::Path, time::Instant};

use rusqlite::Connection;

use crate::process::{Failure, Result};

/// Commits each body as one row, `group` of them a transaction, WAL and FULL. Bodies a second.
///
/// # Errors
/// SQLite fails.
pub fn bodies_per_second(folder: &Path, bodies: &[Vec<u8>], group: usize) -> Result<f64> {
    run(folder, bodies, group).map_err(|error| Failure::new(format!("raw SQLite: {error}")))
}

fn run(folder: &Path, bodies: &[Vec<u8>], group: usize) -> rusqlite::Result<f64> {
    let mut db = open(&folder.join("raw.sqlite"))?;
    db.execute_batch("pragma journal_mode = wal; pragma synchronous = full; create table body (id integer primary key, bytes blob not null)")?;
    let begun = Instant::now();
    for group in bodies.chunks(group.max(1)) {
        let transaction = db.transaction()?;
        {
            let mut insert = transaction.prepare_cached("insert into body (bytes) values (?1)")?;
            for body in group {
                insert.execute([body])?;
            }
        }
        transaction.commit()?;
    }
    Ok(bodies.len() as f64 / begun.elapsed().as_secs_f64())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the peer is SQLite without Bobbin's store"
)]
fn open(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open(path)
}
