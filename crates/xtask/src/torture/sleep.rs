//! The machine sleeps while batches come in, as far as the real receiver can tell: it stands still at any instant, and its
//! deadlines pass meanwhile. It goes on by itself, and so do those that send.

use std::{path::Path, thread, time::Duration};

use fastrand::Rng;

use super::{Counted, folder::Folder, sender::Senders, server::Server};
use crate::process::Result;

const SENDERS: u64 = 8;
/// Longer than a body may stand still.
const LONGEST_MILLIS: u64 = 5_000;

/// Has it sleep so many times.
///
/// # Errors
/// Nothing is acknowledged any more, or it did not end in order.
pub fn run(bobbin: &Path, sleeps: u64, seed: u64) -> Result<Counted> {
    let folder = Folder::make("sleep")?;
    let store = folder.0.join("store");
    let mut rng = Rng::with_seed(seed);
    let senders = Senders::start(SENDERS);
    let mut server = Server::start(bobbin, &store)?;
    let door = server.door()?;
    for _ in 0..sleeps {
        senders.send_to(door.clone())?;
        server.signal("STOP")?;
        thread::sleep(Duration::from_millis(rng.u64(..LONGEST_MILLIS)));
        server.signal("CONT")?;
    }
    senders.send_to(door)?;
    let acknowledged = senders.stop()?;
    server.stop()?;
    let mut counted = Counted {
        faults: sleeps,
        ..Counted::default()
    };
    counted.compare(&store, &acknowledged)?;
    Ok(counted)
}
