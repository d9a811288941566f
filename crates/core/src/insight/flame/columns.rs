//! Rectangles as the columns of an answer.

use std::collections::HashMap;

use super::draw::{Drawn, Rectangle, draw};
use super::library::library;
use super::search::Matches;
use crate::query::types::{Flame, FlameFound, FlameFrames, FlameRectangles, FlameStep, FlameView};
use crate::query::{ALL, Tree};

/// Half of the middle 95 % of a normal distribution, in standard deviations.
const WIDE: f64 = 1.96;

/// What counts stand for.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// All samples, which shares are of.
    pub(crate) samples: u64,
    pub(crate) seconds_per_sample: f64,
}

/// What can be seen of a tree.
pub(crate) fn flame(
    tree: &Tree,
    view: &FlameView,
    matches: Option<&Matches>,
    scale: Scale,
) -> Flame {
    drawn(tree, view, matches, scale).0
}

/// The same, with what is drawn.
pub(super) fn drawn(
    tree: &Tree,
    view: &FlameView,
    matches: Option<&Matches>,
    scale: Scale,
) -> (Flame, Drawn) {
    let drawn = draw(tree, view, matches);
    let mut frames = Frames::new(tree);
    let rectangles = columns(tree, &drawn.rectangles, &mut frames, scale.samples);
    let caller = |at: usize| (at != 0).then(|| tree.parent[at] as usize);
    // A block of small frames is drawn first in place of the frame that it stands in.
    let is_block = drawn.rectangles.first().is_some_and(|one| one.small > 0);
    let mut above = if is_block {
        Some(drawn.root)
    } else {
        caller(drawn.root)
    };
    let mut way = Vec::new();
    while let Some(at) = above {
        way.push(FlameStep {
            key: tree.keys[at],
            frame: frames.place(tree.frame_of[at]),
            total: tree.total[at],
        });
        above = caller(at);
    }
    way.reverse();
    let flame = Flame {
        tree: String::new(),
        whole: scale.samples,
        total: drawn.rectangles.first().map_or(0, |root| root.total),
        seconds_per_sample: scale.seconds_per_sample,
        root_found: drawn.root_found,
        way,
        rectangles,
        frames: frames.columns,
        smallest: drawn.smallest,
        truncated: drawn.truncated,
        found: matches.map(|matches| FlameFound {
            functions: matches.functions,
            total: matches.total,
            keys: matches.keys.clone(),
        }),
        transformed: Vec::new(),
    };
    (flame, drawn)
}

/// Half the width of the 95 % interval of a count among so many samples, by the normal approximation of the binomial. To the hundredth
/// of a sample: nobody sees more of it, and all of its digits would be a large part of an answer.
pub(super) fn error(count: u64, samples: u64) -> f64 {
    if samples == 0 {
        return 0.0;
    }
    let part = (count as f64 / samples as f64).min(1.0);
    let error = WIDE * (part * (1.0 - part) * samples as f64).sqrt();
    (error * 100.0).round() / 100.0
}

/// The functions of an answer, each once.
struct Frames<'a> {
    tree: &'a Tree,
    places: HashMap<u32, i32>,
    columns: FlameFrames,
}

impl<'a> Frames<'a> {
    fn new(tree: &'a Tree) -> Self {
        Self {
            tree,
            places: HashMap::new(),
            columns: FlameFrames {
                key: Vec::new(),
                name: Vec::new(),
                file: Vec::new(),
                line: Vec::new(),
                library: Vec::new(),
            },
        }
    }

    fn place(&mut self, frame: u32) -> i32 {
        if frame == ALL {
            return -1;
        }
        let columns = &mut self.columns;
        *self.places.entry(frame).or_insert_with(|| {
            let at = frame as usize;
            let known = &self.tree.frames[at];
            columns.key.push(self.tree.frame_keys[at]);
            columns.name.push(known.name.clone());
            columns.file.push(known.file.clone());
            columns.line.push(known.line);
            columns.library.push(library(&known.file).to_owned());
            columns.key.len() as i32 - 1
        })
    }
}

fn columns(
    tree: &Tree,
    rectangles: &[Rectangle],
    frames: &mut Frames<'_>,
    samples: u64,
) -> FlameRectangles {
    let frame = |one: &Rectangle, node: usize, frames: &mut Frames<'_>| match one.small {
        0 => frames.place(tree.frame_of[node]),
        _ => -1,
    };
    FlameRectangles {
        key: rectangles.iter().map(|one| tree.keys[one.node]).collect(),
        parent: rectangles
            .iter()
            .map(|one| one.parent.map_or(-1, |parent| parent as i32))
            .collect(),
        frame: rectangles
            .iter()
            .map(|one| frame(one, one.node, frames))
            .collect(),
        last: rectangles
            .iter()
            .map(|one| frame(one, one.last, frames))
            .collect(),
        depth: rectangles.iter().map(|one| one.depth).collect(),
        x: rectangles.iter().map(|one| one.x).collect(),
        total: rectangles.iter().map(|one| one.total).collect(),
        own: rectangles
            .iter()
            .map(|one| {
                if one.small == 0 {
                    tree.own[one.last]
                } else {
                    0
                }
            })
            .collect(),
        small: rectangles.iter().map(|one| one.small).collect(),
        run: rectangles.iter().map(|one| one.run).collect(),
        found: rectangles.iter().map(|one| one.found).collect(),
        error: rectangles
            .iter()
            .map(|one| error(one.total, samples))
            .collect(),
    }
}
