//! The release file: what a build checks before somebody installs these packages. Written where a key is named, and only there.
//!
//! Signing needs core, which this program is built without, so that it starts at once on a fresh clone. It then builds itself again with
//! the feature `sign`, and goes on as that.

#[cfg(feature = "sign")]
mod key;
#[cfg(feature = "sign")]
mod release;

use crate::process::{Options, Result};

/// `cargo xtask package --new-key KEY_FILE`, or `--sign KEY_FILE` with what else there is to say of packages.
///
/// # Errors
/// The file holds no key, or holds one that would be overwritten; those of making packages.
#[cfg(feature = "sign")]
pub fn main(_given: &[String], options: &Options) -> Result {
    if let Some(path) = options.values("--new-key").last() {
        return key::make(path.as_ref());
    }
    // Before anything is built: a slip of the pen costs no minutes.
    let path = options.values("--sign").last().unwrap_or_default();
    let key = key::load(path.as_ref())?;
    let made = super::make(options, Some(&key.public()))?;
    release::write(&made.package, &key, &made.files)?;
    made.tidy()
}

/// The same by the program that can.
///
/// # Errors
/// It does not build.
#[cfg(not(feature = "sign"))]
pub fn main(given: &[String], _options: &Options) -> Result {
    use std::{fs, process::Command};

    use crate::{
        files::target,
        process::{become_program, cargo, run},
    };

    let mut build = cargo();
    build.args([
        "build",
        "--quiet",
        "--package",
        "xtask",
        "--features",
        "xtask/sign",
    ]);
    run(&mut build)?;
    // A copy, since the next `cargo xtask` puts the one without this feature in the same place.
    let folder = target().join("debug");
    let program = folder.join("xtask-sign");
    fs::copy(folder.join("xtask"), &program)?;
    become_program(Command::new(program).arg("package").args(given))
}
