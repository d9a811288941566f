//! Statistical profiles: which are meant, their stacks merged, their lines of source; and one cluster's as a cut tree.

mod children;
mod counts;
mod dense;
mod growing;
mod lines;
mod mixed;
mod pieces;
mod reading;
mod records;
mod selection;
mod stamp;
mod tree;

use std::cmp::Reverse;
use std::collections::HashMap;

use rusqlite::Connection;

use super::page::LARGEST;
use super::types::{
    Profile, ProfileFrames, ProfileFunction, ProfileLines, ProfileNodes, ProfileRequest,
    ProfileSelection,
};
use super::unseal::Unsealer;
use crate::Result;
use crate::model::Micros;

pub(crate) use crate::store::Frame as StackFrame;
pub(crate) use counts::{CountedLines, LineCounts};
pub(crate) use growing::Growing;
pub(crate) use lines::{Lines, lines, lines_stamp};
pub(crate) use mixed::Mixed;
pub(crate) use pieces::each_stacks;
pub(crate) use reading::{Functions, StackReader};
pub(crate) use records::{ProfileRecord, Profiles, profiles};
pub(crate) use selection::{Selected, cluster_names, select, switched_off, tasks};
pub(crate) use tree::{ALL, Tree};

/// Nodes that are given when no number is named.
const NODES: u32 = 10_000;
const MOST_NODES: u32 = 100_000;
/// Records whose stacks are in memory at once.
const READ: usize = 64;

/// The merged profile of a cluster.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn profile(
    db: &Connection,
    unsealer: &mut Unsealer,
    now: Micros,
    request: &ProfileRequest,
) -> Result<Profile> {
    let selected = select(
        db,
        now,
        &ProfileSelection {
            ids: vec![request.id],
            prefixes: request.prefix.iter().cloned().collect(),
            from_micros: request.from_micros,
            to_micros: request.to_micros,
            ..ProfileSelection::default()
        },
    )?;
    let Profiles {
        records,
        mut truncated,
        prefixes,
        ..
    } = profiles(db, &selected)?;
    let mut growing = Growing::default();
    let mut merged: Vec<ProfileRecord> = Vec::new();
    let mut reader = StackReader::default();
    for some in records.chunks(READ) {
        let found = reader.read_without_lines(db, some)?;
        for (record, stacks) in some.iter().zip(&found) {
            if let Some(stacks) = stacks {
                growing.add_stacks(stacks);
                merged.push(*record);
            }
        }
    }
    truncated |= growing.is_full();
    let records = &merged[..];
    let tree = growing.finish_with(reader.functions);
    let wanted = match request.nodes {
        0 => NODES,
        asked => asked.min(MOST_NODES),
    };
    let (mut nodes, folded_nodes) = cut(&tree, wanted as usize);
    let mut functions = functions_of(&tree);
    let functions_total = functions.len() as u64;
    functions.truncate(LARGEST as usize);
    let shown = shown_frames(&mut nodes, &mut functions);
    let told = lines(db, unsealer, request.id)?;
    let mut frames = ProfileFrames {
        name: Vec::new(),
        file: Vec::new(),
        line: Vec::new(),
        text: Vec::new(),
    };
    for frame in shown.into_iter().map(|place| &tree.frames[place as usize]) {
        frames.text.push(told.text(frame).map(Into::into));
        frames.name.push(frame.name.clone());
        frames.file.push(frame.file.clone());
        frames.line.push(frame.line);
    }
    Ok(Profile {
        samples: sum(records, |record| record.samples),
        // The newest record comes first; Dask looks at threads every ten milliseconds unless told otherwise.
        sample_micros: records.first().map_or(0, |record| record.sample_micros),
        unattributed: sum(records, |record| record.unattributed),
        from_micros: records.iter().map(|record| record.from).min(),
        to_micros: records.iter().map(|record| record.to).max(),
        records: records.len() as u64,
        truncated,
        prefixes,
        frames,
        nodes,
        folded_nodes,
        functions,
        functions_total,
        lines: told.state(),
    })
}

fn sum(records: &[ProfileRecord], of: impl Fn(&ProfileRecord) -> u64) -> u64 {
    records.iter().map(of).fold(0, u64::saturating_add)
}

/// The `wanted` largest nodes in order, and the number of the others. A parent is never smaller than its children and comes
/// before them, so that none is cut from its parent.
fn cut(tree: &Tree, wanted: usize) -> (ProfileNodes, u64) {
    let mut kept: Vec<u32> = (1..tree.len() as u32).collect();
    let all = kept.len();
    if all > wanted {
        let size = |&at: &u32| (Reverse(tree.total[at as usize]), at);
        kept.select_nth_unstable_by_key(wanted, size);
        kept.truncate(wanted);
        kept.sort_unstable();
    }
    let mut nodes = ProfileNodes {
        parent: Vec::new(),
        frame: Vec::new(),
        self_count: Vec::new(),
        total_count: Vec::new(),
    };
    let mut places = vec![-1; tree.len()];
    for (place, &at) in kept.iter().enumerate() {
        let at = at as usize;
        places[at] = place as i32;
        nodes.parent.push(places[tree.parent[at] as usize]);
        nodes.frame.push(tree.frame_of[at]);
        nodes.self_count.push(tree.own[at]);
        nodes.total_count.push(tree.total[at]);
    }
    (nodes, (all - kept.len()) as u64)
}

/// All functions, most samples of their own first.
fn functions_of(tree: &Tree) -> Vec<ProfileFunction> {
    let counts = tree.functions().into_iter().enumerate();
    let mut functions: Vec<ProfileFunction> = counts
        .map(|(frame, (self_count, total_count))| ProfileFunction {
            frame: frame as u32,
            self_count,
            total_count,
        })
        .collect();
    functions.sort_by_key(|one| (Reverse(one.self_count), Reverse(one.total_count), one.frame));
    functions
}

/// The functions that are pointed at, each once; the places are changed to theirs.
fn shown_frames(nodes: &mut ProfileNodes, functions: &mut [ProfileFunction]) -> Vec<u32> {
    let mut kept: Vec<u32> = Vec::new();
    let mut places: HashMap<u32, u32> = HashMap::new();
    let of_functions = functions.iter_mut().map(|function| &mut function.frame);
    for place in nodes.frame.iter_mut().chain(of_functions) {
        *place = *places.entry(*place).or_insert_with(|| {
            kept.push(*place);
            kept.len() as u32 - 1
        });
    }
    kept
}

/// Adds up what is known of lines: shown where any are, else why not. Nothing is asked for beyond the first that are shown: each may
/// have to be unsealed.
pub(crate) fn together(states: impl IntoIterator<Item = ProfileLines>) -> ProfileLines {
    let mut so_far = ProfileLines::Off;
    for state in states {
        match state {
            ProfileLines::Shown => return state,
            ProfileLines::Locked => so_far = state,
            ProfileLines::Off => {}
        }
    }
    so_far
}
