//! What the desk is asked.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::view::{Category, Decision, FindingState, ItemOrder};
use crate::share::{Choice, Level};

/// Stages clusters: their bytes are written once, from what the store holds now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct StageClustersRequest {
    /// Bobbin's numbers of them. Nothing is chosen by itself.
    #[ts(type = "number[]")]
    pub ids: Vec<i64>,
    /// Whether a policy proposed them, and nobody named them one by one: an approval in advance then covers only those that
    /// started after it was given.
    pub proposed: bool,
    /// Whom they are for: a name of the reader's own. Aliases, decisions and what is new are remembered for each.
    pub destination: String,
    pub choice: Choice,
    /// Where less or more than that is told of a cluster.
    pub levels: Vec<ClusterLevel>,
    /// New fields that may be told from now on, as `new_fields` names them.
    pub accept_fields: Vec<String>,
}

/// How much is told of one cluster of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ClusterLevel {
    /// Bobbin's number of it.
    #[ts(type = "number")]
    pub id: i64,
    pub level: Level,
}

/// Names a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct StageRequest {
    #[ts(type = "number")]
    pub id: i64,
}

/// Asks for values of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct StageItemsRequest {
    #[ts(type = "number")]
    pub id: i64,
    /// Of one category; of all where it is left out.
    #[serde(default)]
    pub category: Option<Category>,
    /// What stands in the value, or in what is told of it, whatever its case.
    #[serde(default)]
    pub text: String,
    #[serde(default)]
    pub order: ItemOrder,
    #[serde(default)]
    pub offset: u64,
    /// At most 500.
    #[serde(default = "items")]
    pub limit: u32,
}

fn items() -> u32 {
    100
}

/// Decides upon values of a stage. What is decided is remembered for its destination, and holds in later stages, too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct DecideRequest {
    #[ts(type = "number")]
    pub id: i64,
    #[serde(default)]
    pub categories: Vec<CategoryDecision>,
    #[serde(default)]
    pub items: Vec<ItemDecision>,
    #[serde(default)]
    pub findings: Vec<FindingDecision>,
}

/// Null takes a decision back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct CategoryDecision {
    pub category: Category,
    pub decision: Option<Decision>,
}

/// Null takes a decision back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ItemDecision {
    pub item: String,
    pub decision: Option<Decision>,
}

/// `open` takes a decision back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct FindingDecision {
    pub finding: String,
    pub state: FindingState,
}

/// Asks for lines of the staged bytes, as they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct StageTextRequest {
    #[ts(type = "number")]
    pub id: i64,
    /// Only lines with this in them, whatever its case.
    #[serde(default)]
    pub text: String,
    /// Of the lines that match.
    #[serde(default)]
    pub offset: u64,
    /// At most 500.
    #[serde(default = "items")]
    pub limit: u32,
}

/// A text of a stage that lists show only the beginning of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum StagePart {
    /// What a value is.
    Real { category: Category, item: String },
    /// What is told of it.
    Told { category: Category, item: String },
    /// A line of the staged bytes, from 0.
    Line { line: u64 },
}

/// Asks for a text of a stage as a whole, of which an answer has a piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct StageWholeRequest {
    #[ts(type = "number")]
    pub id: i64,
    pub part: StagePart,
    /// Letters before the piece.
    #[serde(default)]
    pub offset: u64,
}

/// Asks for a piece of the staged file, of at most a megabyte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct StageBytesRequest {
    #[ts(type = "number")]
    pub id: i64,
    #[serde(default)]
    pub offset: u64,
}

/// Copies the staged file to a new one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SaveStageRequest {
    #[ts(type = "number")]
    pub id: i64,
    /// Absolute; nothing is written over.
    pub path: String,
}

/// Approves staged bytes for their destination, or to be saved as a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ApproveRequest {
    #[ts(type = "number")]
    pub id: i64,
    /// Of the bytes that were looked at.
    pub sha256: String,
    /// To save them as a file alone: nothing is sent by such an approval.
    #[serde(default)]
    pub to_save: bool,
}

/// Adds words that are secrets, or forgets all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct OwnWordsRequest {
    pub add: Vec<String>,
    /// Words to forget, typed again: they are not stored.
    pub remove: Vec<String>,
}

/// Approves numbers and names for a destination in advance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct StandingRequest {
    pub destination: String,
    /// 1 to 90; null takes the approval back.
    pub days: Option<u32>,
    pub level: Level,
}

/// Asks for the private map of a destination.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct AliasesRequest {
    pub destination: String,
    /// What stands in the alias or in the value.
    pub text: String,
    pub offset: u64,
}
