//! `connect` and `disconnect` in folders that already hold something.

use std::fs;

use serde_json::Value;

use super::attach::{agree, reaches, tell};
use super::numbers::show;
use crate::support::{Sandbox, Server, newest};

/// A user with these files in Dask's configuration folder.
fn with_files(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.dask_config()).unwrap();
    for (name, text) in files {
        fs::write(sandbox.dask_config().join(name), text).unwrap();
    }
    sandbox
}

#[test]
fn disconnect_leaves_the_folder_as_it_was() {
    let worlds = [
        Sandbox::new(),
        with_files(&[]),
        with_files(&[
            (
                "distributed.yaml",
                "distributed:\n  scheduler:\n    preload: [mine]\n",
            ),
            ("notes.txt", "x"),
        ]),
        with_files(&[
            ("dask.yaml", "# nothing yet\n"),
            ("zz.yaml", "array:\n  slicing: true\n"),
        ]),
    ];
    for sandbox in worlds {
        let home = sandbox.path("home/.config");
        let there = home.exists();
        let before = Sandbox::contents(&home);
        for (changed, round) in [(true, "first"), (false, "second")] {
            let done = sandbox.bobbin(&["connect", "--json"]).done().unwrap();
            assert_eq!(done["changed"], changed, "the {round} time: {done}");
        }
        assert_eq!(
            Sandbox::contents(&home).len(),
            before.len() + if before.is_empty() && !there { 2 } else { 1 }
        );
        sandbox.bobbin(&["disconnect", "--json"]).done().unwrap();
        assert_eq!(Sandbox::contents(&home), before);
        assert_eq!(home.exists(), there);
        // Once more is not a failure.
        assert_eq!(
            sandbox.bobbin(&["disconnect", "--json"]).done().unwrap()["removed_file"],
            Value::Null
        );
    }
}

#[test]
fn a_file_that_somebody_changed_is_not_taken_away() {
    let sandbox = Sandbox::new();
    let done = sandbox.bobbin(&["connect", "--json"]).done().unwrap();
    let file = done["file"].as_str().unwrap();
    let text = fs::read_to_string(file).unwrap() + "array:\n  slicing: true\n";
    fs::write(file, &text).unwrap();
    for verb in ["connect", "disconnect"] {
        let refused = sandbox.bobbin(&[verb]);
        assert_eq!(refused.code, 3, "{refused:?}");
        assert!(refused.talk.contains("hint: "), "{refused:?}");
    }
    assert_eq!(fs::read_to_string(file).unwrap(), text);
}

#[test]
fn a_file_that_cannot_be_read_is_not_passed_over() {
    let sandbox = with_files(&[("broken.yaml", "distributed: [\n")]);
    let before = Sandbox::contents(&sandbox.path("home/.config"));
    let refused = sandbox.bobbin(&["connect", "--json"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(
        refused.json()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("broken.yaml")
    );
    assert_eq!(Sandbox::contents(&sandbox.path("home/.config")), before);
}

#[test]
fn what_keeps_the_file_from_its_effect_is_said() {
    let mut sandbox = Sandbox::new();
    let elsewhere = sandbox.path("elsewhere").display().to_string();
    let done = sandbox.bobbin(&["connect", "--dask-config-dir", &elsewhere, "--json"]);
    let done = done.done().unwrap();
    assert!(
        done["warnings"][0]
            .as_str()
            .unwrap()
            .contains("DASK_CONFIG")
    );
    // Connected in one place is enough.
    assert_eq!(sandbox.bobbin(&["connect"]).code, 3);
    assert_eq!(sandbox.bobbin(&["disconnect"]).code, 0);
    assert!(!sandbox.path("elsewhere").exists());

    sandbox.set("DASK_DISTRIBUTED__SCHEDULER__PRELOAD", "something");
    let done = sandbox.bobbin(&["connect", "--json"]).done().unwrap();
    let warning = done["warnings"][0].as_str().unwrap();
    assert!(warning.contains("DASK_DISTRIBUTED__SCHEDULER__PRELOAD"));
    let report = sandbox.bobbin(&["doctor"]);
    assert!(
        report
            .out
            .contains("unset DASK_DISTRIBUTED__SCHEDULER__PRELOAD"),
        "{report:?}"
    );

    // A list that names the plugin, as for one process alone, is as good.
    let plugin = sandbox.data_dir().join("plugin/bobbin.py");
    sandbox.set(
        "DASK_DISTRIBUTED__SCHEDULER__PRELOAD",
        plugin.to_str().unwrap(),
    );
    let done = sandbox.bobbin(&["connect", "--json"]).done().unwrap();
    assert!(done["warnings"].as_array().unwrap().is_empty(), "{done}");
    let report = sandbox.bobbin(&["doctor"]);
    assert!(!report.out.contains("environment"), "{report:?}");
}

/// A preload of the user's own: it leaves a mark.
fn mark(sandbox: &Sandbox, name: &str) -> String {
    let script = sandbox.path("work").join(format!("{name}.py"));
    let text = format!(
        "def dask_setup(scheduler):\n    open({:?}, 'w').close()\n",
        sandbox.path(name)
    );
    fs::write(&script, text).unwrap();
    script.display().to_string()
}

#[test]
fn preloads_of_other_files_go_on_working() {
    let Some(python) = newest("preloads of other files") else {
        return;
    };
    let sandbox = with_files(&[]);
    let mine = mark(&sandbox, "mine");
    let text =
        format!("distributed:\n  scheduler:\n    preload:\n    - {mine}\n    preload-argv: [[]]\n");
    fs::write(sandbox.dask_config().join("distributed.yaml"), text).unwrap();
    let done = sandbox.bobbin(&["connect", "--json"]).done().unwrap();
    assert_eq!(done["kept_preloads"], serde_json::json!([mine]));

    let server = Server::start(&sandbox);
    let mut script = python.run(&sandbox, "cluster.py", &["local", "2"]);
    let id = script.hear()["scheduler_id"].as_str().unwrap().to_owned();
    tell(&mut script, "work");
    agree(&sandbox, &mut script);
    script.say("end");
    script.end_well();
    reaches(&sandbox, &id, "finished");
    assert!(
        sandbox.path("mine").exists(),
        "the user's own preload did not run"
    );
    server.stop();
}

#[test]
fn a_file_that_would_win_is_named_with_the_lines_to_add_and_they_work() {
    let Some(python) = newest("a configuration file that wins") else {
        return;
    };
    let sandbox = with_files(&[]);
    let mine = mark(&sandbox, "mine");
    let winner = sandbox.dask_config().join("zzz-mine.yaml");
    fs::write(
        &winner,
        format!("distributed:\n  scheduler:\n    preload: {mine}\n"),
    )
    .unwrap();
    let before = Sandbox::contents(&sandbox.path("home/.config"));
    let refused = sandbox.bobbin(&["connect", "--json"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert_eq!(Sandbox::contents(&sandbox.path("home/.config")), before);
    let error = &refused.json()["error"];
    assert!(
        error["message"].as_str().unwrap().contains("zzz-mine.yaml"),
        "{error}"
    );

    let (_, lines) = error["hint"].as_str().unwrap().split_once("\n\n").unwrap();
    let of_mine = fs::read_to_string(&winner).unwrap();
    fs::write(&winner, lines).unwrap();
    sandbox.bobbin(&["connect", "--json"]).done().unwrap();
    // The doctor tells the same to whom it happens later.
    fs::write(&winner, of_mine).unwrap();
    let doctor = sandbox.bobbin(&["doctor", "--json"]).json();
    let told = doctor["checks"].as_array().unwrap().iter();
    let hints: Vec<&str> = told.filter_map(|check| check["hint"].as_str()).collect();
    assert!(
        hints.contains(&"`bobbin connect` prints the lines this file needs"),
        "{doctor}"
    );
    fs::write(&winner, lines).unwrap();
    let server = Server::start(&sandbox);
    let mut script = python.run(&sandbox, "cluster.py", &["local", "2"]);
    let id = script.hear()["scheduler_id"].as_str().unwrap().to_owned();
    tell(&mut script, "work");
    agree(&sandbox, &mut script);
    assert!(
        sandbox.path("mine").exists(),
        "the user's own preload did not run"
    );
    script.say("end");
    script.end_well();
    reaches(&sandbox, &id, "finished");
    show(&sandbox, &id).unwrap();
    server.stop();
}
