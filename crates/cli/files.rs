//! What is there and what is not, before something is written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folders that do not exist yet on the way to `path`, outermost first, `path` included.
pub fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .take_while(|p| !p.as_os_str().is_empty() && !p.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    missing
}

/// Whether nothing is at `path`; a broken link counts as something.
pub fn is_absent(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_to_make_are_told_outermost_first() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b");
        assert_eq!(missing_folders(&deep), [dir.path().join("a"), deep.clone()]);
        fs::create_dir_all(&deep).unwrap();
        assert!(missing_folders(&deep).is_empty());
    }
}
