//! What was put together is what a recomputation gives, at every moment.

use std::collections::BTreeMap;
use std::time::Instant;

use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::json;

use super::days;
use super::profiles::Profiles;
use crate::ingest::tests::story;
use crate::model::Micros;
use crate::query::Counted;
use crate::query::{Used, hours};
use crate::store::{DayHours, Named, Stacks};
use crate::testing::*;
use crate::wire::Batch;

mod history;
mod stalls;
mod turns;

const DAY: i64 = 24 * Micros::HOUR;
fn rows(db: &Connection, sql: &str) -> Vec<Vec<Cell>> {
    let mut statement = db.prepare(sql).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| (0..columns).map(|at| row.get(at)).collect());
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// Every day is packed or stale, a pack has the hours of its day, and `usage_ever` the sums of all clusters.
fn check_days(db: &Connection) {
    let listed = rows(
        db,
        "select distinct hour / 24 from cluster_hour where hour / 24 not in (select day from usage_day_stale) order by 1",
    );
    assert_eq!(rows(db, "select day from usage_day order by day"), listed);
    for row in rows(db, "select day, packed from usage_day") {
        let [Cell::Integer(day), Cell::Blob(packed)] = &row[..] else {
            panic!("{row:?}");
        };
        let day_hours = DayHours::unpack(packed).unwrap();
        let packed: Vec<Vec<Cell>> = day_hours
            .hours
            .iter()
            .map(|one| {
                let named = Named::unpack(day_hours.named[one.named as usize]).unwrap();
                let texts = [named.user, named.host, named.project];
                let whole = [day * 24 + one.hour, one.cluster]
                    .into_iter()
                    .chain(one.sums);
                let peaks = [Some(one.workers_peak), one.memory_peak_bytes];
                let peaks =
                    peaks.map(|peak| peak.map_or(Cell::Null, |peak| Cell::Integer(peak as i64)));
                let texts = texts.map(|text| text.map_or(Cell::Null, Cell::Text));
                whole.map(Cell::Integer).chain(peaks).chain(texts).collect()
            })
            .collect();
        let stored = format!(
            "select h.hour, h.cluster_id, h.compute_micros, h.transfer_micros, h.disk_micros, h.other_micros,
                h.thread_micros, h.worker_micros, h.memory_mib_seconds, h.tasks_completed, h.tasks_erred,
                h.result_bytes, h.workers_peak, h.memory_peak_bytes, c.user, c.host, c.project
             from cluster_hour as h join cluster as c on c.id = h.cluster_id
             where h.hour / 24 = {day} order by h.cluster_id, h.hour"
        );
        assert_eq!(packed, rows(db, &stored));
    }
    let summed = "coalesce(sum(compute_micros), 0), coalesce(sum(thread_micros), 0), coalesce(sum(worker_micros), 0),
        coalesce(sum(memory_mib_seconds), 0), coalesce(sum(tasks_completed), 0), coalesce(max(workers_peak), 0)";
    assert_eq!(
        rows(
            db,
            &format!("select sum(clusters), {summed} from usage_ever")
        ),
        rows(
            db,
            &format!("select coalesce(sum(samples > 0), 0), {summed} from cluster_total")
        )
    );
}

/// What is told of some hours, from packs and from rows.
fn told_hours(db: &Connection, first: i64, end: i64) -> Vec<(i64, i64, Option<String>, Used)> {
    let found = hours(db, &Counted::default(), first, end).unwrap();
    let mut told: Vec<_> = found
        .hours
        .iter()
        .map(|one| {
            let user = found.named[one.named as usize].user.clone();
            (one.hour, one.cluster, user, one.used)
        })
        .collect();
    told.sort_by_key(|one| (one.0, one.1));
    told
}

/// Samples of each function path and line of each cluster and prefix, and how many there are in all.
fn profiles(db: &Connection) -> Vec<Vec<Cell>> {
    let mut told = Vec::new();
    let sql = "select i.instance_id, p.prefix_id, s.packed from profile as p
        join profile_stack as s on s.instance_id = p.instance_id and s.seq = p.seq
        join instance as i on i.id = p.instance_id";
    let mut paths: BTreeMap<String, u64> = BTreeMap::new();
    for row in rows(db, sql) {
        let [of, prefix, Cell::Blob(packed)] = &row[..] else {
            panic!("{row:?}");
        };
        let stacks = Stacks::unpack(packed).unwrap();
        let mut named: Vec<String> = Vec::new();
        for &(parent, frame) in &stacks.stacks {
            let below = parent.map_or_else(
                || format!("{of:?} {prefix:?}"),
                |parent| named[parent as usize].clone(),
            );
            named.push(format!("{below} {}", stacks.frames[frame as usize]));
        }
        for &(stack, count) in &stacks.leaves {
            *paths.entry(named[stack as usize].clone()).or_default() += count;
        }
        for one in &stacks.lines {
            let function = stacks.frames[one.frame as usize];
            for (what, count) in [("at", one.samples), ("ended at", one.ended)] {
                let place = format!("{of:?} {prefix:?} {function} {what} {:?}", one.line);
                *paths.entry(place).or_default() += count;
            }
        }
    }
    for (path, count) in paths {
        told.push(vec![Cell::Text(path), Cell::Integer(count as i64)]);
    }
    told.extend(rows(
        db,
        "select i.instance_id, p.prefix_id, sum(p.samples), sum(p.unattributed), min(p.from_micros), max(p.to_micros)
         from profile as p join instance as i on i.id = p.instance_id group by 1, 2 order by 1, 2",
    ));
    told
}

/// Profiles of two hours of two days, of two prefixes and none.
fn profiled() -> Vec<Batch> {
    let mut records = vec![on()];
    for beat in 1..40 {
        let prefix = ["inc", "dec"].get(beat as usize % 3).copied();
        let day = if beat > 20 { 86_400 } else { 0 };
        // Also as an older plugin tells it.
        let lines = match beat % 4 {
            0 => json!({}),
            _ => json!({"lines": {
                "frame": [0, 1, 1], "line": [4, 11, null], "text": [null, 3, null], "ended": [3, 1, 1], "samples": [5, 1, 1],
            }}),
        };
        records.push(with(sampled(day + beat * 170, prefix), lines));
    }
    let parts = records.chunks(3).enumerate();
    parts
        .map(|(at, part)| batch(1 + 3 * at as u64, part))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(12), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sample_is_lost_or_counted_twice_when_profiles_are_put_together(
        order in Just((0..profiled().len()).collect::<Vec<_>>()).prop_shuffle(),
        merged in proptest::collection::vec((0usize..30, 0i64..60), 0..4),
    ) {
        let (plain, bench, story) = (Bench::new(), Bench::new(), profiled());
        for batch in &story {
            plain.send(batch.clone());
        }
        for (nth, &at) in order.iter().chain(&order).enumerate() {
            bench.send(story[at].clone());
            for (_, days) in merged.iter().filter(|(when, _)| *when == nth) {
                finish(&bench, *days);
            }
        }
        let before = bench.app.read(|db| Ok(profiles(db))).unwrap();
        let records = |bench: &Bench| bench.app.read(|db| Ok(rows(db, "select 1 from profile").len())).unwrap();
        finish(&bench, 3);
        prop_assert_eq!(&before, &bench.app.read(|db| Ok(profiles(db))).unwrap());
        // An hour of the first day, two of the second; three kinds each.
        prop_assert!(records(&bench) <= 9, "{}", records(&bench));
        finish(&bench, 60);
        let after = bench.app.read(|db| Ok(profiles(db))).unwrap();
        prop_assert_eq!(&before, &after);
        prop_assert_eq!(records(&bench), 6);
        // The batches once more.
        for batch in story {
            bench.send(batch);
        }
        prop_assert_eq!(&after, &bench.app.read(|db| Ok(profiles(db))).unwrap());
        prop_assert_eq!(after.len(), plain.app.read(|db| Ok(profiles(db))).unwrap().len());
    }
}

/// A profile of so many functions from a first one on, each on its own stack with one sample.
fn wide(seconds: i64, first: usize, functions: usize) -> serde_json::Value {
    let every = || (0..functions).collect::<Vec<_>>();
    let names: Vec<String> = every()
        .iter()
        .map(|at| format!("f{}", first + at))
        .collect();
    with(
        sampled(seconds, None),
        json!({
            "samples": functions, "unattributed": 0, "strings": names,
            "frames": {
                "name": every(), "file": every(), "line": vec![1; functions],
                "text": vec![Option::<u32>::None; functions],
            },
            "stacks": {"parent": vec![-1; functions], "frame": every()},
            "leaves": {"stack": every(), "count": vec![1; functions]},
        }),
    )
}

fn on() -> serde_json::Value {
    with(
        facts(0),
        json!({"switches": {"code": true, "profile": true, "events_allow": ["*"]}}),
    )
}

#[test]
fn what_is_put_together_is_no_larger_than_what_can_be_sent() {
    let bench = Bench::new();
    let parts = [
        wide(100, 0, 9_000),
        wide(200, 6_000, 9_000),
        wide(300, 20_000, 9_000),
        wide(400, 29_000, 9_000),
    ];
    bench.send(batch(1, &[on()]));
    for (at, part) in parts.into_iter().enumerate() {
        bench.send(batch(2 + at as u64, &[part]));
    }
    finish(&bench, 60);
    let stacks: Vec<usize> = bench
        .app
        .read(|db| {
            let packed = rows(db, "select packed from profile_stack order by seq");
            Ok(packed
                .iter()
                .map(|row| match &row[0] {
                    Cell::Blob(packed) => Stacks::unpack(packed).unwrap().stacks.len(),
                    other => panic!("{other:?}"),
                })
                .collect())
        })
        .unwrap();
    assert_eq!(stacks, [15_000, 18_000]);
}

#[test]
fn a_profile_that_cannot_be_read_holds_up_no_other() {
    let bench = Bench::new();
    let parts: Vec<_> = (1..5).map(|beat| sampled(beat * 100, None)).collect();
    bench.send(batch(1, &[on()])).send(batch(2, &parts));
    bench
        .app
        .write(|db| {
            db.execute(
                "update profile_stack set packed = x'ff00' where seq = 3",
                [],
            )?;
            Ok(())
        })
        .unwrap();
    finish(&bench, 60);
    let told = |sql: &'static str| bench.app.read(|db| Ok(rows(db, sql))).unwrap();
    let number = |value| vec![vec![Cell::Integer(value)]];
    assert_eq!(told("select count(*) from profile_due"), number(0));
    assert_eq!(told("select count(*) from profile"), number(2));
    assert_eq!(told("select sum(samples) from profile"), number(4 * 6));
}

fn finish(bench: &Bench, days: i64) {
    let now = Micros(at(0) + days * DAY);
    bench
        .app
        .write(move |db| {
            let mut profiles = Profiles::default();
            // A step never has the time for more than two profiles.
            while days::step(db, now)? || profiles.step(db, now, Instant::now())? {}
            Ok(())
        })
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(16), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_pack_has_the_hours_of_its_day_whenever_it_is_made(
        order in Just(story().len()).prop_flat_map(|len| Just((0..len).collect::<Vec<_>>()).prop_shuffle()),
        summed in proptest::collection::vec(0usize..200, 0..4),
        gone in 1i64..4,
        from in -3i64..30,
    ) {
        let (bench, story) = (Bench::new(), story());
        for (nth, &at) in order.iter().chain(&order).enumerate() {
            bench.send(story[at].clone());
            if summed.contains(&nth) {
                finish(&bench, 3);
                bench.app.read(|db| { check_days(db); Ok(()) }).unwrap();
            }
        }
        bench.app.read(|db| { check_days(db); Ok(()) }).unwrap();
        bench.app.write(move |db| {
            db.execute("delete from cluster where id = ?1", [gone])?;
            Ok(())
        }).unwrap();
        bench.app.read(|db| { check_days(db); Ok(()) }).unwrap();
        // From some hour on, whatever is packed.
        let (first, end) = (at(0) / Micros::HOUR + from, at(0) / Micros::HOUR + from + 30);
        let before = bench.app.read(|db| Ok(told_hours(db, first, end))).unwrap();
        finish(&bench, 3);
        prop_assert_eq!(before, bench.app.read(|db| Ok(told_hours(db, first, end))).unwrap());
        bench.app.read(|db| {
            check_days(db);
            assert!(rows(db, "select * from usage_day_stale").is_empty());
            assert!(!rows(db, "select * from usage_day").is_empty());
            Ok(())
        }).unwrap();
    }
}

#[test]
fn a_day_that_goes_on_is_left_alone() {
    let bench = Bench::new();
    bench.send(batch(1, &[sample(10, 1.0), sample(3 * 3_600, 2.0)]));
    finish(&bench, 0);
    let days = |bench: &Bench| {
        bench
            .app
            .read(|db| Ok(rows(db, "select 1 from usage_day").len()))
    };
    assert_eq!(days(&bench).unwrap(), 0);
    finish(&bench, 1);
    assert_eq!(days(&bench).unwrap(), 1);
    finish(&bench, 2);
    assert_eq!(days(&bench).unwrap(), 2);
}
