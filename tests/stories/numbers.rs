//! What Bobbin shows against what Dask's own scheduler says.

use serde_json::{Map, Value};

use crate::support::Sandbox;

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
