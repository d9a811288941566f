//! Any order, any repetition: the same tables.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::api::{App, Role};
use crate::model::Micros;
use crate::testing::*;
use crate::wire::Batch;

/// Tables that follow from the records alone. What depends on who came first is left out: numbers given in order of
/// arrival are replaced by what they stand for, and sealed values are random.
const DERIVED: &[&str] = &[
    "select scheduler_id, first_at_micros, record_at_micros, record_seq, record_rank, started_micros, name, label, tags
     from cluster order by scheduler_id",
    "select c.scheduler_id, f.* from cluster_fact f join cluster c on c.id = f.cluster_id order by c.scheduler_id",
    "select c.scheduler_id, i.instance_id as newest, t.* from cluster_total t join cluster c on c.id = t.cluster_id
     left join instance i on i.id = t.instance_id order by c.scheduler_id",
    "select c.scheduler_id, i.* from instance i join cluster c on c.id = i.cluster_id order by 1, i.instance_id",
    "select c.scheduler_id, h.* from cluster_hour h join cluster c on c.id = h.cluster_id order by h.hour, 1",
    "select i.instance_id as of, s.* from sample s join instance i on i.id = s.instance_id order by 1, s.seq",
    "select i.instance_id as of, g.* from gap g join instance i on i.id = g.instance_id order by 1, g.first_seq",
    "select n.text, g.* from task_group g join name n on n.id = g.prefix_id order by g.group_id",
    "select * from computation order by computation_id",
    "select computation_id, at_micros, seq, rank from computation_code order by computation_id",
    "select n.text, e.* from exception e join name n on n.id = e.type_id order by e.exception_id",
    "select i.instance_id as of, n.text, e.* from event e join name n on n.id = e.topic_id
     join instance i on i.id = e.instance_id order by 1, e.seq",
    "select i.instance_id as of, d.* from dropped d join instance i on i.id = d.instance_id order by 1, d.seq",
    "select i.instance_id as of, k.* from kept k join instance i on i.id = k.instance_id order by 1, k.seq",
    "select * from cluster_switch",
    "select * from usage_ever",
];
const NUMBERED: &[&str] = &[
    "id",
    "cluster_id",
    "instance_id",
    "prefix_id",
    "type_id",
    "topic_id",
    "conflicts",
];

fn dump(db: &Connection) -> Vec<BTreeMap<String, String>> {
    let mut rows = Vec::new();
    for sql in DERIVED {
        let mut statement = db.prepare(sql).unwrap();
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let cells = names.iter().enumerate().filter(|(_, name)| {
                !NUMBERED.contains(&name.as_str()) && !name.ends_with("_sealed")
            });
            rows.push(
                cells
                    .map(|(at, name)| {
                        (
                            name.clone(),
                            format!("{:?}", row.get::<_, Cell>(at).unwrap()),
                        )
                    })
                    .collect(),
            );
        }
    }
    rows
}

fn tables(app: &App) -> Vec<BTreeMap<String, String>> {
    app.read(|db| Ok(dump(db))).unwrap()
}

/// Two instances of one cluster and one of another, with every kind of record, over several hours.
fn story() -> Vec<Batch> {
    let mut records: Vec<Value> = vec![facts(0)];
    for beat in 1..30 {
        let seconds = beat * 400;
        records.push(with(
            sample(seconds, beat as f64 * 1.1),
            json!({"workers": beat % 7}),
        ));
        records.push(group(seconds, "g1", beat as f64));
        if beat % 3 == 0 {
            records.push(group(seconds, &format!("g{beat}"), 0.25));
            records.push(computation(
                seconds,
                "c1",
                (beat == 6).then_some("canary-code"),
            ));
            records.push(exception(seconds, &format!("e{}", beat % 2), beat as u64));
        }
        if beat % 10 == 0 {
            records.push(event(seconds));
            let project = with(facts(seconds), json!({"project": format!("p{beat}")}));
            // A switch that is turned off on the way.
            let off = json!({"switches": {"code": beat < 20, "profile": false, "events_allow": if beat < 20 { ["*"] } else { ["all"] }}});
            records.push(with(project, off));
            records.push(with(event(seconds), json!({"topic": "mine"})));
            records.push(json!({"kind": "dropped", "at_micros": at(seconds), "what": "event", "count": 2, "reason": "x"}));
            records
                .push(json!({"kind": "span", "at_micros": at(seconds), "of": "a later version"}));
            records.push(json!({"kind": "sample", "broken": true}));
        }
    }
    records.push(stop(29 * 400));
    let mut batches: Vec<Batch> = records
        .chunks(4)
        .enumerate()
        .map(|(at, chunk)| batch(1 + 4 * at as u64, chunk))
        .collect();
    // The totals of a second instance start again, and once they fall.
    let second: Vec<Value> = [3.0, 5.0, 4.0, 9.0]
        .iter()
        .enumerate()
        .map(|(at, &sum)| sample(12_000 + 1_800 * at as i64, sum))
        .collect();
    batches.extend(second.iter().enumerate().map(|(at, record)| {
        batch_of(
            "Scheduler-1",
            "j",
            1 + at as u64,
            std::slice::from_ref(record),
        )
    }));
    batches.push(batch_of(
        "Scheduler-2",
        "k",
        1,
        &[sample(50, 1.0), stop(60)],
    ));
    batches
}

fn told(batches: &[Batch]) -> Vec<BTreeMap<String, String>> {
    let bench = Bench::new();
    for batch in batches {
        bench.send(batch.clone());
    }
    tables(&bench.app)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_and_any_repetition_give_the_tables_of_the_story_in_order(
        order in Just(story().len()).prop_flat_map(|len| {
            (Just((0..len).collect::<Vec<_>>()).prop_shuffle(), vec(0..len, 0..20), vec(any::<bool>(), len))
        })
    ) {
        let (order, repeated, dropped) = order;
        let story = story();
        // A third of the runs loses nothing.
        let keep = |at: &usize| dropped[0] || !dropped[*at];
        let in_order: Vec<_> = (0..story.len()).filter(keep).map(|at| story[at].clone()).collect();
        let mixed: Vec<_> = order.into_iter().chain(repeated).filter(keep).map(|at| story[at].clone()).collect();
        prop_assert_eq!(told(&in_order), told(&mixed));
    }
}

#[test]
fn the_rollup_is_the_differences_of_samples_in_the_hour_of_the_later() {
    let bench = Bench::new();
    bench.send(batch(
        1,
        &[
            sample(100, 2.0),
            sample(3_500, 5.0),
            sample(3_700, 9.0),
            sample(7_300, 9.5),
        ],
    ));
    let hours: Vec<(i64, i64, i64)> = bench
        .app
        .read(|db| {
            let mut rows = db.prepare(
                "select hour, compute_micros, workers_peak from cluster_hour order by hour",
            )?;
            let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .unwrap();
    let first = START / 3_600_000_000;
    assert_eq!(
        hours,
        [
            (first, 5_000_000, 2),
            (first + 1, 4_000_000, 2),
            (first + 2, 500_000, 2)
        ]
    );
}

#[test]
fn overlapping_batches_are_counted_once() {
    let records = [
        sample(10, 1.0),
        sample(20, 2.0),
        sample(30, 3.0),
        sample(40, 4.0),
    ];
    let whole = told(&[batch(1, &records)]);
    let lapped = told(&[
        batch(2, &records[1..3]),
        batch(3, &records[2..]),
        batch(1, &records),
    ]);
    assert_eq!(whole, lapped);
}

#[test]
fn other_bytes_under_a_known_number_are_a_conflict_and_the_first_stand() {
    let bench = Bench::new();
    bench.send(batch(1, &[sample(10, 1.0)]));
    let receipt = bench
        .app
        .ingest(batch(1, &[sample(10, 7.0), sample(20, 2.0)]))
        .unwrap();
    assert!(!receipt.duplicate);
    let (conflicts, computes): (i64, String) = bench
        .app
        .read(|db| {
            let sql =
                "select conflicts, (select group_concat(compute_micros) from sample) from instance";
            Ok(db.query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?)
        })
        .unwrap();
    assert_eq!((conflicts, computes.as_str()), (1, "1000000,2000000"));
    assert!(
        bench
            .app
            .ingest(batch(1, &[sample(10, 1.0)]))
            .unwrap()
            .refused
            .is_empty()
    );
}

#[test]
fn the_same_batch_again_is_a_duplicate_and_a_refused_line_is_named() {
    let bench = Bench::new();
    let story = batch(1, &[sample(10, 1.0), json!({"kind": "sample"})]);
    let first = bench.app.ingest(story.clone()).unwrap();
    assert_eq!(
        (first.duplicate, first.records, first.refused.len()),
        (false, 2, 1)
    );
    assert_eq!(first.refused[0].index, 1);
    assert!(bench.app.ingest(story).unwrap().duplicate);
}

#[test]
fn what_a_cluster_switched_off_is_not_stored_whoever_sends_it() {
    let bench = Bench::new();
    let off = with(
        facts(5),
        json!({"switches": {"code": false, "profile": false, "events_allow": ["all"]}}),
    );
    let mine = with(event(7), json!({"topic": "mine"}));
    bench
        .send(batch(
            1,
            &[
                computation(1, "early", Some("x = 1")),
                mine.clone(),
                event(2),
            ],
        ))
        .send(batch(
            4,
            &[off, computation(6, "late", Some("x = 2")), mine, event(8)],
        ))
        // Turned on again by somebody: what was off stays off.
        .send(batch(8, &[facts(9), computation(9, "last", Some("x = 3"))]));
    let counts: (i64, i64, i64) = bench
        .app
        .read(|db| {
            let sql = "select (select count(*) from computation_code), (select count(*) from event),
                       (select sum(count) from dropped where what = 'event' and reason = 'switched_off')";
            Ok(db.query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?)
        })
        .unwrap();
    assert_eq!(counts, (0, 2, 2));
}

#[test]
fn a_clock_that_goes_back_does_not_keep_the_dead_running() {
    let bench = Bench::new();
    bench.at(7_200).send(batch(1, &[facts(0), sample(10, 1.0)]));
    bench.at(0).send(batch(3, &[sample(20, 2.0)]));
    bench.at(40);
    let rows = crate::api::clusters(&bench.app, Default::default())
        .unwrap()
        .rows;
    assert_eq!(rows[0].state, crate::model::ClusterState::Lost);

    bench.at(7_200).send(batch(4, &[sample(30, 3.0)]));
    let Bench { app, clock, dir } = bench;
    drop(app);
    clock.set(Micros(at(100)));
    let app = App::open(dir.path(), Role::Owner, std::sync::Arc::clone(&clock) as _).unwrap();
    clock.set(Micros(at(140)));
    let rows = crate::api::clusters(&app, Default::default()).unwrap().rows;
    assert_eq!(rows[0].state, crate::model::ClusterState::Lost);
}

#[test]
fn missing_numbers_are_a_gap() {
    let bench = Bench::new();
    bench
        .send(batch(4, &[sample(10, 1.0)]))
        .send(batch(9, &[sample(60, 1.0)]));
    let gaps: Vec<(i64, i64, Option<i64>, i64)> = bench
        .app
        .read(|db| {
            let mut rows = db.prepare(
                "select first_seq, missing_records, from_micros, to_micros from gap order by 1",
            )?;
            let rows = rows.query_map([], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .unwrap();
    assert_eq!(gaps, [(1, 3, None, at(10)), (5, 4, Some(at(10)), at(60))]);
}

/// A number as far out as the format lets it be, or a small one.
fn extreme() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just((1 << 53) - 1), 0..9_u64]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_cluster_claims_the_overview_still_answers(
        claims in vec((extreme(), prop_oneof![0f64..9.0, Just(2e12), Just(-1e300)], 0..3_u8, any::<bool>()), 1..30)
    ) {
        let bench = Bench::new();
        for (seq, (whole, seconds, cluster, far)) in claims.into_iter().enumerate() {
            let time = if far { 9_007_199_254_740_991 } else { at(seq as i64) };
            let record = with(sample(0, 0.0), json!({
                "at_micros": time, "workers": whole, "threads": whole, "memory_used_bytes": whole,
                "tasks": {"processing": whole, "queued": whole, "waiting": whole}, "idle_since_micros": time,
                "totals": {
                    "compute": seconds, "thread_seconds": seconds, "tasks_completed": whole, "tasks_erred": whole,
                    "result_bytes": whole,
                },
            }));
            let gap = 1 + seq as u64 * 1_000_000_000_000;
            let batch = batch_of(&format!("Scheduler-{cluster}"), "i", gap, &[record]);
            prop_assert!(bench.app.ingest(batch).unwrap().refused.is_empty());
        }
        for command in ["overview", "clusters", "cluster", "timeline"] {
            let answer = crate::api::call(&bench.app, command, r#"{"id": 1}"#);
            let answer = answer.or_else(|_| crate::api::call(&bench.app, command, "{}"));
            prop_assert!(answer.is_ok(), "{command}: {answer:?}");
        }
    }
}
