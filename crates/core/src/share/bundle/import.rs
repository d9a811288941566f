//! A bundle into the store: each of its clusters whole, or not at all.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use ts_rs::TS;

use super::ahead::ahead;
use super::manifest::BundleCluster;
use super::read::{Opened, Part};
use crate::model::{Micros, SourceFormat};
use crate::share::Choice;
use crate::{Error, Result};

/// What became of the clusters of a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Imported {
    pub clusters: Vec<ImportedCluster>,
}

/// What became of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ImportedCluster {
    pub cluster_id: String,
    pub name: Option<String>,
    /// Its number here.
    #[ts(type = "number | null")]
    pub id: Option<i64>,
    /// Why it was not taken; null where it was.
    pub skipped: Option<String>,
    /// Whether it took the place of what an older bundle told of it.
    pub renewed: bool,
}

/// What is to be done with the store.
pub(crate) enum Write {
    /// The cluster with this number is emptied: it is told anew.
    Empty(i64),
    Batch(crate::wire::Batch),
}

/// Takes the clusters of a bundle that are not here yet, or only as an older bundle told them. `store` does what is to be done
/// with one, in one transaction of the writer.
///
/// # Errors
/// Those of `store`: then the clusters before are here whole, and taking the bundle again goes on behind them.
pub(crate) fn import(
    bundle: &Opened,
    now: Micros,
    store: &mut dyn FnMut(Taking) -> Result<Taken>,
) -> Result<Imported> {
    each(bundle, now, None, store)
}

/// Takes some clusters of a bundle, in the place of whatever another bundle told of them, and notes what tells each. Which of
/// several bundles does is for the caller to say.
pub(crate) struct Giving<'a> {
    /// By their ids, what is noted.
    pub(crate) clusters: &'a BTreeMap<String, String>,
}

impl Giving<'_> {
    /// As [`import`].
    ///
    /// # Errors
    /// As [`import`].
    pub(crate) fn take(
        &self,
        bundle: &Opened,
        now: Micros,
        store: &mut dyn FnMut(Taking) -> Result<Taken>,
    ) -> Result<Imported> {
        each(bundle, now, Some(self), store)
    }
}

fn each(
    bundle: &Opened,
    now: Micros,
    giving: Option<&Giving<'_>>,
    store: &mut dyn FnMut(Taking) -> Result<Taken>,
) -> Result<Imported> {
    let mut clusters = Vec::new();
    let meant = |said: &&BundleCluster| {
        giving.is_none_or(|giving| giving.clusters.contains_key(&said.cluster_id))
    };
    for said in bundle.manifest.clusters.iter().filter(meant) {
        let taken = match bundle.part(&said.cluster_id) {
            Some(part) => store(Taking {
                part,
                older_than: match giving {
                    Some(_) => Micros(i64::MAX),
                    None => said.as_of_micros,
                },
                noted: Noted {
                    told_by: giving
                        .and_then(|giving| giving.clusters.get(&said.cluster_id).cloned()),
                    ..Noted::new(said, bundle.manifest.choice_of(said), now)?
                },
            })?,
            None => Taken::Skipped("the bundle contains nothing about it".into()),
        };
        let (id, skipped, renewed) = match taken {
            Taken::Stored { id, renewed } => (Some(id), None, renewed),
            Taken::Skipped(why) => (None, Some(why), false),
        };
        clusters.push(ImportedCluster {
            cluster_id: said.cluster_id.clone(),
            name: said.name.clone(),
            id,
            skipped,
            renewed,
        });
    }
    Ok(Imported { clusters })
}

/// A cluster that is to be taken.
pub(crate) struct Taking {
    part: Part,
    noted: Noted,
    /// It takes the place of what a bundle told that knows of it what there was before this.
    older_than: Micros,
}

/// What became of it.
pub(crate) enum Taken {
    Stored {
        /// Its number.
        id: i64,
        /// It was here before, as an older bundle told it.
        renewed: bool,
    },
    /// Why not.
    Skipped(String),
}

impl Taking {
    /// Which one it is.
    pub(crate) fn cluster_id(&self) -> &str {
        &self.noted.scheduler_id
    }

    /// Takes it, in the transaction of the caller: `store` does what is to be done.
    ///
    /// # Errors
    /// [`Error::Sqlite`], [`Error::Io`], [`Error::Invalid`] if the file was changed meanwhile; those of `store`. The caller
    /// then undoes all of it.
    pub(crate) fn run(
        self,
        db: &Connection,
        mut store: impl FnMut(Write) -> Result<()>,
    ) -> Result<Taken> {
        let Noted { scheduler_id, .. } = &self.noted;
        let older = older(db, scheduler_id, self.older_than)?;
        match older {
            Some(cluster) => store(Write::Empty(cluster))?,
            None => {
                if let Some(why) = why_absent_not(db, scheduler_id)? {
                    return Ok(Taken::Skipped(why));
                }
            }
        }
        // While one is stored, the next one is read.
        ahead(self.part, |batches| {
            for batch in batches {
                store(Write::Batch(batch?))?;
            }
            Ok(())
        })?;
        self.noted.write(db)?;
        let id = number(db, scheduler_id)?
            .ok_or_else(|| Error::NotStored("the bundle's cluster is missing".into()))?;
        let renewed = older.is_some();
        Ok(Taken::Stored { id, renewed })
    }
}

/// Why a cluster is not taken from a bundle that knows of it what there was at `as_of`.
pub(crate) fn why_not(
    db: &Connection,
    scheduler_id: &str,
    as_of: Micros,
) -> Result<Option<String>> {
    match older(db, scheduler_id, as_of)? {
        Some(_) => Ok(None),
        None => why_absent_not(db, scheduler_id),
    }
}

/// The number of a cluster that is here as an older bundle told it, and as nobody else did.
fn older(db: &Connection, scheduler_id: &str, as_of: Micros) -> Result<Option<i64>> {
    Ok(db
        .prepare_cached(include_str!("../sql/cluster_older.sql"))?
        .query_row(
            named_params! { ":scheduler_id": scheduler_id, ":as_of_micros": as_of },
            |row| row.get(0),
        )
        .optional()?)
}

/// Why a cluster is not taken, whatever is known of it.
pub(crate) fn why_absent_not(db: &Connection, scheduler_id: &str) -> Result<Option<String>> {
    if let Some(id) = number(db, scheduler_id)? {
        return Ok(Some(format!("it is already here as number {id}")));
    }
    let deleted: bool = db
        .prepare_cached(include_str!("../sql/deleted.sql"))?
        .query_one(
            named_params! { ":digest": Sha256::digest(scheduler_id.as_bytes()).as_slice() },
            |row| row.get(0),
        )?;
    Ok(deleted.then(|| "you deleted it here, and it stays deleted".into()))
}

fn number(db: &Connection, scheduler_id: &str) -> Result<Option<i64>> {
    Ok(db
        .prepare_cached(include_str!("../sql/cluster_number.sql"))?
        .query_row(named_params! { ":scheduler_id": scheduler_id }, |row| {
            row.get(0)
        })
        .optional()?)
}

/// The numbers of at most `limit` clusters that were read from files of this kind, the newest arrival first.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn imported_from(db: &Connection, source: SourceFormat, limit: u32) -> Result<Vec<i64>> {
    let mut statement = db.prepare_cached(include_str!("../sql/imported_from.sql"))?;
    let rows = statement.query_map(
        named_params! { ":source_format": source.word(), ":limit": limit },
        |row| row.get::<_, i64>("cluster_id"),
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// What is noted of a cluster that came in a bundle: when, and what was left out of it there.
struct Noted {
    scheduler_id: String,
    now: Micros,
    as_of: Micros,
    choice: String,
    fields: String,
    source: Option<SourceFormat>,
    /// What tells it, where that is of interest.
    told_by: Option<String>,
}

impl Noted {
    fn new(said: &BundleCluster, choice: Choice, now: Micros) -> Result<Self> {
        Ok(Self {
            scheduler_id: said.cluster_id.clone(),
            now,
            as_of: said.as_of_micros,
            choice: serde_json::to_string(&choice)?,
            fields: serde_json::to_string(&said.fields)?,
            source: said.source,
            told_by: None,
        })
    }

    fn write(&self, db: &Connection) -> Result<()> {
        db.prepare_cached(include_str!("../sql/imported_new.sql"))?
            .execute(named_params! {
                ":scheduler_id": self.scheduler_id,
                ":now_micros": self.now,
                ":as_of_micros": self.as_of,
                ":choice": self.choice,
                ":fields": self.fields,
                ":source_format": self.source.map(SourceFormat::word),
                ":told_by": self.told_by,
            })?;
        Ok(())
    }
}
