//! The check of licences, sources and advisories, installed once into `target/tools`.

use std::process::Command;

use crate::{
    files::{root, target},
    process::{Result, cargo, run, say},
};

const VERSION: &str = "0.20.2";

/// Where known weaknesses of crates are published.
pub const DATABASE: &str = "https://github.com/rustsec/advisory-db";

/// `cargo-deny` with this workspace and its settings.
///
/// # Errors
/// It is not there and cannot be built.
pub fn command() -> Result<Command> {
    let home = target().join(format!("tools/cargo-deny-{VERSION}"));
    let program = home.join("bin/cargo-deny");
    if !program.exists() {
        say("cargo-deny", "building it, once");
        let mut install = cargo();
        install
            .args([
                "install",
                "cargo-deny",
                "--version",
                VERSION,
                "--locked",
                "--debug",
                "--quiet",
                "--root",
            ])
            .arg(&home);
        run(&mut install)?;
    }
    let mut deny = Command::new(program);
    deny.args(["--locked", "--all-features"])
        .current_dir(root());
    Ok(deny)
}
