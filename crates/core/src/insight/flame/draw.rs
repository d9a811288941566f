//! A tree as rectangles: what is in sight, no more of it than can be seen, and nothing left out silently.

use std::cmp::Reverse;

use super::search::Matches;
use crate::query::Tree;
use crate::query::types::{FlameOrder, FlameView};

/// Rectangles after which no more rows are made. What is beyond lies in rows below, and is told of.
const MOST: usize = 12_000;
/// Rectangles of one answer, the children of the last node included.
pub(super) const MOST_OF_ALL: usize = 2 * MOST;
/// Pixels: no screen is wider, and nothing narrower can be seen.
const WIDEST: u32 = 20_000;
const NARROWEST: f64 = 0.5;

/// One rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    /// For a block of small frames: their parent.
    pub(super) node: usize,
    /// The last of a run; `node` without one.
    pub(super) last: usize,
    pub(super) parent: Option<usize>,
    pub(super) depth: u32,
    /// Samples to the left, from the left edge of the root.
    pub(super) x: u64,
    pub(super) total: u64,
    /// Frames in a block of small ones; 0 is a frame.
    pub(super) small: u64,
    /// They have fewer samples than this; 0 for a frame.
    pub(super) below: u64,
    pub(super) run: u32,
    pub(super) found: bool,
}

pub(super) struct Drawn {
    pub(super) root: usize,
    pub(super) root_found: bool,
    /// Row by row.
    pub(super) rectangles: Vec<Rectangle>,
    /// Frames with fewer samples are in blocks.
    pub(super) smallest: u64,
    pub(super) truncated: bool,
}

pub(super) fn draw(tree: &Tree, view: &FlameView, matches: Option<&Matches>) -> Drawn {
    let asked = view.root.map(|key| tree.node_with_key(key));
    let root_found = asked.is_none_or(|found| found.is_some());
    let root = asked.flatten().unwrap_or(0);
    let below = view.below.filter(|_| root_found);
    let whole = match below {
        None => tree.total[root],
        Some(below) => small_children(tree, root, below).0,
    };
    let from = finite(view.from, 0.0).clamp(0.0, 1.0);
    let to = finite(view.to, 1.0).clamp(from, 1.0);
    let per_pixel = whole as f64 * (to - from) / f64::from(view.width.clamp(1, WIDEST));
    let mut smallest = (finite(view.smallest, 2.0).max(NARROWEST) * per_pixel)
        .ceil()
        .max(1.0) as u64;
    let mut drawing;
    let mut next;
    loop {
        drawing = Drawing {
            tree,
            matches,
            runs: view.runs,
            left_heavy: view.order == FlameOrder::LeftHeavy,
            smallest,
            sight: (whole as f64 * from, whole as f64 * to),
            out: Vec::new(),
            full: false,
        };
        match below {
            None => drawing.frame(root, None, 0, 0),
            Some(below) => drawing.block(root, below, None, 0, 0),
        }
        // Rows are made of the row before: what was pushed last.
        next = 0;
        while next < drawing.out.len() && drawing.out.len() < MOST {
            let from_block = below.filter(|_| next == 0);
            drawing.children(next, from_block);
            next += 1;
        }
        if !drawing.full || smallest == u64::MAX {
            break;
        }
        // One node has more children than fit: more of them are small.
        smallest = smallest.saturating_mul(2);
    }
    let truncated = (next..drawing.out.len()).any(|at| {
        let Rectangle { last, small, .. } = drawing.out[at];
        small == 0 && tree.end[last] as usize > last + 1
    });
    Drawn {
        root,
        root_found,
        rectangles: drawing.out,
        smallest,
        truncated,
    }
}

fn finite(value: f64, otherwise: f64) -> f64 {
    if value.is_finite() { value } else { otherwise }
}

/// Samples and frames of the children that have fewer samples than `below`.
pub(super) fn small_children(tree: &Tree, node: usize, below: u64) -> (u64, u64) {
    tree.children(node)
        .filter(|&child| tree.total[child] < below)
        .fold((0, 0), |(total, frames), child| {
            (
                total + tree.total[child],
                frames + u64::from(tree.end[child]) - child as u64,
            )
        })
}

struct Drawing<'a> {
    tree: &'a Tree,
    matches: Option<&'a Matches>,
    runs: bool,
    left_heavy: bool,
    smallest: u64,
    /// Samples between which something is in sight.
    sight: (f64, f64),
    out: Vec<Rectangle>,
    /// Whether something did not fit.
    full: bool,
}

impl Drawing<'_> {
    fn frame(&mut self, node: usize, parent: Option<usize>, depth: u32, x: u64) {
        let tree = self.tree;
        let at = |node| self.matches.is_some_and(|matches| matches.at(node));
        let (mut last, mut run, mut found) = (node, 1, at(node));
        while self.runs && node != 0 && tree.own[last] == 0 {
            let child = last + 1;
            if tree.end[last] as usize <= child || tree.end[child] != tree.end[last] {
                break;
            }
            last = child;
            run += 1;
            found |= at(last);
        }
        self.push(Rectangle {
            node,
            last,
            parent,
            depth,
            x,
            total: tree.total[node],
            small: 0,
            below: 0,
            run,
            found,
        });
    }

    fn block(&mut self, node: usize, below: u64, parent: Option<usize>, depth: u32, x: u64) {
        let (total, small) = small_children(self.tree, node, below);
        if small == 0 {
            return;
        }
        let found = self.matches.is_some_and(|matches| {
            self.tree
                .children(node)
                .filter(|&child| self.tree.total[child] < below)
                .any(|child| matches.inside(self.tree, child))
        });
        self.push(Rectangle {
            node,
            last: node,
            parent,
            depth,
            x,
            total,
            small,
            below,
            run: 1,
            found,
        });
    }

    fn push(&mut self, rectangle: Rectangle) {
        let (from, to) = self.sight;
        let in_sight = (rectangle.x + rectangle.total) as f64 >= from && rectangle.x as f64 <= to;
        if in_sight && self.out.len() >= MOST_OF_ALL {
            self.full = true;
        } else if in_sight {
            self.out.push(rectangle);
        }
    }

    /// What stands below a rectangle; `opened` for the block that is the root.
    fn children(&mut self, at: usize, opened: Option<u64>) {
        let Rectangle {
            last,
            depth,
            x,
            small,
            ..
        } = self.out[at];
        if small > 0 && opened.is_none() {
            return;
        }
        let tree = self.tree;
        let most = opened.unwrap_or(u64::MAX);
        let smallest = self.smallest;
        let wide = |&child: &usize| (smallest..most).contains(&tree.total[child]);
        let mut children: Vec<usize> = tree.children(last).filter(wide).collect();
        if self.left_heavy {
            children.sort_by_key(|&child| Reverse(tree.total[child]));
        }
        let mut x = x;
        for child in children {
            if self.full {
                return;
            }
            self.frame(child, Some(at), depth + 1, x);
            x += tree.total[child];
        }
        self.block(last, smallest.min(most), Some(at), depth + 1, x);
    }
}
