//! The list of suites, each lane in the order it runs: first what says soonest that something is wrong.

use std::{path::PathBuf, process::Command, time::Duration};

use super::{
    counts::Counting,
    suite::{Lane, Plan, Suite},
};
use crate::{
    deny,
    elsewhere::{self, Checks},
    files::{files_below, root, target},
    process::{ask, cargo, say},
    setup::environment_python,
};

const fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

/// Every suite.
pub fn all() -> Vec<Suite> {
    let in_lane = |lane| {
        move |name, quick, limit, counting, plan| Suite {
            name,
            quick,
            limit: minutes(limit),
            counting,
            lane,
            plan,
        }
    };
    let suite = in_lane(Lane::Front);
    let behind = in_lane(Lane::Behind);
    vec![
        suite("format", true, 2, Counting::Check, || {
            one(cargo_with(&["fmt", "--all", "--check"]))
        }),
        suite("rust", true, 45, Counting::Cargo, rust),
        behind("lint", true, 75, Counting::Check, lint),
        behind("docs", false, 75, Counting::Check, docs),
        behind("elsewhere", false, 75, Counting::Check, elsewhere),
        suite("page", true, 10, Counting::Vitest, page),
        suite("plugin", true, 30, Counting::Pytest, plugin),
        suite("manual", false, 15, Counting::Pytest, manual),
        suite("programs", false, 10, Counting::Pytest, programs),
        suite("browser", true, 30, Counting::Node, || node("tests/ui")),
        suite("desktop", false, 20, Counting::Node, || {
            node("tests/desktop")
        }),
        suite("torture", false, 20, Counting::Torture, torture),
        suite("bench", false, 15, Counting::Check, bench),
        behind("licences", false, 75, Counting::Check, licences),
        behind("advisories", false, 75, Counting::Check, advisories),
        suite("npm-audit", false, 5, Counting::Check, npm_audit),
    ]
}

fn one(command: Command) -> Plan {
    Plan::Run(vec![command])
}

fn cargo_with(arguments: &[&str]) -> Command {
    let mut command = cargo();
    command.args(arguments);
    command
}

/// The whole workspace at once: one set of features, so nothing is built twice, and the binaries that later suites drive.
const WORKSPACE: [&str; 3] = ["--workspace", "--features", "xtask/bench"];

/// Builds every binary. With all targets, as the tests have: another set of features would build some crates a second time.
fn build() -> Command {
    let mut build = cargo_with(&["build", "--all-targets"]);
    build.args(WORKSPACE);
    build
}

/// A suite that drives the binaries: they are those of these sources, also where it is the only one that is run.
fn driving(suite: Command) -> Plan {
    Plan::Run(vec![build(), suite])
}

fn rust() -> Plan {
    let mut test = cargo_with(&["test", "--no-fail-fast"]);
    // A story that cannot find its Python environment is a failure here, not something to pass over.
    test.args(WORKSPACE).env("BOBBIN_STORIES", "required");
    Plan::Run(vec![build(), test])
}

fn lint() -> Plan {
    let mut clippy = cargo_with(&["clippy", "--all-targets"]);
    one({
        clippy.args(WORKSPACE).args(["--", "--deny", "warnings"]);
        clippy
    })
}

fn docs() -> Plan {
    let mut doc = cargo_with(&["doc", "--no-deps", "--document-private-items"]);
    doc.args(WORKSPACE).env("RUSTDOCFLAGS", "--deny warnings");
    one(doc)
}

fn elsewhere() -> Plan {
    match elsewhere::checks() {
        Ok(Checks { checks, missing }) if checks.is_empty() => Plan::Skip(missing.join("; ")),
        Ok(Checks { checks, missing }) => {
            for reason in missing {
                say("elsewhere", &format!("not checked: {reason}"));
            }
            Plan::Run(checks)
        }
        Err(failure) => Plan::Skip(failure.to_string()),
    }
}

fn page() -> Plan {
    let npm = |script| {
        let mut command = Command::new("npm");
        command
            .args(["run", "--silent", script])
            .current_dir(root().join("ui"));
        command
    };
    Plan::Run(vec![npm("check"), npm("lint"), npm("test")])
}

/// Most of a test's time is waiting for a process to start or a report to come, so that there may be more than processors.
const TESTS_AT_ONCE: &str = "3";

fn plugin() -> Plan {
    pytest(&["--numprocesses", TESTS_AT_ONCE, "tests/plugin"])
}

/// One page after the other: its commands name the ports that people use.
fn manual() -> Plan {
    pytest(&["tests/manual"])
}

/// What programs ask: the reading API of Python, the gate for other people's tests, agents.
fn programs() -> Plan {
    pytest_of("programs", &["tests/programs"])
}

fn pytest(words: &[&str]) -> Plan {
    pytest_of("newest", words)
}

fn pytest_of(environment: &str, words: &[&str]) -> Plan {
    let mut pytest = Command::new(environment_python(environment));
    pytest
        .args(["-m", "pytest", "-rsfE", "-p", "no:cacheprovider"])
        .args(words)
        .env("BOBBIN_STORIES", "required")
        .current_dir(root());
    driving(pytest)
}

/// One file after the other: they share two cores and a display.
fn node(folder: &str) -> Plan {
    let is_test = |path: &PathBuf| {
        path.to_str()
            .is_some_and(|path| path.ends_with(".test.mjs") || path.ends_with(".test.js"))
    };
    let tests = files_below(&[root().join(folder)])
        .unwrap_or_default()
        .into_iter()
        .filter(is_test);
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec", "--test-concurrency=1"])
        .args(tests)
        .current_dir(root());
    driving(node)
}

/// That the bench runs and the receiver keeps what it says it keeps; figures of unoptimised builds mean nothing.
fn bench() -> Plan {
    let binaries = target().join("debug");
    let measure = |name| {
        let mut measure = Command::new(binaries.join("xtask"));
        measure
            .args(["bench", name, "--quick", "--json", "--dev", "--bobbin"])
            .arg(binaries.join("bobbin"))
            .current_dir(root());
        measure
    };
    Plan::Run(vec![
        build(),
        measure("store"),
        measure("overload"),
        measure("plugin"),
        measure("report"),
        measure("views"),
        measure("hub"),
        measure("desk"),
    ])
}

/// The short form: seconds a fault. `cargo xtask torture` is the long one.
fn torture() -> Plan {
    let binaries = target().join("debug");
    let mut torture = Command::new(binaries.join("xtask"));
    torture
        .args(["torture", "--quick", "--bobbin"])
        .arg(binaries.join("bobbin"))
        .current_dir(root());
    driving(torture)
}

fn licences() -> Plan {
    match deny::command() {
        Ok(mut deny) => one({
            deny.args([
                "check",
                "--hide-inclusion-graph",
                "bans",
                "licenses",
                "sources",
            ]);
            deny
        }),
        Err(failure) => Plan::Skip(failure.to_string()),
    }
}

fn advisories() -> Plan {
    let mut look = Command::new("git");
    look.args(["ls-remote", "--exit-code", deny::DATABASE, "HEAD"])
        .env("GIT_TERMINAL_PROMPT", "0");
    if ask(&mut look).is_none() {
        return Plan::Skip(format!(
            "the advisory database {} cannot be reached from here",
            deny::DATABASE
        ));
    }
    match deny::command() {
        Ok(mut deny) => one({
            deny.args(["check", "--hide-inclusion-graph", "advisories"]);
            deny
        }),
        Err(failure) => Plan::Skip(failure.to_string()),
    }
}

fn npm_audit() -> Plan {
    let audit = || {
        let mut npm = Command::new("npm");
        npm.args(["audit", "--omit=optional"])
            .current_dir(root().join("ui"));
        npm
    };
    // npm ends with 1 both for a finding and for a registry that has no audit service; only a report has this field.
    let answer = audit()
        .arg("--json")
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    if !answer.is_ok_and(|answer| answer.contains("auditReportVersion")) {
        return Plan::Skip("the configured npm registry has no audit service".into());
    }
    one(audit())
}
