//! Opening the file: what is set on every connection, and what is refused.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{FILE, migrate};
use crate::install::{at, check_private, create_private, open_private, prepare};
use crate::{Error, Result};

/// Up to this size a file is checked whole at start: about two seconds.
const CHECKED_BYTES: u64 = 5 << 30;
/// The log is cut to this after a checkpoint.
const LOG_BYTES: i64 = 64 << 20;

/// A store that this process owns.
pub(crate) struct Opened {
    /// Held for as long as the store is owned.
    pub(crate) lock: File,
    pub(crate) db: Connection,
}

/// Takes the lock, opens or creates the file, checks it and brings it up to date.
///
/// # Errors
/// [`Error::StoreInUse`], [`Error::StoreDamaged`], [`Error::StoreTooNew`], [`Error::Loosened`], [`Error::Io`].
pub(crate) fn open_owner(dir: &Path) -> Result<Opened> {
    prepare(dir)?;
    let lock_path = dir.join("lock");
    let lock = open_private(&lock_path)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(Error::StoreInUse { path: dir.into() }),
        Err(TryLockError::Error(source)) => return Err(at(&lock_path)(source)),
    }
    let path = dir.join(FILE);
    match create_private(&path) {
        Ok(_) => {}
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists => {
            check_private(&path)?
        }
        Err(error) => return Err(error),
    }
    // The file exists now, so SQLite gives its log and index the same mode.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let damaged = |error| damage(&path, error);
    let mut db = Connection::open_with_flags(&path, flags)?;
    settings(&db).map_err(damaged)?;
    migrate::check(&db).map_err(damaged)?;
    if path.metadata().map_err(at(&path))?.len() <= CHECKED_BYTES {
        quick_check(&db, &path).map_err(damaged)?;
    }
    db.pragma_update(None, "journal_mode", "wal")
        .map_err(Error::from)
        .map_err(damaged)?;
    db.pragma_update(None, "synchronous", "full")?;
    db.pragma_update(None, "secure_delete", true)?;
    db.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
    db.pragma_update(None, "fullfsync", true)?;
    db.pragma_update(None, "checkpoint_fullfsync", true)?;
    migrate::migrate(&mut db).map_err(damaged)?;
    Ok(Opened { lock, db })
}

/// Opens the file for reading, beside an owner or alone.
///
/// # Errors
/// [`Error::StoreMissing`], [`Error::StoreDamaged`], [`Error::StoreTooNew`]; [`Error::Invalid`] if its schema is older
/// than this build's: an owner must open it once.
pub(crate) fn open_reader(dir: &Path) -> Result<Connection> {
    let path = dir.join(FILE);
    if !path.exists() {
        return Err(Error::StoreMissing { path: dir.into() });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(&path, flags)?;
    settings(&db)?;
    let found = match migrate::check(&db) {
        // A folder that cannot be written has no place for the index of the log: then nobody writes, and the file
        // stands still.
        Err(Error::Sqlite(error)) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            return open_still(&path);
        }
        found => found.map_err(|error| damage(&path, error))?,
    };
    current(found, &path).map(|()| db)
}

/// Reads the whole file beside its owner, looking for damage, and gives its schema. Takes seconds for some gigabytes.
///
/// # Errors
/// As [`open_reader`].
pub(crate) fn inspect(dir: &Path) -> Result<u32> {
    let path = dir.join(FILE);
    let db = open_reader(dir)?;
    quick_check(&db, &path).map_err(|error| damage(&path, error))?;
    migrate::check(&db)
}

fn open_still(path: &Path) -> Result<Connection> {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'_' | b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(*byte))
            }
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let db = Connection::open_with_flags(uri, flags)?;
    settings(&db)?;
    let found = migrate::check(&db).map_err(|error| damage(path, error))?;
    current(found, path).map(|()| db)
}

fn current(found: u32, path: &Path) -> Result<()> {
    if found == migrate::known() {
        return Ok(());
    }
    Err(Error::Invalid {
        what: "store",
        value: path.display().to_string(),
        reason: format!(
            "its schema is {found}; start Bobbin once, so that it is brought to {}",
            migrate::known()
        ),
    })
}

/// What every connection has.
fn settings(db: &Connection) -> Result<()> {
    db.busy_timeout(Duration::from_secs(5))?;
    db.set_prepared_statement_cache_capacity(128);
    db.pragma_update(None, "foreign_keys", true)?;
    db.pragma_update(None, "trusted_schema", false)?;
    db.pragma_update(None, "temp_store", "memory")?;
    db.pragma_update(None, "cache_size", -16_384)?;
    Ok(())
}

fn quick_check(db: &Connection, path: &Path) -> Result<()> {
    let found: String = db.query_row("pragma quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" {
        Ok(())
    } else {
        Err(Error::StoreDamaged {
            path: path.into(),
            detail: found,
        })
    }
}

/// Tells a damaged file from other faults.
fn damage(path: &Path, error: Error) -> Error {
    match error {
        Error::Sqlite(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::StoreDamaged {
                path: path.into(),
                detail: error.to_string(),
            },
            _ if super::is_full(&error) => Error::DiskFull,
            _ => Error::Sqlite(error),
        },
        other => other,
    }
}
