//! Letters that look drawn at random, where no word says that they are a secret.

use super::{Found, Rule};

/// A run of letters is looked at if it is this long; longer ones are data, such as a picture.
const LEAST: usize = 24;
const MOST: usize = 160;
/// Bits a letter, by Shannon's formula over the letters of the run.
const BITS: f64 = 3.7;

pub(super) fn scan(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    while from < bytes.len() {
        if !is_letter(bytes[from]) {
            from += 1;
            continue;
        }
        let length = bytes[from..]
            .iter()
            .position(|&byte| !is_letter(byte))
            .unwrap_or(bytes.len() - from);
        let run = &bytes[from..from + length];
        let before = from.checked_sub(1).map(|at| bytes[at]);
        let after = bytes.get(from + length).copied();
        // Of a dotted name, an address or a path it is only a part.
        let alone = !matches!(before, Some(b'.' | b'@' | b'\\' | b'%' | b'$' | b'~'))
            && !matches!(after, Some(b'.' | b'(' | b'@'));
        if alone && (LEAST..=MOST).contains(&length) && looks_random(run) {
            found.push(Found {
                rule: Rule::Entropy,
                what: "letters that look drawn at random",
                at: from..from + length,
            });
        }
        from += length;
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'=')
}

fn looks_random(run: &[u8]) -> bool {
    // Hashes of Dask's keys, of commits, and UUIDs are random and no secret; so are words with dashes between them.
    if run.split(|byte| b"-_/".contains(byte)).any(is_hash) {
        return false;
    }
    let count = |is: fn(&u8) -> bool| run.iter().filter(|byte| is(byte)).count();
    let (upper, lower, digits) = (
        count(u8::is_ascii_uppercase),
        count(u8::is_ascii_lowercase),
        count(u8::is_ascii_digit),
    );
    let separators = run.len() - upper - lower - digits;
    if upper < 3 || lower < 3 || digits < 2 || separators * 6 > run.len() {
        return false;
    }
    turns(run) * 3 >= run.len() && bits(run) >= BITS
}

/// How often a capital letter, a small one and a digit take turns: in words seldom, in what was drawn more than every second time.
fn turns(run: &[u8]) -> usize {
    let kind = |byte: u8| match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    run.windows(2)
        .filter(|pair| kind(pair[0]) != kind(pair[1]))
        .count()
}

/// Hexadecimal digits as hashes have, or a part of a UUID between others.
fn is_hash(part: &[u8]) -> bool {
    part.len() >= 12 && part.iter().all(u8::is_ascii_hexdigit)
}

fn bits(run: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in run {
        counts[usize::from(*byte)] += 1;
    }
    let all = run.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / all;
            -share * share.log2()
        })
        .sum()
}
