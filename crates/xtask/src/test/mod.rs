//! Runs every suite, keeps what they said in `target/test-logs`, and sums up.

mod again;
mod counts;
mod failures;
mod lane;
mod report;
mod suite;
mod suites;
mod tree;

use std::{fs, panic, sync::atomic::AtomicBool, thread, time::Instant};

use suite::{Lane, Suite};

use crate::{
    files::target,
    page,
    process::{Failure, Options, Result},
    setup::{self, Purpose},
};

/// `cargo xtask test [--quick] [--only SUITE]...`.
///
/// # Errors
/// A suite fails, or cannot be prepared.
pub fn main(given: &[String]) -> Result {
    let options = Options::read(given, &["--quick"], &["--only"])?;
    let all = suites::all();
    let only: Vec<&str> = options.values("--only").collect();
    if let Some(unknown) = only
        .iter()
        .find(|name| all.iter().all(|suite| suite.name != **name))
    {
        let names: Vec<_> = all.iter().map(|suite| suite.name).collect();
        return Err(Failure::usage(format!("there is no suite {unknown}"))
            .hint(format!("the suites are {}", names.join(", "))));
    }
    let begun = Instant::now();
    if only.is_empty() {
        setup::set_up(Purpose::Test)?;
    } else {
        // A suite alone may write little.
        setup::install(Purpose::Test)?;
    }
    page::build()?;
    if only.is_empty() {
        // Pictures of an earlier run would pass for pictures of this one.
        fs::remove_dir_all(target().join("screenshots")).or_else(ignore_missing)?;
    }
    fs::create_dir_all(target().join("screenshots"))?;

    let chosen = |suite: &&Suite| {
        if only.is_empty() {
            suite.quick || !options.has("--quick")
        } else {
            only.contains(&suite.name)
        }
    };
    eprintln!("suites");
    let (front, behind): (Vec<_>, Vec<_>) = all
        .iter()
        .filter(chosen)
        .partition(|suite| suite.lane == Lane::Front);
    let count = front.len() + behind.len();
    let full = AtomicBool::new(false);
    let run = |suites: Vec<&Suite>| lane::run(suites.into_iter().map(Suite::run), &full);
    let mut outcomes = thread::scope(|scope| {
        let behind = scope.spawn(|| run(behind));
        let mut outcomes = run(front);
        outcomes.extend(
            behind
                .join()
                .unwrap_or_else(|panic| panic::resume_unwind(panic)),
        );
        outcomes
    });
    if outcomes.len() < count {
        outcomes.push(lane::stopped(count - outcomes.len()));
    }
    report::finish(&outcomes, begun.elapsed())
}

fn ignore_missing(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::NotFound {
        Ok(())
    } else {
        Err(error)
    }
}
