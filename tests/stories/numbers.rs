//! What Bobbin shows against what Dask's own scheduler says.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Map, Value};

use super::attach::PLUGIN;
use crate::support::{Sandbox, Server, environment, eventually, scheduler_file};

/// `bobbin show CLUSTER --json`.
pub fn show(sandbox: &Sandbox, cluster: &str) -> Result<Value, String> {
    sandbox.bobbin(&["show", cluster, "--json"]).done()
}

/// Whether the record is full: nothing missing, shed or unreadable.
pub fn is_full(shown: &Value) -> Result<(), String> {
    let losses = &shown["cluster"]["losses"];
    let counts = [
        "missing_records",
        "refused_records",
        "kept_unknown",
        "conflicts",
    ];
    let zero = counts.iter().all(|name| losses[name] == 0)
        && losses["dropped_records"] == Value::Object(Map::new());
    if zero {
        Ok(())
    } else {
        Err(format!("something was lost: {losses}"))
    }
}

/// Whether the row of `shown` says what `dask` says: workers, threads, memory limit, tasks by state.
pub fn equal_row(dask: &Value, shown: &Value) -> Result<(), String> {
    let row = &shown["cluster"]["row"];
    same("scheduler", &dask["scheduler_id"], &row["scheduler_id"])?;
    same("workers", &dask["workers"], &row["workers"])?;
    same("threads", &dask["threads"], &row["threads"])?;
    same(
        "memory limit",
        &dask["memory_limit"],
        &row["memory_limit_bytes"],
    )?;
    same("tasks", &nonzero(&dask["tasks"]), &nonzero(&row["tasks"]))
}

/// Whether `shown` says what `dask` says: tasks by group and state, seconds by activity, workers, threads, memory.
pub fn equal(dask: &Value, shown: &Value) -> Result<(), String> {
    for (name, group) in dask["groups"].as_object().ok_or("no groups")? {
        let rows = shown["task_groups"]["rows"]
            .as_array()
            .ok_or("no task groups")?;
        let mut named = rows.iter().filter(|row| row["name"] == name.as_str());
        let (Some(row), None) = (named.next(), named.next()) else {
            return Err(format!("not exactly one group {name}"));
        };
        same(&format!("{name}: prefix"), &group["prefix"], &row["prefix"])?;
        same(
            &format!("{name}: tasks"),
            &nonzero(&group["states"]),
            &nonzero(&row["states"]),
        )?;
        same(
            &format!("{name}: bytes"),
            &group["result_bytes"],
            &row["result_bytes"],
        )?;
        same_seconds(name, &group["seconds"], &row["seconds"])?;
    }
    equal_row(dask, shown)?;
    is_full(shown)
}

fn same(what: &str, dask: &Value, shown: &Value) -> Result<(), String> {
    if dask == shown {
        Ok(())
    } else {
        Err(format!("{what}: Dask says {dask}, Bobbin {shown}"))
    }
}

fn nonzero(states: &Value) -> Value {
    let some = states
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, n)| **n != 0);
    Value::Object(some.map(|(state, n)| (state.clone(), n.clone())).collect())
}

/// Every activity, to the microsecond.
fn same_seconds(name: &str, dask: &Value, shown: &Value) -> Result<(), String> {
    for activity in [
        "compute",
        "transfer",
        "disk-read",
        "disk-write",
        "deserialize",
    ] {
        let theirs = dask[activity].as_f64().unwrap_or(0.0);
        let ours = shown[activity.replace('-', "_")]
            .as_f64()
            .ok_or_else(|| format!("{name}: no {activity}"))?;
        if (theirs - ours).abs() > 1e-6 {
            return Err(format!(
                "{name}: {activity}: Dask says {theirs} s, Bobbin {ours} s"
            ));
        }
    }
    Ok(())
}

/// A release of Dask does some of everything; what is stored of each group, computation and span is what it says itself.
#[track_caller]
fn all_is_as_dask_says(version: &str) {
    let story = format!("the numbers of Dask {version}");
    let Some(python) = environment(&story, version) else {
        return;
    };
    let mut sandbox = Sandbox::new();
    sandbox.set("DASK_DISTRIBUTED__SCHEDULER__PRELOAD", PLUGIN);
    let server = Server::start(&sandbox);
    let mut scheduler = python.scheduler(&sandbox, &[]);
    let _workers = [python.worker(&sandbox), python.worker(&sandbox)];
    let address = eventually("the scheduler's address", || {
        let text = fs::read_to_string(scheduler_file(&sandbox)).map_err(|e| e.to_string())?;
        let told: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        told["address"].as_str().map(str::to_owned).ok_or(text)
    });
    let mut script = python.run(&sandbox, "../plugin/workload.py", &[&address]);
    let dask = script.hear();
    let cluster = dask["scheduler_id"].as_str().unwrap();
    eventually("the numbers of Dask", || {
        let shown = show(&sandbox, cluster)?;
        is_full(&shown)?;
        let ids = same_groups(&dask, &shown)?;
        same_computations(&dask, &shown, &ids)?;
        same_spans(&dask, &shown, &ids)?;
        same_metrics(&dask, &shown)
    });
    script.say("");
    // Dask has forgotten all groups by now.
    let dask = script.hear();
    eventually("the last numbers of Dask", || {
        let shown = show(&sandbox, cluster)?;
        let ids = same_groups(&dask, &shown)?;
        same_computations(&dask, &shown, &ids)
    });
    script.say("");
    script.end_well();
    scheduler.terminate();
    scheduler.end();
    is_full(&show(&sandbox, cluster).unwrap()).unwrap();
    server.stop();
}

#[test]
fn all_of_the_oldest_dask_is_stored_as_it_says() {
    all_is_as_dask_says("oldest");
}

#[test]
fn all_of_dask_2023_is_stored_as_it_says() {
    all_is_as_dask_says("2023");
}

#[test]
fn all_of_dask_2025_is_stored_as_it_says() {
    all_is_as_dask_says("2025");
}

#[test]
fn all_of_the_newest_dask_is_stored_as_it_says() {
    all_is_as_dask_says("newest");
}

/// Every group. Gives the stored id of each, in Dask's order. Two groups of one name are told apart by when they began.
fn same_groups(dask: &Value, shown: &Value) -> Result<Vec<Value>, String> {
    let theirs = dask["groups"].as_array().ok_or("no groups")?;
    let ours = shown["task_groups"]["rows"]
        .as_array()
        .ok_or("no task groups")?;
    if theirs.len() != ours.len() {
        let (theirs, ours) = (theirs.len(), ours.len());
        return Err(format!("Dask has {theirs} groups, Bobbin {ours}"));
    }
    let matching = |group: &Value| {
        ours.iter().find(|row| {
            row["name"] == group["name"] && row["start_micros"] == micros(&group["start"])
        })
    };
    let rows: Vec<_> = theirs
        .iter()
        .map(|group| {
            matching(group)
                .ok_or_else(|| format!("no group {} of {}", group["name"], group["start"]))
        })
        .collect::<Result<_, _>>()?;
    let ids: Vec<Value> = rows.iter().map(|row| row["group_id"].clone()).collect();
    for (group, row) in theirs.iter().zip(rows) {
        let name = group["name"].as_str().ok_or("no name")?;
        let is = |what: &str, theirs: &Value, ours: &Value| {
            same(&format!("{name}: {what}"), theirs, ours)
        };
        is("prefix", &group["prefix"], &row["prefix"])?;
        is(
            "tasks",
            &nonzero(&group["states"]),
            &nonzero(&row["states"]),
        )?;
        is("bytes", &group["result_bytes"], &row["result_bytes"])?;
        is("types", &group["types"], &row["types"])?;
        is("stop", &micros(&group["stop"]), &row["stop_micros"])?;
        is("span", &group["span_id"], &row["span_id"])?;
        is(
            "dependencies",
            &named(&group["dependencies"], &ids),
            &sorted(&row["dependencies"]),
        )?;
        same_seconds(name, &group["seconds"], &row["seconds"])?;
        let timed = group["compute_seconds"].as_array().ok_or("no times")?;
        let count = Some(timed.len()).filter(|count| *count > 0);
        is("timed tasks", &count.into(), &row["durations"]["count"])?;
        let retried = i32::from(name == "second_time_lucky");
        is("tried again", &retried.into(), &row["retried"])?;
    }
    Ok(ids)
}

fn same_computations(dask: &Value, shown: &Value, ids: &[Value]) -> Result<(), String> {
    same_set(
        "computation",
        &dask["computations"],
        &shown["computations"]["rows"],
        "computation_id",
        ids,
    )
}

/// A release without spans has none stored.
fn same_spans(dask: &Value, shown: &Value, ids: &[Value]) -> Result<(), String> {
    let theirs = match &dask["spans"] {
        Value::Null => &Value::Array(Vec::new()),
        spans => spans,
    };
    same_set("span", theirs, &shown["spans"]["rows"], "span_id", ids)
}

/// The same things by id, each with the same groups and the same end.
fn same_set(
    what: &str,
    dask: &Value,
    shown: &Value,
    id: &str,
    ids: &[Value],
) -> Result<(), String> {
    let theirs = dask.as_array().ok_or("Dask has no list")?;
    let ours = shown.as_array().ok_or("Bobbin has no list")?;
    if theirs.len() != ours.len() {
        let (theirs, ours) = (theirs.len(), ours.len());
        return Err(format!("Dask has {theirs} of {what}, Bobbin {ours}"));
    }
    for one in theirs {
        let row = ours
            .iter()
            .find(|row| row[id] == one["id"])
            .ok_or_else(|| format!("no {what} {}", one["id"]))?;
        let groups = named(&one["groups"], ids);
        same(&format!("{what}: groups"), &groups, &sorted(&row["groups"]))?;
        // Where no task ended well, Dask has no time of the end.
        if let stop @ Value::Number(_) = micros(&one["stop"]) {
            same(&format!("{what}: stop"), &stop, &row["stop_micros"])?;
        }
    }
    Ok(())
}

/// What tasks took, by prefix, activity and unit; over all spans.
fn same_metrics(dask: &Value, shown: &Value) -> Result<(), String> {
    let mut theirs = BTreeMap::new();
    for pair in dask["metrics"].as_array().into_iter().flatten() {
        if pair[0][0] == "execute" {
            theirs.insert(pair[0].to_string(), pair[1].as_f64().ok_or("no number")?);
        }
    }
    let mut ours = BTreeMap::new();
    for row in shown["metrics"]["rows"].as_array().ok_or("no metrics")? {
        if row["context"] == "execute" {
            let key = [
                &row["context"],
                &row["prefix"],
                &row["activity"],
                &row["unit"],
            ];
            let key = Value::Array(key.into_iter().cloned().collect());
            *ours.entry(key.to_string()).or_insert(0.0) +=
                row["value"].as_f64().ok_or("no value")?;
        }
    }
    if theirs.keys().ne(ours.keys()) {
        return Err(format!("Dask has the metrics {theirs:?}, Bobbin {ours:?}"));
    }
    let unlike = theirs
        .iter()
        .find(|(key, value)| (*value - ours[*key]).abs() > 1e-4 * value.abs() + 2e-6);
    match unlike {
        Some((key, value)) => Err(format!("{key}: Dask says {value}, Bobbin {}", ours[key])),
        None => Ok(()),
    }
}

/// A time of Dask's, null where it says 0: not yet.
fn micros(seconds: &Value) -> Value {
    match seconds.as_f64() {
        Some(seconds) if seconds > 0.0 => Value::from((seconds * 1e6).round_ties_even() as i64),
        _ => Value::Null,
    }
}

/// The stored ids of groups that are places in Dask's list.
fn named(places: &Value, ids: &[Value]) -> Value {
    let places = places.as_array().into_iter().flatten();
    let found = places.filter_map(|place| ids.get(place.as_u64()? as usize).cloned());
    sorted(&Value::Array(found.collect()))
}

fn sorted(list: &Value) -> Value {
    let mut list = list.as_array().cloned().unwrap_or_default();
    list.sort_by_key(Value::to_string);
    Value::Array(list)
}
