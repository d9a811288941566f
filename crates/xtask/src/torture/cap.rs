//! The cap on a disk that has no room for making room: the store still shrinks below it, and only detail of the clusters that
//! were silent longest is gone.

use std::{
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use super::{
    Counted,
    disk::Disk,
    folder::Folder,
    sender::Open,
    server::Server,
    work::{Found, scheduler},
};
use crate::process::{Failure, Result};

const CLUSTERS: u64 = 9;
/// Events of each, of 58 kB.
pub const EVENTS: u64 = 50;
const DISK_MEGABYTES: u64 = 48;
const LIMIT_MEGABYTES: u64 = 16;
/// What a single row may need in the log, twice: less, and nothing can go at all.
const LEFT_BYTES: u64 = 384 * 1024;
/// Only so that it ends: a busy machine without optimisation takes minutes.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs it; or gives why it cannot.
///
/// # Errors
/// The store stays larger than it may be.
pub fn run(bobbin: &Path) -> Result<std::result::Result<Counted, String>> {
    let folder = Folder::make("cap")?;
    let disk = match Disk::mount(&folder.0.join("disk"), DISK_MEGABYTES)? {
        Ok(disk) => disk,
        Err(reason) => return Ok(Err(reason)),
    };
    let store = disk.0.join("store");
    let mut server = Server::start(bobbin, &store)?;
    let door = server.door()?;
    for cluster in 0..CLUSTERS {
        let answer = Open::to(&door, true)?.post(&door.token, &body(cluster))?;
        if answer.status != 200 {
            return Err(Failure::new(format!("refused with room: {answer:?}")));
        }
    }
    server.stop()?;
    let limited = Command::new(bobbin)
        .args(["storage", "--limit", &format!("{LIMIT_MEGABYTES}MiB")])
        .arg("--data-dir")
        .arg(&store)
        .output()?;
    if !limited.status.success() {
        return Err(Failure::new(String::from_utf8_lossy(&limited.stderr)));
    }
    let file = store.join("bobbin.sqlite");
    let bytes = || -> Result<u64> { Ok(fs::metadata(&file)?.len()) };
    let limit = LIMIT_MEGABYTES << 20;
    if bytes()? <= limit {
        return Err(Failure::new("the store is not larger than it may be"));
    }
    disk.fill(&disk.0.join("ballast"), LEFT_BYTES)?;
    let server = Server::start(bobbin, &store)?;
    let end = Instant::now() + PATIENCE;
    while bytes()? > limit {
        if Instant::now() > end {
            return Err(Failure::new(format!("still {} bytes of {limit}", bytes()?))
                .hint(Server::said(&store)));
        }
        thread::sleep(Duration::from_millis(50));
    }
    server.stop()?;
    let Found { lost, doubled } =
        found(&file).map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
    Ok(Ok(Counted {
        faults: 1,
        acknowledged: CLUSTERS * EVENTS,
        lost,
        doubled,
        ..Counted::default()
    }))
}

/// Events of clusters that are gone, or that went before those of one that was silent longer.
fn found(file: &Path) -> rusqlite::Result<Found> {
    let db = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let check: String = db.query_one("pragma quick_check(1)", [], |row| row.get(0))?;
    if check != "ok" {
        return Err(rusqlite::Error::InvalidParameterName(check));
    }
    let left: Vec<u64> = db
        .prepare(
            "select (select count(*) from event as e join instance as i on i.id = e.instance_id where i.cluster_id = c.id)
             from cluster as c order by c.id",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let gone = CLUSTERS.saturating_sub(left.len() as u64) * EVENTS;
    let untimely: u64 = left
        .windows(2)
        .map(|two| two[0].saturating_sub(two[1]))
        .sum();
    // All of the last one is there: there was room for it.
    let last = EVENTS.saturating_sub(left.last().copied().unwrap_or(EVENTS));
    let doubled = left
        .iter()
        .map(|events| events.saturating_sub(EVENTS))
        .sum();
    Ok(Found {
        lost: gone + untimely + last,
        doubled,
    })
}

/// A cluster's only batch: three megabytes.
pub fn body(cluster: u64) -> Vec<u8> {
    let at = 1_795_000_000_000_000_i64 + cluster as i64 * 10_000_000;
    let mut body = json!({
        "kind": "header", "protocol": 1, "cluster_id": scheduler(cluster), "instance_id": "i", "first_seq": 1,
        "records": EVENTS, "sent_at_micros": at, "monotonic_micros": 1, "plugin_version": "0.1.0",
    })
    .to_string();
    for number in 0..EVENTS {
        // Sealed, it stays as large.
        let text = "word ".repeat(11_600);
        let event = json!({"kind": "event", "at_micros": at, "topic": "all", "payload": {"number": number, "text": text}});
        body.push('\n');
        body.push_str(&event.to_string());
    }
    body.into_bytes()
}
