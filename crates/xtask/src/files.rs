//! Where things are in the clone, and reading them.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The root of the clone.
pub fn root() -> PathBuf {
    let mut here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.pop();
    here.pop();
    here
}

/// Where everything that is built, measured or reported lies.
pub fn target() -> PathBuf {
    root().join("target")
}

/// All files below these places, in a fixed order. A place that does not exist holds nothing.
///
/// # Errors
/// A folder cannot be read.
pub fn files_below(places: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = places.to_vec();
    while let Some(place) = open.pop() {
        if place.is_dir() {
            for entry in fs::read_dir(&place)? {
                open.push(entry?.path());
            }
        } else if place.is_file() {
            found.push(place);
        }
    }
    found.sort();
    Ok(found)
}

/// The last `lines` lines of a file, or nothing.
pub fn tail(path: &Path, lines: usize) -> String {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}
