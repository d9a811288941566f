//! Files of other programs that were taken from the install's own inbox. Bobbin stores a part of what is in them, so they are kept.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::install::{DONE, at, prepare};
use crate::system::cut;
use crate::{Error, Result};

/// The longest name that file systems take.
const NAME_BYTES: usize = 255;
/// Files of one name that are kept apart.
const APART: u32 = 1_000;

/// Moves a file of the inbox into the folder `done` in it. Nothing that lies there is overwritten.
///
/// # Errors
/// [`Error::Refused`] if too many files of that name lie there; [`Error::Loosened`], [`Error::Io`].
pub(super) fn keep(path: &Path) -> Result<()> {
    let (Some(inbox), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(());
    };
    let folder = inbox.join(DONE);
    prepare(&folder)?;
    let name = name.to_string_lossy();
    for number in 1..=APART {
        let kept = match number {
            1 => folder.join(&*name),
            _ => folder.join(cut(OsStr::new(&format!("{number}-{name}")), NAME_BYTES)),
        };
        if fs::symlink_metadata(&kept).is_err() {
            return fs::rename(path, kept).map_err(at(path));
        }
    }
    Err(Error::Refused(format!(
        "{} already holds {APART} files called {name}",
        folder.display()
    )))
}
