//! Which node below another one a function is: looked up for every node of every profile that is merged.

use super::tree::mix;

/// No node.
const NONE: u32 = u32::MAX;
const LEAST: usize = 64;

/// Nodes by the node below which they are and their function. A key stands beside its node, so that one is found with one
/// look into memory, where it is large.
pub(super) struct Children {
    /// A power of two of them, a third of them free at least.
    slots: Vec<(u64, u32)>,
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
    pub(super) fn find(&self, parent: u32, frame: u32) -> Option<u32> {
        let (_, node) = self.slots[self.place(key(parent, frame))];
        Some(node).filter(|&node| node != NONE)
    }

    /// The node; `new` if there was none.
    pub(super) fn find_or_put(&mut self, parent: u32, frame: u32, new: u32) -> u32 {
        let place = self.place(key(parent, frame));
        let (_, known) = self.slots[place];
        if known != NONE {
            return known;
        }
        self.slots[place] = (key(parent, frame), new);
        self.taken += 1;
        if self.taken * 3 > self.slots.len() * 2 {
            self.grow();
        }
        new
    }

    /// Where a key is, or would be.
    fn place(&self, key: u64) -> usize {
        let last = self.slots.len() - 1;
        let mut place = mix(key) as usize & last;
        loop {
            let (known, node) = self.slots[place];
            if known == key || node == NONE {
                return place;
            }
            place = (place + 1) & last;
        }
    }

    fn grow(&mut self) {
        let larger = vec![(0, NONE); self.slots.len() * 2];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot.1 != NONE {
                let place = self.place(slot.0);
                self.slots[place] = slot;
            }
        }
    }
}

fn key(parent: u32, frame: u32) -> u64 {
    (u64::from(parent) << 32) | u64::from(frame)
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
            for (new, (parent, frame)) in (0..).zip(asked) {
                prop_assert_eq!(children.find(parent, frame), known.get(&(parent, frame)).copied());
                let node = *known.entry((parent, frame)).or_insert(new);
                prop_assert_eq!(children.find_or_put(parent, frame, new), node);
            }
        }
    }
}
