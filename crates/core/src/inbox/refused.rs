//! Files that are never read: put aside in the install's own inbox, with a word why.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::Path;

use crate::install::{REFUSED, WHY, at, create_private};
use crate::system::cut;
use crate::{Error, Result};

/// The longest name that file systems take, less what is added to it.
const NAME_BYTES: usize = 255 - 16;
/// Refused files of one name that are kept apart.
const APART: u32 = 1_000;

/// Moves `path` into `inbox` as `NAME.refused`, beside a `NAME.why`. The same file system is taken for granted: both are
/// in the folder of the install. Nothing that was put aside before is overwritten. Answers what it is called now.
///
/// # Errors
/// [`Error::Io`].
pub(super) fn put_aside(path: &Path, name: &OsStr, inbox: &Path, why: &str) -> Result<OsString> {
    for number in 0..APART {
        let stem = stem(name, number);
        let called = with(&stem, REFUSED);
        let aside = inbox.join(&called);
        if fs::symlink_metadata(&aside).is_ok() {
            continue;
        }
        let note = inbox.join(with(&stem, WHY));
        match create_private(&note) {
            Ok(mut file) => file
                .write_all(format!("{why}\n").as_bytes())
                .map_err(at(&note))?,
            // Of an attempt that did not come to the end.
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists => {
            }
            Err(error) => return Err(error),
        }
        fs::rename(path, &aside).map_err(at(path))?;
        tracing::warn!(file = %aside.display(), why, "a file was refused");
        return Ok(called);
    }
    Err(Error::Refused(format!(
        "{} files called {} were refused already",
        APART,
        name.display()
    )))
}

fn stem(name: &OsStr, number: u32) -> OsString {
    let mut stem = cut(name, NAME_BYTES);
    if number > 0 {
        stem.push(format!("-{number}"));
    }
    stem
}

fn with(stem: &OsStr, end: &str) -> OsString {
    let mut name = stem.to_os_string();
    name.push(end);
    name
}
