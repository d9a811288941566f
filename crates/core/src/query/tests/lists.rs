//! Filters, orders, sums.

use serde_json::json;

use crate::Error;
use crate::api::*;
use crate::model::{ClusterState, Micros};
use crate::testing::*;

/// Clusters in each state, with names that try the syntax of filters.
fn many() -> Bench {
    let bench = Bench::new();
    let names = [
        "plain",
        "100%",
        "under_score",
        "back\\slash",
        "quo'te",
        "PLAIN two",
        "%",
        "_",
        "naïve",
        "\u{202e}",
    ];
    for (at_second, name) in names.iter().enumerate() {
        let second = at_second as i64 * 5;
        let id = format!("Scheduler-{at_second}");
        let user = if at_second % 2 == 0 { "ada" } else { "bob" };
        let said = json!({
            "name": name, "user": user, "started_micros": at(second), "tags": {"n": at_second.to_string()},
            "project": if at_second % 3 == 0 { Some("p") } else { None },
        });
        let mut records = vec![
            with(facts(second), said),
            sample(second, (at_second % 4) as f64),
        ];
        match at_second % 3 {
            0 => records.push(stop(second + 1)),
            1 => records.push(with(
                sample(second + 1, 0.0),
                json!({"idle_since_micros": at(second)}),
            )),
            _ => {}
        }
        bench.at(second).send(batch_of(&id, "i", 1, &records));
    }
    bench.at(50);
    bench
}

fn ids(list: &ClusterList) -> Vec<i64> {
    list.rows.iter().map(|row| row.id).collect()
}

#[test]
fn chosen_clusters_are_listed_alone_as_any_filter_lists_them() {
    let bench = many();
    let asked = |chosen: &[i64], text: &str| {
        let request = ClustersRequest {
            ids: chosen.to_vec(),
            text: Some(text.into()),
            ..Default::default()
        };
        ids(&clusters(&bench.app, request).unwrap())
    };
    assert_eq!(asked(&[3, 9, 99, 4], ""), [9, 4, 3]);
    assert_eq!(asked(&[3, 9, 4], "user:bob"), [4]);
    assert_eq!(asked(&[], "").len(), 10);
}

#[test]
fn filters_find_what_a_naive_filter_finds() {
    let bench = many();
    let all = clusters(&bench.app, ClustersRequest::default()).unwrap();
    assert_eq!((all.total, all.rows.len(), all.truncated), (10, 10, false));
    for text in [
        "plain",
        "%",
        "_",
        "\\",
        "'",
        "100%",
        "*",
        "\u{202e}",
        "ADA",
        "LAPTOP",
        "scheduler-1",
        "nothing",
        "--",
    ] {
        let found = clusters(
            &bench.app,
            ClustersRequest {
                text: Some(text.into()),
                ..Default::default()
            },
        )
        .unwrap();
        let low = text.to_lowercase();
        let naive: Vec<i64> = all
            .rows
            .iter()
            .filter(|row| {
                let tags = serde_json::to_string(&row.tags).unwrap();
                let fields = [
                    &row.name,
                    &row.scheduler_id,
                    row.user.as_ref().unwrap(),
                    row.host.as_ref().unwrap(),
                    &tags,
                ];
                fields
                    .iter()
                    .any(|field| field.to_lowercase().contains(&low))
                    || row
                        .project
                        .as_ref()
                        .is_some_and(|project| project.to_lowercase().contains(&low))
            })
            .map(|row| row.id)
            .collect();
        assert_eq!(
            (ids(&found), found.total),
            (naive.clone(), naive.len() as u64),
            "{text}"
        );
    }
    use ClusterState::{Finished, Idle, Lost, Running};
    for states in [
        vec![Finished],
        vec![Idle],
        vec![Lost],
        vec![Running],
        vec![Running, Idle],
        vec![Lost, Finished],
    ] {
        let request = ClustersRequest {
            states: states.clone(),
            ..Default::default()
        };
        let found = clusters(&bench.app, request).unwrap();
        let naive: Vec<i64> = all
            .rows
            .iter()
            .filter(|row| states.contains(&row.state))
            .map(|row| row.id)
            .collect();
        assert!(!naive.is_empty(), "{states:?}");
        assert_eq!(ids(&found), naive, "{states:?}");
    }
    let users = clusters(
        &bench.app,
        ClustersRequest {
            user: Some("bob".into()),
            ..Default::default()
        },
    )
    .unwrap();
    assert_eq!(users.total, 5);
    let label = clusters(
        &bench.app,
        ClustersRequest {
            label: Some("p".into()),
            ..Default::default()
        },
    )
    .unwrap();
    assert_eq!(label.total, 4);
    let window = ClustersRequest {
        from_micros: Some(Micros(at(11))),
        to_micros: Some(Micros(at(20))),
        ..Default::default()
    };
    assert_eq!(ids(&clusters(&bench.app, window).unwrap()), [4]);
}

#[test]
fn every_order_is_sorted_both_ways_and_pages_do_not_overlap() {
    use ClusterOrder::*;
    let bench = many();
    for order in [
        Started,
        Name,
        User,
        Duration,
        WorkersPeak,
        MemoryPeak,
        TasksCompleted,
        ComputeSeconds,
        ThreadSeconds,
        StalledSeconds,
        Exceptions,
        Cost,
    ] {
        for direction in [Direction::Ascending, Direction::Descending] {
            let ask = |limit, offset| {
                clusters(
                    &bench.app,
                    ClustersRequest {
                        order,
                        direction,
                        limit,
                        offset,
                        ..Default::default()
                    },
                )
                .unwrap()
            };
            let all = ids(&ask(0, 0));
            let pages: Vec<i64> = (0..4).flat_map(|page| ids(&ask(3, page * 3))).collect();
            assert_eq!(all, pages, "{order:?} {direction:?}");
            assert!(ask(3, 0).truncated && !ask(3, 9).truncated && ask(3, 99).rows.is_empty());
        }
    }
    let by_compute = ClustersRequest {
        order: ComputeSeconds,
        ..Default::default()
    };
    let computes: Vec<f64> = clusters(&bench.app, by_compute)
        .unwrap()
        .rows
        .iter()
        .map(|row| row.compute_seconds)
        .collect();
    assert!(computes.is_sorted_by(|one, two| one >= two), "{computes:?}");
}

#[test]
fn a_cluster_is_found_by_number_id_beginning_or_name() {
    let bench = many();
    for (text, id) in [
        ("3", 3),
        ("Scheduler-4", 5),
        ("plain", 1),
        ("100%", 2),
        ("%", 7),
    ] {
        assert_eq!(find_cluster(&bench.app, text).unwrap().id, id, "{text}");
    }
    assert!(matches!(
        find_cluster(&bench.app, "Scheduler-"),
        Err(Error::Invalid { .. })
    ));
    for text in ["", "99", "nobody", "'", "Scheduler_1"] {
        assert!(
            matches!(find_cluster(&bench.app, text), Err(Error::NotFound { .. })),
            "{text}"
        );
    }
}
