//! The Dask plugin that this binary carries, and its copy in the data folder that schedulers load.

use std::fs;
use std::path::{Path, PathBuf};

use bobbin_core::install;

use crate::failure::Failure;

/// The plugin, as it was when this binary was built.
pub const SOURCE: &str = include_str!("../../assets/plugin/bobbin.py");

/// Where the copy lies.
pub fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("plugin").join("bobbin.py")
}

/// How the copy compares with the plugin in this binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    Same,
    Different,
    Missing,
}

/// Compares the copy with the plugin in this binary, byte for byte.
pub fn compare(data_dir: &Path) -> Copy {
    match fs::read(path(data_dir)) {
        Ok(bytes) if bytes == SOURCE.as_bytes() => Copy::Same,
        Ok(_) => Copy::Different,
        Err(_) => Copy::Missing,
    }
}

/// Writes the copy (0600) unless it is already the same. Running schedulers keep what they loaded.
pub fn put(data_dir: &Path) -> Result<PathBuf, Failure> {
    let path = path(data_dir);
    if compare(data_dir) != Copy::Same {
        install::prepare(&data_dir.join("plugin"))?;
        install::write_private(&path, SOURCE.as_bytes())?;
    }
    Ok(path)
}
