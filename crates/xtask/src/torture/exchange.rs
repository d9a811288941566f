//! `kill -9` of `bobbin restore` at any instant: whoever opens the store next finds all of the store that was there, or all of the
//! snapshot, and the other beside it.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;

use super::{
    Counted,
    folder::{Folder, copy},
    sender::store_batch,
    server::{Server, verb},
    work::{Found, Sender, body, compare, records},
};
use crate::process::{Failure, Result};

const SENDER: Sender = 1;
/// Batches before the snapshot, and all.
const EARLY: u64 = 60;
const ALL: u64 = 120;

/// Kills it so many times.
///
/// # Errors
/// The store is neither, or cannot be opened.
pub fn run(bobbin: &Path, kills: u64, seed: u64) -> Result<Counted> {
    let folder = Folder::make("exchange")?;
    let filled = folder.0.join("filled");
    fill(bobbin, &filled)?;
    let store = folder.0.join("store");
    copy(&filled, &store)?;
    let begun = Instant::now();
    if !verb(bobbin, &store, &["restore"])?.wait()?.success() {
        return Err(Failure::new("a snapshot cannot be restored"));
    }
    let takes = begun.elapsed().as_micros() as u64;
    let mut counted = Counted::default();
    let restored = held(bobbin, &store, EARLY)?;
    counted.add(restored);
    let mut rng = Rng::with_seed(seed);
    for _ in 0..kills {
        copy(&filled, &store)?;
        let mut restoring = verb(bobbin, &store, &["restore"])?;
        thread::sleep(Duration::from_micros(rng.u64(..takes)));
        restoring.kill()?;
        restoring.wait()?;
        let whole = held(bobbin, &store, ALL)?;
        let found = match whole == Found::default() {
            true => whole,
            false => held(bobbin, &store, EARLY)?,
        };
        if found != whole && !beside(&store)? {
            return Err(Failure::new("the store that was there is gone"));
        }
        counted.faults += 1;
        counted.acknowledged += records(EARLY);
        counted.add(found);
    }
    Ok(counted)
}

/// A store with a snapshot, and as much again since.
fn fill(bobbin: &Path, store: &Path) -> Result {
    let mut server = Server::start(bobbin, store)?;
    let door = server.door()?;
    for number in 0..ALL {
        if number == EARLY {
            let taken = Command::new(bobbin)
                .args(["snapshot", "--data-dir"])
                .arg(store)
                .output()?;
            if !taken.status.success() {
                return Err(Failure::new(String::from_utf8_lossy(&taken.stderr)));
            }
        }
        store_batch(&door, &body((SENDER, number)))?;
    }
    server.stop()
}

/// Compares what whoever opens it next finds with the first so many batches.
fn held(bobbin: &Path, store: &Path, batches: u64) -> Result<Found> {
    let mut server = Server::start(bobbin, store)?;
    server.door()?;
    server.stop()?;
    let mut found = compare(store, &BTreeMap::from([(SENDER, (0..batches).collect())]))?;
    // What is there beyond them is of the other.
    let stored = count(store)?;
    found.doubled += stored.saturating_sub(records(batches));
    Ok(found)
}

/// The records of all batches.
fn count(store: &Path) -> Result<u64> {
    let file = store.join("bobbin.sqlite");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
    rusqlite::Connection::open_with_flags(&file, flags)
        .and_then(|db| {
            let sql = "select coalesce(sum(records), 0) from batch";
            db.query_one(sql, [], |row| row.get(0))
        })
        .map_err(|error| Failure::new(format!("{}: {error}", file.display())))
}

/// Whether the store that was there is beside the new one.
fn beside(store: &Path) -> Result<bool> {
    Ok(fs::read_dir(store)?
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().starts_with("replaced-")))
}
