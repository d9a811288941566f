//! What was used lately: a bounded number of values, of which those that go are the ones that were not used since.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// Values by their keys. Those in use are carried over when there are too many, the others go: so it never holds more than
/// twice as many as it is to keep.
pub(super) struct Lately<K, V> {
    kept: usize,
    new: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Eq + Hash, V> Lately<K, V> {
    pub(super) fn new(kept: usize) -> Self {
        Self {
            kept,
            new: HashMap::new(),
            old: HashMap::new(),
        }
    }

    pub(super) fn contains<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.new.contains_key(key) || self.old.contains_key(key)
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        self.old.remove(&key);
        if self.new.len() >= self.kept && !self.new.contains_key(&key) {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(key, value);
    }

    /// What is remembered, which is in use now.
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        if let Some((key, value)) = self.old.remove_entry(key) {
            self.insert(key, value);
        }
        self.new.get_mut(key)
    }

    pub(super) fn get_or_default(&mut self, key: K) -> &mut V
    where
        K: Copy,
        V: Default,
    {
        if !self.new.contains_key(&key) {
            let value = self.old.remove(&key).unwrap_or_default();
            self.insert(key, value);
        }
        self.new.entry(key).or_default()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.new.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_a_bounded_number_and_keeps_what_is_in_use() {
        let mut lately = Lately::new(8);
        lately.insert("used".to_owned(), 0);
        for at in 1..1_000 {
            lately.insert(at.to_string(), at);
            *lately.get("used").unwrap() += 1;
            assert!(lately.len() <= 16, "{} are remembered", lately.len());
        }
        assert_eq!(lately.get("used").copied(), Some(999));
        assert!(lately.contains("999"));
        assert!(!lately.contains("1"));
    }
}
