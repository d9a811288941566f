//! Drives a target with changed inputs until it was enough, or until it panics.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::Target;
use crate::mutate::mutate;

/// What a run came to.
#[derive(Debug)]
pub struct Ran {
    pub inputs: u64,
    /// Ways that were seen.
    pub ways: usize,
    /// The input that took longest.
    pub slowest: Duration,
    pub found: Option<Found>,
}

/// An input that should not have done what it did.
#[derive(Debug)]
pub struct Found {
    /// As short as it could be made.
    pub input: Vec<u8>,
    pub panic: String,
}

/// Runs every input of `seeds`, then changed ones until `enough` says so of their number. The same `seed` gives the same
/// inputs.
pub fn drive(
    target: &Target,
    seeds: Vec<Vec<u8>>,
    seed: u64,
    mut enough: impl FnMut(u64) -> bool,
) -> Ran {
    let mut rng = Rng::with_seed(seed);
    let mut run = (target.start)();
    let mut seen = HashSet::new();
    let mut pool: Vec<Vec<u8>> = Vec::new();
    let mut ran = Ran {
        inputs: 0,
        ways: 0,
        slowest: Duration::ZERO,
        found: None,
    };
    let mut given = seeds.into_iter();
    loop {
        let input = match given.next() {
            Some(input) => input,
            None if enough(ran.inputs) => return ran,
            None => {
                let from: &[u8] = match pool.len() {
                    0 => &[][..],
                    all => &pool[rng.usize(..all)],
                };
                mutate(&mut rng, target, &pool, from)
            }
        };
        ran.inputs += 1;
        let start = Instant::now();
        match tried(&mut *run, &input) {
            Ok(way) => {
                ran.slowest = ran.slowest.max(start.elapsed());
                if seen.insert(number(&way)) {
                    ran.ways += 1;
                    pool.push(input);
                }
            }
            Err(panic) => {
                let (input, panic) = shortened(&mut *run, input, panic);
                ran.found = Some(Found { input, panic });
                return ran;
            }
        }
    }
}

/// The way that an input went, or what it panicked with.
fn tried(run: &mut dyn FnMut(&[u8]) -> String, input: &[u8]) -> Result<String, String> {
    catch_unwind(AssertUnwindSafe(|| run(input))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).into()))
            .unwrap_or_else(|| "a panic without words".into())
    })
}

/// Leaves out parts, each half as long as those before, for as long as it still panics.
fn shortened(
    run: &mut dyn FnMut(&[u8]) -> String,
    mut input: Vec<u8>,
    mut panic: String,
) -> (Vec<u8>, String) {
    let mut length = input.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < input.len() {
            let mut shorter = input.clone();
            drop(shorter.drain(at..(at + length).min(input.len())));
            match tried(run, &shorter) {
                Err(again) => (input, panic) = (shorter, again),
                Ok(_) => at += length,
            }
        }
        length /= 2;
    }
    (input, panic)
}

fn number(way: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    way.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_found_and_shortened() {
        let target = Target {
            name: "test",
            about: "finds two letters",
            seeds: "",
            packed: false,
            words: &["needle"],
            start: || {
                Box::new(|input| {
                    assert!(!input.windows(6).any(|six| six == b"needle"), "found it");
                    input.len().min(8).to_string()
                })
            },
        };
        let ran = drive(&target, vec![b"hay".to_vec()], 1, |inputs| inputs > 10_000);
        let found = ran.found.unwrap();
        assert_eq!(
            (found.input, &*found.panic),
            (b"needle".to_vec(), "found it")
        );
    }
}
