//! Where stages lie: each in a folder that has its number.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::install::{at, prepare, unwritten, write_private};

/// Where stages lie, in the folder of the install.
const FOLDER: &str = "staged";
/// Holds the highest number that was ever used.
const LAST: &str = "last";

pub(super) fn folder(dir: &Path, id: i64) -> PathBuf {
    dir.join(FOLDER).join(id.to_string())
}

/// The numbers of all stages.
pub(super) fn numbers(dir: &Path) -> Result<Vec<i64>> {
    let root = dir.join(FOLDER);
    let mut ids = Vec::new();
    match fs::read_dir(&root) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(at(&root)(error)),
        Ok(found) => {
            for entry in found {
                let name = entry.map_err(at(&root))?.file_name();
                ids.extend(name.to_str().and_then(|name| name.parse::<i64>().ok()));
            }
        }
    }
    ids.sort_unstable();
    Ok(ids)
}

/// A number that no stage ever had, with its folder: what is still written for one that was discarded finds no other in its place.
pub(super) fn fresh_number(dir: &Path) -> Result<i64> {
    let root = dir.join(FOLDER);
    prepare(&root)?;
    let path = root.join(LAST);
    let said = match fs::read_to_string(&path) {
        Ok(text) => text.trim().parse().unwrap_or(0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(at(&path)(error)),
    };
    let mut id: i64 = numbers(dir)?.last().copied().unwrap_or(0).max(said);
    loop {
        id += 1;
        let folder = folder(dir, id);
        // Of several at once, one has it.
        match fs::create_dir(&folder) {
            Ok(()) => {
                let noted =
                    prepare(&folder).and_then(|()| write_private(&path, id.to_string().as_bytes()));
                if noted.is_err() {
                    // Nothing of a stage that never was.
                    let _ = fs::remove_dir(&folder);
                }
                return noted.map(|()| id).map_err(unwritten(&path));
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(unwritten(&folder)(at(&folder)(error))),
        }
    }
}
