//! `POST /v1/batches`: read within limits, unpacked and decoded off the network's threads, stored, then acknowledged.

use std::time::Duration;

use bobbin_core::api::App;
use bobbin_core::ingest::Receipt;
use bobbin_core::wire::{self, Limits};
use bobbin_core::{Code, Error};
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use tokio::sync::{Semaphore, SemaphorePermit, oneshot};
use tokio::time::timeout;

use crate::answer::{Refusal, Response, json};
use crate::body;
use crate::gate::{Coding, announced};

/// Bytes of batches that may be on their way in at once, in KiB.
const WIRE_KIB: usize = 16 * 1024;
/// Bytes of batches, unpacked, that may be decoded or wait for the writer at once, in KiB.
const PLAIN_KIB: usize = 32 * 1024;
/// How long a batch waits for room before its sender is told to come again.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a batch may wait for the writer. It may still be stored afterwards; sending it again is harmless.
const WRITER_PATIENCE: Duration = Duration::from_secs(30);
/// The most that is read and thrown away so that the sender of too large a batch gets to hear so.
const DISCARD_BYTES: u64 = 64 << 20;

/// Where batches come in.
pub struct Intake {
    app: App,
    limits: Limits,
    deadline: Duration,
    /// In KiB. Apart from the other, so that senders that are slow do not keep out those that have sent.
    wire: Semaphore,
    plain: Semaphore,
    /// Decoding keeps a core busy: more at once than there are cores would only hold more memory.
    decoders: Semaphore,
}

impl Intake {
    pub fn new(app: App, deadline: Duration) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            app,
            limits: Limits::default(),
            deadline,
            wire: Semaphore::new(WIRE_KIB),
            plain: Semaphore::new(PLAIN_KIB),
            decoders: Semaphore::new(cores),
        }
    }

    /// Answers once the batch is durably stored.
    ///
    /// # Errors
    /// 411, 413, 415 by the headers; 408 when it arrives too slowly; 413 and 422 by its content; 503 when there is no
    /// room, on the disk or in memory.
    pub async fn post(&self, headers: &HeaderMap, incoming: Incoming) -> Result<Response, Refusal> {
        let admitted = Coding::of(headers).and_then(|coding| {
            Ok((
                coding,
                announced(headers, &incoming, self.limits.wire_bytes)?,
            ))
        });
        let (coding, length) = match admitted {
            Ok(admitted) => admitted,
            Err(refusal) => {
                body::discard(incoming, DISCARD_BYTES, self.deadline).await;
                return Err(refusal);
            }
        };
        let sending = room(&self.wire, length).await?;
        let bytes = body::read(incoming, self.deadline).await?;
        let mut held = room(&self.plain, self.most_plain(coding, length)).await?;
        let (batch, plain_bytes) = self.decode(coding, bytes).await?;
        drop(sending);
        // What it might have become was held; from here on what it is.
        let spare = held.num_permits().saturating_sub(kib(plain_bytes) as usize);
        drop(held.split(spare));
        let receipt = self.store(batch).await?;
        Ok(json(StatusCode::OK, &receipt))
    }

    /// The most bytes that a body of this length can become.
    fn most_plain(&self, coding: Coding, length: u64) -> u64 {
        match coding {
            Coding::Identity => length,
            Coding::Gzip => length
                .saturating_mul(self.limits.ratio)
                .max(Limits::RATIO_FREE_BYTES)
                .min(self.limits.inflated_bytes),
        }
    }

    /// The batch, and how many bytes it has unpacked.
    async fn decode(&self, coding: Coding, bytes: Vec<u8>) -> Result<(wire::Batch, u64), Refusal> {
        let Ok(_turn) = self.decoders.acquire().await else {
            return Err(Error::Stopping.into());
        };
        let limits = self.limits;
        let decoded = tokio::task::spawn_blocking(move || {
            let plain = match coding {
                Coding::Identity => bytes,
                Coding::Gzip => wire::inflate(&bytes, &limits)?,
            };
            Ok((wire::decode(&plain)?, plain.len() as u64))
        });
        match decoded.await {
            Ok(Ok(decoded)) => Ok(decoded),
            Ok(Err(error)) => Err(unreadable(error)),
            Err(panic) => Err(Refusal::fault(&panic)),
        }
    }

    async fn store(&self, batch: wire::Batch) -> Result<Receipt, Refusal> {
        let (done, stored) = oneshot::channel();
        // The sender may have gone; the batch is stored all the same.
        self.app
            .submit(batch, Box::new(move |result| drop(done.send(result))))?;
        match timeout(WRITER_PATIENCE, stored).await {
            Ok(Ok(result)) => Ok(result?),
            Ok(Err(_)) => Err(Error::Stopping.into()),
            Err(_) => Err(busy("the writer is behind")),
        }
    }
}

/// Waits for room for so many bytes.
async fn room(of: &Semaphore, bytes: u64) -> Result<SemaphorePermit<'_>, Refusal> {
    match timeout(PATIENCE, of.acquire_many(kib(bytes))).await {
        Ok(Ok(permit)) => Ok(permit),
        _ => Err(busy("too many batches are under way").closing()),
    }
}

/// Never more than the limits on one batch, which are far below what there is room for.
fn kib(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

/// A batch that no later try makes readable, unless the fault is ours.
fn unreadable(error: Error) -> Refusal {
    let for_good = error.code() == Code::Invalid;
    let mut refusal = Refusal::from(error);
    if for_good {
        refusal.status = StatusCode::UNPROCESSABLE_ENTITY;
    }
    refusal
}

fn busy(message: &'static str) -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message).retry_after(1)
}
