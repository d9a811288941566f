//! What the desk remembers between stages: decisions, aliases, what was shared before.
//!
//! A file of its own, `desk.sqlite`, so that a shell can decide beside a window that owns the store, and so that it outlives a
//! store that is restored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::ToSql;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params, params_from_iter};

use super::view::{Category, Decision, FindingState};
use crate::install::open_private;
use crate::model::Micros;
use crate::scan::OwnWord;
use crate::share::Level;
use crate::share::aliases::Counted;
use crate::{Error, Result};

const FILE: &str = "desk.sqlite";
const PATIENCE: Duration = Duration::from_secs(10);

/// The desk of one install.
pub(crate) struct Desk(Connection);

/// What was approved in advance.
pub(super) struct Standing {
    pub(super) destination: String,
    /// What that was when it was given, as the ledger names it: whatever is called so later is another.
    pub(super) meant: String,
    pub(super) level: Level,
    pub(super) since: Micros,
    pub(super) until: Micros,
    /// All fields of the format at that time.
    pub(super) fields: String,
}

/// Watches the own words for whoever cannot wait, in whichever process somebody says them.
pub(crate) struct WatchedWords {
    path: PathBuf,
    /// What SQLite counts with each change of the file.
    seen: Option<[u8; 4]>,
}

impl WatchedWords {
    pub(crate) fn of(dir: &Path) -> Self {
        Self {
            path: dir.join(FILE),
            seen: None,
        }
    }

    /// All words, where the file was changed since they were read. While somebody writes there, they are those of before.
    pub(crate) fn changed(&mut self) -> Option<Vec<OwnWord>> {
        // None where nobody had a stage yet.
        let count = changes(&self.path).ok()?;
        if self.seen == Some(count) {
            return None;
        }
        let words = self
            .read()
            .inspect_err(|error| tracing::debug!(%error, "the own words will be read later"))
            .ok()?;
        self.seen = Some(count);
        Some(words)
    }

    fn read(&self) -> Result<Vec<OwnWord>> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&self.path, flags)?;
        db.busy_timeout(Duration::ZERO)?;
        Desk(db).words()
    }
}

/// How often the file of a database was changed, as its head has it.
fn changes(path: &Path) -> std::io::Result<[u8; 4]> {
    let mut head = [0; 28];
    File::open(path)?.read_exact(&mut head)?;
    Ok([head[24], head[25], head[26], head[27]])
}

impl Desk {
    /// # Errors
    /// [`crate::Error::Io`], [`crate::Error::Sqlite`].
    pub(crate) fn open(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE);
        drop(open_private(&path)?);
        // A file of its own, with other settings than the store.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&path, flags)?;
        db.busy_timeout(PATIENCE)?;
        db.execute_batch(
            "PRAGMA trusted_schema = off; PRAGMA secure_delete = on; PRAGMA synchronous = full;",
        )?;
        db.execute_batch(include_str!("migrations/desk.sql"))?;
        Ok(Self(db))
    }

    pub(super) fn aliases(&self, destination: &str) -> Result<Vec<Counted>> {
        let mut statement = self.0.prepare(
            "SELECT noun, fingerprint, value, number FROM alias WHERE destination = ?1 ORDER BY noun, number",
        )?;
        let rows = statement.query_map([destination], |row| {
            Ok(Counted {
                noun: row.get(0)?,
                fingerprint: row.get(1)?,
                value: row.get(2)?,
                number: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How many aliases a destination has.
    pub(super) fn count_aliases(&self, destination: &str) -> Result<usize> {
        Ok(self.0.query_one(
            "SELECT count(*) FROM alias WHERE destination = ?1",
            [destination],
            |row| row.get(0),
        )?)
    }

    /// Adds to the private map, all or none.
    ///
    /// # Errors
    /// [`Error::Refused`] where another stage for this destination gave one of them to something else meanwhile.
    pub(super) fn add_aliases(&self, destination: &str, fresh: &[Counted]) -> Result<()> {
        let added = self.all(
            "INSERT INTO alias (destination, noun, fingerprint, value, number) VALUES (?1, ?2, ?3, ?4, ?5)",
            fresh.iter().map(|one| {
                params_of([&destination, &one.noun, &one.fingerprint, &one.value, &one.number])
            }),
        );
        added.map_err(|error| match error {
            Error::Sqlite(rusqlite::Error::SqliteFailure(failure, _))
                if failure.code == rusqlite::ErrorCode::ConstraintViolation =>
            {
                Error::Refused(format!(
                    "another stage for {destination} just assigned aliases: review this one again"
                ))
            }
            error => error,
        })
    }

    pub(super) fn decisions(
        &self,
        destination: &str,
    ) -> Result<BTreeMap<(Category, String), Decision>> {
        let mut statement = self
            .0
            .prepare("SELECT category, item, decision FROM decision WHERE destination = ?1")?;
        let rows = statement.query_map([destination], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, String>(2)?,
            ))
        })?;
        let mut decisions = BTreeMap::new();
        for row in rows {
            let (category, item, decision) = row?;
            // One of a later version is as if it were not there: the level decides.
            if let (Some(category), Some(decision)) =
                (Category::from_word(&category), decision_of(&decision))
            {
                decisions.insert((category, item), decision);
            }
        }
        Ok(decisions)
    }

    pub(super) fn decide(
        &self,
        destination: &str,
        category: Category,
        item: &str,
        decision: Option<Decision>,
    ) -> Result<()> {
        match decision {
            Some(decision) => self.0.execute(
                "INSERT INTO decision (destination, category, item, decision) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET decision = excluded.decision",
                params![destination, category.word(), item, word_of(decision)],
            )?,
            None => self.0.execute(
                "DELETE FROM decision WHERE destination = ?1 AND category = ?2 AND item = ?3",
                params![destination, category.word(), item],
            )?,
        };
        Ok(())
    }

    pub(super) fn settled(&self, destination: &str) -> Result<BTreeMap<String, FindingState>> {
        let mut statement = self
            .0
            .prepare("SELECT finding, state FROM settled WHERE destination = ?1")?;
        let rows = statement.query_map([destination], |row| {
            let state: String = row.get(1)?;
            Ok((
                row.get(0)?,
                match state.as_str() {
                    "no_secret" => FindingState::NoSecret,
                    _ => FindingState::Replaced,
                },
            ))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    pub(super) fn settle(
        &self,
        destination: &str,
        finding: &str,
        state: FindingState,
    ) -> Result<()> {
        let word = match state {
            FindingState::Open => {
                self.0.execute(
                    "DELETE FROM settled WHERE destination = ?1 AND finding = ?2",
                    params![destination, finding],
                )?;
                return Ok(());
            }
            FindingState::Replaced => "replaced",
            FindingState::NoSecret => "no_secret",
        };
        self.0.execute(
            "INSERT INTO settled (destination, finding, state) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET state = excluded.state",
            params![destination, finding, word],
        )?;
        Ok(())
    }

    /// What was told of each value that was shared, as fingerprints.
    pub(super) fn shared(&self, destination: &str) -> Result<BTreeMap<String, String>> {
        let mut statement = self
            .0
            .prepare("SELECT item, shown FROM shared WHERE destination = ?1")?;
        let rows = statement.query_map([destination], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Notes a share that was approved: its values and fields.
    pub(super) fn note_shared<'a>(
        &self,
        destination: &str,
        sha256: &str,
        now: Micros,
        items: impl Iterator<Item = (&'a str, String)>,
        fields: &[String],
    ) -> Result<()> {
        let items: Vec<_> = items.collect();
        self.all(
            "INSERT INTO shared (destination, item, shown) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET shown = excluded.shown",
            items.iter().map(|(item, shown)| params_of([&destination, item, shown])),
        )?;
        self.consent(destination, fields)?;
        self.0.execute(
            "INSERT INTO last_share (destination, sha256, at_micros) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET sha256 = excluded.sha256, at_micros = excluded.at_micros",
            params![destination, sha256, now],
        )?;
        Ok(())
    }

    pub(super) fn consent(&self, destination: &str, fields: &[String]) -> Result<()> {
        self.all(
            "INSERT OR IGNORE INTO consent (destination, field) VALUES (?1, ?2)",
            fields.iter().map(|field| params_of([&destination, field])),
        )
    }

    /// Fields that may be told; none where nothing was shared yet.
    pub(super) fn consented(&self, destination: &str) -> Result<Option<BTreeSet<String>>> {
        let mut statement = self
            .0
            .prepare("SELECT field FROM consent WHERE destination = ?1")?;
        let fields: BTreeSet<String> = statement
            .query_map([destination], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        Ok((!fields.is_empty()).then_some(fields))
    }

    /// The hash of the last share, and when it was approved.
    pub(super) fn last_share(&self, destination: &str) -> Result<Option<(String, Micros)>> {
        Ok(self
            .0
            .query_row(
                "SELECT sha256, at_micros FROM last_share WHERE destination = ?1",
                [destination],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?)
    }

    pub(super) fn standing(&self) -> Result<Vec<Standing>> {
        let mut statement = self.0.prepare(
            "SELECT destination, meant, level, since_micros, until_micros, fields FROM approved_in_advance ORDER BY destination",
        )?;
        let rows = statement.query_map([], |row| {
            let level: String = row.get(2)?;
            Ok(Standing {
                destination: row.get(0)?,
                meant: row.get(1)?,
                level: match level.as_str() {
                    "names" => Level::Names,
                    _ => Level::Metrics,
                },
                since: row.get(3)?,
                until: row.get(4)?,
                fields: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    pub(super) fn stand(&self, one: &Standing) -> Result<()> {
        let level = match one.level {
            Level::Names => "names",
            _ => "metrics",
        };
        self.0.execute(
            "INSERT OR REPLACE INTO approved_in_advance (destination, meant, level, since_micros, until_micros, fields)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![one.destination, one.meant, level, one.since, one.until, one.fields],
        )?;
        Ok(())
    }

    pub(super) fn stand_no_longer(&self, destination: &str) -> Result<()> {
        self.0.execute(
            "DELETE FROM approved_in_advance WHERE destination = ?1",
            [destination],
        )?;
        Ok(())
    }

    pub(super) fn words(&self) -> Result<Vec<OwnWord>> {
        let mut statement = self
            .0
            .prepare("SELECT bytes, rolling, fingerprint FROM word")?;
        let rows = statement.query_map([], |row| {
            Ok(OwnWord {
                bytes: row.get(0)?,
                rolling: row.get(1)?,
                fingerprint: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Adds a word, which is called so as a finding. What was said of it before no longer counts: it is a secret now.
    pub(super) fn add_word(&self, word: &OwnWord, finding: &str) -> Result<()> {
        self.at_once(|desk| {
            let added = desk.0.execute(
                "INSERT OR IGNORE INTO word (bytes, rolling, fingerprint) VALUES (?1, ?2, ?3)",
                params![word.bytes, word.rolling, word.fingerprint],
            )?;
            if added > 0 {
                desk.0.execute(
                    "DELETE FROM settled WHERE finding = ?1 AND state = 'no_secret'",
                    [finding],
                )?;
            }
            Ok(())
        })
    }

    pub(super) fn remove_word(&self, word: &OwnWord) -> Result<()> {
        self.0.execute(
            "DELETE FROM word WHERE fingerprint = ?1",
            params![word.fingerprint],
        )?;
        Ok(())
    }

    /// All that `change` does, or nothing.
    pub(super) fn at_once(&self, change: impl FnOnce(&Self) -> Result<()>) -> Result<()> {
        let transaction = self.0.unchecked_transaction()?;
        change(self)?;
        Ok(transaction.commit()?)
    }

    /// One statement for each row, all or none.
    fn all<'a, const N: usize>(
        &self,
        sql: &str,
        rows: impl Iterator<Item = [&'a dyn ToSql; N]>,
    ) -> Result<()> {
        let transaction = self.0.unchecked_transaction()?;
        {
            let mut statement = transaction.prepare(sql)?;
            for row in rows {
                statement.execute(params_from_iter(row))?;
            }
        }
        Ok(transaction.commit()?)
    }
}

fn params_of<const N: usize>(row: [&dyn ToSql; N]) -> [&dyn ToSql; N] {
    row
}

fn word_of(decision: Decision) -> &'static str {
    match decision {
        Decision::Keep => "keep",
        Decision::Mask => "mask",
        Decision::Drop => "drop",
    }
}

fn decision_of(word: &str) -> Option<Decision> {
    [Decision::Keep, Decision::Mask, Decision::Drop]
        .into_iter()
        .find(|one| word_of(*one) == word)
}
