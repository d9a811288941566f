//! The programs of `tests/peers`, which stories run beside Bobbin.

use std::path::{Path, PathBuf};

use super::lacking::lacking;

/// The script of a peer below `node_modules`; `None`, said aloud, where the set-up did not install it.
#[track_caller]
pub fn peer(story: &str, script: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/node_modules");
    let path = folder.join(script);
    if path.is_file() {
        return Some(path);
    }
    let reason =
        format!("there is no tests/peers/node_modules/{script} (`cargo xtask setup` installs it)");
    lacking(story, &reason);
    None
}
