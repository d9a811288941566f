//! The one registry of what every field of the vocabulary tells. Bundles are written by it: a field that is not named here
//! does not compile, and cannot leave.
//!
//! ```
//! # use std::collections::BTreeMap as Map;
//! # type Result<T> = std::result::Result<T, ()>;
//! # enum Value { Number(u64), Object(Map<String, Value>) }
//! # #[derive(Clone, Copy)]
//! # enum FieldClass { Metric, Name, Identity, ErrorText, Code, Payload }
//! # struct Field { of: &'static str, name: &'static str, class: FieldClass }
//! # struct Lens<'a>(&'a ());
//! # impl Lens<'_> {
//! #     fn metric(&mut self, _: Field, value: &u64) -> Result<Value> { Ok(Value::Number(*value)) }
//! # }
//! # trait Shared { fn share(&self, lens: &mut Lens<'_>) -> Result<Value>; }
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/share/registry.rs"));
//! struct Stop { at_micros: u64, seconds: u64 }
//! struct Row { worker: u64, load: u64 }
//! fields! {
//!     "stop" Stop { at_micros: metric, seconds: metric }
//!     by hand:
//!     "row" Row { worker: metric as WORKER, load: metric }
//! }
//! # fn main() {}
//! ```
//!
//! ```compile_fail,E0027
//! # use std::collections::BTreeMap as Map;
//! # type Result<T> = std::result::Result<T, ()>;
//! # enum Value { Number(u64), Object(Map<String, Value>) }
//! # #[derive(Clone, Copy)]
//! # enum FieldClass { Metric, Name, Identity, ErrorText, Code, Payload }
//! # struct Field { of: &'static str, name: &'static str, class: FieldClass }
//! # struct Lens<'a>(&'a ());
//! # impl Lens<'_> {
//! #     fn metric(&mut self, _: Field, value: &u64) -> Result<Value> { Ok(Value::Number(*value)) }
//! # }
//! # trait Shared { fn share(&self, lens: &mut Lens<'_>) -> Result<Value>; }
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/share/registry.rs"));
//! struct Stop { at_micros: u64, seconds: u64 }
//! fields! {
//!     "stop" Stop { at_micros: metric }
//! }
//! # fn main() {}
//! ```
//!
//! Nor does one of what is written by hand:
//!
//! ```compile_fail,E0027
//! # use std::collections::BTreeMap as Map;
//! # type Result<T> = std::result::Result<T, ()>;
//! # enum Value { Number(u64), Object(Map<String, Value>) }
//! # #[derive(Clone, Copy)]
//! # enum FieldClass { Metric, Name, Identity, ErrorText, Code, Payload }
//! # struct Field { of: &'static str, name: &'static str, class: FieldClass }
//! # struct Lens<'a>(&'a ());
//! # impl Lens<'_> {
//! #     fn metric(&mut self, _: Field, value: &u64) -> Result<Value> { Ok(Value::Number(*value)) }
//! # }
//! # trait Shared { fn share(&self, lens: &mut Lens<'_>) -> Result<Value>; }
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/share/registry.rs"));
//! struct Stop { at_micros: u64 }
//! struct Row { worker: u64, load: u64 }
//! fields! {
//!     "stop" Stop { at_micros: metric }
//!     by hand:
//!     "row" Row { worker: metric as WORKER }
//! }
//! # fn main() {}
//! ```
//!
//! Nor one whose class says more than that it is a number, and that nothing tells by it:
//!
//! ```compile_fail
//! # use std::collections::BTreeMap as Map;
//! # type Result<T> = std::result::Result<T, ()>;
//! # enum Value { Number(u64), Object(Map<String, Value>) }
//! # #[derive(Clone, Copy)]
//! # enum FieldClass { Metric, Name, Identity, ErrorText, Code, Payload }
//! # struct Field { of: &'static str, name: &'static str, class: FieldClass }
//! # struct Lens<'a>(&'a ());
//! # impl Lens<'_> {
//! #     fn metric(&mut self, _: Field, value: &u64) -> Result<Value> { Ok(Value::Number(*value)) }
//! # }
//! # trait Shared { fn share(&self, lens: &mut Lens<'_>) -> Result<Value>; }
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/share/registry.rs"));
//! struct Stop { at_micros: u64 }
//! struct Row { worker: u64, load: u64 }
//! fields! {
//!     "stop" Stop { at_micros: metric }
//!     by hand:
//!     "row" Row { worker: identity, load: metric }
//! }
//! # fn main() {}
//! ```

use serde_json::{Map, Value};

use super::class::FieldClass;
use super::lens::{Field, Lens, Shared};
use crate::Result;
use crate::model::Activities;
use crate::wire::{
    ClusterRecord, CodeFrame, ComputationRecord, DroppedRecord, Durations, EventRecord,
    ExceptionRecord, MetricRecord, Mismatch, PluginCost, ProfileFrames, ProfileLeaves,
    ProfileLines, ProfileRecord, ProfileStacks, Record, SampleRecord, SpanRecord, Stall,
    StopRecord, Switches, TaskGroupRecord, Totals, WorkerBands, WorkerNow, WorkerRecord,
};

include!("registry.rs");

fields! {
    "cluster" ClusterRecord {
        at_micros: metric,
        name: name("cluster"),
        cluster_class: name("class"),
        scheduler_address: identity("address"),
        dashboard_url: identity("address"),
        started_micros: metric,
        user: identity("user"),
        host: identity("host"),
        project: name("project"),
        tags: name("tag"),
        versions: name("version"),
        host_versions: name("version"),
        mismatches: nested,
        unavailable: word("unavailable"),
        python_version: name("version"),
        python_path: path,
        os: name("os"),
        architecture: name("architecture"),
        plugin_version: word("version"),
        interval_micros: metric,
        idle_timeout_micros: metric,
        switches: nested,
    }
    "cluster.mismatches" Mismatch {
        package: name("package"),
        side as "where": metric,
        version: name("version"),
        count: metric,
    }
    "cluster.switches" Switches {
        code: metric,
        profile: metric,
        exceptions: metric,
        names: metric,
        user: metric,
        host: metric,
        paths: metric,
        remote_close: metric,
        events_allow: name("topic"),
    }
    "sample" SampleRecord {
        at_micros: metric,
        workers: metric,
        threads: metric,
        memory_limit_bytes: metric,
        memory_used_bytes: metric,
        memory_managed_bytes: metric,
        memory_unmanaged_bytes: metric,
        memory_spilled_bytes: metric,
        tasks: word("state"),
        idle_since_micros: metric,
        cpu_percent: metric,
        network_read_bytes_per_s: metric,
        network_write_bytes_per_s: metric,
        disk_read_bytes_per_s: metric,
        disk_write_bytes_per_s: metric,
        gpu_percent: metric,
        gpu_memory_bytes: metric,
        worker_lag_micros: metric,
        workers_paused: metric,
        last_completed_micros: metric,
        stall: nested,
        workers_each: nested,
        workers_bands: nested,
        loop_lag_micros: metric,
        totals: metric,
        cost: nested,
    }
    "sample.stall" Stall {
        limit_micros: metric,
        same_stacks: metric,
        group_id: id,
    }
    "sample.workers_bands" WorkerBands {
        cpu_percent: metric,
        memory_used_bytes: metric,
        memory_spilled_bytes: metric,
        processing: metric,
    }
    "sample.cost" PluginCost {
        beat_micros: metric,
        hook_micros: metric,
        loop_share: metric,
        sent_bytes: metric,
        hook_errors: metric,
        waiting_records: metric,
        shed_records: metric,
        spooled_bytes: metric,
    }
    "worker" WorkerRecord {
        at_micros: metric,
        worker_id: identity("worker"),
        address: identity("address"),
        name: identity("worker"),
        host: identity("host"),
        event: metric,
        cause: name("cause"),
        expected: metric,
        threads: metric,
        memory_limit_bytes: metric,
        resources: name("resource"),
        nanny: metric,
    }
    "task_group" TaskGroupRecord {
        at_micros: metric,
        group_id: id,
        name: key("group"),
        prefix: prefix,
        states: word("state"),
        seconds: nested,
        result_bytes: metric,
        types: name("type"),
        start_micros: metric,
        stop_micros: metric,
        durations: nested,
        retried: metric,
        span_id: id,
        dependencies: id,
        is_final as "final": metric,
    }
    "task_group.seconds" Activities {
        compute: metric,
        transfer: metric,
        disk_read: metric,
        disk_write: metric,
        deserialize: metric,
        other: metric,
    }
    "task_group.durations" Durations {
        count: metric,
        mean_seconds: metric,
        std_seconds: metric,
        p50_seconds: metric,
        p95_seconds: metric,
        max_seconds: metric,
    }
    "computation" ComputationRecord {
        at_micros: metric,
        computation_id: id,
        start_micros: metric,
        stop_micros: metric,
        groups: id,
        states: word("state"),
        retried: metric,
        code: frames,
    }
    "computation.code" CodeFrame {
        code: code,
        filename: path,
        line_relative: metric,
        line: metric,
    }
    "metric" MetricRecord {
        at_micros: metric,
        span_id: id,
        context: name("context"),
        prefix: prefix,
        activity: name("activity"),
        unit: unit,
        value: metric,
    }
    "span" SpanRecord {
        at_micros: metric,
        span_id: id,
        parent_id: id,
        name: name("span"),
        tags: name("span"),
        start_micros: metric,
        stop_micros: metric,
        enqueued_micros: metric,
        groups: id,
    }
    "exception" ExceptionRecord {
        at_micros: metric,
        exception_id: id,
        group_id: id,
        group: key("group"),
        origin: metric,
        exception_type: name("type"),
        message: error_text,
        traceback: error_text,
        details: error_text,
        worker: identity("worker"),
        first_seen_micros: metric,
        last_seen_micros: metric,
        count: metric,
        dependents: metric,
    }
    "event" EventRecord {
        at_micros: metric,
        topic: name("topic"),
        payload: payload,
        count: metric,
    }
    "dropped" DroppedRecord {
        at_micros: metric,
        what: word("loss"),
        count: metric,
        reason: word("reason"),
    }
    "stop" StopRecord {
        at_micros: metric,
        reason: word("stop"),
    }
    by hand:
    // Told as one metric of their sample, by what writes that.
    "sample.totals" Totals {
        seconds: metric,
        thread_seconds: metric,
        tasks_completed: metric,
        tasks_erred: metric,
        result_bytes: metric,
        tasks_retried: metric,
    }
    "sample.workers_each" WorkerNow {
        worker_id: identity as WORKER_ID,
        cpu_percent: metric,
        memory_used_bytes: metric,
        memory_managed_bytes: metric,
        memory_spilled_bytes: metric,
        processing: metric,
        lag_micros: metric,
    }
    "profile" ProfileRecord {
        at_micros: metric,
        from_micros: metric,
        to_micros: metric,
        prefix: prefix as PREFIX,
        samples: metric,
        sample_micros: metric,
        unattributed: metric,
        strings: nested,
        frames: nested,
        stacks: nested,
        leaves: nested,
        lines: nested,
    }
    "profile.frames" ProfileFrames {
        name: name as FUNCTION,
        file: path as FILE,
        line: metric,
        text: code as LINE,
    }
    "profile.stacks" ProfileStacks {
        parent: metric,
        frame: metric,
    }
    "profile.leaves" ProfileLeaves {
        stack: metric,
        count: metric,
    }
    "profile.lines" ProfileLines {
        frame: metric,
        line: metric,
        text: code as LINE_OF_CODE,
        ended: metric,
        samples: metric,
    }
}

/// On the wire it is a row.
impl Shared for WorkerNow {
    fn share(&self, lens: &mut Lens<'_>) -> Result<Value> {
        let mut row = serde_json::to_value(self)?;
        if let Some(first) = row.as_array_mut().and_then(|row| row.first_mut()) {
            *first = lens.identity(WORKER_ID, "worker", &self.worker_id)?;
        }
        Ok(row)
    }
}

/// Its texts are in one table, whatever they are: the table is made anew of those that may be told.
impl Shared for ProfileRecord {
    fn share(&self, lens: &mut Lens<'_>) -> Result<Value> {
        let Self {
            prefix,
            strings,
            frames:
                ProfileFrames {
                    name,
                    file,
                    line,
                    text,
                },
            ..
        } = self;
        let mut table = Table::default();
        let string = |place: u32| strings.get(place as usize).map_or("", String::as_str);
        let mut column = |field: Field, places: &[u32]| -> Result<Vec<u32>> {
            places
                .iter()
                .map(|&place| {
                    let shown = lens.text(field, string(place))?;
                    Ok(table.place(shown.unwrap_or_default()))
                })
                .collect()
        };
        let (name, file) = (column(FUNCTION, name)?, column(FILE, file)?);
        let mut source = |field: Field, places: &[Option<u32>]| -> Result<Vec<Option<u32>>> {
            places
                .iter()
                .map(|place| {
                    let Some(place) = place else { return Ok(None) };
                    let shown = lens.text(field, string(*place))?;
                    Ok(shown.map(|shown| table.place(shown)))
                })
                .collect()
        };
        let (text, text_of_lines) = (source(LINE, text)?, source(LINE_OF_CODE, &self.lines.text)?);
        let prefix = lens.prefix(PREFIX, prefix)?;
        let shown = ProfileRecord {
            strings: table.strings,
            frames: ProfileFrames {
                name,
                file,
                line: line.clone(),
                text,
            },
            lines: ProfileLines {
                text: text_of_lines,
                ..self.lines.clone()
            },
            prefix: prefix.as_str().map(str::to_owned),
            ..self.clone()
        };
        Ok(serde_json::to_value(shown)?)
    }
}

/// Texts, each once.
#[derive(Default)]
struct Table {
    strings: Vec<String>,
    places: std::collections::HashMap<String, u32>,
}

impl Table {
    fn place(&mut self, text: String) -> u32 {
        if let Some(&place) = self.places.get(&text) {
            return place;
        }
        let place = self.strings.len() as u32;
        self.strings.push(text.clone());
        self.places.insert(text, place);
        place
    }
}

/// A line of a bundle: the record as the lens shows it, keys in the order of the alphabet behind the kind.
///
/// # Errors
/// [`crate::Error::Json`].
pub(super) fn line(record: &Record, lens: &mut Lens<'_>) -> Result<String> {
    let rest = serde_json::to_string(&shown(record, lens)?)?;
    Ok(format!(
        "{{\"kind\":\"{}\",{}",
        record.kind(),
        rest.trim_start_matches('{')
    ))
}

/// A record as the lens shows it, but for its kind.
///
/// # Errors
/// [`crate::Error::Json`].
pub(super) fn shown(record: &Record, lens: &mut Lens<'_>) -> Result<Value> {
    match record {
        Record::Cluster(record) => record.share(lens),
        Record::Sample(record) => record.share(lens),
        Record::Worker(record) => record.share(lens),
        Record::TaskGroup(record) => record.share(lens),
        Record::Computation(record) => record.share(lens),
        Record::Metric(record) => record.share(lens),
        Record::Span(record) => record.share(lens),
        Record::Exception(record) => record.share(lens),
        Record::Event(record) => record.share(lens),
        Record::Profile(record) => record.share(lens),
        Record::Dropped(record) => record.share(lens),
        Record::Stop(record) => record.share(lens),
    }
}

/// Every field of the vocabulary that has a class of its own, in order.
pub fn fields() -> Vec<Field> {
    let listed = FIELDS.iter().filter_map(|&(of, name, class)| {
        Some(Field {
            of,
            name,
            class: class?,
        })
    });
    let mut all: Vec<Field> = listed.chain(BY_HAND.iter().copied()).collect();
    all.sort();
    all
}
