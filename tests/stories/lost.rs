//! Bad days: killed schedulers, receivers that come and go, batches that come again.

use std::fs;

use serde_json::{Value, json};

use super::attach::{Apart, PLUGIN, agree, reaches, tell};
use super::numbers::{is_full, show};
use crate::support::{Sandbox, Server, eventually, newest, old, post};

/// A batch of a small cluster, as a plugin sends it: its facts, then one sample.
pub fn batch(cluster: &str, instance: &str, first_seq: u64) -> Vec<u8> {
    let at = std::time::UNIX_EPOCH.elapsed().unwrap().as_micros() as i64;
    let header = json!({"kind": "header", "protocol": 1, "cluster_id": cluster, "instance_id": instance, "first_seq": first_seq,
        "records": 2, "sent_at_micros": at, "monotonic_micros": 1, "plugin_version": "0.1.0"});
    let facts = json!({"kind": "cluster", "at_micros": at, "name": cluster, "started_micros": at, "plugin_version": "0.1.0",
        "interval_micros": 10_000_000, "switches": {"code": true, "profile": false}});
    let sample = json!({"kind": "sample", "at_micros": at, "workers": 1, "threads": 2, "tasks": {"memory": 3},
        "totals": {"compute": 1.5, "thread_seconds": 4.0, "tasks_completed": 3}});
    format!("{header}\n{facts}\n{sample}\n").into_bytes()
}

#[test]
fn a_killed_scheduler_is_lost_and_not_running() {
    let Some(python) = newest("a scheduler killed with SIGKILL") else {
        return;
    };
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let mut apart = Apart::start(&python, &sandbox, &["--preload", PLUGIN]);
    tell(&mut apart.script, "work");
    agree(&sandbox, &mut apart.script);
    apart.scheduler.kill();
    let shown = reaches(&sandbox, &apart.id, "lost");
    let row = &shown["cluster"]["row"];
    // A lost cluster ended when it was last seen, not when somebody looked.
    assert_eq!(
        row["stopped_micros"],
        *shown["timeline"]["at_micros"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
    );
    let lost = sandbox
        .bobbin(&["clusters", "--state", "lost", "--json"])
        .done()
        .unwrap();
    assert_eq!(lost["rows"][0]["scheduler_id"], apart.id.as_str());
    assert_eq!(
        sandbox
            .bobbin(&["clusters", "--state", "running", "--json"])
            .done()
            .unwrap()["total"],
        0
    );
    server.stop();
}

/// The receiver stops and is killed while tasks run; each time another takes its place on another port.
#[track_caller]
fn receivers_come_and_go(
    sandbox: &Sandbox,
    script: &mut crate::support::Process,
    id: &str,
) -> Server {
    let first = Server::start(sandbox);
    tell(script, "work");
    agree(sandbox, script);
    first.stop();
    for word in ["work", "pass", "break"] {
        tell(script, word);
    }
    let mut second = Server::start(sandbox);
    agree(sandbox, script);

    // Without its socket, the plugin has to find the new port.
    second.process.kill();
    tell(script, "work");
    let third = Server::start(sandbox);
    fs::remove_file(third.listening["socket"].as_str().unwrap()).unwrap();
    let shown = agree(sandbox, script);
    assert_eq!(shown["cluster"]["row"]["scheduler_id"], id);
    third
}

#[test]
fn nothing_is_lost_when_the_receiver_is_stopped_and_killed_in_the_middle_of_a_run() {
    let Some(python) = newest("a receiver that is stopped and started again") else {
        return;
    };
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.bobbin(&["connect"]).code, 0);
    let mut script = python.run(&sandbox, "cluster.py", &["local", "2"]);
    let id = script.hear()["scheduler_id"].as_str().unwrap().to_owned();
    let server = receivers_come_and_go(&sandbox, &mut script, &id);
    script.say("end");
    script.end_well();
    is_full(&reaches(&sandbox, &id, "finished")).unwrap();
    server.stop();
}

#[test]
fn nothing_is_lost_with_dask_of_2022_when_the_receiver_is_stopped_and_killed() {
    let Some(python) = old("a receiver that is stopped and started again, with Dask of 2022")
    else {
        return;
    };
    let sandbox = Sandbox::new();
    let mut apart = Apart::start(&python, &sandbox, &["--preload", PLUGIN]);
    let server = receivers_come_and_go(&sandbox, &mut apart.script, &apart.id);
    apart.scheduler.terminate();
    apart.scheduler.end();
    is_full(&reaches(&sandbox, &apart.id, "finished")).unwrap();
    server.stop();
}

#[test]
fn the_same_batch_sent_twice_is_one_row() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let token = fs::read_to_string(server.token_file()).unwrap();
    let bytes = batch("Scheduler-twice", "instance-1", 1);
    let first = post(server.tcp(), "/v1/batches", &token, &bytes);
    assert_eq!(
        (first.status, &first.json["duplicate"]),
        (200, &json!(false)),
        "{first:?}"
    );
    let before = show(&sandbox, "Scheduler-twice").unwrap();
    // And by a receiver that has started since.
    let again = post(server.tcp(), "/v1/batches", &token, &bytes);
    assert_eq!(
        (again.status, &again.json["duplicate"]),
        (200, &json!(true)),
        "{again:?}"
    );
    server.stop();
    let server = Server::start(&sandbox);
    let later = post(server.tcp(), "/v1/batches", &token, &bytes);
    assert_eq!(
        (later.status, &later.json["duplicate"]),
        (200, &json!(true)),
        "{later:?}"
    );

    let after = show(&sandbox, "Scheduler-twice").unwrap();
    assert_eq!(timeless(&before), timeless(&after));
    assert_eq!(after["timeline"]["at_micros"].as_array().unwrap().len(), 1);
    assert_eq!(
        sandbox.bobbin(&["clusters", "--json"]).done().unwrap()["total"],
        1
    );
    is_full(&after).unwrap();

    // A gap is known as one until it is filled.
    post(
        server.tcp(),
        "/v1/batches",
        &token,
        &batch("Scheduler-twice", "instance-1", 5),
    );
    let gap = show(&sandbox, "Scheduler-twice").unwrap();
    assert_eq!(gap["cluster"]["losses"]["missing_records"], 2);
    post(
        server.tcp(),
        "/v1/batches",
        &token,
        &batch("Scheduler-twice", "instance-1", 3),
    );
    eventually("the gap is filled", || {
        is_full(&show(&sandbox, "Scheduler-twice")?)
    });
    server.stop();
}

/// Without what depends on the moment of reading.
fn timeless(shown: &Value) -> Value {
    let mut shown = shown.clone();
    for name in [
        "state",
        "state_evidence",
        "last_heard_micros",
        "stopped_micros",
        "idle_since_micros",
    ] {
        shown["cluster"]["row"][name] = Value::Null;
    }
    shown
}
