//! Folded stacks: one line a stack, functions from the bottom with `;` between them, a space, and its samples.

use std::fmt::Write as _;

use super::{UNTOLD, each_stack, named, small_enough};
use crate::Result;
use crate::query::{StackFrame, Tree};

pub(super) fn encoded(tree: &Tree) -> Result<Vec<u8>> {
    let labels: Vec<String> = tree.frames.iter().map(label).collect();
    let mut text = String::new();
    each_stack(tree, |way, samples| {
        for (at, &node) in way.iter().enumerate() {
            if at > 0 {
                text.push(';');
            }
            text.push_str(&labels[tree.frame_of[node] as usize]);
        }
        if way.is_empty() {
            text.push_str(UNTOLD);
        }
        // Writing into a text does not fail.
        let _ = writeln!(text, " {samples}");
        small_enough(text.len())
    })?;
    Ok(text.into_bytes())
}

/// `name (file:line)`, as samplers for Python write it. `;` would part two functions.
fn label(frame: &StackFrame) -> String {
    let name = named(frame);
    let whole = match (&*frame.file, frame.line) {
        ("", _) => name,
        (file, None) => format!("{name} ({})", super::plain(file)),
        (file, Some(line)) => format!("{name} ({}:{line})", super::plain(file)),
    };
    whole.replace(';', ",")
}
