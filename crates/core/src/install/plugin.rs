//! The plugin that this build carries, and its copy in the folder, which schedulers load.

use std::fs;
use std::path::{Path, PathBuf};

use super::{prepare, write_private};
use crate::Result;

/// The plugin, as it was when this binary was built.
pub const PLUGIN: &str = include_str!("../../../../assets/plugin/bobbin.py");

/// How the copy compares with [`PLUGIN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginCopy {
    Same,
    Different,
    Missing,
}

/// Where the copy lies, or would.
pub fn plugin_path(dir: &Path) -> PathBuf {
    dir.join("plugin").join("bobbin.py")
}

/// Compares the copy with [`PLUGIN`], byte for byte.
pub fn plugin_copy(dir: &Path) -> PluginCopy {
    match fs::read(plugin_path(dir)) {
        Ok(bytes) if bytes == PLUGIN.as_bytes() => PluginCopy::Same,
        Ok(_) => PluginCopy::Different,
        Err(_) => PluginCopy::Missing,
    }
}

/// Writes the copy (0600) unless it is already the same. Running schedulers keep what they loaded.
///
/// # Errors
/// [`crate::Error::Io`], [`crate::Error::Loosened`].
pub fn put_plugin(dir: &Path) -> Result<PathBuf> {
    let path = plugin_path(dir);
    if plugin_copy(dir) != PluginCopy::Same {
        prepare(&dir.join("plugin"))?;
        write_private(&path, PLUGIN.as_bytes())?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_follows_the_build() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(plugin_copy(dir.path()), PluginCopy::Missing);
        let path = put_plugin(dir.path()).unwrap();
        assert_eq!(plugin_copy(dir.path()), PluginCopy::Same);
        fs::write(&path, "older").unwrap();
        assert_eq!(plugin_copy(dir.path()), PluginCopy::Different);
        put_plugin(dir.path()).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), PLUGIN);
    }
}
