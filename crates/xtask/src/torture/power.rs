//! The power goes: what was written is noted once, and from the notes every kind of disk is made that may be left at many
//! moments of it. Bobbin opens each, and must find all that was acknowledged by then.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Arc, mpsc::sync_channel},
};

use bobbin_core::{
    api::{App, Role},
    clock::SystemClock,
    wire::decode,
};
use fastrand::Rng;

use super::{
    Counted,
    folder::Folder,
    image::{Disk, Kept},
    vfs::{Op, world},
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

/// Records batches, and opens the images.
///
/// # Errors
/// Bobbin does not open one, or finds it damaged.
pub fn run(size: Size, normal: bool, seed: u64) -> Result<Counted> {
    let folder = Folder::make("power")?;
    let store = folder.0.join("store");
    fs::create_dir(&store)?;
    let sent = record(&store, size.batches, normal)?;
    let ops = std::mem::take(&mut world().ops);
    let mut rng = Rng::with_seed(seed);
    let mut counted = Counted {
        acknowledged: records(sent.len() as u64),
        ..Counted::default()
    };
    let mut points = points(&ops, size.images, &mut rng).into_iter().peekable();
    let mut disk = Disk::with(FILE);
    let mut acknowledged: BTreeMap<Sender, Vec<u64>> = BTreeMap::new();
    for (at, op) in ops.iter().enumerate() {
        while let Some((_, kept)) = points.next_if(|(point, _)| *point == at) {
            let image = folder.0.join("image");
            let found = open(&store, &image, &disk, kept, &acknowledged, &mut rng).map_err(|error| {
                Failure::new(format!(
                    "seed {seed}: power lost before step {at} of {}, {kept:?} of what was not synced kept: {error}",
                    ops.len()
                ))
            })?;
            counted.faults += 1;
            counted.add(found);
        }
        disk.apply(op);
        if let Op::Acknowledged(index) = op {
            let (sender, number) = sent[*index];
            acknowledged.entry(sender).or_default().push(number);
        }
    }
    Ok(counted)
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

/// Moments and what is kept at each: around every sync and acknowledgement, and anywhere; in order.
fn points(ops: &[Op], images: usize, rng: &mut Rng) -> Vec<(usize, Kept)> {
    let mut edges: Vec<usize> = ops
        .iter()
        .enumerate()
        .filter(|(_, op)| matches!(op, Op::Synced(_) | Op::Acknowledged(_) | Op::Deleted { .. }))
        .flat_map(|(at, _)| [at, at + 1])
        .filter(|at| *at < ops.len())
        .collect();
    edges.dedup();
    rng.shuffle(&mut edges);
    let mut points: Vec<(usize, Kept)> = (0..images)
        .map(|number| {
            let at = match edges.get(number / 2) {
                Some(edge) if number % 2 == 0 => *edge,
                _ => rng.usize(..ops.len()),
            };
            let kept = match number % 5 {
                0 => Kept::Nothing,
                1 => Kept::All,
                2 => Kept::Some(50),
                3 => Kept::Some(90),
                _ => Kept::Some(10),
            };
            (at, kept)
        })
        .collect();
    points.sort_by_key(|(at, _)| *at);
    points
}

/// One image, opened as Bobbin opens a store.
fn open(
    store: &Path,
    image: &Path,
    disk: &Disk,
    kept: Kept,
    acknowledged: &BTreeMap<Sender, Vec<u64>>,
    rng: &mut Rng,
) -> Result<Found> {
    if image.exists() {
        fs::remove_dir_all(image)?;
    }
    fs::create_dir(image)?;
    // Keys and tokens are written once, and synced, before the store needs them.
    for entry in fs::read_dir(store)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.path().is_file() && !name.to_string_lossy().starts_with(FILE) {
            fs::copy(entry.path(), image.join(name))?;
        }
    }
    disk.write(image, kept, rng)?;
    private(image)?;
    App::open(image, Role::Owner, Arc::new(SystemClock))
        .and_then(|app| app.drain())
        .map_err(failed)?;
    let damaged = bobbin_core::api::safety(image).damaged;
    if !damaged.is_empty() {
        return Err(Failure::new("Bobbin took the store for damaged"));
    }
    compare(image, acknowledged)
}

/// As Bobbin leaves its folder.
fn private(folder: &Path) -> Result {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        fs::set_permissions(entry?.path(), fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}
