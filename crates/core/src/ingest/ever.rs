//! What the batches of one commit add to the sums of everything: one row, which each of them would write anew.

use rusqlite::{Connection, named_params};

use super::gain::Gain;
use crate::Result;
use crate::model::Micros;
use crate::store::execute_in_order;

/// What is not written yet.
#[derive(Default)]
pub(super) struct Ever(Option<More>);

#[derive(Default)]
struct More {
    heard: Micros,
    /// Those that sent their first sample: others are not counted.
    clusters: u64,
    workers_peak: u64,
    gain: Gain,
}

impl Ever {
    /// What is not written was undone.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }

    /// Adds what one batch adds, after all else of it is written.
    pub(super) fn add(&mut self, now: Micros, clusters: u64, workers_peak: u64, gain: Gain) {
        let more = self.0.get_or_insert_default();
        more.heard = more.heard.max(now);
        more.clusters += clusters;
        more.workers_peak = more.workers_peak.max(workers_peak);
        more.gain.add(gain);
    }

    /// Writes what was added.
    pub(super) fn write(&mut self, db: &Connection) -> Result<()> {
        let Some(more) = &self.0 else {
            return Ok(());
        };
        let mut statement = db.prepare_cached(include_str!("sql/usage_ever_add.sql"))?;
        execute_in_order(
            &mut statement,
            named_params! {
                ":now_micros": more.heard,
                ":clusters": more.clusters,
                ":workers_peak": more.workers_peak,
                ":compute_micros": more.gain.compute_micros,
                ":transfer_micros": more.gain.transfer_micros,
                ":disk_micros": more.gain.disk_micros,
                ":other_micros": more.gain.other_micros,
                ":thread_micros": more.gain.thread_micros,
                ":worker_micros": more.gain.worker_micros,
                ":memory_mib_seconds": more.gain.memory_mib_seconds,
                ":tasks_completed": more.gain.tasks_completed,
                ":tasks_erred": more.gain.tasks_erred,
                ":result_bytes": more.gain.result_bytes,
            },
        )?;
        self.0 = None;
        Ok(())
    }
}
