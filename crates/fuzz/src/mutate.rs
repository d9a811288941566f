//! One input made into another.

use std::io::{Read, Write};

use fastrand::Rng;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::Target;

/// An input grows no longer than this: what is long is slow, and goes no other ways.
const LONGEST: usize = 64 << 10;

/// Numbers at the edges of types, and texts that readers trip over.
const EDGES: &[&str] = &[
    "-1",
    "0",
    "1",
    "2147483648",
    "4294967296",
    "9007199254740991",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1e308",
    "1e400",
    "-0.0",
    "0.1",
    "NaN",
    "null",
    "true",
    "\"\"",
    "[]",
    "{}",
    "[[",
    "\u{0}",
    "\u{202e}",
    "\u{feff}",
    "\\ud800",
    "'",
    "\"",
    "\\",
    "%",
    "_",
    "*",
    "\n",
    "\r\n",
    ";",
    "--",
];

/// Changes `input` a few times; where it is packed, mostly what is in it.
pub(crate) fn mutate(rng: &mut Rng, target: &Target, pool: &[Vec<u8>], input: &[u8]) -> Vec<u8> {
    let unpacked = (target.packed && rng.u8(..) > 40)
        .then(|| unpack(input))
        .flatten();
    let was_packed = unpacked.is_some();
    let mut bytes = unpacked.unwrap_or_else(|| input.to_vec());
    for _ in 0..=rng.usize(..4) {
        step(rng, target, pool, &mut bytes);
    }
    bytes.truncate(LONGEST);
    if was_packed { pack(&bytes) } else { bytes }
}

fn step(rng: &mut Rng, target: &Target, pool: &[Vec<u8>], bytes: &mut Vec<u8>) {
    let at = rng.usize(..=bytes.len());
    let to = at + rng.usize(..=(bytes.len() - at).min(64));
    match rng.u8(..9) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << rng.u8(..8);
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = rng.u8(..);
            }
        }
        2 => drop(bytes.drain(at..to)),
        3 => {
            let twice = bytes[at..to].to_vec();
            let times = 1 + rng.usize(..4);
            let again = twice.repeat(times);
            drop(bytes.splice(at..at, again));
        }
        4 => {
            let edge = EDGES[rng.usize(..EDGES.len())];
            drop(bytes.splice(at..at, edge.bytes()));
        }
        5 => {
            if let Some(number) = number_at(bytes, at) {
                let edge = EDGES[rng.usize(..EDGES.len())];
                drop(bytes.splice(number, edge.bytes()));
            }
        }
        6 if !target.words.is_empty() => {
            let word = target.words[rng.usize(..target.words.len())];
            drop(bytes.splice(at..at, word.bytes()));
        }
        7 if !pool.is_empty() => {
            let other = &pool[rng.usize(..pool.len())];
            let from = rng.usize(..=other.len());
            let until = from + rng.usize(..=(other.len() - from).min(512));
            drop(bytes.splice(at..to, other[from..until].iter().copied()));
        }
        _ => bytes.truncate(at),
    }
}

/// The digits at or behind a place.
fn number_at(bytes: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
    let start = at + bytes.get(at..)?.iter().position(u8::is_ascii_digit)?;
    let length = bytes[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    Some(start..start + length)
}

fn unpack(input: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    GzDecoder::new(input)
        .take(LONGEST as u64)
        .read_to_end(&mut plain)
        .ok()?;
    Some(plain)
}

fn pack(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing into memory does not fail.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default()
}
