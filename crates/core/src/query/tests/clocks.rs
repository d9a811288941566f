//! Schedulers whose own clock is wrong, or is set while they run: nothing is lost, nothing lasts less than nothing, and nobody was
//! heard later than now. What a plugin says of itself never goes back in time; what Dask says follows the clock.

use serde_json::{Value, json};

use crate::api::*;
use crate::model::{ClusterState, Micros};
use crate::testing::*;

const A_DAY: i64 = 24 * 3_600;
/// Reports, ten seconds apart by this machine's clock.
const BEATS: i64 = 8;

/// How many seconds a clock is ahead at each report.
struct Clocks {
    name: &'static str,
    plugin: fn(i64) -> i64,
    dask: fn(i64) -> i64,
}

const CLOCKS: [Clocks; 7] = [
    Clocks {
        name: "a day ahead",
        plugin: |_| A_DAY,
        dask: |_| A_DAY,
    },
    Clocks {
        name: "a day behind",
        plugin: |_| -A_DAY,
        dask: |_| -A_DAY,
    },
    Clocks {
        name: "set a day ahead",
        plugin: |beat| if beat < 4 { 0 } else { A_DAY },
        dask: |beat| if beat < 4 { 0 } else { A_DAY },
    },
    Clocks {
        name: "set a day back",
        plugin: |_| 0,
        dask: |beat| if beat < 4 { 0 } else { -A_DAY },
    },
    Clocks {
        name: "set a day ahead, and back again",
        plugin: |beat| if beat < 3 { 0 } else { A_DAY },
        dask: |beat| if (3..6).contains(&beat) { A_DAY } else { 0 },
    },
    Clocks {
        name: "set an hour back, as where summer ends",
        plugin: |_| 0,
        dask: |beat| if beat < 4 { 0 } else { -3_600 },
    },
    Clocks {
        name: "set a day back before its plugin began",
        plugin: |_| -A_DAY,
        dask: |beat| if beat == 0 { 0 } else { -A_DAY },
    },
];

impl Clocks {
    /// The plugin's time of a report, in seconds.
    fn told(&self, beat: i64) -> i64 {
        10 * beat + (self.plugin)(beat)
    }

    /// Dask's time so many seconds after a report.
    fn dasks(&self, beat: i64, seconds: i64) -> i64 {
        10 * beat + (self.dask)(beat) + seconds
    }

    /// The records of a report: four threads, of which less than half a one computes, and a group with a task in each.
    fn records(&self, beat: i64) -> Vec<Value> {
        if beat == 0 {
            let started = json!({"started_micros": at(self.dasks(0, 0))});
            return vec![with(facts(self.told(0)), started)];
        }
        let sums = json!({
            "memory_used_bytes": 100, "last_completed_micros": at(self.dasks(beat, -2)),
            "totals": {"compute": 4.0 * beat as f64, "thread_seconds": 40.0 * beat as f64, "tasks_completed": beat},
        });
        let ends = (1..=beat).map(|beat| (self.dasks(beat, -8), self.dasks(beat, -2)));
        let (first, last) = ends.fold((i64::MAX, i64::MIN), |(first, last), (begin, end)| {
            (first.min(begin), last.max(end))
        });
        let lived = json!({"start_micros": at(first), "stop_micros": at(last)});
        vec![
            with(sample(self.told(beat), 0.0), sums),
            with(group(self.told(beat), "g", 4.0 * beat as f64), lived),
        ]
    }
}

fn send(bench: &Bench, first_seq: u64, records: &[Value]) {
    let receipt = bench.app.ingest(batch(first_seq, records)).unwrap();
    assert!(receipt.refused.is_empty(), "{:?}", receipt.refused);
}

fn row(bench: &Bench) -> ClusterRow {
    let list = clusters(&bench.app, ClustersRequest::default()).unwrap();
    list.rows.into_iter().next().unwrap()
}

/// What was told by a report, in every place in which it is added up.
fn is_whole(bench: &Bench, clocks: &Clocks, beat: i64) {
    let name = clocks.name;
    let (compute, threads) = (4.0 * beat as f64, 40.0 * beat as f64);
    let row = row(bench);
    assert_eq!(
        (row.compute_seconds, row.thread_seconds),
        (compute, threads),
        "{name}"
    );
    let (hours, least, [first, last]) = bench
        .app
        .read(|db| {
            let sql = "select sum(compute_micros), sum(thread_micros), sum(samples),
                 min(min(compute_micros, thread_micros, worker_micros, tasks_completed)), min(hour), max(hour)
                 from cluster_hour";
            Ok(db.query_one(sql, [], |row| {
                let sums: [i64; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
                Ok((sums, row.get::<_, i64>(3)?, [row.get::<_, i64>(4)?, row.get(5)?]))
            })?)
        })
        .unwrap();
    assert_eq!(
        hours,
        [4 * SECOND * beat, 40 * SECOND * beat, beat],
        "{name}"
    );
    assert!(least >= 0, "{name}");
    let hour = |beat: i64| at(clocks.told(beat)).div_euclid(Micros::HOUR);
    assert_eq!([first, last], [hour(1), hour(beat)], "{name}");

    let days = |days: i64| Some(Micros(at(days * A_DAY)));
    let request = OverviewRequest {
        from_micros: days(-2),
        to_micros: days(2),
        edges: vec![],
        by: None,
        cells: vec![],
    };
    let all = overview(&bench.app, request).unwrap();
    for totals in [all.period, all.ever] {
        assert_eq!(
            (totals.compute_seconds, totals.thread_seconds),
            (compute, threads),
            "{name}"
        );
    }

    let request = TimelineRequest {
        id: 1,
        from_micros: None,
        to_micros: None,
        points: 0,
    };
    let line = timeline(&bench.app, request).unwrap();
    assert_eq!(line.at_micros.len() as i64, beat, "{name}");
    assert!(line.at_micros.is_sorted(), "{name}");
    assert!(line.gaps.is_empty(), "{name}");

    let request = ThreadUseRequest {
        id: 1,
        from_micros: None,
        to_micros: None,
        bins: 20,
        prefixes: 1,
    };
    let used = thread_use(&bench.app, request).unwrap();
    let totals = &used.totals;
    let near = |told: f64, wanted: f64| (told - wanted).abs() < 1e-6 * threads;
    assert!(near(totals.thread_seconds, threads), "{name}: {totals:?}");
    assert!(near(totals.seconds.compute, compute), "{name}: {totals:?}");
    assert!(
        near(totals.idle_seconds, threads - compute),
        "{name}: {totals:?}"
    );
    assert!(used.at_micros.is_sorted(), "{name}");
    let shares = [&used.idle, &used.stalled, &used.transfer, &used.other];
    for share in shares.into_iter().flatten().flatten() {
        assert!((0.0..=1.0 + 1e-9).contains(share), "{name}: {share}");
    }
    for there in used.threads.iter().flatten() {
        assert!((0.0..=4.0 + 1e-9).contains(there), "{name}: {there}");
    }
}

#[test]
fn a_cluster_whose_clock_is_wrong_or_is_set_is_as_any_other() {
    for clocks in CLOCKS {
        let name = clocks.name;
        let bench = Bench::new();
        let mut seq = 1;
        for beat in 0..=BEATS {
            let records = clocks.records(beat);
            send(bench.at(10 * beat), seq, &records);
            seq += records.len() as u64;
            let row = row(&bench);
            assert_eq!(row.state, ClusterState::Running, "{name}");
            let evidence = match beat {
                0 => "it just started reporting",
                _ => "last report just now",
            };
            assert_eq!(row.state_evidence, evidence, "{name}");
            assert_eq!(row.last_heard_micros, Micros(at(10 * beat)), "{name}");
            assert_eq!(row.stopped_micros, None, "{name}");
            assert!(
                row.since_completed_micros.is_none_or(|since| since >= 0),
                "{name}"
            );
            if beat > 0 {
                assert_eq!(row.efficiency, Some(0.1), "{name}");
                is_whole(&bench, &clocks, beat);
            }
        }
        // It is silent for as long as it was not heard here, whatever its own clock says.
        bench.at(10 * BEATS + 600);
        let lost = row(&bench);
        assert_eq!(lost.state, ClusterState::Lost, "{name}");
        assert!(
            lost.stopped_micros.unwrap() >= lost.started_micros,
            "{name}"
        );
        let goodbye = stop(clocks.told(BEATS) + 610);
        send(bench.at(10 * BEATS + 610), seq, &[goodbye]);
        let over = row(&bench);
        assert_eq!(over.state, ClusterState::Finished, "{name}");
        assert!(
            over.stopped_micros.unwrap() >= over.started_micros,
            "{name}"
        );
        assert!(over.last_heard_micros <= bench.app.now(), "{name}");
        let lasted: f64 = bench
            .app
            .read(|db| {
                let table = include_str!("../tables/clusters.sql");
                let sql = format!("select lasted_seconds from ({table})");
                Ok(db.query_one(&sql, [], |row| row.get(0))?)
            })
            .unwrap();
        assert!(lasted >= 0.0, "{name}: {lasted}");
        is_whole(&bench, &clocks, BEATS);
    }
}
