//! Many profiles as one tree. All of it is linear in the stacks that come in, but for a sort of the functions.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::Functions;
use crate::store::{Frame, Stacks};

/// Nodes of one tree: about 100 MB.
const NODES: usize = 2_000_000;
/// Keys are this wide: JavaScript keeps them exactly.
const KEY_BITS: u32 = 53;
/// The frame of the node that stands for all.
pub(crate) const ALL: u32 = u32::MAX;
/// Has no parent.
const NONE: u32 = u32::MAX;
/// Beside the last node that is known of a stack, for all above it.
const LEFT: u32 = 1 << 31;

/// A tree that grows: nodes in the order in which they came.
pub(crate) struct Growing {
    frames: Vec<Frame>,
    frame_places: HashMap<Frame, u32>,
    /// Of functions by their numbers in the store.
    numbers: HashMap<u64, u32, BuildHasherDefault<Mixed>>,
    parent: Vec<u32>,
    frame_of: Vec<u32>,
    own: Vec<u64>,
    places: HashMap<u64, u32, BuildHasherDefault<Mixed>>,
    /// Nodes with which it is full.
    most: usize,
}

impl Default for Growing {
    fn default() -> Self {
        Self {
            most: NODES,
            frames: Vec::new(),
            frame_places: HashMap::new(),
            numbers: HashMap::default(),
            parent: vec![NONE],
            frame_of: vec![ALL],
            own: vec![0],
            places: HashMap::default(),
        }
    }
}

impl Growing {
    /// The node that stands for all.
    pub(crate) const ROOT: u32 = 0;

    /// An empty one in which functions have the places that they have in `tree`.
    pub(crate) fn with_frames_of(tree: &Tree) -> Self {
        Self {
            frames: tree.frames.to_vec(),
            ..Self::default()
        }
    }

    /// Whether it has as many nodes as fit.
    pub(crate) fn is_full(&self) -> bool {
        self.parent.len() > self.most
    }

    /// Adds one profile. A function that `functions` does not have is one without a name. Once it is full, samples are
    /// counted where their stack leaves what is known: none is lost, and what is new is told less finely.
    pub(crate) fn add_stacks(&mut self, stacks: &Stacks, functions: &Functions) {
        let frames: Vec<u32> = stacks
            .frames
            .iter()
            .map(|&number| match self.numbers.get(&u64::from(number)) {
                Some(place) => *place,
                None => {
                    let place = match functions.get(&number) {
                        Some(frame) => self.frame(frame),
                        None => self.frame(&Frame::default()),
                    };
                    self.numbers.insert(u64::from(number), place);
                    place
                }
            })
            .collect();
        let mut nodes: Vec<u32> = Vec::with_capacity(stacks.stacks.len());
        for &(parent, frame) in &stacks.stacks {
            let parent = parent.map_or(Self::ROOT, |parent| nodes[parent as usize]);
            // What is known by the same name further down is not what was called here.
            nodes.push(match (parent & LEFT > 0, self.is_full()) {
                (true, _) => parent,
                (false, false) => self.node(parent, frames[frame as usize]),
                (false, true) => self
                    .known_node(parent, frames[frame as usize])
                    .unwrap_or(parent | LEFT),
            });
        }
        for &(stack, count) in &stacks.leaves {
            self.add(nodes[stack as usize] & !LEFT, count);
        }
    }

    /// The place of a function; a new one if it is not known. Only for trees that began empty.
    pub(crate) fn frame(&mut self, frame: &Frame) -> u32 {
        if let Some(place) = self.frame_places.get(frame) {
            return *place;
        }
        let place = self.push_frame(frame.clone());
        self.frame_places.insert(frame.clone(), place);
        place
    }

    /// One more function.
    pub(crate) fn push_frame(&mut self, frame: Frame) -> u32 {
        self.frames.push(frame);
        self.frames.len() as u32 - 1
    }

    /// The child of `parent` for a function.
    pub(crate) fn node(&mut self, parent: u32, frame: u32) -> u32 {
        let place = (u64::from(parent) << 32) | u64::from(frame);
        *self.places.entry(place).or_insert_with(|| {
            self.parent.push(parent);
            self.frame_of.push(frame);
            self.own.push(0);
            self.parent.len() as u32 - 1
        })
    }

    /// The child of `parent` for a function, if there is one.
    fn known_node(&self, parent: u32, frame: u32) -> Option<u32> {
        let place = (u64::from(parent) << 32) | u64::from(frame);
        self.places.get(&place).copied()
    }

    /// So many samples ended in this node.
    pub(crate) fn add(&mut self, node: u32, count: u64) {
        let own = &mut self.own[node as usize];
        *own = own.saturating_add(count);
    }

    /// The tree, and where each node went.
    pub(crate) fn finish_with_places(self) -> (Tree, Vec<u32>) {
        let nodes = self.parent.len();
        let (frames, rank) = ranked(self.frames);
        // Nodes by function, the last first: put before their siblings one by one, these end up in order.
        let mut from = vec![0u32; frames.len() + 1];
        for &frame in &self.frame_of[1..] {
            from[rank[frame as usize] as usize + 1] += 1;
        }
        for at in 1..from.len() {
            from[at] += from[at - 1];
        }
        let mut by_rank = vec![0u32; nodes - 1];
        for (node, &frame) in self.frame_of.iter().enumerate().skip(1) {
            let slot = &mut from[rank[frame as usize] as usize];
            by_rank[*slot as usize] = node as u32;
            *slot += 1;
        }
        let mut first_child = vec![NONE; nodes];
        let mut next = vec![NONE; nodes];
        for &node in by_rank.iter().rev() {
            let parent = self.parent[node as usize] as usize;
            next[node as usize] = first_child[parent];
            first_child[parent] = node;
        }
        let mut tree = Tree {
            frame_keys: frames.iter().map(key_of_frame).collect(),
            frames: frames.into(),
            frame_of: Vec::with_capacity(nodes),
            parent: Vec::with_capacity(nodes),
            end: vec![0; nodes],
            own: Vec::with_capacity(nodes),
            total: Vec::new(),
            keys: Vec::with_capacity(nodes),
        };
        let mut places = vec![0u32; nodes];
        let mut here = 0u32;
        'walk: loop {
            let place = tree.parent.len();
            places[here as usize] = place as u32;
            let old = here as usize;
            let (parent, frame) = match self.parent[old] {
                NONE => (NONE, ALL),
                parent => (places[parent as usize], rank[self.frame_of[old] as usize]),
            };
            tree.keys.push(match parent {
                NONE => 0,
                parent => key_below(tree.keys[parent as usize], tree.frame_keys[frame as usize]),
            });
            tree.parent.push(parent);
            tree.frame_of.push(frame);
            tree.own.push(self.own[old]);
            if first_child[old] != NONE {
                here = first_child[old];
                continue;
            }
            loop {
                tree.end[places[here as usize] as usize] = tree.parent.len() as u32;
                if next[here as usize] != NONE {
                    here = next[here as usize];
                    continue 'walk;
                }
                here = self.parent[here as usize];
                if here == NONE {
                    break 'walk;
                }
            }
        }
        tree.total = tree.totals_of(&tree.own);
        (tree, places)
    }

    pub(crate) fn finish(self) -> Tree {
        self.finish_with_places().0
    }
}

/// Functions in order, and the place of each there.
fn ranked(frames: Vec<Frame>) -> (Vec<Frame>, Vec<u32>) {
    let mut order: Vec<u32> = (0..frames.len() as u32).collect();
    order
        .sort_unstable_by(|&a, &b| by_name(&frames[a as usize]).cmp(&by_name(&frames[b as usize])));
    let mut rank = vec![0u32; frames.len()];
    let mut frames: Vec<Option<Frame>> = frames.into_iter().map(Some).collect();
    let mut sorted: Vec<Frame> = Vec::with_capacity(frames.len());
    for at in order {
        if let Some(frame) = frames[at as usize].take() {
            sorted.push(frame);
        }
        rank[at as usize] = sorted.len() as u32 - 1;
    }
    (sorted, rank)
}

fn by_name(frame: &Frame) -> (&str, &str, Option<u32>) {
    (&frame.name, &frame.file, frame.line)
}

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
fn key_of_frame(frame: &Frame) -> u64 {
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
fn key_below(parent: u64, frame: u64) -> u64 {
    mix(parent.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ frame) >> (64 - KEY_BITS)
}

/// The last step of splitmix64 (Steele, Lea and Flood, 2014): every bit depends on every other.
fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// For places and numbers of rows, which nobody chooses: a few times as fast as the default, which withstands chosen keys.
#[derive(Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds stacks of functions of one letter, such as `main`, outermost first.
    fn add(growing: &mut Growing, stacks: &[(&str, u64)]) {
        let function = |letter: char| Frame {
            name: letter.into(),
            ..Frame::default()
        };
        let functions: Functions = ('a'..='z')
            .map(|letter| (u32::from(letter), function(letter)))
            .collect();
        for (path, count) in stacks {
            let mut one = Stacks {
                frames: ('a'..='z').map(u32::from).collect(),
                ..Stacks::default()
            };
            for (at, letter) in (0u32..).zip(path.chars()) {
                let place = u32::from(letter) - u32::from('a');
                one.stacks.push((at.checked_sub(1), place));
            }
            one.leaves.push((path.len() as u32 - 1, *count));
            growing.add_stacks(&one, &functions);
        }
    }

    fn told(tree: &Tree) -> Vec<(String, u64)> {
        let mut paths = vec![String::new()];
        for at in 1..tree.len() {
            let name = &tree.frames[tree.frame_of[at] as usize].name;
            paths.push(format!("{}{name}", paths[tree.parent[at] as usize]));
        }
        paths.into_iter().zip(tree.own.iter().copied()).collect()
    }

    #[test]
    fn a_full_tree_counts_where_a_stack_leaves_what_is_known() {
        let mut growing = Growing {
            most: 3,
            ..Growing::default()
        };
        add(&mut growing, &[("ab", 1), ("abc", 2)]);
        assert!(growing.is_full());
        // `axb` and `axbc` call `b` by way of what is not known: that is not the `b` that `a` calls.
        add(
            &mut growing,
            &[("ab", 4), ("axb", 8), ("axbc", 16), ("abx", 32), ("x", 64)],
        );
        let tree = growing.finish();
        let expected = [("", 64), ("a", 24), ("ab", 37), ("abc", 2)];
        assert_eq!(told(&tree), expected.map(|(path, own)| (path.into(), own)));
        assert_eq!(tree.total[0], 127);
    }
}
