//! A snapshot in the place of the store. The store that was there is moved aside, never overwritten.
//!
//! The copy is made whole and checked under another name first; from the moment it has the name [`READY`], the exchange
//! is ended by whoever opens the store next, should it be cut short.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::damage::{REPLACED, move_aside, sync_folder};
use super::snapshot::{self, Held, Snapshot};
use super::{FILE, damage, open};
use crate::install::{at, create_private};
use crate::model::Micros;
use crate::{Error, Result};

/// A copy that is to be the store.
const READY: &str = "bobbin.sqlite.restored";

/// What a restore did.
#[derive(Clone, Debug)]
pub(crate) struct Restored {
    pub(crate) from: PathBuf,
    pub(crate) held: Held,
    /// Where the store is that was there before.
    pub(crate) replaced: Option<PathBuf>,
}

/// Puts a snapshot (its number, its file's name, or a path; the newest where none is named) in the place of the store.
///
/// # Errors
/// [`Error::StoreInUse`] while somebody writes; [`Error::NotFound`], [`Error::StoreDamaged`] and [`Error::NoRoom`],
/// after which all is as it was.
pub(crate) fn restore(dir: &Path, wanted: Option<&str>, now: Micros) -> Result<Restored> {
    let _lock = open::take_lock(dir)?;
    damage::finish(dir)?;
    let from = find(dir, wanted)?;
    snapshot::check(&from)?;
    let bytes = from.metadata().map_err(at(&from))?.len();
    snapshot::room(dir, "restoring", bytes, snapshot::Wanted::Asked)?;
    let new = dir.join(format!("{READY}.new"));
    let held = copy(&from, &new, &Arc::default()).inspect_err(|_| {
        // It is written anew next time, in any case.
        let _ = fs::remove_file(&new);
    })?;
    fs::rename(&new, dir.join(READY)).map_err(at(&new))?;
    sync_folder(dir)?;
    let replaced = finish(dir, now)?;
    let path = dir.join(FILE);
    let found = snapshot::held_by(&path)?;
    if found != held {
        return Err(Error::StoreDamaged {
            path,
            detail: format!("it holds {found:?}, but the restored store holds {held:?}"),
        });
    }
    Ok(Restored {
        from,
        held,
        replaced,
    })
}

/// Ends an exchange that was begun. The caller holds the lock.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`].
pub(super) fn finish(dir: &Path, now: Micros) -> Result<Option<PathBuf>> {
    let ready = dir.join(READY);
    if !ready.exists() {
        return Ok(None);
    }
    // A log alone, too: SQLite would take it for that of the file which comes in its place.
    let replaced = damage::any_file(dir)
        .then(|| move_aside(dir, REPLACED, now))
        .transpose()?;
    fs::rename(&ready, dir.join(FILE)).map_err(at(&ready))?;
    sync_folder(dir)?;
    Ok(replaced)
}

fn find(dir: &Path, wanted: Option<&str>) -> Result<PathBuf> {
    let copies = snapshot::list(dir);
    let is_meant = |copy: &&Snapshot| match wanted {
        None => !copy.salvaged,
        Some(text) => {
            text.parse() == Ok(copy.number)
                || copy.path.file_name().and_then(|name| name.to_str()) == Some(text)
        }
    };
    if let Some(found) = copies.iter().rev().find(is_meant) {
        return Ok(found.path.clone());
    }
    // As seen from where one is, else from the folder of the install.
    let meant = wanted.and_then(|path| {
        [PathBuf::from(path), dir.join(path)]
            .into_iter()
            .find(|path| path.is_file())
    });
    meant.ok_or_else(|| Error::NotFound {
        kind: "snapshot",
        id: wanted.unwrap_or("at all").into(),
    })
}

/// By SQLite and not byte for byte: a store that was moved aside may have a log beside it.
pub(super) fn copy(from: &Path, new: &Path, stopping: &Arc<AtomicBool>) -> Result<Held> {
    match fs::remove_file(new) {
        Ok(()) => {}
        Err(source) if source.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(at(new)(source)),
    }
    let to = create_private(new)?;
    snapshot::reader_until(from, stopping)?
        .execute("vacuum into ?1", [new.to_string_lossy()])
        .map_err(|error| damage::named(from, error.into()))?;
    to.sync_all().map_err(at(new))?;
    snapshot::check_read(&snapshot::reader_until(new, stopping)?, new)
}
