//! The suites of a lane, until the disk is full: every one after that would fail, too, and bury what is wrong.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{counts::Counts, suite::Outcome};

/// Whether the log of a suite that failed says that the disk is full, as the system words it.
pub fn says_full(log: &str) -> bool {
    log.to_lowercase().contains("no space left on device")
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
            failures: vec![format!("the disk is full: {left} of the suites did not run")],
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

    /// A suite a letter: `.` passes, `f` fails, `F` fails and says that the disk is full.
    fn drawn(suites: &str) -> impl Iterator<Item = Outcome> {
        suites.chars().map(|suite| Outcome {
            disk_full: suite == 'F',
            ..stopped(0)
        })
    }

    #[test]
    fn no_suite_of_any_lane_begins_once_one_found_the_disk_full() {
        let full = AtomicBool::new(false);
        assert_eq!(run(drawn(".f."), &full).len(), 3);
        assert_eq!(run(drawn("..F.."), &full).len(), 3);
        assert_eq!(run(drawn(".."), &full).len(), 0);
    }

    #[test]
    fn a_full_disk_is_known_by_the_words_of_each_runner() {
        assert!(says_full("No space left on device (os error 28)"));
        assert!(says_full("Error: ENOSPC: no space left on device, write"));
        assert!(!says_full("error: could not compile `a`"));
    }
}
