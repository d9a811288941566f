//! Changes to all stacks of a tree: each node is given a place in a new one. Linear in the nodes.

use super::library::library;
use crate::query::types::FlameTransform;
use crate::query::{Growing, StackFrame, Tree};

/// No place.
const NONE: u32 = u32::MAX;
/// Steps from callee to caller that one tree of callers is made of.
const STEPS: usize = 20_000_000;

/// The tree after a change; `None` if the change is about something that is not in it.
pub(crate) fn transform(tree: &Tree, change: &FlameTransform) -> Option<Tree> {
    match change {
        FlameTransform::Focus { function } => Some(focus(tree, tree.frame_with_key(*function)?)),
        FlameTransform::FocusSubtree { node } => Some(focus_subtree(tree, below_all(tree, *node)?)),
        FlameTransform::Merge { function } => Some(merge(tree, tree.frame_with_key(*function)?)),
        FlameTransform::MergeNode { node } => Some(merge_node(tree, below_all(tree, *node)?)),
        FlameTransform::Drop { function } => Some(drop(tree, tree.frame_with_key(*function)?)),
        FlameTransform::Collapse { function } => {
            Some(collapse(tree, tree.frame_with_key(*function)?))
        }
        FlameTransform::CollapseRecursion { function } => {
            Some(collapse_recursion(tree, tree.frame_with_key(*function)?))
        }
        FlameTransform::CollapseLibrary { library } => collapse_library(tree, library),
    }
}

/// The node with a key, if it is not the one that stands for all.
fn below_all(tree: &Tree, key: u64) -> Option<usize> {
    tree.node_with_key(key).filter(|&at| at > 0)
}

/// A new tree in which each node's own samples are where `place` puts them; it is given the places so far.
fn rebuilt(tree: &Tree, mut place: impl FnMut(&mut Growing, &[u32], usize) -> u32) -> Tree {
    let mut growing = Growing::with_frames_of(tree);
    let mut places = vec![Growing::ROOT];
    growing.add(Growing::ROOT, tree.own[0]);
    for at in 1..tree.len() {
        let to = place(&mut growing, &places, at);
        if to != NONE {
            growing.add(to, tree.own[at]);
        }
        places.push(to);
    }
    growing.finish()
}

/// What was seen in a function, from where it comes first in a stack.
pub(crate) fn focus(tree: &Tree, function: u32) -> Tree {
    let mut focused = rebuilt(tree, |growing, places, at| {
        let (parent, frame) = (tree.parent[at] as usize, tree.frame_of[at]);
        match places[parent] {
            above if parent != 0 && above != NONE => growing.node(above, frame),
            _ if frame == function => growing.node(Growing::ROOT, frame),
            _ => NONE,
        }
    });
    // Samples without any function are not in this one.
    focused.total[0] -= focused.own[0];
    focused.own[0] = 0;
    focused
}

/// What was seen in one node, from it on.
fn focus_subtree(tree: &Tree, node: usize) -> Tree {
    let inside = node..tree.end[node] as usize;
    let mut focused = rebuilt(tree, |growing, places, at| {
        let frame = tree.frame_of[at];
        match inside.contains(&at) {
            true if at == node => growing.node(Growing::ROOT, frame),
            true => growing.node(places[tree.parent[at] as usize], frame),
            false => NONE,
        }
    });
    focused.total[0] -= focused.own[0];
    focused.own[0] = 0;
    focused
}

fn merge_node(tree: &Tree, node: usize) -> Tree {
    rebuilt(tree, |growing, places, at| {
        let above = places[tree.parent[at] as usize];
        match at {
            at if at == node => above,
            at => growing.node(above, tree.frame_of[at]),
        }
    })
}

fn merge(tree: &Tree, function: u32) -> Tree {
    rebuilt(tree, |growing, places, at| {
        let above = places[tree.parent[at] as usize];
        match tree.frame_of[at] {
            frame if frame == function => above,
            frame => growing.node(above, frame),
        }
    })
}

fn drop(tree: &Tree, function: u32) -> Tree {
    rebuilt(tree, |growing, places, at| {
        let above = places[tree.parent[at] as usize];
        match tree.frame_of[at] {
            frame if frame == function || above == NONE => NONE,
            frame => growing.node(above, frame),
        }
    })
}

fn collapse(tree: &Tree, function: u32) -> Tree {
    let mut folded = vec![false];
    rebuilt(tree, |growing, places, at| {
        let parent = tree.parent[at] as usize;
        folded.push(folded[parent] || (parent != 0 && tree.frame_of[parent] == function));
        match folded[at] {
            true => places[parent],
            false => growing.node(places[parent], tree.frame_of[at]),
        }
    })
}

fn collapse_recursion(tree: &Tree, function: u32) -> Tree {
    // Of each node, the first of the function on its way.
    let mut outer = vec![NONE];
    rebuilt(tree, |growing, places, at| {
        let parent = tree.parent[at] as usize;
        let recursive = tree.frame_of[at] == function;
        let known = outer[parent];
        outer.push(if known == NONE && recursive {
            at as u32
        } else {
            known
        });
        match places.get(known as usize) {
            Some(&first) if recursive => first,
            _ => growing.node(places[parent], tree.frame_of[at]),
        }
    })
}

fn collapse_library(tree: &Tree, name: &str) -> Option<Tree> {
    let of: Vec<bool> = tree
        .frames
        .iter()
        .map(|frame| library(&frame.file) == name)
        .collect();
    let one = tree
        .frames
        .iter()
        .zip(&of)
        .find_map(|(frame, &of)| of.then_some(frame))?;
    let file = library_folder(&one.file, name);
    let mut whole = None;
    Some(rebuilt(tree, |growing, places, at| {
        let parent = tree.parent[at] as usize;
        let frame = tree.frame_of[at] as usize;
        if !of[frame] {
            return growing.node(places[parent], frame as u32);
        }
        if parent != 0 && of[tree.frame_of[parent] as usize] {
            return places[parent];
        }
        let whole = *whole.get_or_insert_with(|| {
            growing.push_frame(StackFrame {
                name: format!("all of {name}"),
                file: file.to_owned(),
                line: None,
            })
        });
        growing.node(places[parent], whole)
    }))
}

/// The beginning of a path, so that what stands for a library is of it.
fn library_folder<'a>(file: &'a str, name: &str) -> &'a str {
    file.rfind(name).map_or(file, |at| &file[..at + name.len()])
}

/// Who called a function, upside down: it is at the root, its callers are its children, `levels` of them. Where it calls
/// itself, a sample counts where it comes first. Also says whether callers were left out because no more fit; the samples
/// then end where these would begin.
pub(crate) fn callers(tree: &Tree, function: u32, levels: u32) -> (Tree, bool) {
    callers_within(tree, function, levels, STEPS)
}

pub(super) fn callers_within(
    tree: &Tree,
    function: u32,
    levels: u32,
    mut steps: usize,
) -> (Tree, bool) {
    let mut growing = Growing::with_frames_of(tree);
    let mut truncated = false;
    tree.walk(|at, first| {
        if !first || tree.frame_of[at] != function {
            return;
        }
        let mut place = growing.node(Growing::ROOT, function);
        let mut above = tree.parent[at] as usize;
        for _ in 0..levels {
            if above == 0 {
                break;
            }
            if steps == 0 || growing.is_full() {
                truncated = true;
                break;
            }
            steps -= 1;
            place = growing.node(place, tree.frame_of[above]);
            above = tree.parent[above] as usize;
        }
        growing.add(place, tree.total[at]);
    });
    (growing.finish(), truncated)
}
