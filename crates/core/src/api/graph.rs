//! The graph of task groups. How it is folded and laid out is kept for as long as its shape stays the same: figures change
//! with every report, and the picture must not jump with them.

use super::kept::Kept;
use super::{App, Graph, GraphGroup, GraphGroupRequest, GraphRequest};
use crate::insight::graph::{Layout, Merged, Seen, Tree, fold, view};
use crate::{Result, query};

/// Memory of the pictures that are kept: each open page needs one, and those it goes back to. Of the ways of folding, as
/// much again.
const KEPT_BYTES: usize = 32 << 20;

/// The fingerprint of what something was made from.
type Key = [u8; 32];

/// Of one open Bobbin.
#[derive(Default)]
pub(super) struct Graphs {
    trees: Kept<Key, Tree, KEPT_BYTES>,
    layouts: Kept<Key, Layout, KEPT_BYTES>,
}

pub(super) fn graph(app: &App, request: GraphRequest) -> Result<Graph> {
    let seen = Seen::new(app.read(|db| query::graph_groups(db, &request))?);
    // Two who ask at once may both make it: they make the same.
    let trees = &app.graphs().trees;
    let key = seen.fingerprint(&request);
    let tree = trees.find(&key).unwrap_or_else(|| {
        let tree = fold(&seen, &request);
        trees.keep(key, tree.bytes(), tree)
    });
    let merged = Merged::new(&seen, &tree, &request.open);
    let layouts = &app.graphs().layouts;
    let key = merged.fingerprint(request.top_down);
    let layout = layouts.find(&key).unwrap_or_else(|| {
        let layout = merged.layout(request.top_down);
        layouts.keep(key, layout.bytes(), layout)
    });
    Ok(view(&seen, &tree, &merged, &layout, &request))
}

pub(super) fn graph_group(app: &App, request: GraphGroupRequest) -> Result<GraphGroup> {
    app.read(|db| query::graph_group(db, &request))
}
