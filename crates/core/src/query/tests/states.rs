//! Running, stalled, idle, lost, finished.

use serde_json::json;

use crate::Error;
use crate::api::*;
use crate::model::{ClusterState, Micros};
use crate::testing::*;

fn state(bench: &Bench, seconds: i64) -> (ClusterState, String) {
    bench.at(seconds);
    let row = find_cluster(&bench.app, "story").unwrap();
    (row.state, row.state_evidence)
}

#[test]
fn a_lost_cluster_is_over_where_a_reader_says_so_until_it_is_heard_again() {
    let bench = Bench::new();
    bench.at(10).send(batch(1, &[facts(0), sample(10, 1.0)]));
    let say = |finished: bool| {
        let request = MarkRequest {
            ids: vec![1],
            finished: Some(finished),
            ..MarkRequest::default()
        };
        mark_clusters(&bench.app, request)
    };
    let listed = |text: &str| {
        let request = ClustersRequest {
            text: Some(text.into()),
            ..ClustersRequest::default()
        };
        clusters(&bench.app, request).unwrap().total
    };
    // One that reports is not over.
    let error = say(true).unwrap_err();
    assert!(
        matches!(&error, Error::Invalid { value, .. } if value == "finished: [1]"),
        "{error}"
    );

    assert_eq!(state(&bench, 100).0, ClusterState::Lost);
    say(true).unwrap();
    let (over, evidence) = state(&bench, 200);
    assert_eq!(over, ClusterState::Finished);
    assert_eq!(
        evidence,
        "marked as finished by hand; last report 3 min 10 s ago"
    );
    let row = find_cluster(&bench.app, "story").unwrap();
    assert_eq!(
        (row.finished_by_hand, row.stopped_micros),
        (true, Some(Micros(at(10))))
    );
    assert_eq!((listed("state:finished"), listed("state:lost")), (1, 0));
    let question = OverviewRequest {
        from_micros: Some(Micros(at(0))),
        to_micros: Some(Micros(at(200))),
        edges: Vec::new(),
        by: None,
        cells: Vec::new(),
    };
    let answers = overview(&bench.app, question).unwrap().answers;
    assert!(
        answers
            .iter()
            .any(|answer| answer.answer == "Yes, the only cluster finished"),
        "{answers:?}"
    );

    // It can be taken back, and said again.
    say(false).unwrap();
    assert_eq!(state(&bench, 200).0, ClusterState::Lost);
    say(true).unwrap();
    // One that reports again lives, and a later silence is another one.
    bench.at(210).send(batch(3, &[sample(210, 2.0)]));
    assert_eq!(state(&bench, 211).0, ClusterState::Running);
    let (lost, _) = state(&bench, 400);
    assert_eq!(lost, ClusterState::Lost);
    assert!(!find_cluster(&bench.app, "story").unwrap().finished_by_hand);
    // A goodbye that comes after all is its own.
    say(true).unwrap();
    bench.at(410).send(batch(4, &[stop(220)]));
    let (over, evidence) = state(&bench, 900);
    assert_eq!(
        (over, &*evidence),
        (ClusterState::Finished, "its scheduler shut down")
    );
}

#[test]
fn a_cluster_runs_idles_is_lost_comes_back_and_finishes() {
    let bench = Bench::new();
    bench.at(10).send(batch(1, &[facts(0), sample(10, 1.0)]));
    assert_eq!(
        state(&bench, 12),
        (ClusterState::Running, "last report 2 s ago".into())
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
        "no report for 31 s, expected every 10 s; no shutdown was reported"
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
        (ClusterState::Finished, "its scheduler shut down".into())
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
fn of_many_that_are_alive_all_are_counted_and_the_forgotten_one_is_named() {
    let bench = Bench::new();
    bench.at(70);
    for n in 0..60 {
        let id = format!("s{n}");
        let facts = with(
            facts(n),
            json!({"name": format!("run {n}"), "started_micros": at(n)}),
        );
        let idle_since = (n == 0).then(|| at(1));
        let sample = with(sample(70, 1.0), json!({"idle_since_micros": idle_since}));
        bench.send(batch_of(&id, "i", 1, &[facts, sample]));
    }
    let told = overview(
        &bench.app,
        OverviewRequest {
            from_micros: None,
            to_micros: None,
            edges: Vec::new(),
            by: None,
            cells: Vec::new(),
        },
    )
    .unwrap();
    let names: Vec<_> = told.live.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), 50);
    assert_eq!(
        (names[0], names[48], names[49]),
        ("run 59", "run 11", "run 0")
    );
    assert_eq!((told.live_total, told.live_priced), (60, 60));
    let of_one = told.burning[0].unwrap();
    assert_eq!(
        told.live_burning.unwrap().high_nanos,
        of_one.high_nanos * 60
    );
    let last = &told.answers[4];
    assert!(last.answer.starts_with("run 0 has had"), "{last:?}");
    assert!(last.because.ends_with("; 60 running in total"), "{last:?}");
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

/// Eight tasks are on workers, of a group whose tasks take two seconds.
fn at_work(seconds: i64, ended: i64, same_stacks: Option<bool>) -> serde_json::Value {
    let stall = json!({"limit_micros": 60 * SECOND, "same_stacks": same_stacks, "group_id": "g1"});
    with(
        sample(seconds, 1.0),
        json!({"tasks": {"processing": 8}, "last_completed_micros": at(ended), "stall": stall}),
    )
}

#[test]
fn a_cluster_at_work_whose_tasks_do_not_end_is_stalled() {
    let bench = Bench::new();
    let durations = json!({"durations": {
        "count": 9, "mean_seconds": 1.0, "std_seconds": 0.5, "p50_seconds": 1.0, "p95_seconds": 2.0, "max_seconds": 2.5,
    }});
    let slow = with(group(10, "g1", 9.0), durations);
    bench
        .at(10)
        .send(batch(1, &[facts(0), slow, at_work(10, 9, None)]));
    assert_eq!(state(&bench, 12).0, ClusterState::Running);
    bench.at(60).send(batch(4, &[at_work(60, 9, None)]));
    assert_eq!(state(&bench, 65).0, ClusterState::Running);
    // A minute after the last task ended, whether or not a sample has come since.
    assert_eq!(
        state(&bench, 70),
        (
            ClusterState::Stalled,
            "no task finished for 1 min 1 s; 8 are running, the slowest group usually takes 2 s (p95)".into()
        )
    );
    let row = find_cluster(&bench.app, "story").unwrap();
    assert_eq!(row.last_completed_micros, Some(Micros(at(9))));
    assert_eq!(row.since_completed_micros, Some(61 * SECOND));
    let found = |states| {
        let request = ClustersRequest {
            states,
            ..Default::default()
        };
        clusters(&bench.app, request).unwrap().total
    };
    assert_eq!(found(vec![ClusterState::Stalled]), 1);
    assert_eq!(found(vec![ClusterState::Running, ClusterState::Idle]), 0);
    let shown = overview(
        &bench.app,
        OverviewRequest {
            from_micros: None,
            to_micros: None,
            edges: Vec::new(),
            by: None,
            cells: Vec::new(),
        },
    );
    assert_eq!(shown.unwrap().live[0].state, ClusterState::Stalled);

    // The stacks move: long tasks, and nothing is wrong.
    bench.at(75).send(batch(5, &[at_work(75, 9, Some(false))]));
    assert_eq!(state(&bench, 76).0, ClusterState::Running);
    bench.at(80).send(batch(6, &[at_work(80, 9, Some(true))]));
    let (stalled, evidence) = state(&bench, 81);
    assert_eq!(stalled, ClusterState::Stalled);
    assert!(
        evidence.ends_with("; the workers' stacks have not changed"),
        "{evidence}"
    );
    // A task ended.
    bench.at(90).send(batch(7, &[at_work(90, 88, Some(true))]));
    assert_eq!(state(&bench, 91).0, ClusterState::Running);
    // Silence is worse than a stall.
    assert_eq!(state(&bench, 300).0, ClusterState::Lost);
    assert_eq!(
        find_cluster(&bench.app, "story")
            .unwrap()
            .since_completed_micros,
        None
    );
}

#[test]
fn work_that_came_after_a_pause_is_not_stalled_for_the_length_of_the_pause() {
    let bench = Bench::new();
    bench
        .at(10)
        .send(batch(1, &[facts(0), at_work(10, 9, None)]));
    let resting = json!({"idle_since_micros": at(20), "last_completed_micros": at(20)});
    bench
        .at(3_000)
        .send(batch(3, &[with(sample(3_000, 1.0), resting)]));
    assert_eq!(state(&bench, 3_001).0, ClusterState::Idle);
    bench.at(3_010).send(batch(4, &[at_work(3_010, 20, None)]));
    assert_eq!(state(&bench, 3_011).0, ClusterState::Running);
    bench.at(3_070).send(batch(5, &[at_work(3_070, 20, None)]));
    assert_eq!(state(&bench, 3_071).0, ClusterState::Stalled);
    // A plugin that was started anew knows nothing of the tasks before.
    let anew = with(
        at_work(3_100, 20, None),
        json!({"last_completed_micros": null}),
    );
    bench
        .at(3_100)
        .send(batch_of("Scheduler-1", "j", 1, &[anew]));
    assert_eq!(state(&bench, 3_101).0, ClusterState::Running);
}
