//! `POST /v1/batches`: read within limits, unpacked and decoded (large ones off the network's threads), stored, then
//! acknowledged.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use bobbin_core::api::App;
use bobbin_core::ingest::Receipt;
use bobbin_core::seal;
use bobbin_core::wire::{self, Limits};
use bobbin_core::{Code, Error};
use hyper::StatusCode;
use hyper::body::{Body as _, Incoming};
use hyper::header::HeaderMap;
use tokio::sync::{Semaphore, SemaphorePermit, oneshot};
use tokio::time::{sleep, timeout};

use crate::answer::{Refusal, Response, json};
use crate::body;
use crate::gate::{Bearer, Coding, Floor, Quotas, announced};
use crate::receiver::Config;
use crate::receiver::turns::{Turn, Turns};

/// Bytes of batches that may be on their way in at once, in KiB. A body takes what it announces.
const WIRE_KIB: usize = 12 * 1024;
/// What of it keys may take together. The largest batch of one leaves room for others, and all leave room for the owner's largest.
const KEYS_KIB: usize = 7 * 1024;
/// Memory of batches that are decoded or wait for the writer, in KiB.
const DECODED_KIB: usize = 24 * 1024;
/// How many bytes of memory a byte of text takes, decoded: 2.7 of short task groups, and what the allocator rounds up.
const DECODED: u64 = 3;
/// What a large batch is counted as at most, in KiB: it leaves room for others.
const LARGEST_KIB: u64 = 16 * 1024;
/// Up to so many bytes, unpacked, a batch is decoded at once: to hand it to another thread and back takes as long.
const AT_ONCE_BYTES: u64 = 16 << 10;
/// How long a batch waits for room before its sender is told to come again.
const PATIENCE: Duration = Duration::from_secs(2);
/// Between two looks at the writer's queue: about a commit.
const BREATH: Duration = Duration::from_millis(25);
/// Those that are sent away come back within so many seconds.
const RETURN_SECONDS: u32 = 4;
/// How long a batch may wait for the writer. It may still be stored afterwards; sending it again is harmless.
const WRITER_PATIENCE: Duration = Duration::from_secs(30);
/// When it is worth asking again whether the key is here: a person puts it back.
const KEY_SECONDS: u32 = 30;
/// The most that is read and thrown away so that the sender of too large a batch gets to hear so. Every quota has room for
/// it.
const DISCARD_BYTES: u64 = 60 << 20;

/// Where batches come in.
pub struct Intake {
    app: App,
    limits: Limits,
    deadline: Duration,
    /// In KiB. Apart from the other, so that senders that are slow do not keep out those that have sent.
    wire: Semaphore,
    decoded: Semaphore,
    turns: Turns,
    /// Decoding keeps a core busy: more at once than there are cores would only hold more memory.
    decoders: Semaphore,
    quotas: Quotas,
    floor: Arc<Floor>,
    /// Counts those that are sent away, so that they do not all come back at once.
    away: AtomicU32,
}

impl Intake {
    pub fn new(app: App, config: &Config, floor: Arc<Floor>) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            app,
            limits: Limits::default(),
            deadline: config.deadlines.body,
            wire: Semaphore::new(WIRE_KIB),
            decoded: Semaphore::new(DECODED_KIB),
            turns: Turns::new(KEYS_KIB),
            decoders: Semaphore::new(cores),
            quotas: Quotas::new(config.key_quota),
            floor,
            away: AtomicU32::new(0),
        }
    }

    /// Answers once the batch is durably stored.
    ///
    /// # Errors
    /// 411, 413, 415 by the headers; 429 when this token sends more than its quota; 408 when it arrives too slowly; 413
    /// and 422 by its content; 503 when there is no room, on the disk or in memory, and for a sealed batch while the key
    /// is not here.
    pub async fn post(
        &self,
        bearer: Bearer,
        headers: &HeaderMap,
        incoming: Incoming,
    ) -> Result<Response, Refusal> {
        let admitted = Coding::of(headers).and_then(|coding| {
            Ok((
                coding,
                announced(headers, &incoming, self.most_wire(coding))?,
            ))
        });
        let (coding, length) = match admitted {
            Ok(admitted) => admitted,
            Err(refusal) => {
                let length = incoming.size_hint().exact();
                let most = length.map_or(self.limits.wire_bytes, |bytes| bytes.min(DISCARD_BYTES));
                // What is read in vain counts like any batch.
                self.quotas.take(bearer, most, Instant::now())?;
                body::discard(incoming, most, self.deadline).await;
                return Err(refusal);
            }
        };
        // Nothing of the body is read before there is room for it.
        self.floor.check(self.app.dir())?;
        self.quotas.take(bearer, length, Instant::now())?;
        let _turn = self.turn(bearer, length).await?;
        self.caught_up().await?;
        let sending = self.room(&self.wire, length).await?;
        let bytes = body::read(incoming, self.deadline).await?;
        let mut held = self
            .room(&self.decoded, self.most_decoded(coding, &bytes))
            .await?;
        let (batch, plain_bytes) = self.decode(coding, bytes).await?;
        self.quotas.unpacked(bearer, plain_bytes);
        drop(sending);
        // What it might have become was held; from here on what it is.
        let takes = kib(decoded(plain_bytes)) as usize;
        let spare = held.num_permits().saturating_sub(takes);
        drop(held.split(spare));
        let receipt = self.store(batch).await?;
        if let Bearer::Key(digest) = bearer {
            self.app.note_sender(&digest, &receipt.cluster_id);
        }
        Ok(json(StatusCode::OK, &receipt))
    }

    /// The most bytes that a body may have.
    fn most_wire(&self, coding: Coding) -> u64 {
        match coding {
            Coding::Identity | Coding::Gzip => self.limits.wire_bytes,
            Coding::Sealed => self.limits.wire_bytes + seal::SEALED_MORE_BYTES,
        }
    }

    /// The memory that a body may take once it is decoded. Of a sealed one only the length is known, and the most that this may
    /// unpack to: far more than it takes, decoded, unless somebody made it for that.
    fn most_decoded(&self, coding: Coding, bytes: &[u8]) -> u64 {
        let length = bytes.len() as u64;
        match coding {
            Coding::Identity => decoded(length),
            Coding::Gzip => decoded(wire::held_bytes(bytes, &self.limits)),
            Coding::Sealed => self.limits.plain_bytes(length),
        }
    }

    /// The batch, and how many bytes it has unpacked.
    async fn decode(&self, coding: Coding, bytes: Vec<u8>) -> Result<(wire::Batch, u64), Refusal> {
        let limits = self.limits;
        let keys = self.app.keys().clone();
        let plain_bytes = match coding {
            Coding::Identity => bytes.len() as u64,
            Coding::Gzip => wire::said_bytes(&bytes),
            // The key may be asked for.
            Coding::Sealed => u64::MAX,
        };
        let decode = move || {
            let plain = match coding {
                Coding::Identity => bytes,
                Coding::Gzip => wire::inflate(&bytes, &limits)?,
                Coding::Sealed => wire::inflate(&keys.open_batch(&bytes)?, &limits)?,
            };
            Ok((wire::decode(&plain)?, plain.len() as u64))
        };
        let decoded = if plain_bytes <= AT_ONCE_BYTES {
            catch_unwind(AssertUnwindSafe(decode)).map_err(|_| Refusal::fault())
        } else {
            let Ok(_turn) = self.decoders.acquire().await else {
                return Err(Error::Stopping.into());
            };
            let decoding = tokio::task::spawn_blocking(decode);
            decoding.await.map_err(|_| Refusal::fault())
        };
        decoded?.map_err(unreadable)
    }

    async fn store(&self, batch: wire::Batch) -> Result<Receipt, Refusal> {
        let (done, stored) = oneshot::channel();
        // The sender may have gone; the batch is stored all the same.
        self.app
            .submit(batch, Box::new(move |result| drop(done.send(result))))?;
        match timeout(WRITER_PATIENCE, stored).await {
            Ok(Ok(result)) => Ok(result?),
            Ok(Err(_)) => Err(Error::Stopping.into()),
            Err(_) => Err(self.later("the writer is behind")),
        }
    }

    /// Waits for the turn of a key. The owner has none: all schedulers of this user send with one token.
    async fn turn(&self, bearer: Bearer, bytes: u64) -> Result<Option<Turn<'_>>, Refusal> {
        if bearer == Bearer::Owner {
            return Ok(None);
        }
        match timeout(PATIENCE, self.turns.wait(bearer, kib(bytes))).await {
            Ok(Some(turn)) => Ok(Some(turn)),
            _ => Err(self
                .later("this key is already sending a batch, or other keys are")
                .closing()),
        }
    }

    /// Waits for the writer to have taken enough of what is queued.
    async fn caught_up(&self) -> Result<(), Refusal> {
        let end = Instant::now() + PATIENCE;
        while self.app.behind() {
            if Instant::now() > end {
                return Err(self.later("the writer is behind").closing());
            }
            sleep(BREATH).await;
        }
        Ok(())
    }

    /// Waits for room for so many bytes.
    async fn room<'a>(
        &self,
        of: &'a Semaphore,
        bytes: u64,
    ) -> Result<SemaphorePermit<'a>, Refusal> {
        match timeout(PATIENCE, of.acquire_many(kib(bytes))).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(self.later("too many batches are being received").closing()),
        }
    }

    /// Asks a sender to come again, not all of them in the same second.
    fn later(&self, message: &'static str) -> Refusal {
        let seconds = 1 + self.away.fetch_add(1, Ordering::Relaxed) % RETURN_SECONDS;
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message).retry_after(seconds)
    }
}

/// The memory that so many bytes of text are counted as.
fn decoded(plain_bytes: u64) -> u64 {
    (DECODED * plain_bytes).min(LARGEST_KIB * 1024)
}

/// Never more than the limits on one batch, which there is room for.
fn kib(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

/// A batch that no later try makes readable, unless the fault is ours.
fn unreadable(error: Error) -> Refusal {
    if let Error::Sealed(_) = error {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return Refusal::new(status, "sealed", error.to_string());
    }
    if let Error::Locked | Error::Keyring(_) = error {
        let mut refusal = Refusal::from(error).retry_after(KEY_SECONDS);
        refusal.status = StatusCode::SERVICE_UNAVAILABLE;
        refusal.code = "locked";
        return refusal;
    }
    let for_good = error.code() == Code::Invalid;
    let mut refusal = Refusal::from(error);
    if for_good {
        refusal.status = StatusCode::UNPROCESSABLE_ENTITY;
    }
    refusal
}

#[cfg(test)]
mod tests {
    use bobbin_core::seal::KeyringFault;

    use super::*;
    use crate::gate::KEY;

    #[test]
    fn a_sealed_batch_waits_for_its_key_wherever_that_is_kept() {
        for error in [Error::Locked, Error::Keyring(KeyringFault::Silent)] {
            let refusal = unreadable(error);
            assert_eq!(refusal.status, StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(refusal.code, "locked");
        }
    }

    #[test]
    fn a_token_that_rested_hears_that_its_batch_is_too_large() {
        let quotas = Quotas::new(KEY);
        for bearer in [Bearer::Anyone, Bearer::Owner] {
            assert!(quotas.take(bearer, DISCARD_BYTES, Instant::now()).is_ok());
        }
    }
}
