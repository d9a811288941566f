//! The one writer: a thread that puts what is queued into one transaction, so that many senders share one wait for the
//! disk. A job that fails does not sink the others: all of them are undone and run once more, each with a savepoint of its
//! own. Without a failure there is none, since SQLite copies each page that changes after a savepoint. A job that panics fails,
//! too: the thread goes on. In a store that is damaged nothing is written any more, not even its log into the file.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};

use super::log::Log;
use super::{Checked, Opened, full};
use crate::install::failed_at;
use crate::lock::lock;
use crate::{Error, Result};

/// Jobs that may wait: all batches that are let in (`api/queued.rs`), and one more of each connection.
const QUEUE: usize = 1_024;
/// Work for one commit: a sender waits for those who came with it, but not for long.
const GATHER: Duration = Duration::from_millis(25);
/// Between two looks at nothing, where nothing is due.
const IDLE: Duration = Duration::from_secs(3_600);
/// How long what nobody asks for is put off by work that waits. Then a step is taken between two commits all the same.
const PUT_OFF: Duration = Duration::from_secs(1);

/// What the writer keeps between jobs.
pub(crate) trait Batches: Send + 'static {
    /// The jobs since the last call are durable.
    fn committed(&mut self);
    /// A job was undone: what was remembered of the store may be wrong.
    fn rolled_back(&mut self);
    /// Writes what the jobs so far left to be written together: before each commit, and before a savepoint.
    ///
    /// # Errors
    /// Nothing of the transaction is committed then.
    fn settle(&mut self, db: &Connection) -> Result<()>;
    /// When [`Batches::maintain`] is to be called next; it may be passed already.
    fn maintain_at(&self) -> Instant;
    /// Does a small piece of what is due without anybody asking, in transactions of its own, when no job waits or it was put
    /// off for a second. What is left waits until [`Batches::maintain_at`]. Says whether the next piece goes
    /// before the next job.
    ///
    /// # Errors
    /// Nothing of the piece is done then, and it is tried again: nobody waits for it.
    fn maintain(&mut self, db: &Connection) -> Result<bool>;
    /// No more jobs come: the last that it does before the store is closed.
    fn closing(&mut self, db: &Connection);
}

/// One piece of work.
pub(crate) trait Job<S>: Send {
    /// Whether it may run once more after what it did was undone. One that may not has a savepoint.
    fn repeats(&self) -> bool;
    /// Writes, inside the transaction of its group.
    fn run(&mut self, db: &Connection, state: &mut S) -> Result<()>;
    /// It panicked, and what it did is about to be undone. Whether it leaves out what it panicked at, and may run once more; each
    /// time it leaves out more.
    fn panicked(&mut self, state: &mut S) -> bool;
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
        let Opened {
            lock,
            db,
            log,
            checked,
        } = opened;
        let thread = std::thread::Builder::new()
            .name("bobbin-writer".into())
            .spawn(move || {
                let ended = work((db, log), state, &receiver, &checked);
                if ended.is_ok() {
                    checked.closed();
                }
                drop(lock);
                ended
            })
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

fn work<S: Batches>(
    (db, mut log): (Connection, Log),
    mut state: S,
    queue: &Receiver<Boxed<S>>,
    checked: &Checked,
) -> Result<()> {
    let mut waits = None;
    loop {
        let patience = match checked.damaged() {
            None => state
                .maintain_at()
                .saturating_duration_since(Instant::now()),
            Some(_) => IDLE,
        };
        let next = match waits.take() {
            Some(job) => Ok(job),
            None => queue.recv_timeout(patience),
        };
        match next {
            Ok(first) => match checked.damaged() {
                Some(damaged) => first.finish(Err(damaged)),
                None => {
                    group(&db, &mut state, first, queue, checked);
                    copy_log(&db, &mut log, checked);
                }
            },
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        let due = state.maintain_at();
        if due <= Instant::now() && checked.damaged().is_none() {
            waits = queue.try_recv().ok();
            if waits.is_none() || due.elapsed() > PUT_OFF {
                while checked.damaged().is_none() && maintain(&db, &mut log, &mut state, checked) {}
            }
        }
    }
    if checked.damaged().is_some() {
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        return db.close().map_err(|(db, error)| named(&db, error.into()));
    }
    state.closing(&db);
    let checkpoint = db
        .query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))
        .map_err(|error| named(&db, error.into()));
    let closed = db.close().map_err(|(db, error)| named(&db, error.into()));
    checkpoint.and(closed)
}

/// Does a piece of what is due, and copies the log behind it; whether the next goes before the next job.
fn maintain<S: Batches>(db: &Connection, log: &mut Log, state: &mut S, checked: &Checked) -> bool {
    let presses = state.maintain(db).unwrap_or_else(|error| {
        // The disk may be full, or another process may read.
        let error = checked.met(error);
        tracing::warn!(%error, "Bobbin could not tidy the store; it retries");
        false
    });
    copy_log(db, log, checked);
    presses
}

/// Puts the log into the file where that is due; not into one that was just found damaged.
fn copy_log(db: &Connection, log: &mut Log, checked: &Checked) {
    if checked.damaged().is_none() {
        log.copy(db);
    }
}

/// One commit.
fn group<S: Batches>(
    db: &Connection,
    state: &mut S,
    first: Boxed<S>,
    queue: &Receiver<Boxed<S>>,
    checked: &Checked,
) {
    let end = Instant::now() + GATHER;
    let mut begun = begin(db);
    let mut jobs: Vec<(Boxed<S>, Result<()>)> = Vec::new();
    let mut alone = false;
    let mut next = Some(first);
    while let Some(mut job) = next {
        alone |= !job.repeats();
        let mut stored = run(db, state, &mut *job, &mut begun, alone);
        if let Err(error) = &stored
            && !alone
        {
            if begun.is_ok() && db.is_autocommit() {
                tracing::warn!(%error, "SQLite undid a commit; Bobbin writes it again");
            }
            alone = true;
            state.rolled_back();
            begun = begun.and_then(|()| undo(db)).and_then(|()| begin(db));
            for (job, stored) in &mut jobs {
                *stored = run(db, state, &mut **job, &mut begun, alone);
            }
            stored = run(db, state, &mut *job, &mut begun, alone);
        }
        jobs.push((job, stored));
        next = if jobs.len() < QUEUE && Instant::now() < end {
            queue.try_recv().ok()
        } else {
            None
        };
    }
    let committed = begun
        .and_then(|()| commit(db, state))
        .map_err(|error| checked.met(error));
    if let Err(error) = &committed {
        tracing::error!(%error, batches = jobs.len(), "a commit failed; its batches are not acknowledged");
        state.rolled_back();
    }
    for (job, stored) in jobs {
        job.finish(match &committed {
            Ok(()) => stored.map_err(|error| checked.met(error)),
            Err(error) => Err(again(error)),
        });
    }
    if committed.is_ok() {
        state.committed();
    }
}

/// Runs a job in the transaction, if there is one; `alone` so that nothing but the job itself is undone if it fails. Where the
/// transaction goes with it, its fault is that of all.
fn run<S: Batches>(
    db: &Connection,
    state: &mut S,
    job: &mut dyn Job<S>,
    begun: &mut Result<()>,
    alone: bool,
) -> Result<()> {
    // Once the transaction is gone, so are the jobs before: the rest is failed too, and sent again.
    if let Err(error) = begun {
        return Err(again(error));
    }
    if !alone {
        return attempt(db, state, job).0;
    }
    save(db, state, job).inspect_err(|error| {
        if db.is_autocommit() {
            *begun = Err(again(error));
        }
    })
}

fn begin(db: &Connection) -> Result<()> {
    control(db, "begin immediate")
}

fn undo(db: &Connection) -> Result<()> {
    // SQLite itself undoes everything after some faults: a disk that is full, or that fails.
    if db.is_autocommit() {
        return Ok(());
    }
    control(db, "rollback")
}

/// Runs a statement about transactions, which is prepared once: that takes longer than to run it.
fn control(db: &Connection, sql: &str) -> Result<()> {
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.execute([]))
        .map(drop)
        .map_err(|error| named(db, error.into()))
}

fn commit<S: Batches>(db: &Connection, state: &mut S) -> Result<()> {
    let settled = state.settle(db).map_err(|error| named(db, error));
    settled
        .and_then(|()| control(db, "commit"))
        .inspect_err(|_| {
            if let Err(error) = undo(db) {
                tracing::error!(%error, "a transaction does not end");
            }
        })
}

fn save<S: Batches>(db: &Connection, state: &mut S, job: &mut dyn Job<S>) -> Result<()> {
    loop {
        state.settle(db).map_err(|error| named(db, error))?;
        control(db, "savepoint job")?;
        let (stored, again) = attempt(db, state, job);
        if stored.is_ok() {
            return control(db, "release job");
        }
        state.rolled_back();
        if db.is_autocommit() {
            return stored;
        }
        control(db, "rollback to job")?;
        control(db, "release job")?;
        if !again {
            return stored;
        }
    }
}

/// Runs a job once, and says whether it may run again after a panic.
fn attempt<S: Batches>(db: &Connection, state: &mut S, job: &mut dyn Job<S>) -> (Result<()>, bool) {
    // What it leaves half done is undone: in the store, and in what is remembered of it.
    match catch_unwind(AssertUnwindSafe(|| job.run(db, state))) {
        Ok(stored) => (stored.map_err(|error| named(db, error)), false),
        Err(_) => {
            // Not what it says: that may be what a cluster said. The place is enough to find the fault.
            let place = failed_at().unwrap_or_else(|| "a place that is not known".into());
            tracing::error!(%place, "Bobbin failed to store something, by a fault of its own");
            let again = job.panicked(state);
            let told = "a fault in Bobbin; its log has the details";
            (Err(Error::NotStored(told.into())), again)
        }
    }
}

/// Whether somebody else holds a lock.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Names the error that `db` met last.
fn named(db: &Connection, error: Error) -> Error {
    match full(db, error) {
        Error::Sqlite(error) if is_busy(&error) => Error::Busy,
        other => other,
    }
}

/// The same fault, for the next job of the group.
fn again(error: &Error) -> Error {
    match error {
        Error::DiskFull => Error::DiskFull,
        Error::Busy => Error::Busy,
        Error::StoreDamaged { path, detail } => Error::StoreDamaged {
            path: path.clone(),
            detail: detail.clone(),
        },
        Error::NotStored(reason) => Error::NotStored(reason.clone()),
        other => Error::NotStored(other.to_string()),
    }
}
