//! The review desk in a shell: staged, looked at, decided, approved.

use std::fs;

use serde_json::json;

use super::compare::run;
use super::shell::fails;
use crate::support::{Sandbox, Server, post};

#[test]
fn a_cluster_is_staged_looked_at_decided_upon_and_approved_while_bobbin_is_open() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let token = fs::read_to_string(server.token_file()).unwrap();
    let answer = post(
        server.tcp(),
        "/v1/batches",
        &token,
        &run("nightly", 40, 1.0, "2026.8.0"),
    );
    assert_eq!((answer.status, &answer.json["refused"]), (200, &json!([])));

    let staged = sandbox
        .bobbin(&["stage", "nightly", "--to", "team", "--json"])
        .done()
        .unwrap();
    let (first, path) = (&staged["stage"]["sha256"], &staged["stage"]["path"]);
    let length = fs::metadata(path.as_str().unwrap()).unwrap().len();
    assert_eq!(staged["stage"]["bytes"], length);

    let decided = sandbox
        .bobbin(&[
            "review",
            "--drop",
            "clusters",
            "--category",
            "clusters",
            "--json",
        ])
        .done()
        .unwrap();
    assert_ne!(&decided["stage"]["sha256"], first);
    let name = decided["items"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["real"] == "nightly")
        .unwrap();
    assert_eq!(
        (&name["effect"], &name["shown"]),
        (&json!("drop"), &json!(null))
    );
    fails(
        &sandbox.bobbin(&["review", "--drop", "everybody", "--json"]),
        2,
        "no category",
    );

    // Only what was looked at last.
    fails(
        &sandbox.bobbin(&["approve", first.as_str().unwrap(), "--json"]),
        1,
        "no stage has the hash",
    );
    let sha256 = decided["stage"]["sha256"].as_str().unwrap();
    let approved = sandbox
        .bobbin(&["approve", sha256, "--json"])
        .done()
        .unwrap();
    assert!(approved["approved_micros"].is_number());
    let ledger = fs::read_to_string(sandbox.data_dir().join("ledger.ndjson")).unwrap();
    assert!(
        ledger.contains(sha256) && ledger.contains("approved"),
        "{ledger}"
    );
    fails(
        &sandbox.bobbin(&["review", "--keep", "clusters", "--json"]),
        3,
        "was approved",
    );
}
