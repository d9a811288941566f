//! Computations with the spans, metrics and events that go with them.

use std::collections::BTreeSet;

use bobbin_core::{
    model::{Micros, TaskStates},
    wire::{ComputationRecord, EventRecord, MetricRecord, Record, SpanRecord, TaskGroupRecord},
};

use super::super::dice::Dice;
use super::Plan;

/// Of a cluster, where it has as many groups.
pub(super) const COMPUTATIONS: usize = 8;
/// Fine metrics of a computation. Recorded clusters have 4 to 20 for each span.
const MOST_METRICS: usize = 12;
/// Events of a cluster besides its graphs.
const MOST_EVENTS: usize = 8;

impl Plan<'_> {
    /// The groups in turn, each part of them started by one call, with what was measured of it.
    pub(super) fn computations(&self, dice: &mut Dice, groups: &[TaskGroupRecord]) -> Vec<Record> {
        let mut records = Vec::new();
        let parts = groups.len().min(COMPUTATIONS);
        let end = |part: usize| groups.len() * part / parts;
        for part in (0..parts).map(|part| &groups[end(part)..end(part + 1)]) {
            let of = dice.pick(&self.recorded.computations);
            let mut states = TaskStates::new();
            for (state, tasks) in part.iter().flat_map(|group| &group.states) {
                *states.entry(state.clone()).or_default() += tasks;
            }
            let start = part.iter().filter_map(|group| group.start_micros).min();
            let stop = part.iter().filter_map(|group| group.stop_micros).max();
            let ids: Vec<String> = part.iter().map(|group| group.group_id.clone()).collect();
            let span = dice.pick(&self.recorded.spans);
            let at_micros = stop.unwrap_or(Micros(self.done));
            let span_id = dice.hex();
            records.push(self.graph(dice, start, states.values().sum()));
            let mut prefixes: BTreeSet<&str> = BTreeSet::new();
            prefixes.extend(part.iter().map(|group| &*group.prefix));
            let metrics = prefixes.into_iter().flat_map(|prefix| {
                self.metrics_of(dice, Some(prefix), Some((span_id.as_str(), at_micros)))
            });
            records.extend(metrics.take(MOST_METRICS));
            records.push(Record::Span(Box::new(SpanRecord {
                at_micros,
                span_id,
                parent_id: None,
                start_micros: start,
                stop_micros: stop,
                enqueued_micros: start,
                groups: ids.clone(),
                ..span.clone()
            })));
            records.push(Record::Computation(Box::new(ComputationRecord {
                at_micros,
                computation_id: dice.hex(),
                start_micros: start,
                stop_micros: stop,
                groups: ids,
                states,
                ..of.clone()
            })));
        }
        records
    }

    /// The event of the graph of a computation.
    fn graph(&self, dice: &mut Dice, start: Option<Micros>, tasks: u64) -> Record {
        let mut event = dice.pick(&self.recorded.graphs).clone();
        event.at_micros = start.unwrap_or(Micros(self.start));
        let seconds = event.at_micros.0 as f64 / 1e6;
        event.payload["stimulus_id"] = format!("update-graph-{seconds}").into();
        event.payload["metrics"]["start_timestamp_seconds"] = seconds.into();
        for count in ["tasks", "new_tasks"] {
            event.payload["metrics"][count] = tasks.into();
        }
        Record::Event(event)
    }

    /// Fine metrics of a prefix in a span, or of no prefix in none.
    pub(super) fn metrics_of(
        &self,
        dice: &mut Dice,
        prefix: Option<&str>,
        span: Option<(&str, Micros)>,
    ) -> Vec<Record> {
        let known = self.recorded.metrics.get(&prefix.map(str::to_owned));
        known
            .into_iter()
            .flatten()
            .map(|metric| {
                let is_rate = metric.unit.contains(" per ");
                let more = if is_rate { 1.0 } else { self.more };
                Record::Metric(Box::new(MetricRecord {
                    at_micros: span.map_or(Micros(self.done), |(_, at)| at),
                    span_id: span.map(|(id, _)| id.to_owned()),
                    value: metric.value * more * dice.log_normal(1.0, 0.2),
                    ..metric.clone()
                }))
            })
            .collect()
    }

    /// What else happened, at any time while there was work; and how often what was only counted.
    pub(super) fn events(&self, dice: &mut Dice) -> Vec<Record> {
        let mut records = Vec::new();
        for _ in 0..dice.below(MOST_EVENTS + 1) {
            let length = (self.done - self.start) as usize;
            records.push(Record::Event(EventRecord {
                at_micros: Micros(self.start + dice.below(length) as i64),
                ..dice.pick(&self.recorded.events).clone()
            }));
        }
        for topic in &self.recorded.topics {
            let count = topic.count.unwrap_or(0) as f64;
            records.push(Record::Event(EventRecord {
                at_micros: Micros(self.done),
                count: Some(1 + (count * dice.log_normal(1.0, 0.5)) as u64),
                ..topic.clone()
            }));
        }
        records
    }
}
