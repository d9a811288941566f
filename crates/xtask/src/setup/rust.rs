//! The parts of the Rust toolchain that a minimal installation leaves out.

use std::process::Command;

use crate::process::{Failure, Result, ask, cargo, run, say};

/// Cargo's command, and the component that brings it.
const COMPONENTS: [(&str, &str); 2] = [("clippy", "clippy"), ("fmt", "rustfmt")];

/// Adds the formatter and the linter, if they are missing.
///
/// # Errors
/// They are missing and there is no rustup.
pub fn components() -> Result {
    let there = |command: &str| ask(cargo().args([command, "--version"])).is_some();
    let missing: Vec<&str> = COMPONENTS
        .iter()
        .filter(|(command, _)| !there(command))
        .map(|(_, component)| *component)
        .collect();
    if missing.is_empty() {
        say("Rust components", "there");
        return Ok(());
    }
    if ask(Command::new("rustup").arg("--version")).is_none() {
        return Err(
            Failure::new(format!("cargo has no {}", missing.join(" and no ")))
                .hint("install them with the package manager that brought cargo, or use rustup"),
        );
    }
    run(Command::new("rustup")
        .args(["component", "add"])
        .args(missing))
}
