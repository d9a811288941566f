//! The overview, its heat-map and its answers, for all of a period or what is selected of it.

use super::*;
use crate::Error;

fn cell(row: &str, from: i64, to: i64) -> SelectedCells {
    SelectedCells {
        row: Some(row.into()),
        every_row: false,
        from_micros: Micros(at(from * HOUR)),
        to_micros: Micros(at(to * HOUR)),
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
    assert_eq!(all.period.efficiency, Some(3_660.0 / 28_800.0));
    assert_eq!((all.before.clusters, all.before.thread_seconds), (0, 0.0));
    assert_eq!(all.trends, None);
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
    let trends = ml.trends.as_ref().unwrap();
    assert_eq!(trends.clusters.as_ref().unwrap().way, Way::Level);
    assert_eq!(
        (ml.from_micros, ml.before_from_micros),
        (Micros(at(HOUR)), Micros(at(0)))
    );
    assert_eq!(ml.ever, all.ever);
    let uses = [("etl", 1_000.0), ("ml-2", 60.0)];
    for (limit, shown) in [(0, 2), (1, 1)] {
        let behind = cluster_uses(
            &bench.app,
            ClusterUsesRequest {
                from_micros: Some(Micros(at(0))),
                to_micros: Some(Micros(at(2 * HOUR))),
                by: Some(HeatRows::Project),
                cells: vec![cell("ml", 1, 2), cell("etl", 0, 1)],
                measure: Measure::Compute,
                limit,
            },
        )
        .unwrap();
        let told: Vec<_> = behind
            .rows
            .iter()
            .map(|row| (row.cluster.scheduler_id.as_str(), row.used.compute_seconds))
            .collect();
        assert_eq!(told, uses[..shown]);
        assert_eq!((behind.total, behind.truncated), (2, shown < 2));
    }
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
