//! SQLite: one file `DIR/bobbin.sqlite`, one writer thread with group commit, a few readers.
//!
//! [`Readers::read`] and the writer's jobs are the only ways in, so nobody keeps a connection.

mod apart;
mod bind;
mod checked;
mod code;
mod damage;
mod day_hours;
mod drill;
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
mod room;
mod salvage;
mod snapshot;
mod stacks;
mod stalled;
mod values;
mod write;

pub(crate) use apart::{Notes, Stated, apart};
pub(crate) use bind::execute_in_order;
pub(crate) use checked::{Checked, damage_found};
pub(crate) use code::{pack_code, unpack_code};
pub(crate) use damage::{aside_bytes, damaged};
pub(crate) use day_hours::{DayHour, DayHours, Named};
pub(crate) use drill::{drill, is_due as is_drill_due, last as last_drill};
pub(crate) use log::log_bytes;
pub(crate) use migrate::{OLDEST as OLDEST_SCHEMA, known as known_schema};
pub(crate) use network::shared_by;
pub(crate) use open::{Opened, inspect, open_owner, open_reader, read_once, read_whole};
pub(crate) use read::Readers;
pub(crate) use restore::restore;
pub(crate) use room::{disk, full};
pub(crate) use salvage::salvage;
pub(crate) use snapshot::{
    Snapshot, Wanted, folder as snapshots_folder, list as snapshots, older_keys_needed, outdated,
    take as take_snapshot,
};
pub(crate) use stacks::{Frame, LineCount, Stacks, Unpacker, deflate, inflate};
pub(crate) use stalled::{Stalled, stalled_hours, stalled_times};
pub(crate) use write::{Batches, Job, Writer};

/// The file's name in the folder of the install.
pub(crate) const FILE: &str = "bobbin.sqlite";

#[cfg(test)]
pub(crate) mod schema;
#[cfg(test)]
mod tests;
