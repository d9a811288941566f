//! What tells one set of stored rows from another.

use std::fmt;

use super::mixed::mix;

/// 2^64 divided by the golden ratio: what a hash of zeroes is kept from being zero with.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Rows of whole numbers, in whatever order: how many they are, and their hashes summed. Other rows have the same by a chance of
/// one in 2^64; the sum of their numbers would be that of others soon.
#[derive(Default)]
pub(super) struct Stamp {
    rows: u64,
    sum: u64,
}

impl Stamp {
    pub(super) fn add(&mut self, row: &[i64]) {
        let hash = row.iter().fold(0u64, |hash, &number| {
            mix(hash.wrapping_add(SPREAD) ^ number.cast_unsigned())
        });
        self.sum = self.sum.wrapping_add(hash);
        self.rows += 1;
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{:016x}", self.rows, self.sum)
    }
}
