//! `kill -9` of the real receiver while it reads what plugins left in the spool: whatever lay there is stored once.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
    thread,
    time::{Duration, Instant, SystemTime},
};

use bobbin_core::{
    Error,
    install::{prepare, spool_dir},
    seal::{PublicKey, seal_to},
};
use fastrand::Rng;
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

use super::{
    Counted,
    folder::{Folder, copy},
    server::Server,
    work::{Sender, body},
};
use crate::process::{Failure, Result};

/// Schedulers that left something, and how many batches each.
const SENDERS: Sender = 8;
const BATCHES: u64 = 40;
/// Kills of one store, at most, before it is read to the end.
const MOST_KILLS: u64 = 4;
/// Far longer than it takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// Kills it so many times.
///
/// # Errors
/// It did not start again, the spool was not read to its end, or the store was damaged.
pub fn run(bobbin: &Path, kills: u64, seed: u64) -> Result<Counted> {
    let folder = Folder::make("spool")?;
    let filled = folder.0.join("filled");
    fill(bobbin, &filled)?;
    let store = folder.0.join("store");
    copy(&filled, &store)?;
    let mut counted = Counted::default();
    let takes = to_its_end(bobbin, &store, &mut counted)?.as_micros() as u64;
    let mut rng = Rng::with_seed(seed);
    while counted.faults < kills {
        copy(&filled, &store)?;
        let end = kills.min(counted.faults + rng.u64(1..=MOST_KILLS));
        while counted.faults < end {
            let mut server = Server::start(bobbin, &store)?;
            thread::sleep(Duration::from_micros(rng.u64(..takes)));
            server.kill()?;
            counted.faults += 1;
        }
        to_its_end(bobbin, &store, &mut counted)?;
    }
    Ok(counted)
}

/// A store with nothing in it, and schedulers that reached nobody and are gone: every other batch is sealed.
fn fill(bobbin: &Path, store: &Path) -> Result {
    let mut server = Server::start(bobbin, store)?;
    server.door()?;
    server.stop()?;
    let key = PublicKey::published(store).ok_or_else(|| Failure::new("there is no key"))?;
    let spool = spool_dir(store);
    for sender in 0..SENDERS {
        for number in 0..BATCHES {
            let sealed_to = (number % 2 == 1).then_some(&key);
            leave(&spool, &body((sender, number)), sealed_to)?;
        }
    }
    Ok(())
}

/// Has the spool read until nothing lies there, which takes so long, and compares the store with all that lay there.
fn to_its_end(bobbin: &Path, store: &Path, counted: &mut Counted) -> Result<Duration> {
    let spool = spool_dir(store);
    let begun = Instant::now();
    let mut server = Server::start(bobbin, store)?;
    server.door()?;
    while fs::read_dir(&spool)?.next().is_some() {
        if begun.elapsed() > PATIENCE {
            return Err(Failure::new("the spool is not read"));
        }
        thread::sleep(Duration::from_millis(5));
    }
    let takes = begun.elapsed();
    server.stop()?;
    let lay_there: BTreeMap<Sender, Vec<u64>> = (0..SENDERS)
        .map(|sender| (sender, (0..BATCHES).collect()))
        .collect();
    counted.compare(store, &lay_there)?;
    Ok(takes)
}

/// Puts a batch into the folder of its scheduler, as a plugin does that is gone since: packed, and sealed where a key is given.
///
/// # Errors
/// The batch has no header, or the spool cannot be written to.
pub fn leave(spool: &Path, body: &[u8], sealed_to: Option<&PublicKey>) -> Result {
    let header = body.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let header: Value = serde_json::from_slice(header)
        .map_err(|error| Failure::new(format!("a batch without its header: {error}")))?;
    let text = |name: &str| header[name].as_str().unwrap_or_default();
    let folder = spool.join(format!("{}-{}", text("cluster_id"), text("instance_id")));
    if !folder.exists() {
        prepare(&folder).map_err(failed)?;
        // Nobody holds it. One that was just made may be that of a plugin that begins.
        File::create(folder.join("lock"))?.set_modified(SystemTime::UNIX_EPOCH)?;
    }
    let first_seq = header["first_seq"].as_u64().unwrap_or_default();
    let packed = packed(body)?;
    let (end, bytes) = match sealed_to {
        None => ("batch", packed),
        Some(key) => ("sealed", seal_to(&packed, key).map_err(failed)?),
    };
    fs::write(folder.join(format!("{first_seq:012}.{end}")), bytes)?;
    Ok(())
}

/// A batch as a plugin packs it, at Python's default level.
///
/// # Errors
/// None: it is packed in memory.
pub fn packed(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::new(6));
    packed.write_all(body)?;
    packed.finish()
}

fn failed(error: Error) -> Failure {
    Failure::new(error.to_string())
}
