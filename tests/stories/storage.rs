//! What is kept for how long, asked and set from the shell.

use std::path::Path;

use super::lost::batch;
use super::shell::fails;
use crate::support::{Process, Sandbox, Server, eventually, post};

/// Has a Bobbin store a cluster, and ends it.
fn store_one(sandbox: &Sandbox) {
    let server = Server::start(sandbox);
    let token = std::fs::read_to_string(server.token_file()).unwrap();
    let body = batch("one", "i", 1);
    let answer = post(server.tcp(), "/v1/batches", token.trim(), &body);
    assert_eq!(answer.status, 200);
    server.stop();
}

/// Ctrl-C in the ten seconds that pass first: what was asked for is not done, then or later.
#[test]
fn a_deletion_that_is_broken_off_in_time_leaves_the_cluster() {
    let sandbox = Sandbox::new();
    store_one(&sandbox);
    let deletions =
        || sandbox.bobbin(&["storage", "--json"]).json()["storage"]["deletions"].clone();
    let mut command = sandbox.command(Path::new(env!("CARGO_BIN_EXE_bobbin")));
    command.args(["delete", "one"]);
    let mut delete = Process::start("bobbin delete", &mut command);
    let asked = eventually("the deletion", || match deletions().as_array() {
        Some(all) if all.is_empty() => Err(delete.talk()),
        all => Ok(all.cloned()),
    });
    assert_eq!(asked.unwrap()[0]["begun"], false);
    delete.interrupt();
    assert!(!delete.end().success());
    assert!(delete.talk().contains("press Ctrl-C"), "{}", delete.talk());
    // Whoever has the store next does not go on with it.
    Server::start(&sandbox).stop();
    assert_eq!(deletions(), serde_json::json!([]));
    let listed = sandbox.bobbin(&["clusters", "--json"]).json();
    assert_eq!(listed["total"], 1, "{listed}");
    assert_eq!(listed["rows"][0]["scheduler_id"], "one");
}

#[test]
fn what_is_due_is_removed_and_it_is_said_when_that_is_done() {
    let sandbox = Sandbox::new();
    store_one(&sandbox);
    let pruned = sandbox.bobbin(&["storage", "--prune", "--json"]);
    assert_eq!(pruned.code, 0, "{pruned:?}");
    let answer = pruned.json();
    assert!(answer["storage"]["worked_micros"].is_i64(), "{answer}");
    assert_eq!(answer["preview"]["clusters"], 0);
}

#[test]
fn what_a_rule_would_remove_is_told_beside_a_running_bobbin_and_the_rule_is_set_without_it() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let rules = || {
        let told = sandbox.bobbin(&["storage", "--json"]).json();
        told["storage"]["rules"].clone()
    };
    let before = rules();
    let rule = ["storage", "--json", "--limit", "10GiB", "--dry-run"];
    let told = sandbox.bobbin(&rule);
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(told.json()["preview"]["clusters"], 0);
    fails(&sandbox.bobbin(&rule[..4]), 3, "another Bobbin");
    assert_eq!(rules(), before);
    server.stop();
    let set = sandbox.bobbin(&rule[..4]);
    assert_eq!(set.code, 0, "{set:?}");
    assert_eq!(rules()["cap_bytes"], 10_u64 << 30);
}
