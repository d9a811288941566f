//! What plugins left that could not send: folders of the spool whose plugin is gone.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::file::{self, Opened};
use super::taken::{self, Fate, Taken, Told};
use super::{Inbox, Next, Together, refused, told};
use crate::install::{BATCH, LOCK, SEALED, at, inbox_dir, lock_of_the_dead, spool_dir};
use crate::model::Micros;
use crate::seal::{self, Keys};
use crate::system::{Owner, modified};
use crate::wire::{Batch, Limits, decode, inflate};
use crate::{Error, Result};

/// A plugin that starts makes its lock and then takes it: in between nobody else may.
const TAKING_ITS_LOCK_MICROS: i64 = 2_000_000;
/// A folder without a lock is one that is just being made, or was almost removed.
const MAKING_ITS_FOLDER_MICROS: i64 = 60_000_000;
/// Batches of one folder that are listed at once.
const LISTED: usize = 100_000;
/// Endings of what a plugin was writing when it was killed.
const UNFINISHED: [&str; 2] = [".part", ".tmp"];

/// Why a file of the spool is not stored.
enum Unstored {
    /// Not yet: the key is not here.
    Locked,
    Gone,
    Never(String),
}

impl Inbox {
    /// Looks at each folder of the spool.
    pub(super) fn spool(&self, go_on: &dyn Fn() -> bool) -> Next {
        let spool = spool_dir(self.app.dir());
        let entries = match fs::read_dir(&spool) {
            Ok(entries) => entries,
            Err(error) => {
                told(&spool, &at(&spool)(error));
                return Next::Later;
            }
        };
        let mut next = Next::Later;
        for path in entries.flatten().map(|entry| entry.path()) {
            let ours = fs::symlink_metadata(&path)
                .is_ok_and(|found| found.is_dir() && Owner::of(&found) == self.owner);
            if !ours {
                continue;
            }
            if !go_on() {
                return next;
            }
            match self.left(&path, go_on) {
                Ok(again) => next = next.max(again),
                Err(error) => told(&path, &error),
            }
        }
        next
    }

    /// Stores what lies in one folder, if its plugin is gone, and removes it.
    fn left(&self, folder: &Path, go_on: &dyn Fn() -> bool) -> Result<Next> {
        // Held until the folder is empty, so that no plugin adopts it meanwhile.
        let lock = match lock_of_the_dead(folder) {
            Ok(Some(lock))
                if is_younger(
                    &lock.metadata().map_err(at(folder))?,
                    self.app.now(),
                    TAKING_ITS_LOCK_MICROS,
                ) =>
            {
                return Ok(Next::Soon);
            }
            Ok(Some(lock)) => Some(lock),
            Ok(None) => return Ok(Next::Later),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let found = fs::symlink_metadata(folder).map_err(at(folder))?;
                if is_younger(&found, self.app.now(), MAKING_ITS_FOLDER_MICROS) {
                    return Ok(Next::Later);
                }
                None
            }
            Err(error) => return Err(at(&folder.join(LOCK))(error)),
        };
        let mut stored = Told::default();
        let outcome = self.read_left(folder, lock, &mut stored, go_on);
        if !stored.is_nothing() {
            let name = folder.file_name().unwrap_or_default();
            let taken = Taken {
                folder: spool_dir(self.app.dir()).to_string_lossy().into_owned(),
                name: name.to_string_lossy().into_owned(),
                size_bytes: None,
                told: stored,
                // What is sealed while the key is away, or was left at a stop, is read at another look.
                goes_on: true,
                begun: false,
                fate: Fate::Read,
            };
            taken::note(&self.app, taken)?;
        }
        outcome
    }

    /// Stores what lies in a folder whose plugin is gone, and removes it. `stored` says what was, also when something failed.
    fn read_left(
        &self,
        folder: &Path,
        lock: Option<File>,
        stored: &mut Told,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Next> {
        let names = names(folder)?;
        let mut together = Together::default();
        let mut read: Vec<PathBuf> = Vec::new();
        let mut stays = false;
        for name in &names {
            if !go_on() {
                return Ok(Next::Soon);
            }
            let path = folder.join(name);
            let done = self.batch(&path).and_then(|batch| {
                match batch {
                    Ok(batch) => {
                        together.push(batch);
                        read.push(path.clone());
                    }
                    Err(Unstored::Locked) => stays = true,
                    Err(Unstored::Gone) => {}
                    Err(Unstored::Never(why)) => self.put_aside(folder, &path, &why)?,
                }
                Ok(())
            });
            if let Err(error) = done {
                told(&path, &error);
                stays = true;
            }
            if together.is_full() {
                self.store_and_remove(&mut together, &mut read, stored)?;
            }
        }
        self.store_and_remove(&mut together, &mut read, stored)?;
        if stays {
            return Ok(Next::Later);
        }
        if names.len() == LISTED {
            return Ok(Next::Soon);
        }
        remove(folder, lock)?;
        if !names.is_empty() {
            tracing::info!(folder = %folder.display(), batches = names.len(), "read and removed");
        }
        Ok(Next::Later)
    }

    /// A batch of the spool.
    fn batch(&self, path: &Path) -> Result<std::result::Result<Batch, Unstored>> {
        let file = match file::open(path, self.owner).map_err(at(path))? {
            Opened::File(file) => file,
            Opened::Gone => return Ok(Err(Unstored::Gone)),
            Opened::Refused(why) => return Ok(Err(Unstored::Never(why.into()))),
        };
        let bytes = read(file).map_err(at(path))?;
        let sealed = path.to_string_lossy().ends_with(SEALED);
        match unpacked(self.app.keys(), bytes, sealed) {
            Ok(batch) => Ok(Ok(batch)),
            Err(Error::Locked | Error::Keyring(_)) => Ok(Err(Unstored::Locked)),
            Err(error @ (Error::Invalid { .. } | Error::TooLarge { .. } | Error::Sealed(_))) => {
                Ok(Err(Unstored::Never(error.to_string())))
            }
            Err(error) => Err(error),
        }
    }

    fn store_and_remove(
        &self,
        together: &mut Together,
        read: &mut Vec<PathBuf>,
        stored: &mut Told,
    ) -> Result<()> {
        stored.add(together.store(&self.app)?);
        for path in read.drain(..) {
            fs::remove_file(&path).map_err(at(&path))?;
        }
        Ok(())
    }

    /// Into the inbox, so that the folder can go and all that was refused lies in one place.
    fn put_aside(&self, folder: &Path, path: &Path, why: &str) -> Result<()> {
        let mut name = OsString::from(folder.file_name().unwrap_or_default());
        name.push("-");
        name.push(path.file_name().unwrap_or_default());
        let inbox = inbox_dir(self.app.dir());
        let aside = refused::put_aside(path, &name, &inbox, why)?;
        let taken = Taken {
            folder: inbox.to_string_lossy().into_owned(),
            name: name.to_string_lossy().into_owned(),
            size_bytes: None,
            told: Told::default(),
            goes_on: false,
            begun: false,
            fate: Fate::Refused {
                why: why.into(),
                aside: Some(aside.to_string_lossy().into_owned()),
            },
        };
        taken::note(&self.app, taken)
    }
}

/// The whole of a file, but never more than a sealed batch may be and a byte.
fn read(file: File) -> std::io::Result<Vec<u8>> {
    let most = Limits::default().wire_bytes + seal::SEALED_MORE_BYTES;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unpacked(keys: &Keys, bytes: Vec<u8>, sealed: bool) -> Result<Batch> {
    let packed = if sealed {
        keys.open_batch(&bytes)?
    } else {
        bytes
    };
    decode(&inflate(&packed, &Limits::default())?)
}

/// The batches of a folder in the order in which they were made: their names begin with a sequence number of twelve
/// digits.
fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .map_err(at(folder))?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(BATCH) || name.ends_with(SEALED))
        .take(LISTED)
        .collect();
    names.sort();
    Ok(names)
}

/// Removes a folder of which everything was read. What is in it that no plugin writes stays, and so does the folder.
fn remove(folder: &Path, lock: Option<File>) -> Result<()> {
    let rest: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(at(folder))?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    let goes = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name == LOCK || UNFINISHED.iter().any(|end| name.ends_with(end))
    };
    if let Some(odd) = rest.iter().find(|path| !goes(path)) {
        return Err(Error::Refused(format!(
            "{} was not written by a plugin; remove it manually",
            odd.display()
        )));
    }
    for path in rest {
        fs::remove_file(&path).map_err(at(&path))?;
    }
    // On NFS a file that is open stays in its folder under another name.
    drop(lock);
    fs::remove_dir(folder).map_err(at(folder))
}

fn is_younger(found: &Metadata, now: Micros, than_micros: i64) -> bool {
    let age = now.0 - modified(found).0;
    (0..than_micros).contains(&age)
}
