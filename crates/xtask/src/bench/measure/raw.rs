//! The peer: SQLite alone, with the same promises, given the same bytes.

use std::{path::Path, time::Instant};

use rusqlite::Connection;

use super::server::cpu_micros;
use crate::process::{Failure, Result};

/// What it came to.
pub struct Raw {
    /// Bodies a second.
    pub per_second: f64,
    /// Processor time a body, in microseconds.
    pub cpu_micros: f64,
}

/// Commits each body as one row, `group` of them a transaction, WAL and FULL.
///
/// # Errors
/// SQLite fails.
pub fn commit_all(folder: &Path, bodies: &[Vec<u8>], group: usize) -> Result<Raw> {
    run(folder, bodies, group).map_err(|error| Failure::new(format!("raw SQLite: {error}")))
}

fn run(folder: &Path, bodies: &[Vec<u8>], group: usize) -> rusqlite::Result<Raw> {
    let mut db = open(&folder.join("raw.sqlite"))?;
    db.execute_batch("pragma journal_mode = wal; pragma synchronous = full; create table body (id integer primary key, bytes blob not null)")?;
    let begun = Instant::now();
    let cpu = cpu_micros(std::process::id());
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
    Ok(Raw {
        per_second: bodies.len() as f64 / begun.elapsed().as_secs_f64(),
        cpu_micros: (cpu_micros(std::process::id()) - cpu) / bodies.len() as f64,
    })
}

/// # Errors
/// SQLite fails.
#[expect(
    clippy::disallowed_methods,
    reason = "the peer is SQLite without Bobbin's store"
)]
pub fn open(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open(path)
}
