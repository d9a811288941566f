//! What threads did, against small stories.

use serde_json::json;

use crate::Error;
use crate::api::*;
use crate::model::Micros;
use crate::testing::*;

fn told(seconds: i64, compute: f64, transfer: f64, threads: f64) -> serde_json::Value {
    with(
        sample(seconds, compute),
        json!({"totals": {"compute": compute, "transfer": transfer, "thread_seconds": threads}}),
    )
}

fn asked(bench: &Bench, from: Option<i64>, to: Option<i64>, bins: u32) -> ThreadUse {
    let request = ThreadUseRequest {
        id: 1,
        from_micros: from.map(|seconds| Micros(at(seconds))),
        to_micros: to.map(|seconds| Micros(at(seconds))),
        bins,
        prefixes: 1,
    };
    thread_use(&bench.app, request).unwrap()
}

fn story() -> Bench {
    let bench = Bench::new();
    bench.at(40).send(batch(
        1,
        &[
            facts(0),
            told(10, 20.0, 4.0, 40.0),
            told(20, 40.0, 4.0, 80.0),
            told(40, 40.0, 4.0, 160.0),
            with(
                group(10, "a", 30.0),
                json!({"prefix": "load", "start_micros": at(0), "stop_micros": at(10)}),
            ),
            with(
                group(20, "b", 10.0),
                json!({"prefix": "sum", "start_micros": at(10), "stop_micros": at(20)}),
            ),
            exception(15, "e", 2),
        ],
    ));
    bench
}

#[test]
fn the_parts_of_each_bin_make_up_its_threads() {
    let all = asked(&story(), None, None, 4);
    let whole = |values: &[Option<f64>]| values.iter().map(|v| v.unwrap()).collect::<Vec<_>>();
    assert_eq!(whole(&all.threads), [4.0; 4]);
    assert_eq!(whole(&all.threads_computing), [2.0, 2.0, 0.0, 0.0]);
    // `load` is the largest; in the second bin `sum` computed, which is among the others.
    assert_eq!(all.computing[0].prefix.as_deref(), Some("load"));
    assert_eq!(whole(&all.computing[0].share), [0.5, 0.0, 0.0, 0.0]);
    assert_eq!(whole(&all.computing[1].share), [0.0, 0.5, 0.0, 0.0]);
    assert_eq!(whole(&all.transfer), [0.1, 0.0, 0.0, 0.0]);
    assert_eq!(whole(&all.idle), [0.4, 0.5, 1.0, 1.0]);
    let totals = &all.totals;
    assert_eq!(totals.thread_seconds, 160.0);
    assert!(
        (totals.idle_seconds + totals.seconds.compute + totals.seconds.transfer - 160.0).abs()
            < 1e-6
    );
    assert_eq!((totals.groups, totals.exceptions), (2, 1));
}

#[test]
fn a_window_has_its_own_sums() {
    let bench = story();
    let part = asked(&bench, Some(5), Some(10), 5).totals;
    assert_eq!(
        (
            part.thread_seconds,
            part.seconds.compute,
            part.seconds.transfer
        ),
        (20.0, 10.0, 2.0)
    );
    // The second group began at its end: it was not worked on inside. The exception was seen from 2 to 15.
    assert_eq!((part.groups, part.exceptions), (1, 1));
    let later = asked(&bench, Some(16), Some(30), 5).totals;
    assert_eq!((later.groups, later.exceptions), (1, 0));
    let never = asked(&bench, Some(500), Some(600), 5);
    assert_eq!(never.totals.thread_seconds, 0.0);
    assert!(never.idle.iter().all(Option::is_none));
}

#[test]
fn a_cluster_without_a_sample_has_no_bins() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0)]));
    assert!(asked(&bench, None, None, 0).at_micros.is_empty());
}

#[test]
fn a_time_that_makes_no_sense_is_refused() {
    let bench = story();
    for (from, to) in [
        (Some(5), Some(5)),
        (Some(9), Some(5)),
        (Some(-1), None),
        (Some(i64::MAX), None),
        (None, Some(i64::MIN)),
        (Some(i64::MIN), Some(i64::MAX)),
    ] {
        let request = ThreadUseRequest {
            id: 1,
            from_micros: from.map(Micros),
            to_micros: to.map(Micros),
            bins: 0,
            prefixes: 0,
        };
        let refused = thread_use(&bench.app, request);
        assert!(
            matches!(refused, Err(Error::Invalid { .. })),
            "{from:?} {to:?}"
        );
    }
}

#[test]
fn the_prefixes_with_the_most_are_told_and_the_others_are_one() {
    let bench = Bench::new();
    let mut records = vec![facts(0), told(20, 40.0, 0.0, 80.0)];
    records.extend((0..50).map(|at_group: i64| {
        let id = format!("g{at_group}");
        let when = json!({"prefix": id, "start_micros": at(0), "stop_micros": at(20)});
        with(group(20, &id, (at_group + 1) as f64), when)
    }));
    bench.at(20).send(batch(1, &records));
    let all = asked(&bench, None, None, 2);
    let names: Vec<_> = all
        .computing
        .iter()
        .map(|part| part.prefix.as_deref())
        .collect();
    assert_eq!(names, [Some("g49"), None]);
    // 50 of 1,275 seconds, and the rest of the 40 that threads computed.
    let seconds = all.computing[0].seconds;
    assert!((seconds - 40.0 * 50.0 / 1_275.0).abs() < 1e-9, "{seconds}");
    assert!((seconds + all.computing[1].seconds - 40.0).abs() < 1e-9);
}

#[test]
fn what_stalled_is_a_part_of_its_own_as_the_cost_has_it() {
    let bench = Bench::new();
    let stall = json!({"limit_micros": 60 * SECOND, "same_stacks": true, "group_id": "g1"});
    let stuck = |seconds: i64| {
        with(
            told(seconds, 10.0, 0.0, seconds as f64 * 4.0),
            json!({"last_completed_micros": at(9), "stall": stall}),
        )
    };
    // Four threads. Not yet for longer than the limit, and then for 90 s.
    let records = [facts(0), stuck(10), stuck(60), stuck(100), stuck(150)];
    bench.at(150).send(batch(1, &records));
    let percent = |values: &[Option<f64>]| {
        let values = values.iter().map(|value| (value.unwrap() * 100.0).round());
        values.collect::<Vec<_>>()
    };
    let nothing = |totals: &WindowTotals| {
        let seconds = [totals.idle_seconds, totals.stalled_seconds];
        seconds.map(f64::round)
    };
    let all = asked(&bench, None, None, 3);
    assert_eq!(percent(&all.idle), [95.0, 20.0, 0.0]);
    assert_eq!(percent(&all.stalled), [0.0, 80.0, 100.0]);
    assert_eq!(nothing(&all.totals), [230.0, 360.0]);
    let paid = || {
        let cost = cluster_cost(&bench.app, ClusterRequest { id: 1 }).unwrap();
        [Operation::Idle, Operation::Stalled].map(|of| {
            let row = cost.operations.iter().find(|row| row.operation == of);
            (row.unwrap().thread_micros as f64 / 1e6).round()
        })
    };
    assert_eq!(nothing(&all.totals), paid());
    let part = asked(&bench, Some(80), Some(125), 5).totals;
    assert_eq!(nothing(&part), [0.0, 180.0]);

    // A long task that ends later was at work meanwhile, as far as threads were free.
    let ended = with(
        told(160, 210.0, 0.0, 640.0),
        json!({"last_completed_micros": at(155), "stall": stall}),
    );
    bench.at(160).send(batch(6, &[ended]));
    let later = asked(&bench, None, None, 4);
    assert_eq!(nothing(&later.totals), [70.0, 360.0]);
    for bin in 0..4 {
        let parts = [
            later.threads_computing[bin].unwrap() / later.threads[bin].unwrap(),
            later.idle[bin].unwrap(),
            later.stalled[bin].unwrap(),
        ];
        assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{parts:?}");
    }

    // What was counted of samples that are gone stays.
    let remove = |db: &rusqlite::Connection| {
        let counted = "insert into stalled_hour values (1, ?1, 360000000)";
        db.execute(counted, [at(0) / Micros::HOUR])?;
        db.execute("delete from sample where seq < 6", [])?;
        db.execute("update instance set samples_from_seq = 6", [])?;
        Ok(())
    };
    bench.app.write(remove).unwrap();
    let left = asked(&bench, None, None, 4).totals;
    assert_eq!(nothing(&left), [70.0, 360.0]);
    assert_eq!(nothing(&left), paid());
}
