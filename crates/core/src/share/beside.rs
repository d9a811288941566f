//! A bundle that a person looks at before anything of it is stored: in a private folder of its own, which goes with it.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::bundle::{Opened, open};
use super::rows::cluster;
use crate::hex::hexadecimal;
use crate::install::{at, create_private, prepare, random};
use crate::{Error, Result};

/// The most that a file may be: that of ten thousand clusters is smaller.
const MOST_BYTES: u64 = 1 << 30;
const BUFFER_BYTES: usize = 256 << 10;
/// The most of its name that is kept, in characters.
const NAME: usize = 200;

/// A bundle that was looked at whole, and not stored. Dropping it removes its folder.
pub(crate) struct Offered {
    /// Drawn at random: whoever knows it may decide.
    pub(crate) id: String,
    /// What the file was called.
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// Of the file, in hexadecimal.
    pub(crate) sha256: String,
    pub(crate) bundle: Opened,
    /// Whether the file was none, and the bundle was made of it.
    pub(crate) rewritten: bool,
    folder: Folder,
}

impl Offered {
    /// Copies a bundle into a folder of its own below `dir`, and looks at all of it.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::TooLarge`] if it is no bundle, is cut or was changed; [`Error::Io`], [`Error::DiskFull`].
    /// Nothing of it is left then.
    pub(crate) fn take(dir: &Path, name: &str, from: &mut dyn Read) -> Result<Self> {
        Self::take_any(dir, name, from, &|_, _| Ok(false))
    }

    /// The same for a file that may be no bundle: `rewrite` then makes one of the copy, and says so.
    ///
    /// # Errors
    /// As [`Offered::take`], and those of `rewrite`.
    pub(crate) fn take_any(
        dir: &Path,
        name: &str,
        from: &mut dyn Read,
        rewrite: &dyn Fn(&Path, &str) -> Result<bool>,
    ) -> Result<Self> {
        let name: String = name.chars().take(NAME).collect();
        let mut rewritten = false;
        let mut taken = Self::make(dir, &name, |path| {
            let copied = copy(path, &name, from)?;
            rewritten = rewrite(path, &name)?;
            Ok(copied)
        })?;
        taken.rewritten = rewritten;
        Ok(taken)
    }

    /// The same for a bundle that is written here: `write` makes the file, and gives how long it is and its hash.
    ///
    /// # Errors
    /// As [`Offered::take`], and those of `write`.
    pub(crate) fn make(
        dir: &Path,
        name: &str,
        write: impl FnOnce(&Path) -> Result<(u64, String)>,
    ) -> Result<Self> {
        let mut drawn = [0; 16];
        random(&mut drawn)?;
        let id = hexadecimal(&drawn);
        let folder = Folder::new(dir, &id)?;
        let path = folder.0.join("bundle");
        let (bytes, sha256) = write(&path)?;
        let bundle = open(&path).map_err(|error| called(error, name))?;
        Ok(Self {
            id,
            name: name.into(),
            bytes,
            sha256,
            bundle,
            rewritten: false,
            folder,
        })
    }

    /// Where its store may be.
    pub(crate) fn store_dir(&self) -> PathBuf {
        self.folder.0.join("store")
    }
}

/// Whether a cluster has said who it is, without which nothing is told of it.
pub(crate) fn can_tell(db: &Connection, id: i64) -> bool {
    cluster(db, id).is_ok()
}

/// Removes what earlier runs left.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn clear(dir: &Path) -> Result<()> {
    let beside = beside(dir);
    match fs::remove_dir_all(&beside) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(at(&beside)(source)),
        _ => Ok(()),
    }
}

fn beside(dir: &Path) -> PathBuf {
    dir.join("beside")
}

/// Removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(dir: &Path, id: &str) -> Result<Self> {
        let beside = beside(dir);
        prepare(&beside)?;
        let folder = beside.join(id);
        prepare(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, folder = %self.0.display(), "Bobbin could not remove a bundle it had opened");
        }
    }
}

/// Copies all of `from`, and gives how much that was and its hash.
fn copy(path: &Path, name: &str, from: &mut dyn Read) -> Result<(u64, String)> {
    let mut file = create_private(path)?;
    let mut from = from.take(MOST_BYTES + 1);
    let mut hash = Sha256::new();
    let mut bytes = 0;
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let read = from.read(&mut buffer).map_err(at(Path::new(name)))?;
        if read == 0 {
            break;
        }
        hash.update(&buffer[..read]);
        write(&mut file, path, &buffer[..read])?;
        bytes += read as u64;
    }
    if bytes > MOST_BYTES {
        return Err(Error::TooLarge {
            what: "the bundle",
            limit: MOST_BYTES,
        });
    }
    Ok((bytes, hexadecimal(&hash.finalize())))
}

fn write(file: &mut File, path: &Path, bytes: &[u8]) -> Result<()> {
    std::io::Write::write_all(file, bytes).map_err(at(path))
}

/// A person knows the file by the name that it had.
fn called(error: Error, name: &str) -> Error {
    match error {
        Error::Invalid { what, reason, .. } => Error::Invalid {
            what,
            value: name.into(),
            reason,
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_bundle_is_refused_by_its_name_and_nothing_of_it_stays() {
        let dir = tempfile::tempdir().unwrap();
        let Err(error) = Offered::take(dir.path(), "notes.txt", &mut &b"some notes"[..]) else {
            panic!("taken")
        };
        let said = error.to_string();
        assert!(
            said.contains("notes.txt") && !said.contains("beside"),
            "{said}"
        );
        assert_eq!(fs::read_dir(beside(dir.path())).unwrap().count(), 0);
        clear(dir.path()).unwrap();
        clear(dir.path()).unwrap();
        assert!(!beside(dir.path()).exists());
    }
}
