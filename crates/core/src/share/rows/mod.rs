//! What is stored of a cluster, as the records that it came from.
//!
//! Of what grows only the latest record is left, so the numbers in sequence of what is read are new ones: each instance's
//! records begin at 1, and only what never arrived is missing among them.

mod cluster;
mod failures;
mod profile;
mod sample;
mod tasks;

use std::collections::BTreeMap;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, named_params};
use serde::de::DeserializeOwned;

use crate::model::Micros;
use crate::query::Unsealer;
use crate::seal::Place;
use crate::wire::{ClusterRecord, Record, StopRecord};
use crate::{Error, Result};

pub(super) use cluster::{Cluster, cluster};

/// One run of the plugin.
pub(super) struct Instance {
    id: i64,
    rank: i64,
    pub(super) instance_id: String,
    pub(super) plugin_version: String,
    /// The latest time in its batches.
    pub(super) last_at: Option<Micros>,
    stop: Option<StopRecord>,
}

/// What comes next of an instance.
pub(super) enum Piece {
    Record(Record),
    /// So many records never arrived. With none, only a new batch begins.
    Gap(u64),
}

/// Takes one piece after the other.
pub(super) type Sink<'a> = dyn FnMut(Piece) -> Result<()> + 'a;

/// Where the rows of a cluster are, and how far they may be opened.
pub(super) struct Source<'a> {
    pub(super) db: &'a Connection,
    pub(super) cluster: &'a Cluster,
    /// None: what is sealed is not read, but counted.
    pub(super) unsealer: Option<Unsealer>,
    /// Sealed values that were not read, by `record.field`.
    pub(super) unread: BTreeMap<&'static str, u64>,
}

/// A column that holds sealed values, and the field that it keeps.
#[derive(Clone, Copy)]
struct Sealed {
    table: &'static str,
    column: &'static str,
    field: &'static str,
}

impl Source<'_> {
    /// # Errors
    /// [`Error::Sqlite`].
    pub(super) fn instances(&self) -> Result<Vec<Instance>> {
        let mut statement = self
            .db
            .prepare_cached(include_str!("../sql/instances.sql"))?;
        let rows =
            statement.query_map(named_params! { ":cluster_id": self.cluster.id }, |row| {
                let stop: Option<Micros> = row.get("stop_at_micros")?;
                let reason: Option<String> = row.get("stop_reason")?;
                Ok(Instance {
                    id: row.get("id")?,
                    rank: row.get("rank")?,
                    instance_id: row.get("instance_id")?,
                    plugin_version: row.get("plugin_version")?,
                    last_at: row.get("last_at_micros")?,
                    stop: stop
                        .zip(reason)
                        .map(|(at_micros, reason)| StopRecord { at_micros, reason }),
                })
            })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// All that is stored of an instance: samples in their order, with the gaps between them, then the rest by kind.
    ///
    /// # Errors
    /// [`Error::Sqlite`], [`Error::Locked`] where something sealed does not open; those of `sink`.
    pub(super) fn read(&mut self, instance: &Instance, sink: &mut Sink<'_>) -> Result<()> {
        let said: Option<ClusterRecord> = self.cluster.of_instance(instance.rank);
        if let Some(said) = said {
            sink(Piece::Record(Record::Cluster(Box::new(said))))?;
        }
        sample::samples(self, instance, sink)?;
        // A gap lies between the samples of two batches: those must hold nothing else.
        sink(Piece::Gap(0))?;
        tasks::workers(self, instance, sink)?;
        tasks::spans(self, instance, sink)?;
        tasks::task_groups(self, instance, sink)?;
        tasks::computations(self, instance, sink)?;
        tasks::metrics(self, instance, sink)?;
        failures::exceptions(self, instance, sink)?;
        failures::events(self, instance, sink)?;
        failures::dropped(self, instance, sink)?;
        profile::profiles(self, instance, sink)?;
        match &instance.stop {
            Some(stop) => sink(Piece::Record(Record::Stop(stop.clone()))),
            None => Ok(()),
        }
    }

    /// A sealed value; null where sealed values are not read.
    fn open(&mut self, of: Sealed, row: &str, sealed: Option<Vec<u8>>) -> Result<Option<Vec<u8>>> {
        let Some(sealed) = sealed else {
            return Ok(None);
        };
        let Some(unsealer) = &mut self.unsealer else {
            *self.unread.entry(of.field).or_default() += 1;
            return Ok(None);
        };
        let place = Place {
            table: of.table,
            column: of.column,
            row,
            cluster: &self.cluster.scheduler_id,
        };
        unsealer
            .open(self.db, place, &sealed)?
            .map(Some)
            .ok_or(Error::Locked)
    }

    /// The same for text.
    fn open_text(
        &mut self,
        of: Sealed,
        row: &str,
        sealed: Option<Vec<u8>>,
    ) -> Result<Option<String>> {
        let opened = self.open(of, row, sealed)?;
        opened
            .map(|bytes| String::from_utf8(bytes).map_err(|_| Error::Sealed("it is not text")))
            .transpose()
    }
}

/// A column that holds JSON.
struct Json<T>(T);

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?)
            .map(Json)
            .map_err(FromSqlError::other)
    }
}

/// Seconds of stored microseconds.
fn seconds(micros: i64) -> f64 {
    micros as f64 / 1e6
}
