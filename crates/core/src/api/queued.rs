//! What waits for the writer, and whether more should be let in. Two marks: above the upper one nothing new is admitted
//! until the writer is down to the lower one, so that senders are not let in and sent away in turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Plain bytes of batches that wait; the parsed ones take a small multiple of it.
const UPPER_BYTES: u64 = 24 << 20;
const LOWER_BYTES: u64 = 8 << 20;
/// Batches that wait. The mark is no lower than the number of connections: senders who each wait for one batch are no backlog, and
/// those kept out would come back only at their next look. It is so far below the length of the writer's queue that one more of
/// each connection still fits.
const UPPER_BATCHES: u64 = 512;
const LOWER_BATCHES: u64 = 128;
/// What was let in before the mark was reached is still taken, up to here.
const MOST_BYTES: u64 = 32 << 20;

/// What waits. Clones count the same.
#[derive(Clone, Default)]
pub(super) struct Queued(Arc<Counts>);

#[derive(Default)]
struct Counts {
    bytes: AtomicU64,
    batches: AtomicU64,
    behind: AtomicBool,
}

impl Queued {
    pub(super) fn add(&self, bytes: u64) {
        let bytes = self.0.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let batches = self.0.batches.fetch_add(1, Ordering::Relaxed) + 1;
        if bytes > UPPER_BYTES || batches > UPPER_BATCHES {
            self.0.behind.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn remove(&self, bytes: u64) {
        let bytes = self.0.bytes.fetch_sub(bytes, Ordering::Relaxed) - bytes;
        let batches = self.0.batches.fetch_sub(1, Ordering::Relaxed) - 1;
        if bytes <= LOWER_BYTES && batches <= LOWER_BATCHES {
            self.0.behind.store(false, Ordering::Relaxed);
        }
    }

    /// Whether nothing more should be let in.
    pub(super) fn behind(&self) -> bool {
        self.0.behind.load(Ordering::Relaxed)
    }

    /// Whether a batch that was let in has room. One is always taken, however large.
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        match self.0.bytes.load(Ordering::Relaxed) {
            0 => true,
            waiting => waiting + bytes <= MOST_BYTES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn above_the_upper_mark_nothing_is_let_in_until_the_lower_one() {
        let queued = Queued::default();
        for _ in 0..24 {
            queued.add(MIB);
        }
        assert!(!queued.behind());
        queued.add(MIB);
        assert!(queued.behind());
        for _ in 0..16 {
            queued.remove(MIB);
            assert!(queued.behind());
        }
        queued.remove(MIB);
        assert!(!queued.behind());
    }

    #[test]
    fn many_small_batches_are_as_much_as_a_few_large_ones() {
        let queued = Queued::default();
        for _ in 0..=UPPER_BATCHES {
            queued.add(1);
        }
        assert!(queued.behind());
        for _ in LOWER_BATCHES..=UPPER_BATCHES {
            queued.remove(1);
        }
        assert!(!queued.behind());
    }

    #[test]
    fn senders_who_each_wait_for_one_batch_are_all_let_in() {
        let queued = Queued::default();
        // As many as a receiver has connections.
        for _ in 0..256 {
            queued.add(1);
        }
        assert!(!queued.behind());
    }

    #[test]
    fn one_batch_is_always_taken() {
        let queued = Queued::default();
        assert!(queued.has_room(64 * MIB));
        queued.add(MIB);
        assert!(!queued.has_room(32 * MIB));
        assert!(queued.has_room(31 * MIB));
    }
}
