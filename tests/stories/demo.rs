//! The demo and replays, through the real binary: loaded, played through the receiver, removed, made of a cluster of one's own.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::bundles::told;
use super::shell::fails;
use crate::support::{Sandbox, Server, eventually};

fn listed(sandbox: &Sandbox, filter: &str) -> Vec<Value> {
    let list = sandbox
        .bobbin(&["clusters", filter, "--limit", "1000", "--json"])
        .done()
        .unwrap();
    list["rows"].as_array().unwrap().clone()
}

#[test]
fn the_demo_is_loaded_with_and_without_a_receiver_and_removed() {
    let sandbox = told("nightly");
    let demo = sandbox.bobbin(&["demo", "--json"]).done().unwrap();
    assert_eq!(
        (&demo["loaded"], &demo["only"]),
        (&json!(true), &json!(false))
    );
    let samples = listed(&sandbox, "has:sample");
    assert_eq!(json!(samples.len()), demo["clusters"]);
    let said = sandbox.bobbin(&["clusters"]).out;
    assert_eq!(said.matches(" (sample)  ").count(), samples.len(), "{said}");
    let said = sandbox.bobbin(&["show", &samples[0]["id"].to_string()]).out;
    assert!(
        said.contains("from a recording; excluded from all totals"),
        "{said}"
    );
    let table = sandbox.data_dir().join("clusters.csv");
    let table = table.to_str().unwrap();
    sandbox
        .bobbin(&["table", "clusters", "--output", table, "--json"])
        .done()
        .unwrap();
    let text = fs::read_to_string(table).unwrap();
    assert!(text.lines().next().unwrap().ends_with(",sample"), "{text}");
    let marked = text.lines().filter(|line| line.ends_with(",true"));
    assert_eq!(marked.count(), samples.len(), "{text}");
    assert_eq!(listed(&sandbox, "name:nightly").len(), 1);
    let names: Vec<&Value> = demo["stories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|story| &story["name"])
        .collect();
    assert_eq!(names, ["healthy", "wasteful", "failing"]);
    // What is a sample is nobody's to share.
    let failing = demo["stories"][2]["cluster"].to_string();
    fails(
        &sandbox.bobbin(&["export", &failing, "--json"]),
        3,
        "is a sample",
    );

    let gone = sandbox
        .bobbin(&["demo", "remove", "--json"])
        .done()
        .unwrap();
    assert_eq!(gone["clusters"], 0);
    assert_eq!(listed(&sandbox, "has:sample").len(), 0);
    assert_eq!(listed(&sandbox, "name:nightly").len(), 1);

    // While another Bobbin writes, the stories go in by its receiver.
    let server = Server::start(&sandbox);
    let again = sandbox.bobbin(&["demo", "--json"]).done().unwrap();
    assert_eq!(again["clusters"], demo["clusters"]);
    let twice = sandbox.bobbin(&["demo", "--json"]).done().unwrap();
    assert_eq!(twice["clusters"], demo["clusters"]);
    fails(&sandbox.bobbin(&["demo", "remove", "--json"]), 3, "");
    server.stop();
}

#[test]
fn a_recording_is_made_of_a_cluster_says_nothing_of_it_and_is_played_through_the_receiver() {
    let mut here = told("nightly-of-ada");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("demo.bobbin");
    let file = path.to_str().unwrap();
    let made = here
        .bobbin(&["demo", "make", "nightly-of-ada", "--output", file, "--json"])
        .done()
        .unwrap();
    assert!(made["records"].as_u64().unwrap() > 3, "{made}");
    let text = Command::new("zcat").arg(file).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.starts_with(r#"{"kind":"header""#), "{text}");
    for word in ["nightly-of-ada", "\"ada\"", "\"laptop\""] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    // Everything that leaves is in the ledger, and nothing is written over.
    let ledger = here.bobbin(&["ledger", "--json"]).done().unwrap();
    assert!(
        ledger
            .to_string()
            .contains(made["sha256"].as_str().unwrap())
    );
    fails(
        &here.bobbin(&["demo", "make", "nightly-of-ada", "--output", file, "--json"]),
        3,
        "is there already",
    );
    // Its texts are in clear: they lie in the file that was asked for, and nowhere else on the way there.
    here.set("TMPDIR", here.path("untouched").display());
    let whole = folder.path().join("whole.bobbin");
    let whole = whole.to_str().unwrap();
    here.bobbin(&["demo", "make", "1", "--code", "--output", whole, "--json"])
        .done()
        .unwrap();
    assert!(!here.path("untouched").exists());

    let other = Sandbox::new();
    // Without a receiver there is nothing to play it through.
    fails(
        &other.bobbin(&["replay", file, "--json"]),
        1,
        "is not running",
    );
    let server = Server::start(&other);
    let played = other
        .bobbin(&["replay", file, "--speed", "60", "--json"])
        .done()
        .unwrap();
    assert_eq!(played["ended"], true);
    eventually("the replay is listed as a sample", || {
        match &listed(&other, "has:sample")[..] {
            [row] if row["scheduler_id"] == played["scheduler_id"] => Ok(()),
            rows => Err(format!("{rows:?}")),
        }
    });
    for (arguments, exit) in [
        (&["replay", "boring", "--json"][..], 1),
        (&["replay", "healthy", "--speed", "61", "--json"], 2),
    ] {
        fails(&other.bobbin(arguments), exit, "");
    }
    fs::write(&path, b"notes").unwrap();
    fails(&other.bobbin(&["replay", file, "--json"]), 2, "demo.bobbin");
    server.stop();
}
