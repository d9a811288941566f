//! Words that the reader said are secrets: recognised by keyed hashes, and not stored.

use serde::{Deserialize, Serialize};

use super::{Found, Rule};
use crate::seal::FingerprintKey;

/// Letters of a word, in bytes of UTF-8.
const LEAST: usize = 4;
const MOST: usize = 200;
/// The prime of the rolling hash: 2^61 - 1.
const PRIME: u128 = (1 << 61) - 1;

/// One word, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OwnWord {
    pub bytes: u32,
    /// Finds places where the word may be.
    pub rolling: i64,
    /// Says that it is the word.
    pub fingerprint: [u8; 16],
}

/// All of them.
#[derive(Clone, Default)]
pub struct OwnWords {
    key: Option<(FingerprintKey, u64)>,
    words: Vec<OwnWord>,
}

impl OwnWords {
    pub fn new(key: FingerprintKey, words: Vec<OwnWord>) -> Self {
        let base = base(&key);
        Self {
            key: Some((key, base)),
            words,
        }
    }

    /// What is stored of a word; none if it is too short or too long to be told from others.
    pub fn stored(key: &FingerprintKey, word: &str) -> Option<OwnWord> {
        (LEAST..=MOST).contains(&word.len()).then(|| OwnWord {
            bytes: word.len() as u32,
            rolling: rolled(base(key), word.as_bytes()) as i64,
            fingerprint: fingerprint(key, word.as_bytes()),
        })
    }

    /// As they are stored.
    pub(super) fn all(&self) -> &[OwnWord] {
        &self.words
    }

    /// Takes time that grows with the text times the number of different lengths.
    pub(super) fn scan(&self, text: &str, found: &mut Vec<Found>) {
        let Some((key, base)) = &self.key else { return };
        let mut lengths: Vec<u32> = self.words.iter().map(|word| word.bytes).collect();
        lengths.sort_unstable();
        lengths.dedup();
        for length in lengths {
            let words: Vec<&OwnWord> = self
                .words
                .iter()
                .filter(|word| word.bytes == length)
                .collect();
            for from in places(*base, text.as_bytes(), length as usize, &words) {
                let at = from..from + length as usize;
                let said = fingerprint(key, &text.as_bytes()[at.clone()]);
                if text.get(at.clone()).is_some()
                    && words.iter().any(|word| word.fingerprint == said)
                {
                    found.push(Found {
                        rule: Rule::OwnWord,
                        what: "word of your own",
                        at,
                    });
                }
            }
        }
    }
}

/// Where the rolling hash is that of a word.
fn places(base: u64, text: &[u8], length: usize, words: &[&OwnWord]) -> Vec<usize> {
    if text.len() < length {
        return Vec::new();
    }
    let mut top = 1;
    for _ in 1..length {
        top = times(top, base);
    }
    let mut hash = rolled(base, &text[..length]);
    let mut places = Vec::new();
    for from in 0..=text.len() - length {
        if from > 0 {
            let gone = times(top, u64::from(text[from - 1]) + 1);
            let left = (u128::from(hash) + PRIME - u128::from(gone)) % PRIME;
            hash = next(base, left as u64, text[from + length - 1]);
        }
        if words.iter().any(|word| word.rolling as u64 == hash) {
            places.push(from);
        }
    }
    places
}

fn rolled(base: u64, text: &[u8]) -> u64 {
    text.iter().fold(0, |hash, &byte| next(base, hash, byte))
}

fn next(base: u64, hash: u64, byte: u8) -> u64 {
    ((u128::from(hash) * u128::from(base) + u128::from(byte) + 1) % PRIME) as u64
}

fn times(one: u64, other: u64) -> u64 {
    (u128::from(one) * u128::from(other) % PRIME) as u64
}

/// Nobody without the key can guess at what a rolling hash is of.
fn base(key: &FingerprintKey) -> u64 {
    let bytes = key.fingerprint("own words\0base");
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[..8]);
    (u64::from_le_bytes(number) % (PRIME as u64 - 2)) + 2
}

fn fingerprint(key: &FingerprintKey, word: &[u8]) -> [u8; 16] {
    key.fingerprint(&format!("own word\0{}", String::from_utf8_lossy(word)))
}
