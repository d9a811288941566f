//! A store of any size, as a team makes it over a year, built from the shapes of recorded real runs: for benches, and to look at.
//! The same options give the same clusters.
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
    /// The day after the last one, in days since 1970 UTC; today where it is not said.
    pub until: Option<i64>,
    /// Of each cluster; drawn where they are not said.
    pub groups: Option<usize>,
    pub stacks: Option<usize>,
}

/// `cargo xtask generate FOLDER [--clusters N] [--members N] [--days N] [--seed N] [--until DAYS_SINCE_1970] [--groups N]
/// [--stacks N]`.
///
/// # Errors
/// A number cannot be read, something does not build, or the store refuses.
pub fn main(given: &[String]) -> Result {
    let valued = [
        "--clusters",
        "--members",
        "--days",
        "--seed",
        "--until",
        "--groups",
        "--stacks",
    ];
    let options = Options::read(given, &[], &valued)?;
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
