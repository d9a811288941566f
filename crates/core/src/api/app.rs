//! One open Bobbin: its folder, its store and its clock.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::change::Listeners;
use super::{Change, ReceiverStatus, Subscription};
use crate::clock::Clock;
use crate::ingest::{self, BatchJob, Ingest, KeyJob, Receipt, StopOrders};
use crate::install::{self, Token};
use crate::model::Micros;
use crate::store::{self, Readers, Writer};
use crate::wire::Batch;
use crate::{Error, Result};

/// Plain bytes of batches that may wait; the parsed ones take a small multiple of it.
const QUEUED_BYTES: u64 = 32 << 20;

/// What one may do with the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Writes, and keeps others from writing: one a folder.
    Owner,
    /// Reads, beside an owner or alone, and creates nothing.
    Reader,
}

/// What the doors share.
struct Inner {
    dir: PathBuf,
    clock: Arc<dyn Clock>,
    listeners: Listeners,
    readers: Readers,
    writer: Option<Writer<Ingest>>,
    queued_bytes: Arc<AtomicU64>,
    orders: StopOrders,
    ingest_keys: Mutex<HashSet<[u8; 32]>>,
    receiver: Mutex<Option<ReceiverStatus>>,
    refused: Mutex<BTreeMap<String, u64>>,
}

/// One open Bobbin. Clones are the same one; with the last the store is closed.
#[derive(Clone)]
pub struct App(Arc<Inner>);

impl App {
    /// Opens the store in `dir`.
    ///
    /// # Errors
    /// [`Error::StoreInUse`], [`Error::StoreMissing`] (readers), [`Error::StoreTooNew`], [`Error::StoreDamaged`],
    /// [`Error::Loosened`], [`Error::DiskFull`], [`Error::Io`].
    pub fn open(dir: &Path, role: Role, clock: Arc<dyn Clock>) -> Result<App> {
        let listeners = Listeners::default();
        let writer = match role {
            Role::Reader => None,
            Role::Owner => {
                let opened = store::open_owner(dir)?;
                let install = ingest::install_key(&opened.db, dir, clock.now())?;
                ingest::heard_by_now(&opened.db, clock.now())?;
                let told = listeners.clone();
                let changed = Box::new(move |cluster_ids| told.tell(cluster_ids));
                Some(Writer::start(
                    opened,
                    Ingest::new(Arc::clone(&clock), install, changed),
                )?)
            }
        };
        let readers = Readers::open(dir)?;
        let ingest_keys = readers.read(ingest::ingest_keys)?;
        Ok(App(Arc::new(Inner {
            dir: dir.into(),
            clock,
            listeners,
            readers,
            writer,
            queued_bytes: Arc::default(),
            orders: StopOrders::default(),
            ingest_keys: Mutex::new(ingest_keys),
            receiver: Mutex::default(),
            refused: Mutex::default(),
        })))
    }

    /// The folder of this install.
    pub fn dir(&self) -> &Path {
        &self.0.dir
    }

    /// The time by this Bobbin's clock.
    pub fn now(&self) -> Micros {
        self.0.clock.now()
    }

    /// Hands a batch to the writer. `done` is called from the writer's thread once the batch is durable or has failed.
    ///
    /// # Errors
    /// At once: [`Error::Busy`] if the queue is full, [`Error::Stopping`] after [`App::drain`], [`Error::Refused`] for
    /// readers. `done` is then not called.
    pub fn submit(
        &self,
        batch: Batch,
        done: Box<dyn FnOnce(Result<Receipt>) + Send>,
    ) -> Result<()> {
        let bytes = batch.bytes;
        // One batch is always taken, however large.
        if self.0.queued_bytes.load(Ordering::Relaxed) > 0
            && self.0.queued_bytes.load(Ordering::Relaxed) + bytes > QUEUED_BYTES
        {
            return Err(Error::Busy);
        }
        self.writer()?
            .offer(self.job(batch, done))
            .inspect_err(|_| {
                self.0.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
            })
    }

    /// Stores a batch and waits for it. For imports, stories and tests.
    ///
    /// # Errors
    /// As [`App::submit`], and whatever keeps the batch from being stored.
    pub fn ingest(&self, batch: Batch) -> Result<Receipt> {
        let (sender, receiver) = sync_channel(1);
        let done = Box::new(move |receipt| {
            // The other end waits below; if it is gone, so is the process.
            let _ = sender.send(receipt);
        });
        self.writer()?.push(self.job(batch, done))?;
        receiver.recv().unwrap_or(Err(Error::Stopping))
    }

    /// Calls `listener` after each commit until the subscription is dropped.
    pub fn subscribe(&self, listener: Box<dyn Fn(&Change) + Send + Sync>) -> Subscription {
        self.0.listeners.subscribe(listener)
    }

    /// Refuses new work, commits what is queued, and puts the log into the file. May be called twice. Reading goes on.
    ///
    /// # Errors
    /// [`Error::Sqlite`], [`Error::DiskFull`].
    pub fn drain(&self) -> Result<()> {
        // The last connection to close removes the log, and only the writer's can.
        self.0.readers.close();
        self.0.writer.as_ref().map_or(Ok(()), Writer::stop)
    }

    /// Reads the whole store looking for damage, and gives the version of its schema. Takes seconds for some gigabytes.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`], [`Error::Sqlite`].
    pub fn inspect(&self) -> Result<u32> {
        store::inspect(self.dir())
    }

    /// Says where the receiver listens, for `status`.
    pub fn set_receiver(&self, receiver: Option<ReceiverStatus>) {
        *lock(&self.0.receiver) = receiver;
    }

    /// Counts a request that the receiver refused, for `status`.
    pub fn count_refusal(&self, reason: &'static str) {
        *lock(&self.0.refused).entry(reason.into()).or_default() += 1;
    }

    /// A new key with which a plugin may write and nothing else. Only its digest is stored.
    ///
    /// # Errors
    /// As [`App::submit`].
    pub fn new_ingest_key(&self) -> Result<Token> {
        let token = Token::random()?;
        let (sender, receiver) = sync_channel(1);
        let done = Box::new(move |stored| {
            // As in `ingest`.
            let _ = sender.send(stored);
        });
        self.writer()?.push(Box::new(KeyJob {
            digest: token.digest(),
            done,
        }))?;
        receiver.recv().unwrap_or(Err(Error::Stopping))?;
        lock(&self.0.ingest_keys).insert(token.digest());
        Ok(token)
    }

    /// Whether this is a key that was handed out. Digests are compared, so time tells nothing about a key.
    pub fn ingest_key_known(&self, presented: &str) -> bool {
        lock(&self.0.ingest_keys).contains(&install::digest(presented))
    }

    /// Asks a question of one state of the store.
    pub(crate) fn read<T>(&self, question: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.0.readers.read(question)
    }

    /// Where the receiver listens.
    pub(crate) fn receiver(&self) -> Option<ReceiverStatus> {
        lock(&self.0.receiver).clone()
    }

    /// Requests refused, by reason.
    pub(crate) fn refused(&self) -> BTreeMap<String, u64> {
        lock(&self.0.refused).clone()
    }

    /// Orders to close, for the writer to hand on.
    pub(crate) fn orders(&self) -> &StopOrders {
        &self.0.orders
    }

    fn writer(&self) -> Result<&Writer<Ingest>> {
        self.0
            .writer
            .as_ref()
            .ok_or_else(|| Error::Refused("this Bobbin only reads: another one writes".into()))
    }

    /// The writer's job for a batch; counts it as waiting until it is done.
    fn job(&self, batch: Batch, done: Box<dyn FnOnce(Result<Receipt>) + Send>) -> Box<BatchJob> {
        let bytes = batch.bytes;
        let queued = Arc::clone(&self.0.queued_bytes);
        queued.fetch_add(bytes, Ordering::Relaxed);
        let counted = move |receipt| {
            queued.fetch_sub(bytes, Ordering::Relaxed);
            done(receipt);
        };
        Box::new(BatchJob::new(
            batch,
            self.0.orders.clone(),
            Box::new(counted),
        ))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
