//! `kill -9` of whoever meets a damaged store, while it is moved aside, and of `bobbin salvage`: the damaged file stays as it was, is
//! there once, and all that can be read of it is read by the next try.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use bobbin_core::api::safety;
use fastrand::Rng;

use super::{
    Counted,
    folder::{Folder, copy},
    sender::store_batch,
    server::{Server, verb},
    work::{Sender, body, compare_file, records},
};
use crate::process::{Failure, Result};

const FILE: &str = "bobbin.sqlite";
const SENDER: Sender = 1;
const BATCHES: u64 = 120;
/// SQLite's head of the file, without which it opens nothing. All behind it can be read.
const HEAD: usize = 100;
/// About what the move takes, in memory, from when its folder is there.
const MOST_MICROS: u64 = 60;
/// So many kills come to the middle of a move.
const MANY: u64 = 100;
/// Far longer than a start takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// Kills either so many times.
///
/// # Errors
/// What was damaged is gone or another, or what can be read of it was not.
pub fn run(bobbin: &Path, kills: u64, seed: u64) -> Result<Counted> {
    let folder = Folder::make("salvaged")?;
    let filled = folder.0.join("filled");
    let damaged = fill(bobbin, &filled)?;
    let store = folder.0.join("store");
    let mut counted = Counted::default();
    copy(&filled, &store)?;
    moved_aside(bobbin, &store, &damaged)?;
    let begun = Instant::now();
    verb(bobbin, &store, &["salvage"])?.wait()?;
    let salvaging = begun.elapsed().as_micros() as u64;
    let mut rng = Rng::with_seed(seed);
    let mut in_between = 0;
    while counted.faults < kills {
        copy(&filled, &store)?;
        in_between += u64::from(killed_while_moving(bobbin, &store, &mut rng)?);
        counted.faults += 1;
        moved_aside(bobbin, &store, &damaged)?;
        let mut salvage = verb(bobbin, &store, &["salvage"])?;
        thread::sleep(Duration::from_micros(rng.u64(..salvaging)));
        if salvage.try_wait()?.is_none() {
            salvage.kill()?;
            counted.faults += 1;
        }
        salvage.wait()?;
        salvaged(bobbin, &store, &damaged, &mut counted)?;
    }
    if counted.faults >= MANY && in_between == 0 {
        return Err(Failure::new("no move was ever cut short"));
    }
    Ok(counted)
}

/// Kills a receiver that meets the damaged store about when the folder for it appears; whether that left a move to be ended.
fn killed_while_moving(bobbin: &Path, store: &Path, rng: &mut Rng) -> Result<bool> {
    let mut server = Server::start(bobbin, store)?;
    let begun = Instant::now();
    while aside(store)?.is_none() && begun.elapsed() < PATIENCE {}
    let after = begun.elapsed() + Duration::from_micros(rng.u64(..MOST_MICROS));
    while begun.elapsed() < after {}
    server.kill()?;
    Ok(aside(store)?.is_some_and(|folder| folder.join("moving").exists()))
}

/// The folder that a damaged store is moved into.
fn aside(store: &Path) -> Result<Option<PathBuf>> {
    for entry in fs::read_dir(store)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("damaged-") {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

/// A store without its head, and its bytes.
fn fill(bobbin: &Path, store: &Path) -> Result<Vec<u8>> {
    let mut server = Server::start(bobbin, store)?;
    let door = server.door()?;
    for number in 0..BATCHES {
        store_batch(&door, &body((SENDER, number)))?;
    }
    server.stop()?;
    let file = store.join(FILE);
    let mut bytes = fs::read(&file)?;
    bytes[..HEAD].fill(0xa5);
    fs::write(&file, &bytes)?;
    Ok(bytes)
}

/// Starts the receiver and stops it: it goes on in a new store, and what is damaged lies beside it, once and whole.
fn moved_aside(bobbin: &Path, store: &Path, damaged: &[u8]) -> Result {
    let mut server = Server::start(bobbin, store)?;
    server.door()?;
    server.stop()?;
    let folders = safety(store).damaged;
    let [folder] = folders.as_slice() else {
        return Err(Failure::new(format!("moved aside into {folders:?}")));
    };
    if fs::read(Path::new(folder).join(FILE))? != damaged {
        return Err(Failure::new("what was damaged is another file"));
    }
    Ok(())
}

/// Salvages it to the end, and compares every snapshot that is there then.
fn salvaged(bobbin: &Path, store: &Path, damaged: &[u8], counted: &mut Counted) -> Result {
    let status = verb(bobbin, store, &["salvage"])?.wait()?;
    if !status.success() {
        return Err(Failure::new(format!("bobbin salvage ended with {status}")));
    }
    let acknowledged = BTreeMap::from([(SENDER, (0..BATCHES).collect())]);
    let mut snapshots = 0;
    for entry in fs::read_dir(store.join("snapshots"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "sqlite") {
            counted.add(compare_file(&path, &acknowledged)?);
            snapshots += 1;
        }
    }
    if snapshots == 0 {
        return Err(Failure::new("nothing was salvaged"));
    }
    counted.acknowledged += records(BATCHES);
    moved_aside(bobbin, store, damaged)
}
