//! The command line itself: exit codes, one JSON document, plain words.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use super::lost::batch;
use crate::support::{Outcome, Process, Sandbox, Server, eventually, post};

/// A verb that did not do what was asked: its code, one JSON document on stdout, what and what to do on stderr.
#[track_caller]
pub fn fails(outcome: &Outcome, code: i32, about: &str) {
    assert_eq!(outcome.code, code, "{outcome:?}");
    let error = &outcome.json()["error"];
    assert!(
        error["message"].as_str().unwrap().contains(about),
        "{error}"
    );
    assert!(outcome.talk.starts_with("error: "), "{outcome:?}");
    assert_eq!(
        error["hint"].is_string(),
        outcome.talk.contains("\nhint: "),
        "{outcome:?}"
    );
}

#[test]
fn every_verb_prints_one_json_document() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let token = fs::read_to_string(server.token_file()).unwrap();
    assert_eq!(
        post(
            server.tcp(),
            "/v1/batches",
            &token,
            &batch("Scheduler-one", "i", 1)
        )
        .status,
        200
    );
    for verb in [
        &["clusters", "--json"][..],
        &[
            "clusters",
            "one",
            "--state",
            "idle",
            "--state",
            "running",
            "--since",
            "7d",
            "--sort",
            "compute",
            "--ascending",
            "--json",
        ],
        &["show", "1", "--json"],
        &["show", "Scheduler-one", "--json"],
        &["sql", "select count(*) from cluster", "--json"],
        &["sql", "--tables", "--json"],
        &["storage", "--json"],
        &["key", "--json"],
        &["snapshot", "--json"],
        &["snapshot", "--list", "--json"],
        &["update", "--json"],
        &["connect", "--coiled", "--json"],
        &["connect", "--json"],
        &["doctor", "--json"],
        &["disconnect", "--json"],
    ] {
        let outcome = sandbox.bobbin(verb);
        assert_eq!(outcome.code, 0, "{verb:?}: {outcome:?}");
        outcome.json();
        // And without it, something to read.
        let spoken = sandbox.bobbin(&verb[..verb.len() - 1]);
        assert_eq!(spoken.code, 0, "{verb:?}: {spoken:?}");
        assert!(!spoken.out.is_empty(), "{verb:?}");
    }
    let none = sandbox.bobbin(&["clusters", "user:nobody"]);
    assert!(none.out.starts_with("No match in 1 cluster."), "{none:?}");
    server.stop();
}

#[test]
fn exit_codes_say_what_kind_of_failure_it_was() {
    let sandbox = Sandbox::new();
    fails(&sandbox.bobbin(&["clusters", "--json"]), 1, "no store");
    let server = Server::start(&sandbox);
    fails(
        &sandbox.bobbin(&["show", "nobody", "--json"]),
        1,
        "there is no cluster nobody",
    );
    let unknown = sandbox.bobbin(&["show", "nobody"]);
    assert_eq!((unknown.code, unknown.out.as_str()), (1, ""), "{unknown:?}");
    assert!(unknown.talk.contains("hint: "), "{unknown:?}");
    for wrong in [
        &["shwo"][..],
        &["show"],
        &["serve", "--port", "x"],
        &["clusters", "--since", "1"],
        &["serve", "--ui-port", "1"],
    ] {
        let outcome = sandbox.bobbin(wrong);
        assert_eq!(
            (outcome.code, outcome.out.as_str()),
            (2, ""),
            "{wrong:?}: {outcome:?}"
        );
    }
    let wrong = sandbox.bobbin(&["show", "--json"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert_eq!(wrong.json()["error"]["code"], "invalid", "{wrong:?}");
    let help = sandbox.bobbin(&["--help"]);
    assert!(
        help.code == 0 && help.out.contains("3  refused"),
        "{help:?}"
    );
    server.stop();
}

#[test]
fn a_second_receiver_on_the_same_folder_is_refused() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    fails(
        &sandbox.bobbin(&["serve", "--port", "0", "--json"]),
        3,
        "another Bobbin already writes to",
    );
    let other = Sandbox::new();
    let port = server.tcp().rsplit(':').next().unwrap();
    fails(
        &other.bobbin(&["serve", "--port", port, "--json"]),
        3,
        "is taken",
    );
    server.stop();
    // Its place is free again.
    Server::start(&sandbox).stop();
}

#[test]
fn of_twenty_receivers_that_start_at_once_one_listens_and_the_others_say_why() {
    let sandbox = Sandbox::new();
    let mut started: Vec<Process> = (0..20)
        .map(|number| {
            let mut command = sandbox.command(Path::new(env!("CARGO_BIN_EXE_bobbin")));
            command
                .arg("--data-dir")
                .arg(sandbox.data_dir())
                .args(["serve", "--port", "0"]);
            Process::start(&format!("receiver {number}"), &mut command)
        })
        .collect();
    eventually("one is left", || {
        match started
            .iter_mut()
            .filter_map(|one| one.runs().then_some(()))
            .count()
        {
            1 => Ok(()),
            left => Err(format!("{left} are left")),
        }
    });
    for mut process in started {
        if process.runs() {
            assert_eq!(process.hear()["event"], "listening");
            process.terminate();
            process.end_well();
            continue;
        }
        assert_eq!(process.end().code(), Some(3));
        eventually("it says why", || match process.talk() {
            talk if talk.contains("another Bobbin already writes to") => Ok(()),
            talk => Err(talk),
        });
    }
}

#[test]
fn a_store_of_a_newer_version_is_refused_in_plain_words() {
    let sandbox = Sandbox::new();
    Server::start(&sandbox).stop();
    let path = sandbox.data_dir().join("bobbin.sqlite");
    // As every version writes it: in the head of the file and in its own words.
    let db = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    db.execute_batch(
        "pragma user_version = 9999; drop view schema_version; create view schema_version as select 9999 as number",
    )
    .unwrap();
    db.close().unwrap();
    let before = fs::read(&path).unwrap();
    for verb in [
        &["serve", "--port", "0", "--json"][..],
        &["clusters", "--json"],
        &["show", "1", "--json"],
    ] {
        fails(
            &sandbox.bobbin(verb),
            1,
            "written by a newer version of Bobbin (schema 9999",
        );
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    let report = sandbox.bobbin(&["doctor"]);
    assert!(
        report.code == 1 && report.out.contains("newer version"),
        "{report:?}"
    );
}

#[test]
fn the_doctor_finds_what_is_wrong_and_shows_no_secret() {
    let sandbox = Sandbox::new();
    let none = sandbox.bobbin(&["doctor", "--json"]);
    assert_eq!(none.code, 1, "{none:?}");
    assert_eq!(none.json()["healthy"], false);

    let mut server = Server::start(&sandbox);
    assert_eq!(sandbox.bobbin(&["connect"]).code, 0);
    let well = sandbox.bobbin(&["doctor"]);
    assert_eq!(well.code, 0, "{well:?}");
    let token = fs::read_to_string(server.token_file()).unwrap();
    let home = sandbox.path("home").display().to_string();
    assert!(
        !well.out.contains(token.trim())
            && !well.out.contains(&home)
            && well.out.contains("~/data"),
        "{well:?}"
    );

    assert!(well.out.contains("settings       port "), "{well:?}");
    assert!(
        well.out
            .contains("switches       set in Dask's configuration: bobbin.interval = 0.5s\n"),
        "{well:?}"
    );
    let chosen = sandbox.dask_config().join("chosen.yaml");
    fs::write(
        &chosen,
        "bobbin: {code: {transmit: false}, project: merger}",
    )
    .unwrap();
    let crashes = sandbox.data_dir().join("crashes.txt");
    fs::write(&crashes, "long ago, somewhere.rs:7:1\n").unwrap();
    fs::set_permissions(&crashes, fs::Permissions::from_mode(0o600)).unwrap();
    let told = sandbox.bobbin(&["doctor"]);
    assert!(
        told.code == 0
            && told.out.contains(
                "bobbin.code.transmit = false, bobbin.interval = 0.5s, bobbin.project is set\n"
            )
            && told
                .out
                .contains("crashes        1, the last: long ago, somewhere.rs:7:1"),
        "{told:?}"
    );
    fs::remove_file(crashes).unwrap();
    fs::remove_file(chosen).unwrap();

    let wrong = |about: &str| {
        let report = sandbox.bobbin(&["doctor"]);
        assert!(
            report.code == 1 && report.out.contains(about) && report.out.contains("hint: "),
            "{about}: {report:?}"
        );
        report.out
    };
    let plugin = sandbox.data_dir().join("plugin/bobbin.py");
    let source = fs::read(&plugin).unwrap();
    fs::write(&plugin, "old = True\n").unwrap();
    wrong("belongs to another version");
    fs::write(&plugin, source).unwrap();

    let (kept, aside) = (sandbox.data_dir().join("token"), sandbox.path("token"));
    fs::rename(&kept, &aside).unwrap();
    wrong("token does not exist");
    assert!(!kept.exists());
    fs::rename(&aside, &kept).unwrap();

    let address = fs::read_to_string(sandbox.data_dir().join("receiver.json")).unwrap();
    let address: Value = serde_json::from_str(&address).unwrap();
    let socket = Path::new(address["socket"].as_str().unwrap());
    let aside = socket.with_extension("aside");
    fs::rename(socket, &aside).unwrap();
    wrong("WRONG  socket ");
    fs::rename(&aside, socket).unwrap();

    let store = sandbox.data_dir().join("bobbin.sqlite");
    fs::set_permissions(&store, fs::Permissions::from_mode(0o644)).unwrap();
    wrong("open to other users");
    fs::set_permissions(&store, fs::Permissions::from_mode(0o600)).unwrap();

    fs::write(
        sandbox.dask_config().join("zzz.yaml"),
        "distributed: {scheduler: {preload: [m]}}",
    )
    .unwrap();
    wrong("zzz.yaml sets distributed.scheduler.preload after ours");
    fs::write(sandbox.dask_config().join("zzz.yaml"), "").unwrap();
    fs::write(
        sandbox.dask_config().join("a.yaml"),
        "distributed: {scheduler: {preload: [m]}}",
    )
    .unwrap();
    wrong("a preload from another file is not loaded: m");
    // What may hold a secret is not repeated: these words are made to be pasted.
    for (preload, told) in [
        (
            "import os; os.environ['TOKEN'] = 'hunter2'",
            "an inline script",
        ),
        ("https://ada:hunter2@example.org/setup.py", "a URL"),
    ] {
        let list = format!("distributed: {{scheduler: {{preload: [\"{preload}\"]}}}}");
        fs::write(sandbox.dask_config().join("a.yaml"), list).unwrap();
        let said = wrong(&format!(
            "a preload from another file is not loaded: {told}"
        ));
        assert!(!said.contains("hunter2"), "{said}");
    }
    fs::remove_file(sandbox.dask_config().join("a.yaml")).unwrap();

    let port = server.tcp().to_owned();
    server.process.kill();
    wrong("does not answer");

    // Whoever takes the port then does not get the token.
    let squatter = TcpListener::bind(port).unwrap();
    let heard = std::thread::spawn(move || {
        let (mut connection, _) = squatter.accept().unwrap();
        let mut request = [0; 4096];
        let length = connection.read(&mut request).unwrap();
        String::from_utf8_lossy(&request[..length]).into_owned()
    });
    wrong("does not answer");
    let heard = heard.join().unwrap();
    assert!(
        heard.starts_with("GET /v1/health") && !heard.contains(token.trim()),
        "{heard}"
    );
}

#[test]
fn the_doctor_names_no_user_outside_of_the_home_folder_either() {
    let mut sandbox = Sandbox::new();
    sandbox.set("USER", "work");
    assert_eq!(sandbox.bobbin(&["connect"]).code, 0);
    let there = sandbox.path("work").display().to_string();
    let words = ["doctor", "--dask-config-dir", there.as_str(), "--json"];
    for words in [&words[..3], &words[..]] {
        let told = sandbox.bobbin(words);
        assert!(
            told.out.contains("but Dask reads ") && told.out.contains("/$USER"),
            "{told:?}"
        );
        assert!(!told.out.contains("/work"), "{told:?}");
    }
}

#[test]
fn show_says_what_became_of_the_workers_where_the_time_went_and_what_is_off() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let token = fs::read_to_string(server.token_file()).unwrap();
    let at = std::time::UNIX_EPOCH.elapsed().unwrap().as_micros() as i64;
    let ago = |seconds: i64| at - seconds * 1_000_000;
    let records = [
        json!({"kind": "cluster", "at_micros": ago(300), "name": "told", "started_micros": ago(300), "plugin_version": "0.1.0",
            "interval_micros": 10_000_000, "idle_timeout_micros": 1_200_000_000, "unavailable": ["retries"],
            "switches": {"code": false, "profile": true},
            "mismatches": [{"package": "numpy", "where": "worker", "version": "1.0", "count": 2}]}),
        json!({"kind": "task_group", "at_micros": ago(9), "group_id": "g", "name": "inc-1", "prefix": "inc",
            "states": {"processing": 8}, "seconds": {"compute": 4.0}, "result_bytes": 10, "final": false, "retried": 3,
            "durations": {"count": 8, "mean_seconds": 0.5, "std_seconds": 0.1, "p50_seconds": 0.4, "p95_seconds": 2.0,
                "max_seconds": 7.0}}),
        json!({"kind": "sample", "at_micros": at, "workers": 1, "threads": 2, "tasks": {"processing": 8},
            "totals": {"compute": 4.0}, "cost": {"beat_micros": 300, "loop_share": 0.0003},
            "last_completed_micros": ago(200), "stall": {"limit_micros": 60_000_000, "same_stacks": true, "group_id": "g"}}),
        json!({"kind": "worker", "at_micros": ago(300), "worker_id": "w1", "name": "tea\u{202e}pot", "event": "joined"}),
        json!({"kind": "worker", "at_micros": ago(100), "worker_id": "w1", "event": "killed", "cause": "memory"}),
        json!({"kind": "span", "at_micros": ago(9), "span_id": "s", "name": "load", "tags": ["etl", "load"],
            "start_micros": ago(9), "stop_micros": null, "groups": ["g"]}),
        json!({"kind": "metric", "at_micros": ago(9), "context": "execute", "prefix": "inc", "activity": "thread-cpu",
            "unit": "seconds", "value": 3.5}),
        json!({"kind": "profile", "at_micros": ago(9), "from_micros": ago(19), "to_micros": ago(9), "samples": 4,
            "sample_micros": 10_000, "unattributed": 1, "strings": ["inc", "work.py"],
            "frames": {"name": [0], "file": [1], "line": [3], "text": [null]},
            "stacks": {"parent": [-1], "frame": [0]}, "leaves": {"stack": [0], "count": [3]}}),
        json!({"kind": "event", "at_micros": ago(9), "topic": "transitions", "payload": null, "count": 7}),
    ];
    let header = json!({"kind": "header", "protocol": 1, "cluster_id": "Scheduler-told", "instance_id": "i", "first_seq": 1,
        "records": records.len(), "sent_at_micros": at, "monotonic_micros": 1, "plugin_version": "0.1.0"});
    let lines = std::iter::once(&header)
        .chain(&records)
        .map(|line| format!("{line}\n"));
    let batch: String = lines.collect();
    let answer = post(server.tcp(), "/v1/batches", &token, batch.as_bytes());
    assert_eq!((answer.status, &answer.json["refused"]), (200, &json!([])));
    let file = sandbox.data_dir().join("told.speedscope.json");
    let output = file.to_str().unwrap();
    let none = [
        "profile", "told", "--prefix", "dec", "--output", output, "--json",
    ];
    fails(
        &sandbox.bobbin(&none),
        1,
        "there is no profile of dec in told",
    );
    assert!(!file.exists());
    let told = sandbox.bobbin(&["show", "told"]);
    for words in [
        "stalled (no task finished for 3 min 2",
        "8 are running, the slowest group usually takes 2 s (p95); the workers' stacks have not changed)",
        "verdict    stalled (",
        "last task  finished 3 min 2",
        "lost       1 worker gone without being told to close",
        "plugin     300 µs per report, 300 µs in total, at most 0.003 % of the scheduler's loop over ten seconds",
        "closes     after 20 min 00 s idle",
        "versions   differ from the scheduler's: numpy 1.0 on 2 workers",
        "off        at source: code since ",
        "missing    in this version of Dask: retries",
        "2.0 s    7.0 s        3",
        "etl / load",
        "execute: thread-cpu  3.5 s",
        "inc       75.0 %      75.0 %  work.py:3",
        "tea‹U+202E›pot  gone",
        "(memory)",
        "transitions           0               7",
    ] {
        assert!(told.out.contains(words), "{words}: {}", told.out);
    }
    let stalled = sandbox
        .bobbin(&["clusters", "--state", "stalled", "--json"])
        .done()
        .unwrap();
    assert_eq!(stalled["total"], 1);
    server.stop();
}
