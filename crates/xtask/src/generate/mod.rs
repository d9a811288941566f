//! A store of any size, as a team makes it over a year, built from the shapes of recorded real runs: for benches, and to look at.
//! The same options give the same clusters on the same day: the last day of the history is yesterday where `--until` names no
//! other. Keys are drawn anew, and when the records came is now.
//!
//! Runs of one project have nearly the same stacks in their profiles, with other counts; what is below the project's own functions
//! is the same for all that do such work (`draw/profile.rs`). Fine metrics, events and single workers in samples are there as
//! real clusters have them, up to a bound for each cluster (`draw/cluster/`), so that no table of a large store is empty.

#[cfg(feature = "bench")]
pub mod draw;

use std::str::FromStr;

use crate::process::{Failure, Options, Result};

/// What to make.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "bench"), expect(dead_code, reason = "it is handed on"))]
pub struct Order {
    pub clusters: u64,
    pub members: usize,
    pub days: u32,
    pub seed: u64,
    /// The day after the last one, in days since 1970 UTC; today where it is not said, so that tomorrow's clusters are others.
    pub until: Option<i64>,
    /// Of each cluster; drawn where they are not said.
    pub groups: Option<usize>,
    pub stacks: Option<usize>,
}

/// Each takes a whole number. `docs/performance.md` says what they do.
const OPTIONS: [&str; 7] = [
    "--clusters",
    "--members",
    "--days",
    "--seed",
    "--until",
    "--groups",
    "--stacks",
];

/// `cargo xtask generate FOLDER [--clusters N] [--members N] [--days N] [--seed N] [--until DAY] [--groups N] [--stacks N]`.
///
/// # Errors
/// A number cannot be read, something does not build, or the store refuses.
pub fn main(given: &[String]) -> Result {
    let options = Options::read(given, &[], &OPTIONS)?;
    let [folder] = options.words.as_slice() else {
        return Err(
            Failure::usage("generate needs one folder: the data folder to fill")
                .hint("then open it with `bobbin serve --ui --data-dir FOLDER`"),
        );
    };
    let order = Order {
        clusters: number(&options, "--clusters")?.unwrap_or(10_000),
        members: number(&options, "--members")?.unwrap_or(200),
        days: number(&options, "--days")?.unwrap_or(365),
        seed: number(&options, "--seed")?.unwrap_or(1),
        until: number(&options, "--until")?,
        groups: number(&options, "--groups")?,
        stacks: number(&options, "--stacks")?,
    };
    if order.members == 0 || order.days == 0 || order.groups == Some(0) {
        return Err(Failure::usage(
            "--members, --days and --groups need at least 1",
        ));
    }
    make(folder, order, given)
}

fn number<T: FromStr>(options: &Options, name: &str) -> Result<Option<T>> {
    let text = options.values(name).last();
    text.map(|text| {
        text.parse()
            .map_err(|_| Failure::usage(format!("{name} needs a whole number, not {text:?}")))
    })
    .transpose()
}

#[cfg(feature = "bench")]
fn make(folder: &str, order: Order, _given: &[String]) -> Result {
    draw::fill(folder.as_ref(), order, &[])
}

/// Hands on to the program that can: this one starts at once because it has no store in it.
#[cfg(not(feature = "bench"))]
fn make(_folder: &str, _order: Order, given: &[String]) -> Result {
    let mut filling = crate::optimised::build("generate", false)?.command();
    filling.arg("generate").args(given);
    crate::process::run(&mut filling)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::OPTIONS;
    use crate::files::root;

    #[test]
    fn the_help_and_the_manual_have_every_option_and_say_that_until_is_today() {
        let manual = fs::read_to_string(root().join("docs/performance.md")).unwrap();
        for option in OPTIONS {
            assert!(crate::HELP.contains(&format!("[{option} ")), "{option}");
            assert!(manual.contains(&format!("| `{option} ")), "{option}");
        }
        let row = manual.lines().find(|line| line.starts_with("| `--until "));
        assert!(row.unwrap().contains("today"));
        assert!(crate::HELP.contains("--until is today"));
    }
}
