//! The command line itself: exit codes, one JSON document, plain words.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;

use super::lost::batch;
use crate::support::{Outcome, Sandbox, Server, post};

/// A verb that did not do what was asked: its code, one JSON document on stdout, what and what to do on stderr.
#[track_caller]
fn fails(outcome: &Outcome, code: i32, about: &str) {
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
fn a_store_of_a_newer_version_is_refused_in_plain_words() {
    let sandbox = Sandbox::new();
    Server::start(&sandbox).stop();
    // `user_version` lies at byte 60 of an SQLite file, most significant byte first.
    let path = sandbox.data_dir().join("bobbin.sqlite");
    let mut file = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path)
        .unwrap();
    let mut magic = [0; 15];
    file.read_exact(&mut magic).unwrap();
    assert_eq!(&magic, b"SQLite format 3");
    file.seek(SeekFrom::Start(60)).unwrap();
    file.write_all(&9_999_u32.to_be_bytes()).unwrap();
    drop(file);
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

    let wrong = |about: &str| {
        let report = sandbox.bobbin(&["doctor"]);
        assert!(
            report.code == 1 && report.out.contains(about) && report.out.contains("hint: "),
            "{about}: {report:?}"
        );
    };
    let plugin = sandbox.data_dir().join("plugin/bobbin.py");
    let source = fs::read(&plugin).unwrap();
    fs::write(&plugin, "old = True\n").unwrap();
    wrong("is not that of this version");
    fs::write(&plugin, source).unwrap();

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
    wrong("a preload of another file is not loaded: m");
    fs::remove_file(sandbox.dask_config().join("a.yaml")).unwrap();

    server.process.kill();
    wrong("does not answer");
}
