//! How many tests passed, failed and were skipped, read from the words of each test runner.

use std::fmt;

use super::failures;

/// What a suite came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    /// Those that failed, as far as the runner names them, each with what it said first.
    pub failures: Vec<String>,
    /// Those that failed and passed when they ran once more, alone, each with what it said first.
    pub second: Vec<String>,
    pub skipped: Vec<Skipped>,
}

/// A test or a suite that was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    pub name: String,
    pub reason: String,
}

impl Counts {
    /// One thing that was not run.
    pub fn skipped(name: &str, reason: String) -> Self {
        Self {
            skipped: vec![Skipped {
                name: name.into(),
                reason,
            }],
            ..Self::default()
        }
    }

    /// All that failed passed at its second try.
    pub fn passed_again(self) -> Self {
        Self {
            passed: self.passed + self.failed,
            failed: 0,
            second: self.failures,
            failures: Vec::new(),
            ..self
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} passed, {} failed, {} skipped",
            self.passed,
            self.failed,
            self.skipped.len()
        )
    }
}

/// Whose words are read.
#[derive(Clone, Copy, Debug)]
pub enum Counting {
    /// A check that holds or does not: its status is all.
    Check,
    /// `cargo test`.
    Cargo,
    /// `node --test` with the spec reporter.
    Node,
    /// `pytest -rsfE`.
    Pytest,
    /// `vitest run`, and nothing else that counts.
    Vitest,
    /// `cargo xtask torture`.
    Torture,
}

impl Counting {
    /// Reads the log. A runner that ended badly without a failed test of its own counts as one failure, and a runner
    /// that ended well without running anything too: a suite that is not there must not look green.
    pub fn read(self, log: &str, succeeded: bool) -> Counts {
        let mut counts = match self {
            Counting::Check => Counts {
                passed: u64::from(succeeded),
                ..Counts::default()
            },
            Counting::Cargo => cargo(log),
            Counting::Node => node(log),
            Counting::Pytest => pytest(log),
            Counting::Vitest => vitest(log),
            Counting::Torture => torture(log),
        };
        if !succeeded {
            counts.failures = failures::read(self, log);
        }
        let ran_nothing = counts.passed == 0 && counts.skipped.is_empty();
        if counts.failed == 0 && (!succeeded || ran_nothing) {
            counts.failed = 1;
        }
        counts
    }
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; …`, once a binary, `test NAME ... ignored, REASON`, and the
/// `skipped: STORY: REASON` of a story without its Python environment, which the runner takes for passed.
fn cargo(log: &str) -> Counts {
    let mut counts = Counts::default();
    for line in log.lines() {
        if let Some(result) = line.strip_prefix("test result: ") {
            counts.passed += before(result, " passed");
            counts.failed += before(result, " failed");
        } else if let Some(skipped) = said_skipped(line) {
            counts.skipped.push(skipped);
        } else if let Some((name, rest)) = line
            .strip_prefix("test ")
            .and_then(|line| line.split_once(" ... ignored"))
        {
            let reason = rest.strip_prefix(", ").unwrap_or("no reason given");
            counts.skipped.push(Skipped {
                name: name.into(),
                reason: reason.into(),
            });
        }
    }
    let stories = log.lines().filter(|line| line.starts_with("skipped: "));
    counts.passed -= (stories.count() as u64).min(counts.passed);
    counts
}

/// `skipped: NAME: REASON`, as what cannot be tried here is told.
fn said_skipped(line: &str) -> Option<Skipped> {
    let (name, reason) = line.strip_prefix("skipped: ")?.split_once(": ")?;
    Some(Skipped {
        name: name.into(),
        reason: reason.into(),
    })
}

/// A row of six numbers for each fault that took nothing, and `skipped: FAULT: REASON`.
fn torture(log: &str) -> Counts {
    let is_row = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        words.clone().count() == 6 && words.all(|word| word.parse::<u64>().is_ok())
    };
    Counts {
        passed: log.lines().filter(|line| is_row(line)).count() as u64,
        skipped: log.lines().filter_map(said_skipped).collect(),
        ..Counts::default()
    }
}

/// `ℹ pass 3`, and `﹣ name (0.1ms) # reason`.
fn node(log: &str) -> Counts {
    let mut counts = Counts::default();
    for line in log.lines().map(str::trim) {
        if let Some(number) = line.strip_prefix("ℹ pass ") {
            counts.passed += number.parse().unwrap_or(0);
        } else if let Some(number) = line.strip_prefix("ℹ fail ") {
            counts.failed += number.parse().unwrap_or(0);
        } else if let Some(skipped) = line.strip_prefix("﹣ ") {
            let (name, reason) = skipped
                .split_once(" # ")
                .unwrap_or((skipped, "no reason given"));
            counts.skipped.push(Skipped {
                name: name.into(),
                reason: reason.into(),
            });
        }
    }
    counts
}

/// `== 2 failed, 3 passed, 1 skipped in 1.2s ==`, and `SKIPPED [1] file:3: reason`.
fn pytest(log: &str) -> Counts {
    let mut counts = Counts::default();
    for line in log.lines() {
        if line.starts_with("===") && line.contains(" in ") {
            counts.passed += before(line, " passed");
            counts.failed += before(line, " failed") + before(line, " error");
        } else if let Some(skipped) = line.strip_prefix("SKIPPED [") {
            let (times, rest) = skipped.split_once("] ").unwrap_or(("1", skipped));
            let (name, reason) = rest.split_once(": ").unwrap_or((rest, "no reason given"));
            for _ in 0..times.parse().unwrap_or(1) {
                counts.skipped.push(Skipped {
                    name: name.into(),
                    reason: reason.into(),
                });
            }
        }
    }
    counts
}

/// `      Tests  2 failed | 12 passed | 1 skipped (15)`.
fn vitest(log: &str) -> Counts {
    let mut counts = Counts::default();
    for line in log.lines().map(str::trim) {
        if let Some(tests) = line.strip_prefix("Tests ") {
            counts.passed += before(tests, " passed");
            counts.failed += before(tests, " failed");
            for _ in 0..before(tests, " skipped") {
                counts.skipped.push(Skipped {
                    name: "a test of the page".into(),
                    reason: "marked skip in its file".into(),
                });
            }
        }
    }
    counts
}

/// The number that stands right before `word`, or 0.
fn before(line: &str, word: &str) -> u64 {
    let Some(end) = line.find(word) else { return 0 };
    let digits = line[..end]
        .chars()
        .rev()
        .take_while(char::is_ascii_digit)
        .count();
    line[end - digits..end].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(counts: &Counts) -> (u64, u64, usize) {
        (counts.passed, counts.failed, counts.skipped.len())
    }

    #[test]
    fn cargo_prints_one_result_a_binary() {
        let log = "test a ... ok\ntest b ... ignored, needs a display\n\
                   test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\
                   test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
        let counts = Counting::Cargo.read(log, false);
        assert_eq!(numbers(&counts), (7, 2, 1));
        assert_eq!(counts.skipped[0].reason, "needs a display");
    }

    #[test]
    fn a_story_that_could_not_be_told_has_not_passed() {
        let log = "skipped: the numbers of Dask oldest: there is no Python 3.9 here, and none to be had\n\
                   test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
        let counts = Counting::Cargo.read(log, true);
        assert_eq!(numbers(&counts), (2, 0, 1));
        assert_eq!(counts.skipped[0].name, "the numbers of Dask oldest");
    }

    #[test]
    fn node_prints_its_sums_last() {
        let log = "✔ shows the list (12ms)\n﹣ prints (0.1ms) # no printer\nℹ tests 5\nℹ pass 3\nℹ fail 1\nℹ skipped 1\n";
        assert_eq!(numbers(&Counting::Node.read(log, false)), (3, 1, 1));
    }

    #[test]
    fn pytest_prints_failures_errors_and_reasons() {
        let log = "SKIPPED [2] tests/plugin/test_a.py:3: needs 3.12\n=== 2 failed, 30 passed, 2 skipped, 1 error in 1.20s ===\n";
        assert_eq!(numbers(&Counting::Pytest.read(log, false)), (30, 3, 2));
    }

    #[test]
    fn vitest_prints_files_and_tests() {
        let log = " Test Files  3 passed (3)\n      Tests  1 failed | 12 passed (13)\n";
        assert_eq!(numbers(&Counting::Vitest.read(log, false)), (12, 1, 0));
    }

    #[test]
    fn a_fault_that_could_not_be_tried_has_not_passed() {
        let log = "$ target/debug/xtask torture --quick --bobbin target/debug/bobbin\n\
                   fault             tried acknowledged records records lost records doubled rows changed unseen  seconds\n  power                  …\n\
                   power                80                  720            0               0         0        7\n  room                   …\n\
                   skipped: room: a small disk cannot be mounted here: mount: only root can do that\n  kill                   …\n\
                   kill                 12                  900            0               0         0       31\n";
        let counts = Counting::Torture.read(log, true);
        assert_eq!(numbers(&counts), (2, 0, 1));
        assert_eq!(counts.skipped[0].name, "room");
        assert!(counts.skipped[0].reason.starts_with("a small disk"));
        let lost = format!("{log}error: quit: 1 records lost and 0 doubled of 90\n");
        let counts = Counting::Torture.read(&lost, false);
        assert_eq!(numbers(&counts), (2, 1, 1));
        assert_eq!(counts.failures.len(), 1);
    }

    #[test]
    fn a_runner_that_broke_or_ran_nothing_is_one_failure() {
        assert_eq!(
            numbers(&Counting::Cargo.read("error: could not compile", false)),
            (0, 1, 0)
        );
        assert_eq!(
            numbers(&Counting::Node.read("ℹ pass 0\nℹ fail 0", true)),
            (0, 1, 0)
        );
        assert_eq!(numbers(&Counting::Torture.read("", true)), (0, 1, 0));
        assert_eq!(numbers(&Counting::Check.read("", true)), (1, 0, 0));
    }
}
