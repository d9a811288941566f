//! Which node below another one a function is: looked up for every node of every profile that is merged.

use super::mixed::mix;

/// No node.
const NONE: u32 = u32::MAX;
const LEAST: usize = 64;

/// All of a node in one place: they are looked up in no order.
pub(super) struct Node {
    pub(super) parent: u32,
    pub(super) frame: u32,
    /// Samples that ended in it.
    pub(super) own: u64,
}

/// Nodes by the node below which they are and their function: these stand in the node itself, which whoever asks for it looks at
/// next. Beside it is half a hash of them, so that hardly any other node is looked at.
pub(super) struct Children {
    /// A power of two of them, a third of them free at least.
    slots: Vec<(u32, u32)>,
    taken: usize,
}

impl Default for Children {
    fn default() -> Self {
        Self {
            slots: vec![(0, NONE); LEAST],
            taken: 0,
        }
    }
}

impl Children {
    /// The node, if there is one.
    pub(super) fn find(&self, nodes: &[Node], parent: u32, frame: u32) -> Option<u32> {
        let (_, node) = self.slots[self.place(nodes, parent, frame)];
        Some(node).filter(|&node| node != NONE)
    }

    /// The node; `new`, which is about to be one of `nodes`, if there was none.
    pub(super) fn find_or_put(&mut self, nodes: &[Node], parent: u32, frame: u32, new: u32) -> u32 {
        let place = self.place(nodes, parent, frame);
        let (_, known) = self.slots[place];
        if known != NONE {
            return known;
        }
        self.slots[place] = (hash(parent, frame), new);
        self.taken += 1;
        if self.taken * 3 > self.slots.len() * 2 {
            self.grow();
        }
        new
    }

    /// Where a node is, or would be.
    fn place(&self, nodes: &[Node], parent: u32, frame: u32) -> usize {
        let hash = hash(parent, frame);
        self.first(hash, |(known, node)| {
            let is_it = |node: &Node| node.parent == parent && node.frame == frame;
            node == NONE || (known == hash && is_it(&nodes[node as usize]))
        })
    }

    /// The first slot from the one of a hash on that is asked for.
    fn first(&self, hash: u32, is_it: impl Fn((u32, u32)) -> bool) -> usize {
        let last = self.slots.len() - 1;
        let mut place = hash as usize & last;
        while !is_it(self.slots[place]) {
            place = (place + 1) & last;
        }
        place
    }

    fn grow(&mut self) {
        let larger = vec![(0, NONE); self.slots.len() * 2];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot.1 != NONE {
                let place = self.first(slot.0, |(_, node)| node == NONE);
                self.slots[place] = slot;
            }
        }
    }
}

fn hash(parent: u32, frame: u32) -> u32 {
    mix((u64::from(parent) << 32) | u64::from(frame)) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_map(asked in vec((0u32..40, 0u32..40), 0..900)) {
            let (mut children, mut known) = (Children::default(), HashMap::new());
            let mut nodes = Vec::new();
            for (parent, frame) in asked {
                let new = nodes.len() as u32;
                prop_assert_eq!(children.find(&nodes, parent, frame), known.get(&(parent, frame)).copied());
                let node = *known.entry((parent, frame)).or_insert(new);
                prop_assert_eq!(children.find_or_put(&nodes, parent, frame, new), node);
                if node == new {
                    nodes.push(Node { parent, frame, own: 0 });
                }
            }
        }
    }
}
