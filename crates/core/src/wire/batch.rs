//! A batch: its header, and the records that could and could not be read.

use serde::{Deserialize, Serialize};

use super::Record;
use crate::model::Micros;

/// The first line of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format; this build reads 1.
    pub protocol: u32,
    /// Dask's id of the scheduler, such as `Scheduler-0d6a…`: new for each scheduler object.
    pub cluster_id: String,
    /// The plugin's own id: new each time that it is started in a scheduler.
    pub instance_id: String,
    /// Sequence number of the first record; the others follow by one. Starts at 1.
    pub first_seq: u64,
    /// Number of records that follow.
    pub records: u64,
    /// Wall clock when the batch was made.
    pub sent_at_micros: Micros,
    /// The scheduler's monotonic clock at the same moment.
    pub monotonic_micros: i64,
    pub plugin_version: String,
}

/// One line after the header.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A record that this build knows, and those of its fields that it does not know.
    Known(Record, Option<Kept>),
    /// A record of a kind that this build does not know: kept as it came.
    Unknown(Kept),
    /// A line that is not a record; its neighbours stand.
    Refused(Refusal),
}

/// What a later version may understand.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    pub kind: String,
    /// The line as it came; for a record that was read, an object of the fields that were not.
    pub text: String,
}

/// Why a line was refused.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// Place of the line after the header, from 0.
    pub index: u64,
    pub code: RefusalCode,
    /// What is wrong and where, without the value.
    pub detail: String,
}

/// Small codes, so that the plugin can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    NotJson,
    NotARecord,
    TooLarge,
    OutOfRange,
    /// Its cluster was deleted by whoever runs this Bobbin: nothing that it sends is stored any more.
    Deleted,
    /// Bobbin failed at it, by a fault of its own. Its neighbours are stored.
    Failed,
}

/// A batch that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    pub header: Header,
    /// In order: line `i` has sequence number `header.first_seq + i`.
    pub lines: Vec<Line>,
    /// Its size as plain text.
    pub bytes: u64,
    /// SHA-256 of the bytes after the header, to tell a repeat from a conflict: a retry may have a new `sent_at_micros`.
    pub digest: [u8; 32],
}
