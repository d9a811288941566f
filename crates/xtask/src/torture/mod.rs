//! Takes the store apart in every way that a machine can, and counts the records lost and doubled: none.
//!
//! Built like the benches: the program that a person starts has no store in it.

#[cfg(feature = "bench")]
mod cap;
#[cfg(feature = "bench")]
mod damage;
#[cfg(feature = "bench")]
mod disk;
#[cfg(feature = "bench")]
mod due;
#[cfg(feature = "bench")]
mod exchange;
#[cfg(feature = "bench")]
mod first;
#[cfg(feature = "bench")]
pub mod folder;
#[cfg(feature = "bench")]
mod full;
#[cfg(feature = "bench")]
mod image;
#[cfg(feature = "bench")]
mod kill;
#[cfg(feature = "bench")]
mod log;
#[cfg(feature = "bench")]
mod manual;
#[cfg(feature = "bench")]
mod migrated;
#[cfg(feature = "bench")]
mod moments;
#[cfg(feature = "bench")]
mod notes;
#[cfg(feature = "bench")]
mod old;
#[cfg(feature = "bench")]
mod op;
#[cfg(feature = "bench")]
mod power;
#[cfg(feature = "bench")]
mod power_folder;
#[cfg(feature = "bench")]
mod quit;
#[cfg(feature = "bench")]
mod room;
#[cfg(feature = "bench")]
mod salvaged;
#[cfg(feature = "bench")]
mod sender;
#[cfg(feature = "bench")]
mod server;
#[cfg(feature = "bench")]
mod share;
#[cfg(feature = "bench")]
mod sleep;
#[cfg(feature = "bench")]
pub mod spool;
#[cfg(feature = "bench")]
mod story;
#[cfg(feature = "bench")]
mod suite;
#[cfg(feature = "bench")]
mod vfs;
#[cfg(feature = "bench")]
pub mod work;

use std::path::Path;

use crate::{
    optimised,
    process::{Failure, Options, Result, become_program},
};

#[cfg(feature = "bench")]
use suite::Counted;

/// `cargo xtask torture [--quick] [--dev] [--only NAME] [--seed N] [--write]`.
///
/// # Errors
/// Something was lost or doubled, or does not build.
pub fn main(given: &[String]) -> Result {
    let options = Options::read(
        given,
        &["--quick", "--dev", "--write"],
        &["--only", "--seed", "--bobbin"],
    )?;
    if !options.words.is_empty() {
        return Err(Failure::usage("torture takes only options").hint("cargo xtask help"));
    }
    if options.has("--write") && (options.has("--quick") || options.has("--dev")) {
        return Err(Failure::usage(
            "--write is for the figures of the long form",
        ));
    }
    match options.values("--bobbin").last() {
        Some(bobbin) => torture(bobbin.as_ref(), &options),
        None => {
            let built = optimised::build("torture", options.has("--dev"))?;
            let mut torturing = built.command();
            torturing
                .arg("torture")
                .args(given)
                .arg("--bobbin")
                .arg(&built.bobbin);
            become_program(&mut torturing)
        }
    }
}

#[cfg(feature = "bench")]
fn torture(bobbin: &Path, options: &Options) -> Result {
    suite::run(bobbin, options)
}

#[cfg(not(feature = "bench"))]
fn torture(_bobbin: &Path, _options: &Options) -> Result {
    Err(Failure::new("this program was built without the torture").hint("leave --bobbin out"))
}
