//! The power goes: what was written is noted once, and from the notes every kind of disk is made that may be left at many
//! moments of it. Bobbin opens each, and must find all that was acknowledged by then.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Arc, mpsc::sync_channel},
};

use bobbin_core::{
    api::{App, Role, safety},
    clock::SystemClock,
    wire::decode,
};
use fastrand::Rng;

use super::{
    Counted,
    folder::Folder,
    image::{Disk, Kept},
    moments::{Moment, Replay, each, moments},
    op::Op,
    vfs::world,
    work::{Batch, Found, Sender, body, compare, records},
};
use crate::process::{Failure, Result};

const FILE: &str = "bobbin.sqlite";
const SENDERS: Sender = 4;

/// How much is tried.
#[derive(Clone, Copy)]
pub struct Size {
    /// Batches of each sender.
    pub batches: u64,
    pub images: usize,
}

/// What makes a commit whole or nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Commits {
    /// A log that is synced with each.
    Log,
    /// A log that is not.
    UnsyncedLog,
    /// A journal of what was in the file before, as where other machines may reach the folder.
    Journal,
}

/// Records batches, and opens images of many moments.
///
/// # Errors
/// Bobbin does not open one, or finds it damaged.
pub fn run(size: Size, commits: Commits, seed: u64) -> Result<Counted> {
    tried(size, commits, seed, moments)
}

/// Records batches, and opens images that are alike but for one sector, at each sync.
///
/// # Errors
/// As [`run`].
pub fn by_sector(size: Size, seed: u64) -> Result<Counted> {
    tried(size, Commits::Log, seed, each)
}

fn tried(
    size: Size,
    commits: Commits,
    seed: u64,
    moments: fn(&[Op], usize, &mut Rng) -> Vec<Moment>,
) -> Result<Counted> {
    let folder = Folder::make("power")?;
    let home = match commits {
        Commits::Journal => folder.0.join("Dropbox"),
        Commits::Log | Commits::UnsyncedLog => folder.0.clone(),
    };
    let (store, image) = (home.join("store"), home.join("image"));
    fs::create_dir_all(&store)?;
    let sent = record(&store, size.batches, commits == Commits::UnsyncedLog)?;
    let ops = std::mem::take(&mut world().ops);
    if has(&ops, "-wal") == (commits == Commits::Journal) {
        return Err(Failure::new("commits were not where they are to be"));
    }
    let mut rng = Rng::with_seed(seed);
    let mut counted = Counted {
        acknowledged: records(sent.len() as u64),
        ..Counted::default()
    };
    let mut replay = Replay::new(&ops, None);
    for (at, kept) in moments(&ops, size.images, &mut rng) {
        replay.until(at);
        let mut acknowledged: BTreeMap<Sender, Vec<u64>> = BTreeMap::new();
        for index in &replay.told {
            let (sender, number) = sent[*index];
            acknowledged.entry(sender).or_default().push(number);
        }
        let found = leave(&replay.disk, kept, &store, &image, &mut rng)
            .and_then(|()| open(&image, &acknowledged))
            .map_err(|error| {
                Failure::new(format!(
                    "seed {seed}: power lost before step {at} of {}, {kept:?} of what was not synced kept: {error}",
                    ops.len()
                ))
            })?;
        counted.faults += 1;
        counted.add(found);
    }
    Ok(counted)
}

/// Whether SQLite made a file beside the store that ends so.
fn has(ops: &[Op], end: &str) -> bool {
    ops.iter().any(|op| match op {
        Op::Made { name, .. } => name.strip_prefix(FILE) == Some(end),
        _ => false,
    })
}

/// Bobbin itself writes: a new store, batches of several senders to a commit, the log copied into the file, and a second
/// start.
fn record(store: &Path, batches: u64, normal: bool) -> Result<Vec<Batch>> {
    *world() = super::vfs::World {
        noted: Some(store.into()),
        normal,
        ..Default::default()
    };
    let mut sent = Vec::new();
    for half in 0..2 {
        let app = App::open(store, Role::Owner, Arc::new(SystemClock)).map_err(failed)?;
        for number in half * batches / 2..(half + 1) * batches / 2 {
            let (done, heard) = sync_channel(SENDERS as usize);
            for sender in 0..SENDERS {
                let index = sent.len();
                sent.push((sender, number));
                let done = done.clone();
                let told = Box::new(move |stored: bobbin_core::Result<_>| {
                    if stored.is_ok() {
                        world().ops.push(Op::Acknowledged(index));
                    }
                    let _ = done.send(stored.map(drop));
                });
                app.submit(decode(&body((sender, number))).map_err(failed)?, told)
                    .map_err(failed)?;
            }
            for _ in 0..SENDERS {
                heard
                    .recv()
                    .map_err(|_| Failure::new("the writer is gone"))?
                    .map_err(failed)?;
            }
        }
        app.drain().map_err(failed)?;
    }
    let mut world = world();
    (world.noted, world.normal) = (None, false);
    Ok(sent)
}

fn failed(error: bobbin_core::Error) -> Failure {
    Failure::new(error.to_string())
}

/// Makes the folder that is left.
fn leave(disk: &Disk, kept: Kept, store: &Path, image: &Path, rng: &mut Rng) -> Result {
    if image.exists() {
        fs::remove_dir_all(image)?;
    }
    disk.write(image, kept, rng)?;
    // What is not SQLite's is not noted here: `power-folder` is for that.
    for entry in fs::read_dir(store)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.path().is_file() && !name.to_string_lossy().starts_with(FILE) {
            fs::copy(entry.path(), image.join(name))?;
        }
    }
    Ok(())
}

/// Opens it as Bobbin opens a store.
fn open(image: &Path, acknowledged: &BTreeMap<Sender, Vec<u64>>) -> Result<Found> {
    App::open(image, Role::Owner, Arc::new(SystemClock))
        .and_then(|app| app.drain())
        .map_err(failed)?;
    if !safety(image).damaged.is_empty() {
        return Err(Failure::new("Bobbin took the store for damaged"));
    }
    compare(image, acknowledged)
}
