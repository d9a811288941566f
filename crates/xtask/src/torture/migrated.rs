//! `kill -9` of the real receiver while it brings a store of an older schema up to its own: every row of every table is there, as it
//! was or as the steps make it, and of one schema or the other.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use bobbin_core::clock::{Clock as _, SystemClock};
use fastrand::Rng;
use rusqlite::{Connection, OpenFlags};

use super::{Counted, folder::Folder, old, server::Server};
use crate::{
    process::{Failure, Result, say},
    tables::{Row, all, missing},
};

/// Of every table.
const ROWS: i64 = 600;
/// What a start writes by itself: deletions that nobody confirmed are forgotten, the clock is looked at, and stalled time is
/// counted once the table for it is there.
const AT_START: [&str; 3] = ["deletion", "retention_clock", "stalled_due"];

type Rows = BTreeMap<String, Vec<Row>>;

/// Kills it so many times.
///
/// # Errors
/// It does not start afterwards, or a store is of no schema.
pub fn run(bobbin: &Path, kills: u64, seed: u64) -> Result<Counted> {
    let folder = Folder::make("migrated")?;
    let steps = old::steps()?;
    // From the first schema on it takes longest.
    let first = Old::make(&folder.0, &steps, 1)?;
    let begun = Instant::now();
    let mut server = Server::start(bobbin, &first.store)?;
    server.door()?;
    let takes = begun.elapsed().as_micros() as u64;
    server.stop()?;
    let mut counted = Counted::default();
    first.compare(&mut counted, false)?;
    let mut rng = Rng::with_seed(seed);
    for _ in 0..kills {
        let old = Old::make(&folder.0, &steps, rng.usize(1..steps.len()))?;
        let mut server = Server::start(bobbin, &old.store)?;
        thread::sleep(Duration::from_micros(rng.u64(..takes)));
        server.kill()?;
        // Whoever opens it next looks into the log: no step is half done.
        old.compare(&mut counted, true)?;
        let mut server = Server::start(bobbin, &old.store)?;
        server.door()?;
        server.stop()?;
        old.compare(&mut counted, false)?;
        counted.faults += 1;
    }
    Ok(counted)
}

/// A store as a Bobbin of an older schema left it.
struct Old {
    store: PathBuf,
    schema: usize,
    newest: usize,
    /// Its rows, and what the steps make of them.
    before: Rows,
    after: Rows,
}

impl Old {
    /// Makes one in place of the last.
    fn make(folder: &Path, steps: &[String], schema: usize) -> Result<Self> {
        let (store, made) = (folder.join("store"), folder.join("made.sqlite"));
        if store.exists() {
            fs::remove_dir_all(&store)?;
        }
        // Bobbin opens no folder that others may read.
        fs::DirBuilder::new().mode(0o700).create(&store)?;
        let file = store.join("bobbin.sqlite");
        let mut private = fs::OpenOptions::new();
        private
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&file)?;
        let before = fill(&file, &steps[..schema]).map_err(|error| failed(schema, error))?;
        // Its log is in the file: nobody has it open.
        fs::copy(&file, &made)?;
        let after = bring(&made, &steps[schema..]).map_err(|error| failed(schema, error))?;
        fs::remove_file(&made)?;
        Ok(Self {
            store,
            schema,
            newest: steps.len(),
            before,
            after,
        })
    }

    /// Counts the rows that are there and those that are not. It `may_be_old` where the receiver was killed, perhaps before its steps
    /// were through.
    fn compare(&self, counted: &mut Counted, may_be_old: bool) -> Result {
        let (schema, found) = held(&self.store)?;
        let wanted = match schema {
            schema if schema == self.newest => &self.after,
            schema if schema == self.schema && may_be_old => &self.before,
            schema => return Err(Failure::new(format!("a store of schema {schema} stayed"))),
        };
        if let Some(table) = found.keys().find(|table| !wanted.contains_key(*table)) {
            let words = format!("schema {schema} has a table {table}, which no step made");
            return Err(Failure::new(words));
        }
        for (table, wanted) in wanted {
            if schema == self.newest && AT_START.contains(&table.as_str()) {
                continue;
            }
            let found = found.get(table).map_or(&[][..], Vec::as_slice);
            let (lost, more) = (missing(wanted, found), missing(found, wanted));
            if (lost, more) != (0, 0) {
                let words = format!("schema {}: {lost} lost, {more} more", self.schema);
                say(table, &words);
            }
            counted.acknowledged += wanted.len() as u64;
            counted.lost += lost;
            counted.doubled += more;
        }
        Ok(())
    }
}

/// Fills an empty file, and gives what is in it then.
fn fill(file: &Path, steps: &[String]) -> rusqlite::Result<Rows> {
    let db = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.pragma_update(None, "auto_vacuum", "incremental")?;
    db.pragma_update(None, "journal_mode", "wal")?;
    old::make(&db, steps)?;
    old::fill(&db, ROWS, SystemClock.now().0)?;
    all(&db)
}

/// Takes the steps that are left, without Bobbin, and gives what is there then.
fn bring(file: &Path, steps: &[String]) -> rusqlite::Result<Rows> {
    let db = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    old::take(&db, steps)?;
    all(&db)
}

/// The schema of a store, and its rows.
fn held(store: &Path) -> Result<(usize, Rows)> {
    let file = store.join("bobbin.sqlite");
    let read = || -> rusqlite::Result<(usize, Rows)> {
        let db = Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let check: String = db.query_one("pragma quick_check(1)", [], |row| row.get(0))?;
        if check != "ok" {
            return Err(rusqlite::Error::InvalidParameterName(check));
        }
        let schema = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
        Ok((schema, all(&db)?))
    };
    read().map_err(|error| Failure::new(format!("{}: {error}", file.display())))
}

fn failed(schema: usize, error: rusqlite::Error) -> Failure {
    Failure::new(format!("a store of schema {schema}: {error}"))
}
