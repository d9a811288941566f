//! `cargo xtask elsewhere`: whether the command still compiles for macOS and for Windows, asked on a machine that is neither.
//!
//! Rust checks all of it against the standard libraries of these systems. What crates bring along in C and assembler would need their
//! headers and is passed over: in the place of its compiler stands a script that writes empty files, and nothing is linked. So
//! neither Apple's tools nor MinGW's need be here.

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

/// The Macs that are made now: the code for older ones differs in nothing. And Windows with the free linker: with Microsoft's the
/// code is the same.
const TARGETS: [&str; 2] = ["aarch64-apple-darwin", "x86_64-pc-windows-gnu"];

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
    let Checks { checks, missing } = checks()?;
    for mut check in checks {
        run(&mut check)?;
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(Failure::new(missing.join("; ")).hint("rustup has it, where it reaches its server"))
}

/// What can be checked here.
pub struct Checks {
    /// One for each system whose standard library is here.
    pub checks: Vec<Command>,
    /// Why the others cannot be.
    pub missing: Vec<String>,
}

/// The checks. What is missing for one is installed if it can be.
///
/// # Errors
/// The script cannot be written.
pub fn checks() -> Result<Checks> {
    let nothing = script()?;
    let (there, absent): (Vec<&str>, Vec<&str>) =
        TARGETS.into_iter().partition(|target| has_library(target));
    Ok(Checks {
        checks: there.iter().map(|target| check(target, &nothing)).collect(),
        missing: absent
            .iter()
            .map(|target| format!("there is no standard library of {target} here"))
            .collect(),
    })
}

fn has_library(target: &str) -> bool {
    let there = || {
        let libraries =
            ask(Command::new("rustc").args(["--target", target, "--print", "target-libdir"]));
        libraries.is_some_and(|folder| Path::new(&folder).exists())
    };
    if !there() {
        ask(Command::new("rustup").args(["target", "add", target]));
    }
    there()
}

fn check(target: &str, nothing: &Path) -> Command {
    let mut check = cargo();
    check.args(["check", "--target", target, "--package", "bobbin"]);
    for tool in ["CC", "CXX", "AR"] {
        check.env(format!("{tool}_{}", target.replace('-', "_")), nothing);
    }
    // Otherwise Apple's own tools are asked where its headers are.
    check.env("SDKROOT", "/");
    check
}

fn script() -> Result<PathBuf> {
    let path = target().join("elsewhere").join("nothing");
    fs::create_dir_all(path.with_file_name(""))?;
    fs::write(&path, NOTHING)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}
