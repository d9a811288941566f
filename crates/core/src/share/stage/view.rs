//! What the desk says of a stage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::Micros;
use crate::scan::Rule;
use crate::share::{Choice, FieldClass, Level};

/// What becomes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Told as it is, but for secrets that were found in it.
    Keep,
    /// An alias is told instead, the same in every share with this destination.
    Mask,
    /// Nothing is told.
    Drop,
}

/// What belongs together on the desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// What clusters are called, and their classes.
    Clusters,
    /// Projects and tags.
    Projects,
    Users,
    Hosts,
    /// Of schedulers, workers and dashboards.
    Addresses,
    /// What workers are called.
    Workers,
    /// Folders and files.
    Paths,
    /// Functions, and prefixes of task groups.
    Functions,
    /// Names of task groups that are no function's.
    Keys,
    Spans,
    /// Versions, systems and variables.
    Environment,
    /// Other words: units, activities, types of results, resources.
    Words,
    /// Types of exceptions.
    ExceptionTypes,
    /// What exceptions say.
    Messages,
    Tracebacks,
    /// Snippets of those who called.
    Code,
    /// Lines of source in profiles.
    Lines,
    /// Topics of events.
    Topics,
    /// What events carry.
    Payloads,
}

/// How a value stands to what was approved for this destination before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// It was in no share before.
    New,
    /// It was, and something else was told of it.
    Changed,
    Unchanged,
}

/// One value of a category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageItem {
    /// Names it in a decision; the same in every stage of this install.
    pub item: String,
    /// What it is, in this store. At most 4,000 letters of it.
    pub real: String,
    /// What the staged bytes tell where they tell most of it, with ` | ` between texts that differ; null where they tell nothing.
    /// At most as much.
    pub shown: Option<String>,
    /// Letters of what it is.
    pub letters: u64,
    /// How often it stands in the staged bytes.
    pub count: u64,
    pub state: ItemState,
    /// What was decided of it; null where the category or the level decides.
    pub decision: Option<Decision>,
    /// What becomes of it, in the place that tells most of it. Where only a part is told, such as of paths, it is masked.
    pub effect: Decision,
    /// The rule of the policy that decides, whatever a person says.
    pub rule: Option<String>,
    /// Possible secrets in it that nobody has decided upon.
    pub open_findings: u64,
}

/// One category of a stage; only those that have values are listed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageCategory {
    pub category: Category,
    pub class: FieldClass,
    /// Different values.
    pub items: u64,
    /// Of those: told as they are, by an alias or in part, not at all.
    pub kept: u64,
    pub masked: u64,
    pub dropped: u64,
    /// How often they stand in the staged bytes.
    pub count: u64,
    pub new: u64,
    pub changed: u64,
    /// What was decided of all that have no decision of their own; null where the level decides.
    pub decision: Option<Decision>,
    /// The rule of the policy that decides.
    pub rule: Option<String>,
    pub open_findings: u64,
    /// The three longest values, and the three that stand there least often: there data hides.
    pub longest: Vec<StageItem>,
    pub rarest: Vec<StageItem>,
}

/// A field whose values are not in the staged bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Withheld {
    /// `record.field`.
    pub field: String,
    pub class: FieldClass,
    /// Values left out.
    pub values: u64,
    /// Whether it is left out because it is new since the last approval for this destination.
    pub new: bool,
}

/// A cluster of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageCluster {
    #[ts(type = "number")]
    pub id: i64,
    /// What it is called here.
    pub name: Option<String>,
    /// What it is called in the staged bytes.
    pub shown: Option<String>,
    /// How much is told of it.
    pub level: Level,
    /// When it started; null in stages of versions that did not note it.
    pub started_micros: Option<Micros>,
    /// The latest time that is in the staged bytes.
    pub as_of_micros: Micros,
    pub records: BTreeMap<String, u64>,
}

/// Why a stage cannot be approved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Blocker {
    pub kind: BlockerKind,
    pub count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BlockerKind {
    /// Possible secrets that nobody has decided upon.
    OpenFindings,
    /// The staged bytes are being written.
    Writing,
    /// They could not be written.
    NotWritten,
}

/// A stage as the desk shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Stage {
    #[ts(type = "number")]
    pub id: i64,
    pub destination: String,
    /// Its level is that of the cluster of which most is told.
    pub choice: Choice,
    pub staged_micros: Micros,
    pub clusters: Vec<StageCluster>,
    /// By kind, of all clusters.
    pub records: BTreeMap<String, u64>,
    /// Of the staged file, in hexadecimal; null while it is written anew after a decision.
    pub sha256: Option<String>,
    /// Of the staged file.
    pub bytes: Option<u64>,
    /// Of what it unpacks to.
    pub plain_bytes: u64,
    pub categories: Vec<StageCategory>,
    pub withheld: Vec<Withheld>,
    /// Fields that were not there at the last approval for this destination; they are left out until they are accepted.
    pub new_fields: Vec<String>,
    pub open_findings: u64,
    /// Nothing may be approved while there is one.
    pub blockers: Vec<Blocker>,
    /// When these bytes were approved.
    pub approved_micros: Option<Micros>,
    /// What a share before told, by hash of its bytes; null for the first with this destination.
    pub before: Option<String>,
    pub policy: Option<PolicySaid>,
    /// The file that is approved and sent.
    pub path: String,
}

/// A stage in the list of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageRow {
    #[ts(type = "number")]
    pub id: i64,
    pub destination: String,
    pub choice: Choice,
    pub staged_micros: Micros,
    pub clusters: u64,
    pub bytes: u64,
    pub sha256: String,
    pub approved_micros: Option<Micros>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageList {
    /// The newest first.
    pub stages: Vec<StageRow>,
}

/// What items are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ItemOrder {
    /// Those that stand there most often first.
    #[default]
    Often,
    Rare,
    Long,
    /// New and changed ones first.
    New,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageItems {
    pub items: Vec<StageItem>,
    /// All that match.
    pub total: u64,
}

/// What was decided of something that looks like a secret, or that says who somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FindingState {
    /// Nothing yet: it is replaced in the staged bytes, and nothing can be approved.
    Open,
    /// It is replaced by a word that says so, or by an alias. Addresses of people and machines are, unless a person keeps them.
    Replaced,
    /// It is none, or may be told.
    NoSecret,
}

/// Something that looks like a secret, or says who somebody is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageFinding {
    /// Names it in a decision; the same wherever the same secret stands.
    pub finding: String,
    pub rule: Rule,
    /// What the rule looks for, in words.
    pub what: String,
    pub category: Category,
    pub item: String,
    /// What stands before it, the beginning of it, how long it is, and what stands behind.
    pub before: String,
    pub begins: String,
    pub letters: u64,
    pub after: String,
    /// Values of this stage that it stands in.
    pub places: u64,
    pub state: FindingState,
    /// Whether it cannot be kept, such as a token of Bobbin's own.
    pub fatal: bool,
    /// Whether it is no secret, but an address of somebody or of a machine: an alias stands in its place unless a person keeps it.
    pub identity: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageFindings {
    /// Open ones first.
    pub findings: Vec<StageFinding>,
}

/// A line of the staged bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageLine {
    /// From 0: the manifest.
    pub line: u64,
    /// At most 4,000 letters of it, around what was looked for.
    pub text: String,
    pub letters: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageText {
    pub lines: Vec<StageLine>,
    /// Lines of the staged bytes, and those that match.
    pub total: u64,
    pub matches: u64,
}

/// A piece of a text of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageWhole {
    pub text: String,
    /// Letters before it.
    pub offset: u64,
    /// Letters of the whole text.
    pub letters: u64,
    /// Where the next piece begins; null at the end.
    pub next: Option<u64>,
}

/// A piece of the staged file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageBytes {
    pub base64: String,
    /// Where the next one begins; null at the end.
    pub next: Option<u64>,
    pub bytes: u64,
    pub sha256: String,
}

/// A rule of the policy in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PolicyRule {
    /// `must_drop`, `must_mask` or `may_send`.
    pub kind: String,
    pub what: String,
}

/// A team's policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PolicySaid {
    pub path: String,
    pub team: Option<String>,
    pub rules: Vec<PolicyRule>,
    /// The most that may be told; null where the policy says nothing of it.
    pub level: Option<Level>,
    pub real_identities: bool,
    /// The filter of the clusters that it proposes.
    pub propose: Option<String>,
}

/// An approval of numbers and names in advance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Standing {
    pub destination: String,
    pub level: Level,
    pub since_micros: Micros,
    pub until_micros: Micros,
    /// Why it holds no longer; null while it does.
    pub void: Option<String>,
}

/// What holds for all stages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SharingRules {
    pub policy: Option<PolicySaid>,
    pub standing: Vec<Standing>,
    /// Destinations that something was staged for.
    pub destinations: Vec<String>,
    pub words: OwnWords,
}

/// Words that are secrets to whoever uses this Bobbin. They are not stored, only recognised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct OwnWords {
    pub count: u64,
}

/// What stands for what in shares with a destination. It never leaves this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct AliasMap {
    pub aliases: Vec<AliasOf>,
    pub total: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct AliasOf {
    pub alias: String,
    /// Null for what the store keeps sealed, such as code: it is recognised, and not written down again.
    pub real: Option<String>,
}
