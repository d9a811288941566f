//! What a cluster costs by its operations, and all of them by whom, by tag and by two questions at once.

use super::*;
use crate::Error;

#[test]
fn a_cluster_s_operations_sum_to_its_cost_and_its_lines_are_priced() {
    let bench = three();
    let asked = |id| cluster_cost(&bench.app, ClusterRequest { id }).unwrap();
    let lines = || {
        line_costs(
            &bench.app,
            ProfileSelection {
                ids: vec![1],
                ..Default::default()
            },
        )
    };
    let etl = asked(1);
    let cost = etl.cost.unwrap();
    let sum: i64 = etl
        .operations
        .iter()
        .map(|row| row.money.unwrap().high_nanos)
        .sum();
    assert_eq!(
        (sum, etl.thread_micros, etl.an_hour),
        (cost.total.high_nanos, 21_600 * SECOND, None)
    );
    assert_eq!(etl.operations[0].operation, Operation::Idle);
    assert_eq!(etl.operations[0].thread_micros, (21_600 - 2_991) * SECOND);
    assert_eq!(etl.operations[0].money, Some(cost.idle));
    assert_eq!(
        (etl.operations[1].groups_total, etl.operations[1].tasks),
        (1, 10)
    );
    assert!(asked(3).an_hour.is_some());
    // Two samples are no proof of anything.
    bench.send(batch_of("etl", "j", 1, &[sampled(HOUR, Some("inc"))]));
    let few = lines().unwrap();
    assert_eq!((few.rows.len(), few.too_few), (0, 2));
    let many = with(
        sampled(HOUR + 10, Some("inc")),
        json!({"samples": 501, "leaves": {"stack": [0, 1], "count": [200, 300]}}),
    );
    bench.send(batch_of("etl", "j", 2, &[many]));
    let told = lines().unwrap();
    assert_eq!(
        (
            told.rows[0].function.as_str(),
            told.rows[0].samples,
            told.samples
        ),
        ("load", 302, 507)
    );
    assert_eq!(told.rows[0].text.as_deref(), Some("    canary-line"));
    // 60 % of the 2,000 s that `inc` computed, ± 85.
    let seconds = told.rows[0].seconds;
    assert!(
        (seconds.low - 1_105.9).abs() < 1.0 && (seconds.high - 1_276.8).abs() < 1.0,
        "{seconds:?}"
    );
    let unknown = ClusterRequest { id: 99 };
    assert!(matches!(
        cluster_cost(&bench.app, unknown.clone()),
        Err(Error::NotFound { .. })
    ));
    assert!(matches!(
        line_costs(
            &bench.app,
            ProfileSelection {
                ids: vec![99],
                ..Default::default()
            }
        ),
        Err(Error::NotFound { .. })
    ));
    // What it cost is told though its profiles cannot be read.
    bench.send(batch_of("etl", "j", 3, &[sampled(HOUR + 20, Some("inc"))]));
    let spoil = |db: &rusqlite::Connection| {
        db.execute("update profile_stack set packed = x'00'", [])?;
        Ok(())
    };
    bench.app.write(spoil).unwrap();
    assert!(lines().is_err());
    assert_eq!(asked(1).cost.unwrap().total, cost.total);
}

#[test]
fn costs_are_told_by_whom_and_by_tag_and_sum_to_the_whole() {
    let bench = three();
    let tagged = MarkRequest {
        ids: vec![1, 3],
        tags: [("env".into(), "prod".into())].into(),
        ..Default::default()
    };
    mark_clusters(&bench.app, tagged).unwrap();
    let told = |by| {
        let request = CostTableRequest {
            from_micros: Some(Micros(at(0))),
            to_micros: Some(Micros(at(2 * HOUR))),
            by,
            across: None,
        };
        let table = cost_table(&bench.app, request).unwrap();
        let nanos = |used: &UsageTotals| used.cost.as_ref().unwrap().total.high_nanos;
        let sum: i64 = table.rows.iter().map(|row| nanos(&row.used)).sum();
        assert!((sum - nanos(&table.all)).abs() <= table.rows.len() as i64);
        assert_eq!(
            (table.rows_total, table.tags),
            (
                table.rows.len() as u64,
                vec!["env".to_owned(), "team".to_owned()]
            )
        );
        let rows = table.rows.into_iter();
        rows.map(|row| (row.label, row.used.clusters, row.used.thread_seconds))
            .collect::<Vec<_>>()
    };
    let row = |label: &str, clusters, seconds| (Some(label.to_owned()), clusters, seconds);
    assert_eq!(
        told(CostBy::User),
        [row("ada", 2, 25_200.0), row("bob", 1, 3_600.0)]
    );
    assert_eq!(
        told(CostBy::Project),
        [row("etl", 1, 21_600.0), row("ml", 2, 7_200.0)]
    );
    let tag = CostBy::Tag { name: "env".into() };
    assert_eq!(told(tag), [row("prod", 2, 25_200.0), (None, 1, 3_600.0)]);
}

#[test]
fn costs_of_a_row_are_parted_by_a_second_question_and_sum_to_it() {
    let bench = three();
    let request = CostTableRequest {
        from_micros: Some(Micros(at(0))),
        to_micros: Some(Micros(at(2 * HOUR))),
        by: CostBy::User,
        across: Some(CostBy::Project),
    };
    let table = cost_table(&bench.app, request).unwrap();
    let columns: Vec<_> = table
        .columns
        .iter()
        .map(|one| one.label.as_deref())
        .collect();
    assert_eq!(
        (columns, table.columns_total, table.others),
        (vec![Some("etl"), Some("ml")], 2, None)
    );
    let cells: Vec<_> = table
        .cells
        .iter()
        .map(|cell| {
            (
                cell.row.as_deref().unwrap(),
                cell.column.as_deref().unwrap(),
            )
        })
        .collect();
    assert_eq!(cells, [("ada", "etl"), ("ada", "ml"), ("bob", "ml")]);
    let high = |cost: &Option<Money>| cost.unwrap().high_nanos;
    for row in &table.rows {
        let parts = table.cells.iter().filter(|cell| cell.row == row.label);
        let sum: i64 = parts.map(|cell| high(&cell.cost)).sum();
        let whole = row.used.cost.as_ref().unwrap().total.high_nanos;
        assert!((sum - whole).abs() <= 2, "{sum} {whole}");
    }
}

#[test]
fn columns_beyond_the_dearest_are_told_together() {
    let bench = Bench::new();
    for n in 0..14 {
        let name = json!({"name": format!("run-{n:02}"), "user": "ada"});
        bench.send(batch_of(
            &format!("c-{n}"),
            "i",
            1,
            &[with(facts(0), name), sample(1_000 + n, 10.0)],
        ));
    }
    bench.at(2_000);
    let request = CostTableRequest {
        across: Some(CostBy::Name),
        ..Default::default()
    };
    let table = cost_table(&bench.app, request).unwrap();
    assert_eq!((table.columns.len(), table.columns_total), (12, 14));
    let (others, told): (Vec<_>, Vec<_>) = table.cells.iter().partition(|cell| cell.others);
    assert_eq!((others.len(), told.len()), (1, 12));
    assert_eq!(table.others, others[0].cost);
    let high = |cost: &Option<Money>| cost.unwrap().high_nanos;
    let sum: i64 = table.cells.iter().map(|cell| high(&cell.cost)).sum();
    let whole = table.rows[0].used.cost.as_ref().unwrap().total.high_nanos;
    assert!((sum - whole).abs() <= 13, "{sum} {whole}");
}
