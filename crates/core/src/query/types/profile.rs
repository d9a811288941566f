//! The statistical profile of one cluster, merged.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::Micros;

dto! {
pub struct ProfileRequest {
    pub id: i64,
    /// Only of this prefix.
    #[serde(default)]
    pub prefix: Option<String>,
    /// Only what was sampled after this, by whole intervals.
    #[serde(default)]
    pub from_micros: Option<Micros>,
    /// Only what was sampled before this, by whole intervals.
    #[serde(default)]
    pub to_micros: Option<Micros>,
    /// At most this many nodes; 0 is 10,000, and no more than 100,000 are given.
    #[serde(default)]
    pub nodes: u32,
}
}

dto! {
/// A merged profile. Counts are samples: times `sample_micros` they are time of one thread.
pub struct Profile {
    pub samples: u64,
    pub sample_micros: i64,
    /// Samples whose stack is not told.
    pub unattributed: u64,
    /// What the samples are from; null without any.
    pub from_micros: Option<Micros>,
    pub to_micros: Option<Micros>,
    /// Records that were merged.
    pub records: u64,
    /// Whether there were more than can be merged at once: then these are the newest.
    pub truncated: bool,
    /// What can be chosen in this window of time, most samples first, at most 1,000; null is: not split by prefix.
    pub prefixes: Vec<ProfilePrefix>,
    pub frames: ProfileFrames,
    pub nodes: ProfileNodes,
    /// Nodes with fewer samples that are not in `nodes`. Their samples are in the total of the nodes above them.
    pub folded_nodes: u64,
    /// Most samples of its own first, at most 1,000.
    pub functions: Vec<ProfileFunction>,
    /// How many functions there are.
    pub functions_total: u64,
    pub lines: ProfileLines,
}
}

dto! {
pub struct ProfilePrefix {
    pub prefix: Option<String>,
    pub samples: u64,
}
}

dto! {
/// Functions, as columns of one length.
pub struct ProfileFrames {
    pub name: Vec<String>,
    pub file: Vec<String>,
    /// The first line of the function.
    pub line: Vec<Option<u32>>,
    /// A line of its source; null where `lines` says why, or where there is none.
    pub text: Vec<Option<String>>,
}
}

dto! {
/// The tree as columns of one length; parents come before their children.
pub struct ProfileNodes {
    /// Place of the parent in these columns; -1 is the root.
    pub parent: Vec<i32>,
    /// Place in `frames`.
    pub frame: Vec<u32>,
    /// Samples that ended in this node.
    pub self_count: Vec<u64>,
    /// Samples that ended in it or above it. What its children here do not account for was folded.
    pub total_count: Vec<u64>,
}
}

dto! {
pub struct ProfileFunction {
    /// Place in `frames`.
    pub frame: u32,
    pub self_count: u64,
    /// Samples with this function anywhere in their stack, each once.
    pub total_count: u64,
}
}

/// Whether lines of source are shown, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProfileLines {
    Shown,
    /// The plugin was told not to send code.
    Off,
    /// Stored, and the key to them is missing.
    Locked,
}
