//! The workers of one cluster as rows of a heat-map.

use serde_json::{Value, json};

use crate::api::*;
use crate::model::Micros;
use crate::testing::*;

fn told(second: i64, each: Value) -> Value {
    with(sample(second, 1.0), json!({"workers_each": each}))
}

fn asked(measure: WorkerMeasure) -> WorkerHeatRequest {
    WorkerHeatRequest {
        id: 1,
        measure,
        from_micros: None,
        to_micros: None,
        bins: 4,
        rows: 0,
    }
}

#[test]
fn a_sample_stands_for_the_time_before_it_and_the_busiest_comes_first() {
    let bench = Bench::new();
    bench.send(batch(
        1,
        &[
            worker(0, "w1", "joined"),
            told(10, json!([["w1", 10.0, null, null, null, 1, null]])),
            told(
                20,
                json!([
                    ["w1", 20.0, null, null, null, 1, null],
                    ["w2", 90.0, null, null, null, 2, null]
                ]),
            ),
            told(30, json!([["w2", 30.0, null, null, null, 3, null]])),
            told(40, json!([["w2", null, null, null, null, 3, null]])),
        ],
    ));
    let cpu = worker_heat(&bench.app, asked(WorkerMeasure::CpuPercent)).unwrap();
    assert_eq!(cpu.from_micros, Some(Micros(at(0))));
    assert_eq!(
        cpu.at_micros,
        [10, 20, 30, 40].map(|second| Micros(at(second)))
    );
    let rows: Vec<_> = cpu
        .workers
        .iter()
        .map(|row| {
            (
                &*row.worker_id,
                row.name.as_deref(),
                row.mean,
                &row.values[..],
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (
                "w2",
                None,
                Some(60.0),
                &[None, Some(90.0), Some(30.0), None][..]
            ),
            (
                "w1",
                Some("name-w1"),
                Some(15.0),
                &[Some(10.0), Some(20.0), None, None][..]
            ),
        ]
    );
    assert_eq!((cpu.others, cpu.together.len(), cpu.samples), (None, 0, 4));

    // Bins of another length than the samples' share them by time.
    let request = WorkerHeatRequest {
        from_micros: Some(Micros(at(5))),
        to_micros: Some(Micros(at(25))),
        bins: 1,
        ..asked(WorkerMeasure::CpuPercent)
    };
    let part = worker_heat(&bench.app, request).unwrap();
    let values: Vec<_> = part
        .workers
        .iter()
        .map(|row| (row.values[0], row.mean))
        .collect();
    assert_eq!(
        values,
        [
            (Some(70.0), Some(70.0)),
            (Some(50.0 / 3.0), Some(50.0 / 3.0))
        ]
    );
}

#[test]
fn those_without_a_row_are_one_row_and_many_are_told_together() {
    let bench = Bench::new();
    // Ninety workers, never more than 45 at once: each is told, and no more have a row than can be told apart.
    let crew = |from: usize| -> Value {
        (from..from + 45)
            .map(|w| json!([format!("w{w:02}"), w as f64, null, null, null, 1, null]))
            .collect()
    };
    let spread = json!({"workers_bands": {"cpu_percent": [1, 2, 3, 4, 5]}});
    bench.send(batch(
        1,
        &[
            told(10, crew(0)),
            told(20, crew(45)),
            with(sample(30, 1.0), spread),
            sample(40, 1.0),
        ],
    ));
    let heat = worker_heat(&bench.app, asked(WorkerMeasure::CpuPercent)).unwrap();
    assert_eq!(heat.workers.len(), 64);
    assert_eq!(
        (&*heat.workers[0].worker_id, &*heat.workers[63].worker_id),
        ("w89", "w26")
    );
    let others = heat.others.unwrap();
    assert_eq!(others.workers, 26);
    // Of 0 to 25, all in the first sample; the last tells no names.
    assert_eq!(others.values[0], Some(12.5));
    assert_eq!(others.values[3], None);
    assert_eq!(heat.together[0], None);
    assert_eq!(heat.together[3], Some(3.0));

    let few = WorkerHeatRequest {
        rows: 2,
        ..asked(WorkerMeasure::CpuPercent)
    };
    let heat = worker_heat(&bench.app, few).unwrap();
    assert_eq!((heat.workers.len(), heat.others.unwrap().workers), (2, 88));
}

#[test]
fn nothing_is_laid_into_a_silence() {
    let bench = Bench::new();
    let line = |value: f64| json!([["w1", value, null, null, null, 1, null]]);
    bench.send(batch(
        1,
        &[
            told(10, line(10.0)),
            told(20, line(10.0)),
            told(30, line(10.0)),
            told(130, line(50.0)),
            told(140, line(50.0)),
        ],
    ));
    let request = WorkerHeatRequest {
        bins: 14,
        ..asked(WorkerMeasure::CpuPercent)
    };
    let values = worker_heat(&bench.app, request)
        .unwrap()
        .workers
        .remove(0)
        .values;
    let known: Vec<_> = values.iter().map(Option::is_some).collect();
    let silent = (3..12).collect::<Vec<_>>();
    assert!(
        known
            .iter()
            .enumerate()
            .all(|(bin, told)| *told != silent.contains(&bin)),
        "{values:?}"
    );
}

#[test]
fn without_samples_and_for_no_time_it_says_so() {
    let bench = Bench::new();
    bench.send(batch(1, &[worker(0, "w1", "joined"), sample(10, 1.0)]));
    let none = worker_heat(&bench.app, asked(WorkerMeasure::Processing)).unwrap();
    assert_eq!(
        (none.from_micros, none.workers.len(), none.samples),
        (None, 0, 0)
    );
    let backwards = WorkerHeatRequest {
        from_micros: Some(Micros(at(9))),
        to_micros: Some(Micros(at(3))),
        ..asked(WorkerMeasure::Processing)
    };
    let error = worker_heat(&bench.app, backwards).unwrap_err().to_string();
    assert!(error.contains("ends before it begins"), "{error}");
}
