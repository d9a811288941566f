//! The state of a cluster as an expression of SQL over `cluster_total as t`: the one rule of lists, filters and pages.

use std::sync::LazyLock;

use crate::model::ClusterState;

/// For how long no task ended while work was assigned: by the scheduler's clock until its last sample, by this machine's
/// since.
const QUIET: &str = "t.sample_at_micros - max(coalesce(t.last_completed_micros, 0), coalesce(t.unassigned_at_micros, 0), \
    coalesce(t.instance_at_micros, 0)) + max(:now - t.last_heard_micros, 0)";
const SILENT: &str = "t.stop_at_micros is null and t.silent_after_micros < :now";
/// Said by a reader, since it was heard last.
const MARKED: &str = "coalesce(t.finished_mark_micros >= t.last_heard_micros, false)";
const ALIVE: &str = "t.stop_at_micros is null and t.silent_after_micros >= :now";

/// All states, with the word that stands for each in SQL.
const WORDS: [(ClusterState, &str); 5] = [
    (ClusterState::Finished, "finished"),
    (ClusterState::Lost, "lost"),
    (ClusterState::Idle, "idle"),
    (ClusterState::Stalled, "stalled"),
    (ClusterState::Running, "running"),
];

/// Whether a cluster is in a state: each is in just one.
pub(super) fn is(state: ClusterState) -> String {
    let busy = format!("{ALIVE} and t.idle_since_micros is null");
    let stalls = format!(
        "coalesce(t.stall_limit_micros is not null and t.stall_same_stacks is not false and {QUIET} > t.stall_limit_micros, \
         false)"
    );
    match state {
        ClusterState::Finished => {
            format!("(t.stop_at_micros is not null or ({SILENT} and {MARKED}))")
        }
        ClusterState::Lost => format!("({SILENT} and not {MARKED})"),
        ClusterState::Idle => format!("({ALIVE} and t.idle_since_micros is not null)"),
        ClusterState::Stalled => format!("({busy} and {stalls})"),
        ClusterState::Running => format!("({busy} and not {stalls})"),
    }
}

/// The rows of clusters, with the state of each and for how long it has been quiet.
pub(super) static CLUSTER_ROWS: LazyLock<String> = LazyLock::new(|| {
    with_state(include_str!("cluster_rows.sql")).replace("'{quiet}'", &format!("({QUIET})"))
});

/// The clusters that are alive, with the state of each.
pub(super) static CLUSTERS_LIVE: LazyLock<String> =
    LazyLock::new(|| with_state(include_str!("clusters_live.sql")));

/// A question of which a column is the word for the state.
fn with_state(sql: &str) -> String {
    let whens: Vec<String> = WORDS
        .iter()
        .map(|(state, word)| format!("when {} then '{word}'", is(*state)))
        .collect();
    sql.replace("'{state}'", &format!("case {} end", whens.join(" ")))
}

/// The state that a word of these stands for.
pub(super) fn read(word: &str) -> ClusterState {
    WORDS
        .iter()
        .find(|(_, known)| *known == word)
        .map_or(ClusterState::Running, |(state, _)| *state)
}
