//! The one writer: a thread that puts what is queued into one transaction, so that many senders share one wait for the
//! disk. Each job has a savepoint of its own, so that one that fails does not sink the others.

use std::fs::File;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::{Opened, is_full};
use crate::{Error, Result};

/// Jobs that may wait.
const QUEUE: usize = 256;
/// Work for one commit: a sender waits for those who came with it, but not for long.
const GATHER: Duration = Duration::from_millis(25);

/// What the writer keeps between jobs.
pub(crate) trait Batches: Send + 'static {
    /// The jobs since the last call are durable.
    fn committed(&mut self);
    /// A job was undone: what was remembered of the store may be wrong.
    fn rolled_back(&mut self);
}

/// One piece of work.
pub(crate) trait Job<S>: Send {
    /// Writes, inside a savepoint.
    fn run(&mut self, db: &Connection, state: &mut S) -> Result<()>;
    /// Says how it went, after the commit.
    fn finish(self: Box<Self>, stored: Result<()>);
}

type Boxed<S> = Box<dyn Job<S>>;

/// The handle of the writer's thread.
pub(crate) struct Writer<S> {
    queue: Mutex<Option<SyncSender<Boxed<S>>>>,
    thread: Mutex<Option<JoinHandle<Result<()>>>>,
}

impl<S: Batches> Writer<S> {
    /// Starts the thread, which owns the connection and the lock from now on.
    ///
    /// # Errors
    /// [`Error::Io`] if no thread can be had.
    pub(crate) fn start(opened: Opened, state: S) -> Result<Self> {
        let (sender, receiver) = sync_channel(QUEUE);
        let Opened { lock, db } = opened;
        let thread = std::thread::Builder::new()
            .name("bobbin-writer".into())
            .spawn(move || work(db, lock, state, &receiver))
            .map_err(|source| Error::Io {
                path: "writer thread".into(),
                source,
            })?;
        Ok(Self {
            queue: Mutex::new(Some(sender)),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Queues a job, at once or never.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::Stopping`].
    pub(crate) fn offer(&self, job: Boxed<S>) -> Result<()> {
        let queue = lock(&self.queue);
        let queue = queue.as_ref().ok_or(Error::Stopping)?;
        queue.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => Error::Busy,
            TrySendError::Disconnected(_) => Error::Stopping,
        })
    }

    /// Queues a job, waiting for room.
    ///
    /// # Errors
    /// [`Error::Stopping`].
    pub(crate) fn push(&self, job: Boxed<S>) -> Result<()> {
        let queue = lock(&self.queue).clone().ok_or(Error::Stopping)?;
        queue.send(job).map_err(|_| Error::Stopping)
    }
}

impl<S> Writer<S> {
    /// Takes no more work, commits what is queued, puts the log into the file and gives the lock back.
    ///
    /// # Errors
    /// [`Error::Sqlite`], [`Error::DiskFull`]: the work is safe in the log even then.
    pub(crate) fn stop(&self) -> Result<()> {
        drop(lock(&self.queue).take());
        match lock(&self.thread).take() {
            // The last handle may be dropped by a callback of the writer itself, which then ends by itself.
            Some(thread) if thread.thread().id() == std::thread::current().id() => Ok(()),
            Some(thread) => thread
                .join()
                .unwrap_or_else(|_| Err(Error::NotStored("the writer failed".into()))),
            None => Ok(()),
        }
    }
}

impl<S> Drop for Writer<S> {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            tracing::error!(%error, "the store was not closed properly");
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn work<S: Batches>(
    db: Connection,
    lock: File,
    mut state: S,
    queue: &Receiver<Boxed<S>>,
) -> Result<()> {
    while let Ok(first) = queue.recv() {
        group(&db, &mut state, first, queue);
    }
    let checkpoint = db
        .query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))
        .map_err(named);
    let closed = db.close().map_err(|(_, error)| named(error));
    drop(lock);
    checkpoint.and(closed)
}

/// One commit.
fn group<S: Batches>(db: &Connection, state: &mut S, first: Boxed<S>, queue: &Receiver<Boxed<S>>) {
    let begun = db.execute_batch("begin immediate").map_err(named);
    let end = Instant::now() + GATHER;
    let mut jobs: Vec<(Boxed<S>, Result<()>)> = Vec::new();
    let mut next = Some(first);
    while let Some(mut job) = next {
        // Once the transaction is gone, so are the jobs before: the rest is failed too, and sent again.
        let stored = if begun.is_ok() && !db.is_autocommit() {
            save(db, state, &mut *job)
        } else {
            Err(gone())
        };
        jobs.push((job, stored));
        next = if jobs.len() < QUEUE && Instant::now() < end {
            queue.try_recv().ok()
        } else {
            None
        };
    }
    let committed = begun.and_then(|()| commit(db));
    if let Err(error) = &committed {
        tracing::error!(%error, batches = jobs.len(), "a commit failed; its batches are not acknowledged");
        state.rolled_back();
    }
    for (job, stored) in jobs {
        job.finish(match &committed {
            Ok(()) => stored,
            Err(error) => Err(again(error)),
        });
    }
    if committed.is_ok() {
        state.committed();
    }
}

fn commit(db: &Connection) -> Result<()> {
    if db.is_autocommit() {
        return Err(gone());
    }
    db.execute_batch("commit").map_err(|error| {
        if !db.is_autocommit()
            && let Err(error) = db.execute_batch("rollback")
        {
            tracing::error!(%error, "a transaction does not end");
        }
        named(error)
    })
}

fn save<S: Batches>(db: &Connection, state: &mut S, job: &mut dyn Job<S>) -> Result<()> {
    db.execute_batch("savepoint job").map_err(named)?;
    let stored = job.run(db, state).map_err(|error| match error {
        Error::Sqlite(error) => named(error),
        other => other,
    });
    if stored.is_ok() {
        return db.execute_batch("release job").map_err(named);
    }
    state.rolled_back();
    // SQLite itself undoes everything after some faults, such as a full disk.
    if !db.is_autocommit() {
        db.execute_batch("rollback to job; release job")
            .map_err(named)?;
    }
    stored
}

/// What happens when the transaction was undone beneath its jobs: only a full disk does that.
fn gone() -> Error {
    Error::DiskFull
}

fn named(error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        _ if is_full(&error) => Error::DiskFull,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy,
        _ => Error::Sqlite(error),
    }
}

/// The same fault, for the next job of the group.
fn again(error: &Error) -> Error {
    match error {
        Error::DiskFull => Error::DiskFull,
        Error::Busy => Error::Busy,
        other => Error::NotStored(other.to_string()),
    }
}
