//! The plugin that this build carries, and its copy in the folder, which schedulers load.

use std::fs;
use std::path::{Path, PathBuf};

use super::{prepare, write_private};
use crate::Result;

/// A file of the package that reads, as it was when this binary was built.
macro_rules! reader {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../../assets/plugin/bobbin_reader/", $name)),
        )
    };
}

/// The plugin, as it was when this binary was built.
pub const PLUGIN: &str = include_str!("../../../../assets/plugin/bobbin.py");

/// What `import bobbin` reads the store with, where that copy is on the Python path: a package beside it.
const READER: [(&str, &str); 8] = [
    reader!("__init__.py"),
    reader!("card.py"),
    reader!("command.py"),
    reader!("errors.py"),
    reader!("py.typed"),
    reader!("receiver.py"),
    reader!("rows.py"),
    reader!("store.py"),
];

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
    let reader = dir.join("plugin").join("bobbin_reader");
    prepare(&reader)?;
    for (name, text) in READER {
        let file = reader.join(name);
        if fs::read(&file).ok().as_deref() != Some(text.as_bytes()) {
            write_private(&file, text.as_bytes())?;
        }
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
        let reader = dir.path().join("plugin/bobbin_reader/store.py");
        fs::write(&reader, "older").unwrap();
        put_plugin(dir.path()).unwrap();
        assert!(fs::read_to_string(reader).unwrap().contains("mode=ro"));
    }

    #[test]
    fn all_of_the_package_that_reads_is_put() {
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/plugin/bobbin_reader");
        let mut files: Vec<String> = fs::read_dir(source)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "__pycache__")
            .collect();
        files.sort();
        assert_eq!(files, READER.map(|(name, _)| name));
    }
}
