//! `kill -9` of the real receiver at any instant: while it starts, while batches come in, while a snapshot is made. Every fifth time
//! it is told to quit instead, and must end in order.

use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use fastrand::Rng;

use super::{Counted, folder::Folder, sender::Senders, server::Server};
use crate::process::Result;

const SENDERS: u64 = 8;

/// Kills it so many times.
///
/// # Errors
/// It did not start again, or its store was damaged.
pub fn run(bobbin: &Path, kills: u64, seed: u64) -> Result<Counted> {
    let folder = Folder::make("kill")?;
    let store = folder.0.join("store");
    let mut rng = Rng::with_seed(seed);
    let senders = Senders::start(SENDERS);
    let mut counted = Counted::default();
    for _ in 0..kills {
        let mut server = Server::start(bobbin, &store)?;
        if rng.u8(..4) == 0 {
            // Before it listens, at some point of its start.
            thread::sleep(Duration::from_millis(rng.u64(..150)));
            server.kill()?;
            counted.faults += 1;
            continue;
        }
        senders.send_to(server.door()?)?;
        let snapshot = (rng.u8(..4) == 0).then(|| snapshot(bobbin, &store));
        thread::sleep(Duration::from_millis(rng.u64(..250)));
        match rng.u8(..5) {
            0 => server.stop()?,
            _ => server.kill()?,
        }
        senders.post.put(None);
        counted.faults += 1;
        if let Some(mut snapshot) = snapshot.transpose()? {
            // Half of the snapshots are killed with it.
            if rng.bool() {
                snapshot.kill()?;
            }
            snapshot.wait()?;
        }
    }
    let mut server = Server::start(bobbin, &store)?;
    senders.send_to(server.door()?)?;
    let acknowledged = senders.stop()?;
    server.stop()?;
    counted.compare(&store, &acknowledged)?;
    Ok(counted)
}

fn snapshot(bobbin: &Path, store: &Path) -> std::io::Result<std::process::Child> {
    Command::new(bobbin)
        .args(["snapshot", "--data-dir"])
        .arg(store)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}
