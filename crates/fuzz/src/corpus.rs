//! The inputs to begin with: a folder in `corpus/`, checked in. An input that found a fault is added there.

use std::io;
use std::path::PathBuf;

/// The inputs of one folder, by name, so that a run is the same each time.
///
/// # Errors
/// When they cannot be read.
pub fn corpus(folder: &str) -> io::Result<Vec<Vec<u8>>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(folder);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    paths.into_iter().map(std::fs::read).collect()
}
