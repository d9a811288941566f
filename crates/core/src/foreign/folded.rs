//! Folded stacks: a line a stack, `outer;inner 12`, as `flamegraph.pl`, py-spy and many others write them.

use super::input::Input;
use super::records::{at_most, cluster, stop};
use super::stacks::{Place, Stacks};
use super::{Outcome, Read, Wrong};
use crate::model::{Micros, SourceFormat};
use crate::wire::Record;

const BYTES: u64 = 256 << 20;
const LINES: usize = 5_000_000;
/// What a profile of a sampler alone does not tell.
pub(super) const UNAVAILABLE: [&str; 13] = [
    "times",
    "workers",
    "groups",
    "computations",
    "spans",
    "metrics",
    "code",
    "exceptions",
    "events",
    "memory",
    "retries",
    "versions",
    "result_bytes",
];

/// The frames of a line and how often it was seen; none if it is no such line.
pub(super) fn stack(line: &str) -> Option<(&str, u64)> {
    let (frames, count) = line.trim_end().rsplit_once([' ', '\t'])?;
    let frames = frames.trim_end();
    let count: u64 = count.parse().ok()?;
    (!frames.is_empty()).then_some((frames, count))
}

pub(super) fn read(input: &mut Input, name: &str, now: Micros) -> Outcome<Read> {
    let text = input.text(BYTES)?;
    let mut stacks = Stacks::default();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        at_most(number, LINES, "lines")?;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (frames, count) = stack(line).ok_or_else(|| {
            Wrong::Is(format!(
                "line {} is not a stack: write frames separated by semicolons, a space and a whole number",
                number + 1
            ))
        })?;
        let mut place = Place::Bottom;
        for frame in frames.split(';') {
            let (name, file) = place_of(frame);
            let frame = stacks.frame(name, file, None, None)?;
            place = stacks.on(place, frame)?;
        }
        stacks.add(place, count as f64)?;
    }
    let profile = stacks.record(now, now, 0)?;
    let mut facts = cluster(name, now, now, &UNAVAILABLE);
    facts.unavailable.push("sample_time".into());
    Ok(Read {
        format: SourceFormat::FoldedStacks,
        as_of: now,
        records: vec![
            Record::Cluster(Box::new(facts)),
            Record::Profile(Box::new(profile)),
            stop(now),
        ],
    })
}

/// py-spy writes `name (file.py:12)`, or `name (file.py)`; others write a name alone.
fn place_of(frame: &str) -> (&str, &str) {
    let found = frame
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once(" ("))
        .filter(|(name, file)| !name.is_empty() && !file.is_empty());
    let Some((name, file)) = found else {
        return (frame, "");
    };
    // The line is the one that ran, and not the first of the function, by which functions are told apart.
    match file.rsplit_once(':') {
        Some((file, line)) if line.parse::<u32>().is_ok() && !file.is_empty() => (name, file),
        _ => (name, file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_frames_and_a_count() {
        assert_eq!(stack("a;b c 12"), Some(("a;b c", 12)));
        assert_eq!(stack("a\t3  "), Some(("a", 3)));
        for line in [
            "12",
            " 12",
            "a;b",
            "a;b -1",
            "a;b 1.5",
            "a 99999999999999999999",
        ] {
            assert_eq!(stack(line), None, "{line}");
        }
    }

    #[test]
    fn places_are_read_where_they_are_told() {
        assert_eq!(place_of("inc (/a/b.py:12)"), ("inc", "/a/b.py"));
        assert_eq!(place_of("inc (b.py)"), ("inc", "b.py"));
        assert_eq!(place_of("<lambda>"), ("<lambda>", ""));
        assert_eq!(place_of("(x)"), ("(x)", ""));
    }
}
