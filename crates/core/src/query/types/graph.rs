//! The graph of one cluster's task groups.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Money, TaskDurations};
use crate::model::{Activities, Micros, TaskStates};

/// What the area of a node stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GraphMeasure {
    /// Seconds in the user's functions.
    #[default]
    Compute,
    /// Bytes of all results.
    Bytes,
    /// Seconds of moving data between workers.
    Transfer,
    /// What groups cost at most, in the currency of the price book; nothing without a price.
    Cost,
}

/// Why groups are drawn as one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GraphFold {
    /// One behind the other, with nothing else at their joints.
    Chain,
    /// Of the same prefixes, and with the same neighbours.
    Siblings,
    /// Of one layer, each of a single task.
    SingleTasks,
    /// Of one layer, each under 0.5 % of the measure.
    Small,
    /// All of some layers next to each other, each under 0.5 % of the measure.
    Layers,
}

dto! {
pub struct GraphRequest {
    pub id: i64,
    /// Only the groups of this computation; null is all.
    #[serde(default)]
    pub computation: Option<String>,
    #[serde(default)]
    pub measure: GraphMeasure,
    /// `node_id`s of folds that are opened; those that are not there any more mean nothing.
    #[serde(default)]
    pub open: Vec<String>,
    /// Fold nothing.
    #[serde(default)]
    pub whole: bool,
    /// Layers below each other instead of beside each other.
    #[serde(default)]
    pub top_down: bool,
}
}

dto! {
pub struct Graph {
    /// Ordered by their first group's id, which says nothing: their places do.
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    /// In pixels at a zoom of 1, as all places and points.
    pub width: i32,
    pub height: i32,
    pub node_width: i32,
    pub node_height: i32,
    /// Groups in the nodes.
    pub groups: u64,
    /// Groups that were asked for; more than `groups` where `truncated`.
    pub total: u64,
    pub truncated: bool,
    /// Of all groups, and of the largest node.
    pub measure_total: f64,
    pub measure_most: f64,
    /// Of the price book; null for any measure but cost.
    pub currency: Option<String>,
    /// Folds that are open, in the order of the nodes.
    pub opened: Vec<FoldName>,
    /// Dependencies that are not drawn: on groups that are not in the record or not in this computation, and beyond 100,000.
    pub missing: u64,
    /// Edges that close a cycle.
    pub backward: u64,
    /// Null where no group has begun and ended something.
    pub critical: Option<CriticalPath>,
}
}

dto! {
pub struct FoldName {
    pub node_id: String,
    pub fold: GraphFold,
    pub groups: u64,
    /// The prefix that most of its tasks are of.
    pub prefix: String,
}
}

dto! {
/// The chain of groups that takes the longest, each with its wall time and after all that it needs.
pub struct CriticalPath {
    pub groups: u64,
    /// Wall times along the chain. Groups overlap, so that it may be more than `clock_seconds`.
    pub seconds: f64,
    /// From the first start to the last end of all groups.
    pub clock_seconds: f64,
}
}

dto! {
pub struct GraphNode {
    /// `group_id`, or the name of a fold.
    pub node_id: String,
    /// Null for a group.
    pub fold: Option<GraphFold>,
    /// The name of the group, or the prefixes of a fold by number of groups, three at most.
    pub name: String,
    pub prefix: String,
    /// The `node_id` of the opened fold that it came out of.
    pub out_of: Option<String>,
    /// How many groups it holds, itself included.
    pub groups: u64,
    /// Some of them, the largest first; empty for a group.
    pub largest: Vec<GroupName>,
    /// Left upper corner.
    pub x: i32,
    pub y: i32,
    pub layer: u32,
    pub states: TaskStates,
    pub tasks: u64,
    /// Tasks that have been worked on: in memory, released, forgotten or erred.
    pub done: u64,
    pub erred: u64,
    pub seconds: Activities,
    pub result_bytes: u64,
    pub start_micros: Option<Micros>,
    pub stop_micros: Option<Micros>,
    /// The chosen measure, and its share of all groups'; null where nothing was measured.
    pub measure: f64,
    pub share: Option<f64>,
    /// What it cost, where that is the measure; null without a price.
    pub money: Option<Money>,
    pub is_final: bool,
    pub on_critical_path: bool,
    /// From the start of the first task to the end of the last; for a fold the longest of its groups.
    pub wall_seconds: Option<f64>,
    /// How much longer it could take without making the critical path longer; for a fold the least of its groups.
    pub slack_seconds: Option<f64>,
    /// How much shorter the critical path gets at most when it takes half as long; for a fold the most of one group.
    pub saving_seconds: Option<f64>,
}
}

dto! {
pub struct GroupName {
    pub group_id: String,
    pub name: String,
}
}

dto! {
/// From what is needed to what needs it.
pub struct GraphEdge {
    /// Places in `nodes`.
    pub from: u32,
    pub to: u32,
    /// Dependencies between groups in it.
    pub dependencies: u64,
    /// Bytes of the results that are needed, which is the most that can have moved: Dask does not tell what did. Null
    /// where no task that is needed has ended.
    pub bytes: Option<u64>,
    /// It closes a cycle, and is drawn against the direction.
    pub backward: bool,
    pub on_critical_path: bool,
    /// Pairs of x and y: where it leaves, the points it passes, and where it ends.
    pub points: Vec<i32>,
}
}

dto! {
pub struct GraphGroupRequest {
    pub id: i64,
    pub group_id: String,
    /// The graph of this cluster in which it may be hidden.
    #[serde(default)]
    pub within: Option<GraphRequest>,
}
}

dto! {
/// What the graph does not say of one group.
pub struct GraphGroup {
    pub group_id: String,
    pub name: String,
    pub prefix: String,
    pub types: Vec<String>,
    /// Null until a task was timed, or where Dask does not tell.
    pub durations: Option<TaskDurations>,
    /// Attempts that failed and were made again; null where Dask does not tell.
    pub retried: Option<u64>,
    /// At most 200 each, by name. One that is not in the record has an empty name.
    pub needs: Vec<GroupName>,
    pub needed_by: Vec<GroupName>,
    /// That it belongs to, newest first, at most 20.
    pub computations: Vec<GroupComputation>,
    /// Kinds of exceptions that its tasks raised, most often first, at most 20.
    pub exceptions: Vec<GroupException>,
    /// The folds that hide it in the named graph, the outermost first.
    pub folds: Vec<FoldName>,
}
}

dto! {
pub struct GroupComputation {
    pub computation_id: String,
    pub start_micros: Option<Micros>,
}
}

dto! {
pub struct GroupException {
    pub exception_id: String,
    pub exception_type: String,
    pub count: u64,
}
}
