//! Many profiles as one tree, and what names its functions and nodes.

use std::sync::Arc;

use super::mixed::mix;
use crate::store::Frame;

/// Keys are this wide: JavaScript keeps them exactly.
const KEY_BITS: u32 = 53;
/// The frame of the node that stands for all.
pub(crate) const ALL: u32 = u32::MAX;

/// A merged tree: parents before their children, children by name, and the whole of a subtree in one piece.
#[derive(Clone)]
pub(crate) struct Tree {
    /// By name, file and line.
    pub(crate) frames: Arc<[Frame]>,
    /// What names each function in requests.
    pub(crate) frame_keys: Vec<u64>,
    /// [`ALL`] for the first node, which stands for all.
    pub(crate) frame_of: Vec<u32>,
    pub(crate) parent: Vec<u32>,
    /// One after the last node of the subtree.
    pub(crate) end: Vec<u32>,
    /// Samples that ended in each node.
    pub(crate) own: Vec<u64>,
    /// Samples that ended in it or above it.
    pub(crate) total: Vec<u64>,
    /// What names each node in requests: made of the functions on its way.
    pub(crate) keys: Vec<u64>,
}

impl Tree {
    pub(crate) fn len(&self) -> usize {
        self.parent.len()
    }

    /// The children of a node, by name.
    pub(crate) fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.end[node] as usize;
        let mut next = node + 1;
        std::iter::from_fn(move || {
            let here = (next < end).then_some(next)?;
            next = self.end[here] as usize;
            Some(here)
        })
    }

    /// Sums over subtrees.
    pub(crate) fn totals_of(&self, own: &[u64]) -> Vec<u64> {
        let mut totals = own.to_vec();
        for at in (1..totals.len()).rev() {
            let parent = self.parent[at] as usize;
            totals[parent] = totals[parent].saturating_add(totals[at]);
        }
        totals
    }

    /// The place of a function.
    pub(crate) fn frame_with_key(&self, key: u64) -> Option<u32> {
        let place = self.frame_keys.iter().position(|&known| known == key)?;
        Some(place as u32)
    }

    /// The node with this key.
    pub(crate) fn node_with_key(&self, key: u64) -> Option<usize> {
        self.keys.iter().position(|&known| known == key)
    }

    /// Visits each node but the first, and says whether its function comes first on the way from the root.
    pub(crate) fn walk(&self, mut visit: impl FnMut(usize, bool)) {
        let mut on_way = vec![0u32; self.frames.len()];
        let mut way: Vec<usize> = Vec::new();
        for at in 1..self.len() {
            while let Some(&last) = way.last() {
                if self.end[last] as usize > at {
                    break;
                }
                on_way[self.frame_of[last] as usize] -= 1;
                way.pop();
            }
            let frame = self.frame_of[at] as usize;
            visit(at, on_way[frame] == 0);
            on_way[frame] += 1;
            way.push(at);
        }
    }

    /// Samples of each function: its own, and those with it anywhere in their stack. A function that calls itself counts
    /// a sample once: where it comes first.
    pub(crate) fn functions(&self) -> Vec<(u64, u64)> {
        self.functions_with(&self.own, &self.total)
    }

    /// The same with other samples in the nodes.
    pub(crate) fn functions_with(&self, owns: &[u64], totals: &[u64]) -> Vec<(u64, u64)> {
        let mut functions = vec![(0u64, 0u64); self.frames.len()];
        self.walk(|at, first| {
            let (own, total) = &mut functions[self.frame_of[at] as usize];
            *own = own.saturating_add(owns[at]);
            if first {
                *total = total.saturating_add(totals[at]);
            }
        });
        functions
    }

    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        let frames = self.frames.iter();
        let texts: usize = frames
            .map(|frame| frame.name.len() + frame.file.len() + 80)
            .sum();
        self.len() * 36 + texts
    }
}

/// What names a function.
pub(super) fn key_of_frame(frame: &Frame) -> u64 {
    // FNV-1a; the texts are parted by a byte that is in no text.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let line = frame.line.map_or(0, |line| u64::from(line) + 1);
    let parts = [
        frame.name.as_bytes(),
        &[0xff],
        frame.file.as_bytes(),
        &[0xff],
    ];
    for &byte in parts.concat().iter().chain(&line.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    mix(hash) >> (64 - KEY_BITS)
}

/// What names the node of a function below another node.
pub(super) fn key_below(parent: u64, frame: u64) -> u64 {
    mix(parent.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ frame) >> (64 - KEY_BITS)
}
