//! The state of a cluster, as a person would say it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a cluster is doing, derived at reading time from its last batch and never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ClusterState {
    /// It reports, and tasks are assigned or were finished since the beat before.
    Running,
    /// It reports, tasks are assigned, and for too long none has ended.
    Stalled,
    /// It reports, and there is nothing to do.
    Idle,
    /// Its scheduler said that it was closing.
    Finished,
    /// It has been silent for three intervals without saying goodbye.
    Lost,
}

/// Whose failure an exception is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ExceptionOrigin {
    /// The user's function raised.
    User,
    /// Dask gave up, such as `KilledWorker`.
    Dask,
}

impl ExceptionOrigin {
    /// The word for it in the store.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Dask => "dask",
        }
    }

    /// What a word of the store stands for. It lets no third one in.
    pub fn of_word(word: &str) -> Self {
        match word {
            "user" => Self::User,
            _ => Self::Dask,
        }
    }
}
