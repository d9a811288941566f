//! Batches that arrive as files: written into an inbox while Bobbin runs, and left in the spool while it does not.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;

use super::attach::{agree, has_code, reaches, tell};
use super::numbers::{is_full, show};
use crate::support::{Python, Sandbox, Server, eventually, newest};

/// The files of batches in a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".bobbin"))
        .collect();
    names.sort();
    names
}

/// Doctor's check of this name.
fn found(sandbox: &Sandbox, name: &str) -> String {
    let report = sandbox.bobbin(&["doctor", "--json"]).json();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == name);
    check.map_or_else(|| report.to_string(), |check| check["found"].to_string())
}

#[test]
fn a_cluster_that_writes_into_the_inbox_is_seen_and_its_file_goes_after_its_goodbye() {
    let Some(python) = newest("destination: file into the inbox") else {
        return;
    };
    let mut sandbox = Sandbox::new();
    let inbox = sandbox.data_dir().join("inbox");
    sandbox.set("DASK_BOBBIN__DESTINATION", "file");
    sandbox.set("DASK_BOBBIN__FOLDER", inbox.display());
    assert_eq!(sandbox.bobbin(&["connect"]).code, 0);
    let server = Server::start(&sandbox);
    let mut script = python.run(&sandbox, "cluster.py", &["local", "2"]);
    let id = script.hear()["scheduler_id"].as_str().unwrap().to_owned();
    for word in ["work", "break"] {
        tell(&mut script, word);
    }
    agree(&sandbox, &mut script);
    reaches(&sandbox, &id, "idle");
    // Text may come a batch later than numbers.
    eventually("the code", || {
        let shown = show(&sandbox, &id)?;
        let has_code = has_code(&shown, "doubles = client.map(double, numbers)");
        has_code
            .then_some(())
            .ok_or(shown["computations"].to_string())
    });
    assert_eq!(files(&inbox).len(), 1);
    assert!(found(&sandbox, "inbox").contains("files: 1"));

    // A file that nobody can read is put aside, and the cluster goes on being read.
    fs::write(inbox.join("odd.bobbin"), "no batch at all").unwrap();
    eventually("the odd file put aside", || {
        let check = found(&sandbox, "inbox");
        check.contains("refused: 1").then_some(()).ok_or(check)
    });
    tell(&mut script, "work");
    agree(&sandbox, &mut script);

    script.say("end");
    script.end_well();
    is_full(&reaches(&sandbox, &id, "finished")).unwrap();
    eventually("the inbox empty", || match files(&inbox) {
        left if left.is_empty() => Ok(()),
        left => Err(format!("{left:?}")),
    });
    server.stop();
}

#[test]
fn a_folder_that_the_user_names_is_read_on_over_a_restart_and_left_as_it_is() {
    let Some(python) = newest("bobbin serve --inbox") else {
        return;
    };
    let mut sandbox = Sandbox::new();
    let shared = sandbox.path("shared");
    fs::create_dir(&shared).unwrap();
    sandbox.set("DASK_BOBBIN__DESTINATION", "file");
    sandbox.set("DASK_BOBBIN__FOLDER", shared.display());
    assert_eq!(sandbox.bobbin(&["connect"]).code, 0);
    let shared_text = shared.display().to_string();
    let serve = |sandbox: &Sandbox| Server::start_with(sandbox, &["--inbox", &shared_text]);
    let server = serve(&sandbox);
    let mut script = python.run(&sandbox, "cluster.py", &["local", "2"]);
    let id = script.hear()["scheduler_id"].as_str().unwrap().to_owned();
    tell(&mut script, "work");
    agree(&sandbox, &mut script);
    server.stop();
    for word in ["work", "break"] {
        tell(&mut script, word);
    }
    let server = serve(&sandbox);
    agree(&sandbox, &mut script);
    script.say("end");
    script.end_well();
    is_full(&reaches(&sandbox, &id, "finished")).unwrap();
    assert_eq!(files(&shared).len(), 1, "it is the user's");
    server.stop();

    let wrong = sandbox.bobbin(&["serve", "--port", "0", "--inbox", "/dev/null"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
}

/// A user who connected, and whose Bobbin was never open.
fn connected() -> Sandbox {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.bobbin(&["connect"]).code, 0);
    sandbox
}

/// The same, whose Bobbin was open once, and is closed now.
fn with_bobbin_closed() -> Sandbox {
    let sandbox = connected();
    Server::start(&sandbox).stop();
    sandbox
}

/// The folders that plugins left in the spool.
fn spooled(sandbox: &Sandbox) -> Vec<PathBuf> {
    let folders = fs::read_dir(sandbox.data_dir().join("spool"));
    folders
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect()
}

#[test]
fn a_script_that_ran_while_bobbin_was_closed_is_there_whole_when_it_opens() {
    let Some(python) = newest("a script while Bobbin is closed") else {
        return;
    };
    is_there_whole_when_it_opens(&python, &with_bobbin_closed());
}

#[test]
fn a_script_that_ran_before_bobbin_was_ever_open_is_there_whole_when_it_opens() {
    let Some(python) = newest("a script before Bobbin ever ran") else {
        return;
    };
    is_there_whole_when_it_opens(&python, &connected());
}

/// Runs a script, then opens Bobbin.
fn is_there_whole_when_it_opens(python: &Python, sandbox: &Sandbox) {
    let mut script = python.run(sandbox, "cluster.py", &["local", "2"]);
    let id = script.hear()["scheduler_id"].as_str().unwrap().to_owned();
    for word in ["work", "pass", "break"] {
        tell(&mut script, word);
    }
    let dask = tell(&mut script, "numbers");
    script.say("end");
    script.end_well();
    // Neither code nor what failed lies open on the disk.
    assert_eq!(spooled(sandbox).len(), 1);
    for (path, bytes) in Sandbox::contents(&sandbox.data_dir().join("spool")) {
        let Some(bytes) = bytes else { continue };
        let plain = unpacked(&bytes);
        for secret in ["doubles = client.map", "no luck with"] {
            assert!(!plain.contains(secret), "{secret} in {}", path.display());
        }
    }
    assert!(found(sandbox, "spool").contains("sealed batches"));

    let server = Server::start(sandbox);
    let shown = reaches(sandbox, &id, "finished");
    is_full(&shown).unwrap();
    let names = |groups: &Value| {
        let rows = groups["task_groups"]["rows"].as_array().unwrap().iter();
        rows.map(|row| row["name"].as_str().unwrap().to_owned())
            .collect::<BTreeSet<_>>()
    };
    let theirs: BTreeSet<String> = dask["groups"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    // Those that Dask had forgotten by then are there, too.
    assert!(names(&shown).is_superset(&theirs), "{theirs:?}");
    assert!(has_code(&shown, "doubles = client.map(double, numbers)"));
    let failure = &shown["exceptions"]["rows"][0];
    for (field, text) in [("message", "no luck with"), ("traceback", "in broken")] {
        let told = failure[field]["text"].as_str().unwrap_or_default();
        assert!(told.contains(text), "{failure}");
    }
    assert!(spooled(sandbox).is_empty());
    assert!(found(sandbox, "spool").contains("no unsent batches"));
    server.stop();
}

#[test]
fn a_scheduler_that_was_killed_while_bobbin_was_closed_is_there_and_lost() {
    let Some(python) = newest("a scheduler killed while Bobbin is closed") else {
        return;
    };
    let sandbox = with_bobbin_closed();
    let mut script = python.run(&sandbox, "cluster.py", &["local", "2"]);
    let id = script.hear()["scheduler_id"].as_str().unwrap().to_owned();
    tell(&mut script, "work");
    let dask = tell(&mut script, "numbers");
    eventually("batches in the spool", || {
        let batches = spooled(&sandbox)
            .iter()
            .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
            .filter_map(|entry| fs::read(entry.path()).ok())
            .map(|bytes| unpacked(&bytes))
            .collect::<String>();
        let all = dask["groups"].as_object().unwrap().keys();
        let missing: Vec<_> = all.filter(|name| !batches.contains(*name)).collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(format!("{missing:?}"))
        }
    });
    script.kill();
    let server = Server::start(&sandbox);
    let shown = reaches(&sandbox, &id, "lost");
    let groups = shown["task_groups"]["rows"].as_array().unwrap().len();
    assert_eq!(groups, dask["groups"].as_object().unwrap().len());
    assert!(spooled(&sandbox).is_empty());
    server.stop();
}

/// What a file of the spool says, as far as it is not sealed.
fn unpacked(bytes: &[u8]) -> String {
    let mut plain = Vec::new();
    // What is not packed is read as it lies there.
    if GzDecoder::new(bytes).read_to_end(&mut plain).is_err() {
        plain = bytes.to_vec();
    }
    String::from_utf8_lossy(&plain).into_owned()
}
