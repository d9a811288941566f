//! Ways for a cluster to report, each with the numbers it ends up with.

use std::path::PathBuf;

use serde_json::Value;

use super::numbers::{equal, is_full, show};
use crate::support::{Process, Python, Sandbox, Server, eventually, newest, old, stories};

/// Where the plugin lies in the source tree.
pub const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/plugin/bobbin.py");
pub const PLUGIN_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/plugin");

/// Tells a script to do something, and hears that it did.
#[track_caller]
pub fn tell(script: &mut Process, word: &str) -> Value {
    script.say(word);
    let answer = script.hear();
    assert_eq!(answer["did"], word, "{answer}");
    answer
}

/// Waits until Bobbin shows what Dask says now, and gives what it shows. Dask is asked each time: it lets go of results
/// a moment after a script did.
#[track_caller]
pub fn agree(sandbox: &Sandbox, script: &mut Process) -> Value {
    eventually("the numbers of Dask", || {
        let dask = tell(script, "numbers");
        let shown = show(sandbox, dask["scheduler_id"].as_str().unwrap())?;
        equal(&dask, &shown).map(|()| shown)
    })
}

/// Waits until the cluster is in `state`.
#[track_caller]
pub fn reaches(sandbox: &Sandbox, cluster: &str, state: &str) -> Value {
    eventually(state, || {
        let shown = show(sandbox, cluster)?;
        let row = &shown["cluster"]["row"];
        if row["state"] == state {
            Ok(shown)
        } else {
            Err(format!("{} ({})", row["state"], row["state_evidence"]))
        }
    })
}

/// Whether some computation carries `line` in its code.
pub fn has_code(shown: &Value, line: &str) -> bool {
    let rows = shown["computations"]["rows"]
        .as_array()
        .into_iter()
        .flatten();
    rows.flat_map(|row| row["code"]["frames"].as_array().into_iter().flatten())
        .any(|frame| {
            frame["code"]
                .as_str()
                .is_some_and(|code| code.contains(line))
        })
}

/// A scheduler and a worker in processes of their own, and a script that is their client.
pub struct Apart {
    pub scheduler: Process,
    /// Only kept alive.
    _worker: Process,
    pub script: Process,
    pub id: String,
}

impl Apart {
    /// All three; `arguments` are the scheduler's.
    #[track_caller]
    pub fn start(python: &Python, sandbox: &Sandbox, arguments: &[&str]) -> Self {
        Self::start_with_client(python, sandbox, arguments, &[])
    }

    /// Where only the client can import what is in `folders`.
    #[track_caller]
    pub fn start_with_client(
        python: &Python,
        sandbox: &Sandbox,
        arguments: &[&str],
        folders: &[&str],
    ) -> Self {
        let scheduler = python.scheduler(sandbox, arguments);
        let worker = python.worker(sandbox);
        let mut client = python.script(sandbox, "cluster.py");
        let mut path: Vec<_> = folders.iter().map(PathBuf::from).collect();
        path.push(stories());
        client
            .arg("scheduler.json")
            .env("PYTHONPATH", std::env::join_paths(path).unwrap());
        let mut script = Process::start("cluster.py", &mut client);
        let id = script.hear()["scheduler_id"].as_str().unwrap().to_owned();
        Self {
            scheduler,
            _worker: worker,
            script,
            id,
        }
    }
}

/// Does some of everything, compares, and lets the scheduler end.
#[track_caller]
fn whole_life(sandbox: &Sandbox, mut apart: Apart) -> Value {
    for word in ["work", "pass", "break"] {
        tell(&mut apart.script, word);
    }
    agree(sandbox, &mut apart.script);
    let dask = tell(&mut apart.script, "numbers");
    apart.scheduler.terminate();
    apart.scheduler.end();
    let shown = reaches(sandbox, &apart.id, "finished");
    equal(&dask, &shown).unwrap();
    shown
}

#[test]
fn a_local_cluster_reports_after_connect_without_a_change_of_code() {
    let Some(python) = newest("a LocalCluster after `bobbin connect`") else {
        return;
    };
    let mut sandbox = Sandbox::new();
    let connected = sandbox.bobbin(&["connect", "--json"]).done().unwrap();
    assert_eq!(connected["changed"], true);
    // The file alone has to tell where the receiver is.
    sandbox.unset("BOBBIN_DATA_DIR");
    let server = Server::start(&sandbox);
    let mut script = python.run(&sandbox, "cluster.py", &["local", "2"]);
    let id = script.hear()["scheduler_id"].as_str().unwrap().to_owned();
    for word in ["work", "pass", "break"] {
        tell(&mut script, word);
    }
    // Code and messages may come one report after the numbers.
    let shown = eventually("code and message", || {
        let shown = agree(&sandbox, &mut script);
        let failed = shown["exceptions"]["rows"][0].is_object();
        match failed && has_code(&shown, "doubles = client.map(double, numbers)") {
            true => Ok(shown),
            false => Err(format!("{} {}", shown["computations"], shown["exceptions"])),
        }
    });
    let failure = &shown["exceptions"]["rows"][0];
    assert_eq!(
        failure["message"]["text"]
            .as_str()
            .map(|m| m.contains("no luck")),
        Some(true),
        "{failure}"
    );
    assert_eq!(failure["origin"], "user");

    script.say("end");
    script.end_well();
    let shown = reaches(&sandbox, &id, "finished");
    is_full(&shown).unwrap();
    assert!(
        !shown["timeline"]["at_micros"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    server.stop();
    // With the receiver gone, what it recorded is still there.
    show(&sandbox, &id).unwrap();
}

#[test]
fn a_running_scheduler_reports_after_register() {
    let Some(python) = newest("bobbin.register() on a running cluster") else {
        return;
    };
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    // Only the client can import the plugin: to the scheduler it travels as text.
    let mut apart = Apart::start_with_client(&python, &sandbox, &[], &[PLUGIN_FOLDER]);
    tell(&mut apart.script, "work");
    tell(&mut apart.script, "register");
    // A second time changes nothing.
    tell(&mut apart.script, "register");
    whole_life(&sandbox, apart);
    server.stop();
}

#[test]
fn a_running_scheduler_of_2022_reports_after_register() {
    let Some(python) = old("bobbin.register() on a running cluster of 2022") else {
        return;
    };
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let mut apart = Apart::start_with_client(&python, &sandbox, &[], &[PLUGIN_FOLDER]);
    tell(&mut apart.script, "register");
    whole_life(&sandbox, apart);
    server.stop();
}

#[test]
fn a_scheduler_reports_that_preloads_the_file() {
    let Some(python) = newest("dask scheduler --preload FILE") else {
        return;
    };
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    whole_life(
        &sandbox,
        Apart::start(&python, &sandbox, &["--preload", PLUGIN]),
    );
    server.stop();
}

#[test]
fn a_scheduler_of_2022_reports_that_preloads_the_file() {
    let Some(python) = old("dask-scheduler --preload FILE of 2022") else {
        return;
    };
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let shown = whole_life(
        &sandbox,
        Apart::start(&python, &sandbox, &["--preload", PLUGIN]),
    );
    assert!(
        has_code(&shown, "doubles = client.map(double, numbers)"),
        "{}",
        shown["computations"]
    );
    server.stop();
}

#[test]
fn a_scheduler_of_2022_reports_after_connect() {
    let Some(python) = old("a scheduler of 2022 after `bobbin connect`") else {
        return;
    };
    let mut sandbox = Sandbox::new();
    assert_eq!(sandbox.bobbin(&["connect"]).code, 0);
    sandbox.unset("BOBBIN_DATA_DIR");
    let server = Server::start(&sandbox);
    whole_life(&sandbox, Apart::start(&python, &sandbox, &[]));
    server.stop();
}
