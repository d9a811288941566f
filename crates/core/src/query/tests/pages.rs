//! What a cluster page shows.

use serde_json::json;

use crate::Error;
use crate::api::*;
use crate::model::Micros;
use crate::testing::*;

#[test]
fn a_cluster_page_shows_what_was_sent() {
    let bench = Bench::new();
    bench.at(30).send(batch(
        1,
        &[
            facts(0),
            sample(10, 4.0),
            sample(20, 24.0),
            group(20, "g1", 4.25),
            group(20, "g2", 1.0),
        ],
    ));
    bench.send(batch(8, &[
        computation(20, "c1", Some("def work(): ...")), computation(25, "c2", None), exception(20, "e1", 3), event(20),
        json!({"kind": "dropped", "at_micros": at(21), "what": "event", "count": 2, "reason": "queue_full"}),
        json!({"kind": "later"}), json!({"kind": "sample"}),
    ]));
    let app = &bench.app;
    let page = cluster_page(app);
    assert_eq!(
        page.facts.scheduler_address.as_deref(),
        Some("tcp://127.0.0.1:8786")
    );
    assert_eq!(page.facts.plugin_cost.beat_micros, Some(300));
    assert_eq!((page.seconds.compute, page.seconds.transfer), (5.25, 1.0));
    assert_eq!(
        (
            page.row.computations,
            page.row.exceptions,
            page.row.workers_peak
        ),
        (2, 1, 2)
    );
    assert_eq!(page.row.tasks["processing"], 3);
    let losses = page.losses;
    assert_eq!(
        (
            losses.missing_records,
            losses.refused_records,
            losses.kept_unknown,
            losses.conflicts
        ),
        (2, 1, 1, 0)
    );
    assert_eq!(losses.dropped_records["event"], 2);
    let line = timeline(
        app,
        TimelineRequest {
            id: 1,
            from_micros: None,
            to_micros: None,
            points: 0,
        },
    )
    .unwrap();
    assert_eq!(line.at_micros, [Micros(at(10)), Micros(at(20))]);
    assert_eq!(
        (
            line.tasks_processing[0],
            line.tasks_waiting[0],
            line.gaps.len()
        ),
        (3, 2, 1)
    );
    let groups = task_groups(app, TaskGroupsRequest { id: 1 }).unwrap();
    assert_eq!(
        (
            groups.total,
            groups.rows[0].group_id.as_str(),
            groups.rows[0].seconds.compute
        ),
        (2, "g1", 4.25)
    );
    let calls = computations(
        app,
        ComputationsRequest {
            id: 1,
            from_micros: None,
            to_micros: None,
            limit: 0,
            offset: 0,
        },
    )
    .unwrap();
    let ComputationCode::Frames { frames } = &calls.rows[0].code else {
        panic!("{:?}", calls.rows[0])
    };
    assert_eq!(
        (frames[0].code.as_str(), frames[0].line),
        ("def work(): ...", Some(7))
    );
    assert_eq!(calls.rows[0].seconds.compute, 4.25);
    assert_eq!(calls.rows[1].code, ComputationCode::NotCaptured);
    let failures = exceptions(app, ExceptionsRequest::default()).unwrap();
    assert_eq!(
        failures.rows[0].message,
        SealedText::Text {
            text: "canary-message".into()
        }
    );
    assert_eq!(
        (
            failures.rows[0].cluster_name.as_str(),
            failures.rows[0].count
        ),
        ("story", 3)
    );
    for (request, total) in [
        (
            ExceptionsRequest {
                id: Some(1),
                ..Default::default()
            },
            1,
        ),
        (
            ExceptionsRequest {
                user: Some("bob".into()),
                ..Default::default()
            },
            0,
        ),
        (
            ExceptionsRequest {
                from_micros: Some(Micros(at(21))),
                ..Default::default()
            },
            0,
        ),
    ] {
        assert_eq!(exceptions(app, request).unwrap().total, total);
    }
    let told = events(
        app,
        EventsRequest {
            id: 1,
            from_micros: None,
            to_micros: None,
            limit: 0,
            offset: 0,
        },
    )
    .unwrap();
    assert_eq!(
        told.rows[0].payload,
        SealedText::Text {
            text: r#"{"text":"canary-event"}"#.into()
        }
    );
    assert!(matches!(cluster_of(app, 9), Err(Error::NotFound { .. })));
}

#[test]
fn the_largest_prefix_is_that_of_all_groups_also_of_more_than_a_list_has() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0)]));
    assert_eq!(cluster_page(&bench.app).largest, None);
    let mut groups = vec![with(
        group(10, "one", 10.0),
        json!({"prefix": "sum", "states": {"memory": 1}}),
    )];
    // Each of them is too small to be listed.
    let small = json!({"states": {"memory": 1, "erred": 1, "waiting": 5}});
    groups.extend((0..2_100).map(|n| with(group(10, &format!("g{n}"), 0.01), small.clone())));
    bench.send(batch(2, &groups));
    let largest = cluster_page(&bench.app).largest.unwrap();
    assert_eq!((largest.prefix.as_str(), largest.tasks), ("inc", 4_200));
    assert!((largest.compute_seconds - 21.0).abs() < 1e-6);
    assert!((largest.share - 21.0 / 31.0).abs() < 1e-6);
}

fn cluster_page(app: &App) -> Cluster {
    cluster_of(app, 1).unwrap()
}

fn cluster_of(app: &App, id: i64) -> crate::Result<Cluster> {
    cluster(app, ClusterRequest { id })
}

#[test]
fn code_that_was_switched_off_is_said_to_be_off() {
    let bench = Bench::new();
    let switches = json!({"switches": {"code": false, "profile": false}});
    bench.send(batch(
        1,
        &[with(facts(0), switches), computation(20, "c1", None)],
    ));
    let calls = computations(
        &bench.app,
        ComputationsRequest {
            id: 1,
            from_micros: None,
            to_micros: None,
            limit: 0,
            offset: 0,
        },
    )
    .unwrap();
    assert_eq!(calls.rows[0].code, ComputationCode::Off);
}

#[test]
fn many_samples_become_few_points_that_keep_the_peaks() {
    let bench = Bench::new();
    let samples: Vec<_> = (0..1_000)
        .map(|second| {
            with(
                sample(second, second as f64),
                json!({"workers": if second == 777 { 50 } else { 2 }}),
            )
        })
        .collect();
    bench.send(batch(1, &samples));
    let ask = |from: Option<i64>, to: Option<i64>| TimelineRequest {
        id: 1,
        from_micros: from.map(|second| Micros(at(second))),
        to_micros: to.map(|second| Micros(at(second))),
        points: 100,
    };
    let line = timeline(&bench.app, ask(None, None)).unwrap();
    assert_eq!(
        (line.at_micros.len(), line.workers.iter().max()),
        (100, Some(&50))
    );
    assert!(line.at_micros.is_sorted());
    let part = timeline(&bench.app, ask(Some(100), Some(150))).unwrap();
    assert_eq!(
        (part.at_micros.len(), part.at_micros[0]),
        (50, Micros(at(100)))
    );
    assert!(
        timeline(&bench.app, ask(Some(5_000), None))
            .unwrap()
            .at_micros
            .is_empty()
    );
}
