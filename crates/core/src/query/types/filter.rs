//! Completion of the typed filter.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A filter that is being typed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct CompleteRequest {
    pub text: String,
    /// Where the caret stands, in letters (code points) from 0.
    pub caret: u32,
    /// Days are cut by the rules of this zone, such as `Europe/Berlin`; empty is UTC.
    pub time_zone: String,
}

dto! {
/// What could stand in the place of the word at the caret.
pub struct Completion {
    /// The word's place, in letters: from, and one after the last.
    pub from: u32,
    pub to: u32,
    pub options: Vec<CompletionOption>,
    /// Whether there are more than these.
    pub truncated: bool,
    /// Why the text as it stands is no filter; null where it is one.
    pub problem: Option<String>,
}
}

dto! {
pub struct CompletionOption {
    /// What to put there. A key ends with its sign, and a value follows.
    pub text: String,
    /// What it means; empty where the text says it.
    pub means: String,
    /// How many clusters of those that the rest of the filter leaves; null for a key.
    pub clusters: Option<u64>,
}
}
