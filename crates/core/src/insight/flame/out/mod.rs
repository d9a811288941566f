//! Merged profiles as the files of other viewers: speedscope's own format, folded stacks, and pprof.
//!
//! Each stack in which samples ended is told once, with its samples, so that their sum is that of the tree. Names of
//! functions and files come from clusters: nothing of them may part one stack from the next, or drive a terminal.

mod folded;
mod pprof;
mod speedscope;
#[cfg(test)]
mod tests;

use super::Scale;
use crate::model::Micros;
use crate::model::visible::plain;
use crate::query::types::ProfileFormat;
use crate::query::{ALL, StackFrame, Tree};
use crate::{Error, Result};

/// The largest file; a tree of two million nodes of a hundred functions each would be larger.
const LARGEST: u64 = 512 << 20;
/// What stands for samples whose stack is not told.
const UNTOLD: &str = "(no stack)";

/// What a file says of itself beside the stacks.
pub(crate) struct Told {
    /// What was merged, in words.
    pub(crate) title: String,
    pub(crate) from_micros: Option<Micros>,
    pub(crate) to_micros: Option<Micros>,
}

/// The whole file.
pub(crate) fn encoded(
    tree: &Tree,
    scale: Scale,
    told: &Told,
    format: ProfileFormat,
) -> Result<Vec<u8>> {
    match format {
        ProfileFormat::Folded => folded::encoded(tree),
        ProfileFormat::Speedscope => speedscope::encoded(tree, scale, told),
        ProfileFormat::Pprof => pprof::encoded(tree, scale, told),
    }
}

/// Visits each stack in which samples ended, as nodes from the bottom, with these samples.
fn each_stack(tree: &Tree, mut visit: impl FnMut(&[usize], u64) -> Result<()>) -> Result<()> {
    let mut way: Vec<usize> = Vec::new();
    for node in 0..tree.len() {
        while way
            .last()
            .is_some_and(|&last| tree.end[last] as usize <= node)
        {
            way.pop();
        }
        if tree.frame_of[node] != ALL {
            way.push(node);
        }
        if tree.own[node] > 0 {
            visit(&way, tree.own[node])?;
        }
    }
    Ok(())
}

/// A name that is one: some functions have none.
fn named(frame: &StackFrame) -> String {
    match &*frame.name {
        "" => "(no name)".into(),
        name => plain(name),
    }
}

fn small_enough(bytes: usize) -> Result<()> {
    match bytes as u64 > LARGEST {
        true => Err(Error::TooLarge {
            what: "the profile as a file: choose less time or fewer clusters",
            limit: LARGEST,
        }),
        false => Ok(()),
    }
}
