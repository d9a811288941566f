//! The graph of task groups. How it is folded and laid out is kept for as long as its shape stays the same: figures change
//! with every report, and the picture must not jump with them.

use std::sync::Arc;

use rusqlite::Connection;

use super::{App, Graph, GraphGroup, GraphGroupRequest, GraphMeasure, GraphRequest};
use crate::insight::cost;
use crate::insight::graph::{Merged, Priced, Seen, Tree, fold, hidden, view};
use crate::{Result, query};

pub(super) fn graph(app: &App, request: GraphRequest) -> Result<Graph> {
    let (seen, tree) = folded(app, &request)?;
    let merged = Merged::new(&seen, &tree, &request.open);
    let layouts = &app.graphs().layouts;
    let key = merged.fingerprint(request.top_down);
    let layout = layouts.find(&key).unwrap_or_else(|| {
        let layout = merged.layout(request.top_down);
        layouts.keep(key, layout.bytes(), layout)
    });
    Ok(view(&seen, &tree, &merged, &layout, &request))
}

/// The groups of a graph, and how they are folded.
fn folded(app: &App, request: &GraphRequest) -> Result<(Seen, Arc<Tree>)> {
    let (found, priced) =
        app.read(|db| Ok((query::graph_groups(db, request)?, priced(db, request)?)))?;
    let seen = Seen::new(found, priced);
    // Two who ask at once may both make it: they make the same.
    let trees = &app.graphs().trees;
    let key = seen.fingerprint(request);
    let tree = trees.find(&key).unwrap_or_else(|| {
        let tree = fold(&seen, request);
        trees.keep(key, tree.bytes(), tree)
    });
    Ok((seen, tree))
}

/// What groups cost is shared out over all of the cluster, whatever computation is looked at.
fn priced(db: &Connection, request: &GraphRequest) -> Result<Priced> {
    if request.measure != GraphMeasure::Cost {
        return Ok(Priced::default());
    }
    let book = query::price_book(db, false)?;
    let groups = query::group_times(db, request.id)?;
    let moneys = cost::moneys(&query::cluster_used(db, request.id)?, &groups, &book);
    Ok(Priced {
        moneys: moneys
            .into_iter()
            .map(|(group_id, money)| (group_id.to_owned(), money))
            .collect(),
        currency: Some(book.currency),
    })
}

pub(super) fn graph_group(app: &App, request: GraphGroupRequest) -> Result<GraphGroup> {
    let mut group = app.read(|db| query::graph_group(db, &request))?;
    if let Some(within) = request.within {
        let within = GraphRequest {
            id: request.id,
            ..within
        };
        let (seen, tree) = folded(app, &within)?;
        group.folds = hidden(&seen, &tree, &within, &request.group_id);
    }
    Ok(group)
}
