//! Measures Bobbin against a peer, in turn and in the same run, so that a busy machine disturbs both alike.
//!
//! The measuring program and what it measures are built together, optimised, by the command a person types; that one
//! needs neither SQLite nor gzip and starts at once.

#[cfg(feature = "bench")]
mod measure;

use std::path::Path;

use crate::{
    optimised, page,
    process::{Failure, Options, Result, become_program},
};

const NAMES: [&str; 9] = [
    "desk", "desktop", "hub", "ingest", "overload", "plugin", "report", "store", "views",
];

/// `cargo xtask bench NAME [--quick] [--json] [--dev] [--write] [--stores] [--minutes N]`.
///
/// # Errors
/// The name is not known, something does not build, or the measured program fails.
pub fn main(given: &[String]) -> Result {
    let options = Options::read(
        given,
        &["--quick", "--json", "--dev", "--write", "--stores"],
        &["--bobbin", "--minutes"],
    )?;
    let name = match options.words.as_slice() {
        [name] if NAMES.contains(&name.as_str()) => name,
        // A bench starts its peers.
        #[cfg(feature = "bench")]
        [name, given @ ..] if name == measure::PEER => return measure::peer(given),
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

fn build_and_measure(name: &str, given: &[String], dev: bool) -> Result {
    // It goes into the binary.
    page::build()?;
    let built = optimised::build(&format!("bench-{name}"), dev)?;
    let mut measuring = built.command();
    measuring
        .arg("bench")
        .args(given)
        .arg("--bobbin")
        .arg(&built.bobbin);
    become_program(&mut measuring)
}

#[cfg(feature = "bench")]
fn measure(name: &str, bobbin: &Path, options: &Options) -> Result {
    measure::measure(name, bobbin, options)
}

#[cfg(not(feature = "bench"))]
fn measure(_name: &str, _bobbin: &Path, _options: &Options) -> Result {
    Err(Failure::new("this program was built without the benches").hint("leave --bobbin out"))
}
