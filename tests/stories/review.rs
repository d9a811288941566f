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
        "is not a category",
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
        "already approved",
    );
}

#[test]
fn a_policy_proposes_clusters_and_nobody_chooses_or_sends_them_by_itself() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let token = fs::read_to_string(server.token_file()).unwrap();
    for name in ["nightly", "weekly"] {
        let batch = run(name, 40, 1.0, "2026.8.0");
        let answer = post(server.tcp(), "/v1/batches", &token, &batch);
        assert_eq!((answer.status, &answer.json["refused"]), (200, &json!([])));
    }
    let proposed = ["stage", "--proposed", "--to", "team", "--json"];
    fails(
        &sandbox.bobbin(&proposed),
        3,
        "no policy proposes clusters to share",
    );
    let put = |text: &str| fs::write(sandbox.data_dir().join("bobbin-policy.toml"), text).unwrap();
    put("propose = 'mood:good'");
    fails(&sandbox.bobbin(&proposed), 2, "mood");
    put("propose = 'name:monthly'");
    fails(&sandbox.bobbin(&proposed), 3, "but none do");
    put("team = 'data'\npropose = 'name:nightly'\nmust_drop = ['clusters']");
    let staged = sandbox.bobbin(&proposed).done().unwrap();
    let stage = &staged["stage"];
    assert_eq!(stage["clusters"].as_array().unwrap().len(), 1);
    assert_eq!(stage["clusters"][0]["name"], "nightly");
    assert_eq!(
        stage["clusters"][0]["shown"],
        json!(null),
        "it is as tight as any"
    );
    assert_eq!(stage["approved_micros"], json!(null));
    // Either those, or those that are named.
    let both = ["stage", "weekly", "--proposed", "--to", "team", "--json"];
    let refused = sandbox.bobbin(&both);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.talk.contains("cannot be used with"), "{refused:?}");
    // What is approved of them has its row, and that says who, how much and under which policy.
    let sha256 = stage["sha256"].as_str().unwrap();
    sandbox
        .bobbin(&["approve", sha256, "--json"])
        .done()
        .unwrap();
    let ledger = sandbox.bobbin(&["ledger", "--json"]).done().unwrap();
    assert_eq!(ledger["rows"][0]["kind"], "policy");
    let row = &ledger["rows"][1];
    assert_eq!(
        (&row["kind"], &row["level"]),
        (&json!("approved"), &json!("names"))
    );
    assert_eq!(row["policy"]["team"], "data");
    assert!(
        row["by"].is_string() && row["categories"].is_array(),
        "{row}"
    );
    let shown = sandbox.bobbin(&["ledger"]).out;
    assert!(
        shown.contains("names: ") && shown.contains("data "),
        "{shown}"
    );
    server.stop();
}
