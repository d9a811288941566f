//! Spans, fine metrics, topics, and what a group tells of its single tasks.

use serde_json::json;

use crate::api::*;
use crate::model::{MetricKind, Micros};
use crate::testing::*;

#[test]
fn a_span_sums_its_own_groups() {
    let bench = Bench::new();
    let child = json!({"parent_id": "outer", "name": "inner", "tags": ["outer", "inner"], "start_micros": at(5)});
    bench.send(batch(
        1,
        &[
            facts(0),
            group(10, "g1", 4.0),
            group(10, "g2", 2.0),
            span(20, "outer", &["g1", "g2", "nobody"]),
            with(span(30, "inner", &["g2"]), child),
            with(
                span(20, "empty", &[]),
                json!({"start_micros": null, "stop_micros": null, "enqueued_micros": null}),
            ),
        ],
    ));
    // Late and older: the later stands.
    bench.send(batch(
        7,
        &[with(span(15, "outer", &[]), json!({"name": "old"}))],
    ));
    let list = spans(
        &bench.app,
        SpansRequest {
            id: 1,
            ..SpansRequest::default()
        },
    )
    .unwrap();
    let ids: Vec<_> = list.rows.iter().map(|row| row.span_id.as_str()).collect();
    assert_eq!((ids, list.total), (vec!["empty", "inner", "outer"], 3));
    let (empty, inner, outer) = (&list.rows[0], &list.rows[1], &list.rows[2]);
    assert_eq!(
        (
            outer.seconds.compute,
            outer.seconds.transfer,
            outer.result_bytes
        ),
        (6.0, 1.0, 200)
    );
    assert_eq!((outer.states["memory"], outer.name.as_str()), (20, "outer"));
    assert_eq!(
        (inner.seconds.compute, inner.parent_id.as_deref()),
        (2.0, Some("outer"))
    );
    assert_eq!(inner.tags, ["outer", "inner"]);
    assert_eq!(
        (
            empty.seconds.compute,
            empty.states.len(),
            empty.start_micros
        ),
        (0.0, 0, None)
    );
    let page = spans(
        &bench.app,
        SpansRequest {
            id: 1,
            limit: 1,
            offset: 1,
            ..SpansRequest::default()
        },
    )
    .unwrap();
    assert_eq!(
        (page.rows[0].span_id.as_str(), page.truncated),
        ("inner", true)
    );
}

#[test]
fn spans_are_those_of_a_time_and_of_a_group() {
    let bench = Bench::new();
    let still = json!({"start_micros": at(40), "stop_micros": null});
    bench.send(batch(
        1,
        &[
            facts(0),
            span(20, "early", &["g1"]),
            with(
                span(30, "late", &["g1", "g2"]),
                json!({"start_micros": at(25)}),
            ),
            with(span(50, "open", &["g2"]), still),
            with(
                span(50, "planned", &["g2"]),
                json!({"start_micros": null, "stop_micros": null}),
            ),
        ],
    ));
    let ask = |from: Option<i64>, to: Option<i64>, group: Option<&str>| {
        let list = spans(
            &bench.app,
            SpansRequest {
                id: 1,
                from_micros: from.map(|s| Micros(at(s))),
                to_micros: to.map(|s| Micros(at(s))),
                group_id: group.map(Into::into),
                ..SpansRequest::default()
            },
        )
        .unwrap();
        assert_eq!(list.rows.len() as u64, list.total);
        let mut ids: Vec<_> = list.rows.into_iter().map(|row| row.span_id).collect();
        ids.sort();
        ids.join(" ")
    };
    assert_eq!(ask(None, None, None), "early late open planned");
    assert_eq!(ask(Some(21), Some(35), None), "late");
    assert_eq!(ask(Some(45), None, None), "open");
    assert_eq!(ask(None, Some(10), None), "early");
    assert_eq!(ask(None, None, Some("g1")), "early late");
    assert_eq!(ask(Some(21), None, Some("g2")), "late open");
    assert_eq!(ask(None, None, Some("g")), "");
}

#[test]
fn the_latest_value_of_a_metric_stands_and_the_words_filter() {
    let bench = Bench::new();
    let sent =
        json!({"unit": "bytes", "activity": "memory-read", "prefix": null, "context": "get-data"});
    bench.send(batch(
        1,
        &[
            metric(10, Some("s1"), "thread-cpu", 3.0),
            metric(20, Some("s1"), "thread-cpu", 5.0),
            metric(15, Some("s1"), "thread-cpu", 4.0),
            metric(20, None, "thread-cpu", 7.0),
            with(metric(20, None, "", 900.0), sent),
        ],
    ));
    let ask = |span: Option<&str>, prefix: Option<&str>| {
        let request = MetricsRequest {
            id: 1,
            span_id: span.map(Into::into),
            prefix: prefix.map(Into::into),
        };
        let list = metrics(&bench.app, request).unwrap();
        assert_eq!(list.rows.len() as u64, list.total);
        list.rows
            .into_iter()
            .map(|row| (row.span_id, row.prefix, row.kind, row.unit, row.value))
            .collect::<Vec<_>>()
    };
    let (s1, inc, seconds) = (
        Some("s1".to_owned()),
        Some("inc".to_owned()),
        "seconds".to_owned(),
    );
    assert_eq!(
        ask(None, None),
        [
            (None, None, MetricKind::Other, "bytes".into(), 900.0),
            (None, inc.clone(), MetricKind::Cpu, seconds.clone(), 7.0),
            (
                s1.clone(),
                inc.clone(),
                MetricKind::Cpu,
                seconds.clone(),
                5.0
            ),
        ]
    );
    assert_eq!(
        ask(Some("s1"), None),
        [(s1, inc, MetricKind::Cpu, seconds, 5.0)]
    );
    assert_eq!(ask(None, Some("inc")).len(), 2);
    assert!(ask(None, Some("nobody")).is_empty());
    let summed = |prefix: Option<&str>| {
        let request = ActivityRequest {
            id: 1,
            by: ActivityBy::Span,
            prefix: prefix.map(Into::into),
        };
        let found = activity(&bench.app, request).unwrap();
        let bytes: f64 = found.sums.iter().map(|sum| sum.bytes).sum();
        (found.total, found.seconds, bytes)
    };
    assert_eq!(summed(None), (2, 12.0, 900.0));
    assert_eq!(summed(Some("inc")), (2, 12.0, 0.0));
    assert_eq!(summed(Some("nobody")), (0, 0.0, 0.0));
}

#[test]
fn topics_are_allowed_stored_or_only_counted() {
    let bench = Bench::new();
    let only = json!({"switches": {"code": true, "profile": true, "events_allow": ["all"]}});
    bench.send(batch(
        1,
        &[
            with(facts(0), only),
            event(5),
            event(6),
            unsent(10, "transitions", 40),
            unsent(20, "transitions", 90),
            unsent(20, "(workers)", 3),
        ],
    ));
    // The counts of an instance start again with it.
    bench.send(batch_of(
        "Scheduler-1",
        "j",
        1,
        &[unsent(30, "transitions", 5)],
    ));
    let list = topics(&bench.app, TopicsRequest { id: 1 }).unwrap();
    let rows: Vec<_> = list
        .rows
        .iter()
        .map(|row| (row.topic.as_str(), row.allowed, row.stored, row.not_sent))
        .collect();
    assert_eq!(
        rows,
        [
            ("transitions", false, 0, 95),
            ("(workers)", false, 0, 3),
            ("all", true, 2, 0)
        ]
    );
    assert_eq!((list.total, list.truncated), (3, false));
    let stored = events(
        &bench.app,
        EventsRequest {
            id: 1,
            from_micros: None,
            to_micros: None,
            limit: 0,
            offset: 0,
        },
    )
    .unwrap();
    assert_eq!(stored.total, 2, "a count is no event");
}

#[test]
fn groups_computations_exceptions_and_facts_tell_what_was_sent_of_them() {
    let bench = Bench::new();
    let durations = json!({
        "count": 10, "mean_seconds": 0.5, "std_seconds": 0.1, "p50_seconds": 0.4, "p95_seconds": 0.9, "max_seconds": 1.5,
    });
    let told = json!({"durations": durations, "retried": 2, "span_id": "s1"});
    let failed = json!({"origin": "dask", "exception_type": "invalid-worker-transition", "details": "packet"});
    let said = json!({
        "host_versions": {"LANG": "C.UTF-8", "LC_ALL": null}, "unavailable": ["spans"], "idle_timeout_micros": 60 * SECOND,
        "mismatches": [{"package": "numpy", "where": "worker", "version": null, "count": 3}],
    });
    let cost = |beat: i64, share: f64| {
        json!({"cost": {
            "beat_micros": beat, "hook_micros": 7, "loop_share": share, "sent_bytes": 100, "hook_errors": 0, "waiting_records": 4,
            "shed_records": 5, "spooled_bytes": 6,
        }})
    };
    bench.send(batch(
        1,
        &[
            with(facts(0), said),
            with(group(10, "g1", 5.0), told),
            group(10, "g2", 1.0),
            with(computation(10, "c1", None), json!({"retried": 2})),
            with(exception(10, "e1", 1), failed),
            with(sample(10, 1.0), cost(300, 0.02)),
            with(sample(20, 1.0), cost(200, 0.01)),
            // Milliseconds later, as at the end of a run: no share of its own.
            with(
                with(sample(20, 1.0), cost(0, 0.9)),
                json!({"at_micros": at(20) + 7_000}),
            ),
        ],
    ));
    let groups = task_groups(&bench.app, TaskGroupsRequest { id: 1 })
        .unwrap()
        .rows;
    let spread = groups[0].durations.as_ref().unwrap();
    assert_eq!(
        (spread.count, spread.p95_seconds, spread.max_seconds),
        (10, 0.9, 1.5)
    );
    assert_eq!(
        (groups[0].retried, groups[0].span_id.as_deref()),
        (Some(2), Some("s1"))
    );
    assert_eq!((&groups[1].durations, groups[1].retried), (&None, None));
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
    assert_eq!(calls.rows[0].retried, Some(2));
    let failures = exceptions(&bench.app, ExceptionsRequest::default()).unwrap();
    assert_eq!(
        failures.rows[0].details,
        SealedText::Text {
            text: "packet".into()
        }
    );
    let facts = cluster(&bench.app, ClusterRequest { id: 1 }).unwrap().facts;
    assert_eq!(facts.host_versions["LANG"].as_deref(), Some("C.UTF-8"));
    assert_eq!(
        (facts.mismatches[0].side, facts.mismatches[0].count),
        (VersionSide::Worker, 3)
    );
    assert_eq!(
        (facts.unavailable, facts.idle_timeout_micros),
        (vec!["spans".to_owned()], Some(60 * SECOND))
    );
    assert_eq!(facts.off_since["profile"], Micros(at(0)));
    let cost = facts.plugin_cost;
    assert_eq!(
        (
            cost.beat_micros,
            cost.loop_share,
            cost.shed_records,
            cost.spooled_bytes
        ),
        (Some(0), Some(521.0 / 10_007_000.0), Some(5), Some(6))
    );
    assert_eq!(
        (
            cost.all_beat_micros,
            cost.all_hook_micros,
            cost.all_sent_bytes
        ),
        (500, 21, 300)
    );
    assert_eq!(cost.loop_share_peak, cost.loop_share);
}
