//! Clusters that travel from one Bobbin to another in a bundle.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Instant;

use serde_json::{Value, json};

use super::compare::run;
use super::shell::fails;
use crate::support::{Process, Sandbox, Server, eventually, post};

/// A sandbox whose store knows a cluster.
pub(super) fn told(name: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let token = fs::read_to_string(server.token_file()).unwrap();
    let answer = post(
        server.tcp(),
        "/v1/batches",
        &token,
        &run(name, 40, 1.0, "2026.8.0"),
    );
    assert_eq!((answer.status, &answer.json["refused"]), (200, &json!([])));
    sandbox
}

pub(super) fn names(sandbox: &Sandbox) -> Vec<Value> {
    let listed = sandbox.bobbin(&["clusters", "--json"]).done().unwrap();
    let rows = listed["rows"].as_array().unwrap();
    rows.iter().map(|row| row["name"].clone()).collect()
}

#[test]
fn a_cluster_is_exported_looked_at_and_imported_while_bobbin_is_closed_and_while_it_is_open() {
    let (here, closed, open) = (told("nightly"), told("other"), told("another"));
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("nightly.bobbin");
    let bundle = bundle.to_str().unwrap();
    let written = here
        .bobbin(&["export", "nightly", "--output", bundle, "--json"])
        .done()
        .unwrap();
    assert_eq!(
        written["manifest"]["choice"],
        json!({"level": "names", "identities": "aliases"})
    );
    assert_eq!(
        written["manifest"]["clusters"][0]["records"]["task_group"],
        1
    );
    // Never over a file that is there.
    fails(
        &here.bobbin(&["export", "nightly", "--output", bundle, "--json"]),
        3,
        "exists",
    );
    // Another process writes the same bytes.
    let same = folder.path().join("same.bobbin");
    let output = same.to_str().unwrap();
    here.bobbin(&["export", "nightly", "--output", output, "--json"])
        .done()
        .unwrap();
    assert!(fs::read(&same).unwrap() == fs::read(bundle).unwrap());

    let looked = closed
        .bobbin(&["import", "--check", bundle, "--json"])
        .done()
        .unwrap();
    assert_eq!(looked[0]["outcome"]["looked"], written["manifest"]);
    assert_eq!(names(&closed), ["other"]);
    let taken = closed.bobbin(&["import", bundle, "--json"]).done().unwrap();
    assert_eq!(taken[0]["outcome"]["imported"]["clusters"][0]["id"], 2);
    assert_eq!(names(&closed).len(), 2);
    let again = closed.bobbin(&["import", bundle, "--json"]).done().unwrap();
    assert!(again[0]["outcome"]["imported"]["clusters"][0]["skipped"].is_string());

    let server = Server::start(&open);
    let handed = open.bobbin(&["import", bundle, "--json"]).done().unwrap();
    let handed = &handed[0]["outcome"]["imported"]["clusters"][0];
    assert_eq!(
        (&handed["id"], &handed["skipped"]),
        (&json!(2), &json!(null))
    );
    let again = open.bobbin(&["import", bundle, "--json"]).done().unwrap();
    assert_eq!(
        again[0]["outcome"]["imported"]["clusters"][0]["skipped"],
        "it is already here as number 2"
    );
    eventually("the cluster of the bundle", || match names(&open) {
        names if names.len() == 2 => Ok(()),
        names => Err(format!("{names:?}")),
    });
    drop(server);

    // Half of it is nothing.
    let whole = fs::read(bundle).unwrap();
    fs::write(bundle, &whole[..whole.len() / 2]).unwrap();
    fails(&closed.bobbin(&["import", bundle, "--json"]), 2, "cut");
}

#[test]
fn how_large_a_report_would_be_and_what_would_be_in_it_is_said_before_there_is_one() {
    let here = told("nightly");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nightly.md");
    let output = path.to_str().unwrap();
    let asked = ["report", "nightly", "--markdown", "--output", output];
    let checked = here.bobbin(&[&asked[..], &["--check"]].concat());
    assert_eq!(checked.code, 0, "{checked:?}");
    for words in ["nightly.md: would be ", "category", "\nnames "] {
        assert!(checked.out.contains(words), "{words} in {}", checked.out);
    }
    assert!(!path.exists());
    // A report that is there stands in the way of another, not of a look at it.
    here.shell("touch cluster-1.html");
    let checked = here.bobbin(&["report", "nightly", "--check"]);
    assert!(
        checked.out.contains("cluster-1.html: would be "),
        "{checked:?}"
    );
    let ledger = here.bobbin(&["ledger", "--json"]).done().unwrap();
    assert_eq!(ledger["rows"], json!([]));
    let written = here
        .bobbin(&[&asked[..], &["--json"]].concat())
        .done()
        .unwrap();
    assert_eq!(written["bytes"], fs::metadata(&path).unwrap().len());
    let named = |class: &Value| class["class"] == "name" && class["told"] != 0;
    assert!(written["classes"].as_array().unwrap().iter().any(named));
}

/// With fewer files open at once than it is given.
#[cfg(unix)]
#[test]
fn as_many_bundles_are_imported_at_once_as_one_names() {
    let (here, other) = (told("nightly"), told("other"));
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("0.bobbin");
    let output = bundle.to_str().unwrap();
    here.bobbin(&["export", "nightly", "--output", output, "--json"])
        .done()
        .unwrap();
    for number in 1..200 {
        fs::copy(&bundle, folder.path().join(format!("{number}.bobbin"))).unwrap();
    }
    let taken = other.shell(&format!(
        "ulimit -n 160; exec '{}' --data-dir '{}' import --json '{}'/*.bobbin",
        env!("CARGO_BIN_EXE_bobbin"),
        other.data_dir().display(),
        folder.path().display(),
    ));
    let taken: Vec<Value> = serde_json::from_str(&taken).unwrap();
    assert_eq!(taken.len(), 200);
    let of = |number: usize| &taken[number]["outcome"]["imported"]["clusters"][0];
    assert_eq!(of(0)["id"], 2);
    assert!((1..200).all(|number| of(number)["skipped"].is_string()));
}

/// Samples and task groups of three clusters, so that taking them in takes a while.
fn told_much() -> Sandbox {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let token = fs::read_to_string(server.token_file()).unwrap();
    for name in ["first", "second", "third"] {
        let batch = String::from_utf8(run(name, 40, 1.0, "2026.8.0")).unwrap();
        let (header, records) = batch.split_once('\n').unwrap();
        let mut header: Value = serde_json::from_str(header).unwrap();
        let at = header["sent_at_micros"].as_i64().unwrap();
        let groups: Vec<String> = (0..2_000)
            .map(|number| {
                let group = json!({"kind": "task_group", "at_micros": at, "group_id": format!("g{number}"),
                    "name": format!("sum-{number:08x}"), "prefix": "sum", "states": {"memory": 3}, "seconds": {"compute": 1.0},
                    "result_bytes": 10, "start_micros": at - 9, "stop_micros": at, "final": true});
                group.to_string() + "\n"
            })
            .collect();
        header["records"] = json!(records.lines().count() + groups.len());
        let batch = format!("{header}\n{}{records}", groups.concat());
        let answer = post(server.tcp(), "/v1/batches", &token, batch.as_bytes());
        assert_eq!((answer.status, &answer.json["refused"]), (200, &json!([])));
    }
    sandbox
}

/// What a store would write into a bundle of each cluster that it has: how many records of each kind.
fn records(sandbox: &Sandbox, folder: &Path) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for name in names(sandbox) {
        let name = name.as_str().unwrap();
        let bundle = folder.join("again.bobbin");
        let written = sandbox
            .bobbin(&[
                "export",
                name,
                "--level",
                "everything",
                "--output",
                bundle.to_str().unwrap(),
                "--json",
            ])
            .done()
            .unwrap();
        fs::remove_file(&bundle).unwrap();
        let records = written["manifest"]["clusters"][0]["records"].clone();
        found.insert(name.to_owned(), records);
    }
    found
}

#[test]
fn an_import_that_is_killed_leaves_each_cluster_whole_or_absent_and_another_completes_it() {
    let here = told_much();
    let folder = tempfile::tempdir().unwrap();
    let all = records(&here, folder.path());
    assert_eq!(all.len(), 3);
    let bundle = folder.path().join("all.bobbin");
    let bundle = bundle.to_str().unwrap();
    let mut export = vec!["export", "first", "second", "third", "--json"];
    export.extend(["--level", "everything", "--output", bundle]);
    here.bobbin(&export).done().unwrap();

    let import = |sandbox: &Sandbox| {
        let mut command = sandbox.command(Path::new(env!("CARGO_BIN_EXE_bobbin")));
        command.args(["import", bundle, "--json"]);
        Process::start("bobbin import", &mut command)
    };
    let imported = |sandbox: &Sandbox| {
        let mut found = records(sandbox, folder.path());
        assert!(found.remove("other").is_some());
        found
    };
    let first = told("other");
    let began = Instant::now();
    import(&first).end_well();
    let whole = began.elapsed();
    assert_eq!(imported(&first), all);

    let tries = 12;
    let mut cut_short = 0;
    for number in 0..tries {
        let there = told("other");
        let mut process = import(&there);
        sleep(whole * number / tries);
        process.kill();
        let left = imported(&there);
        for (name, records) in &left {
            assert_eq!(Some(records), all.get(name), "{name} after kill {number}");
        }
        cut_short += u32::from(left.len() < all.len());
        import(&there).end_well();
        assert_eq!(imported(&there), all, "after kill {number}");
    }
    assert!(cut_short > 0, "each import was over before it was killed");
}
