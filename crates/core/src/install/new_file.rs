//! New files outside the install: whole, and with their row of the ledger if they leave it, or not there.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::private::{at, create_private, give_name, unwritten};
use super::token::random;
use crate::model::visible::plain;
use crate::system::{Owner, modified};
use crate::{Error, Result};

/// How a file is called that has no name yet, around a number of 16 digits.
const BEGINS: &str = ".bobbin-";
const ENDS: &str = ".new";
/// In microseconds: what was not written to for so long nobody goes on with. Whoever writes one writes all the time.
const ABANDONED: i64 = 3_600_000_000;

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
    let file = Unnamed::at(path)?;
    let written = write(file.path()).map_err(unwritten(path))?;
    let noted = note(written)?;
    file.give_name()?;
    Ok(noted)
}

/// A new file that is written under another name beside its place, and has its own once it is whole. Where it does not come to that,
/// nothing of it stays.
pub struct Unnamed {
    beside: PathBuf,
    name: PathBuf,
}

impl Unnamed {
    /// One that is to be at `name`.
    ///
    /// # Errors
    /// [`Error::Refused`] where a file is there; [`Error::Io`] without random numbers.
    pub fn at(name: &Path) -> Result<Self> {
        if name.symlink_metadata().is_ok() {
            return Err(exists(name));
        }
        // A short name of its own: one that is as long as names may be has no room for an ending.
        let mut drawn = [0; 8];
        random(&mut drawn)?;
        let number = u64::from_ne_bytes(drawn);
        let beside = name.with_file_name(format!("{BEGINS}{number:016x}{ENDS}"));
        // Before anything needs the room.
        sweep(&beside);
        Ok(Self {
            beside,
            name: name.into(),
        })
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.beside
    }

    /// It is whole.
    ///
    /// # Errors
    /// [`Error::Refused`] where a file came there meanwhile; [`Error::Io`], [`Error::NoRoomFor`].
    pub fn give_name(self) -> Result<()> {
        match give_name(&self.beside, &self.name).map_err(unwritten(&self.name))? {
            true => Ok(()),
            false => Err(exists(&self.name)),
        }
    }
}

impl Drop for Unnamed {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.beside);
    }
}

/// Removes what processes that were killed left of such files in the same folder: of the same user, and old by the clock of that
/// folder, which an empty file says that is there for a moment.
fn sweep(empty: &Path) {
    let Ok(file) = create_private(empty) else {
        return;
    };
    let about = file.metadata();
    drop(file);
    let _ = fs::remove_file(empty);
    let folder = empty.parent().filter(|folder| *folder != Path::new(""));
    let entries = fs::read_dir(folder.unwrap_or(Path::new(".")));
    let (Ok(about), Ok(entries)) = (about, entries) else {
        return;
    };
    for entry in entries.flatten() {
        if !entry.file_name().to_str().is_some_and(is_unfinished) {
            continue;
        }
        // Not of what a link points to.
        let left = entry.metadata().is_ok_and(|found| {
            found.is_file()
                && Owner::of(&found) == Owner::of(&about)
                && modified(&about).0.saturating_sub(modified(&found).0) >= ABANDONED
        });
        if left {
            let path = entry.path();
            match fs::remove_file(&path) {
                Ok(()) => {
                    tracing::info!(path = %path.display(), "removed what a killed process left behind");
                }
                Err(error) => {
                    tracing::warn!(%error, path = %path.display(), "Bobbin could not remove what a killed process left behind");
                }
            }
        }
    }
}

/// Whether a file is called as those that have no name yet, or as a part of one.
fn is_unfinished(name: &str) -> bool {
    let rest = name.strip_prefix(BEGINS);
    let Some((number, end)) = rest.and_then(|rest| rest.split_at_checked(16)) else {
        return false;
    };
    let behind = end.strip_prefix(ENDS);
    number
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && behind.is_some_and(|part| part.is_empty() || part.starts_with('.'))
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
    use std::time::Duration;

    use super::*;
    use crate::Code;

    #[test]
    fn what_a_killed_process_left_goes_with_the_next_file_and_nothing_else_does() {
        let dir = tempfile::tempdir().unwrap();
        let made = |name: &str, hours_ago: i64| {
            let path = dir.path().join(name);
            let file = File::create(&path).unwrap();
            let now = file.metadata().unwrap().modified().unwrap();
            let apart = Duration::from_secs(hours_ago.unsigned_abs() * 3_600);
            let then = match hours_ago {
                0.. => now - apart,
                _ => now + apart,
            };
            file.set_modified(then).unwrap();
            path
        };
        let left = [
            made(".bobbin-0123456789abcdef.new", 2),
            made(".bobbin-0123456789abcdef.new.77.partial", 2),
        ];
        let others = [
            // Somebody may be writing it.
            made(".bobbin-fedcba9876543210.new", 0),
            // By a clock that was ahead.
            made(".bobbin-1111111111111111.new", -2),
            made(".bobbin-0123456789abcdef.news", 2),
            made(".bobbin-FFFFFFFFFFFFFFFF.new", 2),
            made(".bobbin-notes.new", 2),
            made("notes.new", 2),
        ];
        let link = dir.path().join(".bobbin-2222222222222222.new");
        std::os::unix::fs::symlink(dir.path().join("notes.new"), &link).unwrap();
        let path = dir.path().join("report.html");
        put_new(&path, |file| file.write_all(b"all"), || Ok(())).unwrap();
        assert_eq!(left.map(|path| path.exists()), [false; 2]);
        assert_eq!(others.map(|path| path.exists()), [true; 6]);
        assert!(link.is_symlink());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 8);
    }

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
