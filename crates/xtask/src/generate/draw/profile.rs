//! Profiles as the code of a project has them: the same stacks at each of its runs, with other counts.
//!
//! What can be called is drawn by dice that know nothing of the run, in layers, each on the ones before it:
//!
//! 1. the recorded stacks: those of Dask and of libraries, the same for everyone who does that kind of work;
//! 2. a fifth of the rest: calls of library functions, the same for all projects that do that kind of work;
//! 3. seven tenths: calls of the project's functions, and of libraries out of them, the same at each run of the project;
//! 4. a tenth: what changed with the version of that month.
//!
//! A run meets all of that but one in twenty of the calls at the top, and each stack about as often as other runs do. So two runs
//! of a project share nine stacks of ten in one month, and eight of ten over months.

use std::collections::HashSet;

use bobbin_core::{
    model::Micros,
    wire::{ProfileFrames, ProfileLeaves, ProfileLines, ProfileRecord},
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
const LIBRARIES: [&str; 5] = ["pandas", "numpy", "pyarrow", "scipy", "xarray"];
const PACKAGES: &str = "~/miniforge3/envs/dask/lib/python3.12/site-packages";
/// Functions of a project, and of libraries.
const FUNCTIONS: usize = VERBS.len() * NOUNS.len();
/// Calls out of a project's code that are of a library.
const INTO_LIBRARIES: f64 = 0.25;
/// Calls at the top that a run does not meet.
const UNMET: f64 = 0.05;

/// Whose code runs, and as of when.
pub struct Code<'a> {
    pub seed: u64,
    pub project: &'a str,
    /// Counted in any way: one has one version.
    pub month: i64,
    /// Of a profile that is told in several records.
    pub part: usize,
}

/// A run's profile of about so many stacks in the given time, grown on a recorded one.
pub fn grow(
    dice: &mut Dice,
    recorded: &ProfileRecord,
    code: &Code<'_>,
    stacks: usize,
    (from, to): (i64, i64),
    samples: u64,
) -> ProfileRecord {
    let prefix = recorded.prefix.as_deref().unwrap_or_default();
    let (known, part) = (recorded.stacks.parent.len(), code.part);
    let rest = stacks.saturating_sub(known);
    let mut tree = Growing::on(recorded, code.project);
    let mut library = Dice::named(code.seed, &format!("{prefix} {known} {part}"));
    let mut project = Dice::named(code.seed, &format!("{} {prefix} {part}", code.project));
    let of_month = format!("{} {prefix} {part} {}", code.project, code.month);
    let mut month = Dice::named(code.seed, &of_month);
    tree.grow(&mut library, rest / 5, 1.0);
    tree.grow(&mut project, rest - rest / 5 - rest / 10, INTO_LIBRARIES);
    tree.grow(&mut month, rest / 10, INTO_LIBRARIES);
    let mut grown = tree.grown;

    let all = grown.stacks.parent.len();
    let met = meet(dice, &mut grown, known);
    let mut counts = vec![1u64; grown.stacks.parent.len()];
    // What called nothing was seen at least once, or nobody would know of it.
    for parent in &grown.stacks.parent {
        if let Some(count) = counts.get_mut(*parent as usize) {
            *count = 0;
        }
    }
    // Where time goes is the code's, too.
    let heavy: Vec<(usize, f64)> = (0..(all / 3).max(1))
        .map(|_| (project.below(all), project.log_normal(1.0, 1.5)))
        .collect();
    let heavy: Vec<(usize, f64)> = heavy
        .into_iter()
        .map(|(stack, weight)| (stack, weight * dice.log_normal(1.0, 0.3)))
        .collect();
    let whole: f64 = heavy.iter().map(|(_, weight)| weight).sum();
    for (stack, weight) in heavy {
        if let Some(stack) = met[stack] {
            counts[stack as usize] += 1 + (samples as f64 * weight / whole) as u64;
        }
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
        lines: by_line(&grown, &counts),
        leaves: ProfileLeaves { stack, count },
        ..grown
    }
}

/// Where in each function time goes: three parts at one line, a part at another. `counts`: samples that ended in each stack.
fn by_line(grown: &ProfileRecord, counts: &[u64]) -> ProfileLines {
    let stacks = &grown.stacks;
    let above = |stack: usize| usize::try_from(stacks.parent[stack]).ok();
    let mut totals = counts.to_vec();
    for stack in (0..totals.len()).rev() {
        if let Some(parent) = above(stack) {
            totals[parent] += totals[stack];
        }
    }
    // Samples of each function that ended in it, and those with what it called: of the outermost call.
    let mut functions = vec![(0u64, 0u64); grown.frames.name.len()];
    for (stack, &frame) in stacks.frame.iter().enumerate() {
        let (own, all) = &mut functions[frame as usize];
        *own += counts[stack];
        let mut callers = std::iter::successors(above(stack), |&caller| above(caller));
        if callers.all(|caller| stacks.frame[caller] != frame) {
            *all += totals[stack];
        }
    }
    let mut lines = ProfileLines::default();
    for (frame, (own, all)) in (0u32..).zip(functions) {
        let Some(first) = grown.frames.line[frame as usize] else {
            continue;
        };
        let (less_own, less) = (own / 4, all / 4);
        for (line, ended, samples) in [
            (first + 2, own - less_own, all - less),
            (first + 5, less_own, less),
        ] {
            if samples > 0 {
                lines.frame.push(frame);
                lines.line.push(Some(line));
                lines.text.push(None);
                lines.ended.push(ended);
                lines.samples.push(samples);
            }
        }
    }
    lines
}

/// Takes out what a run does not meet; where each stack is then. The first `known` stay.
fn meet(dice: &mut Dice, grown: &mut ProfileRecord, known: usize) -> Vec<Option<u32>> {
    let stacks = &mut grown.stacks;
    let mut calls_on = vec![false; stacks.parent.len()];
    for parent in &stacks.parent {
        if let Some(calls_on) = calls_on.get_mut(*parent as usize) {
            *calls_on = true;
        }
    }
    let mut kept = 0;
    let met: Vec<Option<u32>> = (0..)
        .zip(calls_on)
        .map(|(at, calls_on)| {
            let met = at < known || calls_on || !dice.chance(UNMET);
            kept += u32::from(met);
            met.then(|| kept - 1)
        })
        .collect();
    let places = met.iter().enumerate().filter(|(_, place)| place.is_some());
    let (parent, frame) = places
        .map(|(at, _)| {
            let parent = stacks.parent[at];
            let moved = usize::try_from(parent).ok().and_then(|parent| met[parent]);
            (
                moved.map_or(parent, |parent| parent as i32),
                stacks.frame[at],
            )
        })
        .unzip();
    (stacks.parent, stacks.frame) = (parent, frame);
    met
}

/// What can be called, as far as it was drawn.
struct Growing<'a> {
    grown: ProfileRecord,
    project: &'a str,
    /// How often each function is called.
    popular: Vec<f64>,
    /// Places of functions of libraries and of the project, once they were called.
    frames: [Vec<Option<u32>>; 2],
    /// Parents and functions: each call is there once.
    calls: HashSet<(i32, u32)>,
}

impl<'a> Growing<'a> {
    fn on(recorded: &ProfileRecord, project: &'a str) -> Self {
        let stacks = &recorded.stacks;
        let calls = stacks.parent.iter().zip(&stacks.frame);
        Self {
            calls: calls.map(|(parent, frame)| (*parent, *frame)).collect(),
            grown: recorded.clone(),
            project,
            popular: zipf(FUNCTIONS),
            frames: [vec![None; FUNCTIONS], vec![None; FUNCTIONS]],
        }
    }

    /// Adds calls, of which so many are of libraries.
    fn grow(&mut self, dice: &mut Dice, calls: usize, of_libraries: f64) {
        let end = self.grown.stacks.parent.len() + calls;
        while self.grown.stacks.parent.len() < end {
            let there = self.grown.stacks.parent.len();
            let is_library = dice.chance(of_libraries);
            let function = dice.weighted(&self.popular);
            // Most calls are made by what was called last: stacks become deep before they become many.
            let parent = if dice.chance(0.7) {
                there.saturating_sub(1 + dice.below(8))
            } else {
                dice.below(there)
            };
            let frame = self.frame(is_library, function);
            if self.calls.insert((parent as i32, frame)) {
                self.grown.stacks.parent.push(parent as i32);
                self.grown.stacks.frame.push(frame);
            }
        }
    }

    /// The place of a function, which is added to the tables when it is called first.
    fn frame(&mut self, is_library: bool, function: usize) -> u32 {
        if let Some(frame) = self.frames[usize::from(!is_library)][function] {
            return frame;
        }
        let (verb, noun) = (function / NOUNS.len(), function % NOUNS.len());
        let file = match is_library {
            true => {
                let library = LIBRARIES[noun % LIBRARIES.len()];
                format!("{PACKAGES}/{library}/{}.py", NOUNS[noun])
            }
            false => format!("~/src/{}/{}.py", self.project, NOUNS[noun]),
        };
        let mut text = |text: String| {
            self.grown.strings.push(text);
            self.grown.strings.len() as u32 - 1
        };
        let name = text(format!("{}_{}", VERBS[verb], NOUNS[noun]));
        let file = text(file);
        let ProfileFrames {
            name: names,
            file: files,
            line: lines,
            text: texts,
        } = &mut self.grown.frames;
        names.push(name);
        files.push(file);
        lines.push(Some(10 + 12 * verb as u32));
        texts.push(None);
        let frame = names.len() as u32 - 1;
        self.frames[usize::from(!is_library)][function] = Some(frame);
        frame
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::recorded;
    use super::*;

    /// Samples of each stack, by its functions from the bottom.
    fn stacks(profile: &ProfileRecord) -> HashMap<String, u64> {
        let text = |place: u32| &profile.strings[place as usize];
        let mut paths: Vec<String> = Vec::new();
        for (parent, frame) in profile.stacks.parent.iter().zip(&profile.stacks.frame) {
            let below = usize::try_from(*parent).map_or("", |parent| &paths[parent]);
            let (frame, frames) = (*frame as usize, &profile.frames);
            let (name, file) = (text(frames.name[frame]), text(frames.file[frame]));
            paths.push(format!("{below} {file}:{name}:{:?}", frames.line[frame]));
        }
        let mut counts: HashMap<String, u64> = paths.iter().map(|path| (path.clone(), 0)).collect();
        for (stack, count) in profile.leaves.stack.iter().zip(&profile.leaves.count) {
            *counts.entry(paths[*stack as usize].clone()).or_default() += count;
        }
        counts
    }

    /// How many in a hundred of the stacks of one the other has, too.
    fn shared(one: &HashMap<String, u64>, other: &HashMap<String, u64>) -> usize {
        let both = one.keys().filter(|path| other.contains_key(*path));
        both.count() * 100 / one.len()
    }

    #[test]
    fn runs_of_a_project_share_most_stacks_and_projects_those_of_libraries() {
        let stories = recorded::read().unwrap();
        for recorded in stories.iter().flat_map(|story| &story.profiles) {
            let run = |number, project, month| {
                let code = Code {
                    seed: 1,
                    project,
                    month,
                    part: 0,
                };
                let mut dice = Dice::new(1, number);
                let grown = grow(&mut dice, recorded, &code, 400, (0, 1), 10_000);
                stacks(&grown)
            };
            let (first, again) = (run(1, "taxi-etl", 670), run(2, "taxi-etl", 670));
            assert!((370..=400).contains(&first.len()), "{}", first.len());
            assert!(shared(&first, &again) >= 90);
            let both = first.iter().filter(|(path, _)| again.contains_key(*path));
            let alike = both.filter(|(path, count)| **count > 1 && again[*path] == **count);
            assert!(alike.count() < first.len() / 4, "counts differ");
            assert_eq!(first, run(1, "taxi-etl", 670));
            let (later, other) = (run(3, "taxi-etl", 671), run(4, "genome-fit", 670));
            assert!((75..95).contains(&shared(&first, &later)));
            assert!((18..70).contains(&shared(&first, &other)));
        }
    }
}
