//! A team without a server of Bobbin's: bundles and tables in a bucket of a real S3 server, in a container of a real Azure Blob
//! server, and in a folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::bundles::{names, told};
use super::shell::fails;
use crate::support::{Outcome, Sandbox, Server, environment, eventually, java, newest, peer};

const BUCKET: &str = "s3://team/bobbin";
const CONTAINER: &str = "az://team/bobbin";

/// A cluster as others may see it, looked at and approved for a destination: the hash of its bytes.
fn approved(sandbox: &Sandbox, cluster: &str, to: &str) -> String {
    let sha256 = staged(sandbox, cluster, to);
    sandbox
        .bobbin(&["approve", &sha256, "--json"])
        .done()
        .unwrap();
    sha256
}

fn staged(sandbox: &Sandbox, cluster: &str, to: &str) -> String {
    let staged = sandbox
        .bobbin(&["stage", cluster, "--to", to, "--json"])
        .done()
        .unwrap();
    staged["stage"]["sha256"].as_str().unwrap().into()
}

fn share(sandbox: &Sandbox, sha256: &str, to: &str) -> Outcome {
    sandbox.bobbin(&["destination", "share", &sha256[..12], to, "--json"])
}

fn add(sandbox: &Sandbox, address: &str, name: &str) {
    let outcome = sandbox.bobbin(&[
        "destination",
        "add",
        address,
        "--account",
        "data",
        "--name",
        name,
        "--json",
    ]);
    assert_eq!(outcome.done().unwrap()[0]["address"], address);
}

/// Of a column of the clusters that `bobbin clusters` shows.
fn sum(shown: &Value, name: &str) -> f64 {
    let rows = shown["rows"].as_array().unwrap();
    rows.iter().filter_map(|row| row[name].as_f64()).sum()
}

/// That the tables of clusters, hours and task groups have the sums that `bobbin clusters` shows.
#[track_caller]
fn have_sums_of(tables: &Value, shown: &Value) {
    for (of, column) in [
        ("compute_seconds", "compute_seconds"),
        ("hours_compute_seconds", "compute_seconds"),
        ("groups_compute_seconds", "compute_seconds"),
        ("tasks", "tasks_completed"),
        ("tasks_of_groups", "tasks_completed"),
    ] {
        let apart = tables[of].as_f64().unwrap() - sum(shown, column);
        assert!(apart.abs() < 1e-6, "{of}: {tables} {shown}");
    }
}

#[test]
fn two_members_share_a_bucket_and_dask_reads_the_same_sums_from_it() {
    let (Some(s3), Some(dask)) = (
        environment("a real S3 server", "objects"),
        newest("tables in Dask"),
    ) else {
        return;
    };
    let (mut ana, mut ben) = (told("nightly"), told("weekly"));
    let mut server = s3.run(&ana, "s3.py", &[]);
    let endpoint = server.hear()["endpoint"].as_str().unwrap().to_owned();
    let keys = [
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
    ];
    for (name, value) in keys {
        ana.set(name, value);
        ben.set(name, value);
    }
    add(&ana, BUCKET, "ana");
    add(&ben, BUCKET, "ben");

    let sha256 = staged(&ana, "nightly", BUCKET);
    // Nobody approved it.
    fails(&share(&ana, &sha256, BUCKET), 3, "no bundle");
    ana.bobbin(&["approve", &sha256, "--json"]).done().unwrap();
    for _ in 0..2 {
        let shared = share(&ana, &sha256, BUCKET).done().unwrap();
        assert_eq!(
            (&shared["sha256"], &shared["by"]),
            (&json!(sha256), &json!("ana"))
        );
    }
    let of_ben = approved(&ben, "weekly", BUCKET);
    share(&ben, &of_ben, BUCKET).done().unwrap();

    let listed = ben
        .bobbin(&["destination", "bundles", BUCKET, "--json"])
        .done()
        .unwrap();
    assert_eq!(listed["bundles"].as_array().unwrap().len(), 2);
    let pulled = ben
        .bobbin(&["destination", "pull", "--json"])
        .done()
        .unwrap();
    assert_eq!(pulled[0]["bundles"][0]["sha256"], json!(sha256));
    assert_eq!(
        pulled[0]["bundles"].as_array().unwrap().len(),
        1,
        "one's own is no news"
    );
    assert_eq!(names(&ben).len(), 2);
    assert_eq!(
        ben.bobbin(&["destination", "pull", "--json"])
            .done()
            .unwrap()[0]["bundles"],
        json!([])
    );

    // Dask reads from the bucket what Bobbin lists.
    let read = Outcome::of(
        dask.script(&ana, "read_tables.py")
            .args([&endpoint, "team/bobbin"]),
    )
    .done()
    .unwrap();
    let shown = ben.bobbin(&["clusters", "--json"]).done().unwrap();
    assert_eq!(read["clusters"], 2);
    have_sums_of(&read, &shown);

    let recalled = ana
        .bobbin(&["destination", "recall", &sha256[..8], BUCKET, "--json"])
        .done()
        .unwrap();
    assert_eq!(recalled["sha256"], json!(sha256));
    let left = ben
        .bobbin(&["destination", "bundles", BUCKET, "--json"])
        .done()
        .unwrap();
    assert_eq!(left["bundles"][0]["sha256"], json!(of_ben));
    assert_eq!(names(&ben).len(), 2, "what somebody has is theirs");
    let read = Outcome::of(
        dask.script(&ana, "read_tables.py")
            .args([&endpoint, "team/bobbin"]),
    )
    .done()
    .unwrap();
    assert_eq!(read["clusters"], 1);
    fails(&share(&ana, &sha256, BUCKET), 3, "was recalled");
    // The same name of another server is another place.
    let other = approved(&ben, "nightly", BUCKET);
    ben.set("AWS_ENDPOINT_URL", "http://127.0.0.1:9");
    fails(&share(&ben, &other, BUCKET), 3, "was added with the server");

    let ledger = fs::read_to_string(ana.data_dir().join("ledger.ndjson")).unwrap();
    let kinds: Vec<String> = ledger
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["kind"]
                .as_str()
                .unwrap()
                .into()
        })
        .filter(|kind: &String| kind != "export")
        .collect();
    assert_eq!(
        kinds[..5],
        [
            "policy_change",
            "approved",
            "upload_started",
            "connection",
            "receipt"
        ]
    );
    assert!(kinds.contains(&"recall".into()));
    server.end_input();
    server.end_well();
}

#[test]
fn two_members_share_a_container_of_azure_and_its_tables_have_the_sums_of_the_window() {
    let story = "a real Azure Blob server";
    let (Some(azurite), Some(arrow)) =
        (peer(story, "azurite/dist/src/blob/main.js"), newest(story))
    else {
        return;
    };
    let (mut ana, mut ben) = (told("nightly"), told("weekly"));
    let mut server = arrow.run(&ana, "blobs.py", &[azurite.to_str().unwrap()]);
    let said = server.hear();
    let endpoint = said["endpoint"].as_str().unwrap();
    let keys = [
        (
            "AZURE_STORAGE_ACCOUNT_NAME",
            said["account"].as_str().unwrap(),
        ),
        ("AZURE_STORAGE_ACCOUNT_KEY", said["key"].as_str().unwrap()),
        ("AZURE_STORAGE_ENDPOINT", endpoint),
        ("AZURE_ALLOW_HTTP", "true"),
    ];
    for (name, value) in keys {
        ana.set(name, value);
        ben.set(name, value);
    }
    let mut shared = Vec::new();
    for (sandbox, cluster, name) in [(&ana, "nightly", "ana"), (&ben, "weekly", "ben")] {
        add(sandbox, CONTAINER, name);
        let sha256 = approved(sandbox, cluster, CONTAINER);
        // A second time it is the same.
        for _ in 0..2 {
            share(sandbox, &sha256, CONTAINER).done().unwrap();
        }
        shared.push(sha256);
    }
    let bundles = || {
        let listed = ben.bobbin(&["destination", "bundles", CONTAINER, "--json"]);
        let listed = listed.done().unwrap()["bundles"].clone();
        let mut found: Vec<String> = listed
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["sha256"].as_str().unwrap().into())
            .collect();
        found.sort();
        found
    };
    let mut both = shared.clone();
    both.sort();
    assert_eq!(bundles(), both);
    let pulled = ben.bobbin(&["destination", "pull", "--json"]);
    assert_eq!(
        pulled.done().unwrap()[0]["bundles"][0]["sha256"],
        json!(shared[0])
    );
    let read = || {
        Outcome::of(
            arrow
                .script(&ana, "read_blobs.py")
                .args([endpoint, "team/bobbin"]),
        )
        .done()
        .unwrap()
    };
    let (tables, shown) = (read(), ben.bobbin(&["clusters", "--json"]).done().unwrap());
    assert_eq!(tables["clusters"], 2);
    have_sums_of(&tables, &shown);

    let recall = [
        "destination",
        "recall",
        &shared[0][..8],
        CONTAINER,
        "--json",
    ];
    ana.bobbin(&recall).done().unwrap();
    assert_eq!(bundles(), shared[1..]);
    assert_eq!(read()["clusters"], 1);
    fails(&share(&ana, &shared[0], CONTAINER), 3, "was recalled");
    // What was approved for one server goes to no other, nor to one that has no name.
    let other = approved(&ben, "nightly", CONTAINER);
    ben.set("AZURE_STORAGE_USE_EMULATOR", "true");
    fails(
        &share(&ben, &other, CONTAINER),
        3,
        "set AZURE_STORAGE_ENDPOINT",
    );
    ben.unset("AZURE_STORAGE_USE_EMULATOR");
    ben.set("AZURE_STORAGE_ENDPOINT", "http://127.0.0.1:9/bobbin");
    fails(
        &share(&ben, &other, CONTAINER),
        3,
        "was added with the server",
    );
    server.end_input();
    server.end_well();
}

#[test]
fn one_cluster_that_two_accounts_share_counts_once_and_both_are_named() {
    const BOTH: &str = "0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51";
    let (ana, ben, cy) = (told(BOTH), told(BOTH), told("weekly"));
    let team = tempfile::tempdir().unwrap();
    let address = format!("{}/", team.path().display());
    for (sandbox, account, name) in [(&ana, "blue", "ana"), (&ben, "red", "ben")] {
        let known = [
            "destination",
            "add",
            &address,
            "--account",
            account,
            "--name",
            name,
            "--json",
        ];
        sandbox.bobbin(&known).done().unwrap();
        let sha256 = approved(sandbox, BOTH, &address);
        share(sandbox, &sha256, &address).done().unwrap();
    }
    add(&cy, &address, "cy");
    let bundles = ["destination", "bundles", &address];
    let listed = cy
        .bobbin(&[&bundles[..], &["--json"]].concat())
        .done()
        .unwrap();
    let [first, last] = &listed["bundles"].as_array().unwrap()[..] else {
        panic!("{listed}");
    };
    assert_eq!(
        (&first["counted"], &first["others"], &last["counted"]),
        (&json!(0), &json!(["red/ben"]), &json!(1)),
        "{listed}"
    );
    let shown = cy.bobbin(&bundles).out;
    assert!(
        shown.contains("blue") && shown.contains("red/ben"),
        "{shown}"
    );
    let account = |account: &str| {
        let tables = team.path().join("tables/clusters").join(account);
        let days = fs::read_dir(tables).into_iter().flatten();
        let files = days.flat_map(|day| fs::read_dir(day.unwrap().path()).unwrap());
        files.count()
    };
    assert_eq!((account("account=blue"), account("account=red")), (0, 1));
    // Whoever takes both has one cluster more.
    let pulled = cy
        .bobbin(&["destination", "pull", "--json"])
        .done()
        .unwrap();
    assert_eq!(pulled[0]["bundles"].as_array().unwrap().len(), 2);
    assert_eq!(names(&cy).len(), 2);
}

#[test]
fn a_folder_is_read_by_spark_with_the_sums_of_the_window() {
    let story = "tables in Spark";
    let Some(objects) = environment(story, "objects") else {
        return;
    };
    if !java(story) {
        return;
    }
    let (ana, ben) = (told("nightly"), told("weekly"));
    let team = tempfile::tempdir().unwrap();
    let address = format!("{}/", team.path().display());
    for (sandbox, cluster) in [(&ana, "nightly"), (&ben, "weekly")] {
        add(sandbox, &address, cluster);
        let sha256 = approved(sandbox, cluster, &address);
        share(sandbox, &sha256, &address).done().unwrap();
    }
    let pull = ["destination", "pull", "--json"];
    ben.bobbin(&pull).done().unwrap();
    let shown = ben.bobbin(&["clusters", "--json"]).done().unwrap();
    let read = Outcome::of(objects.script(&ben, "read_spark.py").arg(team.path()))
        .done()
        .unwrap();
    assert_eq!(
        (&read["clusters"], &read["accounts"]),
        (&json!(2), &json!(["data"]))
    );
    have_sums_of(&read, &shown);
}

#[test]
fn a_folder_is_read_by_duckdb_too() {
    let Some(objects) = environment("tables in DuckDB", "objects") else {
        return;
    };
    let ana = told("nightly");
    let team = tempfile::tempdir().unwrap();
    let address = format!("{}/", team.path().display());
    add(&ana, &address, "ana");
    let sha256 = approved(&ana, "nightly", &address);
    share(&ana, &sha256, &address).done().unwrap();
    let read = Outcome::of(objects.script(&ana, "read_duckdb.py").arg(team.path()))
        .done()
        .unwrap();
    let shown = ana.bobbin(&["clusters", "--json"]).done().unwrap();
    assert_eq!(
        read,
        json!([["data", 1, shown["rows"][0]["compute_seconds"]]])
    );
    let ben = told("weekly");
    let follow = ["destination", "add", &address, "--follow", "--json"];
    assert_eq!(
        ben.bobbin(&follow).done().unwrap()[0]["follow"],
        json!(true)
    );
    // Said again it is no change; what changed, and that it went, is a row each.
    ben.bobbin(&follow).done().unwrap();
    let row = || ben.bobbin(&["ledger", "--json"]).done().unwrap()["rows"].clone();
    let added = "added a destination: account team, imports what others share; sharing: Ask each time, was Local only";
    assert_eq!(row().as_array().unwrap().len(), 1);
    assert_eq!(
        (&row()[0]["what"], &row()[0]["to"]),
        (&json!(added), &json!(address))
    );
    let server = Server::start(&ben);
    eventually("what others shared", || match names(&ben) {
        names if names.len() == 2 => Ok(()),
        names => Err(format!("{names:?}")),
    });
    drop(server);
    assert_eq!(
        ana.bobbin(&["destination", "list", "--json"])
            .done()
            .unwrap()[0]["follow"],
        json!(false)
    );
    fails(
        &ana.bobbin(&["destination", "remove", "/nowhere/else", "--json"]),
        1,
        "there is no destination",
    );
    ben.bobbin(&["destination", "remove", &address, "--json"])
        .done()
        .unwrap();
    let removed = "removed a destination; sharing: Local only, was Ask each time";
    assert!(
        row()
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["what"] == removed)
    );
    fails(
        &ana.bobbin(&["destination", "add", "https://example.org/x", "--json"]),
        2,
        "s3://",
    );
}

#[test]
fn what_somebody_changed_signed_in_another_s_name_or_recalled_for_another_is_not_taken() {
    let (ana, ben, eve) = (told("nightly"), told("weekly"), told("hourly"));
    let team = tempfile::tempdir().unwrap();
    let address = format!("{}/", team.path().display());
    for (sandbox, name) in [(&ana, "ana"), (&ben, "ben"), (&eve, "ana")] {
        add(sandbox, &address, name);
    }
    let pull = ["destination", "pull", "--json"];
    let pulled = || ben.bobbin(&pull).done().unwrap()[0].clone();
    let listed = || {
        let list = ["destination", "bundles", &address, "--json"];
        ben.bobbin(&list).done().unwrap()["bundles"].clone()
    };
    let of_ana = approved(&ana, "nightly", &address);
    let shared = share(&ana, &of_ana, &address).done().unwrap();
    let key = shared["signed"]["key"].as_str().unwrap();

    // What is said about it, and its bytes.
    let words = team.path().join(format!("shared/{of_ana}.json"));
    let said = fs::read_to_string(&words).unwrap();
    let changed = said.replace(r#""by":"ana""#, r#""by":"cy""#);
    assert_ne!(changed, said);
    fs::write(&words, changed).unwrap();
    let aside = pulled();
    assert_eq!(
        (&aside["bundles"], &aside["aside"][0]["trust"]),
        (&json!([]), &json!("changed"))
    );
    assert_eq!(listed()[0]["trust"], "changed");
    fs::write(&words, &said).unwrap();
    let bundle = team.path().join(format!("bundles/{of_ana}.bobbin"));
    let bytes = fs::read(&bundle).unwrap();
    fs::write(&bundle, "something else").unwrap();
    let refused = ben.bobbin(&pull);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.out.contains("has changed"), "{refused:?}");
    assert_eq!(names(&ben).len(), 1);
    fs::write(&bundle, bytes).unwrap();
    assert_eq!(pulled()["bundles"][0]["signed"]["key"], key);
    assert_eq!(names(&ben).len(), 2);

    // From then on the name is that key's.
    let of_eve = approved(&eve, "hourly", &address);
    share(&eve, &of_eve, &address).done().unwrap();
    let aside = pulled();
    assert_eq!(
        (&aside["bundles"], &aside["aside"][0]["trust"]),
        (&json!([]), &json!("other_key"))
    );
    let shown = ben.bobbin(&["destination", "bundles", &address]).out;
    let trust = format!("bobbin destination trust {} ", &of_eve[..12]);
    assert!(
        shown.contains(&key[..16]) && shown.contains(&trust),
        "{shown}"
    );
    assert_eq!(names(&ben).len(), 2);

    // Nobody recalls what another shared.
    let recalled = team.path().join(format!("recalled/{of_ana}.json"));
    fs::create_dir_all(recalled.parent().unwrap()).unwrap();
    let forged = json!({"format": 1, "sha256": of_ana, "by": "ana", "recalled_at_micros": 1});
    fs::write(&recalled, forged.to_string()).unwrap();
    assert_eq!(listed().as_array().unwrap().len(), 2);
    let recall = ["destination", "recall", &of_ana, &address, "--json"];
    fails(&eve.bobbin(&recall), 3, "no bundle");
    ana.bobbin(&recall).done().unwrap();
    assert_eq!(listed().as_array().unwrap().len(), 1);

    // A member may have another key.
    let trust = ["destination", "trust", &of_eve[..12], &address, "--json"];
    ben.bobbin(&trust).done().unwrap();
    assert_eq!(pulled()["bundles"][0]["sha256"], json!(of_eve));
    assert_eq!(names(&ben).len(), 3);
    assert_eq!(pulled()["aside"], json!([]));
}

/// Runs Git in a folder.
#[track_caller]
fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder);
    for set in [
        "user.name=ana",
        "user.email=ana@team.example",
        "commit.gpgsign=false",
    ] {
        command.args(["-c", set]);
    }
    let outcome = Outcome::of(command.args(arguments));
    assert_eq!(outcome.code, 0, "{outcome:?}");
}

#[test]
fn a_git_repository_carries_what_members_share_and_recall() {
    let (ana, ben) = (told("nightly"), told("weekly"));
    let team = tempfile::tempdir().unwrap();
    git(team.path(), &["init", "--quiet", "--bare", "team.git"]);
    let clone = |name: &str| {
        git(team.path(), &["clone", "--quiet", "team.git", name]);
        team.path().join(name)
    };
    let address = |clone: &Path| format!("{}/", clone.display());
    let of_ana = clone("ana");
    let commit = || {
        git(&of_ana, &["add", "--all"]);
        git(&of_ana, &["commit", "--quiet", "--message", "Bobbin"]);
        git(&of_ana, &["push", "--quiet", "origin", "HEAD"]);
    };
    let to = address(&of_ana);
    add(&ana, &to, "ana");
    let sha256 = approved(&ana, "nightly", &to);
    share(&ana, &sha256, &to).done().unwrap();
    commit();

    let of_ben = clone("ben");
    let from = address(&of_ben);
    add(&ben, &from, "ben");
    let pulled = ben.bobbin(&["destination", "pull", "--json"]);
    let pulled = pulled.done().unwrap();
    assert_eq!(pulled[0]["bundles"][0]["sha256"], json!(sha256));
    assert_eq!(pulled[0]["aside"], json!([]));
    assert_eq!(names(&ben).len(), 2);

    let recall = ["destination", "recall", &sha256, &to, "--json"];
    ana.bobbin(&recall).done().unwrap();
    commit();
    git(&of_ben, &["pull", "--quiet"]);
    let listed = ben.bobbin(&["destination", "bundles", &from, "--json"]);
    assert_eq!(listed.done().unwrap()["bundles"], json!([]));
}
