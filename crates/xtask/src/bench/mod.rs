//! Measures Bobbin against a peer, in turn and in the same run, so that a busy machine disturbs both alike.
//!
//! The measuring program and what it measures are built together, optimised, by the command a person types; that one
//! needs neither SQLite nor gzip and starts at once.

#[cfg(feature = "bench")]
mod batches;
#[cfg(feature = "bench")]
mod commits;
#[cfg(feature = "bench")]
mod figure;
#[cfg(feature = "bench")]
mod ingest;
#[cfg(feature = "bench")]
mod post;
#[cfg(feature = "bench")]
mod raw;
#[cfg(feature = "bench")]
mod server;

use std::process::Command;

use crate::{
    files::target,
    process::{Failure, Options, Result, cargo, run},
};

const NAMES: [&str; 1] = ["ingest"];

/// `cargo xtask bench NAME [--quick] [--json] [--dev]`.
///
/// # Errors
/// The name is not known, something does not build, or the measured program fails.
pub fn main(given: &[String]) -> Result {
    let options = Options::read(given, &["--quick", "--json", "--dev"], &["--bobbin"])?;
    let name = match options.words.as_slice() {
        [name] if NAMES.contains(&name.as_str()) => name,
        _ => {
            return Err(Failure::usage("bench needs one name")
                .hint(format!("the benches are {}", NAMES.join(", "))));
        }
    };
    match options.values("--bobbin").last() {
        Some(bobbin) => measure(name, bobbin.as_ref(), &options),
        None => build_and_measure(name, given, options.has("--dev")),
    }
}

/// Builds both programs alike and hands on to the measuring one.
fn build_and_measure(name: &str, given: &[String], dev: bool) -> Result {
    let mut build = cargo();
    build.args([
        "build",
        "--quiet",
        "--package",
        "bobbin",
        "--package",
        "xtask",
        "--features",
        "xtask/bench",
    ]);
    if !dev {
        build.arg("--release");
    }
    run(&mut build)?;
    let folder = target().join(if dev { "debug" } else { "release" });
    // A copy, since the next `cargo xtask` puts the one without this feature in the same place.
    let program = folder.join(format!("xtask-bench-{name}"));
    std::fs::copy(folder.join("xtask"), &program)?;
    let mut measuring = Command::new(program);
    measuring
        .arg("bench")
        .args(given)
        .arg("--bobbin")
        .arg(folder.join("bobbin"));
    run(&mut measuring)
}

#[cfg(feature = "bench")]
fn measure(name: &str, bobbin: &std::path::Path, options: &Options) -> Result {
    let figures = match name {
        "ingest" => ingest::measure(bobbin, options.has("--quick"))?,
        other => return Err(Failure::usage(format!("there is no bench {other}"))),
    };
    figure::print(&figures, options.has("--json"), options.has("--dev"));
    Ok(())
}

#[cfg(not(feature = "bench"))]
fn measure(_name: &str, _bobbin: &std::path::Path, _options: &Options) -> Result {
    Err(Failure::new("this program was built without the benches").hint("leave --bobbin out"))
}
