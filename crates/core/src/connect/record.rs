//! What `connect` did, kept in the data folder so that `disconnect` can undo exactly that.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::install::{at, write_private};
use crate::{Error, Result};

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
    pub fn read(data_dir: &Path) -> Result<Option<Self>> {
        let path = path(data_dir);
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text)
                .map(Some)
                .map_err(|why| Error::Invalid {
                    what: "the record of what `connect` wrote",
                    value: path.display().to_string(),
                    reason: format!(
                        "{why}; move it away, and remove the file it names manually"
                    ),
                }),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(at(&path)(e)),
        }
    }

    /// Keeps it, before anything that it tells of is done.
    pub fn write(&self, data_dir: &Path) -> Result<()> {
        let path = path(data_dir);
        write_private(&path, serde_json::to_string_pretty(self)?.as_bytes())
    }

    /// Forgets it, after it was undone.
    pub fn remove(data_dir: &Path) -> Result<()> {
        let path = path(data_dir);
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(at(&path)(e)),
            _ => Ok(()),
        }
    }
}
