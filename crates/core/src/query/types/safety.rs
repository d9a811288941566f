//! Copies of the store, and what becomes of a damaged one.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::Micros;

dto! {
/// Whether what is stored is safe.
pub struct SafetyStatus {
    /// The folder of the snapshots.
    pub folder: String,
    /// Oldest first.
    pub snapshots: Vec<Snapshot>,
    /// The last time that one was restored for practice. Null before the first.
    pub drill: Option<SnapshotDrill>,
    /// What was found wrong with the store while it is in use: the next start moves it aside. Null where nothing was.
    pub damage: Option<String>,
    /// Folders of stores that were damaged and moved aside, oldest first.
    pub damaged: Vec<String>,
    /// The network file system or the program that shares the folder with other machines; null where none does.
    pub shared_by: Option<String>,
    /// Of the log that is not in the store yet.
    pub log_bytes: u64,
}
}

dto! {
/// A checked copy of the whole store.
pub struct Snapshot {
    /// Rises by one with each.
    pub number: u32,
    pub file: String,
    pub taken_micros: Micros,
    pub bytes: u64,
    /// Made of a damaged store, and perhaps not all of it.
    pub salvaged: bool,
}
}

dto! {
/// A snapshot that was restored for practice, beside the store, and removed again.
pub struct SnapshotDrill {
    pub tried_micros: Micros,
    /// Of the snapshot: the newest one at that time.
    pub number: u32,
    /// Why the restored store was not what the snapshot says it holds; null if it was.
    pub wrong: Option<String>,
}
}

dto! {
/// A snapshot that was taken now, and what is in it.
pub struct TakenSnapshot {
    pub snapshot: Snapshot,
    pub clusters: u64,
    pub batches: u64,
}
}

dto! {
/// A snapshot that is the store now.
pub struct Restored {
    pub file: String,
    pub clusters: u64,
    pub batches: u64,
    /// The folder of the store that was there before; null where there was none.
    pub replaced: Option<String>,
}
}

dto! {
/// What could still be read of a damaged store, as a snapshot.
pub struct Salvaged {
    pub file: String,
    pub snapshot: Snapshot,
    pub tables: Vec<SalvagedTable>,
    /// Clusters whose name was lost; their rows are there.
    pub unnamed_clusters: u64,
}
}

dto! {
/// What became of one table.
pub struct SalvagedTable {
    pub name: String,
    pub rows: u64,
    /// Places where nothing could be read: a page of rows or more each.
    pub unreadable: u64,
    /// Rows that belonged to something that is lost.
    pub dropped: u64,
}
}
