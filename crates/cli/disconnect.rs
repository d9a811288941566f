//! `bobbin disconnect`: Dask's configuration folder as it was before `connect`, byte for byte.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::connect::dask::Places;
use crate::connect::record::Record;
use crate::connect::{file, is_of};
use crate::failure::Failure;
use crate::print;

/// What `disconnect` did.
#[derive(Debug, Serialize)]
struct Disconnected {
    /// The file that was taken away; null when there was none.
    removed_file: Option<PathBuf>,
    /// Folders that `connect` had made and that are gone again.
    removed_folders: Vec<PathBuf>,
}

/// Runs the verb. Not being connected is not a failure.
pub fn run(data_dir: &Path, json: bool) -> Result<(), Failure> {
    let done = disconnect(data_dir)?;
    if json {
        return print::json(&done);
    }
    print::write(&match &done.removed_file {
        Some(file) => format!(
            "Disconnected: took away {}\nSchedulers that run already go on reporting until they end.\n",
            file.display()
        ),
        None => "Not connected: there was nothing to take away.\n".into(),
    })
}

fn disconnect(data_dir: &Path) -> Result<Disconnected, Failure> {
    let Some(record) = Record::read(data_dir)?.or_else(|| orphan(data_dir)) else {
        return Ok(Disconnected {
            removed_file: None,
            removed_folders: Vec::new(),
        });
    };
    let mut removed_file = None;
    match fs::read_to_string(&record.file) {
        Ok(text) if text == record.text => {
            fs::remove_file(&record.file)
                .map_err(|e| Failure::io("the Dask configuration file", &record.file, &e))?;
            removed_file = Some(record.file.clone());
        }
        Ok(_) => {
            return Err(Failure::refused(format!("the file was changed since `bobbin connect` wrote it: {}", record.file.display()))
                .hint("move your changes to another file, delete this one, and run `bobbin disconnect` again"));
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(Failure::io("the Dask configuration file", &record.file, &e)),
    }
    let mut removed_folders = Vec::new();
    for folder in record.made_folders.iter().rev() {
        // Somebody put something in, or took it away: either way it is not ours any more.
        if fs::remove_dir(folder).is_ok() {
            removed_folders.push(folder.clone());
        }
    }
    Record::remove(data_dir)?;
    Ok(Disconnected {
        removed_file,
        removed_folders,
    })
}

/// Our file in Dask's usual folder, when the note of it is lost.
fn orphan(data_dir: &Path) -> Option<Record> {
    let file = Places::find(None).ok()?.folder.join(file::NAME);
    let text = fs::read_to_string(&file).ok()?;
    is_of(&text, file::survives_expansion(data_dir)?).then_some(Record {
        file,
        text,
        made_folders: Vec::new(),
    })
}
