//! Keeps in memory what took long to make: the latest asked for, as much as fits into a number of bytes.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::lock::lock;

/// The latest first.
type Entries<K, T> = VecDeque<(K, usize, Arc<T>)>;

pub(super) struct Kept<K, T, const BYTES: usize>(Mutex<Entries<K, T>>);

impl<K, T, const BYTES: usize> Default for Kept<K, T, BYTES> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, T, const BYTES: usize> Kept<K, T, BYTES> {
    pub(super) fn find<Q: PartialEq + ?Sized>(&self, key: &Q) -> Option<Arc<T>>
    where
        K: Borrow<Q>,
    {
        let mut entries = self.entries();
        let at = entries
            .iter()
            .position(|(known, ..)| <K as Borrow<Q>>::borrow(known) == key)?;
        let found = entries.remove(at)?;
        let made = Arc::clone(&found.2);
        entries.push_front(found);
        Some(made)
    }

    /// All that is kept, the latest first.
    pub(super) fn all(&self) -> Vec<Arc<T>> {
        let entries = self.entries();
        entries.iter().map(|(.., made)| Arc::clone(made)).collect()
    }

    /// Keeps what was made, instead of what was kept under this key. What alone is larger than all that fits is not kept.
    pub(super) fn keep(&self, key: K, bytes: usize, made: T) -> Arc<T> {
        let made = Arc::new(made);
        let mut entries = self.entries();
        entries.retain(|(known, ..)| *known != key);
        if bytes > BYTES {
            return made;
        }
        entries.push_front((key, bytes, Arc::clone(&made)));
        let mut sum = 0;
        let fits = entries.iter().take_while(|(_, bytes, _)| {
            sum += bytes;
            sum <= BYTES
        });
        let fits = fits.count();
        entries.truncate(fits);
        made
    }

    pub(super) fn clear(&self) {
        self.entries().clear();
    }

    fn entries(&self) -> MutexGuard<'_, Entries<K, T>> {
        lock(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_by_its_memory_and_the_latest_stay() {
        let kept: Kept<u8, (), 100> = Kept::default();
        let has = |keys: &[u8]| {
            let there: Vec<u8> = kept.entries().iter().map(|(key, ..)| *key).collect();
            there == keys
        };
        kept.keep(1, 50, ());
        kept.keep(2, 50, ());
        assert!(kept.find(&1_u8).is_some() && has(&[1, 2]));
        kept.keep(3, 1, ());
        assert!(has(&[3, 1]));
        kept.keep(4, 101, ());
        assert!(has(&[3, 1]), "larger than all");
        kept.keep(1, 101, ());
        assert!(has(&[3]), "what it was is not kept instead");
        kept.clear();
        assert!(has(&[]));
    }
}
