//! The table at the end, `target/test-report.json`, and the last words of what failed.

use std::{fs, time::Duration};

use serde_json::{Value, json};

use super::suite::Outcome;
use crate::{
    files::{root, tail, target},
    process::{Failure, Result},
};

/// Lines of a failed suite's log that are shown.
const SHOWN: usize = 60;

/// Prints and writes what came of the suites. The last line on stdout is the sum.
///
/// # Errors
/// A test failed.
pub fn finish(outcomes: &[Outcome], took: Duration) -> Result {
    for outcome in outcomes.iter().filter(|outcome| outcome.counts.failed > 0) {
        if let Some(log) = &outcome.log {
            eprintln!(
                "\n── {} failed; the end of {} ──\n{}",
                outcome.name,
                log.display(),
                tail(log, SHOWN)
            );
        }
    }
    let path = target().join("test-report.json");
    fs::write(&path, format!("{:#}\n", json(outcomes, took)))?;

    println!(
        "\n{:<12} {:>7} {:>7} {:>8} {:>8}",
        "suite", "passed", "failed", "skipped", "seconds"
    );
    for outcome in outcomes {
        let counts = &outcome.counts;
        println!(
            "{:<12} {:>7} {:>7} {:>8} {:>8.0}",
            outcome.name,
            counts.passed,
            counts.failed,
            counts.skipped.len(),
            outcome.seconds
        );
    }
    for skipped in outcomes.iter().flat_map(|outcome| &outcome.counts.skipped) {
        println!("skipped: {}: {}", skipped.name, skipped.reason);
    }
    for outcome in outcomes {
        for first in &outcome.counts.second {
            println!("passed at its second try: {}: {first}", outcome.name);
        }
        for failure in &outcome.counts.failures {
            println!("failed: {}: {failure}", outcome.name);
        }
    }
    println!(
        "report: {} after {:.0} s",
        path.strip_prefix(root()).unwrap_or(&path).display(),
        took.as_secs_f64()
    );
    let sum = Sum::of(outcomes);
    println!(
        "{} passed, {} failed, {} skipped",
        sum.passed, sum.failed, sum.skipped
    );
    if sum.failed == 0 {
        Ok(())
    } else {
        Err(Failure::new(format!("{} failed", sum.failed))
            .hint("whole logs are in target/test-logs"))
    }
}

struct Sum {
    passed: u64,
    failed: u64,
    skipped: usize,
}

impl Sum {
    fn of(outcomes: &[Outcome]) -> Self {
        Self {
            passed: outcomes.iter().map(|outcome| outcome.counts.passed).sum(),
            failed: outcomes.iter().map(|outcome| outcome.counts.failed).sum(),
            skipped: outcomes
                .iter()
                .map(|outcome| outcome.counts.skipped.len())
                .sum(),
        }
    }
}

fn json(outcomes: &[Outcome], took: Duration) -> Value {
    let sum = Sum::of(outcomes);
    let suites: Vec<Value> = outcomes
        .iter()
        .map(|outcome| {
            let skipped: Vec<Value> =
                outcome.counts.skipped.iter().map(|one| json!({ "name": one.name, "reason": one.reason })).collect();
            json!({
                "suite": outcome.name,
                "passed": outcome.counts.passed,
                "failed": outcome.counts.failed,
                "failures": outcome.counts.failures,
                "second_try": outcome.counts.second,
                "skipped": skipped,
                "seconds": (outcome.seconds * 10.0).round() / 10.0,
                "log": outcome.log.as_ref().map(|log| log.strip_prefix(root()).unwrap_or(log).display().to_string()),
            })
        })
        .collect();
    json!({
        "passed": sum.passed,
        "failed": sum.failed,
        "skipped": sum.skipped,
        "seconds": took.as_secs(),
        "suites": suites,
    })
}
