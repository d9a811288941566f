//! `cargo xtask elsewhere`: whether the command still compiles for macOS, asked on a machine that is none.
//!
//! Rust checks all of it against the standard library of that system. What crates bring along in C and assembler would need Apple's
//! headers and is passed over: in the place of its compiler stands a script that writes empty files, and nothing is linked.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    files::target,
    process::{Failure, Options, Result, ask, cargo, run},
};

/// The Macs that are made now. Its code for older ones differs in nothing.
const MACOS: &str = "aarch64-apple-darwin";

/// Takes what compilers and `ar` are told, and writes the file that they would.
const NOTHING: &str = r#"#!/bin/sh
for word; do
    case $before:$word in -o:*|*:*.a) : > "$word" ;; esac
    before=$word
done
"#;

/// `cargo xtask elsewhere`.
///
/// # Errors
/// It does not compile there, or that standard library cannot be had.
pub fn main(given: &[String]) -> Result {
    let options = Options::read(given, &[], &[])?;
    if !options.words.is_empty() {
        return Err(Failure::usage("elsewhere takes nothing").hint("cargo xtask help"));
    }
    if let Some(reason) = missing() {
        return Err(Failure::new(reason).hint("rustup has it, where it reaches its server"));
    }
    run(&mut check()?)
}

/// Why it cannot be checked here. What is missing is installed if it can be.
pub fn missing() -> Option<String> {
    let there = || {
        let libraries =
            ask(Command::new("rustc").args(["--target", MACOS, "--print", "target-libdir"]));
        libraries.is_some_and(|folder| Path::new(&folder).exists())
    };
    if !there() {
        ask(Command::new("rustup").args(["target", "add", MACOS]));
    }
    (!there()).then(|| format!("there is no standard library of {MACOS} here"))
}

/// The check itself.
///
/// # Errors
/// The script cannot be written.
pub fn check() -> Result<Command> {
    let nothing = script()?;
    let mut check = cargo();
    check.args(["check", "--target", MACOS, "--package", "bobbin"]);
    for tool in ["CC", "CXX", "AR"] {
        check.env(format!("{tool}_{}", MACOS.replace('-', "_")), &nothing);
    }
    // Otherwise Apple's own tools are asked where its headers are.
    check.env("SDKROOT", "/");
    Ok(check)
}

fn script() -> Result<PathBuf> {
    let path = target().join("elsewhere").join("nothing");
    fs::create_dir_all(path.with_file_name(""))?;
    fs::write(&path, NOTHING)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}
