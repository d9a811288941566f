//! Lines of source, unsealed, kept from one request to the next.

use super::kept::Kept;
use crate::query::Lines;

/// Memory of the lines that are kept, and of those of one answer.
pub(super) const KEPT_BYTES: usize = 64 << 20;

/// By the number of their cluster.
pub(super) type KeptLines = Kept<i64, Opened, KEPT_BYTES>;

/// The lines of one cluster.
pub(super) struct Opened {
    pub(super) stamp: String,
    pub(super) bytes: usize,
    pub(super) lines: Lines,
}
