//! SQLite: one file `DIR/bobbin.sqlite`, one writer thread with group commit, a few readers.
//!
//! [`Readers::read`] and the writer's jobs are the only ways in, so nobody keeps a connection.

mod apart;
mod bind;
mod checked;
mod code;
mod damage;
mod day_hours;
mod expected;
mod holds;
mod log;
mod migrate;
mod network;
mod numbers;
mod open;
mod places;
mod read;
mod restore;
mod salvage;
mod snapshot;
mod stacks;
mod values;
mod write;

pub(crate) use apart::{Notes, Stated, apart};
pub(crate) use bind::execute_in_order;
pub(crate) use checked::{Checked, damage_found};
pub(crate) use code::{pack_code, unpack_code};
pub(crate) use damage::damaged;
pub(crate) use day_hours::{DayHour, DayHours, Named};
pub(crate) use log::log_bytes;
pub(crate) use migrate::{OLDEST as OLDEST_SCHEMA, known as known_schema};
pub(crate) use network::shared_by;
pub(crate) use open::{Opened, inspect, open_owner, open_reader, read_whole};
pub(crate) use read::Readers;
pub(crate) use restore::restore;
pub(crate) use salvage::salvage;
pub(crate) use snapshot::{
    Snapshot, folder as snapshots_folder, list as snapshots, older_keys_needed, outdated,
    take as take_snapshot,
};
pub(crate) use stacks::{Frame, LineCount, Stacks, Unpacker, deflate, inflate};
pub(crate) use write::{Batches, Job, Writer};

use std::path::Path;

use crate::install::at;
use crate::{Result, system};

/// The file's name in the folder of the install.
pub(crate) const FILE: &str = "bobbin.sqlite";

/// What is free for this user on the disk of a folder.
///
/// # Errors
/// [`crate::Error::Io`].
pub(crate) fn free_bytes(folder: &Path) -> Result<u64> {
    system::free_bytes(folder).map_err(at(folder))
}

/// Whether SQLite says that there is no room.
pub(crate) fn is_full(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DiskFull)
    )
}

#[cfg(test)]
mod schema;
#[cfg(test)]
mod tests;
