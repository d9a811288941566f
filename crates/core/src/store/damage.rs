//! What happens to a store that cannot be used: it is told from other faults, and moved aside whole. It is never
//! overwritten and never removed.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDateTime};
use rusqlite::ErrorCode;

use super::FILE;
use crate::install::{at, write_private};
use crate::model::Micros;
use crate::system::{self, create_folder};
use crate::{Error, Result};

/// What the folder of a damaged store is called, before its date.
pub(super) const DAMAGED: &str = "damaged";
/// The same for a store that another one was restored over.
pub(super) const REPLACED: &str = "replaced";

/// The files of one store, the file itself last.
const TOGETHER: [&str; 4] = ["-wal", "-shm", "-journal", ""];
/// In a folder into which a store is being moved. While it is there, a move that was cut short is gone on with: a file
/// without its log is another store.
const MOVING: &str = "moving";

/// Tells a damaged file from other faults.
pub(super) fn named(path: &Path, error: Error) -> Error {
    match error {
        Error::Sqlite(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::StoreDamaged {
                path: path.into(),
                detail: error.to_string(),
            },
            Some(ErrorCode::ReadOnly) => Error::ReadOnly { path: path.into() },
            _ => Error::Sqlite(error),
        },
        other => other,
    }
}

/// Whether an error is of the store in `dir`, and not of a copy.
pub(super) fn is_store(dir: &Path, path: &Path) -> bool {
    path == dir.join(FILE) || path == Path::new(FILE)
}

/// Moves a damaged store, with what was found, into a folder of its own beside it, and gives that folder.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`].
pub(super) fn quarantine(dir: &Path, detail: &str, now: Micros) -> Result<PathBuf> {
    let folder = begin(dir, DAMAGED, Some(detail), now)?;
    end(dir, &folder)?;
    Ok(folder)
}

/// Moves the store with its log into a folder `KIND-DATE`, and gives that folder.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`].
pub(super) fn move_aside(dir: &Path, kind: &str, now: Micros) -> Result<PathBuf> {
    let folder = begin(dir, kind, None, now)?;
    end(dir, &folder)?;
    Ok(folder)
}

/// Ends moves that were cut short. The caller holds the lock, and has not opened the store.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`].
pub(super) fn finish(dir: &Path) -> Result<()> {
    for kind in [DAMAGED, REPLACED] {
        for folder in aside(dir, kind) {
            if folder.join(MOVING).exists() {
                end(dir, &folder)?;
            }
        }
    }
    Ok(())
}

/// Whether any file of a store is there, if only a log that was left behind.
pub(super) fn any_file(dir: &Path) -> bool {
    TOGETHER
        .iter()
        .any(|end| dir.join(format!("{FILE}{end}")).exists())
}

/// A folder into which the store is to be moved, and why; from now on [`finish`] does so.
fn begin(dir: &Path, kind: &str, why: Option<&str>, now: Micros) -> Result<PathBuf> {
    let folder = make(dir, kind, now)?;
    let write = || {
        if let Some(why) = why {
            write_private(&folder.join("why"), format!("{why}\n").as_bytes())?;
        }
        write_private(&folder.join(MOVING), b"")
    };
    match write() {
        Ok(()) => Ok(folder),
        Err(error) => {
            // Nothing of a store is in it yet.
            let _ = fs::remove_dir_all(&folder);
            Err(error)
        }
    }
}

fn end(dir: &Path, folder: &Path) -> Result<()> {
    for end in TOGETHER {
        let name = format!("{FILE}{end}");
        match fs::rename(dir.join(&name), folder.join(&name)) {
            Ok(()) => {}
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(at(folder)(source)),
        }
        sync_folder(folder)?;
        sync_folder(dir)?;
    }
    let moving = folder.join(MOVING);
    fs::remove_file(&moving).map_err(at(&moving))?;
    sync_folder(folder)
}

/// The folders `KIND-DATE` with a store in them, oldest first: one that was only made, before a kill, holds none.
pub(crate) fn aside(dir: &Path, kind: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let dated = name.to_str().and_then(|name| name.strip_prefix(kind));
            dated.is_some_and(|date| date.starts_with('-')) && holds(&entry.path())
        })
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders
}

/// Whether a store is in a folder, or being moved there. One that cannot be looked at may hold one.
fn holds(folder: &Path) -> bool {
    match fs::read_dir(folder) {
        Ok(entries) => entries.flatten().any(|entry| {
            let name = entry.file_name();
            name == MOVING || TOGETHER.iter().any(|end| name == *format!("{FILE}{end}"))
        }),
        Err(_) => folder.is_dir(),
    }
}

/// The folders of damaged stores, oldest first.
pub(crate) fn damaged(dir: &Path) -> Vec<PathBuf> {
    aside(dir, DAMAGED)
}

/// What all stores take that were moved aside.
pub(crate) fn aside_bytes(dir: &Path) -> u64 {
    [DAMAGED, REPLACED]
        .iter()
        .flat_map(|kind| aside(dir, kind))
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
        .filter_map(|entry| entry.metadata().ok())
        .map(|found| found.len())
        .sum()
}

/// Whether a store was ever moved aside, and is still there. A folder that cannot be looked at may hold one.
pub(super) fn any_aside(dir: &Path) -> bool {
    fs::read_dir(dir).is_err()
        || [DAMAGED, REPLACED]
            .iter()
            .any(|kind| !aside(dir, kind).is_empty())
}

/// When a store was last moved aside, damaged or replaced, by the folders that are there.
pub(super) fn last_aside(dir: &Path) -> Option<Micros> {
    [DAMAGED, REPLACED]
        .into_iter()
        .flat_map(|kind| aside(dir, kind).into_iter().map(move |path| (kind, path)))
        .filter_map(|(kind, path)| {
            let date = path.file_name()?.to_str()?.get(kind.len() + 1..)?;
            read_stamp(date.get(..STAMP_LENGTH)?)
        })
        .max()
}

fn make(dir: &Path, kind: &str, now: Micros) -> Result<PathBuf> {
    let date = stamp(now);
    for more in 1.. {
        let name = match more {
            1 => format!("{kind}-{date}"),
            _ => format!("{kind}-{date}-{more}"),
        };
        let folder = dir.join(name);
        match create_folder(&folder) {
            Ok(()) => return Ok(folder),
            Err(source) if source.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(at(&folder)(source)),
        }
    }
    unreachable!("there is a number that is free")
}

const STAMP: &str = "%Y-%m-%dT%H-%M-%SZ";
/// Characters of a stamp.
const STAMP_LENGTH: usize = 20;

/// A time in a file's name, in UTC.
pub(super) fn stamp(at: Micros) -> String {
    DateTime::from_timestamp_micros(at.0)
        .unwrap_or_default()
        .format(STAMP)
        .to_string()
}

/// What [`stamp`] wrote.
pub(super) fn read_stamp(text: &str) -> Option<Micros> {
    let at = NaiveDateTime::parse_from_str(text, STAMP).ok()?;
    Some(Micros(at.and_utc().timestamp_micros()))
}

/// What was renamed in a folder stays so after a power cut.
pub(super) fn sync_folder(folder: &Path) -> Result<()> {
    system::sync_folder(folder).map_err(at(folder))
}

#[cfg(test)]
mod tests {
    use super::super::{open_owner, open_reader};
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_move_that_was_cut_short_is_ended_before_the_store_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let opened = open_owner(dir.path(), Micros(0)).unwrap();
        opened
            .db
            .execute_batch("insert into name (text) values ('in the log')")
            .unwrap();
        let read = |name: &str| fs::read(dir.path().join(name)).unwrap();
        let (file, log) = (read(FILE), read("bobbin.sqlite-wal"));
        drop(opened);
        fs::write(dir.path().join(FILE), &file).unwrap();
        // As a kill leaves it: the log is moved, and the file still stands.
        let folder = begin(dir.path(), DAMAGED, Some("bad"), Micros(0)).unwrap();
        fs::write(folder.join("bobbin.sqlite-wal"), &log).unwrap();

        let opened = open_owner(dir.path(), Micros(1)).unwrap();
        let left: i64 = opened
            .db
            .query_one("select count(*) from name", [], |row| row.get(0))
            .unwrap();
        assert_eq!((left, damaged(dir.path()).len()), (0, 1));
        assert_eq!(names(&folder), [FILE, "bobbin.sqlite-wal", "why"]);
        let why = "bad\n".len();
        assert_eq!(
            aside_bytes(dir.path()),
            (file.len() + log.len() + why) as u64
        );
        let moved = open_reader(&folder).unwrap();
        let kept: i64 = moved
            .query_one("select count(*) from name", [], |row| row.get(0))
            .unwrap();
        assert_eq!(kept, 1);
    }

    #[test]
    fn a_stamp_is_read_back_also_from_folders_of_the_same_second() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(last_aside(dir.path()), None);
        let at = Micros(1_700_000_000_000_000);
        assert_eq!(stamp(at).len(), STAMP_LENGTH);
        for (kind, now) in [(REPLACED, at), (REPLACED, at), (DAMAGED, Micros(0))] {
            let folder = make(dir.path(), kind, now).unwrap();
            fs::write(folder.join(FILE), "").unwrap();
        }
        fs::create_dir(dir.path().join("damaged-by-hand")).unwrap();
        // As a kill leaves it that comes before anything is to be moved.
        make(dir.path(), DAMAGED, Micros(2 * at.0)).unwrap();
        assert_eq!(last_aside(dir.path()), Some(at));
        assert_eq!(damaged(dir.path()).len(), 1);
    }
}
