//! The published client, unmodified, in two generations: `register()`, preload, every list, reports, and closing.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::attach::{Apart, agree, reaches, tell};
use super::foreign::fixture;
use super::lost::batch;
use super::numbers::show;
use crate::support::{Process, Python, Sandbox, Server, eventually, newest, old, post};

/// A receiver, and an environment in which the published client uses it, by the lines that Bobbin prints for that.
#[track_caller]
fn pointed_at_bobbin(remote_close: bool) -> (Sandbox, Server) {
    let mut sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let lines = sandbox.bobbin(&["connect", "--coiled"]);
    assert_eq!(lines.code, 0, "{lines:?}");
    for name in ["SERVER", "TOKEN", "ACCOUNT", "WORKSPACE"] {
        let value = sandbox.shell(&format!(
            "{}\nprintf %s \"$DASK_COILED__{name}\"",
            lines.out
        ));
        assert!(!value.is_empty(), "{name}");
        sandbox.set(&format!("DASK_COILED__{name}"), value);
    }
    // Only what the served plugin knows of itself: nothing to discover.
    sandbox.unset("BOBBIN_DATA_DIR");
    sandbox.set("DASK_BOBBIN__REMOTE_CLOSE", remote_close);
    (sandbox, server)
}

/// One call of the client, and its answer.
#[track_caller]
fn ask(client: &mut Process, word: &str) -> Value {
    let answer = tell(client, word);
    assert_eq!(answer["error"], Value::Null, "{word}: {answer}");
    answer["answer"].clone()
}

/// The client's row of one cluster.
#[track_caller]
fn row_of(client: &mut Process, id: &str) -> Value {
    eventually("the cluster in the client's list", || {
        let rows = ask(client, "clusters");
        let row = rows
            .as_array()
            .into_iter()
            .flatten()
            .find(|row| row["scheduler_id"] == id);
        row.cloned().ok_or_else(|| rows.to_string())
    })
}

/// Everything that the client can ask about a cluster that worked and failed; at the end it closes the scheduler.
#[track_caller]
fn whole_conversation(python: &Python, sandbox: &Sandbox, server: &Server, mut apart: Apart) {
    for word in ["work", "break"] {
        tell(&mut apart.script, word);
    }
    let shown = agree(sandbox, &mut apart.script);
    let mut client = python.run(sandbox, "client.py", &[]);
    client.hear();
    ask(&mut client, "handshake");

    let row = row_of(&mut client, &apart.id);
    assert_eq!(row["status"], "running", "{row}");
    assert_eq!(row["workers"], 1, "{row}");
    assert_eq!(row["cluster_id"], row["id"], "{row}");
    assert_eq!(
        row["n_tasks"], shown["cluster"]["row"]["tasks_completed"],
        "{row}"
    );
    let number = row["id"].as_i64().unwrap();

    let computations = ask(&mut client, &format!("computations {number}"));
    let has_code = computations.as_array().unwrap().iter().any(|one| {
        one["code"]
            .as_str()
            .unwrap()
            .contains("doubles = client.map")
    });
    assert!(has_code, "{computations}");
    let exceptions = ask(&mut client, &format!("exceptions {number}"));
    assert!(
        exceptions[0].to_string().contains("no luck with"),
        "{exceptions}"
    );
    assert!(
        ask(&mut client, "exceptions")
            .to_string()
            .contains("no luck with")
    );
    assert!(ask(&mut client, &format!("events {number}")).is_array());
    let recent = ask(&mut client, "clusters 1 hour");
    assert_eq!(recent[0]["id"], number, "{recent}");

    ask(&mut client, &format!("close {number}"));
    apart.scheduler.end();
    let shown = reaches(sandbox, &apart.id, "finished");
    assert_eq!(shown["cluster"]["facts"]["stop_reason"], "remote_close");
    // Both sides log it.
    let (ours, theirs) = (server.process.talk(), apart.scheduler.talk());
    for line in ["asked to close", "handed over an order to close"] {
        assert!(ours.contains(line), "{line}: {ours}");
    }
    assert!(
        theirs.contains("closing the cluster at its user's request"),
        "{theirs}"
    );
    assert_eq!(row_of(&mut client, &apart.id)["status"], "stopped");
}

#[track_caller]
fn by_register(python: &Python) {
    let (sandbox, server) = pointed_at_bobbin(true);
    let mut apart = Apart::start(python, &sandbox, &[]);
    tell(&mut apart.script, "coiled");
    tell(&mut apart.script, "coiled");
    whole_conversation(python, &sandbox, &server, apart);
    server.stop();
}

#[track_caller]
fn by_preload(python: &Python) {
    let (mut sandbox, server) = pointed_at_bobbin(true);
    // What importing the published client does for code in a client process.
    sandbox.set("DASK_DISTRIBUTED__DIAGNOSTICS__COMPUTATIONS__NFRAMES", 2);
    let apart = Apart::start(python, &sandbox, &["--preload", "coiled.analytics"]);
    whole_conversation(python, &sandbox, &server, apart);
    server.stop();
}

#[test]
fn the_newest_published_client_works_by_register() {
    if let Some(python) = newest("the newest published client by register()") {
        by_register(&python);
    }
}

#[test]
fn the_newest_published_client_works_by_preload() {
    if let Some(python) = newest("the newest published client by --preload") {
        by_preload(&python);
    }
}

#[test]
fn the_newest_published_client_works_by_register_with_a_scheduler_in_its_own_process() {
    let Some(python) = newest("the newest published client with a LocalCluster") else {
        return;
    };
    let (sandbox, server) = pointed_at_bobbin(true);
    let mut script = python.run(&sandbox, "cluster.py", &["local", "2"]);
    let id = script.hear()["scheduler_id"].as_str().unwrap().to_owned();
    for word in ["coiled", "coiled", "work"] {
        tell(&mut script, word);
    }
    agree(&sandbox, &mut script);
    let mut client = python.run(&sandbox, "client.py", &[]);
    client.hear();
    let number = row_of(&mut client, &id)["id"].as_i64().unwrap();
    ask(&mut client, &format!("close {number}"));
    reaches(&sandbox, &id, "finished");
    // The script's cluster is gone, and the script still ends.
    script.say("end");
    script.end();
    server.stop();
}

#[test]
fn the_published_client_of_2022_works_by_register() {
    if let Some(python) = old("the published client of 2022 by register()") {
        by_register(&python);
    }
}

#[test]
fn the_published_client_of_2022_works_by_preload() {
    if let Some(python) = old("the published client of 2022 by --preload") {
        by_preload(&python);
    }
}

#[test]
fn a_cluster_that_does_not_allow_it_is_not_closed_and_says_why() {
    let Some(python) = newest("a close that is not allowed") else {
        return;
    };
    let (sandbox, server) = pointed_at_bobbin(false);
    let mut apart = Apart::start(&python, &sandbox, &[]);
    tell(&mut apart.script, "coiled");
    let mut client = python.run(&sandbox, "client.py", &[]);
    client.hear();
    let number = row_of(&mut client, &apart.id)["id"].as_i64().unwrap();
    let refused = tell(&mut client, &format!("close {number}"));
    let why = refused["error"].as_str().unwrap_or_default();
    assert!(why.contains("bobbin.remote-close: true"), "{refused}");
    eventually("the receiver tells of the refusal", || {
        let log = server.process.talk();
        match log.contains("a request to close was refused") {
            true => Ok(()),
            false => Err(log),
        }
    });
    tell(&mut apart.script, "work");
    assert!(apart.scheduler.runs());
    server.stop();
}

/// A performance report that the client uploads is a cluster here, and one that is none raises what it is.
#[track_caller]
fn reports_are_taken(python: &Python) {
    let (sandbox, server) = pointed_at_bobbin(false);
    let report = sandbox.path("monday.html");
    let packed = File::open(fixture("2026/report.html.gz")).unwrap();
    let mut plain = File::create(&report).unwrap();
    io::copy(&mut GzDecoder::new(packed), &mut plain).unwrap();
    let page = sandbox.path("tuesday.html");
    fs::write(&page, "<html><body>hello</body></html>").unwrap();

    let mut client = python.run(&sandbox, "client.py", &[]);
    client.hear();
    assert_eq!(ask(&mut client, "reports"), json!([]));
    let taken = ask(&mut client, &format!("report {}", report.display()));
    assert_eq!(taken["url"], "bobbin://cluster/1", "{taken}");
    assert_eq!(ask(&mut client, "reports"), json!([taken]));
    let shown = show(&sandbox, "1").unwrap();
    assert_eq!(shown["cluster"]["row"]["name"], "monday");
    assert_eq!(shown["cluster"]["row"]["tasks_completed"], 50);
    let refused = tell(&mut client, &format!("report {}", page.display()));
    let why = refused["error"].as_str().unwrap_or_default();
    assert!(why.contains("not a Dask performance report"), "{refused}");
    server.stop();
}

#[test]
fn a_report_of_the_newest_published_client_is_a_cluster() {
    if let Some(python) = newest("a report of the newest published client") {
        reports_are_taken(&python);
    }
}

#[test]
fn a_report_of_the_published_client_of_2022_is_a_cluster() {
    if let Some(python) = old("a report of the published client of 2022") {
        reports_are_taken(&python);
    }
}

/// Pages of the client end, whatever the number of rows.
#[track_caller]
fn pages_end(python: &Python) {
    let (sandbox, server) = pointed_at_bobbin(false);
    let token = fs::read_to_string(server.token_file()).unwrap();
    for n in 0..205 {
        let answer = post(
            server.tcp(),
            "/v1/batches",
            &token,
            &batch(&format!("Scheduler-page-{n}"), &format!("i{n}"), 1),
        );
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let mut client = python.run(&sandbox, "client.py", &[]);
    client.hear();
    let rows = ask(&mut client, "clusters");
    let mut ids: Vec<i64> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_i64().unwrap())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 205);
    server.stop();
}

#[test]
fn pages_of_the_newest_published_client_end() {
    if let Some(python) = newest("pages of the newest published client") {
        pages_end(&python);
    }
}

#[test]
fn pages_of_the_published_client_of_2022_end() {
    if let Some(python) = old("pages of the published client of 2022") {
        pages_end(&python);
    }
}

/// A token of somebody else's service, sent here by mistake: a readable refusal at once, nothing opened, changed or kept.
#[track_caller]
fn a_wrong_token(python: &Python) {
    const VENDOR: &str = "c0ffee5ecret0fthevend0r0123456789abcdef";
    let (mut sandbox, server) = pointed_at_bobbin(false);
    sandbox.set("DASK_COILED__TOKEN", VENDOR);
    fs::create_dir_all(sandbox.dask_config()).unwrap();
    fs::write(
        sandbox.dask_config().join("coiled.yaml"),
        "coiled:\n  user: somebody\n",
    )
    .unwrap();
    let mark = sandbox.path("browser-was-opened");
    let browser = sandbox.path("browser");
    fs::write(&browser, format!("#!/bin/sh\ntouch '{}'\n", mark.display())).unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.set("BROWSER", browser.display());
    let before = Sandbox::contents(&sandbox.path("home/.config"));

    let mut client = python.run(&sandbox, "client.py", &[]);
    client.hear();
    for word in ["handshake", "clusters", "computations 1", "close 1"] {
        let asked = Instant::now();
        let refused = tell(&mut client, word);
        assert!(
            refused["error"]
                .as_str()
                .unwrap_or_default()
                .to_lowercase()
                .contains("token"),
            "{refused}"
        );
        assert!(
            asked.elapsed() < Duration::from_secs(10),
            "{word} took {:?}",
            asked.elapsed()
        );
    }
    assert!(!mark.exists(), "a browser was opened");
    assert_eq!(Sandbox::contents(&sandbox.path("home/.config")), before);
    for (path, bytes) in Sandbox::contents(&sandbox.data_dir()) {
        let found = bytes
            .unwrap_or_default()
            .windows(VENDOR.len())
            .any(|window| window == VENDOR.as_bytes());
        assert!(!found, "the token is in {}", path.display());
    }
    assert!(
        !sandbox.bobbin(&["doctor", "--json"]).out.contains(VENDOR),
        "the token is in what one pastes"
    );
    assert!(
        !server.process.talk().contains(VENDOR),
        "the token is in the log"
    );
    server.stop();
}

#[test]
fn the_newest_published_client_is_told_that_its_token_is_wrong() {
    if let Some(python) = newest("a wrong token in the newest published client") {
        a_wrong_token(&python);
    }
}

#[test]
fn the_published_client_of_2022_is_told_that_its_token_is_wrong() {
    if let Some(python) = old("a wrong token in the published client of 2022") {
        a_wrong_token(&python);
    }
}
