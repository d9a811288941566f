//! SQLite: one file `DIR/bobbin.sqlite`, one writer thread with group commit, a few readers.
//!
//! [`Readers::read`] and the writer's jobs are the only ways in, so nobody keeps a connection.

mod migrate;
mod open;
mod read;
mod values;
mod write;

pub(crate) use open::{Opened, inspect, open_owner, open_reader};
pub(crate) use read::Readers;
pub(crate) use write::{Batches, Job, Writer};

/// The file's name in the folder of the install.
pub(crate) const FILE: &str = "bobbin.sqlite";

/// Whether SQLite says that there is no room.
pub(crate) fn is_full(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DiskFull)
    )
}

#[cfg(test)]
mod tests;
