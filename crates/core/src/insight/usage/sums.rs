//! Hours summed, and what a cell says of them.

use crate::insight::cost::{Bill, parts};
use crate::query::types::{Measure, Price, PriceBook, UsageTotals};
use crate::query::{ClusterIds, HourUse, Rates, Used};

/// Sums of hours.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    pub(crate) used: Used,
    pub(crate) clusters: ClusterIds,
    pub(crate) workers_peak: u64,
    pub(crate) memory_peak_bytes: Option<u64>,
    pub(crate) bill: Bill,
}

impl Sums {
    pub(crate) fn new() -> Self {
        Self {
            used: Used::default(),
            clusters: ClusterIds::default(),
            workers_peak: 0,
            memory_peak_bytes: None,
            bill: Bill::new(),
        }
    }

    pub(super) fn add(&mut self, hour: &HourUse, price: Option<(&Price, &Rates)>) {
        self.used.add(&hour.used);
        self.clusters.insert(hour.cluster);
        self.workers_peak = self.workers_peak.max(hour.workers_peak);
        self.memory_peak_bytes = self.memory_peak_bytes.max(hour.memory_peak_bytes);
        self.bill.add(price, &hour.used);
    }

    pub(crate) fn totals(&self, book: &PriceBook) -> UsageTotals {
        totals(
            &self.used,
            self.clusters.len() as u64,
            self.workers_peak,
            &self.bill,
            book,
        )
    }

    pub(super) fn merge(&mut self, other: Sums) {
        self.used.add(&other.used);
        self.clusters.extend(other.clusters);
        self.workers_peak = self.workers_peak.max(other.workers_peak);
        self.memory_peak_bytes = self.memory_peak_bytes.max(other.memory_peak_bytes);
        self.bill.merge(other.bill);
    }

    /// What a cell says; none where it was not told.
    pub(super) fn value(&self, measure: Measure) -> Option<f64> {
        let seconds = |micros: i64| Some(micros as f64 / 1e6);
        match measure {
            Measure::Compute => seconds(self.used.compute_micros),
            Measure::Cluster => seconds(self.used.thread_micros),
            Measure::Idle => seconds(parts(&self.used).idle_micros),
            Measure::Stalled => seconds(parts(&self.used).stalled_micros),
            Measure::Cost => self.bill.middle(),
            Measure::Failures => Some(self.used.tasks_erred as f64),
            Measure::MemoryPeak => self.memory_peak_bytes.map(|bytes| bytes as f64),
        }
    }

    /// By what a list is ordered.
    pub(crate) fn weight(&self, measure: Measure) -> f64 {
        self.value(measure).unwrap_or(0.0)
    }
}

/// Sums as they are told.
pub(crate) fn totals(
    used: &Used,
    clusters: u64,
    workers_peak: u64,
    bill: &Bill,
    book: &PriceBook,
) -> UsageTotals {
    UsageTotals {
        clusters,
        thread_seconds: used.thread_micros as f64 / 1e6,
        compute_seconds: used.compute_micros as f64 / 1e6,
        efficiency: (used.thread_micros > 0)
            .then(|| used.compute_micros as f64 / used.thread_micros as f64),
        parts: parts(used),
        tasks_completed: used.tasks_completed.max(0) as u64,
        tasks_erred: used.tasks_erred.max(0) as u64,
        result_bytes: used.result_bytes.max(0) as u64,
        workers_peak,
        cost: bill.cost(&book.prices, &book.currency),
    }
}
