//! A batch: checked, counted, written in one transaction.
//!
//! Any batch may come twice, late, overlapping or out of order, and the tables are the same in the end: samples and
//! events are keyed by (instance, sequence number), what grows is replaced only by what is later, and the rollups are
//! whole numbers, so that adding in any order gives the same sum. Which text a failure has depends on the order only where
//! its records have different texts, which those of the plugin never have, and the latest of them has none.

mod again;
mod bounds;
mod ever;
mod failure;
mod fine;
mod fingerprint;
mod frames;
mod gain;
mod identity;
mod job;
mod keys;
mod known;
mod lately;
mod latest;
mod names;
mod orders;
mod profile;
mod receipt;
mod retention;
mod rollup;
mod sample;
mod secrets;
mod single;
mod switches;
mod totals;
mod watched;
mod workers;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use rusqlite::Connection;

use crate::Result;
use crate::clock::Clock;
use crate::model::Micros;
use crate::retain::{self, Retention};
use crate::seal::FingerprintKey;
use crate::store::Batches;
use crate::wire::{Batch, Header, Line, Record};

pub(crate) use identity::heard_by_now;
pub(crate) use job::{BatchJob, Hearing, WriteJob};
pub(crate) use keys::{
    InstallKey, add_ingest_key, add_install_key, forget_ingest_keys, forget_unused_install_keys,
    ingest_keys, install_key, newest_install_key, note_recovery, put_data_key,
};
pub(crate) use orders::{Standing, StopOrders};
pub use receipt::{Receipt, StopOrder};
pub(crate) use secrets::Words;

use again::Again;
use bounds::Bounds;
use ever::Ever;
use frames::Frames;
use identity::Identities;
use keys::DataKeys;
use names::Names;
use profile::Lines;
use secrets::Secrets;
use totals::BatchTotals;

/// Told after a commit which clusters changed.
pub(crate) type Changed = Box<dyn Fn(Vec<i64>) + Send>;

/// What the writer remembers between batches. All of it could be read from the store again.
pub(crate) struct Ingest {
    clock: Arc<dyn Clock>,
    changed: Changed,
    changed_clusters: BTreeSet<i64>,
    identities: Identities,
    names: Names,
    keys: DataKeys,
    fingerprints: FingerprintKey,
    secrets: Secrets,
    bounds: Bounds,
    frames: Frames,
    lines: Lines,
    ever: Ever,
    rollup: rollup::Turn,
    retention: Retention,
    /// The line that is being stored.
    line: Option<usize>,
}

/// The batch at hand.
struct Context<'a> {
    db: &'a Connection,
    now: Micros,
    /// When the cluster is known to have lived: now, for a batch that it sent itself.
    heard: Micros,
    header: &'a Header,
    cluster: i64,
    instance: i64,
    /// Orders what has equal times and sequence numbers.
    rank: i64,
}

/// What became of a batch.
#[derive(Debug, PartialEq)]
pub(crate) enum Stored {
    Now {
        cluster: i64,
    },
    /// The same bytes were stored before.
    Before {
        cluster: i64,
    },
    /// Its cluster was deleted, and nothing of it is stored.
    Deleted,
}

impl Ingest {
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        install: InstallKey,
        fingerprints: FingerprintKey,
        words: Words,
        changed: Changed,
    ) -> Self {
        Self {
            clock,
            changed,
            changed_clusters: BTreeSet::new(),
            identities: Identities::default(),
            names: Names::default(),
            keys: DataKeys::new(install),
            secrets: Secrets::new(words),
            fingerprints,
            bounds: Bounds::default(),
            frames: Frames::default(),
            lines: Lines::default(),
            ever: Ever::default(),
            rollup: rollup::Turn::new(),
            retention: Retention::default(),
            line: None,
        }
    }

    /// Data keys to come are sealed to this key. It must be in the store already.
    pub(crate) fn seal_to(&mut self, install: InstallKey) {
        self.keys.seal_to(install);
    }

    /// Writes a batch, whose cluster was heard at `heard`. If that fails, the caller undoes it.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`], [`crate::Error::Sealed`], [`crate::Error::Io`].
    pub(crate) fn store(
        &mut self,
        db: &Connection,
        batch: &Batch,
        heard: Micros,
    ) -> Result<Stored> {
        self.line = None;
        let now = self.clock.now();
        let scheduler_id = &batch.header.cluster_id;
        if !self.identities.knows(scheduler_id) && retain::is_deleted(db, scheduler_id)? {
            return Ok(Stored::Deleted);
        }
        let times = Times::of(batch);
        let (cluster, instance) = self.identities.of(db, &batch.header, times, heard)?;
        let context = Context {
            db,
            now,
            heard,
            header: &batch.header,
            cluster,
            instance: instance.id,
            rank: instance.rank,
        };
        self.changed_clusters.insert(cluster);
        self.secrets.begin();
        let mut totals = BatchTotals::new(instance.newest_may_have_changed);
        let end = self.identities.batches_end(&context);
        let (known, duplicate) = known::remember(&context, end, batch, times)?;
        let mut again = Again::default();
        if !duplicate {
            let first = batch.header.first_seq;
            self.retention.came(instance.id, first, batch.bytes);
            for (index, line) in batch.lines.iter().enumerate().skip(known) {
                self.line = Some(index);
                let seq = first + index as u64;
                self.line(&context, &mut again, line, seq, &mut totals)?;
            }
            self.line = None;
        }
        totals.write(&context, &mut self.ever)?;
        Ok(match duplicate {
            true => Stored::Before { cluster },
            false => Stored::Now { cluster },
        })
    }

    fn line<'a>(
        &mut self,
        context: &Context<'a>,
        again: &mut Again<'a>,
        line: &'a Line,
        seq: u64,
        totals: &mut BatchTotals<'a>,
    ) -> Result<()> {
        let kept = match line {
            Line::Known(record, kept) => {
                self.record(context, again, record, seq, totals)?;
                kept.as_ref()
            }
            Line::Unknown(kept) => Some(kept),
            Line::Refused(_) => None,
        };
        kept.map_or(Ok(()), |kept| {
            single::kept(context, &mut self.keys, kept, seq)
        })
    }

    fn record<'a>(
        &mut self,
        context: &Context<'a>,
        again: &mut Again<'a>,
        record: &'a Record,
        seq: u64,
        totals: &mut BatchTotals<'a>,
    ) -> Result<()> {
        match record {
            Record::Cluster(record) => identity::record(context, &self.fingerprints, record, seq),
            Record::Sample(record) => sample::sample(
                context,
                self.identities.last_sample(context),
                record,
                seq,
                totals,
            ),
            Record::Worker(record) => workers::worker(context, &mut self.bounds, record, seq),
            Record::TaskGroup(record) => {
                latest::task_group(context, again, &mut self.names, record, seq)
            }
            Record::Computation(record) => latest::computation(
                context,
                &mut self.keys,
                (&self.fingerprints, &mut self.secrets),
                record,
                seq,
                totals,
            ),
            Record::Exception(record) => latest::exception(
                context,
                &mut self.names,
                &mut self.keys,
                (&self.fingerprints, &mut self.secrets),
                record,
                seq,
                totals,
            ),
            Record::Metric(record) => {
                let (names, bounds) = (&mut self.names, &mut self.bounds);
                fine::metric(context, again, names, bounds, record, seq)
            }
            Record::Span(record) => fine::span(context, again, &mut self.bounds, record, seq),
            Record::Profile(record) => profile::profile(
                context,
                &mut self.names,
                &mut self.keys,
                (&mut self.frames, &mut self.lines),
                record,
                seq,
            ),
            Record::Event(record) => single::event(
                context,
                again,
                &mut self.names,
                &mut self.keys,
                &mut self.bounds,
                record,
                seq,
            ),
            Record::Dropped(record) => single::dropped(context, record, seq),
            Record::Stop(record) => single::stop(context, record, seq, totals),
        }
    }
}

impl Batches for Ingest {
    fn committed(&mut self) {
        let changed = std::mem::take(&mut self.changed_clusters);
        if !changed.is_empty() {
            (self.changed)(changed.into_iter().collect());
        }
    }

    fn rolled_back(&mut self) {
        self.keys.forget();
        self.ever.forget();
        self.forget();
    }

    fn settle(&mut self, db: &Connection) -> Result<()> {
        self.ever.write(db)
    }

    fn maintain_at(&self) -> Instant {
        self.rollup.at().min(self.retention.at())
    }

    fn maintain(&mut self, db: &Connection) -> Result<bool> {
        if self.rollup.at() <= Instant::now() {
            self.rollup.take(db, self.clock.now())?;
        }
        if self.retention.at() > Instant::now() {
            return Ok(false);
        }
        self.retain(db)?;
        // Batches wait until there is room for them.
        Ok(self.retention.presses())
    }

    fn closing(&mut self, db: &Connection) {
        if let Err(error) = self.retention.last(db, self.clock.now()) {
            tracing::warn!(%error, "a deletion is not finished: it continues at the next start");
        }
    }
}

/// The earliest and the latest time in a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Times {
    first: Micros,
    last: Micros,
}

impl Times {
    /// Of the records that could be read; without any, the time at which it was sent.
    fn of(batch: &Batch) -> Self {
        let times = batch.lines.iter().filter_map(|line| match line {
            Line::Known(record, _) => Some(record.at()),
            Line::Unknown(_) | Line::Refused(_) => None,
        });
        let (first, last) = times.fold(
            (None, None),
            |(first, last): (Option<Micros>, Option<Micros>), at| {
                (
                    Some(first.map_or(at, |first| first.min(at))),
                    Some(last.map_or(at, |last| last.max(at))),
                )
            },
        );
        let sent = batch.header.sent_at_micros;
        Self {
            first: first.unwrap_or(sent),
            last: last.unwrap_or(sent),
        }
    }
}

#[cfg(test)]
mod tests;
