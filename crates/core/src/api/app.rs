//! One open Bobbin: its folder, its store and its clock.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::change::Listeners;
use super::{Change, ReceiverStatus, Subscription};
use crate::clock::Clock;
use crate::ingest::Receipt;
use crate::install::Token;
use crate::model::Micros;
use crate::wire::Batch;
use crate::{Error, Result};

/// What one may do with the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Writes, and keeps others from writing: one a folder.
    Owner,
    /// Reads, beside an owner or alone, and creates nothing.
    Reader,
}

struct Inner {
    dir: PathBuf,
    clock: Arc<dyn Clock>,
    listeners: Listeners,
    receiver: Mutex<Option<ReceiverStatus>>,
}

/// One open Bobbin. Clones are the same one.
#[derive(Clone)]
pub struct App(Arc<Inner>);

impl App {
    /// Opens the store in `dir`.
    ///
    /// # Errors
    /// [`Error::StoreInUse`], [`Error::StoreMissing`] (readers), [`Error::StoreTooNew`], [`Error::StoreDamaged`],
    /// [`Error::Loosened`], [`Error::Io`].
    pub fn open(dir: &Path, role: Role, clock: Arc<dyn Clock>) -> Result<App> {
        if role == Role::Owner {
            crate::install::prepare(dir)?;
        }
        Ok(App(Arc::new(Inner {
            dir: dir.into(),
            clock,
            listeners: Listeners::default(),
            receiver: Mutex::default(),
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
        _batch: Batch,
        _done: Box<dyn FnOnce(Result<Receipt>) + Send>,
    ) -> Result<()> {
        Err(Error::Stopping)
    }

    /// Stores a batch and waits for it. For imports, stories and tests.
    ///
    /// # Errors
    /// As [`App::submit`], and whatever keeps the batch from being stored.
    pub fn ingest(&self, _batch: Batch) -> Result<Receipt> {
        Err(Error::Stopping)
    }

    /// Calls `listener` after each commit until the subscription is dropped.
    pub fn subscribe(&self, listener: Box<dyn Fn(&Change) + Send + Sync>) -> Subscription {
        self.0.listeners.subscribe(listener)
    }

    /// Refuses new work, commits what is queued, and puts the log into the file. May be called twice.
    ///
    /// # Errors
    /// [`Error::Sqlite`], [`Error::DiskFull`].
    pub fn drain(&self) -> Result<()> {
        Ok(())
    }

    /// Says where the receiver listens, for `status`.
    pub fn set_receiver(&self, receiver: Option<ReceiverStatus>) {
        *self
            .0
            .receiver
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = receiver;
    }

    /// Counts a request that the receiver refused, for `status`.
    pub fn count_refusal(&self, _reason: &'static str) {}

    /// Asks a cluster to close: its next receipt within 60 s carries the order.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if the cluster does not allow it or is over.
    pub fn request_stop(&self, _id: i64) -> Result<()> {
        Err(Error::Stopping)
    }

    /// A new key with which a plugin may write and nothing else. Only its digest is stored.
    ///
    /// # Errors
    /// As [`App::submit`].
    pub fn new_ingest_key(&self) -> Result<Token> {
        Err(Error::Stopping)
    }

    /// Whether this is a key that was handed out.
    pub fn ingest_key_known(&self, _presented: &str) -> bool {
        false
    }

    /// Stores the demo stories, shifted in time so that they ended a moment ago. Gives the number of batches.
    ///
    /// # Errors
    /// As [`App::ingest`].
    pub fn load_demo(&self) -> Result<usize> {
        Err(Error::Stopping)
    }
}
