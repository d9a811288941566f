//! Where a cluster's record was read from, where no plugin of ours sent it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The kind of a file of other programs that a cluster was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SourceFormat {
    /// The HTML that `distributed.performance_report` writes.
    PerformanceReport,
    /// What `Client.dump_cluster_state` writes.
    ClusterDump,
    /// A profile as speedscope reads it.
    Speedscope,
    /// A profile of one line a stack: frames, and how often they were seen.
    FoldedStacks,
}

impl SourceFormat {
    /// As it is stored, and as the ids begin that are made of a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::PerformanceReport => "performance_report",
            Self::ClusterDump => "cluster_dump",
            Self::Speedscope => "speedscope",
            Self::FoldedStacks => "folded_stacks",
        }
    }

    /// What [`SourceFormat::word`] wrote.
    pub fn of_word(word: &str) -> Option<Self> {
        [
            Self::PerformanceReport,
            Self::ClusterDump,
            Self::Speedscope,
            Self::FoldedStacks,
        ]
        .into_iter()
        .find(|format| format.word() == word)
    }
}
