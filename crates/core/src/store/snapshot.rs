//! Copies of the whole store, each one file in `snapshots/` that any SQLite tool opens: made beside whoever writes, checked
//! before they count, and the oldest removed only then. What is sealed stays sealed in them.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Connection, OpenFlags};

use super::damage::{stamp, sync_folder};
use super::{FILE, damage, migrate, open};
use crate::install::{at, check_private, create_private, open_private};
use crate::model::Micros;
use crate::system::{Disk, create_folder};
use crate::{Error, Result};

/// How many are kept. Those that were salvaged are not counted, and stay until somebody removes them.
const KEPT: usize = 3;
/// What a copy that somebody waits for may take beyond the store's own size, and leaves for others.
const SPARE_BYTES: u64 = 32 << 20;
const SALVAGED: &str = "salvaged";

/// One of the copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// Rises by one with each: clocks are set back at times.
    pub(crate) number: u32,
    pub(crate) path: PathBuf,
    pub(crate) taken: Micros,
    pub(crate) bytes: u64,
    /// Made of a damaged store, and perhaps not all of it.
    pub(crate) salvaged: bool,
}

/// What is in a store, as far as copies are compared by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) clusters: u64,
    pub(crate) batches: u64,
    /// Clusters that somebody had deleted by then.
    deleted: u64,
}

/// Who wants a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Somebody who can see what becomes of the disk.
    Asked,
    /// Nobody in particular: it leaves what batches leave.
    Unasked,
}

/// The folder of the copies.
pub(crate) fn folder(dir: &Path) -> PathBuf {
    dir.join("snapshots")
}

/// All copies, oldest first.
pub(crate) fn list(dir: &Path) -> Vec<Snapshot> {
    let Ok(entries) = fs::read_dir(folder(dir)) else {
        return Vec::new();
    };
    let mut found: Vec<Snapshot> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let stem = name.to_str()?.strip_suffix(".sqlite")?;
            let mut parts = stem.split('_');
            let number = parts.next()?.parse().ok()?;
            let taken = damage::read_stamp(parts.next()?)?;
            Some(Snapshot {
                number,
                path: entry.path(),
                taken,
                bytes: entry.metadata().ok()?.len(),
                salvaged: parts.next() == Some(SALVAGED),
            })
        })
        .collect();
    found.sort_by_key(|snapshot| snapshot.number);
    found
}

/// Copies what `db` reads, checks the copy, and only then counts it and removes the oldest beyond those that are kept, and those
/// that hold what somebody deleted since.
///
/// # Errors
/// [`Error::NoRoom`] and [`Error::DiskFull`], after which nothing has changed; [`Error::Busy`] while another is made;
/// [`Error::StoreDamaged`] if the copy is not as it should be, or the store cannot be read: it names which of the two.
pub(crate) fn take(
    dir: &Path,
    db: &Connection,
    wanted: Wanted,
    now: Micros,
) -> Result<(Snapshot, Held)> {
    let shelf = Shelf::open(dir)?;
    room(&shelf.folder, "a snapshot", used_bytes(db)?, wanted)?;
    let (target, found) = match copy(&shelf, dir, db) {
        // Once more: much may have been written and removed meanwhile.
        Err(Error::StoreDamaged { path, detail }) if path != dir.join(FILE) => {
            tracing::warn!(detail, "retrying a snapshot");
            fs::remove_file(&path).map_err(at(&path))?;
            copy(&shelf, dir, db)?
        }
        copied => copied?,
    };
    let snapshot = shelf.keep(&target, now, false)?;
    shelf.rotate(&snapshot, found)?;
    Ok((snapshot, found))
}

/// Whether a copy holds what was deleted from the store since, and another one would take its place.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn outdated(dir: &Path, db: &Connection) -> Result<bool> {
    let deleted = deleted(db)?;
    Ok(replaced(dir).iter().any(|copy| holds_more(copy, deleted)))
}

/// Whether a copy is from before somebody deleted what the others no longer hold. One that cannot be read stays: it may be all
/// that can be salvaged.
fn holds_more(copy: &Snapshot, deleted: u64) -> bool {
    deleted > 0 && held_by(&copy.path).is_ok_and(|held| held.deleted < deleted)
}

/// The copies in whose place others come, oldest first. What was taken before a store was moved aside is all that is left of
/// its history, and stays for as long as the folder of that store; what was salvaged, until somebody removes it.
pub(super) fn replaced(dir: &Path) -> Vec<Snapshot> {
    let mut copies = list(dir);
    copies.retain(|snapshot| !snapshot.salvaged);
    if let Some(aside) = damage::last_aside(dir) {
        copies.retain(|snapshot| snapshot.taken > aside);
    }
    copies
}

/// A copy that can be read and holds what the store held.
fn copy(shelf: &Shelf, dir: &Path, db: &Connection) -> Result<(PathBuf, Held)> {
    let before = held(db)?;
    let target = shelf.target()?;
    // It reads one state of the store, whatever is written meanwhile. The copy is new: what is damaged is the store. The copy's
    // cache is as large as this one.
    open::read_once(db, || {
        Ok(db.execute("vacuum into ?1", [target.to_string_lossy()])?)
    })
    .map_err(|error| damage::named(&dir.join(FILE), error))?;
    let found = check(&target)?;
    let after = held(db)?;
    if !between(found.clusters, before.clusters, after.clusters)
        || !between(found.batches, before.batches, after.batches)
        || !between(found.deleted, before.deleted, after.deleted)
    {
        return Err(Error::StoreDamaged {
            path: target,
            detail: format!("the copy holds {found:?}, the store {after:?}"),
        });
    }
    Ok((target, found))
}

fn between(found: u64, one: u64, other: u64) -> bool {
    (one.min(other)..=one.max(other)).contains(&found)
}

/// Reads all of a file that is nobody's but ours, looking for damage, and gives what it holds.
///
/// # Errors
/// [`Error::StoreDamaged`], [`Error::StoreTooNew`]; [`Error::Invalid`] if it is no store.
pub(super) fn check(path: &Path) -> Result<Held> {
    check_read(&reader(path)?, path)
}

/// The same of a file that is open.
pub(super) fn check_read(db: &Connection, path: &Path) -> Result<Held> {
    let named = |error| damage::named(path, error);
    open::settings(db).map_err(named)?;
    if migrate::check(db).map_err(named)? == 0 {
        return Err(Error::Invalid {
            what: "snapshot",
            value: path.display().to_string(),
            reason: "it is empty".into(),
        });
    }
    open::quick_check(db, path).map_err(named)?;
    held(db).map_err(named)
}

/// A file that is only read.
fn reader(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(path, flags)?)
}

/// The same; what is being read then is given up once `stopping` is so.
pub(super) fn reader_until(path: &Path, stopping: &Arc<AtomicBool>) -> Result<Connection> {
    let mut db = reader(path)?;
    let heard = Arc::clone(stopping);
    db.progress_handler(1_000, Some(move || heard.load(Ordering::Relaxed)))?;
    Ok(db)
}

/// What a file holds, without a look at all of it.
///
/// # Errors
/// [`Error::StoreDamaged`], [`Error::Sqlite`].
pub(super) fn held_by(path: &Path) -> Result<Held> {
    held(&reader(path)?).map_err(|error| damage::named(path, error))
}

/// Whether anything in a file is sealed to another key than this one.
fn sealed_to_others(path: &Path, newest: &[u8]) -> Result<bool> {
    Ok(reader(path)?.query_one(
        "select exists (
             select 1 from install_key as i join data_key as k on k.install_key_id = i.id where i.public_key <> ?1
         )",
        [newest],
        |row| row.get(0),
    )?)
}

/// Whether a copy, or a store that was moved aside, may have something sealed to another key than this one, which seals
/// since `since`. What cannot be looked at may.
pub(crate) fn older_keys_needed(dir: &Path, newest: &[u8], since: Micros) -> bool {
    let listed = match fs::read_dir(folder(dir)) {
        Ok(_) => true,
        Err(source) => source.kind() == std::io::ErrorKind::NotFound,
    };
    !listed
        || damage::any_aside(dir)
        || list(dir).iter().any(|copy| {
            // What is older than the key is not opened to see it.
            copy.taken <= since || sealed_to_others(&copy.path, newest).unwrap_or(true)
        })
}

fn held(db: &Connection) -> Result<Held> {
    let count = |sql| db.query_one(sql, [], |row| row.get(0));
    // A copy may be of a store from before rows were of several batches.
    let folds =
        count("select count(*) from pragma_table_info('batch') where name = 'batches'")? > 0u64;
    Ok(Held {
        deleted: deleted(db)?,
        clusters: count("select count(*) from cluster")?,
        batches: count(match folds {
            true => "select coalesce(sum(batches), 0) from batch",
            false => "select count(*) from batch",
        })?,
    })
}

/// Clusters that somebody ever deleted.
fn deleted(db: &Connection) -> rusqlite::Result<u64> {
    let counts = db.query_one(
        "select exists (select 1 from sqlite_schema where type = 'table' and name = 'deletions_done')",
        [],
        |row| row.get(0),
    )?;
    match counts {
        true => db.query_one("select clusters from deletions_done", [], |row| row.get(0)),
        // Of a store from before they were counted.
        false => Ok(0),
    }
}

/// What a copy of the store will take.
fn used_bytes(db: &Connection) -> Result<u64> {
    let pragma = |name| db.pragma_query_value(None, name, |row| row.get::<_, u64>(0));
    let pages = pragma("page_count")?.saturating_sub(pragma("freelist_count")?);
    Ok(pages * pragma("page_size")?)
}

/// Refuses what would not fit.
///
/// # Errors
/// [`Error::NoRoom`].
pub(super) fn room(folder: &Path, what: &'static str, bytes: u64, wanted: Wanted) -> Result<()> {
    fits(super::disk(folder)?, what, bytes, wanted)
}

fn fits(disk: Disk, what: &'static str, bytes: u64, wanted: Wanted) -> Result<()> {
    let spare = match wanted {
        Wanted::Asked => SPARE_BYTES,
        Wanted::Unasked => SPARE_BYTES.max(disk.spare_bytes()),
    };
    let needed_bytes = bytes + spare;
    if disk.free_bytes < needed_bytes {
        return Err(Error::NoRoom {
            what,
            needed_bytes,
            free_bytes: disk.free_bytes,
        });
    }
    Ok(())
}

/// The folder of the copies, while one is made.
pub(super) struct Shelf {
    dir: PathBuf,
    pub(super) folder: PathBuf,
    /// Held until it is done.
    _lock: File,
}

impl Shelf {
    /// # Errors
    /// [`Error::Busy`] while somebody else makes one; [`Error::Loosened`], [`Error::Io`].
    pub(super) fn open(dir: &Path) -> Result<Self> {
        let folder = folder(dir);
        match create_folder(&folder) {
            Ok(()) => {}
            Err(source) if source.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(at(&folder)(source)),
        }
        check_private(&folder)?;
        let path = folder.join("lock");
        let lock = open_private(&path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Busy),
            Err(TryLockError::Error(source)) => return Err(at(&path)(source)),
        }
        let shelf = Self {
            dir: dir.into(),
            folder,
            _lock: lock,
        };
        // What a copy that was cut short left behind.
        let left = shelf.folder.join("new");
        match fs::remove_dir_all(&left) {
            Ok(()) => {}
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(at(&left)(source)),
        }
        create_folder(&left).map_err(at(&left))?;
        Ok(shelf)
    }

    /// A new empty file, in the folder for what is not done yet.
    pub(super) fn target(&self) -> Result<PathBuf> {
        let path = self.work().join(FILE);
        create_private(&path)?;
        Ok(path)
    }

    /// A folder for what is not done yet. It is gone afterwards.
    pub(super) fn work(&self) -> PathBuf {
        self.folder.join("new")
    }

    /// Counts a copy that is whole from now on, also after a power cut.
    pub(super) fn keep(&self, target: &Path, now: Micros, salvaged: bool) -> Result<Snapshot> {
        // Windows flushes only what may be written.
        let file = File::options()
            .read(true)
            .write(true)
            .open(target)
            .map_err(at(target))?;
        file.sync_all().map_err(at(target))?;
        let bytes = file.metadata().map_err(at(target))?.len();
        let number = list(&self.dir).last().map_or(1, |last| last.number + 1);
        let end = if salvaged { "_salvaged" } else { "" };
        let path = self
            .folder
            .join(format!("{number:04}_{}{end}.sqlite", stamp(now)));
        // The number is free, and nobody else makes files here.
        fs::rename(target, &path).map_err(at(&path))?;
        sync_folder(&self.folder)?;
        Ok(Snapshot {
            number,
            path,
            taken: now,
            bytes,
            salvaged,
        })
    }

    /// Removes the oldest beyond those that are kept, and those that hold what the new one no longer does.
    fn rotate(&self, new: &Snapshot, held: Held) -> Result<()> {
        let copies = replaced(&self.dir);
        let older = copies.len().saturating_sub(KEPT);
        for (place, copy) in copies.iter().enumerate() {
            if place < older || copy.number < new.number && holds_more(copy, held.deleted) {
                fs::remove_file(&copy.path).map_err(at(&copy.path))?;
            }
        }
        sync_folder(&self.folder)
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        // If it stays, the next one removes it.
        let _ = fs::remove_dir_all(self.work());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_nobody_waits_for_leaves_more_of_the_disk() {
        let disk = Disk {
            free_bytes: 2 << 30,
            total_bytes: 1 << 40,
        };
        let fits = |bytes, wanted| fits(disk, "a snapshot", bytes, wanted);
        fits(1 << 30, Wanted::Unasked).unwrap();
        let refused = fits((1 << 30) + 1, Wanted::Unasked).unwrap_err();
        assert!(matches!(refused, Error::NoRoom { free_bytes, .. } if free_bytes == 2 << 30));
        let most = (2 << 30) - SPARE_BYTES;
        fits(most, Wanted::Asked).unwrap();
        fits(most + 1, Wanted::Asked).unwrap_err();
    }
}
