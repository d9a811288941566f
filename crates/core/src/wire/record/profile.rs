//! The statistical profile, as flat tables: nested ones are deeper than JSON readers allow.

use serde::{Deserialize, Serialize};

use crate::model::Micros;

/// What the threads of all workers were doing in an interval. Those of one instance and prefix do not overlap, and no sample
/// is in two of them: they can be added up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfileRecord {
    pub at_micros: Micros,
    pub from_micros: Micros,
    pub to_micros: Micros,
    /// Null: not split by prefix.
    #[serde(default)]
    pub prefix: Option<String>,
    /// How often a thread with a task was looked at.
    pub samples: u64,
    /// What one sample stands for.
    pub sample_micros: i64,
    /// Samples whose stack is not told.
    #[serde(default)]
    pub unattributed: u64,
    /// The texts of `frames`.
    pub strings: Vec<String>,
    pub frames: ProfileFrames,
    pub stacks: ProfileStacks,
    pub leaves: ProfileLeaves,
    /// None of a plugin that counts no lines, or where code is off.
    #[serde(default, skip_serializing_if = "ProfileLines::is_empty")]
    pub lines: ProfileLines,
}

/// Functions, as columns of one length; texts by their place in `strings`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileFrames {
    pub name: Vec<u32>,
    pub file: Vec<u32>,
    /// The first line of the function: with name and file it tells functions apart.
    pub line: Vec<Option<u32>>,
    /// The line of source that was running when it was first seen.
    pub text: Vec<Option<u32>>,
}

/// Stacks, each a frame on top of another stack that comes before it; -1 is the bottom.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileStacks {
    pub parent: Vec<i32>,
    pub frame: Vec<u32>,
}

/// Samples by line of code, as columns of one length. Those of one function are at most those of the function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileLines {
    /// The function, by its place in `frames`.
    pub frame: Vec<u32>,
    /// Null: all other lines of the function.
    pub line: Vec<Option<u32>>,
    /// What the line says, by its place in `strings`.
    pub text: Vec<Option<u32>>,
    /// Samples that ended at the line.
    pub ended: Vec<u64>,
    /// Samples that were at the line, or in what it called. Of a function that calls itself: where it is outermost.
    pub samples: Vec<u64>,
}

impl ProfileLines {
    pub(crate) fn is_empty(&self) -> bool {
        self.frame.is_empty()
    }
}

/// How many samples ended in which stack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileLeaves {
    pub stack: Vec<u32>,
    pub count: Vec<u64>,
}
