//! The numbers of Bobbin are those of Dask, for what people really run.

use serde_json::Value;

use super::attach::{Apart, PLUGIN, agree, reaches, tell};
use super::numbers::{equal_row, is_full};
use crate::support::{Sandbox, Server, newest, old};

/// Seconds of all groups together, by activity.
fn seconds(shown: &Value, activity: &str) -> f64 {
    let rows = shown["task_groups"]["rows"]
        .as_array()
        .into_iter()
        .flatten();
    rows.filter_map(|row| row["seconds"][activity].as_f64())
        .sum()
}

/// Totals are sums over groups, those that Dask has forgotten included.
#[track_caller]
fn totals_are_sums(shown: &Value) {
    for activity in [
        "compute",
        "transfer",
        "disk_read",
        "disk_write",
        "deserialize",
    ] {
        let total = shown["cluster"]["seconds"][activity].as_f64().unwrap();
        let sum = seconds(shown, activity);
        assert!(
            (total - sum).abs() < 1e-3,
            "{activity}: {total} in all, {sum} over the groups"
        );
    }
    let row = shown["cluster"]["row"]["compute_seconds"].as_f64().unwrap();
    assert!((row - seconds(shown, "compute")).abs() < 1e-3);
}

#[test]
fn collections_a_shuffle_and_a_second_worker_add_up_in_the_newest_dask() {
    let Some(python) = newest("numbers of collections") else {
        return;
    };
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.bobbin(&["connect"]).code, 0);
    let server = Server::start(&sandbox);
    let mut script = python.run(&sandbox, "cluster.py", &["local", "2"]);
    script.hear();
    for word in [
        "collections",
        "work",
        "table",
        "pass",
        "break",
        "collections",
    ] {
        tell(&mut script, word);
        let shown = agree(&sandbox, &mut script);
        totals_are_sums(&shown);
    }
    let shown = agree(&sandbox, &mut script);
    assert!(
        seconds(&shown, "transfer") > 0.0,
        "nothing moved: {}",
        shown["task_groups"]
    );
    // The workers go first, and what they held is remembered all the same.
    let dask = tell(&mut script, "numbers");
    let id = dask["scheduler_id"].as_str().unwrap().to_owned();
    tell(&mut script, "stop");
    let shown = reaches(&sandbox, &id, "finished");
    equal_row(&dask, &shown).unwrap();
    is_full(&shown).unwrap();
    server.stop();
}

#[test]
fn collections_and_a_second_worker_add_up_in_dask_of_2022() {
    let Some(python) = old("numbers of collections with Dask of 2022") else {
        return;
    };
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let mut apart = Apart::start(&python, &sandbox, &["--preload", PLUGIN]);
    let mut second = python.worker(&sandbox);
    for word in ["two workers", "collections", "work", "pass", "break"] {
        tell(&mut apart.script, word);
    }
    let shown = agree(&sandbox, &mut apart.script);
    totals_are_sums(&shown);
    assert_eq!(shown["cluster"]["row"]["workers"], 2);
    assert!(
        seconds(&shown, "transfer") > 0.0,
        "nothing moved: {}",
        shown["task_groups"]
    );
    second.terminate();
    second.end();
    let shown = agree(&sandbox, &mut apart.script);
    assert_eq!(shown["cluster"]["row"]["workers_peak"], 2);
    server.stop();
}

#[test]
fn clusters_that_are_over_in_a_moment_are_recorded_whole() {
    let Some(python) = newest("short clusters") else {
        return;
    };
    let mut sandbox = Sandbox::new();
    // As users have it: no report is due while these live.
    sandbox.unset("DASK_BOBBIN__INTERVAL");
    assert_eq!(sandbox.bobbin(&["connect"]).code, 0);
    let server = Server::start(&sandbox);
    let mut script = python.run(&sandbox, "short.py", &[]);
    script.hear();
    script.end_well();
    for tasks in 3..=7 {
        let shown = reaches(&sandbox, &format!("one of {tasks}"), "finished");
        let row = &shown["cluster"]["row"];
        assert_eq!(row["tasks_completed"], tasks, "{row}");
        assert_eq!(
            (&row["workers"], &row["threads"]),
            (&1.into(), &2.into()),
            "{row}"
        );
        assert_eq!(row["memory_limit_bytes"], 1_u64 << 30, "{row}");
        is_full(&shown).unwrap();
    }
    server.stop();
}
