//! The real receiver is told to quit while batches come in: it ends in order, and each batch is stored or was not acknowledged.

use std::{path::Path, thread, time::Duration};

use fastrand::Rng;

use super::{Counted, folder::Folder, sender::Senders, server::Server};
use crate::process::Result;

const SENDERS: u64 = 8;

/// Quits it so many times.
///
/// # Errors
/// It did not end in order, or did not start again.
pub fn run(bobbin: &Path, quits: u64, seed: u64) -> Result<Counted> {
    let folder = Folder::make("quit")?;
    let store = folder.0.join("store");
    let mut rng = Rng::with_seed(seed);
    let senders = Senders::start(SENDERS);
    for _ in 0..quits {
        let mut server = Server::start(bobbin, &store)?;
        senders.send_to(server.door()?)?;
        thread::sleep(Duration::from_millis(rng.u64(..50)));
        server.stop()?;
        senders.post.put(None);
    }
    let acknowledged = senders.stop()?;
    let mut counted = Counted {
        faults: quits,
        ..Counted::default()
    };
    counted.compare(&store, &acknowledged)?;
    Ok(counted)
}
