//! Bobbin is closed, or its plugin is broken: every cluster starts and computes all the same.

use std::fs;

use super::attach::{Apart, PLUGIN, PLUGIN_FOLDER, tell};
use crate::support::{Process, Python, Sandbox, newest, old};

/// A LocalCluster in a script that computes and ends.
#[track_caller]
fn local(python: &Python, sandbox: &Sandbox) -> Process {
    python.run(sandbox, "cluster.py", &["local", "2"])
}

#[track_caller]
fn computes_and_ends(mut script: Process) {
    script.hear();
    tell(&mut script, "work");
    tell(&mut script, "break");
    script.say("end");
    script.end_well();
}

/// A scheduler, a worker and a client that compute; then the scheduler ends.
#[track_caller]
fn computes_apart(mut apart: Apart) {
    tell(&mut apart.script, "work");
    tell(&mut apart.script, "break");
    apart.scheduler.terminate();
    apart.scheduler.end();
}

/// A user who is connected, on whose plugin file something was done since.
fn connected(change: impl FnOnce(&std::path::Path)) -> Sandbox {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.bobbin(&["connect"]).code, 0);
    change(&sandbox.data_dir().join("plugin/bobbin.py"));
    sandbox
}

#[test]
fn a_local_cluster_computes_when_bobbin_is_closed_or_its_plugin_is_broken() {
    let Some(python) = newest("connect with Bobbin closed") else {
        return;
    };
    let broken = |text: &'static str| connected(move |plugin| fs::write(plugin, text).unwrap());
    let worlds = [
        connected(|_| ()),
        connected(|plugin| fs::remove_file(plugin).unwrap()),
        connected(|plugin| fs::remove_dir_all(plugin.parent().unwrap()).unwrap()),
        broken("raise RuntimeError('broken')\n"),
        broken("raise SystemExit(1)\n"),
        broken("import a_module_that_is_not_there\n"),
        broken("def dask_setup(scheduler):\n"),
        broken("def dask_setup(scheduler):\n    raise ValueError('broken')\n"),
        broken("async def dask_setup(scheduler):\n    raise ValueError('broken')\n"),
        broken("no_dask_setup = True\n"),
    ];
    // Four at a time: each is a whole Dask.
    for few in worlds.chunks(4) {
        let scripts: Vec<Process> = few.iter().map(|world| local(&python, world)).collect();
        scripts.into_iter().for_each(computes_and_ends);
    }
}

#[test]
fn a_scheduler_of_2022_computes_when_bobbin_is_closed_or_its_plugin_is_broken() {
    let Some(python) = old("connect with Bobbin closed, with Dask of 2022") else {
        return;
    };
    for sandbox in [
        connected(|_| ()),
        connected(|plugin| fs::write(plugin, "raise RuntimeError('broken')\n").unwrap()),
    ] {
        computes_apart(Apart::start(&python, &sandbox, &[]));
    }
}

#[test]
fn schedulers_that_preload_the_file_compute_when_bobbin_is_closed() {
    for python in [
        newest("--preload FILE with Bobbin closed"),
        old("--preload FILE with Bobbin closed, with Dask of 2022"),
    ] {
        let Some(python) = python else { continue };
        let sandbox = Sandbox::new();
        computes_apart(Apart::start(&python, &sandbox, &["--preload", PLUGIN]));
    }
}

#[test]
fn a_client_that_registers_computes_when_bobbin_is_closed() {
    for python in [
        newest("register() with Bobbin closed"),
        old("register() with Bobbin closed, with Dask of 2022"),
    ] {
        let Some(python) = python else { continue };
        let sandbox = Sandbox::new();
        let mut apart = Apart::start_with_client(&python, &sandbox, &[], &[PLUGIN_FOLDER]);
        tell(&mut apart.script, "register");
        computes_apart(apart);
    }
}

#[test]
fn schedulers_that_preload_the_published_client_compute_when_bobbin_is_closed() {
    for python in [
        newest("--preload coiled.analytics with Bobbin closed"),
        old("the same with Dask of 2022"),
    ] {
        let Some(python) = python else { continue };
        let mut sandbox = Sandbox::new();
        // A port on which nobody listens.
        sandbox.set("DASK_COILED__SERVER", "http://127.0.0.1:9");
        sandbox.set("DASK_COILED__TOKEN", "local");
        computes_apart(Apart::start(
            &python,
            &sandbox,
            &["--preload", "coiled.analytics"],
        ));
    }
}
