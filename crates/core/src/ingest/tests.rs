//! Any order, any repetition: the same tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::api::{App, Role};
use crate::model::Micros;
use crate::store::Stacks;
use crate::testing::*;
use crate::wire::Batch;

/// Tables that follow from the records alone. What depends on who came first is left out: numbers given in order of
/// arrival are replaced by what they stand for, and of sealed values, which are random, only that they are there.
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
    "select c.scheduler_id, n.text from cluster_prefix p join name n on n.id = p.prefix_id
     join cluster c on c.id = p.cluster_id order by 1, 2",
    "select c.scheduler_id, t.* from tag t join cluster c on c.id = t.cluster_id order by 1, t.name, t.value",
    "select c.scheduler_id, t.* from cluster_text t join cluster c on c.id = t.rowid order by 1",
    "select * from computation order by computation_id",
    "select * from computation_code order by computation_id",
    "select within, row_id, rule, what, count(*) from secret group by 1, 2, 3, 4 order by 1, 2, 3, 4",
    "select n.text, e.* from exception e join name n on n.id = e.type_id order by e.exception_id",
    "select i.instance_id as of, n.text, e.* from event e join name n on n.id = e.topic_id
     join instance i on i.id = e.instance_id order by 1, e.seq",
    "select i.instance_id as of, d.* from dropped d join instance i on i.id = d.instance_id order by 1, d.seq",
    "select i.instance_id as of, k.* from kept k join instance i on i.id = k.instance_id order by 1, k.seq",
    "select c.scheduler_id, s.* from cluster_switch s join cluster c on c.id = s.cluster_id order by 1",
    "select i.instance_id as of, w.* from sample_worker w join instance i on i.id = w.instance_id order by 1, w.seq",
    "select i.instance_id as of, w.* from worker_event w join instance i on i.id = w.instance_id order by 1, w.seq",
    "select i.instance_id as of, n.text, t.* from topic t join name n on n.id = t.topic_id
     join instance i on i.id = t.instance_id order by 1, 2",
    "select * from span order by span_id",
    "select p.text as prefix, c.text as context, a.text as activity, u.text as unit, m.* from metric m
     join name p on p.id = m.prefix_id join name c on c.id = m.context_id join name a on a.id = m.activity_id
     join name u on u.id = m.unit_id order by m.span_id, 1, 2, 3, 4",
    "select i.instance_id as of, n.text, p.* from profile p left join name n on n.id = p.prefix_id
     join instance i on i.id = p.instance_id order by 1, p.seq",
    "select i.instance_id as of, s.* from profile_stack s join instance i on i.id = s.instance_id order by 1, s.seq",
    "select * from usage_ever",
    "select f.name, f.file, f.line, c.scheduler_id from cluster_frame u join frame f on f.id = u.frame_id
     join cluster c on c.id = u.cluster_id order by 1, 2, 3, 4",
    "select name, file, line from frame order by 1, 2, 3",
];
const NUMBERED: &[&str] = &[
    "id",
    "cluster_id",
    "instance_id",
    "prefix_id",
    "type_id",
    "topic_id",
    "context_id",
    "activity_id",
    "unit_id",
    "conflicts",
];

fn dump(db: &Connection) -> Vec<BTreeMap<String, String>> {
    let mut rows = Vec::new();
    for sql in DERIVED {
        let mut statement = db.prepare(sql).unwrap();
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let cells = names
                .iter()
                .enumerate()
                .filter(|(_, name)| !NUMBERED.contains(&name.as_str()));
            rows.push(
                cells
                    .map(|(at, name)| {
                        let cell = match row.get::<_, Cell>(at).unwrap() {
                            Cell::Blob(_) if name.ends_with("_sealed") => "sealed".into(),
                            Cell::Blob(packed) if name == "packed" => stacks(db, &packed),
                            cell => format!("{cell:?}"),
                        };
                        (name.clone(), cell)
                    })
                    .collect(),
            );
        }
    }
    rows
}

/// Packed stacks with the names of their functions: the numbers of these depend on which came first.
fn stacks(db: &Connection, packed: &[u8]) -> String {
    let stacks = Stacks::unpack(packed).unwrap();
    let named = |place: u32| -> String {
        let sql = "select concat(name, ' ', file, ' ', line) from frame where id = ?1";
        let number = stacks.frames[place as usize];
        db.query_one(sql, [number], |row| row.get(0)).unwrap()
    };
    let told = stacks.stacks.iter();
    let told: Vec<_> = told
        .map(|&(parent, place)| (parent, named(place)))
        .collect();
    format!("{told:?} {:?}", stacks.leaves)
}

fn tables(app: &App) -> Vec<BTreeMap<String, String>> {
    app.read(|db| Ok(dump(db))).unwrap()
}

/// Two instances of one cluster and one of another, with every kind of record, over several hours.
pub(super) fn story() -> Vec<Batch> {
    let on = json!({"switches": {"code": true, "profile": true, "events_allow": ["*"]}});
    let mut records: Vec<Value> = vec![with(facts(0), on)];
    for beat in 1..30 {
        let seconds = beat * 400;
        records.push(with(
            sample(seconds, beat as f64 * 1.1),
            json!({
                "workers": beat % 7, "last_completed_micros": at(seconds - beat % 5 * 100),
                "stall": if beat % 4 == 0 { Value::Null } else { json!({"limit_micros": beat, "group_id": "g1"}) },
                "workers_each": [["w1", 1.5, beat, null, null, 1, 2]],
            }),
        ));
        records.push(metric(seconds, None, "thread-cpu", beat as f64));
        records.push(metric(
            seconds,
            Some("s1"),
            &format!("a{}", beat % 3),
            beat as f64,
        ));
        records.push(span(seconds, &format!("s{}", beat % 3), &["g1"]));
        records.push(sampled(seconds, (beat % 2 == 0).then_some("inc")));
        records.push(unsent(seconds, &format!("topic-{}", beat % 2), beat as u64));
        records.push(worker(
            seconds,
            "w1",
            if beat % 2 == 0 { "paused" } else { "resumed" },
        ));
        let other = if beat % 4 < 2 { "inc" } else { "dec" };
        records.push(with(
            group(seconds, "g1", beat as f64),
            json!({"prefix": other}),
        ));
        if beat % 3 == 0 {
            records.push(group(seconds, &format!("g{beat}"), 0.25));
            records.push(computation(
                seconds,
                "c1",
                (beat == 6).then_some("canary-code"),
            ));
            let traceback = format!("  File \"work.py\", line 7, in f{}\n", beat % 2);
            records.push(with(
                exception(seconds, &format!("e{}", beat % 2), beat as u64),
                json!({"traceback": traceback, "details": "of Dask's own"}),
            ));
            // Its text had no way.
            records.push(with(
                exception(seconds + 1, &format!("e{}", beat % 2), beat as u64 + 1),
                json!({"message": null, "traceback": null, "details": null}),
            ));
        }
        if beat % 10 == 0 {
            records.push(event(seconds));
            let project = with(facts(seconds), json!({"project": format!("p{beat}")}));
            // Switches that are turned off on the way.
            let off = json!({"switches": {
                "code": beat < 20, "profile": true, "exceptions": beat < 20, "user": beat != 10, "host": beat < 20,
                "paths": beat != 10, "events_allow": if beat < 20 { ["*"] } else { ["all"] },
            }});
            records.push(with(project, off));
            records.push(with(event(seconds), json!({"topic": "mine"})));
            records.push(json!({"kind": "dropped", "at_micros": at(seconds), "what": "event", "count": 2, "reason": "x"}));
            records
                .push(json!({"kind": "later", "at_micros": at(seconds), "of": "a later version"}));
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
    // Profiles that are forbidden only afterwards.
    batches.push(batch_of(
        "Scheduler-3",
        "l",
        1,
        &[sampled(20, None), sampled(30, Some("inc"))],
    ));
    batches.push(batch_of(
        "Scheduler-3",
        "l",
        3,
        &[facts(40), sampled(50, None)],
    ));
    batches
}

/// What two installs with one key for fingerprints have in the end.
fn told(one: &[Batch], two: &[Batch]) -> [Vec<BTreeMap<String, String>>; 2] {
    const KEY: &str = "fingerprint_key";
    let first = Bench::new();
    let dir = tempfile::tempdir().unwrap();
    // With its mode, and that of the folder: others may not read it.
    let private = std::fs::metadata(first.path()).unwrap().permissions();
    std::fs::set_permissions(dir.path(), private).unwrap();
    std::fs::copy(first.path().join(KEY), dir.path().join(KEY)).unwrap();
    let clock = Arc::clone(&first.clock);
    let second = App::open(dir.path(), Role::Owner, clock as _).unwrap();
    for batch in one {
        first.send(batch.clone());
    }
    for batch in two {
        second.ingest(batch.clone()).unwrap();
    }
    [tables(&first.app), tables(&second)]
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
        let [one, two] = told(&in_order, &mixed);
        let other = one.iter().zip(&two).find(|(one, two)| one != two);
        prop_assert!(one == two, "{} and {} rows, first {other:#?}", one.len(), two.len());
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
                "last_completed_micros": time, "stall": {"limit_micros": whole, "same_stacks": null},
                "cpu_percent": 1e18, "workers_each": [["w", 1e18, whole, whole, whole, whole, whole]],
                "totals": {
                    "compute": seconds, "thread_seconds": seconds, "tasks_completed": whole, "tasks_erred": whole,
                    "result_bytes": whole,
                },
            }));
            let samples = with(sampled(20, None), json!({
                "samples": whole, "unattributed": 0, "leaves": {"stack": [1], "count": [whole]}, "to_micros": time.max(at(20)),
            }));
            let gap = 1 + seq as u64 * 1_000_000_000_000;
            let batch = batch_of(&format!("Scheduler-{cluster}"), "i", gap, &[record, samples]);
            prop_assert!(bench.app.ingest(batch).unwrap().refused.is_empty());
        }
        for command in ["overview", "clusters", "cluster", "timeline", "profile", "worker_series"] {
            let answer = crate::api::call(&bench.app, command, r#"{"id": 1}"#);
            let answer = answer.or_else(|_| crate::api::call(&bench.app, command, "{}"));
            prop_assert!(answer.is_ok(), "{command}: {answer:?}");
        }
    }
}
