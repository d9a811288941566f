//! Room on the disk: how much there is, and whether it was missing.

use std::io;
use std::path::Path;

use rusqlite::{Connection, ErrorCode, ffi};

use crate::install::at;
use crate::system::{self, Disk};
use crate::{Error, Result};

/// The disk of a folder.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn disk(folder: &Path) -> Result<Disk> {
    system::disk(folder).map_err(at(folder))
}

/// Tells a used-up quota from other faults of the disk, by what the system said to `db` last: to SQLite, which knows a full disk,
/// both are I/O errors.
pub(crate) fn full(db: &Connection, error: Error) -> Error {
    // SAFETY: the connection is open, and only this thread uses it.
    let system = unsafe { ffi::sqlite3_system_errno(db.handle()) };
    match error {
        Error::Sqlite(error) if is_quota(&error, system) => Error::DiskFull,
        other => other,
    }
}

/// Whether `system`, the system's number of an I/O error, is about room.
fn is_quota(error: &rusqlite::Error, system: i32) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure)
        && matches!(
            io::Error::from_raw_os_error(system).kind(),
            io::ErrorKind::QuotaExceeded | io::ErrorKind::StorageFull
        )
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    fn sqlite(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
    }

    #[test]
    fn a_quota_is_told_from_a_disk_that_fails() {
        let write = sqlite(ffi::SQLITE_IOERR_WRITE);
        assert!(is_quota(&write, Errno::DQUOT.raw_os_error()));
        assert!(is_quota(&write, Errno::NOSPC.raw_os_error()));
        assert!(!is_quota(&write, Errno::IO.raw_os_error()));
        // Of an earlier fault.
        let constraint = sqlite(ffi::SQLITE_CONSTRAINT);
        assert!(!is_quota(&constraint, Errno::DQUOT.raw_os_error()));
    }
}
