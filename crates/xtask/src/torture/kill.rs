//! `kill -9` of the real receiver at any instant: while it starts, while batches come in, while it removes and sums, while a snapshot
//! is made; and of a deletion. Every fifth time it is told to quit instead, and must end in order, which counts as no kill.

use std::{
    collections::BTreeMap,
    fs,
    ops::Range,
    path::Path,
    process::Child,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use bobbin_core::{
    api::{App, Role, call},
    clock::{Clock, ManualClock, SystemClock},
    model::Micros,
    wire::decode,
};
use fastrand::Rng;
use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use super::{
    Counted, cap,
    folder::{Folder, copy},
    sender::Senders,
    server::{Server, verb},
    work::{Sender, body, compare_file, scheduler},
};
use crate::process::{Failure, Result};

const FILE: &str = "bobbin.sqlite";
const SENDERS: Sender = 8;
/// Clusters that nobody sends to any more: they have more than the store may hold.
const SILENT: Range<Sender> = 100..110;
const CAP_BYTES: u64 = 16 << 20;
/// Longer than who is silent is not over yet.
const AGO_MICROS: i64 = 2 * 86_400_000_000;
/// Kills of one store: those who send alone would fill it.
const ROUND: u64 = 50;
const BELONGS_TO_NOTHING: &str = "select count(*) from pragma_foreign_key_check";
/// Once in so many times that it listens it lives for so long that it comes to summing, in milliseconds; the second time first.
const LIVES: u64 = 8;
const FIRST_LONG: u64 = 2;
const LONG_MILLIS: Range<u64> = 3_000..5_000;
/// And that time it lives until it did, which takes longer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// Kills it so many times.
///
/// # Errors
/// It did not start again, its store or a snapshot was damaged, or nothing was removed and put together.
pub fn run(bobbin: &Path, kills: u64, seed: u64) -> Result<Counted> {
    let folder = Folder::make("kill")?;
    let filled = folder.0.join("filled");
    fill(&filled).map_err(|error| Failure::new(error.to_string()))?;
    let store = folder.0.join("store");
    let mut rng = Rng::with_seed(seed);
    let mut counted = Counted::default();
    while counted.faults < kills {
        copy(&filled, &store)?;
        let end = kills.min(counted.faults + ROUND);
        round(bobbin, &store, end, &mut rng, &mut counted)?;
    }
    Ok(counted)
}

/// Kills one store's until there were so many kills, and looks at what is left of it.
fn round(bobbin: &Path, store: &Path, end: u64, rng: &mut Rng, counted: &mut Counted) -> Result {
    let file = store.join(FILE);
    let senders = Senders::start(SENDERS);
    let (mut listened, mut deleted) = (0, SILENT);
    while counted.faults < end {
        let mut server = Server::start(bobbin, store)?;
        if rng.u8(..4) == 0 {
            // Before it listens, at some point of its start.
            thread::sleep(Duration::from_millis(rng.u64(..150)));
            server.kill()?;
            counted.faults += 1;
            continue;
        }
        senders.send_to(server.door()?)?;
        listened += 1;
        let snapshot = (rng.u8(..4) == 0).then(|| verb(bobbin, store, &["snapshot"]));
        thread::sleep(Duration::from_millis(match listened % LIVES {
            FIRST_LONG => rng.u64(LONG_MILLIS),
            _ => rng.u64(..250),
        }));
        if listened == FIRST_LONG {
            at_work(&file)?;
        }
        match rng.u8(..5) {
            0 => server.stop()?,
            _ => {
                server.kill()?;
                counted.faults += 1;
            }
        }
        senders.post.put(None);
        if let Some(mut snapshot) = snapshot.transpose()? {
            // Half of the snapshots are killed with it.
            if rng.bool() {
                counted.faults += kill(&mut snapshot)?;
            }
            snapshot.wait()?;
        }
        if rng.u8(..4) == 0
            && let Some(cluster) = deleted.next()
        {
            let mut deleting = verb(bobbin, store, &["delete", &scheduler(cluster), "--now"])?;
            thread::sleep(Duration::from_millis(rng.u64(..600)));
            counted.faults += kill(&mut deleting)?;
        }
    }
    if listened < FIRST_LONG {
        return Err(Failure::new("it never lived for long"));
    }
    let mut server = Server::start(bobbin, store)?;
    senders.send_to(server.door()?)?;
    let acknowledged = senders.stop()?;
    server.stop()?;
    // All that is due, and what was begun.
    let mut pruning = verb(bobbin, store, &["storage", "--prune"])?;
    if !pruning.wait()?.success() {
        return Err(Failure::new("what is left to remove cannot be removed"));
    }
    counted.compare(store, &acknowledged)?;
    none(&file, BELONGS_TO_NOTHING)?;
    none(&file, "select count(*) from deletion")?;
    // Of a snapshot nobody was told: what it says that it has is all there.
    let senders = acknowledged.into_keys().map(|sender| (sender, Vec::new()));
    let senders: BTreeMap<Sender, Vec<u64>> = senders.collect();
    let snapshots = store.join("snapshots");
    for entry in fs::read_dir(snapshots).into_iter().flatten() {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "sqlite") {
            counted.add(compare_file(&path, &senders)?);
            none(&path, BELONGS_TO_NOTHING)?;
        }
    }
    Ok(())
}

/// Kills what may have ended by itself, and gives the number of kills.
fn kill(child: &mut Child) -> std::io::Result<u64> {
    let ended = child.try_wait()?.is_some();
    if !ended {
        child.kill()?;
        child.wait()?;
    }
    Ok(u64::from(!ended))
}

/// A store of some days ago: those who send have begun, and stay whatever is removed; the others are silent since.
fn fill(store: &Path) -> bobbin_core::Result<()> {
    let then = Micros(SystemClock.now().0 - AGO_MICROS);
    let app = App::open(store, Role::Owner, Arc::new(ManualClock::at(then)))?;
    for sender in 0..SENDERS {
        app.ingest(decode(&body((sender, 0)))?)?;
    }
    let ids: Vec<u64> = (1..=SENDERS).collect();
    let pinned = json!({"ids": ids, "pinned": true});
    call(&app, "mark_clusters", &pinned.to_string())?;
    for cluster in SILENT {
        app.ingest(decode(&cap::body(cluster))?)?;
    }
    let rules = json!({"cap_bytes": CAP_BYTES});
    call(&app, "set_retention", &rules.to_string())?;
    app.drain()
}

/// Waits until something of what is too much is gone, and profiles are put together: it is killed at that.
fn at_work(file: &Path) -> Result {
    let all = (SILENT.end - SILENT.start) * cap::EVENTS;
    let end = Instant::now() + PATIENCE;
    loop {
        let left = count(
            file,
            "select count(*) from event as e join instance as i on i.id = e.instance_id
             join cluster as c on c.id = i.cluster_id where c.pinned_micros is null",
        )?;
        let profiles = count(file, "select count(*) from profile_merged")?;
        if left < all && profiles > 0 {
            return Ok(());
        }
        if Instant::now() > end {
            return Err(Failure::new(format!(
                "too little is done: {left} of {all} events are left, and {profiles} profiles put together"
            )));
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn none(file: &Path, sql: &str) -> Result {
    match count(file, sql)? {
        0 => Ok(()),
        rows => Err(Failure::new(format!(
            "{}: {rows} rows, and there should be none: {sql}",
            file.display()
        ))),
    }
}

fn count(file: &Path, sql: &str) -> Result<u64> {
    Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .and_then(|db| db.query_one(sql, [], |row| row.get(0)))
        .map_err(|error| Failure::new(format!("{}: {error}", file.display())))
}
