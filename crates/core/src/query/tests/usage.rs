//! The overview, its heat-map, the price book and what clusters cost, from batches to answers.

use serde_json::json;

use crate::Error;
use crate::api::*;
use crate::model::Micros;
use crate::testing::*;

const HOUR: i64 = 3_600;

/// Three clusters: `etl` of ada over two hours, `ml` of ada in the first, `ml` of bob in the second, which then is silent.
fn three() -> Bench {
    let bench = Bench::new();
    let who = |user: &str, project: &str| {
        with(
            facts(0),
            json!({
                "user": user, "project": project,
                "switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]},
            }),
        )
    };
    let used = |seconds, compute: f64, thread: f64| {
        with(
            sample(seconds, compute),
            json!({"totals": {
                "compute": compute, "transfer": 10.0, "thread_seconds": thread, "tasks_completed": 5, "tasks_erred": 1,
                "result_bytes": 7,
            }}),
        )
    };
    bench.at(2 * HOUR - 5);
    let send = |cluster: &str, records: &[serde_json::Value]| {
        bench.send(batch_of(cluster, "i", 1, records));
    };
    send(
        "etl",
        &[
            who("ada", "etl"),
            used(1_800, 1_000.0, 7_200.0),
            used(HOUR + 1_800, 3_000.0, 21_600.0),
            group(HOUR + 1_800, "g1", 2_000.0),
            with(group(HOUR + 1_800, "g2", 990.0), json!({"prefix": "sum"})),
            stop(HOUR + 1_801),
        ],
    );
    send(
        "ml-1",
        &[who("ada", "ml"), used(1_800, 600.0, 3_600.0), stop(1_801)],
    );
    send(
        "ml-2",
        &[
            who("bob", "ml"),
            used(HOUR + 1_800, 60.0, 3_600.0),
            exception(HOUR + 1_800, "e1", 3),
        ],
    );
    bench
}

fn hours(from: i64, to: i64) -> Vec<Micros> {
    (from..=to).map(|hour| Micros(at(hour * HOUR))).collect()
}

fn asked(cells: Vec<SelectedCells>) -> OverviewRequest {
    OverviewRequest {
        from_micros: Some(Micros(at(0))),
        to_micros: Some(Micros(at(2 * HOUR))),
        edges: hours(0, 2),
        by: Some(HeatRows::Project),
        cells,
    }
}

fn cell(row: &str, from: i64, to: i64) -> SelectedCells {
    SelectedCells {
        row: Some(row.into()),
        every_row: false,
        from_micros: Micros(at(from * HOUR)),
        to_micros: Micros(at(to * HOUR)),
    }
}

fn terms(core_hour: f64, from: i64, applies_to: AppliesTo) -> PriceTerms {
    let flat = |amount| Range {
        low: amount,
        high: amount,
    };
    PriceTerms {
        name: "rented".into(),
        provenance: "the bill of November".into(),
        from_micros: Micros(from),
        to_micros: None,
        applies_to,
        rate: Rate::Rented {
            core_hour: flat(core_hour),
            memory_gib_hour: flat(0.0),
            machine_hour: flat(0.0),
            workers_per_machine: 1,
        },
    }
}

#[test]
fn the_overview_the_heat_map_and_the_clusters_behind_them_agree() {
    let bench = three();
    let all = overview(&bench.app, asked(vec![])).unwrap();
    assert_eq!(
        (all.period.clusters, all.period.compute_seconds),
        (3, 3_660.0)
    );
    assert_eq!(all.period.thread_seconds, 28_800.0);
    assert_eq!(all.period, all.ever);
    assert_eq!((all.before.clusters, all.before.thread_seconds), (0, 0.0));
    assert_eq!(all.series.thread_seconds, [10_800.0, 18_000.0]);
    assert_eq!(all.series.clusters, [2.0, 2.0]);
    let parts = all.period.parts;
    assert_eq!(
        [
            parts.compute_micros,
            parts.transfer_micros,
            parts.disk_micros,
            parts.other_micros,
            parts.idle_micros,
            parts.stalled_micros
        ]
        .map(|micros| micros / 1_000_000),
        [3_660, 30, 0, 0, 25_110, 0]
    );
    let map = |by, measure| {
        let request = HeatMapRequest {
            by,
            measure,
            edges: hours(0, 2),
            columns: vec![],
            order: HeatOrder::Total,
            rows: 0,
        };
        heat_map(&bench.app, request).unwrap()
    };
    let users = map(None, Measure::Cluster);
    assert_eq!(users.by, HeatRows::User);
    let told: Vec<_> = users
        .rows
        .iter()
        .map(|row| (row.key.as_deref(), row.values.clone()))
        .collect();
    assert_eq!(
        told,
        [
            (Some("ada"), vec![Some(10_800.0), Some(14_400.0)]),
            (Some("bob"), vec![None, Some(3_600.0)]),
        ]
    );
    let failures = map(Some(HeatRows::Project), Measure::Failures);
    assert_eq!(failures.rows[0].values, [Some(1.0), Some(1.0)]);

    let ml = overview(&bench.app, asked(vec![cell("ml", 1, 2)])).unwrap();
    assert_eq!((ml.period.clusters, ml.period.thread_seconds), (1, 3_600.0));
    // As long before: the hour before.
    assert_eq!((ml.before.clusters, ml.before.compute_seconds), (1, 600.0));
    assert_eq!(
        (ml.from_micros, ml.before_from_micros),
        (Micros(at(HOUR)), Micros(at(0)))
    );
    assert_eq!(ml.ever, all.ever);
    let behind = cluster_uses(
        &bench.app,
        ClusterUsesRequest {
            from_micros: Some(Micros(at(0))),
            to_micros: Some(Micros(at(2 * HOUR))),
            by: Some(HeatRows::Project),
            cells: vec![cell("ml", 1, 2), cell("etl", 0, 1)],
            measure: Measure::Compute,
            limit: 0,
        },
    )
    .unwrap();
    let told: Vec<_> = behind
        .rows
        .iter()
        .map(|row| (row.cluster.scheduler_id.as_str(), row.used.compute_seconds))
        .collect();
    assert_eq!(told, [("etl", 1_000.0), ("ml-2", 60.0)]);
    assert_eq!((behind.total, behind.truncated), (2, false));
}

#[test]
fn the_five_questions_are_answered_from_the_period() {
    let bench = three();
    let told: Vec<String> = overview(&bench.app, asked(vec![]))
        .unwrap()
        .answers
        .into_iter()
        .map(|answer| answer.answer)
        .collect();
    assert_eq!(told[0], "2 of 3 clusters finished; 1 is still running");
    assert_eq!(told[1], "1 kind of exception, most often ValueError");
    assert!(told[2].starts_with("≈ 0.00"), "{}", told[2]);
    assert_eq!(told[3], "inc: 67 % of story");
    assert_eq!(told[4], "story is working on 3 tasks");
}

#[test]
fn exceptions_are_those_of_the_selected_rows_at_the_selected_times() {
    let bench = three();
    let failed = with(
        exception(HOUR + 900, "e2", 900),
        json!({"exception_type": "KeyError"}),
    );
    // As in the other cluster: the same failure counts once.
    let same = exception(HOUR + 901, "e3", 1);
    bench.send(batch_of("etl", "j", 1, &[failed, same]));
    let told = |cells| {
        let told = overview(&bench.app, asked(cells)).unwrap();
        told.answers[1].answer.clone()
    };
    let both = "2 kinds of exception, most often KeyError";
    assert_eq!(told(vec![]), both);
    assert_eq!(told(vec![cell("etl", 0, 2), cell("ml", 0, 2)]), both);
    // That of `etl` lies in the gap between its cells: at that time only `ml` is selected.
    let one = "1 kind of exception, most often ValueError";
    assert_eq!(told(vec![cell("ml", 0, 2)]), one);
    assert_eq!(told(vec![cell("etl", 0, 1), cell("ml", 1, 2)]), one);
    assert_eq!(told(vec![cell("etl", 0, 1)]), "1 task failed");
}

#[test]
fn a_price_for_a_tag_sees_tags_by_hand() {
    let bench = three();
    let paid = AppliesTo::Tag {
        name: "paid".into(),
        pattern: "*".into(),
    };
    let request = SetPriceRequest {
        id: None,
        terms: terms(1.0, 0, paid),
    };
    set_price(&bench.app, request).unwrap();
    let mark = MarkRequest {
        ids: vec![1],
        name: Some("my run".into()),
        tags: [("paid".to_owned(), "yes".to_owned())].into(),
        ..Default::default()
    };
    mark_clusters(&bench.app, mark).unwrap();
    let told = overview(&bench.app, asked(vec![])).unwrap();
    // Six core-hours at 1, and two of the machine's own.
    assert_eq!(
        told.period.cost.as_ref().unwrap().total.low_nanos,
        6_001_200_000
    );
    assert_eq!(told.period.cost, told.ever.cost);
    assert_eq!(told.answers[3].answer, "inc: 67 % of my run");
}

#[test]
fn the_price_book_keeps_its_history_and_prices_by_what_was_in_force() {
    let bench = three();
    let app = &bench.app;
    let cost = || overview(app, asked(vec![])).unwrap().period.cost.unwrap();
    let own = prices(app, Empty {}).unwrap();
    assert_eq!(
        (own.currency.as_str(), own.prices.len(), own.changes.len()),
        ("EUR", 1, 1)
    );
    // Eight core-hours at 4 W and 0.15, to 12 W and 0.40.
    assert_eq!(
        (cost().total.low_nanos, cost().total.high_nanos),
        (4_800_000, 38_400_000)
    );

    // One that is valid from tomorrow changes nothing, one for a project only that project.
    let tomorrow = terms(9.0, at(86_400), AppliesTo::Everything);
    set_price(
        app,
        SetPriceRequest {
            id: None,
            terms: tomorrow,
        },
    )
    .unwrap();
    assert_eq!(cost().total.high_nanos, 38_400_000);
    let project = AppliesTo::Project {
        pattern: "ml".into(),
    };
    let book = set_price(
        app,
        SetPriceRequest {
            id: None,
            terms: terms(1.0, 0, project),
        },
    )
    .unwrap();
    assert_eq!(
        (book.prices.len(), book.prices[0].id, book.changes.len()),
        (3, 3, 3)
    );
    // Two core-hours at 1, and six of the machine's own.
    assert_eq!(
        cost().total,
        Money {
            low_nanos: 2_003_600_000,
            high_nanos: 2_028_800_000
        }
    );
    assert_eq!(
        cost(),
        overview(app, asked(vec![])).unwrap().ever.cost.unwrap()
    );

    let corrected = terms(
        2.0,
        0,
        AppliesTo::Project {
            pattern: "ml".into(),
        },
    );
    let book = set_price(
        app,
        SetPriceRequest {
            id: Some(3),
            terms: corrected,
        },
    )
    .unwrap();
    assert_eq!((book.prices.len(), book.changes.len()), (3, 4));
    assert_eq!(cost().total.low_nanos, 4_003_600_000);
    set_currency(
        app,
        SetCurrencyRequest {
            currency: " USD ".into(),
        },
    )
    .unwrap();
    assert_eq!(cost().currency, "USD");
    for id in [1, 2, 3] {
        remove_price(app, RemovePriceRequest { id }).unwrap();
    }
    assert_eq!(overview(app, asked(vec![])).unwrap().period.cost, None);
    assert!(matches!(
        remove_price(app, RemovePriceRequest { id: 3 }),
        Err(Error::NotFound { .. })
    ));
    assert!(matches!(
        set_currency(
            app,
            SetCurrencyRequest {
                currency: "EUR".into()
            }
        ),
        Err(Error::Invalid { .. })
    ));
    let bad = terms(-1.0, 0, AppliesTo::Everything);
    assert!(matches!(
        set_price(
            app,
            SetPriceRequest {
                id: None,
                terms: bad
            }
        ),
        Err(Error::Invalid { .. })
    ));
    let gone = prices(app, Empty {}).unwrap();
    assert_eq!((gone.prices.len(), gone.changes.len()), (0, 10));
}

#[test]
fn what_stalled_is_told_apart_from_what_was_idle_in_every_sum() {
    let bench = three();
    let told = || overview(&bench.app, asked(vec![])).unwrap();
    let before = told().period;
    let count = |db: &rusqlite::Connection| {
        // Half an hour of a thread in each hour of the first cluster.
        let hours = "insert into stalled_hour select cluster_id, hour, 1800000000 from cluster_hour where cluster_id = 1";
        db.execute(hours, [])?;
        Ok(())
    };
    bench.app.write(count).unwrap();
    let told = told();
    let parts = told.period.parts;
    assert_eq!(parts.stalled_micros, 3_600 * SECOND);
    assert_eq!(
        parts.idle_micros + parts.stalled_micros,
        before.parts.idle_micros
    );
    assert_eq!(told.ever.parts, parts);
    let (was, is) = (before.cost.unwrap(), told.period.cost.unwrap());
    assert_eq!((was.stalled.high_nanos, was.total), (0, is.total));
    assert!(is.stalled.high_nanos > 0);
    let idleness = is.idle.high_nanos + is.stalled.high_nanos;
    assert!((was.idle.high_nanos - idleness).abs() <= 1, "{is:?}");
}

#[test]
fn what_stalled_is_an_operation_of_its_own_and_the_rest_of_what_was_idle_another() {
    let operations = |same_stacks: bool| {
        let bench = Bench::new();
        let assigned =
            json!({"limit_micros": 60 * SECOND, "same_stacks": same_stacks, "group_id": "g1"});
        let told = |seconds: i64, ended: i64, stall: &serde_json::Value| {
            with(
                sample(seconds, 10.0),
                json!({"last_completed_micros": at(ended), "stall": stall, "totals": {
                    "compute": 10.0, "thread_seconds": seconds * 4, "tasks_completed": 5, "tasks_erred": 0, "result_bytes": 7,
                }}),
            )
        };
        let nothing = json!(null);
        bench.send(batch(
            1,
            &[
                facts(0),
                with(group(9, "g1", 10.0), json!({"seconds": {"compute": 10.0}})),
                told(10, 9, &assigned),
                // Not yet longer than the limit, then for 90 s, then nothing is assigned.
                told(60, 9, &assigned),
                told(100, 9, &assigned),
                told(150, 9, &assigned),
                told(200, 9, &nothing),
                // It had nothing to do until then.
                told(210, 9, &assigned),
                told(220, 215, &assigned),
            ],
        ));
        let cost = cluster_cost(&bench.app, ClusterRequest { id: 1 }).unwrap();
        let sum: i64 = cost.operations.iter().map(|row| row.thread_micros).sum();
        assert_eq!(sum, cost.thread_micros);
        let money = |of: Operation| {
            let row = cost.operations.iter().find(|row| row.operation == of);
            row.map_or(0, |row| row.money.unwrap().high_nanos)
        };
        let sums = cost.cost.unwrap();
        assert_eq!(
            [money(Operation::Idle), money(Operation::Stalled)],
            [sums.idle.high_nanos, sums.stalled.high_nanos]
        );
        let told = cost.operations.into_iter();
        told.map(|row| (row.operation, row.thread_micros / SECOND))
            .collect::<Vec<_>>()
    };
    let inc = Operation::Prefix {
        prefix: "inc".into(),
    };
    assert_eq!(
        operations(true),
        [
            (Operation::Idle, 510),
            (Operation::Stalled, 360),
            (inc.clone(), 10)
        ]
    );
    // Stacks that change are work that takes long.
    assert_eq!(operations(false), [(Operation::Idle, 870), (inc, 10)]);
}

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
fn a_selection_or_map_that_makes_no_sense_is_refused() {
    let bench = three();
    let between = |from, to| SelectedCells {
        from_micros: Micros(from),
        to_micros: Micros(to),
        ..cell("ml", 0, 1)
    };
    for cells in [
        vec![cell("ml", 2, 1)],
        vec![cell("ml", 0, 1); 5_001],
        vec![between(i64::MIN, i64::MAX)],
        vec![between(-1, at(0))],
        vec![between(0, i64::MAX)],
        vec![between(0, 1), between(at(0), at(1))],
    ] {
        assert!(matches!(
            overview(&bench.app, asked(cells)),
            Err(Error::Invalid { .. })
        ));
    }
    for edges in [json!([]), json!([5]), json!([9, 5])] {
        let request = json!({ "edges": edges }).to_string();
        assert!(
            matches!(
                call(&bench.app, "heat_map", &request),
                Err(Error::Invalid { .. })
            ),
            "{edges}"
        );
    }
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
        (columns, table.columns_total),
        (vec![Some("etl"), Some("ml")], 2)
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
    let high = |cost: &Option<Money>| cost.unwrap().high_nanos;
    let sum: i64 = table.cells.iter().map(|cell| high(&cell.cost)).sum();
    let whole = table.rows[0].used.cost.as_ref().unwrap().total.high_nanos;
    assert!((sum - whole).abs() <= 13, "{sum} {whole}");
}

#[test]
fn lines_that_were_counted_are_priced_beside_functions_of_which_none_were() {
    let bench = three();
    let costs = || {
        let ids = vec![1];
        line_costs(
            &bench.app,
            ProfileSelection {
                ids,
                ..Default::default()
            },
        )
        .unwrap()
    };
    // `inc` calls `load` at line 4 and waits itself at line 5; `load` was at lines 11 and 12, and at others.
    let by_line = with(
        sampled(HOUR, Some("inc")),
        json!({
            "samples": 1_000, "unattributed": 0, "leaves": {"stack": [0, 1], "count": [200, 800]},
            "strings": ["inc", "load", "/home/ada/work.py", "    first", "at 4", "at 11"],
            "lines": {
                "frame": [0, 0, 1, 1, 1], "line": [4, 5, 11, 12, null], "text": [4, null, 5, null, null],
                "ended": [0, 200, 600, 190, 10], "samples": [800, 200, 600, 190, 10],
            },
        }),
    );
    bench.send(batch_of("etl", "j", 1, &[by_line]));
    let costs_by_line = costs();
    let told: Vec<_> = costs_by_line
        .rows
        .iter()
        .map(|row| {
            (
                row.function.as_str(),
                row.at_line,
                row.text.as_deref(),
                row.samples,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("inc", Some(4), Some("at 4"), 800),
            ("load", Some(11), Some("at 11"), 600),
            ("inc", Some(5), None, 200),
            ("load", Some(12), None, 190),
        ]
    );
    assert!(costs_by_line.by_line);
    // 80 % of the 2,000 s that `inc` computed, none of it in the line itself, ± 2.5 %.
    let row = &costs_by_line.rows[0];
    assert_eq!(
        (row.line, row.seconds.low, row.other_lines),
        (Some(3), 0.0, false)
    );
    let with_calls = row.with_calls_seconds;
    assert!(
        (with_calls.low - 1_550.0).abs() < 2.0 && (with_calls.high - 1_650.0).abs() < 2.0,
        "{with_calls:?}"
    );
    // An older plugin told of the same functions, and of no line.
    let older = with(
        sampled(HOUR + 10, Some("inc")),
        json!({"samples": 1_001, "leaves": {"stack": [0, 1], "count": [500, 500]}}),
    );
    bench.send(batch_of("etl", "j", 2, &[older]));
    let mixed = costs();
    let load: Vec<_> = mixed
        .rows
        .iter()
        .filter(|row| row.function == "load")
        .map(|row| (row.at_line, row.other_lines, row.samples))
        .collect();
    assert_eq!(
        load,
        [
            (Some(11), false, 600),
            (None, true, 510),
            (Some(12), false, 190)
        ]
    );
    // Without the texts, as without the key, there are still the lines.
    let forget = |db: &rusqlite::Connection| {
        db.execute("delete from profile_line", [])?;
        Ok(())
    };
    bench.app.write(forget).unwrap();
    let bare = costs();
    assert!(bare.rows.iter().all(|row| row.text.is_none()));
    assert_eq!(bare.rows.len(), mixed.rows.len());
}

#[test]
fn lines_of_many_clusters_are_priced_together() {
    let bench = three();
    let many = |cluster: &str, at| {
        let profile = with(
            sampled(at, Some("inc")),
            json!({"samples": 501, "leaves": {"stack": [0, 1], "count": [200, 300]}}),
        );
        bench.send(batch_of(
            cluster,
            "j",
            1,
            &[group(at, "g9", 1_000.0), profile],
        ));
    };
    many("etl", HOUR + 10);
    many("ml-2", HOUR + 20);
    let told = |selection| line_costs(&bench.app, selection).unwrap();
    let of = |id| {
        told(ProfileSelection {
            ids: vec![id],
            ..Default::default()
        })
    };
    let all = told(ProfileSelection {
        clusters: Some(ClustersRequest::default()),
        ..Default::default()
    });
    assert_eq!(
        (all.clusters, all.truncated, all.samples),
        (3, false, 1_002)
    );
    let high = |costs: &LineCosts| costs.rows[0].money.unwrap().high_nanos as f64;
    let apart = high(&of(1)) + high(&of(3));
    // More samples say more, so that both together are told a little closer.
    assert!(
        high(&all) < apart && high(&all) > 0.9 * apart,
        "{} {apart}",
        high(&all)
    );
}
