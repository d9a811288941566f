//! Runs that are recognised again, through the real store.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::*;
use crate::query::{clusters_of, runs_without_code};

const CODE: &str = "def nightly(day):\n    return read(f'lake/{day}').sum().compute()\n";

/// The seconds from `from` for which one computation of two groups runs, with code or without.
fn run(from: i64, seconds: f64, code: Option<&str>) -> Vec<Value> {
    let end = START + (from as f64 * 1e6 + seconds * 1e6) as i64;
    let (read, sum) = (format!("read-{from}"), format!("sum-{from}"));
    let of = |id: &str, prefix: &str, needs: Value| {
        with(
            group(from + 1, id, seconds),
            json!({"prefix": prefix, "dependencies": needs, "start_micros": at(from), "stop_micros": end}),
        )
    };
    let call = with(
        computation(from + 1, &format!("c-{from}"), code),
        json!({"start_micros": at(from), "stop_micros": end, "groups": [read, sum], "states": {"memory": 20}}),
    );
    vec![
        with(facts(from), json!({"started_micros": at(from - 1)})),
        with(sample(from + 1, seconds), json!({"workers": 4})),
        of(&read, "read-parquet", json!([])),
        of(&sum, "sum", json!([read])),
        call,
        stop(from + 60),
    ]
}

/// So many nights, each a cluster of its own, the last taking `last` seconds.
fn nights(bench: &Bench, n: i64, last: f64, code: Option<&str>) {
    for night in 0..=n {
        let seconds = if night == n {
            last
        } else {
            4.0 + 0.02 * (night % 3) as f64
        };
        let records = run(100 + night * 1_000, seconds, code);
        bench.send(batch_of(&format!("Scheduler-{night}"), "i", 1, &records));
    }
    bench.at(100_000);
}

fn told(bench: &Bench, id: i64) -> Baseline {
    baseline(&bench.app, BaselineRequest { id }).unwrap()
}

#[test]
fn a_run_is_told_against_the_same_run_of_other_nights() {
    let bench = Bench::new();
    nights(&bench, 8, 6.0, Some(CODE));
    let answer = told(&bench, 9);
    let history = &answer.computations[0].history;
    assert_eq!(history.verdict, BaselineVerdict::Slower);
    assert_eq!(history.basis, FingerprintBasis::CodeAndShape);
    assert_eq!(
        history.words,
        "worked 6.00 s, 49 % longer than its last 8 runs (4.0 s ± 0.1 s)"
    );
    assert_eq!(
        history
            .runs
            .iter()
            .map(|run| run.cluster_id)
            .collect::<Vec<_>>(),
        [1, 2, 3, 4, 5, 6, 7, 8]
    );
    let cluster = answer.cluster.unwrap();
    assert_eq!(
        (cluster.verdict, cluster.runs.len()),
        (BaselineVerdict::Slower, 8)
    );
    assert!(
        cluster
            .runs
            .iter()
            .all(|run| run.computation_id.is_none() && run.alike)
    );
    // The third knows of two before it, and of none after.
    let early = &told(&bench, 3).computations[0].history;
    assert_eq!(early.words, "2 of 5 runs needed to compare");
    assert_eq!(told(&bench, 1).computations[0].history.runs, []);
}

#[test]
fn the_same_run_is_found_behind_many_others_of_its_code() {
    let bench = Bench::new();
    let other = |night: i64, prefix: &str, needless: bool| {
        let mut records = run(100 + night * 1_000, 4.0, Some(CODE));
        for record in &mut records {
            if record["prefix"] == "sum" {
                record["prefix"] = json!(prefix);
            }
            if needless && record["kind"] == "computation" {
                record["groups"] = json!([record["groups"][0]]);
            }
        }
        bench.send(batch_of(&format!("Scheduler-{night}"), "i", 1, &records));
    };
    for night in 0..6 {
        other(night, "sum", false);
    }
    // More than are read at once: as many groups in another shape, and fewer groups.
    for night in 6..60 {
        other(night, "mean", night % 2 == 0);
    }
    other(60, "sum", false);
    bench.at(100_000);
    let answer = told(&bench, 61);
    let six = [1, 2, 3, 4, 5, 6];
    let ids =
        |history: &History| -> Vec<i64> { history.runs.iter().map(|run| run.cluster_id).collect() };
    assert_eq!(ids(&answer.computations[0].history), six);
    assert_eq!(ids(&answer.cluster.unwrap()), six);
}

#[test]
fn looks_of_code_do_not_count_and_code_does() {
    let bench = Bench::new();
    nights(&bench, 5, 4.0, Some(CODE));
    let moved = "def nightly( day ):  # tonight\n  return read('pond').sum().compute()";
    bench.send(batch_of(
        "Scheduler-moved",
        "i",
        1,
        &run(20_000, 4.0, Some(moved)),
    ));
    bench.send(batch_of(
        "Scheduler-other",
        "i",
        1,
        &run(30_000, 4.0, Some("other().compute()")),
    ));
    assert_eq!(told(&bench, 7).computations[0].history.runs.len(), 6);
    assert_eq!(told(&bench, 8).computations[0].history.runs.len(), 0);
}

#[test]
fn without_code_the_shape_of_the_graph_alone_tells() {
    let bench = Bench::new();
    nights(&bench, 6, 4.0, None);
    let history = told(&bench, 7).computations.remove(0).history;
    assert_eq!(
        (history.basis, history.runs.len()),
        (FingerprintBasis::Shape, 6)
    );
    assert_eq!(history.verdict, BaselineVerdict::Same);
    let mut other = run(20_000, 4.0, None);
    other[3]["dependencies"] = json!([]);
    bench.send(batch_of("Scheduler-other", "i", 1, &other));
    assert_eq!(told(&bench, 8).computations[0].history.runs.len(), 0);
}

#[test]
fn code_that_is_switched_off_is_forgotten_for_recognising_too() {
    let bench = Bench::new();
    nights(&bench, 5, 4.0, Some(CODE));
    let off = with(
        facts(40),
        json!({"switches": {"code": false, "profile": false}}),
    );
    bench.send(batch_of("Scheduler-5", "i", 100, &[off]));
    let history = told(&bench, 6).computations.remove(0).history;
    assert_eq!(
        (history.basis, history.runs.len()),
        (FingerprintBasis::Shape, 0)
    );
}

#[test]
fn the_order_of_batches_does_not_count() {
    let mut answers = Vec::new();
    for turn in 0..3 {
        let bench = Bench::new();
        nights(&bench, 5, 4.0, Some(CODE));
        let records = run(50_000, 5.0, Some(CODE));
        let earlier = run(49_999, 5.0, Some("earlier()"))[4].clone();
        let mut batches: Vec<_> = (1..).step_by(10).zip(records).collect();
        // An earlier record of the same computation, with other code: it stands in no order.
        batches.push((
            5,
            with(earlier, json!({"computation_id": "c-50000", "groups": []})),
        ));
        batches.rotate_left(turn * 2);
        for (seq, record) in batches.iter().chain(&batches) {
            bench.send(batch_of(
                "Scheduler-late",
                "i",
                *seq,
                std::slice::from_ref(record),
            ));
        }
        answers.push(told(&bench, 7));
    }
    assert_eq!(answers[0].computations[0].history.runs.len(), 6);
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

#[test]
fn what_the_store_holds_of_code_is_another_in_each_install() {
    let fingerprint = || {
        let bench = Bench::new();
        nights(&bench, 1, 4.0, Some(CODE));
        let rows: Vec<Vec<u8>> = raw(bench.path())
            .prepare("select fingerprint from computation_code order by 1")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap();
        assert!(rows.len() == 2 && rows[0] == rows[1] && rows[0].len() == 16);
        rows[0].clone()
    };
    assert_ne!(fingerprint(), fingerprint());
}

#[test]
fn a_failed_run_is_no_part_of_a_history() {
    let bench = Bench::new();
    nights(&bench, 5, 4.0, Some(CODE));
    let mut failed = run(20_000, 1.0, Some(CODE));
    failed[4]["states"] = json!({"memory": 19, "erred": 1});
    bench.send(batch_of("Scheduler-failed", "i", 1, &failed));
    let answer = told(&bench, 7);
    assert_eq!(
        answer.computations[0].history.words,
        "unlike its last 6 runs: 1 task failed"
    );
    bench.send(batch_of(
        "Scheduler-next",
        "i",
        1,
        &run(30_000, 4.0, Some(CODE)),
    ));
    assert_eq!(told(&bench, 8).computations[0].history.runs.len(), 6);
}

/// The same computation so many times in one cluster.
fn often(from: i64, times: i64, code: Option<&str>) -> Vec<Value> {
    let mut records = run(from, 4.0, code);
    let call = records.remove(4);
    for n in 0..times {
        let start = at(from) + n;
        let this = json!({"computation_id": format!("c-{from}-{n}"), "start_micros": start});
        records.insert(4, with(call.clone(), this));
    }
    records
}

#[test]
fn a_cluster_that_runs_the_same_often_is_told_against_earlier_ones() {
    for code in [Some(CODE), None] {
        let bench = Bench::new();
        for night in 0..10 {
            let records = often(100 + night * 1_000, 50, code);
            bench.send(batch_of(&format!("Scheduler-{night}"), "i", 1, &records));
        }
        bench.at(100_000);
        let cluster = told(&bench, 10).cluster.unwrap();
        let ids: Vec<i64> = cluster.runs.iter().map(|run| run.cluster_id).collect();
        assert_eq!(ids, (1..10).collect::<Vec<_>>(), "{code:?}");
        assert_eq!(
            (cluster.verdict, cluster.truncated),
            (BaselineVerdict::Same, false)
        );
        let request = CompareRequest {
            b: Some(10),
            ..CompareRequest::default()
        };
        let typical = compare(&bench.app, request).unwrap().a;
        assert_eq!((typical.id, typical.typical_of), (5, Some(9)));
    }
}

#[test]
fn a_job_of_many_runs_of_one_code_keeps_its_nights() {
    let bench = Bench::new();
    for night in 0..8 {
        let records = often(100 + night * 10_000, 90, Some(CODE));
        bench.send(batch_of(&format!("Scheduler-{night}"), "i", 1, &records));
    }
    bench.at(1_000_000);
    let cluster = told(&bench, 8).cluster.unwrap();
    assert_eq!((cluster.runs.len(), cluster.truncated), (7, false));
}

#[test]
fn a_sample_is_no_run_before_one_of_ones_own() {
    for code in [Some(CODE), None] {
        let bench = Bench::new();
        for night in 0..6 {
            let name = if night < 5 { "Sample" } else { "Scheduler" };
            let records = run(100 + night * 1_000, 4.0, code);
            bench.send(batch_of(&format!("{name}-{night}"), "i", 1, &records));
        }
        bench.at(100_000);
        let runs = |id| told(&bench, id).computations[0].history.runs.len();
        assert_eq!((runs(5), runs(6)), (4, 0), "{code:?}");
        assert_eq!(told(&bench, 6).cluster.unwrap().runs, [], "{code:?}");
    }
}

#[test]
fn clusters_of_very_many_computations_are_not_taken_for_the_same() {
    let bench = Bench::new();
    for night in 0..2 {
        let records = often(100 + night * 1_000, 101 - night, Some(CODE));
        bench.send(batch_of(&format!("Scheduler-{night}"), "i", 1, &records));
    }
    bench.at(100_000);
    assert_eq!(told(&bench, 1).cluster, None);
    assert_eq!(told(&bench, 2).cluster.unwrap().runs, []);
}

#[test]
fn so_many_clusters_are_looked_through_for_computations_without_code() {
    let bench = Bench::new();
    nights(&bench, 3, 4.0, None);
    for night in 10..14 {
        let records = run(20_000 + night * 1_000, 4.0, Some(CODE));
        bench.send(batch_of(&format!("Scheduler-{night}"), "i", 1, &records));
    }
    for (clusters, limit, found, truncated) in [
        (4, 10, 0, true),
        (6, 10, 2, true),
        (8, 2, 2, true),
        (8, 10, 4, false),
    ] {
        let before = Micros(at(90_000));
        let question = |db: &Connection| runs_without_code(db, 1, before, clusters, limit);
        let looked = bench.app.read(question).unwrap();
        assert_eq!((looked.found.len(), looked.truncated), (found, truncated));
        let question = |db: &Connection| clusters_of(db, 1, None, before, clusters);
        let looked = bench.app.read(question).unwrap();
        let all = clusters == 8;
        assert_eq!(looked.truncated, !all);
        assert_eq!(looked.found.len(), if all { 4 } else { found });
    }
}

#[test]
fn counts_that_do_not_fit_are_the_largest_that_does() {
    let bench = Bench::new();
    let many: BTreeMap<String, u64> = (0..4_096)
        .map(|n| (format!("state-{n}"), (1 << 53) - 1))
        .collect();
    for night in 0..7 {
        let mut records = run(100 + night * 1_000, 4.0, Some(CODE));
        for record in &mut records[2..5] {
            record["states"] = json!(many);
        }
        bench.send(batch_of(&format!("Scheduler-{night}"), "i", 1, &records));
    }
    bench.at(100_000);
    let answer = told(&bench, 7);
    let (cluster, computation) = (answer.cluster.unwrap(), &answer.computations[0].history);
    assert!(cluster.runs.iter().all(|run| run.tasks == u64::MAX));
    assert_eq!(cluster.verdict, BaselineVerdict::Same);
    assert_eq!(computation.verdict, BaselineVerdict::Same);
    let request = CompareRequest {
        b: Some(7),
        ..CompareRequest::default()
    };
    let compared = compare(&bench.app, request).unwrap();
    assert_eq!((compared.a.tasks, compared.b.tasks), (u64::MAX, u64::MAX));
    assert_eq!(compared.groups[0].a.as_ref().unwrap().tasks, u64::MAX);
}
