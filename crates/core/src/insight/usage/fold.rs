//! Hours of a selection summed: over the period, the one before, time, and each cluster.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::sums::Sums;
use super::{Clusters, Edges, Selection, begins, first_hour};
use crate::model::Micros;
use crate::query::types::{HeatRows, Measure, UsageSeries};
use crate::query::{HourUse, Mixed};

/// What is told of a cluster by itself.
#[derive(Default)]
pub(crate) struct OfCluster {
    /// Time of threads that computed.
    pub(crate) compute_micros: i64,
    named: u32,
}

/// The overview's sums: of what is selected, of the same before, and over time.
pub(crate) struct UsageFold {
    selection: Selection,
    earlier: Selection,
    edges: Edges,
    /// Hours `[first, end)` of the period and of the one before.
    now: (i64, i64),
    then: (i64, i64),
    pub(crate) period: Sums,
    pub(crate) before: Sums,
    pub(crate) by_cluster: HashMap<i64, OfCluster, BuildHasherDefault<Mixed>>,
    series: Vec<Sums>,
}

impl UsageFold {
    pub(crate) fn new(
        selection: Selection,
        edges: Edges,
        period: (Micros, Micros),
        before: (Micros, Micros),
    ) -> Self {
        let hours = |(from, to): (Micros, Micros)| (first_hour(from), first_hour(to));
        Self {
            earlier: selection.earlier(period.0.0 - before.0.0),
            selection,
            series: (0..edges.stretches()).map(|_| Sums::new()).collect(),
            edges,
            now: hours(period),
            then: hours(before),
            period: Sums::new(),
            before: Sums::new(),
            by_cluster: HashMap::default(),
        }
    }

    pub(crate) fn add(&mut self, hour: &HourUse, clusters: &Clusters<'_>) {
        let price = clusters.price(hour);
        let row = clusters.row(self.selection.by, hour);
        let at = begins(hour.hour);
        let within = |(first, end): (i64, i64)| (first..end).contains(&hour.hour);
        if within(self.now) && self.selection.holds(at, row) {
            self.period.add(hour, price);
            let of = self.by_cluster.entry(hour.cluster).or_default();
            of.compute_micros = of.compute_micros.saturating_add(hour.used.compute_micros);
            of.named = hour.named;
            if let Some(stretch) = self.edges.of(hour.hour) {
                self.series[stretch].add(hour, price);
            }
        }
        if within(self.then) && self.earlier.holds(at, row) {
            self.before.add(hour, price);
        }
    }

    /// Whether what a cluster did at a moment is among the sums; of a span, whether the moment is and anything of the cluster.
    pub(crate) fn holds(&self, at: Micros, cluster: i64, clusters: &Clusters<'_>) -> bool {
        self.by_cluster
            .get(&cluster)
            .is_some_and(|of| match self.selection.by {
                HeatRows::Span => self.selection.meets(at.0),
                by => {
                    let row = clusters.row_of(by, cluster, of.named);
                    self.selection.holds(at.0, row)
                }
            })
    }

    pub(crate) fn series(&self) -> UsageSeries {
        let column = |of: &dyn Fn(&Sums) -> f64| self.series.iter().map(of).collect::<Vec<f64>>();
        let measure = |measure| column(&|sums| sums.weight(measure));
        UsageSeries {
            thread_seconds: measure(Measure::Cluster),
            compute_seconds: measure(Measure::Compute),
            tasks_completed: column(&|sums| sums.used.tasks_completed as f64),
            tasks_erred: measure(Measure::Failures),
            result_bytes: column(&|sums| sums.used.result_bytes as f64),
            workers_peak: column(&|sums| sums.workers_peak as f64),
            clusters: column(&|sums| sums.clusters.len() as f64),
            cost: measure(Measure::Cost),
            idle_cost: column(&|sums| sums.bill.middle_of_idle().unwrap_or(0.0)),
        }
    }
}

/// What each cluster used in a selection.
pub(crate) struct ClusterFold {
    selection: Selection,
    pub(crate) clusters: HashMap<i64, Sums, BuildHasherDefault<Mixed>>,
}

impl ClusterFold {
    pub(crate) fn new(selection: Selection) -> Self {
        Self {
            selection,
            clusters: HashMap::default(),
        }
    }

    pub(crate) fn add(&mut self, hour: &HourUse, clusters: &Clusters<'_>) {
        let row = clusters.row(self.selection.by, hour);
        if self.selection.holds(begins(hour.hour), row) {
            let sums = self.clusters.entry(hour.cluster).or_insert_with(Sums::new);
            sums.add(hour, clusters.price(hour));
        }
    }
}
