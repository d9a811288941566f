//! Records the stories of the demo anew: `assets/demo/record.py`, with the newest Dask.

use std::process::Command;

use crate::{
    files::{root, target},
    process::{Failure, Result, run},
};

/// `cargo xtask record [STORY ...]`.
///
/// # Errors
/// The Python environment is missing, or a job fails.
pub fn main(stories: &[String]) -> Result {
    let python = target().join("python/newest/bin/python");
    if !python.exists() {
        return Err(Failure::new(format!(
            "{} is missing: `cargo xtask setup` makes it",
            python.display()
        )));
    }
    run(Command::new(python)
        .arg(root().join("assets/demo/record.py"))
        .args(stories))
}
