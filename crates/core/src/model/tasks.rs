//! Tasks by state and seconds by activity.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Number of tasks by Dask's own state name (`waiting`, `processing`, `memory`, `erred`, `released`, `forgotten`, …).
/// A state that this version of Dask does not have is absent, which is not the same as zero.
pub type TaskStates = BTreeMap<String, u64>;

/// Tasks of all states.
pub(crate) fn total(states: &TaskStates) -> u64 {
    states.values().fold(0, |sum, n| sum.saturating_add(*n))
}

/// Tasks that have been worked on; the rest is still to come.
pub(crate) fn done(states: &TaskStates) -> u64 {
    ["memory", "released", "forgotten", "erred"]
        .iter()
        .filter_map(|state| states.get(*state))
        .fold(0, |sum, n| sum.saturating_add(*n))
}

/// Seconds that workers spent, summed over tasks, by the activity names of Dask's `TaskGroup.all_durations`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Activities {
    /// Running the user's functions.
    pub compute: f64,
    /// Moving data between workers.
    pub transfer: f64,
    /// Reading spilled data back.
    pub disk_read: f64,
    /// Spilling data to disk.
    pub disk_write: f64,
    /// Unpickling functions and their arguments.
    pub deserialize: f64,
    /// Activities that this version of Bobbin does not know by name.
    pub other: f64,
}
