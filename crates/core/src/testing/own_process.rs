//! A test that runs in a process of its own: it changes what holds for all of a process.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Its folder.
const FOLDER: &str = "BOBBIN_TEST_FOLDER";

/// The folder of a test that [`run_apart`] started. None where all tests are run: then it is no test.
pub(crate) fn folder_apart() -> Option<PathBuf> {
    env::var_os(FOLDER).map(PathBuf::from)
}

/// Runs a test in a process of its own, which shows the functions that lead to a panic. Gives what it wrote to stdout, and
/// to stderr.
pub(crate) fn run_apart(test: &str, folder: &Path) -> [String; 2] {
    let ended = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(FOLDER, folder)
        .env("RUST_BACKTRACE", "full")
        .output()
        .unwrap();
    let wrote = [&ended.stdout, &ended.stderr];
    let wrote = wrote.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(ended.status.success(), "{}", wrote.concat());
    wrote
}
