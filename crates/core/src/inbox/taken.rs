//! What became of files that arrived, for the settings: a bounded number, the latest.

use std::collections::BTreeSet;

use rusqlite::{Connection, named_params};

use crate::Result;
use crate::api::App;
use crate::model::Micros;
use crate::wire::Header;

/// Files that are told of.
const KEPT: u32 = 200;

/// What became of a file at one look.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fate {
    /// Batches of it were read.
    Read,
    /// So many clusters of it were taken at once and as a whole, so many were not, the first for this reason.
    Imported {
        taken: u64,
        left_out: u64,
        why: Option<String>,
    },
    /// It is never read, or no further.
    Refused { why: String, aside: Option<String> },
}

/// What was read of a file at one look.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Told {
    pub(super) records: u64,
    /// Dask's ids of the schedulers.
    pub(super) schedulers: BTreeSet<String>,
}

impl Told {
    pub(super) fn read(&mut self, header: &Header) {
        self.records += header.records;
        if !self.schedulers.contains(&header.cluster_id) {
            self.schedulers.insert(header.cluster_id.clone());
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.records += other.records;
        self.schedulers.extend(other.schedulers);
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.schedulers.is_empty()
    }
}

/// A file of which something became.
pub(super) struct Taken {
    pub(super) folder: String,
    pub(super) name: String,
    /// None for what came in many.
    pub(super) size_bytes: Option<u64>,
    pub(super) told: Told,
    /// Whether this adds to what is known of it.
    pub(super) goes_on: bool,
    /// Whether some of it was read before, which nobody may have counted.
    pub(super) begun: bool,
    pub(super) fate: Fate,
}

/// Notes what became of a file, and tells those who watch.
///
/// # Errors
/// Those of [`App::write`].
pub(super) fn note(app: &App, taken: Taken) -> Result<()> {
    let now = app.now();
    app.write(move |db| taken.put(db, now))?;
    app.tell(Vec::new());
    Ok(())
}

impl Taken {
    /// Notes it, in the transaction of the caller.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub(super) fn put(self, db: &Connection, now: Micros) -> Result<()> {
        let (fate, taken, left_out, why, aside) = match self.fate {
            Fate::Read => ("read", None, 0, None, None),
            Fate::Imported {
                taken,
                left_out,
                why,
            } => ("imported", Some(taken), left_out, why, None),
            Fate::Refused { why, aside } => ("refused", None, 0, Some(why), aside),
        };
        // Of what is taken as a whole, nobody counts records.
        let records = taken.is_none().then_some(self.told.records);
        let id: i64 = db
            .prepare_cached(include_str!("sql/taken_put.sql"))?
            .query_one(
                named_params! {
                    ":folder": self.folder,
                    ":name": self.name,
                    ":at_micros": now,
                    ":size_bytes": self.size_bytes,
                    ":fate": fate,
                    ":records": records,
                    ":taken": taken,
                    ":left_out": left_out,
                    ":why": why,
                    ":aside": aside,
                    ":goes_on": self.goes_on,
                    ":begun": self.begun,
                },
                |row| row.get(0),
            )?;
        if !self.goes_on {
            db.prepare_cached(include_str!("sql/taken_clusters_forget.sql"))?
                .execute(named_params! { ":taken_id": id })?;
        }
        let mut link = db.prepare_cached(include_str!("sql/taken_cluster_put.sql"))?;
        for scheduler in &self.told.schedulers {
            link.execute(named_params! { ":taken_id": id, ":scheduler_id": scheduler })?;
        }
        db.prepare_cached(include_str!("sql/taken_bound.sql"))?
            .execute(named_params! { ":kept": KEPT })?;
        Ok(())
    }
}
