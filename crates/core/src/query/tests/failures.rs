//! Failures by kind, and what events are made of.

use rusqlite::functions::FunctionFlags;
use serde_json::json;

use crate::api::*;
use crate::model::Micros;
use crate::query::{Counted, Unsealer};
use crate::testing::*;

fn trace(line: u32) -> serde_json::Value {
    json!({"traceback": format!("  File \"/home/ada/work.py\", line {line}, in load\n    return 1 / 0\n")})
}

fn kinds(bench: &Bench, request: ExceptionKindsRequest) -> ExceptionKindList {
    exception_kinds(&bench.app, request).unwrap()
}

#[test]
fn the_same_failure_of_two_clusters_is_one_kind() {
    let bench = Bench::new();
    bench.at(60);
    bench.send(batch_of(
        "Scheduler-1",
        "i",
        1,
        &[
            facts(0),
            worker(1, "w1", "joined"),
            computation(20, "c", None),
            with(exception(20, "a", 3), trace(7)),
            with(exception(30, "b", 1), json!({"exception_type": "KeyError"})),
        ],
    ));
    bench.send(batch_of(
        "Scheduler-2",
        "j",
        1,
        &[
            with(facts(0), json!({"name": "other"})),
            with(
                exception(40, "d", 2),
                with(
                    trace(9),
                    json!({"worker": "tcp://w1:40000", "message": "newest"}),
                ),
            ),
            worker(1, "w1", "joined"),
        ],
    ));
    let all = kinds(&bench, ExceptionKindsRequest::default());
    assert_eq!((all.total, all.rows.len()), (2, 2));
    let zero = &all.rows[0];
    assert_eq!(
        (
            zero.clusters,
            zero.ever_clusters,
            zero.count,
            zero.places_total
        ),
        (2, 2, 5, 2)
    );
    assert_eq!(zero.newest.cluster_name, "other");
    assert_eq!(
        zero.newest.message,
        SealedText::Text {
            text: "newest".into()
        }
    );
    assert_eq!(zero.worker_id.as_deref(), Some("w1"));
    assert_eq!(
        zero.places
            .iter()
            .map(|place| place.exception_id.as_str())
            .collect::<Vec<_>>(),
        ["d", "a"]
    );
    // Of one cluster, with what is known of the others.
    let one = kinds(
        &bench,
        ExceptionKindsRequest {
            id: Some(1),
            ..Default::default()
        },
    );
    assert_eq!(one.total, 2);
    let zero = &one.rows[1];
    assert_eq!((zero.clusters, zero.ever_clusters, zero.count), (1, 2, 3));
    assert_eq!(zero.computation_id.as_deref(), Some("c"));
    let text = ExceptionKindsRequest {
        text: Some("keyerr".into()),
        ..Default::default()
    };
    assert_eq!(kinds(&bench, text).total, 1);
    let on = |worker: &str| ExceptionKindsRequest {
        worker: Some(worker.into()),
        ..Default::default()
    };
    let one = kinds(&bench, on("tcp://w1:40000"));
    assert_eq!(
        (one.total, one.rows[0].count, one.rows[0].places_total),
        (1, 2, 1)
    );
    assert_eq!(one.rows[0].places.len(), 1);
    assert_eq!(kinds(&bench, on("tcp://w2")).total, 0);
    let later = ExceptionKindsRequest {
        from_micros: Some(Micros(at(35))),
        ..Default::default()
    };
    assert_eq!(kinds(&bench, later).rows[0].count, 2);
}

#[test]
fn where_no_text_is_asked_for_no_failure_is_compared_with_one() {
    let bench = Bench::new();
    let keys = bench.app.keys().clone();
    bench.send(batch(
        1,
        &[
            facts(0),
            with(exception(20, "a", 3), trace(7)),
            with(exception(30, "b", 1), json!({"exception_type": "KeyError"})),
        ],
    ));
    let check = |db: &rusqlite::Connection| {
        // The texts are in the rows, of which a list of kinds reads none but the newest.
        db.create_scalar_function("like", 3, FunctionFlags::SQLITE_UTF8, |_| {
            Err::<bool, _>(rusqlite::Error::UserFunctionError("compared".into()))
        })?;
        let mut unsealer = Unsealer::new(&keys);
        let counted = Counted::default();
        let mut request = ExceptionKindsRequest::default();
        let found = crate::query::exception_kinds(db, &mut unsealer, &counted, &request)?;
        assert_eq!((found.total, found.rows[0].places.len()), (2, 1));
        request.text = Some("key".into());
        let compared = crate::query::exception_kinds(db, &mut unsealer, &counted, &request);
        assert!(compared.is_err(), "it is that function that compares");
        Ok(())
    };
    bench.app.read(check).unwrap();
}

#[test]
fn kinds_are_those_of_clusters_that_are_told_from_a_recording_or_of_the_others() {
    let bench = Bench::new();
    bench.at(60);
    for cluster in ["Sample-1", "Scheduler-1", "Scheduler-2"] {
        let failed = with(exception(20, "a", 1), trace(7));
        bench.send(batch_of(cluster, "i", 1, &[facts(0), failed]));
    }
    let of = |sample: bool| {
        let keys = bench.app.keys().clone();
        let check = |db: &rusqlite::Connection| {
            let counted = Counted::read(db, sample)?;
            let request = ExceptionKindsRequest {
                to_micros: Some(Micros(at(50))),
                ..Default::default()
            };
            crate::query::exception_kinds(db, &mut Unsealer::new(&keys), &counted, &request)
        };
        let kinds = bench.app.read(check).unwrap().rows;
        let told = |kind: &ExceptionKind| (kind.clusters, kind.ever_clusters, kind.places_total);
        kinds.iter().map(told).collect::<Vec<_>>()
    };
    assert_eq!((of(true), of(false)), (vec![(1, 1, 1)], vec![(2, 2, 2)]));
}

#[test]
fn a_failure_says_since_when_its_tasks_have_it_and_what_was_another_version_before() {
    let bench = Bench::new();
    let run = |cluster: &str, dask: &str, fails: bool| {
        let versions = json!({"versions": {"dask": dask, "numpy": "2.1"}, "name": cluster});
        let mut records = vec![with(facts(0), versions), group(10, "g1", 1.0)];
        if fails {
            records.push(with(exception(20, "a", 1), trace(7)));
        }
        bench.send(batch_of(cluster, "i", 1, &records));
    };
    run("first", "2026.7.0", false);
    run("second", "2026.8.0", false);
    run("third", "2026.9.0", true);
    run("fourth", "2026.9.1", false);
    run("fifth", "2026.9.1", true);
    // Those after the first with it do not count, and clusters that began later than it are not before it.
    let before = kinds(&bench, ExceptionKindsRequest::default()).rows[0]
        .before
        .clone();
    assert_eq!(before, None, "all began at the same moment");
    for (second, cluster) in ["first", "second", "third", "fourth", "fifth"]
        .into_iter()
        .enumerate()
    {
        let started = json!({"started_micros": at(second as i64), "name": cluster});
        let dask = ["2026.7.0", "2026.8.0", "2026.9.0", "2026.9.1", "2026.9.1"][second];
        let versions = json!({"versions": {"dask": dask, "numpy": "2.1"}});
        let told = with(with(facts(1), started), versions);
        bench.send(batch_of(cluster, "i", 10, &[told]));
    }
    let before = kinds(&bench, ExceptionKindsRequest::default()).rows[0]
        .before
        .clone()
        .unwrap();
    assert_eq!(
        (before.cluster_name.as_str(), before.prefix.as_str()),
        ("second", "inc")
    );
    let change = VersionChange {
        package: "dask".into(),
        without: Some("2026.8.0".into()),
        with: Some("2026.9.0".into()),
    };
    assert_eq!(before.versions, [change]);
}

/// Clusters `one` and `two` with an exception of the same traceback each; `one` is called by hand.
fn called_by_hand() -> Bench {
    let bench = Bench::new();
    for (cluster, id) in [("one", "a"), ("two", "b")] {
        let failed = with(exception(20, id, 1), trace(7));
        bench.send(batch_of(cluster, "i", 1, &[facts(0), failed]));
    }
    let mark = MarkRequest {
        ids: vec![1],
        name: Some("my run".into()),
        ..Default::default()
    };
    mark_clusters(&bench.app, mark).unwrap();
    bench
}

#[test]
fn names_by_hand_are_told_and_found_and_places_are_those_that_match() {
    let bench = called_by_hand();
    let request = ExceptionKindsRequest {
        text: Some("my r".into()),
        ..Default::default()
    };
    let mine = kinds(&bench, request);
    let kind = &mine.rows[0];
    assert_eq!((mine.total, kind.clusters, kind.ever_clusters), (1, 1, 2));
    assert_eq!((kind.places_total, kind.places.len()), (1, 1));
    assert_eq!(kind.places[0].cluster_name, "my run");
    assert_eq!(kind.newest.cluster_name, "my run");
    let found = |id: Option<i64>, text: &str| {
        let request = ExceptionKindsRequest {
            id,
            text: Some(text.into()),
            ..Default::default()
        };
        kinds(&bench, request).total
    };
    assert_eq!(found(None, "//W1"), 1);
    // Within a cluster its own name tells nothing apart.
    assert_eq!((found(Some(1), "//w1"), found(Some(1), "my r")), (1, 0));
    let request = ExceptionsRequest {
        id: Some(1),
        ..Default::default()
    };
    let listed = exceptions(&bench.app, request).unwrap();
    assert_eq!(listed.rows[0].cluster_name, "my run");
}

#[test]
fn counts_at_the_limit_of_the_wire_hold_up_no_page() {
    const MOST: u64 = 9_007_199_254_740_991;
    let bench = Bench::new();
    let records: Vec<_> = (0..1_030)
        .map(|at| {
            let most = json!({"count": MOST, "dependents": MOST});
            with(with(exception(20, &format!("e{at}"), 1), trace(7)), most)
        })
        .chain([facts(0)])
        .collect();
    bench.send(batch(1, &records));
    let all = kinds(&bench, ExceptionKindsRequest::default());
    let kind = &all.rows[0];
    assert_eq!((kind.count, kind.dependents), (MOST, MOST));
    assert_eq!((kind.places_total, kind.places.len()), (1_030, 50));
    let groups: Vec<_> = (0..1_030)
        .map(|at| {
            let durations = json!({
                "count": MOST, "mean_seconds": 0.001, "std_seconds": 0.0, "p50_seconds": 0.001,
                "p95_seconds": 0.001, "max_seconds": 0.001,
            });
            let told = json!({ "durations": durations });
            with(group(20, &format!("g{at}"), 1.0), told)
        })
        .collect();
    bench.send(batch(1_032, &groups));
    verdict(&bench.app, ClusterRequest { id: 1 }).unwrap();
}

#[test]
fn kinds_are_paged_and_only_the_last_computations_are_looked_through() {
    let bench = Bench::new();
    let failed = |seconds, id: &str, kind: &str, group: &str| {
        let told = json!({"exception_type": kind, "group_id": group});
        with(exception(seconds, id, 1), told)
    };
    let of = |seconds, id: &str, group: &str| {
        let told = json!({"groups": [group], "start_micros": at(seconds)});
        with(computation(400, id, None), told)
    };
    let mut records = vec![
        facts(0),
        worker(1, "w1", "joined"),
        failed(10, "a", "KeyError", "long ago"),
        failed(20, "b", "OSError", "of late"),
        failed(30, "c", "ValueError", "none"),
        of(1, "first", "long ago"),
        of(300, "last", "of late"),
    ];
    records.extend((2..201).map(|at| of(at, &format!("c{at}"), "another")));
    bench.send(batch(1, &records));
    let page = |limit, offset| {
        let request = ExceptionKindsRequest {
            limit,
            offset,
            ..Default::default()
        };
        kinds(&bench, request)
    };
    let told = |list: &ExceptionKindList| {
        let each = list.rows.iter();
        each.map(|kind| {
            let computation = kind.computation_id.clone();
            (kind.newest.exception_id.clone(), computation)
        })
        .collect::<Vec<_>>()
    };
    let all = page(0, 0);
    let expected = [
        ("c".to_owned(), None),
        ("b".to_owned(), Some("last".to_owned())),
        ("a".to_owned(), None),
    ];
    assert_eq!(told(&all), expected);
    let second = page(1, 1);
    assert_eq!(told(&second), expected[1..2]);
    assert_eq!((second.total, second.truncated), (3, true));
}

#[test]
fn numbers_of_events_are_columns_and_words_can_be_chosen() {
    let bench = Bench::new();
    let told = |seconds, loss: f64, stage: &str| {
        with(
            event(seconds),
            json!({"topic": "train", "payload": {"metrics": {"loss": loss}, "stage": stage, "ids": [1, 2]}}),
        )
    };
    bench.at(60).send(batch(
        1,
        &[
            facts(0),
            told(1, 4.0, "warm"),
            told(2, 2.0, "main"),
            told(3, 1.0, "main"),
        ],
    ));
    let asked = |request| event_fields(&bench.app, request).unwrap();
    let all = EventFieldsRequest {
        id: 1,
        from_micros: None,
        to_micros: None,
        field: None,
        value: None,
    };
    let fields = asked(all.clone());
    assert_eq!((fields.looked_at, fields.matching, fields.total), (3, 3, 3));
    assert_eq!(fields.numbers.len(), 1);
    assert_eq!(
        (
            fields.numbers[0].field.as_str(),
            fields.numbers[0].values.clone()
        ),
        ("metrics.loss", vec![4.0, 2.0, 1.0])
    );
    assert_eq!(fields.words[0].field, "stage");
    assert_eq!(
        (
            fields.words[0].values[0].value.as_str(),
            fields.words[0].values[0].count
        ),
        ("main", 2)
    );
    let chosen = asked(EventFieldsRequest {
        field: Some("stage".into()),
        value: Some("main".into()),
        to_micros: Some(Micros(at(3))),
        ..all
    });
    assert_eq!(
        (chosen.total, chosen.matching, chosen.rows.len()),
        (2, 1, 1)
    );
    assert_eq!(chosen.numbers[0].values, [2.0]);
}

#[test]
fn fields_of_events_beyond_the_first_are_counted() {
    let bench = Bench::new();
    let payload: serde_json::Map<String, serde_json::Value> = (0..20)
        .flat_map(|n| {
            [
                (format!("loss-{n}"), json!(n)),
                (format!("stage-{n}"), json!("warm")),
            ]
        })
        .take(35)
        .collect();
    let told = with(event(1), json!({"topic": "train", "payload": payload}));
    bench.at(60).send(batch(1, &[facts(0), told]));
    let fields = event_fields(
        &bench.app,
        EventFieldsRequest {
            id: 1,
            from_micros: None,
            to_micros: None,
            field: None,
            value: None,
        },
    )
    .unwrap();
    assert_eq!((fields.numbers.len(), fields.numbers_total), (12, 18));
    assert_eq!((fields.words.len(), fields.words_total), (12, 17));
}
