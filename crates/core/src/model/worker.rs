//! What happens to a worker.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One step in the life of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum WorkerChange {
    Joined,
    Left,
    /// Its nanny started it again.
    Restarted,
    /// It takes no tasks: its memory is nearly full.
    Paused,
    Resumed,
    /// Its nanny ended it, for its memory or because it did not answer.
    Killed,
}

/// What a worker is doing, by the last that was heard of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum WorkerState {
    Running,
    Paused,
    /// It left or was killed.
    Gone,
}

impl WorkerChange {
    /// As it is stored and sent.
    pub fn word(self) -> &'static str {
        match self {
            WorkerChange::Joined => "joined",
            WorkerChange::Left => "left",
            WorkerChange::Restarted => "restarted",
            WorkerChange::Paused => "paused",
            WorkerChange::Resumed => "resumed",
            WorkerChange::Killed => "killed",
        }
    }

    /// What [`WorkerChange::word`] wrote.
    pub fn from_word(word: &str) -> Option<Self> {
        [
            WorkerChange::Joined,
            WorkerChange::Left,
            WorkerChange::Restarted,
            WorkerChange::Paused,
            WorkerChange::Resumed,
            WorkerChange::Killed,
        ]
        .into_iter()
        .find(|change| change.word() == word)
    }

    /// What the worker does afterwards.
    pub fn state(self) -> WorkerState {
        match self {
            WorkerChange::Joined | WorkerChange::Restarted | WorkerChange::Resumed => {
                WorkerState::Running
            }
            WorkerChange::Paused => WorkerState::Paused,
            WorkerChange::Left | WorkerChange::Killed => WorkerState::Gone,
        }
    }
}
