//! The programs of `tests/peers`, which stories run beside Bobbin.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The script of a peer below `node_modules`; `None`, said aloud, where the set-up did not install it.
pub fn peer(story: &str, script: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/node_modules");
    let path = folder.join(script);
    if path.is_file() {
        return Some(path);
    }
    let reason = format!(
        "skipped: {story}: there is no tests/peers/node_modules/{script} (`cargo xtask setup` installs it)"
    );
    assert!(
        std::env::var_os("BOBBIN_STORIES").is_none_or(|wish| wish != "required"),
        "{reason}"
    );
    let _ = writeln!(std::io::stderr().lock(), "{reason}");
    None
}
