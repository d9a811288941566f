//! Once more, alone: a browser that stops to draw and a machine that stands still for seconds fail tests that are right. What
//! fails twice fails; what passes then is named at the end, with what it said first.

use std::{collections::BTreeSet, path::Path, process::Command};

use super::{counts::Counting, failures::summed_up};

/// Of more than this something is wrong with all of them, and one try says it.
const FEW: usize = 6;

/// The command of a suite, narrowed to what its log says failed: files for `node`, single tests for the others. None where the
/// log names nothing, or much.
pub fn narrowed(counting: Counting, command: &Command, log: &str) -> Option<Command> {
    let failed = match counting {
        Counting::Check | Counting::Vitest | Counting::Torture => return None,
        Counting::Cargo => between(log, "test ", " ... FAILED"),
        Counting::Node => between(log, "test at ", ".mjs:")
            .into_iter()
            .map(|path| format!("{path}.mjs"))
            .collect(),
        Counting::Pytest => summed_up(log.lines())
            .map(|line| line.split(" - ").next().unwrap_or(line).trim().to_owned())
            .collect(),
    };
    if failed.is_empty() || failed.len() > FEW {
        return None;
    }
    let mut again = Command::new(command.get_program());
    let is_test = |argument: &str| argument.starts_with("tests/") || is_file(argument);
    let given = command
        .get_args()
        .map(|argument| argument.to_string_lossy());
    again.args(
        given
            .filter(|argument| !is_test(argument))
            .map(String::from),
    );
    if matches!(counting, Counting::Cargo) {
        again.args(["--", "--exact"]);
    }
    again.args(failed);
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            again.env(name, value);
        }
    }
    if let Some(folder) = command.get_current_dir() {
        again.current_dir(folder);
    }
    Some(again)
}

fn is_file(argument: &str) -> bool {
    Path::new(argument)
        .extension()
        .is_some_and(|extension| extension == "mjs" || extension == "js")
}

/// What stands on a line between its beginning and the first of an end, each once.
fn between(log: &str, beginning: &str, end: &str) -> BTreeSet<String> {
    log.lines()
        .filter_map(|line| {
            Some(
                line.strip_prefix(beginning)?
                    .split_once(end)?
                    .0
                    .trim()
                    .to_owned(),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> Vec<String> {
        command
            .get_args()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn only_what_failed_runs_again_with_the_same_options() {
        let mut node = Command::new("node");
        node.args([
            "--test",
            "--test-concurrency=1",
            "/root/tests/ui/a.test.mjs",
            "/root/tests/ui/b.test.mjs",
        ])
        .current_dir("/root");
        let log = "✖ failing tests:\n\ntest at tests/ui/b.test.mjs:3:1\n✖ draws (2ms)\ntest at tests/ui/b.test.mjs:9:3\n";
        let again = narrowed(Counting::Node, &node, log).unwrap();
        assert_eq!(
            words(&again),
            ["--test", "--test-concurrency=1", "tests/ui/b.test.mjs"]
        );
        assert_eq!(again.get_current_dir(), Some(Path::new("/root")));

        let mut pytest = Command::new("python");
        pytest
            .args(["-m", "pytest", "--numprocesses", "3", "tests/plugin"])
            .env("BOBBIN_STORIES", "required");
        let log = "=== short test summary info ===\nFAILED tests/plugin/test_a.py::test_b[newest] - assert 1 == 2\n";
        let again = narrowed(Counting::Pytest, &pytest, log).unwrap();
        assert_eq!(
            words(&again),
            [
                "-m",
                "pytest",
                "--numprocesses",
                "3",
                "tests/plugin/test_a.py::test_b[newest]"
            ]
        );
        assert_eq!(again.get_envs().count(), 1);

        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--no-fail-fast", "--workspace"]);
        let again = narrowed(
            Counting::Cargo,
            &cargo,
            "test a::b ... FAILED\ntest a::c ... ok\n",
        )
        .unwrap();
        assert_eq!(
            words(&again),
            [
                "test",
                "--no-fail-fast",
                "--workspace",
                "--",
                "--exact",
                "a::b"
            ]
        );
    }

    #[test]
    fn what_is_not_named_or_is_much_does_not_run_again() {
        let cargo = Command::new("cargo");
        assert!(narrowed(Counting::Cargo, &cargo, "error: could not compile\n").is_none());
        assert!(narrowed(Counting::Check, &cargo, "test a ... FAILED\n").is_none());
        let many: String = (0..=FEW)
            .map(|number| format!("test a::{number} ... FAILED\n"))
            .collect();
        assert!(narrowed(Counting::Cargo, &cargo, &many).is_none());
    }
}
