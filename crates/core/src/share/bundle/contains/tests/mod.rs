mod every_field;

use std::path::{Path, PathBuf};

use serde_json::json;

use super::super::open;
use super::*;
use crate::api::export;
use crate::share::{Choice, Level};
use crate::testing::*;

const CLUSTER: &str = "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51";
const RUN: &str = "0d6a7c1e52f44b8e9a3d7f1b2c3d4e51";
const OTHER_RUN: &str = "0d6a7c1e52f44b8e9a3d7f1b2c3d4e52";
const GROUP: &str = "1d6a7c1e52f44b8e9a3d7f1b2c3d4e51";
const ERROR: &str = "2d6a7c1e52f44b8e9a3d7f1b2c3d4e51";

/// What one member's laptop was sent.
struct Laptop {
    bench: Bench,
    seq: u64,
}

impl Laptop {
    fn with(records: &[Value]) -> Self {
        let laptop = Self {
            bench: Bench::new(),
            seq: 1,
        };
        laptop.and(RUN, records)
    }

    fn and(mut self, run: &str, records: &[Value]) -> Self {
        self.bench.send(batch_of(CLUSTER, run, self.seq, records));
        self.seq += records.len() as u64;
        self
    }

    fn bundle(&self, level: Level) -> PathBuf {
        let path = self.bench.path().join(format!("{}.bobbin", level.word()));
        let choice = Choice {
            level,
            ..Choice::default()
        };
        export(&self.bench.app, &path, &[1], choice).unwrap();
        path
    }
}

/// What the plugin said up to its second report.
fn begun() -> Vec<Value> {
    vec![
        facts(0),
        sample(10, 1.0),
        group(10, GROUP, 1.0),
        sample(20, 2.0),
        metric(20, None, "thread-cpu", 1.5),
        exception(20, ERROR, 1),
        worker(5, "w1", "joined"),
    ]
}

fn more() -> Vec<Value> {
    vec![
        sample(30, 3.0),
        group(30, GROUP, 3.0),
        exception(30, ERROR, 2),
        metric(30, None, "thread-cpu", 2.5),
    ]
}

fn held(first: &Path, other: &Path) -> Contained {
    contained(&open(first).unwrap(), &open(other).unwrap(), CLUSTER).unwrap()
}

fn against(records: &[Value]) -> Contained {
    held_at(Level::Names, Level::Names, records)
}

fn held_at(first: Level, other: Level, records: &[Value]) -> Contained {
    held(
        &Laptop::with(&begun()).bundle(first),
        &Laptop::with(records).bundle(other),
    )
}

fn contradicts(record: &str, field: Option<&str>) -> Contained {
    Contained::Contradicts(Contradiction {
        record: record.into(),
        field: field.map(str::to_owned),
    })
}

#[test]
fn a_bundle_that_goes_on_or_tells_more_holds_the_one_before() {
    let later = [begun(), more()].concat();
    assert_eq!(against(&later), Contained::Whole);
    // Aliases of two installs are no contradiction.
    for level in [Level::Names, Level::Errors, Level::Everything] {
        assert_eq!(held_at(Level::Metrics, level, &begun()), Contained::Whole);
        assert_eq!(held_at(Level::Metrics, level, &later), Contained::Whole);
    }
    // The same is nothing more.
    assert_eq!(against(&begun()), Contained::NotWhole);
    let ended = [begun(), vec![stop(21)]].concat();
    assert_eq!(against(&ended), Contained::Whole);
}

#[test]
fn one_that_tells_less_of_something_does_not() {
    let later = [begun(), more()].concat();
    assert_eq!(
        held_at(Level::Names, Level::Metrics, &later),
        Contained::NotWhole
    );
    assert_eq!(
        held_at(Level::Errors, Level::Names, &later),
        Contained::NotWhole
    );
    for left_out in [1, 2, 5, 6] {
        let mut later = later.clone();
        later.remove(left_out);
        // Of what grows the later record stands for it.
        let whole = matches!(left_out, 2 | 5);
        assert_eq!(against(&later) == Contained::Whole, whole, "{left_out}");
    }
    let older = &begun()[..3];
    assert_eq!(against(older), Contained::NotWhole);
}

#[test]
fn other_numbers_and_names_are_a_contradiction() {
    let later = [begun(), more()].concat();
    let changed = |place: usize, other: Value| {
        let mut all = later.clone();
        all[place] = with(all[place].clone(), other);
        against(&all)
    };
    assert_eq!(
        changed(1, json!({"memory_used_bytes": 7})),
        contradicts("sample", Some("memory_used_bytes"))
    );
    assert_eq!(
        changed(0, json!({"started_micros": at(-5)})),
        contradicts("cluster", Some("started_micros"))
    );
    let group_later = 8;
    assert_eq!(
        changed(
            group_later,
            json!({"seconds": {"compute": 0.5, "transfer": 0.5}})
        ),
        contradicts("task_group", Some("seconds.compute"))
    );
    assert_eq!(
        changed(group_later, json!({"prefix": "dec"})),
        contradicts("task_group", Some("prefix"))
    );
    assert_eq!(
        changed(9, json!({"first_seen_micros": at(1)})),
        contradicts("exception", Some("first_seen_micros"))
    );
    // What tells one thing in two ways, of which only one is looked at.
    let mut twice = later.clone();
    twice.insert(1, with(later[1].clone(), json!({"memory_used_bytes": 7})));
    assert_eq!(against(&twice), contradicts("sample", None));
    // By a microsecond, too.
    let later_by_one = at(2) + 1;
    assert_eq!(
        changed(9, json!({"first_seen_micros": later_by_one})),
        contradicts("exception", Some("first_seen_micros"))
    );
    // A report of a moment of which all is known.
    let between = [begun(), vec![sample(15, 1.5)], more()].concat();
    assert_eq!(against(&between), contradicts("sample", None));
}

#[test]
fn what_said_goodbye_does_not_go_on() {
    let ended = || [begun(), vec![stop(21)]].concat();
    let laptop = Laptop::with(&ended());
    let first = laptop.bundle(Level::Names);
    let after = |records: Vec<Value>| held(&first, &Laptop::with(&records).bundle(Level::Errors));
    assert_eq!(after(ended()), Contained::Whole, "it tells more");
    for (record, field) in [
        (sample(30, 9.0), None),
        (group(30, GROUP, 9.0), Some("seconds.compute")),
        (group(30, OTHER_RUN, 9.0), None),
        (metric(30, None, "thread-cpu", 9.0), Some("value")),
        (worker(30, "w2", "joined"), None),
    ] {
        let kind = record["kind"].as_str().unwrap().to_owned();
        let all = [ended(), vec![record]].concat();
        assert_eq!(after(all), contradicts(&kind, field), "{kind}");
    }
    assert_eq!(after(begun()), Contained::NotWhole);
    let again = Laptop::with(&ended()).and(OTHER_RUN, &[sample(40, 1.0)]);
    assert_eq!(
        held(&first, &again.bundle(Level::Names)),
        contradicts("sample", None)
    );
}

#[test]
fn nothing_of_what_said_goodbye_can_be_said_otherwise() {
    let ended = || [begun(), vec![event(20), unsent(20, "all", 4), stop(21)]].concat();
    let laptop = Laptop::with(&ended());
    let first = laptop.bundle(Level::Names);
    for (place, changed, kind, field) in [
        (0, json!({"tags": {"team": "red"}}), "cluster", "tags.team"),
        (
            0,
            json!({"tags": {"team": "blue", "project": "x"}}),
            "cluster",
            "tags.project",
        ),
        (0, json!({"project": "x"}), "cluster", "project"),
        (
            0,
            json!({"versions": {"dask": "1"}}),
            "cluster",
            "versions.dask",
        ),
        (2, json!({"types": ["str"]}), "task_group", "types"),
        (
            2,
            json!({"durations": {
                "count": 1, "mean_seconds": 1.0, "std_seconds": 0.0, "p50_seconds": 1.0, "p95_seconds": 9.0, "max_seconds": 9.0,
            }}),
            "task_group",
            "durations",
        ),
        (
            5,
            json!({"exception_type": "KeyError"}),
            "exception",
            "exception_type",
        ),
        (6, json!({"cause": "memory"}), "worker", "cause"),
        (6, json!({"expected": true}), "worker", "expected"),
        (8, json!({"count": 5}), "event", "count"),
    ] {
        let mut all = ended();
        all[place] = with(all[place].clone(), changed);
        // It tells more, too: messages.
        let found = held(&first, &Laptop::with(&all).bundle(Level::Errors));
        assert_eq!(found, contradicts(kind, Some(field)), "{kind}.{field}");
    }
    // Seconds of one prefix, told of another.
    let mut moved = ended();
    moved[4] = with(moved[4].clone(), json!({"prefix": "dec"}));
    let found = held(&first, &Laptop::with(&moved).bundle(Level::Errors));
    assert_eq!(found, contradicts("metric", None));
}
