//! What keys may have on its way in. One batch of a key comes at a time: where its senders are slow, or announce more than they
//! send, they keep out nobody but each other. All keys together leave room for the owner.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bobbin_core::lock::lock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::gate::Bearer;

/// The turn of each key.
pub struct Turns {
    /// Room for what all of them send, in KiB.
    room: Semaphore,
    /// Of every key that sent anything: few are handed out.
    by_key: Mutex<HashMap<Bearer, Arc<Semaphore>>>,
}

/// The turn of one key, until it is dropped.
pub struct Turn<'a> {
    _of_key: OwnedSemaphorePermit,
    _room: SemaphorePermit<'a>,
}

impl Turns {
    /// All keys may send so many KiB at once.
    pub fn new(kib: usize) -> Self {
        Self {
            room: Semaphore::new(kib),
            by_key: Mutex::default(),
        }
    }

    /// Waits for the turn of a key, and for room for so many KiB. None once no more turns are given.
    pub async fn wait(&self, bearer: Bearer, kib: u32) -> Option<Turn<'_>> {
        let of_key = {
            let mut by_key = lock(&self.by_key);
            Arc::clone(
                by_key
                    .entry(bearer)
                    .or_insert_with(|| Arc::new(Semaphore::new(1))),
            )
        };
        Some(Turn {
            _of_key: of_key.acquire_owned().await.ok()?,
            _room: self.room.acquire_many(kib).await.ok()?,
        })
    }
}
