//! What a reader puts on clusters by hand, and the views that they keep.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ClusterOrder, Direction};
use crate::model::Micros;

/// What to change of some clusters. What is null stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct MarkRequest {
    /// Bobbin's numbers, at most 1,000.
    pub ids: Vec<i64>,
    pub pinned: Option<bool>,
    /// Tags to put, by name; a tag that is a word alone has an empty value.
    pub tags: BTreeMap<String, String>,
    /// Names of tags by hand to take away.
    pub untag: Vec<String>,
    /// What is written of it; empty takes the note away.
    pub note: Option<String>,
    /// What it is called here; empty gives its own name back. For one cluster.
    pub name: Option<String>,
    /// Whether lost ones are over, which holds until they are heard again. Others of the request stay as they are; one of them must
    /// be lost.
    pub finished: Option<bool>,
}

dto! {
/// What was changed.
pub struct Marked {
    /// How many clusters.
    pub clusters: u64,
}
}

/// A column of the list of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ClusterColumn {
    State,
    Verdict,
    User,
    Host,
    Project,
    Started,
    Stopped,
    LastWork,
    Duration,
    Workers,
    Threads,
    Memory,
    Tasks,
    Erred,
    Compute,
    ClusterTime,
    Stalled,
    Efficiency,
    Exceptions,
    Cost,
    Tags,
    Note,
}

dto! {
/// A list of clusters to come back to: which, in what order, with what columns.
pub struct ClusterView {
    pub name: String,
    pub filter: String,
    pub order: ClusterOrder,
    pub direction: Direction,
    /// From left to right; the name is always first.
    pub columns: Vec<ClusterColumn>,
}
}

dto! {
pub struct SavedView {
    pub view: ClusterView,
    pub saved_micros: Micros,
    /// As it is exported.
    pub text: String,
}
}

dto! {
/// The views that are kept, by name.
pub struct ViewList {
    pub rows: Vec<SavedView>,
}
}

dto! {
pub struct ViewCountsRequest {
    /// The days of filters are cut by the rules of this zone; empty is UTC.
    #[serde(default)]
    pub time_zone: String,
}
}

dto! {
/// How many clusters each kept view lists now, by the name of the view.
pub struct ViewCounts {
    pub rows: Vec<ViewCount>,
}
}

dto! {
pub struct ViewCount {
    pub name: String,
    pub filter: String,
    pub clusters: u64,
    /// The newest of them; null where there is none.
    pub newest_id: Option<i64>,
}
}

/// A view by its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ViewName {
    pub name: String,
}

/// Views as text, as they were exported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ViewText {
    pub text: String,
}
