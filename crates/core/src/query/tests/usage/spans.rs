//! Rows by span: of the heat-map, of what is selected of it, and of costs.

use super::*;

/// One cluster whose first hour was spent half in `load` and half in `train › fit`, the second in the latter alone; and one
/// without spans.
fn two() -> Bench {
    let bench = Bench::new();
    bench.at(2 * HOUR - 5);
    let used = |seconds, compute: f64, thread: f64, tasks: u64| {
        let totals = json!({
            "compute": compute, "thread_seconds": thread, "tasks_completed": tasks, "tasks_erred": 1, "result_bytes": 7,
        });
        with(sample(seconds, compute), json!({ "totals": totals }))
    };
    let told = [
        facts(0),
        with(
            group(1_800, "g1", 1_000.0),
            json!({"span_id": "a", "start_micros": at(0)}),
        ),
        with(
            group(5_400, "g2", 2_000.0),
            json!({"span_id": "c", "start_micros": at(1_800)}),
        ),
        with(group(5_400, "g3", 0.0), json!({"span_id": "d"})),
        with(
            span(1_800, "a", &["g1"]),
            json!({"name": "load", "tags": ["load"]}),
        ),
        with(
            span(5_400, "c", &["g2"]),
            json!({"name": "fit", "parent_id": "b", "tags": ["train", "fit"]}),
        ),
        with(
            span(5_400, "d", &["g3"]),
            json!({"name": "nothing ran", "tags": ["nothing ran"]}),
        ),
        used(1_800, 1_000.0, 7_201.0, 7),
        used(5_400, 3_000.0, 21_601.0, 9),
        stop(5_401),
    ];
    bench.send(batch_of("etl", "i", 1, &told));
    let plain = [facts(0), used(1_800, 60.0, 100.0, 1), stop(1_801)];
    bench.send(batch_of("plain", "i", 1, &plain));
    bench
}

fn by_span(bench: &Bench, measure: Measure) -> HeatMap {
    let request = HeatMapRequest {
        by: Some(HeatRows::Span),
        measure,
        edges: [0, 1, 2].map(|hour| Micros(at(hour * HOUR))).to_vec(),
        columns: vec![],
        order: HeatOrder::Total,
        rows: 0,
    };
    heat_map(&bench.app, request).unwrap()
}

fn told(map: &HeatMap) -> Vec<(Option<&str>, &[Option<f64>])> {
    let rows = map.rows.iter();
    rows.map(|row| (row.key.as_deref(), row.values.as_slice()))
        .collect()
}

#[test]
fn an_hour_is_divided_as_its_spans_computed_and_nothing_is_lost() {
    let bench = two();
    let threads = by_span(&bench, Measure::Cluster);
    assert_eq!(threads.by, HeatRows::Span);
    assert_eq!(
        told(&threads),
        [
            (Some("train › fit"), &[Some(3_600.5), Some(14_400.0)][..]),
            (Some("load"), &[Some(3_600.5), None]),
            (None, &[Some(100.0), None]),
        ]
    );
    // One of `etl` and one of `plain`, whole.
    let failures = by_span(&bench, Measure::Failures);
    let sum: f64 = failures.rows.iter().filter_map(|row| row.total).sum();
    assert_eq!(sum, 2.0);
}

#[test]
fn what_is_chosen_of_a_span_counts_for_its_part() {
    let bench = two();
    let cells = vec![SelectedCells {
        row: Some("train › fit".into()),
        every_row: false,
        from_micros: Micros(at(0)),
        to_micros: Micros(at(HOUR)),
    }];
    let (from, to) = (Some(Micros(at(0))), Some(Micros(at(2 * HOUR))));
    let chosen = overview(
        &bench.app,
        OverviewRequest {
            from_micros: from,
            to_micros: to,
            edges: vec![],
            by: Some(HeatRows::Span),
            cells: cells.clone(),
        },
    )
    .unwrap();
    let period = &chosen.period;
    assert_eq!((period.clusters, period.thread_seconds), (1, 3_600.5));
    assert_eq!(period.compute_seconds, 500.0);
    let behind = cluster_uses(
        &bench.app,
        ClusterUsesRequest {
            from_micros: from,
            to_micros: to,
            by: Some(HeatRows::Span),
            cells,
            measure: Measure::Compute,
            limit: 0,
        },
    )
    .unwrap();
    assert_eq!(behind.total, 1);
    assert_eq!(behind.rows[0].used.thread_seconds, 3_600.5);
}

#[test]
fn costs_by_span_sum_to_the_whole() {
    let bench = two();
    let ask = |by, across| {
        let request = CostTableRequest {
            from_micros: Some(Micros(at(0))),
            to_micros: Some(Micros(at(2 * HOUR))),
            by,
            across,
        };
        cost_table(&bench.app, request).unwrap()
    };
    let table = ask(CostBy::Span, None);
    let rows: Vec<_> = table
        .rows
        .iter()
        .map(|row| (row.label.as_deref(), row.used.thread_seconds))
        .collect();
    assert_eq!(
        rows,
        [
            (Some("train › fit"), 18_000.5),
            (Some("load"), 3_600.5),
            (None, 100.0),
        ]
    );
    let columns = ask(CostBy::Name, Some(CostBy::Span)).columns;
    assert_eq!(columns.len(), 3);
}
