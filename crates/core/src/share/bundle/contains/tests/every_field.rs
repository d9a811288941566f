//! Each field of each record is changed, one by one: no bundle that says it otherwise holds the first one.

use serde_json::{Value, json};

use super::super::super::open;
use super::super::*;
use crate::api::export;
use crate::share::{Choice, Field, Identities, Level, fields};
use crate::testing::canaries::{GROUP, SCHEDULER, told};
use crate::testing::with;

type Line = (String, String, Value);

/// Everything that a cluster may send, with the parts of records that few have.
fn everything() -> (BundleCluster, Vec<Line>) {
    let bench = told();
    let path = bench.path().join("all.bobbin");
    let choice = Choice {
        level: Level::Everything,
        identities: Identities::Real,
    };
    export(&bench.app, &path, &[1], choice).unwrap();
    let bundle = open(&path).unwrap();
    let mut lines = Vec::new();
    for batch in bundle.part(SCHEDULER).unwrap() {
        let batch = batch.unwrap();
        for line in batch.lines {
            if let crate::wire::Line::Known(record, _) = line {
                let value = serde_json::to_value(&record).unwrap();
                let more = more(record.kind());
                let instance = batch.header.instance_id.clone();
                lines.push((instance, record.kind().to_owned(), with(value, more)));
            }
        }
    }
    let mut said = bundle.manifest.clusters[0].clone();
    said.missing_records = 0;
    (said, lines)
}

fn more(kind: &str) -> Value {
    match kind {
        "cluster" => json!({
            "mismatches": [{"package": "numpy", "where": "worker", "version": "1", "count": 1}],
            "unavailable": ["spans"],
        }),
        "sample" => json!({
            "stall": {"limit_micros": 1, "same_stacks": true, "group_id": GROUP},
            "workers_bands": {
                "cpu_percent": [1, 2, 3, 4, 5], "memory_used_bytes": [1, 2, 3, 4, 5],
                "memory_spilled_bytes": [1, 2, 3, 4, 5], "processing": [1, 2, 3, 4, 5],
            },
        }),
        "task_group" => json!({"durations": {
            "count": 1, "mean_seconds": 1.5, "std_seconds": 0.5, "p50_seconds": 1.5, "p95_seconds": 1.5, "max_seconds": 1.5,
        }}),
        _ => json!({}),
    }
}

fn of(lines: &[Line]) -> Told {
    let mut told = Told::default();
    for (instance, kind, value) in lines {
        told.instances.insert(instance.clone());
        told.take(instance, kind, value.clone());
    }
    told
}

/// Every value of a record that has no parts: its path, and where it is.
fn leaves(value: &Value, path: &str, place: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                let place = format!("{place}/{name}");
                leaves(value, &format!("{path}.{name}"), &place, found);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                leaves(value, path, &format!("{place}/{index}"), found);
            }
        }
        _ => found.push((path.into(), place.into())),
    }
}

fn another(value: &Value) -> Value {
    match value {
        Value::Null => json!(1),
        Value::Bool(is) => json!(!is),
        Value::Number(number) => match number.as_i64() {
            Some(number) => json!(number + 1),
            None => json!(number.as_f64().unwrap() + 1.0),
        },
        Value::String(text) => json!(format!("{text}x")),
        Value::Array(_) => json!(["x"]),
        Value::Object(_) => json!({"x": 1}),
    }
}

fn is_within(path: &str, field: &str) -> bool {
    path.strip_prefix(field)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether a field is listed among those that are not compared.
fn is_apart(path: &str) -> bool {
    let listed = |(kind, name): &(&str, &str)| is_within(path, &format!("{kind}.{name}"));
    is_within(path, "profile") || APART.iter().any(listed)
}

#[test]
fn each_field_is_compared_or_is_listed_as_one_that_is_not() {
    let (said, lines) = everything();
    let first = of(&lines);
    assert_eq!(held_against(&said, &first, &of(&lines)), (false, None));
    let mut looked_at = BTreeSet::new();
    for (place, (_, kind, record)) in lines.iter().enumerate() {
        let mut all = Vec::new();
        leaves(record, kind, "", &mut all);
        for (path, pointer) in all {
            let is_kind = pointer == "/kind";
            if is_kind || is_apart(&path) {
                continue;
            }
            let mut changed = lines.clone();
            let value = changed[place].2.pointer_mut(&pointer).unwrap();
            *value = another(value);
            let found = held_against(&said, &first, &of(&changed));
            assert_ne!(found, (false, None), "{path} may be said otherwise");
            looked_at.insert(path);
        }
    }
    for field in fields() {
        let name = field.to_string();
        // A row of numbers, of which the first is the worker.
        let is_row = |path: &str| {
            let Field { of, .. } = field;
            of == "sample.workers_each" && path == of
        };
        let mut paths = looked_at.iter();
        let compared = paths.any(|path| is_within(path, &name) || is_row(path));
        assert!(compared || is_apart(&name), "{name} is not compared");
    }
}

#[test]
fn what_is_told_twice_in_two_ways_is_found() {
    let (said, lines) = everything();
    let metric = lines.iter().find(|line| line.1 == "metric").unwrap();
    let mut twice = lines.clone();
    let mut later = metric.clone();
    // Their sum is the same: the later one would stand.
    later.2["at_micros"] = json!(later.2["at_micros"].as_i64().unwrap() + 1);
    later.2["value"] = json!(0.0);
    twice.push(later);
    let (_, wrong) = held_against(&said, &of(&lines), &of(&twice));
    assert_eq!(wrong.unwrap().record, "metric");
}
