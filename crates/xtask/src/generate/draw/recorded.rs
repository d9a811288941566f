//! What real runs looked like: the last state of everything that the recorded stories tell of their clusters.

use std::{collections::BTreeMap, fs::File, io::BufReader};

use bobbin_core::wire::{
    ClusterRecord, ComputationRecord, EventRecord, ExceptionRecord, Line, MetricRecord,
    ProfileRecord, Record, SpanRecord, TaskGroupRecord, decode_stream,
};
use flate2::bufread::MultiGzDecoder;

use crate::{
    files::root,
    process::{Failure, Result},
};

/// Letters of an event that is told again.
const LONGEST_EVENT: usize = 1_000;

/// One recorded cluster. Nothing in it is empty but `exceptions`.
pub struct Recorded {
    pub cluster: ClusterRecord,
    /// Those that others depend on come first, where there is no cycle.
    pub groups: Vec<TaskGroupRecord>,
    pub computations: Vec<ComputationRecord>,
    pub spans: Vec<SpanRecord>,
    pub exceptions: Vec<ExceptionRecord>,
    /// The largest of each prefix.
    pub profiles: Vec<ProfileRecord>,
    /// Each once, of whichever span: for the prefixes, and for none.
    pub metrics: BTreeMap<Option<String>, Vec<MetricRecord>>,
    /// Graphs that came in, and what else happened.
    pub graphs: Vec<EventRecord>,
    pub events: Vec<EventRecord>,
    /// How many of a topic were only counted.
    pub topics: Vec<EventRecord>,
}

#[derive(Default)]
struct Latest {
    cluster: Option<ClusterRecord>,
    groups: BTreeMap<String, TaskGroupRecord>,
    computations: BTreeMap<String, ComputationRecord>,
    spans: BTreeMap<String, SpanRecord>,
    exceptions: BTreeMap<String, ExceptionRecord>,
    profiles: BTreeMap<Option<String>, ProfileRecord>,
    metrics: BTreeMap<(Option<String>, [String; 3]), MetricRecord>,
    events: Vec<EventRecord>,
    topics: BTreeMap<String, EventRecord>,
}

/// The stories that the app shows as its demonstration.
pub const STORIES: [&str; 3] = [
    "assets/demo/healthy.bobbin",
    "assets/demo/wasteful.bobbin",
    "assets/demo/failing.bobbin",
];

/// Reads the stories.
///
/// # Errors
/// One is not there, or cannot be read.
pub fn read() -> Result<Vec<Recorded>> {
    let mut clusters: BTreeMap<String, Latest> = BTreeMap::new();
    for name in STORIES {
        let path = root().join(name);
        let story = BufReader::new(File::open(&path)?);
        for batch in decode_stream(BufReader::new(MultiGzDecoder::new(story))) {
            let batch = batch.map_err(|error| Failure::new(format!("{name}: {error}")))?;
            let latest = clusters.entry(batch.header.cluster_id).or_default();
            for line in batch.lines {
                if let Line::Known(record, _) = line {
                    latest.hear(record);
                }
            }
        }
    }
    let recorded: Vec<_> = clusters.into_values().filter_map(Latest::whole).collect();
    if recorded.is_empty() {
        return Err(Failure::new(
            "the stories have no cluster with groups, code and a profile",
        ));
    }
    Ok(recorded)
}

impl Latest {
    fn hear(&mut self, record: Record) {
        match record {
            Record::Cluster(record) => self.cluster = Some(*record),
            Record::TaskGroup(record) => {
                self.groups.insert(record.group_id.clone(), *record);
            }
            Record::Computation(mut record) => {
                // Code is sent once.
                let known = self.computations.get(&record.computation_id);
                if record.code.is_none() {
                    record.code = known.and_then(|known| known.code.clone());
                }
                self.computations
                    .insert(record.computation_id.clone(), *record);
            }
            Record::Span(record) => {
                self.spans.insert(record.span_id.clone(), *record);
            }
            Record::Exception(record) => {
                self.exceptions.insert(record.exception_id.clone(), *record);
            }
            Record::Profile(record) => {
                let larger =
                    |known: &ProfileRecord| known.stacks.parent.len() >= record.stacks.parent.len();
                if !self.profiles.get(&record.prefix).is_some_and(larger) {
                    self.profiles.insert(record.prefix.clone(), *record);
                }
            }
            Record::Metric(record) => {
                let of = [&record.context, &record.activity, &record.unit];
                let key = (record.prefix.clone(), of.map(String::clone));
                self.metrics.insert(key, *record);
            }
            Record::Event(record) => match record.count {
                Some(_) => {
                    self.topics.insert(record.topic.clone(), record);
                }
                None if record.payload.to_string().len() <= LONGEST_EVENT => {
                    self.events.push(record);
                }
                None => {}
            },
            Record::Sample(_) | Record::Worker(_) | Record::Dropped(_) | Record::Stop(_) => {}
        }
    }

    fn whole(self) -> Option<Recorded> {
        let mut groups: Vec<_> = self
            .groups
            .into_values()
            .filter(|group| group.start_micros.is_some())
            .collect();
        groups.sort_by_key(|group| (group.start_micros, group.group_id.clone()));
        let computations: Vec<_> = self
            .computations
            .into_values()
            .filter(|computation| computation.code.is_some())
            .collect();
        let profiles: Vec<_> = self.profiles.into_values().collect();
        let spans: Vec<_> = self.spans.into_values().collect();
        let mut metrics: BTreeMap<Option<String>, Vec<MetricRecord>> = BTreeMap::new();
        for ((prefix, _), metric) in self.metrics {
            metrics.entry(prefix).or_default().push(metric);
        }
        let (graphs, events): (Vec<_>, Vec<_>) = self
            .events
            .into_iter()
            .partition(|event| event.payload["action"] == "update-graph");
        let bare = groups.is_empty()
            || computations.is_empty()
            || profiles.is_empty()
            || spans.is_empty()
            || metrics.is_empty()
            || graphs.is_empty()
            || events.is_empty();
        (!bare).then_some(Recorded {
            cluster: self.cluster?,
            groups,
            computations,
            spans,
            exceptions: self.exceptions.into_values().collect(),
            profiles,
            metrics,
            graphs,
            events,
            topics: self.topics.into_values().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_story_has_clusters_of_several_kinds_and_a_failing_one() {
        let recorded = super::read().unwrap();
        assert!(recorded.len() >= 3);
        assert!(recorded.iter().any(|one| !one.exceptions.is_empty()));
        assert!(recorded.iter().all(|one| one.groups.len() > 3));
    }
}
