//! Files of other programs: made by a real Dask a moment ago, kept from older ones, and written by strangers.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::bundles::names;
use super::numbers::show;
use super::shell::fails;
use crate::support::{Sandbox, Server, environment, eventually};

pub(super) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/foreign")
        .join(name)
}

fn import(sandbox: &Sandbox, path: &Path) -> Value {
    let path = path.to_str().unwrap();
    let taken = sandbox
        .bobbin(&["import", path, "--json"])
        .done()
        .unwrap_or_else(|error| panic!("{path}: {error}"));
    taken[0]["outcome"]["imported"]["clusters"][0].clone()
}

/// Seconds of computing by prefix.
fn computed(shown: &Value) -> Vec<(String, f64)> {
    let groups = shown["task_groups"]["rows"].as_array().unwrap();
    let mut rows: Vec<_> = groups
        .iter()
        .map(|group| {
            let prefix = group["prefix"].as_str().unwrap().to_owned();
            (prefix, group["seconds"]["compute"].as_f64().unwrap())
        })
        .collect();
    rows.sort_by(|one, other| one.0.cmp(&other.0));
    rows
}

#[test]
fn what_the_newest_dask_wrote_a_moment_ago_has_its_numbers() {
    let Some(python) = environment("performance reports", "reports") else {
        return;
    };
    let sandbox = Sandbox::new();
    let made = sandbox.path("made");
    let mut script = python.script(&sandbox, "../fixtures/foreign/make.py");
    let ended = script.arg(&made).output().unwrap();
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    let truth: Value = serde_json::from_slice(&fs::read(made.join("truth.json")).unwrap()).unwrap();

    // Names say nothing of what is in a file.
    let report = made.join("monday.txt");
    fs::rename(made.join("report.html"), &report).unwrap();
    let taken = import(&sandbox, &report);
    assert_eq!(
        (&taken["name"], &taken["id"]),
        (&json!("monday"), &json!(1))
    );
    let again = import(&sandbox, &report);
    assert_eq!(again["skipped"], "it is already here as number 1");
    let shown = show(&sandbox, "1").unwrap();
    assert_eq!(
        shown["cluster"]["facts"]["from_bundle"]["source"],
        "performance_report"
    );
    for (prefix, seconds) in computed(&shown) {
        let wanted = &truth["rectangles"][format!("compute:{prefix}")]["seconds"];
        let wanted = wanted.as_f64().unwrap();
        assert!(
            (seconds - wanted).abs() < 1e-5,
            "{prefix}: {seconds}, not {wanted}"
        );
    }
    assert_eq!(shown["cluster"]["row"]["tasks_completed"], 50);
    assert_eq!(shown["workers"]["rows"].as_array().unwrap().len(), 2);

    for dump in ["dump.msgpack.gz", "dump.yaml"] {
        let id = import(&sandbox, &made.join(dump))["id"].to_string();
        let shown = show(&sandbox, &id).unwrap();
        let groups = truth["groups"].as_object().unwrap();
        let rows = computed(&shown);
        assert_eq!(rows.len(), groups.len(), "{dump}");
        for (prefix, seconds) in rows {
            let group = groups.values().find(|group| group["prefix"] == *prefix);
            let wanted = group.unwrap()["seconds"]["compute"].as_f64().unwrap_or(0.0);
            assert!(
                (seconds - wanted).abs() < 1e-5,
                "{dump} {prefix}: {seconds}, not {wanted}"
            );
        }
        let failures = shown["exceptions"]["rows"].as_array().unwrap();
        assert_eq!(failures[0]["exception_type"], "ValueError", "{dump}");
    }
}

#[test]
fn files_are_known_by_their_content_and_refused_in_words() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("files");
    fs::create_dir(&folder).unwrap();
    let put = |name: &str, text: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let folded = put("sampled.html", b"main;load 3\nmain;sum 4\n");
    let looked = sandbox
        .bobbin(&["import", "--check", folded.to_str().unwrap(), "--json"])
        .done()
        .unwrap();
    assert_eq!(
        looked[0]["outcome"]["looked"]["clusters"][0]["source"],
        "folded_stacks"
    );
    assert!(!sandbox.data_dir().join("bobbin.sqlite").exists());
    let speedscope = put(
        "one.bobbin",
        br#"{"shared":{"frames":[{"name":"main"}]},"profiles":[{"type":"sampled","unit":"seconds","samples":[[0]],"weights":[1.5]}]}"#,
    );
    for (path, name) in [(&folded, "sampled"), (&speedscope, "one")] {
        assert_eq!(import(&sandbox, path)["name"], name);
    }
    for (path, why) in [
        (
            put("notes.html", b"some notes"),
            "not a type that Bobbin reads",
        ),
        (
            put("page.html", b"<html></html>"),
            "not a Dask performance report",
        ),
        (put("cut.json", br#"{"shared":{"frames":["#), "it is cut"),
        (
            put("ext.msgpack", b"\x81\xa9scheduler\xd4\x05x"),
            "never opens",
        ),
        (put("alias.yaml", b"scheduler: &a\n  x: *a\n"), "anchor"),
    ] {
        fails(
            &sandbox.bobbin(&["import", path.to_str().unwrap(), "--json"]),
            2,
            why,
        );
    }
    assert_eq!(names(&sandbox).len(), 2);
}

#[test]
fn the_inbox_takes_them_once_and_puts_aside_what_it_cannot_read() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox);
    let inbox = sandbox.data_dir().join("inbox");
    let dropped = |name: &str, from: &str| {
        fs::copy(fixture(from), inbox.join(name)).unwrap();
    };
    dropped("of 2022.html.gz", "2022/report.html.gz");
    dropped("dump.msgpack.gz", "2024/dump.msgpack.gz");
    fs::write(inbox.join("notes.txt"), "some notes").unwrap();
    // The inbox looks at no file that is called as these are; whoever hands them over means them.
    let hidden = sandbox.path(".hidden.folded");
    fs::write(&hidden, "main;load 3\n").unwrap();
    let again = sandbox.path("dump.msgpack.refused");
    fs::copy(fixture("2026/dump.yaml.gz"), &again).unwrap();
    for file in [&hidden, &again] {
        assert!(import(&sandbox, file)["id"].is_u64(), "{}", file.display());
    }
    eventually("four clusters", || match names(&sandbox) {
        names if names.len() == 4 => Ok(()),
        names => Err(format!("{names:?}")),
    });
    eventually("an empty inbox but for what is put aside", || {
        let mut left: Vec<_> = fs::read_dir(&inbox)
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        left.sort();
        (left == ["done", "notes.txt.refused", "notes.txt.why"])
            .then_some(())
            .ok_or(format!("{left:?}"))
    });
    let mut done: Vec<_> = fs::read_dir(inbox.join("done"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    done.sort();
    assert_eq!(done, ["dump.msgpack.gz", "of 2022.html.gz"]);
    let why = fs::read_to_string(inbox.join("notes.txt.why")).unwrap();
    assert!(why.contains("a Dask performance report"), "{why}");
}

/// The process that reads a file for another one.
fn reader_of(asker: u64) -> Option<i32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.into_iter().find(|id| {
        let of = |what: &str| fs::read_to_string(format!("/proc/{id}/{what}")).unwrap_or_default();
        let stat = of("stat");
        let parent = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        parent == Some(asker) && of("cmdline").split('\0').any(|word| word == "read-file")
    })
}

#[test]
fn a_reader_that_is_killed_puts_its_file_aside_and_the_inbox_goes_on() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let inbox = sandbox.data_dir().join("inbox");
    let address = fs::read(sandbox.data_dir().join("receiver.json")).unwrap();
    let address: Value = serde_json::from_slice(&address).unwrap();
    // Long enough ago that it is not on its way here any more, and long enough to be met while it is read.
    let path = sandbox.path("long.folded");
    fs::write(&path, "main;load 1\n".repeat(4_000_000)).unwrap();
    let aged = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(aged).unwrap();
    fs::rename(&path, inbox.join("long.folded")).unwrap();
    let reader = eventually("a process that reads it", || {
        reader_of(address["pid"].as_u64().unwrap()).ok_or_else(|| "none".into())
    });
    kill_process(Pid::from_raw(reader).unwrap(), Signal::KILL).unwrap();
    let why = eventually("a reason", || {
        fs::read_to_string(inbox.join("long.folded.why")).map_err(|error| error.to_string())
    });
    assert!(
        why.contains("ended early (signal: 9 (SIGKILL))") && why.contains("4 GiB"),
        "{why}"
    );
    fs::copy(fixture("2022/report.html.gz"), inbox.join("next.html.gz")).unwrap();
    eventually("the next file's cluster", || match names(&sandbox) {
        names if names == ["next"] => Ok(()),
        names => Err(format!("{names:?}")),
    });
    server.stop();
}
