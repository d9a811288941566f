//! A few read-only connections.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

use super::log::{self, LongRead};
use super::open::open_reading;
use super::places::Places;
use super::{Checked, Notes};
use crate::Result;
use crate::lock::lock;

/// Connections kept for the next question.
const KEPT: usize = 4;
/// Questions that are answered at once, each with up to 32 MiB of pages.
const MOST: usize = 8;
/// A read that takes longer holds up the log: it is interrupted.
const LONGEST: Duration = Duration::from_secs(5);

/// Who reads.
pub(crate) struct Readers {
    /// Told of damage that is met.
    checked: Checked,
    idle: Mutex<Vec<Connection>>,
    places: Places,
    /// After so long a read is interrupted.
    longest: Duration,
    notes: Option<Notes>,
}

impl Readers {
    /// Opens one, so that faults show at once.
    ///
    /// # Errors
    /// As [`super::open_reader`].
    pub(crate) fn open(checked: Checked) -> Result<Self> {
        let (first, keeps) = open_reading(checked.dir())?;
        Ok(Self {
            checked,
            idle: Mutex::new(if keeps { vec![first] } else { Vec::new() }),
            places: Places::new(MOST),
            longest: LONGEST,
            notes: None,
        })
    }

    /// Opens none yet; those that it opens are noted.
    pub(crate) fn noted(checked: Checked, notes: Notes) -> Self {
        Self {
            checked,
            idle: Mutex::default(),
            places: Places::new(MOST),
            longest: LONGEST,
            notes: Some(notes),
        }
    }

    /// Runs `question` on one state of the store, whatever is written meanwhile. Where many ask at once it waits for its turn.
    ///
    /// # Errors
    /// Those of `question`; [`crate::Error::Sqlite`], also if it took longer than five seconds.
    pub(crate) fn read<T>(&self, question: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.answer(question)
            .map_err(|error| self.checked.met(error))
    }

    fn answer<T>(&self, question: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let _place = self.places.take();
        let kept = lock(&self.idle).pop();
        let (mut db, keeps) = match kept {
            Some(db) => (db, true),
            None => self.another()?,
        };
        let _read = log::enter(&db);
        let end = Instant::now() + self.longest;
        db.progress_handler(10_000, Some(move || Instant::now() > end))?;
        let tx = db.transaction_with_behavior(TransactionBehavior::Deferred)?;
        let answer = question(&tx);
        tx.finish()?;
        let mut idle = lock(&self.idle);
        if keeps && idle.len() < KEPT {
            idle.push(db);
        }
        answer
    }

    /// Runs `question` on one state of the store, however long it takes, by a connection of its own.
    ///
    /// # Errors
    /// Those of `question`; [`crate::Error::Sqlite`].
    pub(crate) fn read_long(
        &self,
        question: &mut dyn FnMut(&Connection) -> Result<()>,
    ) -> Result<()> {
        self.answer_long(question)
            .map_err(|error| self.checked.met(error))
    }

    fn answer_long(&self, question: &mut dyn FnMut(&Connection) -> Result<()>) -> Result<()> {
        let (mut db, _) = self.another()?;
        let _long = LongRead::by(&db);
        let tx = db.transaction_with_behavior(TransactionBehavior::Deferred)?;
        question(&tx)?;
        Ok(tx.finish()?)
    }

    /// Another one, and whether it may be kept.
    fn another(&self) -> Result<(Connection, bool)> {
        let (mut db, keeps) = open_reading(self.checked.dir())?;
        if let Some(notes) = &self.notes {
            notes.watch(&mut db)?;
        }
        Ok((db, keeps))
    }

    /// Closes the connections that nobody uses.
    pub(crate) fn close(&self) {
        lock(&self.idle).clear();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rusqlite::ErrorCode;

    use super::super::log::Log;
    use super::super::{log_bytes, open_owner};
    use super::*;
    use crate::Error;
    use crate::model::Micros;

    /// It reads the store, so that it keeps a state of it.
    const ENDLESS: &str = "with recursive n (i) as (
                               select count(*) from name union all select i + 1 from n
                           ) select count(*) from n";

    fn number(db: &Connection, sql: &str) -> Result<i64> {
        Ok(db.query_one(sql, [], |row| row.get(0))?)
    }

    #[test]
    fn a_read_without_end_is_interrupted_and_neither_its_connection_nor_the_log_stays_held() {
        let dir = tempfile::tempdir().unwrap();
        let mut opened = open_owner(dir.path(), Micros(0)).unwrap();
        opened.db.pragma_update(None, "synchronous", "off").unwrap();
        let mut log = Log::of(&mut opened.db, 50).unwrap();
        let mut readers = Readers::open(opened.checked.clone()).unwrap();
        readers.longest = Duration::from_millis(500);
        // At least forty kilobytes.
        let mut write = || {
            let sql = "insert into name (text) values (hex(randomblob(20000)))";
            opened.db.execute(sql, []).unwrap();
            log.copy(&opened.db);
            thread::sleep(Duration::from_millis(3));
        };
        (0..5).for_each(|_| write());
        let before = log_bytes(dir.path());
        let begun = Instant::now();
        let error = thread::scope(|scope| {
            let reading = scope.spawn(|| readers.read(|db| number(db, ENDLESS)));
            while !reading.is_finished() {
                write();
            }
            reading.join().unwrap().unwrap_err()
        });
        assert!(begun.elapsed() >= readers.longest);
        let interrupted = Some(ErrorCode::OperationInterrupted);
        assert!(
            matches!(&error, Error::Sqlite(error) if error.sqlite_error_code() == interrupted),
            "{error}"
        );
        let grown = log_bytes(dir.path());
        assert!(grown > before, "nothing was held up");

        let names = || {
            let names = readers.read(|db| number(db, "select count(*) from name"));
            assert_eq!(lock(&readers.idle).len(), 1, "it is the same connection");
            names.unwrap()
        };
        let first = names();
        (0..50).for_each(|_| write());
        let after = log_bytes(dir.path());
        assert!(after < grown + 1_000_000, "it grows on: {grown}, {after}");
        assert_eq!(names(), first + 50);
    }
}
