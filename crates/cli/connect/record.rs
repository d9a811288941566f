//! What `connect` did, kept in the data folder so that `disconnect` can undo exactly that.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bobbin_core::install;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// One connection to Dask's configuration. A data folder has at most one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The file that was written.
    pub file: PathBuf,
    /// Its text, to tell whether somebody changed it since.
    pub text: String,
    /// Folders that were made for it, outermost first.
    pub made_folders: Vec<PathBuf>,
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("connected.json")
}

impl Record {
    /// The record of this data folder, if it is connected.
    pub fn read(data_dir: &Path) -> Result<Option<Self>, Failure> {
        let path = path(data_dir);
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|e| {
                Failure::failed(format!(
                    "the note of what `connect` wrote: {}: {e}",
                    path.display()
                ))
            }),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Failure::io("the note of what `connect` wrote", &path, &e)),
        }
    }

    /// Keeps it, before anything that it tells of is done.
    pub fn write(&self, data_dir: &Path) -> Result<(), Failure> {
        let path = path(data_dir);
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| Failure::failed(format!("a note as JSON: {e}")))?;
        Ok(install::write_private(&path, text.as_bytes())?)
    }

    /// Forgets it, after it was undone.
    pub fn remove(data_dir: &Path) -> Result<(), Failure> {
        let path = path(data_dir);
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                Err(Failure::io("the note of what `connect` wrote", &path, &e))
            }
            _ => Ok(()),
        }
    }
}
