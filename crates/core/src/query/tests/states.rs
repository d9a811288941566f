//! Running, idle, lost, finished.

use serde_json::json;

use crate::api::*;
use crate::model::{ClusterState, Micros};
use crate::testing::*;

fn state(bench: &Bench, seconds: i64) -> (ClusterState, String) {
    bench.at(seconds);
    let row = find_cluster(&bench.app, "story").unwrap();
    (row.state, row.state_evidence)
}

#[test]
fn a_cluster_runs_idles_is_lost_comes_back_and_finishes() {
    let bench = Bench::new();
    bench.at(10).send(batch(1, &[facts(0), sample(10, 1.0)]));
    assert_eq!(
        state(&bench, 12),
        (ClusterState::Running, "reported 2 s ago".into())
    );
    bench.at(20).send(batch(
        3,
        &[with(sample(20, 1.0), json!({"idle_since_micros": at(15)}))],
    ));
    assert_eq!(
        state(&bench, 21),
        (ClusterState::Idle, "nothing to do for 6 s".into())
    );
    assert_eq!(state(&bench, 50).0, ClusterState::Idle);
    let (lost, evidence) = state(&bench, 51);
    assert_eq!(lost, ClusterState::Lost);
    assert_eq!(
        evidence,
        "silent for 31 s, though it reported every 10 s; it never said goodbye"
    );
    assert_eq!(
        find_cluster(&bench.app, "story").unwrap().stopped_micros,
        Some(Micros(at(20)))
    );
    bench.at(60).send(batch(4, &[sample(60, 2.0)]));
    assert_eq!(state(&bench, 61).0, ClusterState::Running);
    bench.at(70).send(batch(5, &[stop(70)]));
    assert_eq!(
        state(&bench, 900),
        (ClusterState::Finished, "its scheduler said goodbye".into())
    );
    assert_eq!(
        find_cluster(&bench.app, "story").unwrap().stopped_micros,
        Some(Micros(at(70)))
    );
    // The plugin was started anew in the same scheduler: the goodbye of the old one no longer counts.
    bench
        .at(910)
        .send(batch_of("Scheduler-1", "j", 1, &[sample(905, 0.5)]));
    assert_eq!(state(&bench, 911).0, ClusterState::Running);
    assert_eq!(
        find_cluster(&bench.app, "story").unwrap().compute_seconds,
        2.5
    );
}

#[test]
fn a_finished_cluster_keeps_the_workers_that_it_shut_down() {
    let bench = Bench::new();
    let before = json!({
        "workers": 2, "threads": 4, "memory_limit_bytes": 8_000, "memory_used_bytes": 500, "tasks": {"memory": 7},
    });
    let after = json!({
        "workers": 0, "threads": 0, "memory_limit_bytes": 0, "memory_used_bytes": 0, "tasks": {"waiting": 7},
    });
    bench.at(20).send(batch(1, &[facts(0)]));
    bench.send(batch(
        2,
        &[with(sample(10, 1.0), before), with(sample(20, 2.0), after)],
    ));
    let shown = || {
        let row = find_cluster(&bench.app, "story").unwrap();
        let memory = (row.memory_limit_bytes, row.memory_used_bytes);
        let tasks: Vec<_> = row.tasks.into_iter().collect();
        (row.workers, row.threads, memory, tasks)
    };
    let tasks = |state: &str| vec![(state.to_owned(), 7)];
    assert_eq!(shown(), (0, 0, (Some(0), Some(0)), tasks("waiting")));
    bench.send(batch(4, &[stop(21)]));
    assert_eq!(shown(), (2, 4, (Some(8_000), Some(500)), tasks("memory")));
}

#[test]
fn a_short_interval_still_gives_three_seconds_of_patience() {
    let bench = Bench::new();
    bench.at(0).send(batch(
        1,
        &[
            with(facts(0), json!({"interval_micros": 200_000})),
            sample(0, 1.0),
        ],
    ));
    assert_eq!(state(&bench, 3).0, ClusterState::Running);
    assert_eq!(state(&bench, 4).0, ClusterState::Lost);
}
