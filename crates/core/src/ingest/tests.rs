//! What single records do to the tables.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use serde_json::{Value, json};

pub(super) use self::order::story;
use self::order::told;
use super::BatchJob;
use crate::api::{App, Role};
use crate::model::Micros;
use crate::store::{Batches as _, Job as _, Stacks};
use crate::testing::*;
use crate::wire::RefusalCode;

mod extreme;
mod fold;
mod order;

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
fn a_record_that_bobbin_fails_at_is_refused_and_its_neighbours_are_stored() {
    let bench = Bench::new();
    let text = batch(1, &[sample(100, 2.0), sample(110, 3.0), sample(120, 4.0)]);
    let (told, heard) = sync_channel(1);
    let again = text.clone();
    bench
        .app
        .write_with(move |db, ingest| {
            let mut job = BatchJob::new(
                text,
                None,
                Box::new(move |receipt| told.send(receipt).unwrap()),
            );
            db.execute_batch("savepoint once")?;
            job.run(db, ingest)?;
            // As if it had panicked at the second one.
            db.execute_batch("rollback to once; release once")?;
            ingest.rolled_back();
            ingest.line = Some(1);
            assert!(job.panicked(ingest));
            job.run(db, ingest)?;
            Box::new(job).finish(Ok(()));
            Ok(())
        })
        .unwrap();
    let refused = heard.recv().unwrap().unwrap().refused;
    let told: Vec<_> = refused.iter().map(|one| (one.index, one.code)).collect();
    assert_eq!(told, [(1, RefusalCode::Failed)]);
    let kept: (i64, i64) = bench
        .app
        .read(|db| {
            let sql = "select (select count(*) from sample), (select sum(refused) from batch)";
            Ok(db.query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?)
        })
        .unwrap();
    assert_eq!(kept, (2, 1));
    // It does not come back for ever.
    assert!(bench.app.ingest(again).unwrap().duplicate);
}

#[test]
fn a_batch_that_bobbin_fails_at_without_end_is_refused_whole() {
    let bench = Bench::new();
    let records: Vec<Value> = (0..20).map(|at| sample(100 + at, 1.0)).collect();
    let mut job = BatchJob::new(batch(1, &records), None, Box::new(drop));
    bench
        .app
        .write_with(move |_, ingest| {
            let mut rounds = 0;
            for index in 0.. {
                ingest.line = Some(index);
                if !job.panicked(ingest) {
                    break;
                }
                rounds += 1;
            }
            assert_eq!(rounds, 9);
            Ok(())
        })
        .unwrap();
}

#[test]
fn workers_that_are_gone_were_there_before() {
    let bench = Bench::new();
    let gone = |seconds, compute, workers| {
        with(
            sample(seconds, compute),
            json!({"workers": workers, "threads": 0, "memory_limit_bytes": null, "memory_used_bytes": null}),
        )
    };
    let gibibyte = json!({"memory_limit_bytes": 1 << 30});
    // Time of four threads of two workers: 4 s, then 8 s more, and 8 s of which nothing is known.
    bench.send(batch(
        1,
        &[
            with(sample(100, 2.0), gibibyte),
            gone(110, 6.0, 0),
            gone(120, 10.0, 5),
        ],
    ));
    let told: (i64, i64, i64) = bench
        .app
        .read(|db| {
            let sql = "select thread_micros, worker_micros, memory_mib_seconds from cluster_total";
            Ok(db.query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?)
        })
        .unwrap();
    assert_eq!(told, (20_000_000, 6_000_000, 3 * 1_024));
}

#[test]
fn a_switch_that_goes_off_takes_the_traceback_out_of_the_fingerprint() {
    let switches =
        json!({"code": true, "profile": true, "exceptions": false, "events_allow": ["*"]});
    let off = with(facts(30), json!({ "switches": switches }));
    let failed = |id: &str, function: &str| {
        with(
            exception(10, id, 1),
            json!({"traceback": format!("  File \"work.py\", line 7, in {function}\n")}),
        )
    };
    let failures = [failed("a", "load"), failed("b", "save")];
    let off = batch(3, &[off]);
    let kinds = |bench: &Bench| -> i64 {
        let sql = "select count(distinct fingerprint) from exception";
        bench
            .app
            .read(|db| Ok(db.query_one(sql, [], |row| row.get(0))?))
            .unwrap()
    };
    let bench = Bench::new();
    bench.send(batch(1, &failures));
    assert_eq!(kinds(&bench), 2);
    bench.send(off.clone());
    assert_eq!(kinds(&bench), 1);
    let failures = batch(1, &failures);
    let [late, early] = told(&[failures.clone(), off.clone()], &[off, failures]);
    assert_eq!(late, early);
}

#[test]
fn an_exception_keeps_its_text_where_a_later_record_has_none() {
    let whole = with(
        exception(10, "e", 1),
        json!({"traceback": "  File \"work.py\", line 7, in load\n"}),
    );
    let bare = with(
        exception(20, "e", 3),
        json!({"message": null, "traceback": null, "details": null}),
    );
    let alone = with(whole.clone(), json!({"exception_id": "f"}));
    let batches = [batch(1, &[whole, alone]), batch(3, &[bare])];
    let bench = Bench::new();
    for batch in &batches {
        bench.send(batch.clone());
    }
    let kept: (i64, i64, i64) = bench
        .app
        .read(|db| {
            let sql = "select count, count(message_sealed), count(traceback_sealed) from exception
                where exception_id = 'e'";
            Ok(db.query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?)
        })
        .unwrap();
    assert_eq!(kept, (3, 1, 1));
    let kinds: i64 = bench
        .app
        .read(|db| {
            let sql = "select count(distinct fingerprint) from exception";
            Ok(db.query_one(sql, [], |row| row.get(0))?)
        })
        .unwrap();
    assert_eq!(kinds, 1);
    let [first, second] = batches;
    let [early, late] = told(&[first.clone(), second.clone()], &[second, first]);
    assert_eq!(early, late);
}

#[test]
fn a_group_that_gets_another_prefix_is_found_by_that_alone() {
    let bench = Bench::new();
    let named =
        |seconds, id, prefix: &str| with(group(seconds, id, 1.0), json!({"prefix": prefix}));
    let prefixes = || -> String {
        let sql = "select group_concat(n.text order by n.text) from cluster_prefix p join name n on n.id = p.prefix_id";
        bench
            .app
            .read(|db| Ok(db.query_one(sql, [], |row| row.get(0))?))
            .unwrap()
    };
    bench.send(batch(1, &[named(1, "g1", "inc"), named(1, "g2", "inc")]));
    bench.send(batch(3, &[named(2, "g1", "dec")]));
    assert_eq!(prefixes(), "dec,inc");
    bench.send(batch(4, &[named(2, "g2", "dec")]));
    assert_eq!(prefixes(), "dec");
}

#[test]
fn overlapping_batches_are_counted_once() {
    let records = [
        sample(10, 1.0),
        sample(20, 2.0),
        sample(30, 3.0),
        sample(40, 4.0),
    ];
    let lapped = [
        batch(2, &records[1..3]),
        batch(3, &records[2..]),
        batch(1, &records),
    ];
    let [whole, lapped] = told(&[batch(1, &records)], &lapped);
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

/// The answers of commands about the first cluster.
fn asked(bench: &Bench) -> String {
    [
        "cluster",
        "exceptions",
        "computations",
        "workers",
        "profile",
    ]
    .map(|command| crate::api::call(&bench.app, command, r#"{"id": 1}"#).unwrap())
    .concat()
}

#[test]
fn each_switch_that_is_off_takes_out_what_is_stored_and_what_still_comes() {
    let canaries = json!({
        "code": ["canary-code", "canary-line"],
        "profile": ["/home/ada/work.py"],
        "exceptions": ["canary-message", "canary-traceback", "canary-details"],
        "user": ["\"ada\""],
        "host": ["laptop", "127.0.0.1", "tcp://", "name-w1"],
        "paths": ["~/python", "/home/ada"],
    });
    let switches = |off: Option<&str>| {
        let mut all = json!({"code": true, "profile": true, "events_allow": ["*"]});
        if let Some(off) = off {
            all[off] = false.into();
        }
        json!({"switches": all})
    };
    let failed = |second: i64, id: &str| {
        with(
            exception(second, id, 1),
            json!({"details": "canary-details"}),
        )
    };
    let all = |second: i64, id: &str| {
        [
            computation(second, id, Some("canary-code")),
            failed(second, id),
            worker(second, "w1", "joined"),
            sampled(second, Some("inc")),
        ]
    };
    let on = with(facts(0), switches(None));
    let canaries = canaries.as_object().unwrap();
    for (switch, gone) in canaries {
        let off = with(facts(30), switches(Some(switch)));
        for late in [false, true] {
            let bench = Bench::new();
            let before = batch(1, &[&[on.clone()][..], &all(10, "a")].concat());
            let forbids = batch(6, std::slice::from_ref(&off));
            if late {
                bench.send(forbids.clone()).send(before);
            } else {
                bench.send(before);
                let shown = asked(&bench);
                for canary in canaries.values().flat_map(|list| list.as_array().unwrap()) {
                    let canary = canary.as_str().unwrap();
                    assert!(
                        shown.contains(canary),
                        "{canary} is in what is looked at: {shown}"
                    );
                }
                bench.send(forbids);
            }
            // Turned on again by somebody: what was off stays off.
            bench
                .send(batch(7, &all(40, "b")))
                .send(batch(11, std::slice::from_ref(&on)));
            let shown = asked(&bench);
            for canary in gone.as_array().unwrap() {
                let canary = canary.as_str().unwrap();
                assert!(!shown.contains(canary), "{switch}: {canary} in {shown}");
            }
            let page =
                crate::api::cluster(&bench.app, crate::api::ClusterRequest { id: 1 }).unwrap();
            let since: Vec<_> = page.facts.off_since.into_iter().collect();
            assert_eq!(since, [(switch.clone(), Micros(at(30)))]);
            let profiles = page.losses.dropped_records.get("profile").copied();
            assert_eq!(profiles, (switch == "profile").then_some(2), "late: {late}");
        }
    }
}

#[test]
fn lines_are_counted_only_where_code_is_on() {
    let lines =
        json!({"lines": {"frame": [1], "line": [11], "text": [3], "ended": [2], "samples": [2]}});
    let sampled = |second| with(sampled(second, None), lines.clone());
    let switched = |second, code: bool| {
        with(
            facts(second),
            json!({"switches": {"code": code, "profile": true, "events_allow": ["*"]}}),
        )
    };
    let counted = |bench: &Bench| {
        let packed = "select packed from profile_stack order by seq";
        let read = |db: &rusqlite::Connection| {
            let mut rows = db.prepare(packed)?;
            let rows = rows.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
        };
        let stacks = bench.app.read(read).unwrap().into_iter();
        stacks
            .map(|packed| Stacks::unpack(&packed).unwrap().lines.len())
            .collect::<Vec<_>>()
    };
    let bench = Bench::new();
    bench.send(batch(1, &[switched(0, true), sampled(10), sampled(20)]));
    assert_eq!(counted(&bench), [1, 1]);
    // What came before goes, too.
    bench.send(batch(4, &[switched(30, false), sampled(40)]));
    assert_eq!(counted(&bench), [0, 0, 0]);
}

#[test]
fn rows_without_end_are_counted_and_not_stored() {
    let bench = Bench::new();
    let mut seq = 1;
    let mut send = |records: &[Value]| {
        bench.send(batch(seq, records));
        seq += records.len() as u64;
    };
    for chunk in 0..3 {
        let topics: Vec<Value> = (0..400)
            .map(|topic| unsent(topic, &format!("topic-{}", chunk * 400 + topic), 1))
            .collect();
        send(&topics);
    }
    // Those that are known still change.
    send(&[unsent(900, "topic-0", 50), unsent(900, "topic-1199", 50)]);
    let (topics, counted, names): (u64, u64, u64) = bench
        .app
        .read(|db| {
            let sql = "select (select count(*) from topic), (select sum(count) from topic),
                       (select count(*) from name where text like 'topic-%')";
            Ok(db.query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?)
        })
        .unwrap();
    assert_eq!((topics, counted, names), (1_000, 1_049, 1_000));
    let page = crate::api::cluster(&bench.app, crate::api::ClusterRequest { id: 1 }).unwrap();
    assert_eq!(page.losses.dropped_records["event"], 201);
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
    let app = App::open(dir.path(), Role::Owner, Arc::clone(&clock) as _).unwrap();
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
