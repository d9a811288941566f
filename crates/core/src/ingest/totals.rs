//! What one batch adds to the sums of its cluster and of everything.

use rusqlite::named_params;

use super::Context;
use super::gain::Gain;
use crate::Result;
use crate::wire::SampleRecord;

/// Gathered over the lines of a batch, so that each row of sums is written once.
#[derive(Default)]
pub(super) struct BatchTotals {
    pub(super) gain: Gain,
    pub(super) samples: u64,
    pub(super) workers_peak: u64,
    pub(super) memory_peak_bytes: Option<u64>,
    pub(super) computations: u64,
    pub(super) exceptions: u64,
    /// An instance is new or began earlier than was known, or it stopped.
    pub(super) newest_instance_changed: bool,
    /// The latest sample of the batch, with its sequence number.
    latest: Option<(u64, SampleRecord)>,
}

impl BatchTotals {
    /// Of a batch without records, whose instance may be new.
    pub(super) fn new(newest_instance_changed: bool) -> Self {
        Self {
            newest_instance_changed,
            ..Self::default()
        }
    }

    /// Counts a sample that was not known before.
    pub(super) fn sample(&mut self, record: &SampleRecord, seq: u64) {
        self.samples += 1;
        self.workers_peak = self.workers_peak.max(record.workers);
        self.memory_peak_bytes = self.memory_peak_bytes.max(record.memory_used_bytes);
        if self
            .latest
            .as_ref()
            .is_none_or(|(known, latest)| (latest.at_micros, *known) < (record.at_micros, seq))
        {
            self.latest = Some((seq, record.clone()));
        }
    }

    /// Writes the sums. Also says that the cluster was heard.
    pub(super) fn write(self, context: &Context<'_>) -> Result<()> {
        let Context {
            db, cluster, rank, ..
        } = *context;
        if self.newest_instance_changed {
            db.prepare_cached(include_str!("sql/cluster_newest_instance.sql"))?
                .execute(named_params! { ":cluster_id": cluster })?;
        }
        let samples: u64 = db
            .prepare_cached(include_str!("sql/cluster_total_add.sql"))?
            .query_one(
                named_params! {
                    ":cluster_id": cluster,
                    ":now_micros": context.now,
                    ":samples": self.samples,
                    ":workers_peak": self.workers_peak,
                    ":memory_peak_bytes": self.memory_peak_bytes,
                    ":compute_micros": self.gain.compute_micros,
                    ":thread_micros": self.gain.thread_micros,
                    ":tasks_completed": self.gain.tasks_completed,
                    ":tasks_erred": self.gain.tasks_erred,
                    ":result_bytes": self.gain.result_bytes,
                    ":computations": self.computations,
                    ":exceptions": self.exceptions,
                },
                |row| row.get(0),
            )?;
        db.prepare_cached(include_str!("sql/usage_ever_add.sql"))?
            .execute(named_params! {
                ":now_micros": context.now,
                // Its first samples: only clusters that sent one are counted.
                ":clusters": u64::from(self.samples > 0 && samples == self.samples),
                ":workers_peak": self.workers_peak,
                ":compute_micros": self.gain.compute_micros,
                ":thread_micros": self.gain.thread_micros,
                ":tasks_completed": self.gain.tasks_completed,
                ":tasks_erred": self.gain.tasks_erred,
                ":result_bytes": self.gain.result_bytes,
            })?;
        let Some((seq, latest)) = self.latest else {
            return Ok(());
        };
        db.prepare_cached(include_str!("sql/cluster_total_latest.sql"))?
            .execute(named_params! {
                ":cluster_id": cluster,
                ":at_micros": latest.at_micros,
                ":seq": seq,
                ":rank": rank,
                ":workers": latest.workers,
                ":threads": latest.threads,
                ":memory_used_bytes": latest.memory_used_bytes,
                ":memory_limit_bytes": latest.memory_limit_bytes,
                ":idle_since_micros": latest.idle_since_micros,
                ":tasks": serde_json::to_string(&latest.tasks)?,
            })?;
        Ok(())
    }
}
