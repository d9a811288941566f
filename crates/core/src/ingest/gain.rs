//! What a cluster used between two moments: whole numbers, whose sums do not depend on their order.

/// What came between two samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Gain {
    pub(super) compute_micros: i64,
    pub(super) thread_micros: i64,
    pub(super) tasks_completed: i64,
    pub(super) tasks_erred: i64,
    pub(super) result_bytes: i64,
}

impl Gain {
    pub(super) fn map(self, other: Gain, f: impl Fn(i64, i64) -> i64) -> Gain {
        Gain {
            compute_micros: f(self.compute_micros, other.compute_micros),
            thread_micros: f(self.thread_micros, other.thread_micros),
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
