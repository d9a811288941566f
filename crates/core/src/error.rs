//! The one error of this crate, and the small code that crosses to the page, the shell and HTTP.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

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
    #[error("{path} can be read by other users of this machine (mode {mode:o})")]
    Loosened { path: PathBuf, mode: u32 },
    #[error("{address} is taken: another program already listens there")]
    AddressTaken { address: String },
    #[error("the disk is full")]
    DiskFull,
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
    #[error("{0}")]
    Refused(String),
    #[error("a sealed value does not open: {0}")]
    Sealed(&'static str),
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
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
            Error::StoreTooNew { .. } | Error::StoreDamaged { .. } | Error::Loosened { .. } => {
                Code::Store
            }
            Error::StoreInUse { .. }
            | Error::AddressTaken { .. }
            | Error::Busy
            | Error::Stopping => Code::Busy,
            Error::StoreMissing { .. } | Error::NotFound { .. } | Error::UnknownCommand(_) => {
                Code::NotFound
            }
            Error::DiskFull => Code::DiskFull,
            Error::Invalid { .. } => Code::Invalid,
            Error::TooLarge { .. } => Code::TooLarge,
            Error::Refused(_) => Code::Refused,
            Error::NotStored(_)
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
            Error::StoreDamaged { path, .. } => Some(format!(
                "move {} (and its -wal and -shm) aside and start again; nothing was overwritten",
                path.display()
            )),
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
            Error::DiskFull => Some("free some space; Bobbin goes on by itself".into()),
            _ => None,
        }
    }
}
