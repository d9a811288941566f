//! The key to recorded code: printed, lost and restored; in a keyring, replaced, and nowhere in the open.

mod keyring;
mod rotation;
mod unsealed;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::shell::fails;
use crate::support::{Sandbox, Server, post};

const MESSAGE: &str = "canary-message-61f2";
const TRACEBACK: &str = "canary-traceback-8d03";
const CODE: &str = "canary-code-27aa";
const PAYLOAD: &str = "canary-payload-94ce";
const LINE: &str = "canary-line-5b18";

fn now_micros() -> i64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_micros() as i64
}

/// A batch in which every kind of text has its canary.
fn batch(cluster: &str, first_seq: u64) -> Vec<u8> {
    let at = now_micros();
    let records = [
        json!({"kind": "cluster", "at_micros": at, "name": cluster, "started_micros": at, "plugin_version": "0.1.0",
            "interval_micros": 10_000_000, "switches": {"code": true, "profile": true, "events_allow": ["*"]}}),
        json!({"kind": "computation", "at_micros": at, "computation_id": "c", "start_micros": at, "stop_micros": at,
            "groups": ["g"], "states": {"memory": 1},
            "code": [{"code": CODE, "filename": "work.py", "line_relative": 0, "line": 7}]}),
        json!({"kind": "exception", "at_micros": at, "exception_id": format!("e{first_seq}"), "group_id": "g", "group": "inc-g",
            "origin": "user", "exception_type": "ValueError", "message": MESSAGE, "traceback": TRACEBACK,
            "worker": "tcp://w", "first_seen_micros": at, "last_seen_micros": at, "count": 1, "dependents": 0}),
        json!({"kind": "event", "at_micros": at, "topic": "all", "payload": {"text": PAYLOAD}}),
        json!({"kind": "profile", "at_micros": at, "from_micros": at - 10, "to_micros": at, "prefix": "inc",
            "samples": 3, "sample_micros": 10_000, "unattributed": 0,
            "strings": ["inc", "work.py", LINE], "frames": {"name": [0], "file": [1], "line": [3], "text": [2]},
            "stacks": {"parent": [-1], "frame": [0]}, "leaves": {"stack": [0], "count": [3]}}),
    ];
    let header = json!({"kind": "header", "protocol": 1, "cluster_id": cluster, "instance_id": "i", "first_seq": first_seq,
        "records": records.len(), "sent_at_micros": at, "monotonic_micros": 1, "plugin_version": "0.1.0"});
    let mut text = header.to_string();
    for record in &records {
        text.push('\n');
        text += &record.to_string();
    }
    text.push('\n');
    text.into_bytes()
}

#[track_caller]
fn send(server: &Server, cluster: &str, first_seq: u64) {
    let token = fs::read_to_string(server.token_file()).unwrap();
    let answer = post(
        server.tcp(),
        "/v1/batches",
        &token,
        &batch(cluster, first_seq),
    );
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[track_caller]
fn key(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let mut all = vec!["key", "--json"];
    all.extend(arguments);
    sandbox.bobbin(&all).done().unwrap()
}

fn message(sandbox: &Sandbox) -> Value {
    let shown = sandbox
        .bobbin(&["show", "Scheduler-1", "--json"])
        .done()
        .unwrap();
    shown["exceptions"]["rows"][0]["message"].clone()
}

#[test]
fn a_printed_key_is_an_age_identity_and_opens_a_copy_of_the_store() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    send(&server, "Scheduler-1", 1);
    let printed = sandbox.bobbin(&["key", "recovery"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    server.stop();
    let name = key(&sandbox, &[])["name"].as_str().unwrap().to_owned();
    match Command::new("age-keygen")
        .arg("-y")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    {
        Ok(mut age) => {
            age.stdin
                .take()
                .unwrap()
                .write_all(printed.out.as_bytes())
                .unwrap();
            let told = age.wait_with_output().unwrap();
            assert_eq!(String::from_utf8(told.stdout).unwrap().trim(), name);
        }
        Err(_) => {
            let _ = writeln!(
                std::io::stderr().lock(),
                "skipped: a printed key read by age: there is no age-keygen"
            );
        }
    }
    fs::remove_file(sandbox.data_dir().join("key")).unwrap();
    assert_eq!(key(&sandbox, &[])["state"], "missing");
    assert_eq!(message(&sandbox)["is"], "locked");
    let doctor = sandbox.bobbin(&["doctor", "--json"]);
    assert!(doctor.out.contains("bobbin key restore"), "{doctor:?}");
    let paper = sandbox.path("paper");
    // The same key but for its last letter.
    let right = printed.out.trim_end();
    let last = if right.ends_with('Q') { "P" } else { "Q" };
    fs::write(&paper, format!("{}{last}\n", &right[..right.len() - 1])).unwrap();
    let wrong = sandbox.bobbin(&["key", "restore", paper.to_str().unwrap(), "--json"]);
    fails(&wrong, 2, "recovery key");
    fs::write(&paper, &printed.out).unwrap();
    assert_eq!(
        key(&sandbox, &["restore", paper.to_str().unwrap()])["state"],
        "open"
    );
    assert_eq!(message(&sandbox)["text"], MESSAGE);
}
