//! The suites of a lane, until the disk is full: every one after that would fail, too, and bury what is wrong.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{counts::Counts, suite::Outcome};

/// With so much free, no disk is full.
const ROOM_BYTES: u64 = 2_000_000_000;

/// Whether a suite that failed with this `log` found the disk full: it says so, as the system words it, and little is `free`. Tests
/// that make up a full disk use the same words. Where nobody knows what is free, the words are enough.
pub fn is_full(log: &str, free: Option<u64>) -> bool {
    log.to_lowercase().contains("no space left on device")
        && free.is_none_or(|free| free < ROOM_BYTES)
}

/// What suites come to, one after the other, until one of any lane found the disk `full`.
pub fn run(suites: impl IntoIterator<Item = Outcome>, full: &AtomicBool) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut suites = suites.into_iter();
    while !full.load(Ordering::Relaxed)
        && let Some(outcome) = suites.next()
    {
        if outcome.disk_full {
            full.store(true, Ordering::Relaxed);
        }
        outcomes.push(outcome);
    }
    outcomes
}

/// The failure that stands for `left` suites that did not run.
pub fn stopped(left: usize) -> Outcome {
    Outcome {
        name: "room",
        counts: Counts {
            failed: 1,
            failures: vec![format!(
                "the disk is full: {left} of the suites did not run"
            )],
            ..Counts::default()
        },
        seconds: 0.0,
        log: None,
        disk_full: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A suite a letter: `F` finds the disk full.
    fn drawn(suites: &str) -> impl Iterator<Item = Outcome> {
        suites.chars().map(|suite| Outcome {
            disk_full: suite == 'F',
            ..stopped(0)
        })
    }

    #[test]
    fn no_suite_of_any_lane_begins_once_one_found_the_disk_full() {
        let full = AtomicBool::new(false);
        assert_eq!(run(drawn("..."), &full).len(), 3);
        assert_eq!(run(drawn("..F.."), &full).len(), 3);
        assert_eq!(run(drawn(".."), &full).len(), 0);
    }

    #[test]
    fn a_full_disk_is_known_by_the_words_of_each_runner_and_by_what_is_free() {
        let said = [
            "No space left on device (os error 28)",
            "Error: ENOSPC: no space left on device, write",
        ];
        for log in said {
            assert!(is_full(log, Some(ROOM_BYTES - 1)), "{log}");
            assert!(is_full(log, None), "{log}");
            assert!(!is_full(log, Some(ROOM_BYTES)), "{log}");
        }
        assert!(!is_full("error: could not compile `a`", Some(0)));
    }
}
