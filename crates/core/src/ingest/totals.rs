//! What one batch adds to the sums of its cluster and of everything.

use rusqlite::named_params;

use super::Context;
use super::ever::Ever;
use super::gain::Gain;
use crate::Result;
use crate::model::Micros;
use crate::store::execute_in_order;
use crate::wire::SampleRecord;

/// Gathered over the lines of a batch, so that each row of sums is written once.
#[derive(Default)]
pub(super) struct BatchTotals<'a> {
    pub(super) gain: Gain,
    pub(super) samples: u64,
    pub(super) workers_peak: u64,
    threads_peak: u64,
    pub(super) memory_peak_bytes: Option<u64>,
    /// When a task ended, and a sample at which no work was assigned: the latest of each.
    last_completed: Option<Micros>,
    unassigned_at: Option<Micros>,
    pub(super) computations: u64,
    pub(super) exceptions: u64,
    /// An instance is new or began earlier than was known, or it stopped.
    pub(super) newest_instance_changed: bool,
    /// The latest sample of the batch, with its sequence number.
    latest: Option<(u64, &'a SampleRecord)>,
}

impl<'a> BatchTotals<'a> {
    /// Of a batch without records, whose instance may be new.
    pub(super) fn new(newest_instance_changed: bool) -> Self {
        Self {
            newest_instance_changed,
            ..Self::default()
        }
    }

    /// Counts a sample that was not known before.
    pub(super) fn sample(&mut self, record: &'a SampleRecord, seq: u64) {
        self.samples += 1;
        self.workers_peak = self.workers_peak.max(record.workers);
        self.threads_peak = self.threads_peak.max(record.threads);
        self.memory_peak_bytes = self.memory_peak_bytes.max(record.memory_used_bytes);
        self.last_completed = self.last_completed.max(record.last_completed_micros);
        if record.stall.is_none() {
            self.unassigned_at = self.unassigned_at.max(Some(record.at_micros));
        }
        if self
            .latest
            .as_ref()
            .is_none_or(|(known, latest)| (latest.at_micros, *known) < (record.at_micros, seq))
        {
            self.latest = Some((seq, record));
        }
    }

    /// Writes the sums of the cluster, which also says that it was heard, and hands on what it adds to everything.
    pub(super) fn write(self, context: &Context<'_>, ever: &mut Ever) -> Result<()> {
        let Context {
            db, cluster, rank, ..
        } = *context;
        if self.newest_instance_changed {
            db.prepare_cached(include_str!("sql/cluster_newest_instance.sql"))?
                .execute(named_params! { ":cluster_id": cluster })?;
        }
        let (first, is_latest): (bool, bool) = match &self.latest {
            None => (false, false),
            Some((seq, latest)) => db
                .prepare_cached(include_str!("sql/cluster_total_sample.sql"))?
                .query_one(
                    named_params! {
                        ":cluster_id": cluster,
                        ":at_micros": latest.at_micros,
                        ":seq": seq,
                        ":rank": rank,
                    },
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )?,
        };
        let seq = self.latest.as_ref().map(|(seq, _)| seq);
        let latest = self.latest.map(|(_, latest)| latest);
        let stall = latest.and_then(|latest| latest.stall.as_ref());
        let tasks = latest.map(|latest| serde_json::to_string(&latest.tasks));
        let mut statement = db.prepare_cached(include_str!("sql/cluster_total_add.sql"))?;
        execute_in_order(
            &mut statement,
            named_params! {
                ":heard_micros": context.heard,
                ":now_micros": context.now,
                ":samples": self.samples,
                ":workers_peak": self.workers_peak,
                ":threads_peak": self.threads_peak,
                ":memory_peak_bytes": self.memory_peak_bytes,
                ":last_completed_micros": self.last_completed,
                ":unassigned_at_micros": self.unassigned_at,
                ":compute_micros": self.gain.compute_micros,
                ":transfer_micros": self.gain.transfer_micros,
                ":disk_micros": self.gain.disk_micros,
                ":other_micros": self.gain.other_micros,
                ":thread_micros": self.gain.thread_micros,
                ":worker_micros": self.gain.worker_micros,
                ":memory_mib_seconds": self.gain.memory_mib_seconds,
                ":tasks_completed": self.gain.tasks_completed,
                ":tasks_erred": self.gain.tasks_erred,
                ":result_bytes": self.gain.result_bytes,
                ":computations": self.computations,
                ":exceptions": self.exceptions,
                ":is_latest": is_latest,
                ":sample_at_micros": latest.map(|latest| latest.at_micros),
                ":sample_seq": seq,
                ":sample_rank": rank,
                ":workers": latest.map(|latest| latest.workers),
                ":threads": latest.map(|latest| latest.threads),
                ":memory_used_bytes": latest.and_then(|latest| latest.memory_used_bytes),
                ":memory_limit_bytes": latest.and_then(|latest| latest.memory_limit_bytes),
                ":idle_since_micros": latest.and_then(|latest| latest.idle_since_micros),
                ":stall_limit_micros": stall.map(|stall| stall.limit_micros),
                ":stall_same_stacks": stall.and_then(|stall| stall.same_stacks),
                ":stall_group_id": stall.and_then(|stall| stall.group_id.as_ref()),
                ":tasks": tasks.transpose()?,
                ":cluster_id": cluster,
            },
        )?;
        let clusters = u64::from(first);
        ever.add(context.now, clusters, self.workers_peak, self.gain);
        Ok(())
    }
}
