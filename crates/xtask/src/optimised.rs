//! The programs that measure and fill stores: built together with what they measure, when a person asks for them.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    files::target,
    process::{Result, cargo, run},
};

/// Both programs, built alike.
pub struct Built {
    /// A copy, since the next `cargo xtask` puts the one without this feature in the same place.
    program: PathBuf,
    pub bobbin: PathBuf,
}

impl Built {
    pub fn command(&self) -> Command {
        Command::new(&self.program)
    }
}

/// Builds them. `name` keeps the copies of commands that run at once apart; `dev` leaves out the optimising.
///
/// # Errors
/// Something does not build.
pub fn build(name: &str, dev: bool) -> Result<Built> {
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
    let program = folder.join(format!("xtask-{name}"));
    fs::copy(folder.join("xtask"), &program)?;
    Ok(Built {
        program,
        bobbin: folder.join("bobbin"),
    })
}
