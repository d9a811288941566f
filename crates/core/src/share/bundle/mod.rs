//! A `.bobbin` bundle: a manifest, then the batches of its clusters, each a gzip member of its own, all of it
//! newline-delimited JSON. `zcat` shows every byte of it. The same store and choice give the same bytes.

mod ahead;
mod contains;
mod held;
mod import;
mod manifest;
mod read;
mod records;
mod write;

pub use manifest::{BundleBatch, BundleCluster, Manifest};

pub use import::{Imported, ImportedCluster};

pub(crate) use contains::contained;
pub use contains::{Contained, Contradiction};
pub use held::Held;
pub(crate) use held::held;
pub(crate) use import::{
    Giving, Taken, Taking, Write, import, imported_from, why_absent_not, why_not,
};
pub(crate) use read::{Opened, look_at_manifest, open, unpacked_bytes};
pub(crate) use records::{Made, look_at_records, remove_drafts, write_records};
pub(in crate::share) use write::{Draft, group_names, member, said, tell};
pub(crate) use write::{text, write};

/// The version of the format that this build writes and reads.
pub(in crate::share) const FORMAT: u32 = 1;

#[cfg(test)]
mod tests;
