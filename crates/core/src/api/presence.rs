//! What the tray tells in a few lines.

use super::App;
use super::burning::burning;
use crate::Result;
use crate::insight::words::{ago, count};
use crate::model::ClusterState;
use crate::query;

/// How many clusters are alive, what they cost, and when one was last heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presence {
    /// `2 clusters running, 1 stalled, 1 idle`.
    pub clusters: String,
    /// Those that are alive and what each does, newest first.
    pub alive: Vec<(i64, ClusterState)>,
    /// `≈ 0.02–0.15 € an hour`; nothing where none that is alive has a price.
    pub burning: Option<String>,
    /// `Last task 12 min ago`: of the cluster that worked last; nothing where none that is alive has finished a task.
    pub worked: Option<String>,
    /// `Last report 5 s ago`.
    pub last: String,
}

/// What there is to tell of the clusters now.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub fn presence(app: &App) -> Result<Presence> {
    let now = app.now();
    let (facts, alive, burning) = app.read(|db| {
        let alive = query::alive(db, now, &query::Counted::own(db)?)?;
        let burning = burning(db, alive.iter().map(|one| one.id))?;
        Ok((query::store_facts(db)?, alive, burning.sum()))
    })?;
    let of = |state| alive.iter().filter(|one| one.state == state).count() as u64;
    let mut clusters = match of(ClusterState::Running) {
        0 => "No cluster running".into(),
        running => format!("{} running", count(running, "cluster", "clusters")),
    };
    for (state, word) in [
        (ClusterState::Stalled, "stalled"),
        (ClusterState::Idle, "idle"),
    ] {
        if let number @ 1.. = of(state) {
            clusters += &format!(", {number} {word}");
        }
    }
    let quiet = alive.iter().filter_map(|one| one.quiet_micros).min();
    Ok(Presence {
        clusters,
        alive: alive.iter().map(|one| (one.id, one.state)).collect(),
        burning,
        worked: quiet.map(|quiet| format!("Last task {}", ago(quiet))),
        last: facts.last_batch.map_or("No report yet".into(), |at| {
            format!("Last report {}", ago(now.0 - at.0))
        }),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::*;

    fn lines(bench: &Bench) -> Vec<String> {
        let told = presence(&bench.app).unwrap();
        [
            Some(told.clusters),
            told.burning,
            told.worked,
            Some(told.last),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    #[test]
    fn the_tray_counts_what_is_alive_and_what_it_costs() {
        let bench = Bench::new();
        assert_eq!(lines(&bench), ["No cluster running", "No report yet"]);
        bench.send(batch(1, &[facts(0), sample(0, 1.0)]));
        let one = presence(&bench.app).unwrap().burning.unwrap();
        assert_eq!(one, "≈ 0.002–0.019 € an hour");
        assert!(lines(&bench).contains(&"Last report just now".into()));
        let idle = with(sample(0, 1.0), json!({"idle_since_micros": at(0)}));
        bench.send(batch_of("Scheduler-2", "j", 1, &[facts(0), idle]));
        bench.at(5);
        assert_eq!(
            lines(&bench),
            [
                "1 cluster running, 1 idle",
                "≈ 0.005–0.038 € an hour",
                "Last report 5 s ago"
            ]
        );
        bench.at(3_600);
        assert_eq!(lines(&bench), ["No cluster running", "Last report 1 h ago"]);
    }

    #[test]
    fn the_tray_tells_a_stalled_cluster_from_a_running_one_and_when_a_task_last_ended() {
        let bench = Bench::new();
        let stuck = json!({
            "tasks": {"processing": 8}, "last_completed_micros": at(5),
            "stall": {"limit_micros": 60_000_000, "same_stacks": null, "group_id": "g1"},
        });
        bench
            .at(70)
            .send(batch(1, &[facts(0), with(sample(70, 1.0), stuck)]));
        bench.at(75);
        let told = presence(&bench.app).unwrap();
        assert_eq!(told.clusters, "No cluster running, 1 stalled");
        assert_eq!(told.alive, [(1, ClusterState::Stalled)]);
        assert_eq!(told.worked.as_deref(), Some("Last task 1 min 10 s ago"));
    }
}
