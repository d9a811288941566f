//! Stalled time, by the hour, of each cluster and ever.

use proptest::collection::vec;

use super::super::stalled;
use super::*;
use crate::api::{ClusterOrder, ClustersRequest, Direction};

/// A sample of a cluster that began so many seconds after the beginning of all, and so many later: four threads, and the last task
/// ended after nine seconds. `assigned`: there is work that may stall, once none ended for a minute.
pub(super) fn stuck(began: i64, seconds: i64, assigned: bool) -> serde_json::Value {
    let stall = json!({"limit_micros": 60 * SECOND, "same_stacks": true, "group_id": "g1"});
    with(
        sample(seconds, 10.0),
        json!({
            "at_micros": at(began + seconds), "last_completed_micros": at(began + 9), "stall": assigned.then_some(stall),
            "totals": {"compute": 10.0, "thread_seconds": seconds * 4, "tasks_completed": 5, "tasks_erred": 0,
                "result_bytes": 7},
        }),
    )
}

/// The sums of stalled hours are those that are kept: of each cluster, and of all that are in sums.
fn check_sums(db: &Connection) {
    let sums =
        "select t.cluster_id, total(h.stalled_micros) = t.stalled_micros from cluster_total as t
        left join stalled_hour as h on h.cluster_id = t.cluster_id group by t.cluster_id";
    for row in rows(db, sums) {
        assert_eq!(row[1], Cell::Integer(1), "{row:?}");
    }
    assert_eq!(
        rows(db, "select stalled_micros from usage_ever"),
        rows(
            db,
            "select coalesce(sum(stalled_micros), 0) from stalled_hour
             where cluster_id in (select cluster_id from cluster_total)"
        )
    );
}

/// The stalled seconds of each hour, once all that is due was counted.
pub(super) fn stalled_seconds(bench: &Bench) -> Vec<(i64, i64)> {
    let now = Micros(at(0) + DAY);
    bench
        .app
        .write(move |db| {
            while stalled::step(db, now)? {}
            Ok(())
        })
        .unwrap();
    let hours = "select hour, stalled_micros / 1000000 as seconds from stalled_hour order by 1, 2";
    bench
        .app
        .read(|db| {
            assert!(rows(db, "select * from stalled_due").is_empty());
            check_sums(db);
            let mut statement = db.prepare(hours)?;
            let hours = statement.query_map([], |row| {
                Ok((row.get::<_, i64>(0)? - at(0) / Micros::HOUR, row.get(1)?))
            })?;
            Ok(hours.collect::<rusqlite::Result<_>>()?)
        })
        .unwrap()
}

#[test]
fn stalled_time_follows_from_the_samples_in_any_order_and_stays_when_they_are_removed() {
    let told = |second: i64, assigned: bool| stuck(0, second, assigned);
    // Four threads: not yet for longer than the limit, then for 90 s; nothing assigned; then for 3,500 s.
    let story = [
        batch(1, &[facts(0), told(10, true), told(60, true)]),
        batch(4, &[told(100, true), told(150, true)]),
        batch(6, &[told(200, false)]),
        batch(7, &[told(3_700, true)]),
    ];
    let bench = Bench::new();
    bench.at(3_720);
    for (nth, counted) in [
        (0, vec![]),
        (3, vec![(1, 14_560)]),
        // What comes late changes what was counted.
        (2, vec![(1, 14_000)]),
        (1, vec![(0, 360), (1, 14_000)]),
        (2, vec![(0, 360), (1, 14_000)]),
    ] {
        bench.send(story[nth].clone());
        assert_eq!(stalled_seconds(&bench), counted, "{nth}");
    }
    let remove = |db: &Connection| {
        db.execute("delete from sample where seq < 6", [])?;
        db.execute("update instance set samples_from_seq = 6", [])?;
        Ok(())
    };
    bench.app.write(remove).unwrap();
    bench.send(batch(8, &[told(3_710, true)]));
    assert_eq!(stalled_seconds(&bench), [(0, 360), (1, 14_040)]);
}

#[test]
fn the_list_by_stalled_time_is_as_it_was_last_counted_and_stays_when_samples_are_removed() {
    let stuck = |second: i64| stuck(0, second, true);
    let bench = Bench::new();
    bench.at(500);
    let send = |cluster: &str, first: u64, records: &[serde_json::Value]| {
        bench.send(batch_of(cluster, "i", first, records));
    };
    send("one", 1, &[facts(0), stuck(10), stuck(60), stuck(100)]);
    let over = [facts(0), stuck(10), stuck(60), stuck(150), stop(160)];
    send("two", 1, &over);
    send("three", 1, &[facts(0), stuck(10), stop(20)]);
    let listed = || {
        stalled_seconds(&bench);
        [Direction::Descending, Direction::Ascending].map(|direction| {
            let request = ClustersRequest {
                order: ClusterOrder::StalledSeconds,
                direction,
                ..ClustersRequest::default()
            };
            let rows = crate::api::clusters(&bench.app, request).unwrap().rows;
            rows.iter()
                .map(|row| (row.id, row.stalled_seconds as i64))
                .collect::<Vec<_>>()
        })
    };
    let both_ways = |told: [(i64, i64); 3]| {
        let mut turned = told;
        turned.reverse();
        [told.to_vec(), turned.to_vec()]
    };
    assert_eq!(listed(), both_ways([(2, 360), (1, 160), (3, 0)]));
    send("one", 5, &[stuck(400)]);
    let counted = both_ways([(1, 1_360), (2, 360), (3, 0)]);
    assert_eq!(listed(), counted);
    let remove = |db: &Connection| {
        db.execute("delete from sample", [])?;
        db.execute("update instance set samples_from_seq = 6", [])?;
        db.execute("insert into stalled_due select id, 0 from cluster", [])?;
        Ok(())
    };
    bench.app.write(remove).unwrap();
    assert_eq!(listed(), counted);
}

/// Three clusters that stall, go on and stall again, a sample in each batch.
fn three() -> Vec<Batch> {
    let seconds = [10, 60, 100, 150, 200, 260, 330, 3_700, 3_800, 7_300];
    let clusters = ["one", "two", "three"].into_iter().enumerate();
    clusters
        .flat_map(|(place, cluster)| {
            let told = seconds.into_iter().enumerate();
            told.map(move |(nth, second)| {
                let record = stuck(0, second + 7 * place as i64, (nth + place) % 5 != 4);
                batch_of(cluster, "i", 1 + nth as u64, &[record])
            })
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(8), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_ever_stalled_is_the_sum_of_the_hours_of_the_clusters_that_are_there(
        order in Just(three().len()).prop_flat_map(|len| Just((0..len).collect::<Vec<_>>()).prop_shuffle()),
        counted in vec(0usize..60, 0..6),
        removed in vec(0usize..60, 0..2),
        gone in 1i64..4,
    ) {
        let (plain, bench, story) = (Bench::new(), Bench::new(), three());
        for batch in &story {
            plain.send(batch.clone());
        }
        let wanted = stalled_seconds(&plain);
        prop_assert!(wanted.len() > 3, "{wanted:?}");
        for (nth, &at) in order.iter().chain(&order).enumerate() {
            bench.send(story[at].clone());
            if counted.contains(&nth) {
                stalled_seconds(&bench);
            }
            if nth > 30 && removed.contains(&nth) {
                // All came and was counted: without its samples it stays as it is, however often it is counted again.
                stalled_seconds(&bench);
                let remove = |db: &Connection| {
                    db.execute("delete from sample", [])?;
                    db.execute("update instance set samples_from_seq = 11", [])?;
                    db.execute("insert or ignore into stalled_due select id, 0 from cluster", [])?;
                    Ok(())
                };
                bench.app.write(remove).unwrap();
            }
        }
        prop_assert_eq!(&stalled_seconds(&bench), &wanted);
        // First it is in no sum, then its hours go.
        for table in ["cluster_total where cluster_id", "cluster where id"] {
            let delete = move |db: &Connection| {
                db.execute(&format!("delete from {table} = ?1"), [gone])?;
                Ok(())
            };
            bench.app.write(delete).unwrap();
            bench.app.read(|db| { check_sums(db); Ok(()) }).unwrap();
        }
        let left = stalled_seconds(&bench);
        prop_assert!(!left.is_empty() && left.len() < wanted.len(), "{left:?}");
    }
}

#[test]
fn a_sum_without_bounds_stops_and_is_taken_back_without_falling_below_nothing() {
    let bench = Bench::new();
    for cluster in ["one", "two"] {
        bench.send(batch_of(cluster, "i", 1, &[sample(10, 1.0)]));
    }
    for (change, ever) in [
        ("update cluster_total set stalled_micros = 9e18", 1 << 61),
        (
            "update cluster_total set stalled_micros = 5 where cluster_id = 1",
            5,
        ),
        ("delete from cluster_total where cluster_id = 2", 0),
        ("update cluster_total set stalled_micros = 7", 7),
    ] {
        let run = move |db: &Connection| Ok(db.execute_batch(change)?);
        bench.app.write(run).unwrap();
        let sum = |db: &Connection| Ok(rows(db, "select stalled_micros from usage_ever"));
        let sum = bench.app.read(sum).unwrap();
        assert_eq!(sum, [[Cell::Integer(ever)]], "{change}");
    }
}
