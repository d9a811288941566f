//! What lines cost: of one cluster as they were counted, and of many together.

use super::*;

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
