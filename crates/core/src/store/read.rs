//! A few read-only connections.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

use super::open_reader;
use crate::Result;

/// Connections kept for the next question.
const KEPT: usize = 4;
/// A read that takes longer holds up the log: it is interrupted.
const LONGEST: Duration = Duration::from_secs(5);

/// Who reads.
pub(crate) struct Readers {
    dir: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// Opens one, so that faults show at once.
    ///
    /// # Errors
    /// As [`open_reader`].
    pub(crate) fn open(dir: &Path) -> Result<Self> {
        let first = open_reader(dir)?;
        Ok(Self {
            dir: dir.into(),
            idle: Mutex::new(vec![first]),
        })
    }

    /// Runs `question` on one state of the store, whatever is written meanwhile.
    ///
    /// # Errors
    /// Those of `question`; [`crate::Error::Sqlite`], also if it took longer than five seconds.
    pub(crate) fn read<T>(&self, question: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let kept = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let mut db = match kept {
            Some(db) => db,
            None => open_reader(&self.dir)?,
        };
        let end = Instant::now() + LONGEST;
        db.progress_handler(10_000, Some(move || Instant::now() > end))?;
        let tx = db.transaction_with_behavior(TransactionBehavior::Deferred)?;
        let answer = question(&tx);
        tx.finish()?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(db);
        }
        answer
    }

    /// Closes the connections that nobody uses.
    pub(crate) fn close(&self) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}
