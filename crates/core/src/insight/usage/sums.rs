//! Hours summed, and what a cell says of them.

use crate::insight::cost::{Bill, parts};
use crate::query::types::{Measure, Price, PriceBook, UsageTotals};
use crate::query::{HourUse, Rates, Used};

/// Different clusters. They are gathered as they come and told apart when their number is asked for: hours come nearly in the
/// order of clusters, and a set that takes each up takes longer than all else that is summed of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distinct(Vec<i64>);

impl Distinct {
    fn add(&mut self, cluster: i64) {
        if self.0.last() != Some(&cluster) {
            self.0.push(cluster);
        }
    }

    fn merge(&mut self, other: Distinct) {
        self.0.extend(other.0);
    }

    pub(crate) fn len(&self) -> usize {
        if self.0.is_sorted_by(|one, two| one < two) {
            return self.0.len();
        }
        let mut clusters = self.0.clone();
        clusters.sort_unstable();
        clusters.dedup();
        clusters.len()
    }
}

/// Sums of hours.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    pub(crate) used: Used,
    pub(crate) clusters: Distinct,
    pub(crate) workers_peak: u64,
    pub(crate) memory_peak_bytes: Option<u64>,
    pub(crate) bill: Bill,
}

impl Sums {
    pub(crate) fn new() -> Self {
        Self {
            used: Used::default(),
            clusters: Distinct::default(),
            workers_peak: 0,
            memory_peak_bytes: None,
            bill: Bill::new(),
        }
    }

    pub(super) fn add(&mut self, hour: &HourUse, price: Option<(&Price, &Rates)>) {
        self.used.add(&hour.used);
        self.clusters.add(hour.cluster);
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
        self.clusters.merge(other.clusters);
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
