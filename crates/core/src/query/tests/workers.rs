//! Workers that come and go, and what they do over time.

use serde_json::{Value, json};

use crate::api::*;
use crate::model::{Micros, WorkerChange, WorkerState};
use crate::testing::*;

fn list(bench: &Bench, limit: u32, offset: u64) -> WorkerList {
    let request = WorkersRequest {
        id: 1,
        worker_id: None,
        limit,
        offset,
    };
    workers(&bench.app, request).unwrap()
}

#[test]
fn workers_that_close_with_their_cluster_are_not_lost() {
    let left = |second, id, cause: &str| {
        with(
            worker(second, id, "left"),
            json!({"cause": cause, "expected": false}),
        )
    };
    let told = |end: Option<i64>| {
        let bench = Bench::new();
        let mut records = vec![
            facts(0),
            worker(1, "w1", "joined"),
            worker(1, "w2", "joined"),
            worker(1, "w3", "joined"),
            left(10, "w1", "closed"),
            left(50, "w2", "closed"),
            left(50, "w3", "memory limit"),
        ];
        records.extend(end.map(stop));
        bench.at(100).send(batch(1, &records));
        list(&bench, 0, 0).lost
    };
    // The one that was killed, and the one that went long before.
    assert_eq!(told(Some(51)), 2);
    assert_eq!(told(None), 3);
}

#[test]
fn a_worker_lives_from_its_first_event_to_its_last() {
    let bench = Bench::new();
    let later = |second, id, event, more: Value| {
        let silent = json!({"address": null, "name": null, "host": null, "threads": null, "memory_limit_bytes": null});
        with(with(worker(second, id, event), silent), more)
    };
    let each =
        json!({"workers_each": [["w2", 150.0, 400, 300, 20, 3, 1500], ["w9", 1.0, 1, 1, 1, 1, 1]]});
    bench.at(100).send(batch(
        1,
        &[
            facts(0),
            worker(1, "w1", "joined"),
            with(
                worker(2, "w2", "joined"),
                json!({"resources": {"GPU": 2.0}}),
            ),
            worker(3, "w3", "joined"),
            worker(4, "w4", "joined"),
            later(10, "w2", "paused", json!({"cause": "memory"})),
            later(20, "w1", "killed", json!({"cause": "memory"})),
            later(21, "w1", "left", json!({"expected": false})),
            later(30, "w3", "left", json!({"expected": true})),
            with(sample(40, 1.0), each),
        ],
    ));
    let found = list(&bench, 0, 0);
    let ids: Vec<_> = found
        .rows
        .iter()
        .map(|row| row.worker_id.as_str())
        .collect();
    assert_eq!(ids, ["w2", "w4", "w3", "w1"]);
    assert_eq!(
        (found.total, found.here, found.lost, found.truncated),
        (4, 2, 1, false)
    );
    let [paused, running, asked, killed] = &found.rows[..] else {
        panic!()
    };
    assert_eq!(
        (paused.state, running.state),
        (WorkerState::Paused, WorkerState::Running)
    );
    assert_eq!(
        (paused.name.as_deref(), paused.threads),
        (Some("name-w2"), Some(2))
    );
    assert_eq!((paused.resources["GPU"], paused.nanny), (2.0, Some(true)));
    let now = paused.now.as_ref().unwrap();
    assert_eq!(
        (now.at_micros, now.cpu_percent, now.lag_micros),
        (Micros(at(40)), Some(150.0), Some(1500))
    );
    assert_eq!(running.now, None);
    assert_eq!(
        (asked.state, asked.left_micros),
        (WorkerState::Gone, Some(Micros(at(30))))
    );
    assert_eq!(
        killed.left_micros,
        Some(Micros(at(20))),
        "it left when it was killed"
    );
    let life: Vec<_> = killed
        .events
        .iter()
        .map(|event| (event.event, event.cause.as_deref()))
        .collect();
    let memory = Some("memory");
    assert_eq!(
        life,
        [
            (WorkerChange::Joined, None),
            (WorkerChange::Killed, memory),
            (WorkerChange::Left, None)
        ]
    );
    assert_eq!(killed.events[2].expected, Some(false));

    let page = list(&bench, 1, 1);
    assert_eq!(
        (page.rows[0].worker_id.as_str(), page.total, page.truncated),
        ("w4", 4, true)
    );
    assert!(list(&bench, 1, u64::MAX).rows.is_empty());
    let alone = |id: &str| {
        let request = WorkersRequest {
            id: 1,
            worker_id: Some(id.into()),
            limit: 1,
            offset: 0,
        };
        workers(&bench.app, request).unwrap()
    };
    let last = alone("w1");
    assert_eq!(last.rows[..], found.rows[3..]);
    assert_eq!(
        (last.total, last.here, last.lost, last.truncated),
        (1, 0, 1, false)
    );
    assert_eq!((alone("w2").lost, alone("nobody").total), (0, 0));
}

#[test]
fn a_long_life_is_told_by_its_last_events() {
    let bench = Bench::new();
    let story: Vec<Value> = (0..50)
        .map(|second| {
            worker(
                second,
                "w1",
                if second % 2 == 0 { "paused" } else { "resumed" },
            )
        })
        .collect();
    bench.send(batch(1, &story));
    let row = list(&bench, 0, 0).rows.remove(0);
    assert_eq!((row.events.len(), row.events_total), (20, 50));
    assert_eq!(
        (row.events[0].at_micros, row.first_seen_micros),
        (Micros(at(30)), Micros(at(0)))
    );
}

fn series(bench: &Bench, measure: WorkerMeasure, points: u32) -> WorkerSeries {
    let request = WorkerSeriesRequest {
        id: 1,
        measure,
        from_micros: None,
        to_micros: None,
        points,
    };
    worker_series(&bench.app, request).unwrap()
}

#[test]
fn few_workers_are_lines_and_many_are_bands() {
    let bench = Bench::new();
    let told = |second: i64, each: Value| with(sample(second, 1.0), json!({"workers_each": each}));
    bench.send(batch(
        1,
        &[
            worker(0, "w1", "joined"),
            told(10, json!([["w1", 10.0, 100, null, null, 1, null]])),
            told(
                20,
                json!([
                    ["w1", 20.0, 200, null, null, 1, null],
                    ["w2", 40.0, 300, null, null, 2, null]
                ]),
            ),
            sample(30, 1.0),
            told(40, json!([["w2", null, 400, null, null, 3, null]])),
        ],
    ));
    let cpu = series(&bench, WorkerMeasure::CpuPercent, 0);
    assert_eq!(cpu.at_micros, [10, 20, 40].map(|second| Micros(at(second))));
    assert_eq!(
        cpu.bands,
        [Some([10.0; 5]), Some([20.0, 25.0, 30.0, 35.0, 40.0]), None]
    );
    let lines: Vec<_> = cpu
        .workers
        .iter()
        .map(|line| (line.name.as_deref(), &line.values[..]))
        .collect();
    assert_eq!(
        lines,
        [
            (Some("name-w1"), &[Some(10.0), Some(20.0), None][..]),
            (None, &[None, Some(40.0), None][..])
        ]
    );
    let used = series(&bench, WorkerMeasure::MemoryUsedBytes, 2);
    assert_eq!(
        used.at_micros,
        [20, 40].map(|second| Micros(at(second))),
        "the last of each bin"
    );

    let spread =
        json!({"workers_bands": {"cpu_percent": [1, 2, 3, 4, 5], "processing": [0, 0, 1, 1, 9]}});
    bench.send(batch(6, &[with(sample(50, 1.0), spread)]));
    let cpu = series(&bench, WorkerMeasure::CpuPercent, 0);
    assert_eq!(cpu.bands[3], Some([1.0, 2.0, 3.0, 4.0, 5.0]));
    assert!(cpu.workers.is_empty());
    assert_eq!(
        series(&bench, WorkerMeasure::MemorySpilledBytes, 0).bands[3],
        None
    );
}

#[test]
fn the_timeline_has_the_hardware_with_its_peaks() {
    let bench = Bench::new();
    let samples: Vec<Value> = (0..100)
        .map(|second| {
            with(
                sample(second, 1.0),
                json!({
                    "cpu_percent": if second == 77 { 400.0 } else { 50.0 }, "network_read_bytes_per_s": second,
                    "disk_write_bytes_per_s": null, "worker_lag_micros": second, "workers_paused": 1,
                    "cost": {"loop_share": 0.01},
                }),
            )
        })
        .collect();
    bench.send(batch(1, &samples));
    let request = TimelineRequest {
        id: 1,
        from_micros: None,
        to_micros: None,
        points: 10,
    };
    let line = timeline(&bench.app, request).unwrap();
    assert_eq!(
        (
            line.cpu_percent.len(),
            line.cpu_percent[7],
            line.cpu_percent[8]
        ),
        (10, Some(400.0), Some(50.0))
    );
    assert_eq!(
        (line.network_read_bytes_per_s[0], line.worker_lag_micros[0]),
        (Some(9.0), Some(9))
    );
    assert_eq!(
        (line.disk_write_bytes_per_s[0], line.gpu_percent[0]),
        (None, None)
    );
    assert_eq!(
        (
            line.workers_paused[0],
            line.plugin_loop_share[0],
            line.loop_lag_micros[0]
        ),
        (Some(1), Some(0.01), Some(5))
    );
}
