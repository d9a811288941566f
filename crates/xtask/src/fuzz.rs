//! Long runs of the targets of `crates/fuzz`. Its tests run each for a bounded number of inputs.

use crate::process::{Failure, Options, Result, cargo, run};

/// What can be fuzzed, in words.
const TARGETS: &str = "batch, ingest, gzip, file, bundle, import, foreign, upload, host and filter";

/// `cargo xtask fuzz TARGET [--minutes N] [--seed N]`. Debug assertions stay on: they are half of what can be found.
///
/// # Errors
/// The target is not known, or something was found; the input that did it is in `target/fuzz/`.
pub fn main(given: &[String]) -> Result {
    let options = Options::read(given, &[], &["--minutes", "--seed"])?;
    let [target] = options.words.as_slice() else {
        return Err(
            Failure::usage("fuzz needs one target").hint(format!("the targets are {TARGETS}"))
        );
    };
    let mut drive = cargo();
    drive
        .args(["run", "--quiet", "--package", "bobbin-fuzz", "--", target])
        .arg(options.values("--minutes").last().unwrap_or("10"))
        .args(options.values("--seed").last());
    run(&mut drive)
}
