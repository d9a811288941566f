//! What is kept for how long.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What is removed by itself once it is old enough. Totals, groups, computations, spans, metrics and workers' lives belong
/// to none: they stay for as long as their cluster does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RetentionCategory {
    /// Stacks, and the lines of source that only they need.
    Profiles,
    /// Code of computations, lines of source, and what came for a later version to read.
    Code,
    /// Messages, tracebacks and details. Type, function, group, times and counts stay.
    Exceptions,
    /// Events with their payloads.
    Events,
    /// Samples, of which charts over time are drawn. The last one of each instance stays, and all totals.
    Samples,
}

impl RetentionCategory {
    /// In the order in which room is made: the largest and least missed first.
    pub const ALL: [Self; 5] = [
        Self::Profiles,
        Self::Events,
        Self::Code,
        Self::Exceptions,
        Self::Samples,
    ];

    /// As it is stored and typed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Profiles => "profiles",
            Self::Code => "code",
            Self::Exceptions => "exceptions",
            Self::Events => "events",
            Self::Samples => "samples",
        }
    }

    /// The category of a stored word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }
}

/// What is kept for how long. Pinned clusters are exempt from all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RetentionRules {
    /// How large the store may be; null is without limit.
    pub cap_bytes: Option<u64>,
    /// Days after which each category goes; null is never.
    pub profiles_days: Option<u32>,
    pub code_days: Option<u32>,
    pub exceptions_days: Option<u32>,
    pub events_days: Option<u32>,
    pub samples_days: Option<u32>,
}

impl Default for RetentionRules {
    /// The rules until somebody sets others.
    fn default() -> Self {
        Self {
            cap_bytes: Some(5 << 30),
            profiles_days: Some(30),
            code_days: Some(90),
            exceptions_days: Some(90),
            events_days: Some(90),
            samples_days: Some(365),
        }
    }
}

impl RetentionRules {
    /// A smaller store would have no room for what is coming in.
    pub const SMALLEST_CAP_BYTES: u64 = 16 << 20;
    /// A thousand years are for ever.
    pub const MOST_DAYS: u32 = 365_000;

    /// After how many days a category goes.
    pub fn days(&self, category: RetentionCategory) -> Option<u32> {
        match category {
            RetentionCategory::Profiles => self.profiles_days,
            RetentionCategory::Code => self.code_days,
            RetentionCategory::Exceptions => self.exceptions_days,
            RetentionCategory::Events => self.events_days,
            RetentionCategory::Samples => self.samples_days,
        }
    }
}
