//! Profiles that share most of their stacks, as those of one code base do: recorded ones, on which functions of the
//! project grow.

use bobbin_core::{
    model::Micros,
    wire::{ProfileFrames, ProfileLeaves, ProfileRecord},
};

use super::dice::{Dice, zipf};

const VERBS: [&str; 20] = [
    "read", "clean", "join", "mask", "bin", "fit", "score", "merge", "sort", "hash", "split",
    "pack", "fill", "scale", "shift", "count", "plan", "write", "check", "index",
];
const NOUNS: [&str; 25] = [
    "rows", "trips", "cells", "tiles", "bands", "claims", "prices", "edges", "blocks", "dates",
    "codes", "genes", "waves", "lanes", "zones", "fields", "spans", "texts", "rates", "keys",
    "parts", "frames", "weights", "labels", "scores",
];
/// Functions of a project.
const FUNCTIONS: usize = VERBS.len() * NOUNS.len();

/// A profile of about so many stacks in the given time, grown on a recorded one.
pub fn grow(
    dice: &mut Dice,
    recorded: &ProfileRecord,
    project: &str,
    stacks: usize,
    (from, to): (i64, i64),
    samples: u64,
) -> ProfileRecord {
    let mut grown = recorded.clone();
    let popular = zipf(FUNCTIONS);
    let mut frames = vec![None; FUNCTIONS];
    while grown.stacks.parent.len() < stacks {
        let function = dice.weighted(&popular);
        let frame = *frames[function].get_or_insert_with(|| frame(&mut grown, project, function));
        // Most calls are made by what was called last: stacks become deep before they become many.
        let there = grown.stacks.parent.len();
        let parent = if dice.chance(0.7) {
            there.saturating_sub(1 + dice.below(8))
        } else {
            dice.below(there)
        };
        grown.stacks.parent.push(parent as i32);
        grown.stacks.frame.push(frame);
    }
    let mut counts = vec![0u64; grown.stacks.parent.len()];
    for parent in &grown.stacks.parent {
        // Marked, for now: somebody called on from there.
        if let Some(count) = counts.get_mut(*parent as usize) {
            *count = u64::MAX;
        }
    }
    // What called nothing was seen at least once, or nobody would know of it.
    for count in &mut counts {
        *count = u64::from(*count == 0);
    }
    let heavy: Vec<usize> = (0..(counts.len() / 3).max(1))
        .map(|_| dice.below(counts.len()))
        .collect();
    let weights: Vec<f64> = heavy.iter().map(|_| dice.log_normal(1.0, 1.5)).collect();
    let whole: f64 = weights.iter().sum();
    for (stack, weight) in heavy.iter().zip(&weights) {
        counts[*stack] += 1 + (samples as f64 * weight / whole) as u64;
    }
    let sampled = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    let (stack, count): (Vec<u32>, Vec<u64>) =
        sampled.map(|(stack, count)| (stack as u32, *count)).unzip();
    ProfileRecord {
        at_micros: Micros(to),
        from_micros: Micros(from),
        to_micros: Micros(to),
        samples: count.iter().sum(),
        unattributed: 0,
        leaves: ProfileLeaves { stack, count },
        ..grown
    }
}

/// Adds a function of the project to the tables.
fn frame(grown: &mut ProfileRecord, project: &str, function: usize) -> u32 {
    let (verb, noun) = (function / NOUNS.len(), function % NOUNS.len());
    let mut text = |text: String| {
        grown.strings.push(text);
        grown.strings.len() as u32 - 1
    };
    let name = text(format!("{}_{}", VERBS[verb], NOUNS[noun]));
    let file = text(format!("~/src/{project}/{}.py", NOUNS[noun]));
    let ProfileFrames {
        name: names,
        file: files,
        line: lines,
        text: texts,
    } = &mut grown.frames;
    names.push(name);
    files.push(file);
    lines.push(Some(10 + 12 * verb as u32));
    texts.push(None);
    names.len() as u32 - 1
}
