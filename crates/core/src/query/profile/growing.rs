//! A tree that grows from many profiles. All of it is linear in the stacks that come in, but for a sort of the functions.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use super::Functions;
use super::children::{Children, Node};
use super::dense::Dense;
use super::tree::{ALL, Tree, key_below, key_of_frame};
use crate::store::{Frame, Stacks};

/// Nodes of one tree: about 100 MB.
const NODES: usize = 2_000_000;
/// Has no parent.
const NONE: u32 = u32::MAX;
/// Beside the last node that is known of a stack, for all above it.
const LEFT: u32 = 1 << 31;

/// A tree that grows: nodes in the order in which they came.
pub(crate) struct Growing {
    /// Those of stacks are not told before they are named.
    frames: Vec<Frame>,
    frame_places: HashMap<Frame, u32>,
    /// Of functions by their numbers in the store.
    numbers: Dense,
    /// Those numbers, and their places.
    numbered: Vec<(u32, u32)>,
    nodes: Vec<Node>,
    children: Children,
    /// Nodes with which it is full.
    most: usize,
}

impl Default for Growing {
    fn default() -> Self {
        Self {
            most: NODES,
            frames: Vec::new(),
            frame_places: HashMap::new(),
            numbers: Dense::default(),
            numbered: Vec::new(),
            nodes: vec![Node {
                parent: NONE,
                frame: ALL,
                own: 0,
            }],
            children: Children::default(),
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

    /// One that has grown to `tree`, whose functions are each there once, and goes on.
    pub(crate) fn again(tree: &Tree) -> Self {
        let mut growing = Self::default();
        let functions = tree.frames.iter();
        let frames: Vec<u32> = functions.map(|frame| growing.frame(frame)).collect();
        growing.add(Self::ROOT, tree.own[0]);
        for at in 1..tree.len() {
            let node = growing.node(tree.parent[at], frames[tree.frame_of[at] as usize]);
            growing.add(node, tree.own[at]);
        }
        growing
    }

    /// Whether it has as many nodes as fit.
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() > self.most
    }

    /// Adds one profile, whose functions are named at the end. Once it is full, samples are counted where their stack leaves
    /// what is known: none is lost, and what is new is told less finely.
    pub(crate) fn add_stacks(&mut self, stacks: &Stacks) {
        let numbers = stacks.frames.iter();
        let frames: Vec<u32> = numbers.map(|&number| self.numbered(number)).collect();
        let mut nodes: Vec<u32> = Vec::with_capacity(stacks.stacks.len());
        let mut last = Self::ROOT;
        for &(parent, frame) in &stacks.stacks {
            let parent = parent.map_or(Self::ROOT, |parent| nodes[parent as usize]);
            let frame = frames[frame as usize];
            let node = if let Some(next) = self.following(last, parent, frame) {
                next
            } else {
                // What is known by the same name further down is not what was called here.
                match (parent & LEFT > 0, self.is_full()) {
                    (true, _) => parent,
                    (false, false) => self.node(parent, frame),
                    (false, true) => {
                        let known = self.children.find(&self.nodes, parent, frame);
                        known.unwrap_or(parent | LEFT)
                    }
                }
            };
            last = node & !LEFT;
            nodes.push(node);
        }
        for &(stack, count) in &stacks.leaves {
            self.add(nodes[stack as usize] & !LEFT, count);
        }
    }

    /// The place of a function that has a number in the store.
    fn numbered(&mut self, number: u32) -> u32 {
        self.numbers.get(number).unwrap_or_else(|| {
            let place = self.push_frame(Frame::default());
            self.numbers.set(number, place);
            self.numbered.push((number, place));
            place
        })
    }

    /// Names the functions of the stacks that were added. One that `functions` does not have is one without a name.
    fn name(&mut self, mut functions: Functions) {
        // Places of functions that have another one.
        let mut others: HashMap<u32, u32> = HashMap::new();
        for (number, place) in std::mem::take(&mut self.numbered) {
            let frame = functions.remove(&number).unwrap_or_default();
            match self.frame_places.entry(frame) {
                Entry::Occupied(known) => {
                    others.insert(place, *known.get());
                }
                Entry::Vacant(free) => {
                    self.frames[place as usize] = free.key().clone();
                    free.insert(place);
                }
            }
        }
        if !others.is_empty() {
            self.move_frames(&others);
        }
    }

    /// Takes out places of functions that have another one; their nodes become those of that one.
    fn move_frames(&mut self, others: &HashMap<u32, u32>) {
        let mut moved: Vec<u32> = Vec::with_capacity(self.frames.len());
        let mut frames = Vec::new();
        for (place, frame) in (0..).zip(std::mem::take(&mut self.frames)) {
            moved.push(frames.len() as u32);
            if !others.contains_key(&place) {
                frames.push(frame);
            }
        }
        for (&place, &known) in others {
            moved[place as usize] = moved[known as usize];
        }
        self.frames = frames;
        self.children = Children::default();
        let mut nodes = std::mem::take(&mut self.nodes).into_iter();
        self.nodes.extend(nodes.next());
        let mut places = vec![Self::ROOT];
        for Node { parent, frame, own } in nodes {
            let node = self.node(places[parent as usize], moved[frame as usize]);
            self.add(node, own);
            places.push(node);
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
        let new = self.nodes.len() as u32;
        let node = self.children.find_or_put(&self.nodes, parent, frame, new);
        if node == new {
            self.nodes.push(Node {
                parent,
                frame,
                own: 0,
            });
        }
        node
    }

    /// The same, where `last` is the node that was asked for before.
    pub(crate) fn node_after(&mut self, last: u32, parent: u32, frame: u32) -> u32 {
        match self.following(last, parent, frame) {
            Some(next) => next,
            None => self.node(parent, frame),
        }
    }

    /// The node that came after `last`, if it is this one. Runs of the same code have the same stacks in nearly the same order: what
    /// follows is what followed before.
    fn following(&self, last: u32, parent: u32, frame: u32) -> Option<u32> {
        let next = self.nodes.get(last as usize + 1)?;
        (next.parent == parent && next.frame == frame).then_some(last + 1)
    }

    /// So many samples ended in this node.
    pub(crate) fn add(&mut self, node: u32, count: u64) {
        let own = &mut self.nodes[node as usize].own;
        *own = own.saturating_add(count);
    }

    /// The tree, and where each node went.
    pub(crate) fn finish_with_places(self) -> (Tree, Vec<u32>) {
        let mut places = vec![0u32; self.nodes.len()];
        let tree = self.laid_out(|node, place| places[node] = place);
        (tree, places)
    }

    pub(crate) fn finish(self) -> Tree {
        self.laid_out(|_, _| ())
    }

    /// The tree of stacks whose functions are these.
    pub(crate) fn finish_with(mut self, functions: Functions) -> Tree {
        self.name(functions);
        self.finish()
    }

    /// The tree; tells where each node goes.
    fn laid_out(self, mut goes: impl FnMut(usize, u32)) -> Tree {
        let Self { frames, nodes, .. } = self;
        let (frames, rank) = ranked(frames);
        let (spots, mut children) = by_parent(&nodes, &rank);
        let mut tree = Tree {
            frame_keys: frames.iter().map(key_of_frame).collect(),
            frames: frames.into(),
            frame_of: Vec::with_capacity(nodes.len()),
            parent: Vec::with_capacity(nodes.len()),
            end: Vec::with_capacity(nodes.len()),
            own: Vec::with_capacity(nodes.len()),
            total: Vec::new(),
            keys: Vec::with_capacity(nodes.len()),
        };
        // Nodes of which not all children are there: their place, and which of the children follow.
        let mut open: Vec<(u32, Range<usize>)> = Vec::new();
        let mut next = Some((0, ALL));
        loop {
            if let Some((node, frame)) = next.take() {
                let place = tree.parent.len() as u32;
                goes(node, place);
                let parent = open.last().map_or(NONE, |&(parent, _)| parent);
                tree.keys.push(match parent {
                    NONE => 0,
                    parent => {
                        key_below(tree.keys[parent as usize], tree.frame_keys[frame as usize])
                    }
                });
                tree.parent.push(parent);
                tree.frame_of.push(frame);
                tree.own.push(spots[node].own);
                tree.end.push(place + 1);
                let own_children = spots[node].from as usize..spots[node + 1].from as usize;
                children[own_children.clone()].sort_unstable();
                open.push((place, own_children));
            }
            let Some((place, following)) = open.last_mut() else {
                break;
            };
            if let Some(child) = following.next() {
                let child = children[child];
                next = Some((child as u32 as usize, (child >> 32) as u32));
            } else {
                tree.end[*place as usize] = tree.parent.len() as u32;
                open.pop();
            }
        }
        tree.total = tree.totals_of(&tree.own);
        tree
    }
}

/// What is asked of a node where it is laid out, in one place: they are come to in no order.
struct Spot {
    own: u64,
    /// Where its children begin. They end where those of the next node begin.
    from: u32,
}

/// The children of all nodes, those of one together: the rank of the function in the upper half, the node in the lower;
/// and where those of each node are. A last spot ends those of the last node.
fn by_parent(nodes: &[Node], rank: &[u32]) -> (Vec<Spot>, Vec<u64>) {
    // One further, those that are filled in move the beginning to the end of each, which is the beginning of the next.
    let mut from = vec![0u32; nodes.len() + 2];
    for node in &nodes[1..] {
        from[node.parent as usize + 2] += 1;
    }
    for at in 1..from.len() {
        from[at] += from[at - 1];
    }
    let mut children = vec![0u64; nodes.len() - 1];
    for (at, node) in nodes.iter().enumerate().skip(1) {
        let place = &mut from[node.parent as usize + 1];
        children[*place as usize] = (u64::from(rank[node.frame as usize]) << 32) | at as u64;
        *place += 1;
    }
    let owns = nodes.iter().map(|node| node.own).chain([0]);
    let spots = owns.zip(from).map(|(own, from)| Spot { own, from });
    (spots.collect(), children)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Functions of one letter, their numbers those of the letters.
    fn letters(letters: &str) -> Functions {
        let function = |letter: char| Frame {
            name: letter.into(),
            ..Frame::default()
        };
        let letters = letters.chars();
        letters
            .map(|letter| (u32::from(letter), function(letter)))
            .collect()
    }

    /// Adds stacks of such functions, such as `main`, outermost first.
    fn add(growing: &mut Growing, stacks: &[(&str, u64)]) {
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
            growing.add_stacks(&one);
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
        let tree = growing.finish_with(letters("abcdefghijklmnopqrstuvwxyz"));
        let expected = [("", 64), ("a", 24), ("ab", 37), ("abc", 2)];
        assert_eq!(told(&tree), expected.map(|(path, own)| (path.into(), own)));
        assert_eq!(tree.total[0], 127);
    }

    #[test]
    fn a_node_is_the_same_whichever_came_before_it() {
        let mut growing = Growing::default();
        let [a, b] = ['a', 'b'].map(|letter| growing.frame(&letters("ab")[&u32::from(letter)]));
        let root = Growing::ROOT;
        let first = growing.node_after(root, root, a);
        let below = growing.node_after(first, first, b);
        let beside = growing.node_after(below, root, b);
        assert_eq!([first, below, beside], [1, 2, 3]);
        for last in [root, first, below, beside] {
            assert_eq!(growing.node_after(last, root, a), first);
            assert_eq!(growing.node_after(last, first, b), below);
            assert_eq!(growing.node_after(last, root, b), beside);
        }
    }

    #[test]
    fn functions_that_turn_out_to_be_the_same_are_one() {
        let mut growing = Growing::default();
        let known = growing.frame(&letters("b")[&u32::from('b')]);
        let node = growing.node(Growing::ROOT, known);
        growing.add(node, 1);
        // `x` and `y` have no names.
        add(
            &mut growing,
            &[("abx", 2), ("b", 4), ("bx", 8), ("by", 16), ("ya", 32)],
        );
        let tree = growing.finish_with(letters("abcdefghijklmnopqrstuvw"));
        let expected = [
            ("", 0),
            ("", 0),
            ("a", 32),
            ("a", 0),
            ("ab", 0),
            ("ab", 2),
            ("b", 5),
            ("b", 24),
        ];
        assert_eq!(told(&tree), expected.map(|(path, own)| (path.into(), own)));
        assert_eq!(tree.total[0], 63);
        assert_eq!(
            tree.frames.len(),
            24,
            "the letters to w, and one without a name"
        );
    }

    proptest! {
        #[test]
        fn it_is_what_stack_by_stack_adds_up_to(
            stacks in vec(("[abcxy]{1,6}", 0u64..1 << 53), 0..200),
            again in 0usize..300,
        ) {
            let mut growing = Growing::default();
            // In the order of a tree: a path comes before those that go on from it.
            let mut sums: BTreeMap<Vec<&str>, u64> = BTreeMap::from([(Vec::new(), 0)]);
            for (at, (path, count)) in stacks.iter().enumerate() {
                if at == again {
                    growing = Growing::again(&growing.finish_with(letters("abc")));
                }
                add(&mut growing, &[(path, *count)]);
                // The last two have no names.
                let path: Vec<&str> = (0..path.len())
                    .map(|at| match &path[at..=at] {
                        "x" | "y" => "",
                        name => name,
                    })
                    .collect();
                for end in 0..path.len() {
                    sums.entry(path[..end].to_vec()).or_default();
                }
                *sums.entry(path).or_default() += count;
            }
            let tree = growing.finish_with(letters("abc"));
            let paths: Vec<_> = sums.keys().collect();
            let owns: Vec<u64> = sums.values().copied().collect();
            prop_assert_eq!(tree.len(), paths.len());
            for (at, path) in paths.iter().enumerate() {
                let below = paths.iter().skip(at).take_while(|other| other.starts_with(path));
                let end = at + below.count();
                prop_assert_eq!(tree.end[at] as usize, end);
                prop_assert_eq!(tree.own[at], owns[at]);
                prop_assert_eq!(tree.total[at], owns[at..end].iter().sum::<u64>());
                if let Some((name, parent)) = path.split_last() {
                    prop_assert_eq!(&tree.frames[tree.frame_of[at] as usize].name, name);
                    prop_assert_eq!(paths[tree.parent[at] as usize], &parent);
                }
            }
        }
    }
}
