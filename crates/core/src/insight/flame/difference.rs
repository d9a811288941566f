//! Two trees drawn over each other, and what takes more or less time.

use std::collections::HashMap;

use super::columns::{Scale, drawn};
use super::draw::Rectangle;
use super::library::{library, place};
use super::search::Matches;
use crate::query::types::{
    Flame, FlameChange, FlameChanges, FlameDifferenceRequest, FlameFunctionChange,
};
use crate::query::{Growing, StackFrame, Tree};

/// Functions of one list.
const LISTED: usize = 200;
/// The whole width in parts: a trillion, which JavaScript keeps exactly.
const PARTS: f64 = (1u64 << 40) as f64;

/// One of the two.
pub(crate) struct Side<'a> {
    pub(crate) tree: &'a Tree,
    /// What one sample is in the unit of the measure.
    pub(crate) unit: f64,
}

/// What is known of the difference; the rest of the answer is about each side alone.
pub(crate) struct Difference {
    pub(crate) flame: Flame,
    pub(crate) changes: FlameChanges,
    pub(crate) functions: Vec<FlameFunctionChange>,
    pub(crate) functions_total: u64,
    pub(crate) vanished: Vec<FlameFunctionChange>,
    pub(crate) vanished_total: u64,
    pub(crate) new: Vec<FlameFunctionChange>,
    pub(crate) new_total: u64,
}

/// What can be seen of two trees over each other, as [`overlay`] made them.
pub(crate) fn difference(
    tree: &Tree,
    both: &Both,
    request: &FlameDifferenceRequest,
    matches: Option<&Matches>,
) -> Difference {
    let scale = Scale {
        samples: tree.total[0],
        seconds_per_sample: 0.0,
    };
    let (mut flame, drawn) = drawn(tree, &request.view, matches, scale);
    // The width of both together is no count.
    flame.rectangles.error.fill(0.0);
    let wholes = both.wholes();
    let least = request.threshold.max(0.0) * wholes[0].max(wholes[1]);
    let changes = changes(tree, both, &drawn.rectangles, least);
    let mut functions = functions(tree, both, least);
    let only = |functions: &[FlameFunctionChange], change| -> Vec<FlameFunctionChange> {
        let of = functions.iter().filter(|one| one.change == change);
        let mut of: Vec<_> = of.cloned().collect();
        of.sort_by(|a, b| {
            let time = |one: &FlameFunctionChange| one.before_total + one.after_total;
            time(b).total_cmp(&time(a))
        });
        of
    };
    let mut vanished = only(&functions, FlameChange::Vanished);
    let mut new = only(&functions, FlameChange::New);
    let moved = |one: &FlameFunctionChange| (one.after_own - one.before_own).abs();
    let carried = |one: &FlameFunctionChange| (one.after_total - one.before_total).abs();
    // Of those that are in one of them alone, most may be next to nothing: their own lists have them all.
    functions
        .retain(|one| one.change != FlameChange::Same && moved(one).max(carried(one)) >= least);
    functions.sort_by(|a, b| {
        moved(b)
            .total_cmp(&moved(a))
            .then(carried(b).total_cmp(&carried(a)))
    });
    let cut = |list: &mut Vec<FlameFunctionChange>| {
        let all = list.len() as u64;
        list.truncate(LISTED);
        all
    };
    Difference {
        flame,
        changes,
        functions_total: cut(&mut functions),
        vanished_total: cut(&mut vanished),
        new_total: cut(&mut new),
        functions,
        vanished,
        new,
    }
}

/// The samples of each side in the nodes of one common tree.
pub(crate) struct Both {
    owns: [Vec<u64>; 2],
    totals: [Vec<u64>; 2],
    /// Own and total samples of each function.
    functions: [Vec<(u64, u64)>; 2],
    /// What one sample of each is in the unit of the measure.
    units: [f64; 2],
}

impl Both {
    /// All of each side.
    pub(crate) fn samples(&self) -> [u64; 2] {
        [0, 1].map(|side: usize| self.totals[side][0])
    }

    /// The same in the unit of the measure.
    pub(crate) fn wholes(&self) -> [f64; 2] {
        let samples = self.samples();
        [0, 1].map(|side: usize| samples[side] as f64 * self.units[side])
    }

    pub(crate) fn bytes(&self) -> usize {
        self.owns[0].len() * 32 + self.functions[0].len() * 32
    }

    fn change(&self, samples: [u64; 2], least: f64) -> FlameChange {
        match samples {
            [0, 0] => FlameChange::Same,
            [0, _] => FlameChange::New,
            [_, 0] => FlameChange::Vanished,
            _ => self.time(samples, least),
        }
    }

    /// Whether it takes more or less time, be it in both of them or not.
    fn time(&self, samples: [u64; 2], least: f64) -> FlameChange {
        let [before, after] = [0, 1].map(|side: usize| samples[side] as f64 * self.units[side]);
        if (after - before).abs() < least || after == before {
            FlameChange::Same
        } else if after > before {
            FlameChange::MoreTime
        } else {
            FlameChange::LessTime
        }
    }
}

/// Both trees as one, in which a node is as wide as the sum of both in the unit of the measure. Functions that moved are named as in
/// the later one.
pub(crate) fn overlay(sides: &[Side<'_>; 2]) -> (Tree, Both) {
    let mut growing = Growing::default();
    let moved = twins(sides[0].tree, sides[1].tree);
    // Where the nodes of each side are in the common tree, by the order in which they grew.
    let grown = [
        grow(&mut growing, sides[0].tree, &moved),
        grow(&mut growing, sides[1].tree, &HashMap::new()),
    ];
    let (mut tree, places) = growing.finish_with_places();
    let owns = [0, 1].map(|side: usize| {
        let mut own = vec![0u64; tree.len()];
        for (at, &place) in grown[side].iter().enumerate() {
            own[places[place as usize] as usize] += sides[side].tree.own[at];
        }
        own
    });
    let totals = [0, 1].map(|side: usize| tree.totals_of(&owns[side]));
    let functions = [0, 1].map(|side: usize| tree.functions_with(&owns[side], &totals[side]));
    let both = Both {
        owns,
        totals,
        functions,
        units: [sides[0].unit, sides[1].unit],
    };
    let wholes: f64 = both.wholes().iter().sum();
    let parts = if wholes > 0.0 { PARTS / wholes } else { 0.0 };
    for at in 0..tree.len() {
        let [before, after] =
            [0, 1].map(|side: usize| both.owns[side][at] as f64 * both.units[side]);
        tree.own[at] = ((before + after) * parts).round() as u64;
    }
    tree.total = tree.totals_of(&tree.own);
    (tree, both)
}

/// The earlier tree with its functions named as in the later one, where they moved: a change then finds them in both. None where none
/// did.
pub(crate) fn renamed(before: &Tree, after: &Tree) -> Option<Tree> {
    let moved = twins(before, after);
    if moved.is_empty() {
        return None;
    }
    let mut growing = Growing::default();
    let places = grow(&mut growing, before, &moved);
    for (&place, &own) in places.iter().zip(&before.own) {
        growing.add(place, own);
    }
    Some(growing.finish())
}

/// Lets the nodes of a tree grow in their order, and gives their places. What is in `moved` has its name from there.
fn grow(growing: &mut Growing, tree: &Tree, moved: &HashMap<u32, &StackFrame>) -> Vec<u32> {
    let mut frames = Vec::with_capacity(tree.frames.len());
    for (at, frame) in (0u32..).zip(tree.frames.iter()) {
        frames.push(growing.frame(moved.get(&at).copied().unwrap_or(frame)));
    }
    let mut last = Growing::ROOT;
    let mut places = Vec::with_capacity(tree.len());
    places.push(last);
    for at in 1..tree.len() {
        let above = places[tree.parent[at] as usize];
        last = growing.node_after(last, above, frames[tree.frame_of[at] as usize]);
        places.push(last);
    }
    places
}

/// Every function of either side.
fn functions(tree: &Tree, both: &Both, least: f64) -> Vec<FlameFunctionChange> {
    let frames = tree.frames.iter().enumerate();
    frames
        .map(|(at, StackFrame { name, file, line })| {
            let [before, after] = [0, 1].map(|side: usize| both.functions[side][at]);
            let whole = both.change([before.1, after.1], least);
            FlameFunctionChange {
                key: tree.frame_keys[at],
                name: name.clone(),
                file: file.clone(),
                line: *line,
                library: library(file).to_owned(),
                // What it did itself is said before what it called did, also where it did nothing itself on one side.
                change: match both.time([before.0, after.0], least) {
                    FlameChange::Same => whole,
                    _ if matches!(whole, FlameChange::New | FlameChange::Vanished) => whole,
                    own => own,
                },
                before_own: before.0 as f64 * both.units[0],
                after_own: after.0 as f64 * both.units[1],
                before_total: before.1 as f64 * both.units[0],
                after_total: after.1 as f64 * both.units[1],
            }
        })
        .filter(|one| one.before_total > 0.0 || one.after_total > 0.0)
        .collect()
}

/// Functions of `before`, as they are in `after`, that are the same though their lines or folders moved: each is alone on its side
/// with its name in its file, once those that are wholly equal are set aside.
fn twins<'a>(before: &Tree, after: &'a Tree) -> HashMap<u32, &'a StackFrame> {
    let known: HashMap<&StackFrame, u32> = before.frames.iter().zip(0..).collect();
    let there: HashMap<&StackFrame, u32> = after.frames.iter().zip(0..).collect();
    let alone = |tree: &Tree, others: &HashMap<&StackFrame, u32>| {
        let mut alone: HashMap<(String, String), Option<u32>> = HashMap::new();
        for (at, frame) in tree.frames.iter().enumerate() {
            if others.contains_key(frame) {
                continue;
            }
            let name = (frame.name.clone(), place(&frame.file).to_owned());
            alone
                .entry(name)
                .and_modify(|place| *place = None)
                .or_insert(Some(at as u32));
        }
        alone
    };
    let (old, new) = (alone(before, &there), alone(after, &known));
    let same = old.iter().filter_map(|(name, at)| {
        let twin = (*new.get(name)?)?;
        Some(((*at)?, &after.frames[twin as usize]))
    });
    same.collect()
}

fn changes(tree: &Tree, both: &Both, rectangles: &[Rectangle], least: f64) -> FlameChanges {
    let of = |node: usize| [0, 1].map(|side: usize| both.totals[side][node]);
    let samples: Vec<[u64; 2]> = rectangles
        .iter()
        .map(|one| {
            if one.small == 0 {
                return of(one.node);
            }
            let children = tree.children(one.node);
            let small = children.filter(|&child| tree.total[child] < one.below);
            let mut sum = [0; 2];
            for [before, after] in small.map(of) {
                sum = [sum[0] + before, sum[1] + after];
            }
            sum
        })
        .collect();
    FlameChanges {
        change: samples.iter().map(|&of| both.change(of, least)).collect(),
        before_samples: samples.iter().map(|of| of[0]).collect(),
        after_samples: samples.iter().map(|of| of[1]).collect(),
    }
}
