//! What a cluster used between two moments: whole numbers, whose sums do not depend on their order.

/// What came between two samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Gain {
    pub(super) compute_micros: i64,
    pub(super) transfer_micros: i64,
    /// Reading and writing.
    pub(super) disk_micros: i64,
    /// Deserializing, and what Dask counts as other.
    pub(super) other_micros: i64,
    pub(super) thread_micros: i64,
    /// Workers times the time that they were there.
    pub(super) worker_micros: i64,
    /// Memory that the workers may use, times that time.
    pub(super) memory_mib_seconds: i64,
    pub(super) tasks_completed: i64,
    pub(super) tasks_erred: i64,
    pub(super) result_bytes: i64,
}

impl Gain {
    pub(super) fn map(self, other: Gain, f: impl Fn(i64, i64) -> i64) -> Gain {
        Gain {
            compute_micros: f(self.compute_micros, other.compute_micros),
            transfer_micros: f(self.transfer_micros, other.transfer_micros),
            disk_micros: f(self.disk_micros, other.disk_micros),
            other_micros: f(self.other_micros, other.other_micros),
            thread_micros: f(self.thread_micros, other.thread_micros),
            worker_micros: f(self.worker_micros, other.worker_micros),
            memory_mib_seconds: f(self.memory_mib_seconds, other.memory_mib_seconds),
            tasks_completed: f(self.tasks_completed, other.tasks_completed),
            tasks_erred: f(self.tasks_erred, other.tasks_erred),
            result_bytes: f(self.result_bytes, other.result_bytes),
        }
    }

    /// From an earlier sample to this one. Totals only grow; where one fell, nothing was gained.
    pub(super) fn since(self, earlier: Gain) -> Gain {
        self.map(earlier, |later, earlier| (later - earlier).max(0))
    }

    pub(super) fn add(&mut self, other: Gain) {
        *self = self.map(other, i64::saturating_add);
    }
}
