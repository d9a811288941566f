//! The one error of this crate, and the small code that crosses to the page, the shell and HTTP.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::seal::KeyringFault;

/// `std::result::Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. The message says what failed, then the value; [`Error::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "the store was written by a newer version of Bobbin (schema {found}, this build knows {known})"
    )]
    StoreTooNew { found: u32, known: u32 },
    #[error("the store {path} is damaged: {detail}")]
    StoreDamaged { path: PathBuf, detail: String },
    #[error("another Bobbin already writes to {path}")]
    StoreInUse { path: PathBuf },
    #[error("there is no store in {path}")]
    StoreMissing { path: PathBuf },
    #[error("other users of this machine can read {path} (mode {mode:o})")]
    Loosened { path: PathBuf, mode: u32 },
    #[error("{address} is taken: another program is already listening there")]
    AddressTaken { address: String },
    #[error("Bobbin cannot write to {path}")]
    ReadOnly { path: PathBuf },
    #[error("the disk is full")]
    DiskFull,
    #[error("the disk is full: {path} was not written")]
    NoRoomFor { path: PathBuf },
    #[error("{what} needs {needed_bytes} bytes of disk space, but only {free_bytes} are free")]
    NoRoom {
        what: &'static str,
        needed_bytes: u64,
        free_bytes: u64,
    },
    #[error("there is no {kind} {id}")]
    NotFound { kind: &'static str, id: String },
    #[error("{what}: {value} cannot be used: {reason}")]
    Invalid {
        what: &'static str,
        value: String,
        reason: String,
    },
    #[error("there is no command {0}")]
    UnknownCommand(String),
    #[error("{what} is larger than {limit} bytes")]
    TooLarge { what: &'static str, limit: u64 },
    #[error("the writer is behind: its queue is full")]
    Busy,
    #[error("the receiver is stopping")]
    Stopping,
    #[error("the batch was not stored: {0}")]
    NotStored(String),
    #[error("the query was not answered: {0}")]
    NotAnswered(String),
    #[error("{0}")]
    Refused(String),
    #[error("{what}")]
    Declined { what: String, hint: String },
    #[error("the key to the encrypted data is missing")]
    Locked,
    #[error("Bobbin cannot get the key: {0}")]
    Keyring(#[from] KeyringFault),
    #[error("Bobbin cannot decrypt a value: {0}")]
    Sealed(&'static str),
    #[error("SQLite: {0}")]
    Sqlite(rusqlite::Error),
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl From<rusqlite::Error> for Error {
    /// A full disk has a name of its own, wherever it is met.
    fn from(error: rusqlite::Error) -> Self {
        let failed = error.sqlite_error().map(|failed| failed.extended_code);
        match failed {
            // The second: there is no room for the index of the log, without which no store is opened that may have one.
            Some(rusqlite::ffi::SQLITE_FULL | rusqlite::ffi::SQLITE_IOERR_SHMSIZE) => {
                Error::DiskFull
            }
            _ => Error::Sqlite(error),
        }
    }
}

/// What somebody may act on; nobody matches on a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request cannot be used as it stands.
    Invalid,
    /// More than the limit in one piece.
    TooLarge,
    /// The thing asked for does not exist.
    NotFound,
    /// Understood, and refused.
    Refused,
    /// Somebody else holds it, or it is shutting down: try again later.
    Busy,
    /// No room left on the disk.
    DiskFull,
    /// The store cannot be used by this build.
    Store,
    /// A fault of Bobbin's own.
    Internal,
}

impl Error {
    /// The code that crosses to the page, the shell and HTTP.
    pub fn code(&self) -> Code {
        match self {
            Error::StoreTooNew { .. }
            | Error::StoreDamaged { .. }
            | Error::ReadOnly { .. }
            | Error::Loosened { .. } => Code::Store,
            Error::StoreInUse { .. }
            | Error::AddressTaken { .. }
            | Error::Locked
            | Error::Busy
            | Error::Stopping => Code::Busy,
            Error::StoreMissing { .. } | Error::NotFound { .. } | Error::UnknownCommand(_) => {
                Code::NotFound
            }
            Error::DiskFull | Error::NoRoomFor { .. } | Error::NoRoom { .. } => Code::DiskFull,
            Error::Invalid { .. } => Code::Invalid,
            Error::TooLarge { .. } => Code::TooLarge,
            Error::Refused(_) | Error::Declined { .. } | Error::Keyring(_) => Code::Refused,
            Error::NotStored(_)
            | Error::NotAnswered(_)
            | Error::Sealed(_)
            | Error::Sqlite(_)
            | Error::Io { .. }
            | Error::Json(_) => Code::Internal,
        }
    }

    /// What the reader can do about it, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::StoreTooNew { .. } => {
                Some("install the newer version, or point --data-dir at another folder".into())
            }
            Error::StoreDamaged { .. } => Some(
                "start `bobbin serve` or the app: a damaged store is moved aside, never overwritten, and a new one \
                 begun; then `bobbin restore` brings back a snapshot, and `bobbin salvage` what can still be read"
                    .into(),
            ),
            Error::ReadOnly { .. } => Some(
                "give yourself write permission there, or point --data-dir at another folder".into(),
            ),
            Error::NoRoom { .. } | Error::NoRoomFor { .. } => {
                Some("free some space, and try again".into())
            }
            Error::StoreInUse { .. } => {
                Some("use the window that is open, or stop the other process".into())
            }
            Error::AddressTaken { .. } => {
                Some("stop that program, or choose another port with --port".into())
            }
            Error::StoreMissing { .. } => Some(
                "start `bobbin serve` or the app once, or point --data-dir at the right folder"
                    .into(),
            ),
            Error::Loosened { path, .. } => Some(format!("run: chmod go-rwx {}", path.display())),
            Error::Locked => Some("`bobbin key` shows where the key should be and how to restore it".into()),
            Error::Keyring(fault) => Some(
                match fault {
                    KeyringFault::Absent => "start the desktop's keyring (a Secret Service), or keep the key in the file",
                    KeyringFault::Locked => "unlock the keyring and try again",
                    KeyringFault::Silent => "the keyring may be asking for its password in its own window; try again",
                    KeyringFault::Failed(_) => "check that the desktop's keyring works, and try again",
                }
                .into(),
            ),
            Error::Declined { hint, .. } => Some(hint.clone()),
            Error::DiskFull => Some("free some space; Bobbin then continues automatically".into()),
            _ => None,
        }
    }
}
