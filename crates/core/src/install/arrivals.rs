//! Where batches arrive without a receiver: the inbox, for files from anywhere, and the spool, in which plugins leave
//! what they could not send.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::system::{Owner, open_unfollowed};

/// How a file of batches ends.
pub const BATCHES: &str = ".bobbin";
/// How a file ends that was refused.
pub(crate) const REFUSED: &str = ".refused";
/// How the note beside it ends that says why.
pub(crate) const WHY: &str = ".why";
/// The folder in the inbox for files of other programs that were taken.
pub(crate) const DONE: &str = "done";
/// In the spool: a batch as it would have been posted, and one that is sealed.
pub(crate) const BATCH: &str = ".batch";
pub(crate) const SEALED: &str = ".sealed";
/// In each folder of the spool, held locked by its plugin for as long as it lives.
pub(crate) const LOCK: &str = "lock";

/// How files end that are still on their way: downloads, and copies that have no name of their own yet.
const ON_THE_WAY: [&str; 6] = [
    ".copy",
    ".crdownload",
    ".download",
    ".part",
    ".partial",
    ".tmp",
];

/// Whether a file of the inbox is looked at: what is done, was put aside, is hidden or still on its way is not.
pub(crate) fn is_looked_at(name: &str) -> bool {
    let left = [REFUSED, WHY].into_iter().chain(ON_THE_WAY);
    name != DONE
        && !name.starts_with('.')
        && !name.ends_with('~')
        && !left.into_iter().any(|end| name.ends_with(end))
}

/// The folder whose files of batches are read and then removed.
pub fn inbox_dir(dir: &Path) -> PathBuf {
    dir.join("inbox")
}

/// The folder in which each plugin that cannot send has one of its own.
pub fn spool_dir(dir: &Path) -> PathBuf {
    dir.join("spool")
}

/// What lies in the inbox and the spool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// Files in the inbox that are read, or on the way of being read.
    pub waiting_files: u64,
    /// Files that could not be read.
    pub refused_files: u64,
    /// Folders of the spool whose plugin is gone.
    pub spool_folders: u64,
    /// Sealed batches in these.
    pub sealed_files: u64,
}

/// Counts what lies in the inbox and the spool. What cannot be looked at is not counted.
pub fn arrivals(dir: &Path) -> Arrivals {
    let mut found = Arrivals::default();
    for name in names(&inbox_dir(dir)) {
        if name.ends_with(REFUSED) {
            found.refused_files += 1;
        } else if is_looked_at(&name) {
            found.waiting_files += 1;
        }
    }
    let spool = spool_dir(dir);
    for folder in names(&spool).map(|name| spool.join(name)) {
        if folder.is_dir() && matches!(lock_of_the_dead(&folder), Ok(Some(_))) {
            found.spool_folders += 1;
            found.sealed_files +=
                names(&folder).filter(|name| name.ends_with(SEALED)).count() as u64;
        }
    }
    found
}

/// Whether any sealed batch lies in the spool, also of plugins that live.
///
/// # Errors
/// It cannot be looked at: then there may be some.
pub(crate) fn any_sealed(dir: &Path) -> io::Result<bool> {
    let entries = |folder: &Path| match fs::read_dir(folder) {
        Ok(entries) => entries.collect::<io::Result<Vec<_>>>(),
        // A plugin that ends removes its folder; what is none holds no batches.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    };
    for folder in entries(&spool_dir(dir))? {
        for file in entries(&folder.path())? {
            if file.file_name().to_string_lossy().ends_with(SEALED) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn names(folder: &Path) -> impl Iterator<Item = String> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
}

/// The lock of a folder of the spool, held, if no living plugin holds it. A shared one will do, which on network file
/// systems needs no more than reading; a plugin's own is exclusive.
///
/// # Errors
/// There is none, or the file system has no locks.
pub(crate) fn lock_of_the_dead(folder: &Path) -> io::Result<Option<File>> {
    let lock = open_unfollowed(&folder.join(LOCK))?;
    match lock.try_lock_shared() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whose the folder of the install is: what others put there is not read.
///
/// # Errors
/// The folder cannot be looked at.
pub(crate) fn owner(dir: &Path) -> io::Result<Owner> {
    Ok(Owner::of(&fs::metadata(dir)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_what_was_refused_and_what_the_dead_left_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(arrivals(dir.path()), Arrivals::default());
        let (inbox, spool) = (inbox_dir(dir.path()), spool_dir(dir.path()));
        let (dead, alive) = (spool.join("dead"), spool.join("alive"));
        for folder in [&inbox, &dead, &alive] {
            fs::create_dir_all(folder).unwrap();
        }
        for name in [
            "a.bobbin",
            "b.bobbin",
            "c.bobbin.refused",
            "c.bobbin.why",
            "d.part",
            DONE,
        ] {
            fs::write(inbox.join(name), "").unwrap();
        }
        for folder in [&dead, &alive] {
            for name in ["lock", "1.sealed", "2.batch"] {
                fs::write(folder.join(name), "").unwrap();
            }
        }
        let held = File::open(alive.join(LOCK)).unwrap();
        held.lock().unwrap();
        let expected = Arrivals {
            waiting_files: 2,
            refused_files: 1,
            spool_folders: 1,
            sealed_files: 1,
        };
        assert_eq!(arrivals(dir.path()), expected);
        assert!(any_sealed(dir.path()).unwrap());
        drop(held);
        assert_eq!(arrivals(dir.path()).spool_folders, 2);
        for folder in [&dead, &alive] {
            fs::remove_file(folder.join("1.sealed")).unwrap();
        }
        fs::write(spool.join("no folder"), "").unwrap();
        assert!(!any_sealed(dir.path()).unwrap());
        // What cannot be read, here for being a link to itself, may hold some.
        std::os::unix::fs::symlink("loop", spool.join("loop")).unwrap();
        any_sealed(dir.path()).unwrap_err();
    }
}
