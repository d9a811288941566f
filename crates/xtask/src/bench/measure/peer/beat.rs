//! What a usual report leads to, row by row, as `crates/core/src/ingest` has it: what is new of its cluster, the state of
//! it and of the groups that moved, and what that adds to the sums. All of it is read and added up here, before anything
//! is measured.

use std::{
    array,
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    mem,
};

use bobbin_core::{
    model::Micros,
    wire::{Batch, Header, Limits, Line, Record, SampleRecord, TaskGroupRecord, decode, inflate},
};
use rusqlite::types::Value as Cell;
use serde_json::Value;

use super::{
    failed,
    rows::{Parameters, Put, Row},
};
use crate::process::{Failure, Result};

/// Until a cluster says how often it reports.
const INTERVAL_MICROS: i64 = 10_000_000;

/// What a cluster used between two samples, each number under its name in [`GAIN`].
type Gain = [i64; 10];

const GAIN: [&str; 10] = [
    "compute_micros",
    "transfer_micros",
    "disk_micros",
    "other_micros",
    "thread_micros",
    "tasks_completed",
    "tasks_erred",
    "result_bytes",
    // No sample has sums of these two: they follow from the time of threads.
    "worker_micros",
    "memory_mib_seconds",
];

/// Switches that have a time since when they are off.
const SWITCHES: [&str; 7] = [
    "code",
    "profile",
    "exceptions",
    "names",
    "user",
    "host",
    "paths",
];

/// The rows of these bodies, by commits of `group` bodies each.
///
/// # Errors
/// A body cannot be read, or has what no usual report has.
pub fn commits(bodies: &[Vec<u8>], group: usize, parameters: &Parameters) -> Result<Vec<Vec<Row>>> {
    let mut met = Met::default();
    let commits = bodies.chunks(group).map(|bodies| -> Result<Vec<Row>> {
        let mut commit = Commit {
            parameters,
            rows: Vec::new(),
            heard: 0,
            clusters: 0,
            workers_peak: 0,
            gain: Gain::default(),
        };
        for body in bodies {
            met.report(&decoded(body)?, &mut commit)?;
        }
        Ok(commit.ended())
    });
    commits.collect()
}

/// A report as the receiver reads it.
///
/// # Errors
/// It cannot be read.
pub fn decoded(body: &[u8]) -> Result<Batch> {
    let text = inflate(body, &Limits::default()).map_err(failed)?;
    decode(&text).map_err(failed)
}

/// The rows that are committed at once, and what they add to the sums of everything, which are written once.
struct Commit<'a> {
    parameters: &'a Parameters,
    rows: Vec<Row>,
    heard: i64,
    clusters: i64,
    workers_peak: i64,
    gain: Gain,
}

impl Commit<'_> {
    fn put(&mut self, put: Put, values: &Values) {
        let row = self.parameters.row(put, |name| values.get(name));
        self.rows.push(row);
    }

    fn ended(mut self) -> Vec<Row> {
        let values = Values::default()
            .gained(self.gain)
            .with("now_micros", self.heard)
            .with("clusters", self.clusters)
            .with("workers_peak", self.workers_peak);
        self.put(Put::EverMore, &values);
        self.rows
    }
}

/// The clusters and prefixes that were met so far, numbered as SQLite numbers them.
#[derive(Default)]
struct Met {
    clusters: HashMap<String, Cluster>,
    names: HashMap<String, i64>,
}

/// A cluster, which has one instance of the same number.
struct Cluster {
    id: i64,
    /// Those of its latest sample.
    sums: Gain,
    groups: HashSet<String>,
}

impl Met {
    fn report(&mut self, batch: &Batch, commit: &mut Commit<'_>) -> Result {
        let header = &batch.header;
        let records = records(batch)?;
        let now = header.sent_at_micros.0;
        let times = || records.iter().map(|record| record.at().0);
        let (first, last) = (times().min().unwrap_or(now), times().max().unwrap_or(now));
        let next = self.clusters.len() as i64 + 1;
        let cluster = self
            .clusters
            .entry(header.cluster_id.clone())
            .or_insert_with(|| Cluster {
                id: next,
                sums: Gain::default(),
                groups: HashSet::new(),
            });
        let values = Values::default()
            .with("cluster_id", cluster.id)
            .with("instance_id", cluster.id)
            .with("rank", rank(&header.instance_id))
            .with("now_micros", now)
            .with("heard_micros", now);
        commit.heard = commit.heard.max(now);
        if cluster.id == next {
            commit.clusters += 1;
            begin(header, first, &values, commit);
        }
        let first_seq = header.first_seq as i64;
        let noted = values
            .clone()
            .with("first_seq", first_seq)
            .with("records", records.len() as i64)
            .with("digest", batch.digest.to_vec())
            .with("first_at_micros", first)
            .with("last_at_micros", last)
            .with("refused", 0_i64)
            .with("kept", 0_i64);
        commit.put(Put::Batch, &noted);
        for (seq, record) in (first_seq..).zip(records) {
            let told = serde_json::to_value(record).map_err(failed)?;
            let values = values.clone().and(&told).with("seq", seq);
            match record {
                Record::Cluster(_) => about(&told, values, commit),
                Record::Sample(sample) => cluster.sample(sample, &told, values, commit)?,
                Record::TaskGroup(group) => {
                    let prefix = prefix(&mut self.names, &group.prefix, commit);
                    let values = values.with("prefix_id", prefix);
                    cluster.task_group(group, &told, values, commit);
                }
                other => return Err(unusual(other.kind())),
            }
        }
        Ok(())
    }
}

/// The records of a report of which nothing is refused or kept for a later version.
fn records(batch: &Batch) -> Result<Vec<&Record>> {
    let records = batch.lines.iter().map(|line| match line {
        Line::Known(record, None) => Ok(record),
        Line::Known(..) | Line::Unknown(_) | Line::Refused(_) => {
            Err(unusual("line that is not understood"))
        }
    });
    records.collect()
}

/// What has rows that are not written here.
fn unusual(what: &str) -> Failure {
    Failure::new(format!("a usual report has no {what}"))
}

/// A cluster and its instance, by the first report.
fn begin(header: &Header, at_micros: i64, values: &Values, commit: &mut Commit<'_>) {
    let values = values
        .clone()
        .with("at_micros", at_micros)
        .with("scheduler_id", header.cluster_id.clone())
        .with("interval_micros", INTERVAL_MICROS)
        .with("plugin_version", header.plugin_version.clone());
    commit.put(Put::Cluster, &values);
    commit.put(Put::Total, &values);
    // Here, and nowhere else, it is the plugin's own text.
    let instance = values
        .clone()
        .with("instance_id", header.instance_id.clone());
    commit.put(Put::Instance, &instance);
    commit.put(Put::Newest, &values);
}

/// Who and where a cluster is, and what it may send.
fn about(told: &Value, values: Values, commit: &mut Commit<'_>) {
    let switches = &told["switches"];
    let topics = &switches["events_allow"];
    let since = |is_off: bool| match is_off {
        true => cell(&told["at_micros"]),
        false => Cell::Null,
    };
    let values = values
        .with("remote_close_allowed", cell(&switches["remote_close"]))
        .with("events_allow", cell(topics));
    let none = topics.as_array().is_some_and(Vec::is_empty);
    let mut off = values.clone().with("events_off_micros", since(none));
    for switch in SWITCHES {
        let is_off = switches[switch] == false;
        off = off.with(&format!("{switch}_off_micros"), since(is_off));
    }
    commit.put(Put::Switches, &off);
    commit.put(Put::About, &values);
    commit.put(Put::Fact, &values);
    commit.put(Put::Interval, &values);
}

/// The number of a prefix, which is a row if it is new.
fn prefix(names: &mut HashMap<String, i64>, text: &str, commit: &mut Commit<'_>) -> i64 {
    if let Some(known) = names.get(text) {
        return *known;
    }
    let id = names.len() as i64 + 1;
    names.insert(text.into(), id);
    commit.put(Put::Name, &Values::default().with("text", text.to_owned()));
    id
}

impl Cluster {
    fn sample(
        &mut self,
        sample: &SampleRecord,
        told: &Value,
        values: Values,
        commit: &mut Commit<'_>,
    ) -> Result {
        if sample.stall.is_some() {
            return Err(unusual("stall"));
        }
        if sample.workers_each.is_some() || sample.workers_bands.is_some() {
            return Err(unusual("sample of single workers"));
        }
        let gain = self.gain(sample);
        let tasks = |states: &[&str]| {
            let tasks = states.iter().filter_map(|state| sample.tasks.get(*state));
            tasks.sum::<u64>() as i64
        };
        let seconds = serde_json::to_value(sample.totals.seconds).map_err(failed)?;
        let row = values
            .clone()
            .and(&told["totals"])
            .and(&told["cost"])
            .by_activity(&seconds, "micros", |seconds| micros(seconds).into())
            .with("thread_micros", micros(sample.totals.thread_seconds))
            .with("tasks_processing", tasks(&["processing"]))
            .with("tasks_waiting", tasks(&["waiting", "no-worker", "queued"]));
        commit.put(Put::Sample, &row);
        let at = sample.at_micros.0;
        let sums = values
            .gained(gain)
            .with("hour", at.div_euclid(Micros::HOUR))
            .with("samples", 1_i64)
            .with("workers_peak", cell(&told["workers"]))
            .with("threads_peak", cell(&told["threads"]))
            .with("memory_peak_bytes", cell(&told["memory_used_bytes"]));
        commit.put(Put::Hour, &sums);
        let (seq, rank) = (sums.get("seq"), sums.get("rank"));
        let sums = sums
            .with("unassigned_at_micros", at)
            .with("computations", 0_i64)
            .with("exceptions", 0_i64)
            .with("is_latest", true)
            .with("sample_at_micros", at)
            .with("sample_seq", seq)
            .with("sample_rank", rank);
        commit.put(Put::TotalMore, &sums);
        commit.workers_peak = commit.workers_peak.max(sample.workers as i64);
        commit.gain = array::from_fn(|at| commit.gain[at] + gain[at]);
        Ok(())
    }

    /// What came since the sample before.
    fn gain(&mut self, sample: &SampleRecord) -> Gain {
        let (totals, seconds) = (&sample.totals, &sample.totals.seconds);
        let sums = [
            micros(seconds.compute),
            micros(seconds.transfer),
            micros(seconds.disk_read) + micros(seconds.disk_write),
            micros(seconds.deserialize) + micros(seconds.other),
            micros(totals.thread_seconds),
            totals.tasks_completed as i64,
            totals.tasks_erred as i64,
            totals.result_bytes as i64,
            0,
            0,
        ];
        let before = mem::replace(&mut self.sums, sums);
        let mut gain: Gain = array::from_fn(|at| (sums[at] - before[at]).max(0));
        let thread_micros = i128::from(gain[4]);
        let times = |size: u64, unit: i128| {
            let whole = thread_micros * i128::from(size);
            let each = whole.checked_div(unit * i128::from(sample.threads));
            each.unwrap_or(0) as i64
        };
        let memory = sample.memory_limit_bytes.or(sample.memory_used_bytes);
        gain[8] = times(sample.workers, 1);
        gain[9] = times(memory.unwrap_or(0), 1_000_000 << 20);
        gain
    }

    fn task_group(
        &mut self,
        group: &TaskGroupRecord,
        told: &Value,
        values: Values,
        commit: &mut Commit<'_>,
    ) {
        let states = told["states"].as_object().into_iter().flatten();
        let states: Value = states
            .filter(|(_, tasks)| tasks.as_u64() != Some(0))
            .map(|(state, tasks)| (state.clone(), tasks.clone()))
            .collect();
        let values = values
            .by_activity(&told["seconds"], "seconds", Cell::Real)
            .and(&told["durations"])
            .with("timed_tasks", cell(&told["durations"]["count"]))
            .with("states", cell(&states))
            .with("is_final", group.is_final);
        let put = match self.groups.insert(group.group_id.clone()) {
            true => Put::Group,
            false => Put::GroupLater,
        };
        commit.put(put, &values);
    }
}

/// What parameters are, by their names. One that is not among them is null: so is what a record does not say.
#[derive(Clone, Default)]
struct Values(HashMap<String, Cell>);

impl Values {
    fn get(&self, name: &str) -> Cell {
        self.0.get(name).cloned().unwrap_or(Cell::Null)
    }

    fn with(mut self, name: &str, value: impl Into<Cell>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// And each field of an object.
    fn and(self, object: &Value) -> Self {
        let fields = object.as_object().into_iter().flatten();
        fields.fold(self, |values, (name, value)| values.with(name, cell(value)))
    }

    /// And the time of each activity, in a unit that its name ends in.
    fn by_activity(self, seconds: &Value, unit: &str, time: fn(f64) -> Cell) -> Self {
        let each = seconds.as_object().into_iter().flatten();
        each.fold(self, |values, (activity, seconds)| {
            let seconds = seconds.as_f64().unwrap_or_default();
            values.with(&format!("{activity}_{unit}"), time(seconds))
        })
    }

    fn gained(self, gain: Gain) -> Self {
        let each = GAIN.into_iter().zip(gain);
        each.fold(self, |values, (name, gained)| values.with(name, gained))
    }
}

/// A value as a column has it: lists and objects as their text.
fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Bool(is) => (*is).into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64().into(),
        },
        Value::String(text) => text.clone().into(),
        Value::Array(_) | Value::Object(_) => value.to_string().into(),
    }
}

fn micros(seconds: f64) -> i64 {
    (seconds * 1e6).round() as i64
}

/// A number as wide as the one that Bobbin makes of an instance's id.
fn rank(instance_id: &str) -> i64 {
    let mut hasher = DefaultHasher::new();
    instance_id.hash(&mut hasher);
    (hasher.finish() >> 8) as i64
}
