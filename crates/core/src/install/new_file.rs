//! New files that leave the install: whole and with their row of the ledger, or not there.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::private::{at, create_private, give_name, unwritten};
use super::token::random;
use crate::model::visible::plain;
use crate::{Error, Result};

/// Makes a new file of mode 0600 in one step: whoever looks sees nothing, or all that `fill` writes. `note` runs when its bytes
/// are on the disk and before it has its name; where that fails, there is no file.
///
/// # Errors
/// [`Error::Refused`] where the file exists; [`Error::Io`], [`Error::NoRoomFor`]; as `note`.
pub(crate) fn put_new<T>(
    path: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
    note: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let write = |beside: &Path| {
        let mut file = create_private(beside)?;
        fill(&mut file)
            .and_then(|()| file.sync_all())
            .map_err(at(path))
    };
    put_written(path, write, |()| note())
}

/// The same for a file that `write` makes under another name beside its place; `note` is given what it said of it.
///
/// # Errors
/// As [`put_new`], and those of `write`.
pub(crate) fn put_written<W, T>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<W>,
    note: impl FnOnce(W) -> Result<T>,
) -> Result<T> {
    if path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    // A short name of its own: one that is as long as names may be has no room for an ending.
    let mut bytes_of_name = [0; 8];
    random(&mut bytes_of_name)?;
    let name = format!(".bobbin-{:016x}.new", u64::from_ne_bytes(bytes_of_name));
    let beside = Beside(path.with_file_name(name));
    let written = write(&beside.0).map_err(unwritten(path))?;
    let noted = note(written)?;
    match give_name(&beside.0, path).map_err(unwritten(path))? {
        true => Ok(noted),
        false => Err(exists(path)),
    }
}

/// A file that is not there any more when this goes.
struct Beside(PathBuf);

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// What is said where there is a file already.
pub(crate) fn exists(path: &Path) -> Error {
    Error::Refused(format!(
        "{} already exists, and Bobbin does not overwrite it: choose another name",
        plain(&path.display().to_string())
    ))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::Code;

    #[test]
    fn a_file_that_the_disk_has_no_room_for_is_named_and_no_part_of_it_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.html");
        let full = |file: &mut File| -> io::Result<()> {
            file.write_all(b"the beginning")?;
            Err(io::ErrorKind::StorageFull.into())
        };
        let error = put_new(&path, full, || -> Result<()> { panic!("a row of no file") });
        let error = error.unwrap_err();
        assert_eq!(error.code(), Code::DiskFull);
        let said = error.to_string();
        assert!(
            said.contains("the disk is full") && said.contains("report.html"),
            "{said}"
        );
        assert!(error.hint().is_some_and(|hint| hint.contains("free")));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
