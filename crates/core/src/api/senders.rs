//! Which clusters came with which key, since this Bobbin runs: whoever tests the way from one machine wants to hear of no other.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use crate::lock::lock;

/// Keys, and clusters of each, that are remembered; the oldest is forgotten first. A test wants the latest.
const KEPT: usize = 64;

/// What a key is called where it must not be told: the beginning of its digest.
pub(super) fn key_name(digest: &[u8; 32]) -> String {
    let [a, b, c, d, e, f, g, h, ..] = *digest;
    format!("{:016x}", u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}

#[derive(Default)]
pub(super) struct Senders(Mutex<State>);

#[derive(Default)]
struct State {
    /// By the name of a key, Dask's ids of schedulers.
    clusters: BTreeMap<String, VecDeque<String>>,
    /// The names of keys, in the order of their first batches.
    keys: VecDeque<String>,
}

impl Senders {
    pub(super) fn note(&self, key: &str, scheduler_id: &str) {
        let mut state = lock(&self.0);
        let State { clusters, keys } = &mut *state;
        if !clusters.contains_key(key) {
            if keys.len() == KEPT {
                keys.pop_front().map(|oldest| clusters.remove(&oldest));
            }
            keys.push_back(key.into());
        }
        let known = clusters.entry(key.into()).or_default();
        if known.iter().any(|one| one == scheduler_id) {
            return;
        }
        if known.len() == KEPT {
            known.pop_front();
        }
        known.push_back(scheduler_id.into());
    }

    /// Dask's ids of the schedulers that sent with this key.
    pub(super) fn with(&self, key: &str) -> Vec<String> {
        let state = lock(&self.0);
        state
            .clusters
            .get(key)
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_clusters_and_the_latest_are_kept() {
        let senders = Senders::default();
        for (key, cluster) in [("a", "1"), ("a", "2"), ("b", "3"), ("a", "1")] {
            senders.note(key, cluster);
        }
        assert_eq!(senders.with("a"), ["1", "2"]);
        assert_eq!(senders.with("b"), ["3"]);
        assert!(senders.with("c").is_empty());
        for more in 0..KEPT {
            senders.note("b", &format!("more {more}"));
            senders.note(&format!("key {more}"), "1");
        }
        assert!(senders.with("a").is_empty());
        assert_eq!(senders.with(&format!("key {}", KEPT - 1)), ["1"]);
    }
}
