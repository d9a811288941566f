//! A connection for one question that sets something on it, and the statements of questions.

use std::path::Path;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use rusqlite::trace::{TraceEvent, TraceEventCodes};

use super::log::LongRead;
use super::open_reader;
use crate::Result;
use crate::lock::lock;

/// Runs `question` on a connection that is closed afterwards, however long it takes.
///
/// # Errors
/// As [`open_reader`], and those of `question`.
pub(crate) fn apart<T>(
    dir: &Path,
    question: impl FnOnce(&mut Connection) -> Result<T>,
) -> Result<T> {
    let mut db = open_reader(dir)?;
    let _long = LongRead::by(&db);
    question(&mut db)
}

/// One statement that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stated {
    /// As written, with names for its values.
    pub(crate) written: String,
    /// With the values written into it.
    pub(crate) filled: String,
}

/// Notes the statements of connections, in the order in which they begin.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<Stated>>>);

impl Notes {
    /// Notes what `db` runs from now on.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub(crate) fn watch(&self, db: &mut Connection) -> Result<()> {
        let notes = self.clone();
        let note = move |event: TraceEvent<'_>| {
            let TraceEvent::Stmt(statement, _) = event else {
                return;
            };
            if let Some(filled) = statement.expanded_sql() {
                let written = statement.sql().into_owned();
                notes.lock().push(Stated { written, filled });
            }
        };
        db.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(note))?;
        Ok(())
    }

    /// What was noted since the last call.
    pub(crate) fn take(&self) -> Vec<Stated> {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Stated>> {
        lock(&self.0)
    }
}
