//! The functions of a tree, in some order.

use std::cmp::Ordering;

use super::columns::error;
use super::library::library;
use super::search::Search;
use crate::query::types::{Direction, FlameColumn, FlameFunction, FlameTableRequest};
use crate::query::{StackFrame, Tree};

/// Rows of one answer.
const MOST: u32 = 1_000;

/// A page of the functions that are found, with the places of their frames; how many match, and how many there are.
pub(crate) struct Page {
    pub(crate) rows: Vec<(u32, FlameFunction)>,
    pub(crate) matching: u64,
    /// Samples of all that match, added up: beside a function, each sample is in one of them.
    pub(crate) together: u64,
    pub(crate) functions: u64,
}

/// Own and total samples of what stands right beside the function that a part of a tree is about: its callees, or its callers,
/// of which none has samples of its own. With the samples of the function that are in none of them.
pub(crate) fn beside(part: &Tree, callees: bool) -> (Vec<(u64, u64)>, u64) {
    let mut counts = vec![(0, 0); part.frames.len()];
    if part.len() < 2 {
        return (counts, 0);
    }
    for at in part.children(1) {
        let own = if callees { part.own[at] } else { 0 };
        counts[part.frame_of[at] as usize] = (own, part.total[at]);
    }
    (counts, part.own[1])
}

/// `counts`: own and total samples of each function.
pub(crate) fn table(
    tree: &Tree,
    counts: &[(u64, u64)],
    request: &FlameTableRequest,
    search: Option<&Search>,
) -> Page {
    let here = |frame: &u32| counts[*frame as usize].1 > 0;
    let all: Vec<u32> = (0..tree.frames.len() as u32).filter(here).collect();
    let functions = all.len() as u64;
    let finds = |frame: &u32| search.is_none_or(|one| one.finds(&tree.frames[*frame as usize]));
    let mut kept: Vec<u32> = all.into_iter().filter(finds).collect();
    // Functions are numbered by name, file and line: their numbers are the order of what is equal.
    let by = |&a: &u32, &b: &u32| -> Ordering {
        let ((own_a, total_a), (own_b, total_b)) = (counts[a as usize], counts[b as usize]);
        let way = |order: Ordering| match request.direction {
            Direction::Ascending => order,
            Direction::Descending => order.reverse(),
        };
        match request.order {
            FlameColumn::Own => way(own_a.cmp(&own_b)).then(total_b.cmp(&total_a)),
            FlameColumn::Total => way(total_a.cmp(&total_b)).then(own_b.cmp(&own_a)),
            FlameColumn::Function => way(a.cmp(&b)),
            FlameColumn::File => {
                let place = |frame: u32| {
                    let StackFrame { file, line, .. } = &tree.frames[frame as usize];
                    (file.as_str(), *line)
                };
                way(place(a).cmp(&place(b)))
            }
        }
        .then(a.cmp(&b))
    };
    kept.sort_by(by);
    let totals = kept.iter().map(|&frame| counts[frame as usize].1);
    let together = totals.fold(0, u64::saturating_add);
    let limit = match request.limit {
        0 => 100,
        asked => asked.min(MOST),
    };
    let page = kept
        .iter()
        .skip(usize::try_from(request.offset).unwrap_or(usize::MAX))
        .take(limit as usize);
    let rows = page.map(|&frame| (frame, function(tree, counts, frame)));
    Page {
        rows: rows.collect(),
        matching: kept.len() as u64,
        together,
        functions,
    }
}

fn function(tree: &Tree, counts: &[(u64, u64)], frame: u32) -> FlameFunction {
    let at = frame as usize;
    let StackFrame { name, file, line } = &tree.frames[at];
    let (own, total) = counts[at];
    FlameFunction {
        key: tree.frame_keys[at],
        name: name.clone(),
        file: file.clone(),
        line: *line,
        library: library(file).to_owned(),
        own,
        total,
        error: error(total, tree.total[0]),
        text: None,
    }
}
