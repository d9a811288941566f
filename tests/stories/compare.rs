//! Two runs beside each other in the shell.

use std::fs;

use serde_json::{Value, json};

use super::shell::fails;
use crate::support::{Sandbox, Server, post};

/// A cluster that ran `tasks` tasks of `each` seconds on a worker of four threads, and is over.
pub fn run(cluster: &str, tasks: u64, each: f64, dask: &str) -> Vec<u8> {
    let second = 1_000_000;
    let compute = tasks as f64 * each;
    let from = std::time::UNIX_EPOCH.elapsed().unwrap().as_micros() as i64 - 3_600 * second;
    let end = from + (compute / 4.0 * 1e6) as i64;
    let records = [
        json!({"kind": "cluster", "at_micros": from, "name": cluster, "started_micros": from, "plugin_version": "0.1.0",
            "versions": {"dask": dask}, "interval_micros": 10 * second, "switches": {"code": true, "profile": false}}),
        json!({"kind": "worker", "at_micros": from, "worker_id": "w", "event": "joined", "threads": 4, "resources": {},
            "address": null, "name": null, "host": null, "cause": null, "expected": null, "memory_limit_bytes": null, "nanny": null}),
        json!({"kind": "sample", "at_micros": end, "workers": 1, "threads": 4, "tasks": {"memory": tasks},
            "totals": {"compute": compute, "thread_seconds": compute, "tasks_completed": tasks}}),
        json!({"kind": "task_group", "at_micros": end, "group_id": "g", "name": "inc-5f3a9c01", "prefix": "inc\u{202e}",
            "states": {"memory": tasks}, "seconds": {"compute": compute}, "result_bytes": 10, "start_micros": from,
            "stop_micros": end, "final": true}),
        json!({"kind": "stop", "at_micros": end, "reason": "closed"}),
    ];
    let header = json!({"kind": "header", "protocol": 1, "cluster_id": format!("Scheduler-{cluster}"), "instance_id": "i",
        "first_seq": 1, "records": records.len(), "sent_at_micros": end, "monotonic_micros": 1, "plugin_version": "0.1.0"});
    let lines: Vec<String> = std::iter::once(&header)
        .chain(&records)
        .map(|line| line.to_string() + "\n")
        .collect();
    lines.concat().into_bytes()
}

#[test]
fn a_difference_is_told_in_parts_that_add_up() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let token = fs::read_to_string(server.token_file()).unwrap();
    for batch in [
        run("before", 40, 1.0, "2026.7.0"),
        run("after", 80, 2.0, "2026.8.0"),
    ] {
        let answer = post(server.tcp(), "/v1/batches", &token, &batch);
        assert_eq!((answer.status, &answer.json["refused"]), (200, &json!([])));
    }
    let told = sandbox
        .bobbin(&["compare", "before", "after", "--json"])
        .done()
        .unwrap();
    let waterfall = &told["waterfall"];
    assert_eq!(
        (&waterfall["a_micros"], &waterfall["b_micros"]),
        (&json!(10_000_000), &json!(40_000_000))
    );
    let parts = waterfall["parts"].as_array().unwrap();
    let sum: i64 = parts
        .iter()
        .map(|part| part["micros"].as_i64().unwrap())
        .sum();
    assert_eq!(sum, 30_000_000);
    let of = |kind: &str| {
        parts
            .iter()
            .find(|part| part["kind"] == kind)
            .map(|part| part["micros"].clone())
    };
    assert_eq!(
        (of("tasks"), of("speed")),
        (Some(json!(15_000_000)), Some(json!(15_000_000)))
    );
    // The other way round, each part is the opposite.
    let back = sandbox
        .bobbin(&["compare", "2", "1", "--json"])
        .done()
        .unwrap();
    let opposite = |part: &Value| -part["micros"].as_i64().unwrap();
    assert!(
        parts
            .iter()
            .zip(back["waterfall"]["parts"].as_array().unwrap())
            .all(|(one, two)| one["micros"] == opposite(two))
    );

    let spoken = sandbox.bobbin(&["compare", "before", "after"]);
    assert_eq!(spoken.code, 0, "{spoken:?}");
    for words in [
        "Wall clock: A 10.0 s, B 40.0 s, difference +30.0 s",
        "dask",
        "2026.7.0",
        "B has 2 times the tasks",
        "--per-task",
        "number of tasks: inc‹U+202E›",
        "80 tasks instead of 40",
    ] {
        assert!(spoken.out.contains(words), "{words}: {}", spoken.out);
    }
    let each = sandbox.bobbin(&["compare", "before", "after", "--per-task"]);
    assert!(each.out.contains("per 1000 tasks"), "{each:?}");
    fails(
        &sandbox.bobbin(&["compare", "before", "nobody", "--json"]),
        1,
        "there is no cluster nobody",
    );
    fails(
        &sandbox.bobbin(&["compare", "baseline", "2", "--json"]),
        1,
        "earlier run",
    );
    fails(
        &sandbox.bobbin(&["compare", "baseline", "baseline", "--json"]),
        2,
        "baseline",
    );
    server.stop();
}
