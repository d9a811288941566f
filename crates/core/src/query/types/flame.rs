//! Flame graphs: merged profiles, drawn as rectangles.
//!
//! Counts are samples. Keys of nodes and functions are made of names, files and lines alone, so that a link to one finds it
//! again in a profile that has grown since; they have 53 bits, which JavaScript keeps exactly.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ClustersRequest, Direction, ProfileLines, ProfilePrefix};
use crate::model::Micros;

/// Which profiles are merged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileSelection {
    /// Of these clusters.
    pub ids: Vec<i64>,
    /// And of those that the list gives for this, whatever its order and limit.
    pub clusters: Option<ClustersRequest>,
    /// Only of these prefixes; none is all.
    pub prefixes: Vec<String>,
    /// Only of the prefixes of this computation, while it ran; of one cluster.
    pub computation: Option<String>,
    /// Only of this task group's prefix; of one cluster.
    pub group: Option<String>,
    /// Only what was sampled after this, by whole intervals.
    pub from_micros: Option<Micros>,
    /// Only what was sampled before this, by whole intervals.
    pub to_micros: Option<Micros>,
}

dto! {
pub struct FlameAboutRequest {
    pub selection: ProfileSelection,
}
}

dto! {
/// What was merged.
pub struct FlameAbout {
    /// Names the merged tree. With it, other questions are about this tree as long as it is kept, whatever comes in.
    pub tree: String,
    pub samples: u64,
    /// Samples whose stack is not told: a block of its own in the graph.
    pub unattributed: u64,
    /// Time of threads that the samples stand for.
    pub seconds: f64,
    /// What the samples are from; null without any.
    pub from_micros: Option<Micros>,
    pub to_micros: Option<Micros>,
    /// Records that were merged.
    pub records: u64,
    pub nodes: u64,
    pub functions: u64,
    /// Whether there was more than can be merged at once: then these are the newest.
    pub truncated: bool,
    /// What can be chosen in this window of time, most samples first, at most 1,000; null is: not split by prefix.
    pub prefixes: Vec<ProfilePrefix>,
    /// The prefixes that the computation or group of the selection stands for.
    pub chosen_prefixes: Vec<String>,
    /// What each cluster contributed, most samples first, at most 1,000.
    pub clusters: Vec<FlameCluster>,
    /// Clusters that were selected, with samples or without.
    pub clusters_total: u64,
    /// Tasks that ended in what was selected; null for a part of the time.
    pub tasks: Option<u64>,
    pub lines: ProfileLines,
}
}

dto! {
pub struct FlameCluster {
    pub id: i64,
    pub name: String,
    pub user: Option<String>,
    pub samples: u64,
    /// Of all samples.
    pub share: f64,
}
}

/// A change to all stacks before they are drawn. Functions and nodes are named by their keys, nodes by those that they have once
/// the changes before it were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FlameTransform {
    /// Only what was seen in this function, from it on.
    Focus { function: u64 },
    /// Only what was seen in this node, from it on.
    FocusSubtree { node: u64 },
    /// Without this function: what it did itself is its caller's.
    Merge { function: u64 },
    /// Without this node: what it did itself is its caller's, and its function stays where else it was called.
    MergeNode { node: u64 },
    /// What this function calls becomes its own.
    Collapse { function: u64 },
    /// Functions of this library that call each other become one.
    CollapseLibrary { library: String },
    /// A function that calls itself, also through others, becomes one.
    CollapseRecursion { function: u64 },
    /// Without the samples that were seen in this function.
    Drop { function: u64 },
}

/// Children from left to right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FlameOrder {
    /// By name: the same place in every profile.
    #[default]
    Alphabetical,
    LeftHeavy,
}

/// What of a tree is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct FlameView {
    /// The node that takes the whole width; null is all.
    pub root: Option<u64>,
    /// Only the children of the root with fewer samples than this: those of its block of small frames.
    pub below: Option<u64>,
    /// The part of the width that is in sight, 0 to 1.
    pub from: f64,
    pub to: f64,
    /// Pixels that the part in sight takes, at most 20,000.
    pub width: u32,
    /// What is narrower, in pixels, is merged into one block a parent; half a pixel is the least.
    pub smallest: f64,
    pub order: FlameOrder,
    /// Whether frames with one child of the same samples become one.
    pub runs: bool,
    /// What is lit: terms that all must hold, `fn:` `file:` `mod:` for where, `-` for not, `/…/` for an expression; a comma
    /// parts alternatives.
    pub search: String,
}

impl Default for FlameView {
    fn default() -> Self {
        Self {
            root: None,
            below: None,
            from: 0.0,
            to: 1.0,
            width: 1_000,
            smallest: 2.0,
            order: FlameOrder::Alphabetical,
            runs: false,
            search: String::new(),
        }
    }
}

/// Which tree of the merged one is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FlamePart {
    #[default]
    Whole,
    /// Who called a function, upside down: its callers are its children; so many levels of them.
    Callers { function: u64, levels: u32 },
    /// What a function called, from all places where it was.
    Callees { function: u64 },
}

/// What is drawn of one merged profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct FlameRequest {
    pub selection: ProfileSelection,
    /// The tree that an earlier answer named; null is the newest.
    pub tree: Option<String>,
    pub transforms: Vec<FlameTransform>,
    pub part: FlamePart,
    pub view: FlameView,
}

dto! {
/// Functions, as columns of one length.
pub struct FlameFrames {
    pub key: Vec<u64>,
    pub name: Vec<String>,
    pub file: Vec<String>,
    /// The first line of the function.
    pub line: Vec<Option<u32>>,
    /// The package that the file is of, `python`, `notebook`, `your code`, or `unknown` where folders are not told.
    pub library: Vec<String>,
}
}

dto! {
/// Rectangles as columns of one length, row by row; parents come before their children.
pub struct FlameRectangles {
    pub key: Vec<u64>,
    /// Place of the parent in these columns; -1 is none.
    pub parent: Vec<i32>,
    /// Place in `frames`; -1 is all, or a block of small frames.
    pub frame: Vec<i32>,
    /// Place in `frames` of the last of a run; that of `frame` without one.
    pub last: Vec<i32>,
    pub depth: Vec<u32>,
    /// Samples to the left of it.
    pub x: Vec<u64>,
    /// Samples that ended in it or above it: its width.
    pub total: Vec<u64>,
    /// Samples that ended in it.
    pub own: Vec<u64>,
    /// Frames in a block of small ones; 0 is a frame.
    pub small: Vec<u64>,
    /// Frames in a run; 1 is one frame.
    pub run: Vec<u32>,
    /// Whether it or, for a block, something in it is found by the search.
    pub found: Vec<bool>,
    /// Half the width of the 95 % interval of `total`, in samples, as if samples were drawn independently; 0 in a difference.
    pub error: Vec<f64>,
}
}

dto! {
/// One step on the way from all to what is drawn.
pub struct FlameStep {
    pub key: u64,
    /// Place in `frames`.
    pub frame: i32,
    pub total: u64,
}
}

dto! {
/// What a search found.
pub struct FlameFound {
    /// Distinct functions.
    pub functions: u64,
    /// Samples with one of them in their stack.
    pub total: u64,
    /// Nodes from left to right, the lowest of each stack; at most 500.
    pub keys: Vec<u64>,
}
}

dto! {
/// What can be seen of a merged tree.
pub struct Flame {
    pub tree: String,
    /// Samples of the whole tree.
    pub whole: u64,
    /// Samples of what takes the whole width.
    pub total: u64,
    pub seconds_per_sample: f64,
    /// False: the node asked for as root is not here, and all is drawn.
    pub root_found: bool,
    /// From all to what the first rectangle stands in.
    pub way: Vec<FlameStep>,
    pub rectangles: FlameRectangles,
    pub frames: FlameFrames,
    /// Frames with fewer samples were merged into blocks.
    pub smallest: u64,
    /// Whether rows lie below those that are given.
    pub truncated: bool,
    /// Null without a search.
    pub found: Option<FlameFound>,
    /// What each transform is about; null if nothing here is called so.
    pub transformed: Vec<Option<String>>,
}
}

/// What the functions are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FlameColumn {
    #[default]
    Own,
    Total,
    Function,
    File,
}

/// Which functions of one merged profile are listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct FlameTableRequest {
    pub selection: ProfileSelection,
    /// The tree that an earlier answer named; null is the newest.
    pub tree: Option<String>,
    pub transforms: Vec<FlameTransform>,
    /// Of callers and callees those that called the function, or were called by it, with nothing between; levels say nothing here.
    pub part: FlamePart,
    /// Only what it finds; as in a view.
    pub search: String,
    pub order: FlameColumn,
    pub direction: Direction,
    /// At most this many; 0 is 100, and no more than 1,000 are given.
    pub limit: u32,
    pub offset: u64,
}

dto! {
pub struct FlameTable {
    pub rows: Vec<FlameFunction>,
    /// Functions that match, whatever the limit.
    pub total: u64,
    /// Functions without the search.
    pub functions: u64,
    pub truncated: bool,
    /// Samples of the whole tree.
    pub samples: u64,
    /// Of these, those with a function in their stack that is found; beside a function, those of the rows that match. Null without
    /// a search.
    pub found_samples: Option<u64>,
    /// Samples of the function that the part is about; without one, of the whole tree.
    pub part_samples: u64,
    /// Of these, those that nothing called, or that ended in the function itself: with the rows of all, they are `part_samples`.
    pub beside_samples: u64,
    pub seconds_per_sample: f64,
    pub lines: ProfileLines,
    /// What each transform is about; null if nothing here is called so.
    pub transformed: Vec<Option<String>>,
}
}

dto! {
pub struct FlameFunction {
    pub key: u64,
    pub name: String,
    pub file: String,
    pub line: Option<u32>,
    pub library: String,
    /// Samples that ended in it; of a caller none, as those that are counted went on.
    pub own: u64,
    /// Samples with it anywhere in their stack, each once; beside a function, those in which it stood there.
    pub total: u64,
    /// Half the width of the 95 % interval of `total`, in samples, as if samples were drawn independently.
    pub error: f64,
    /// A line of its source; null where `lines` says why, or where there is none.
    pub text: Option<String>,
}
}

dto! {
/// A line of source of one function.
pub struct FlameLineRequest {
    pub selection: ProfileSelection,
    pub tree: Option<String>,
    pub function: u64,
}
}

dto! {
pub struct FlameLine {
    /// Null where `lines` says why, or where there is none.
    pub text: Option<String>,
    pub lines: ProfileLines,
}
}

/// In what two profiles are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FlameMeasure {
    /// Parts of each profile's samples.
    #[default]
    Shares,
    /// Time of threads.
    Seconds,
    /// Time of threads for each task that ended; known for whole clusters, prefixes and groups.
    SecondsPerTask,
}

/// Two merged profiles, one drawn over the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct FlameDifferenceRequest {
    pub before: ProfileSelection,
    pub after: ProfileSelection,
    pub before_tree: Option<String>,
    pub after_tree: Option<String>,
    pub transforms: Vec<FlameTransform>,
    pub measure: FlameMeasure,
    /// Differences of less than this part of the larger whole are none.
    pub threshold: f64,
    pub view: FlameView,
}

/// What became of something from one profile to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FlameChange {
    MoreTime,
    LessTime,
    Same,
    /// Only in the later one.
    New,
    /// Only in the earlier one.
    Vanished,
}

dto! {
/// Beside each rectangle. Its share of the samples of a side is its share of that side's whole, in the unit of the measure.
pub struct FlameChanges {
    pub change: Vec<FlameChange>,
    pub before_samples: Vec<u64>,
    pub after_samples: Vec<u64>,
}
}

dto! {
/// A function in both profiles, in the unit of the measure.
pub struct FlameFunctionChange {
    pub key: u64,
    pub name: String,
    pub file: String,
    pub line: Option<u32>,
    pub library: String,
    pub change: FlameChange,
    pub before_own: f64,
    pub after_own: f64,
    pub before_total: f64,
    pub after_total: f64,
}
}

dto! {
pub struct FlameDifference {
    /// Drawn as wide as the mean of both, in parts of no unit: what is only in one of them is there too.
    pub flame: Flame,
    pub changes: FlameChanges,
    pub before: FlameAbout,
    pub after: FlameAbout,
    pub measure: FlameMeasure,
    /// Whether time for each task can be told.
    pub per_task: bool,
    /// Of all, in the unit of the measure.
    pub before_whole: f64,
    pub after_whole: f64,
    /// All samples, once the transforms were made.
    pub before_samples: u64,
    pub after_samples: u64,
    /// The functions that changed by the threshold or more, by themselves or in what they call, at most 200, and how many there
    /// are. Those that changed most by themselves come first.
    pub functions: Vec<FlameFunctionChange>,
    pub functions_total: u64,
    /// Only in the earlier one, most time first, at most 200.
    pub vanished: Vec<FlameFunctionChange>,
    pub vanished_total: u64,
    /// Only in the later one, most time first, at most 200.
    pub new: Vec<FlameFunctionChange>,
    pub new_total: u64,
}
}
