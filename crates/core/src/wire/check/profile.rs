//! The tables of a profile: every index points at something, parents come before their children, and the counts add up.

use super::limits::{Checked, PATH_BYTES, cut, cut_name, optional, signed, time, whole};
use crate::wire::{ProfileRecord, RefusalCode};

/// The plugin folds thin stacks until no more are left.
pub(crate) const STACKS: usize = 20_000;
/// As many lines of code, and for each function one for its other lines.
pub(crate) const LINES: usize = 2 * STACKS;
/// Names, files and lines of source of that many frames, and the lines of code.
const STRINGS: usize = 3 * STACKS + LINES;
/// Dask cuts stacks at a hundred frames, and Python's own limit is a thousand.
const DEPTH: u16 = 1_000;

pub(super) fn check(r: &mut ProfileRecord) -> Checked {
    time(r.at_micros, "at_micros")?;
    time(r.from_micros, "from_micros")?;
    time(r.to_micros, "to_micros")?;
    if r.to_micros < r.from_micros {
        return Err((RefusalCode::OutOfRange, "to_micros"));
    }
    optional(&mut r.prefix, cut_name);
    whole(r.samples, "samples")?;
    signed(r.sample_micros, "sample_micros")?;
    strings(r)?;
    frames(r)?;
    stacks(r)?;
    leaves(r)?;
    lines(r)
}

fn strings(r: &mut ProfileRecord) -> Checked {
    at_most(r.strings.len(), STRINGS, "strings")?;
    r.strings.iter_mut().for_each(|text| cut(text, PATH_BYTES));
    Ok(())
}

fn frames(r: &ProfileRecord) -> Checked {
    let frames = &r.frames;
    at_most(frames.name.len(), STACKS, "frames")?;
    same(
        &[frames.file.len(), frames.line.len(), frames.text.len()],
        frames.name.len(),
        "frames",
    )?;
    let strings = r.strings.len();
    let texts = frames.text.iter().flatten();
    inside(
        frames.name.iter().chain(&frames.file).chain(texts),
        strings,
        "frames",
    )
}

fn stacks(r: &ProfileRecord) -> Checked {
    let stacks = &r.stacks;
    at_most(stacks.parent.len(), STACKS, "stacks")?;
    same(&[stacks.frame.len()], stacks.parent.len(), "stacks")?;
    inside(&stacks.frame, r.frames.name.len(), "stacks.frame")?;
    let mut depths: Vec<u16> = Vec::with_capacity(stacks.parent.len());
    for &parent in &stacks.parent {
        let depth = match usize::try_from(parent) {
            // Those before it are in `depths`, and no others.
            Ok(parent) => match depths.get(parent) {
                Some(depth) => depth + 1,
                None => return Err((RefusalCode::OutOfRange, "stacks.parent")),
            },
            Err(_) if parent == -1 => 1,
            Err(_) => return Err((RefusalCode::OutOfRange, "stacks.parent")),
        };
        if depth > DEPTH {
            return Err((RefusalCode::TooLarge, "stacks.parent"));
        }
        depths.push(depth);
    }
    Ok(())
}

fn leaves(r: &ProfileRecord) -> Checked {
    let leaves = &r.leaves;
    at_most(leaves.stack.len(), STACKS, "leaves")?;
    same(&[leaves.count.len()], leaves.stack.len(), "leaves")?;
    inside(&leaves.stack, r.stacks.parent.len(), "leaves.stack")?;
    whole(r.unattributed, "unattributed")?;
    leaves
        .count
        .iter()
        .try_for_each(|&count| whole(count, "leaves.count"))?;
    // 20,001 numbers of 53 bits fit 68 bits.
    let told: u128 = leaves.count.iter().map(|&count| u128::from(count)).sum();
    if told + u128::from(r.unattributed) == u128::from(r.samples) {
        Ok(())
    } else {
        Err((RefusalCode::OutOfRange, "samples"))
    }
}

fn lines(r: &ProfileRecord) -> Checked {
    let lines = &r.lines;
    at_most(lines.frame.len(), LINES, "lines")?;
    let (texts, ended, samples) = (lines.text.len(), lines.ended.len(), lines.samples.len());
    same(
        &[lines.line.len(), texts, ended, samples],
        lines.frame.len(),
        "lines",
    )?;
    inside(&lines.frame, r.frames.name.len(), "lines.frame")?;
    inside(lines.text.iter().flatten(), r.strings.len(), "lines.text")?;
    if lines.line.contains(&Some(0)) {
        return Err((RefusalCode::OutOfRange, "lines.line"));
    }
    let mut counts = lines.ended.iter().chain(&lines.samples);
    if counts.any(|&count| count > r.samples) {
        return Err((RefusalCode::OutOfRange, "lines.samples"));
    }
    Ok(())
}

fn at_most(found: usize, limit: usize, field: &'static str) -> Checked {
    if found > limit {
        return Err((RefusalCode::TooLarge, field));
    }
    Ok(())
}

fn same(found: &[usize], wanted: usize, field: &'static str) -> Checked {
    if found.iter().any(|&found| found != wanted) {
        return Err((RefusalCode::OutOfRange, field));
    }
    Ok(())
}

fn inside<'a>(
    places: impl IntoIterator<Item = &'a u32>,
    length: usize,
    field: &'static str,
) -> Checked {
    if places.into_iter().any(|&place| place as usize >= length) {
        return Err((RefusalCode::OutOfRange, field));
    }
    Ok(())
}
