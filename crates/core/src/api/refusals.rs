//! Requests that the receiver refused: how many for each reason, and when the last of them were.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

use super::RefusalCount;
use crate::lock::lock;
use crate::model::Micros;

/// Refusals whose time is remembered: some minutes of somebody who tries ten times a second.
const RECENT: usize = 4_096;

#[derive(Default)]
pub(super) struct Refusals(Mutex<State>);

#[derive(Default)]
struct State {
    counts: BTreeMap<String, u64>,
    /// The latest last.
    recent: VecDeque<(Micros, &'static str)>,
    /// When the last was forgotten.
    forgotten: Option<Micros>,
}

impl Refusals {
    pub(super) fn count(&self, reason: &'static str, now: Micros) {
        let mut state = self.lock();
        *state.counts.entry(reason.into()).or_default() += 1;
        if state.recent.len() == RECENT {
            state.forgotten = state.recent.pop_front().map(|(at, _)| at);
        }
        state.recent.push_back((now, reason));
    }

    pub(super) fn counts(&self) -> BTreeMap<String, u64> {
        self.lock().counts.clone()
    }

    /// Those since a moment, by reason, the latest first; and whether some are no longer remembered.
    pub(super) fn since(&self, since: Micros) -> (Vec<RefusalCount>, bool) {
        let state = self.lock();
        let mut found: Vec<RefusalCount> = Vec::new();
        for (at, reason) in state.recent.iter().filter(|(at, _)| *at >= since) {
            match found.iter_mut().find(|one| one.reason == *reason) {
                Some(one) => {
                    one.count += 1;
                    one.last_micros = one.last_micros.max(*at);
                }
                None => found.push(RefusalCount {
                    reason: (*reason).into(),
                    count: 1,
                    last_micros: *at,
                }),
            }
        }
        found.sort_by_key(|one| std::cmp::Reverse(one.last_micros));
        (found, state.forgotten.is_some_and(|at| at >= since))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_since_a_moment_are_told_by_reason_the_latest_first() {
        let refusals = Refusals::default();
        for (at, reason) in [
            (1, "wrong_host"),
            (5, "wrong_token"),
            (6, "tls"),
            (7, "wrong_token"),
        ] {
            refusals.count(reason, Micros(at));
        }
        let (found, truncated) = refusals.since(Micros(5));
        let told: Vec<_> = found
            .iter()
            .map(|one| (one.reason.as_str(), one.count, one.last_micros.0))
            .collect();
        assert_eq!(
            (told, truncated),
            (vec![("wrong_token", 2, 7), ("tls", 1, 6)], false)
        );
        assert_eq!(refusals.counts()["wrong_host"], 1);
    }

    #[test]
    fn what_is_remembered_is_bounded_and_that_is_told() {
        let refusals = Refusals::default();
        for at in 0..=RECENT as i64 {
            refusals.count("busy", Micros(at));
        }
        let (found, truncated) = refusals.since(Micros(0));
        assert_eq!((found[0].count, truncated), (RECENT as u64, true));
        assert!(!refusals.since(Micros(1)).1);
    }
}
