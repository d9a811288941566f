//! Any order, any repetition: the same tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::api::{App, Role};
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
    "select c.scheduler_id, n.text from metric_word w join name n on n.id = w.name_id
     join cluster c on c.id = w.cluster_id order by 1, 2",
    "select i.instance_id as of, n.text, p.* from profile p left join name n on n.id = p.prefix_id
     join instance i on i.id = p.instance_id order by 1, p.seq",
    "select i.instance_id as of, s.* from profile_stack s join instance i on i.id = s.instance_id order by 1, s.seq",
    "select * from usage_ever",
    "select f.name, p.path, f.line, c.scheduler_id from cluster_frame u join frame f on f.id = u.frame_id
     join frame_file p on p.id = f.file_id join cluster c on c.id = u.cluster_id order by 1, 2, 3, 4",
    "select f.name, p.path, f.line from frame f join frame_file p on p.id = f.file_id order by 1, 2, 3",
    "select path from frame_file order by 1",
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
    "unchecked",
    "folded_seq",
    // Counted later.
    "stalled_micros",
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
        let sql = "select concat(f.name, ' ', p.path, ' ', f.line) from frame f
            join frame_file p on p.id = f.file_id where f.id = ?1";
        let number = stacks.frames[place as usize];
        db.query_one(sql, [number], |row| row.get(0)).unwrap()
    };
    let told = stacks.stacks.iter();
    let told: Vec<_> = told
        .map(|&(parent, place)| (parent, named(place)))
        .collect();
    format!("{told:?} {:?}", stacks.leaves)
}

pub(super) fn tables(app: &App) -> Vec<BTreeMap<String, String>> {
    app.read(|db| Ok(dump(db))).unwrap()
}

/// Two instances of one cluster and one of another, with every kind of record, over several hours.
pub(in crate::ingest) fn story() -> Vec<Batch> {
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
pub(super) fn told(one: &[Batch], two: &[Batch]) -> [Vec<BTreeMap<String, String>>; 2] {
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
    #![proptest_config(ProptestConfig { cases: cases(24), failure_persistence: None, ..ProptestConfig::default() })]

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
