//! A small real disk that is full, under the real receiver: it says so, what is stored can be read, and it goes on by itself.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use super::{
    Counted, cap,
    disk::Disk,
    folder::Folder,
    sender::{Answer, Door, Open},
    server::Server,
    work::{Sender, body, compare, records, scheduler},
};
use crate::process::{Failure, Result};

const SENDER: Sender = 1;
/// Whose batch is the first that has no room.
const LARGE: Sender = 2;
const MEGABYTES: u64 = 24;
/// More than Bobbin leaves alone of so small a disk, and less than that batch.
const LEFT_BYTES: u64 = 1_400 * 1_024;
/// How a write says it.
const FULL: &str = "the disk is full";
/// How it is said before anything is written.
const NEARLY: &str = "the disk is nearly full";
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs it; or gives why it cannot.
///
/// # Errors
/// The receiver did not say that the disk is full, or did not go on.
pub fn run(bobbin: &Path) -> Result<std::result::Result<Counted, String>> {
    let folder = Folder::make("room")?;
    let disk = match Disk::mount(&folder.0.join("disk"), MEGABYTES)? {
        Ok(disk) => disk,
        Err(reason) => return Ok(Err(reason)),
    };
    let store = disk.0.join("store");
    let mut server = Server::start(bobbin, &store)?;
    let door = server.door()?;
    let mut acknowledged = Vec::new();
    let mut next = 0;
    let mut send = |number: u64| -> Result<Answer> {
        let answer = Open::to(&door, true)?.post(&door.token, &body((SENDER, number)))?;
        if answer.status == 200 {
            acknowledged.push(number);
        }
        Ok(answer)
    };
    for _ in 0..5 {
        let answer = send(next)?;
        if answer.status != 200 {
            return Err(Failure::new(format!("refused with room: {answer:?}")));
        }
        next += 1;
    }
    let ballast = disk.0.join("ballast");
    disk.fill(&ballast, LEFT_BYTES)?;
    let large = Open::to(&door, true)?.post(&door.token, &cap::body(LARGE))?;
    full(&large, &[FULL])?;
    disk.fill(&ballast, 0)?;
    // Some of it fits into what the store has on the disk already, until Bobbin looks at the disk again.
    let refused = loop {
        let answer = send(next)?;
        if answer.status != 200 {
            break answer;
        }
        next += 1;
    };
    full(&refused, &[FULL, NEARLY])?;
    readable(bobbin, &store)?;
    fs::remove_file(&ballast)?;
    let end = Instant::now() + PATIENCE;
    while send(next)?.status != 200 {
        if Instant::now() > end {
            return Err(Failure::new("there is room, and nothing is taken"));
        }
        thread::sleep(Duration::from_millis(50));
    }
    for _ in 0..5 {
        next += 1;
        send(next)?;
    }
    server.stop()?;
    disk.fill(&ballast, 0)?;
    started_full(bobbin, &store, &folder.0.join("log"))?;
    fs::remove_file(&ballast)?;
    let mut server = Server::start(bobbin, &store)?;
    let _: Door = server.door()?;
    server.kill()?;
    let mut counted = Counted {
        faults: 1,
        acknowledged: records(acknowledged.len() as u64),
        ..Counted::default()
    };
    counted.add(compare(&store, &BTreeMap::from([(SENDER, acknowledged)]))?);
    Ok(Ok(counted))
}

/// Whether a batch was refused as by a full disk, in one of these wordings.
fn full(answer: &Answer, wordings: &[&str]) -> Result {
    let told = answer.status == 503
        && answer.head.contains("retry-after:")
        && answer.body.contains("disk_full")
        && wordings.iter().any(|words| answer.body.contains(words));
    match told {
        true => Ok(()),
        false => Err(Failure::new(format!("not told as a full disk: {answer:?}"))),
    }
}

/// What somebody meets who starts it on a disk that is full: what was closed in order can be read, and it says why it does not start.
fn started_full(bobbin: &Path, store: &Path, log: &Path) -> Result {
    readable(bobbin, store)?;
    match Server::listening(bobbin, store, log)? {
        Err(said) if said.contains(FULL) => Ok(()),
        Err(said) => Err(Failure::new(format!("not told as a full disk: {said}"))),
        Ok(_) => Err(Failure::new("it started on a full disk")),
    }
}

/// While the disk is full.
fn readable(bobbin: &Path, store: &Path) -> Result {
    let output = Command::new(bobbin)
        .args(["clusters", "--json", "--data-dir"])
        .arg(store)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && text.contains(&scheduler(SENDER)) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "what is stored cannot be read: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    )))
}
