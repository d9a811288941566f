//! `POST /v1/batches`: read within limits, unpacked and decoded off the network's threads, stored, then acknowledged.

use std::sync::Arc;
use std::time::Duration;

use bobbin_core::api::App;
use bobbin_core::ingest::Receipt;
use bobbin_core::wire::{self, Limits};
use bobbin_core::{Code, Error};
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use crate::answer::{Refusal, Response, json};
use crate::body;
use crate::gate::{Coding, announced};

/// Bytes of batches that may be under way at once, packed and unpacked together, in KiB.
const ROOM_KIB: u32 = 64 * 1024;
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
    room: Arc<Semaphore>,
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
            room: Arc::new(Semaphore::new(ROOM_KIB as usize)),
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
        let wanted = self.room.acquire_many(self.need_kib(coding, length));
        let Ok(Ok(_room)) = timeout(PATIENCE, wanted).await else {
            return Err(busy("too many batches are under way").closing());
        };
        let bytes = body::read(incoming, self.deadline).await?;
        let batch = self.decode(coding, bytes).await?;
        let receipt = self.store(batch).await?;
        Ok(json(StatusCode::OK, &receipt))
    }

    /// Room for a batch while it is under way: what is on the wire, and the most that it can become.
    fn need_kib(&self, coding: Coding, length: u64) -> u32 {
        let inflated = match coding {
            Coding::Identity => 0,
            Coding::Gzip => length
                .saturating_mul(self.limits.ratio)
                .max(Limits::RATIO_FREE_BYTES)
                .min(self.limits.inflated_bytes),
        };
        u32::try_from((length + inflated).div_ceil(1024)).map_or(ROOM_KIB, |kib| kib.min(ROOM_KIB))
    }

    async fn decode(&self, coding: Coding, bytes: Vec<u8>) -> Result<wire::Batch, Refusal> {
        let Ok(_turn) = self.decoders.acquire().await else {
            return Err(Error::Stopping.into());
        };
        let limits = self.limits;
        let decoded = tokio::task::spawn_blocking(move || match coding {
            Coding::Identity => wire::decode(&bytes),
            Coding::Gzip => wire::decode(&wire::inflate(&bytes, &limits)?),
        });
        match decoded.await {
            Ok(Ok(batch)) => Ok(batch),
            Ok(Err(error)) if error.code() == Code::Invalid => {
                let mut refusal = Refusal::from(error);
                refusal.status = StatusCode::UNPROCESSABLE_ENTITY;
                Err(refusal)
            }
            Ok(Err(error)) => Err(error.into()),
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

fn busy(message: &'static str) -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message).retry_after(1)
}
