//! What the unit tests share: records with short names, batches, and an open Bobbin with a clock moved by hand.

pub(crate) mod canaries;
pub(crate) mod logged;
pub(crate) mod own_process;
mod raw;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use serde_json::{Value, json};

use crate::api::{App, Role};
use crate::clock::ManualClock;
use crate::ledger::DESTINATIONS_FILE;
use crate::model::Micros;
use crate::query::types::{AppliesTo, PriceTerms, Range, Rate};
use crate::wire::{Batch, decode};

pub(crate) use raw::{Ran, raw, run_raw};

/// When the stories of tests begin: 2023-11-14 22:00 UTC, on the hour.
pub(crate) const START: i64 = 1_699_999_200_000_000;
pub(crate) const SECOND: i64 = 1_000_000;

/// Seconds after the beginning.
pub(crate) fn at(seconds: i64) -> i64 {
    START + seconds * SECOND
}

/// How many statements with these words begin from now on.
pub(crate) fn counted(db: &mut Connection, words: &'static str) -> Arc<AtomicUsize> {
    let count = Arc::new(AtomicUsize::new(0));
    let begun = Arc::clone(&count);
    let note = move |event: TraceEvent<'_>| {
        if let TraceEvent::Stmt(_, sql) = event
            && sql.contains(words)
        {
            begun.fetch_add(1, Ordering::Relaxed);
        }
    };
    db.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(note))
        .unwrap();
    count
}

/// An open Bobbin in its own folder.
pub(crate) struct Bench {
    pub(crate) app: App,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) dir: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at(Micros(at(0))));
        let app = App::open(dir.path(), Role::Owner, Arc::clone(&clock) as _).unwrap();
        Self { app, clock, dir }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Moves the clock to so many seconds after the beginning.
    pub(crate) fn at(&self, seconds: i64) -> &Self {
        self.clock.set(Micros(at(seconds)));
        self
    }

    pub(crate) fn send(&self, batch: Batch) -> &Self {
        self.app.ingest(batch).unwrap();
        self
    }
}

/// Makes a place known to the install in `dir`, as `bobbin destination add` does: what is approved may then be sent.
pub(crate) fn knows(dir: &Path, address: &str) {
    let known = json!({"destinations": [{"address": address}]});
    std::fs::write(dir.join(DESTINATIONS_FILE), known.to_string()).unwrap();
}

/// How often a property is tried whose cases take a while: `PROPTEST_CASES` asks for more.
pub(crate) fn cases(few: u32) -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|asked| asked.parse().ok()).unwrap_or(few)
}

/// A batch of the instance `i` of `Scheduler-1`.
pub(crate) fn batch(first_seq: u64, records: &[Value]) -> Batch {
    batch_of("Scheduler-1", "i", first_seq, records)
}

/// A batch of any instance of any cluster.
pub(crate) fn batch_of(cluster: &str, instance: &str, first_seq: u64, records: &[Value]) -> Batch {
    decode(&batch_text(cluster, instance, first_seq, records)).unwrap()
}

/// The same as text.
pub(crate) fn batch_text(
    cluster: &str,
    instance: &str,
    first_seq: u64,
    records: &[Value],
) -> Vec<u8> {
    let header = json!({
        "kind": "header", "protocol": 1, "cluster_id": cluster, "instance_id": instance, "first_seq": first_seq,
        "records": records.len(), "sent_at_micros": at(0), "monotonic_micros": 1, "plugin_version": "0.1.0",
    });
    let mut text = header.to_string();
    for record in records {
        text.push('\n');
        text += &record.to_string();
    }
    text.into_bytes()
}

/// `base` with the fields of `other` put over it.
pub(crate) fn with(mut base: Value, other: Value) -> Value {
    for (key, value) in other.as_object().unwrap() {
        base[key] = value.clone();
    }
    base
}

pub(crate) fn facts(seconds: i64) -> Value {
    json!({
        "kind": "cluster", "at_micros": at(seconds), "name": "story", "cluster_class": "LocalCluster",
        "scheduler_address": "tcp://127.0.0.1:8786", "dashboard_url": null, "started_micros": at(0), "user": "ada",
        "host": "laptop", "project": null, "tags": {"team": "blue"}, "versions": {"dask": "2026.8.0"},
        "python_version": "3.11.2", "python_path": "~/python", "os": "Linux", "architecture": "x86_64",
        "plugin_version": "0.1.0", "interval_micros": 10 * SECOND,
        "switches": {"code": true, "profile": false, "remote_close": true, "events_allow": ["*"]},
    })
}

/// A sample with two workers of two threads, and so much computed in all.
pub(crate) fn sample(seconds: i64, compute: f64) -> Value {
    json!({
        "kind": "sample", "at_micros": at(seconds), "workers": 2, "threads": 4, "memory_limit_bytes": 1000,
        "memory_used_bytes": 100 + seconds, "memory_managed_bytes": 50, "memory_unmanaged_bytes": 50,
        "memory_spilled_bytes": 0, "tasks": {"processing": 3, "waiting": 2, "memory": 1}, "idle_since_micros": null,
        "loop_lag_micros": 5,
        "totals": {
            "compute": compute, "thread_seconds": compute * 2.0, "tasks_completed": (compute * 10.0) as u64,
            "tasks_erred": 1, "result_bytes": (compute * 1000.0) as u64,
        },
        "cost": {"beat_micros": 300, "sent_bytes": 900, "hook_errors": 0, "waiting_records": 1},
    })
}

pub(crate) fn group(seconds: i64, id: &str, compute: f64) -> Value {
    json!({
        "kind": "task_group", "at_micros": at(seconds), "group_id": id, "name": format!("inc-{id}"), "prefix": "inc",
        "states": {"memory": 10}, "seconds": {"compute": compute, "transfer": 0.5}, "result_bytes": 100,
        "types": ["int"], "start_micros": at(1), "stop_micros": at(seconds), "dependencies": [], "final": false,
    })
}

pub(crate) fn computation(seconds: i64, id: &str, code: Option<&str>) -> Value {
    let record = json!({
        "kind": "computation", "at_micros": at(seconds), "computation_id": id, "start_micros": at(1),
        "stop_micros": at(seconds), "groups": ["g1"], "states": {"memory": 10},
    });
    let frames = |code| json!({"code": [{"code": code, "filename": "canary-file.py", "line_relative": 0, "line": 7}]});
    code.map_or(record.clone(), |code| with(record, frames(code)))
}

pub(crate) fn exception(seconds: i64, id: &str, count: u64) -> Value {
    json!({
        "kind": "exception", "at_micros": at(seconds), "exception_id": id, "group_id": "g1", "group": "inc-g1",
        "origin": "user", "exception_type": "ValueError", "message": "canary-message", "traceback": "canary-traceback",
        "worker": "tcp://w1", "first_seen_micros": at(2), "last_seen_micros": at(seconds), "count": count,
        "dependents": 0,
    })
}

pub(crate) fn event(seconds: i64) -> Value {
    json!({"kind": "event", "at_micros": at(seconds), "topic": "all", "payload": {"text": "canary-event"}})
}

pub(crate) fn stop(seconds: i64) -> Value {
    json!({"kind": "stop", "at_micros": at(seconds), "reason": "closed"})
}

/// What happened to a worker.
pub(crate) fn worker(seconds: i64, id: &str, event: &str) -> Value {
    json!({
        "kind": "worker", "at_micros": at(seconds), "worker_id": id, "address": format!("tcp://{id}:40000"),
        "name": format!("name-{id}"), "host": "laptop", "event": event, "cause": null, "expected": null, "threads": 2,
        "memory_limit_bytes": 500, "resources": {}, "nanny": true,
    })
}

pub(crate) fn metric(seconds: i64, span: Option<&str>, activity: &str, value: f64) -> Value {
    json!({
        "kind": "metric", "at_micros": at(seconds), "span_id": span, "context": "execute", "prefix": "inc",
        "activity": activity, "unit": "seconds", "value": value,
    })
}

pub(crate) fn span(seconds: i64, id: &str, groups: &[&str]) -> Value {
    json!({
        "kind": "span", "at_micros": at(seconds), "span_id": id, "parent_id": null, "name": id, "tags": [id],
        "start_micros": at(1), "stop_micros": at(seconds), "enqueued_micros": at(1), "groups": groups,
    })
}

/// Ten seconds of samples: two in `load` called by `inc`, three in `inc` itself, and one that is not told.
pub(crate) fn sampled(seconds: i64, prefix: Option<&str>) -> Value {
    json!({
        "kind": "profile", "at_micros": at(seconds), "from_micros": at(seconds - 10), "to_micros": at(seconds),
        "prefix": prefix, "samples": 6, "sample_micros": 10_000, "unattributed": 1,
        "strings": ["inc", "load", "/home/ada/work.py", "    canary-line"],
        "frames": {"name": [0, 1], "file": [2, 2], "line": [3, 9], "text": [null, 3]},
        "stacks": {"parent": [-1, 0], "frame": [0, 1]}, "leaves": {"stack": [0, 1], "count": [3, 2]},
    })
}

/// Events of a topic that were seen and not sent.
pub(crate) fn unsent(seconds: i64, topic: &str, count: u64) -> Value {
    json!({"kind": "event", "at_micros": at(seconds), "topic": topic, "payload": null, "count": count})
}

/// Microseconds.
pub(crate) const DAY: i64 = 86_400_000_000;

/// A price in force from one day to another.
pub(crate) fn terms(from: i64, to: Option<i64>, applies_to: AppliesTo) -> PriceTerms {
    PriceTerms {
        name: "p".into(),
        provenance: String::new(),
        from_micros: Micros(from * DAY),
        to_micros: to.map(|to| Micros(to * DAY)),
        applies_to,
        rate: rented(0.05, 0.06),
    }
}

pub(crate) fn rented(low: f64, high: f64) -> Rate {
    Rate::Rented {
        core_hour: Range { low, high },
        memory_gib_hour: Range::default(),
        machine_hour: Range::default(),
        workers_per_machine: 1,
    }
}

pub(crate) fn project(pattern: &str) -> AppliesTo {
    AppliesTo::Project {
        pattern: pattern.into(),
    }
}
