//! The drill: a store is copied, damaged, put back from the copy and salvaged, with the real binary and its exit codes.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::FileExt as _;

use serde_json::Value;

use super::lost::batch;
use super::shell::fails;
use crate::support::{Outcome, Sandbox, Server, eventually, post};

#[track_caller]
fn send(server: &Server, cluster: &str, first_seq: u64) {
    let token = fs::read_to_string(server.token_file()).unwrap();
    let body = batch(cluster, "i", first_seq);
    let answer = post(server.tcp(), "/v1/batches", token.trim(), &body);
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[track_caller]
fn done(outcome: Outcome) -> Value {
    assert_eq!(outcome.code, 0, "{outcome:?}");
    outcome.json()
}

fn clusters(sandbox: &Sandbox) -> Vec<String> {
    let list = done(sandbox.bobbin(&["clusters", "--sort", "name", "--ascending", "--json"]));
    let rows = list["rows"].as_array().unwrap().iter();
    rows.map(|row| row["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_snapshot_is_taken_beside_a_receiver_and_restored_without_it() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    send(&server, "one", 1);
    let taken = done(sandbox.bobbin(&["snapshot", "--json"]));
    assert_eq!(
        (&taken["clusters"], &taken["batches"]),
        (&1.into(), &1.into())
    );
    send(&server, "two", 1);

    fails(&sandbox.bobbin(&["restore", "--json"]), 3, "another Bobbin");
    server.stop();
    fails(
        &sandbox.bobbin(&["restore", "77", "--json"]),
        1,
        "no snapshot 77",
    );

    // The disk bites.
    let store = sandbox.data_dir().join("bobbin.sqlite");
    let mut bytes = fs::read(&store).unwrap();
    bytes[0..4_096].fill(0xa5);
    fs::write(&store, &bytes).unwrap();
    fails(&sandbox.bobbin(&["clusters", "--json"]), 1, "is damaged");
    let doctor = sandbox.bobbin(&["doctor"]);
    assert_eq!(doctor.code, 1, "{doctor:?}");
    assert!(doctor.out.contains("is damaged"), "{doctor:?}");

    // A receiver goes on all the same, and what was damaged is kept.
    let server = Server::start(&sandbox);
    send(&server, "three", 1);
    server.stop();
    assert_eq!(clusters(&sandbox), ["three"]);
    let doctor = sandbox.bobbin(&["doctor"]);
    assert!(doctor.out.contains("moved aside"), "{doctor:?}");
    assert!(doctor.out.contains("the last"), "{doctor:?}");

    let restored = done(sandbox.bobbin(&["restore", "--json"]));
    assert_eq!(restored["clusters"], 1);
    assert_eq!(clusters(&sandbox), ["one"]);
    let replaced = restored["replaced"].as_str().unwrap().to_owned();

    // What a cluster says again is there once, and nothing of the store that was replaced is gone.
    let server = Server::start(&sandbox);
    send(&server, "one", 1);
    send(&server, "one", 3);
    server.stop();
    done(sandbox.bobbin(&["restore", &format!("{replaced}/bobbin.sqlite"), "--json"]));
    assert_eq!(clusters(&sandbox), ["three"]);
}

#[test]
fn a_receiver_moves_a_store_aside_that_is_found_damaged_while_it_runs_and_goes_on() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    for number in 0..20 {
        send(&server, "one", 1 + number * 2);
    }
    // All of it is in the file, and nothing in its log.
    server.stop();
    let server = Server::start(&sandbox);
    let store = sandbox.data_dir().join("bobbin.sqlite");
    let file = fs::OpenOptions::new().write(true).open(&store).unwrap();
    let page = file.metadata().unwrap().len() / 2 / 4_096;
    file.write_all_at(&[0xa5; 4 * 4_096], page * 4_096).unwrap();
    // Another process meets it.
    let doctor = sandbox.bobbin(&["doctor"]);
    assert!(doctor.out.contains("is damaged"), "{doctor:?}");
    let is_aside = || {
        let entries = fs::read_dir(sandbox.data_dir()).unwrap().flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.any(|name| name.starts_with("damaged-"))
    };
    // On the port that clusters know.
    eventually("it receives again", || match is_aside() && store.exists() {
        true => TcpStream::connect(server.tcp()).map_err(|error| error.to_string()),
        false => Err("the store is where it was".into()),
    });
    send(&server, "two", 1);
    assert_eq!(clusters(&sandbox), ["two"]);
    server.stop();
    let salvaged = done(sandbox.bobbin(&["salvage", "--json"]));
    assert!(
        salvaged["snapshot"]["number"].as_u64().is_some(),
        "{salvaged}"
    );
}

#[test]
fn what_can_be_read_of_a_damaged_store_comes_back() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    for cluster in ["one", "two"] {
        for number in 0..20 {
            send(&server, cluster, 1 + number * 2);
        }
    }
    server.stop();
    let store = sandbox.data_dir().join("bobbin.sqlite");
    let mut bytes = fs::read(&store).unwrap();
    // SQLite's head of the file.
    bytes[0..100].fill(0);
    fs::write(&store, &bytes).unwrap();
    Server::start(&sandbox).stop();
    assert!(clusters(&sandbox).is_empty());

    let salvaged = done(sandbox.bobbin(&["salvage", "--json"]));
    let number = salvaged["snapshot"]["number"].to_string();
    let rows = |name: &str| {
        let tables = salvaged["tables"].as_array().unwrap();
        let table = tables.iter().find(|table| table["name"] == name);
        table.unwrap()["rows"].as_u64().unwrap()
    };
    assert_eq!(
        (rows("cluster"), rows("batch"), rows("sample")),
        (2, 40, 40)
    );
    done(sandbox.bobbin(&["restore", &number, "--json"]));
    assert_eq!(clusters(&sandbox), ["one", "two"]);
    let found = done(sandbox.bobbin(&["clusters", "two", "--json"]));
    assert_eq!(found["rows"].as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn those_that_start_beside_a_running_one_are_refused() {
    let sandbox = Sandbox::new();
    let first = Server::start(&sandbox);
    let others: Vec<Outcome> = std::thread::scope(|scope| {
        let start = || sandbox.bobbin(&["serve", "--port", "0", "--json"]);
        let started: Vec<_> = (0..5).map(|_| scope.spawn(start)).collect();
        started.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for other in &others {
        fails(other, 3, "another Bobbin");
    }
    send(&first, "one", 1);
    first.stop();
}
