//! The questions against small stories, and each SQL file against a fresh store.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::Error;
use crate::api::*;
use crate::model::{ClusterState, Micros};
use crate::testing::*;

fn sql_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("migrations") {
            sql_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "sql")
            && !path.parent().unwrap().ends_with("migrations")
        {
            found.push(path);
        }
    }
}

#[test]
fn every_sql_file_can_be_prepared_and_has_named_parameters_only() {
    let bench = Bench::new();
    let mut files = Vec::new();
    sql_files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    assert!(files.len() > 50);
    for file in files {
        let sql = fs::read_to_string(&file).unwrap();
        bench
            .app
            .read(|db| {
                let statement = db
                    .prepare(&sql)
                    .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
                for at in 1..=statement.parameter_count() {
                    let name = statement.parameter_name(at).unwrap_or_default();
                    assert!(
                        name.starts_with(':'),
                        "{}: parameter {at} has no name",
                        file.display()
                    );
                }
                Ok(())
            })
            .unwrap();
    }
}

#[test]
fn counting_and_listing_ask_for_the_same_clusters() {
    let conditions = |sql: &str| {
        let from = sql.find("\nwhere\n").unwrap();
        let to = sql.find("\norder by").unwrap_or(sql.len());
        sql[from..to].trim().to_owned()
    };
    assert_eq!(
        conditions(include_str!("clusters.sql")),
        conditions(include_str!("clusters_count.sql"))
    );
    assert!(include_str!("clusters.sql").contains("order by c.started_micros desc, c.id desc"));
}

fn state(bench: &Bench, seconds: i64) -> (ClusterState, String) {
    bench.at(seconds);
    let row = find_cluster(&bench.app, "story").unwrap();
    (row.state, row.state_evidence)
}

#[test]
fn a_cluster_runs_idles_is_lost_comes_back_and_finishes() {
    let bench = Bench::new();
    bench.at(10).send(batch(1, &[facts(0), sample(10, 1.0)]));
    assert_eq!(
        state(&bench, 12),
        (ClusterState::Running, "reported 2 s ago".into())
    );
    bench.at(20).send(batch(
        3,
        &[with(sample(20, 1.0), json!({"idle_since_micros": at(15)}))],
    ));
    assert_eq!(
        state(&bench, 21),
        (ClusterState::Idle, "nothing to do for 6 s".into())
    );
    assert_eq!(state(&bench, 50).0, ClusterState::Idle);
    let (lost, evidence) = state(&bench, 51);
    assert_eq!(lost, ClusterState::Lost);
    assert_eq!(
        evidence,
        "silent for 31 s, though it reported every 10 s; it never said goodbye"
    );
    assert_eq!(
        find_cluster(&bench.app, "story").unwrap().stopped_micros,
        Some(Micros(at(20)))
    );
    bench.at(60).send(batch(4, &[sample(60, 2.0)]));
    assert_eq!(state(&bench, 61).0, ClusterState::Running);
    bench.at(70).send(batch(5, &[stop(70)]));
    assert_eq!(
        state(&bench, 900),
        (ClusterState::Finished, "its scheduler said goodbye".into())
    );
    assert_eq!(
        find_cluster(&bench.app, "story").unwrap().stopped_micros,
        Some(Micros(at(70)))
    );
    // The plugin was started anew in the same scheduler: the goodbye of the old one no longer counts.
    bench
        .at(910)
        .send(batch_of("Scheduler-1", "j", 1, &[sample(905, 0.5)]));
    assert_eq!(state(&bench, 911).0, ClusterState::Running);
    assert_eq!(
        find_cluster(&bench.app, "story").unwrap().compute_seconds,
        2.5
    );
}

#[test]
fn a_finished_cluster_keeps_the_workers_that_it_shut_down() {
    let bench = Bench::new();
    let with_workers =
        json!({"workers": 2, "threads": 4, "memory_limit_bytes": 8_000, "memory_used_bytes": 500});
    let without =
        json!({"workers": 0, "threads": 0, "memory_limit_bytes": 0, "memory_used_bytes": 0});
    let samples = [
        with(sample(10, 1.0), with_workers),
        with(sample(20, 2.0), without),
    ];
    bench.at(20).send(batch(1, &[facts(0)]));
    bench.send(batch(2, &samples));
    let shown = || {
        let row = find_cluster(&bench.app, "story").unwrap();
        (
            row.workers,
            row.threads,
            row.memory_limit_bytes,
            row.memory_used_bytes,
        )
    };
    assert_eq!(shown(), (0, 0, Some(0), Some(0)));
    bench.send(batch(4, &[stop(21)]));
    assert_eq!(shown(), (2, 4, Some(8_000), Some(500)));
}

#[test]
fn a_short_interval_still_gives_three_seconds_of_patience() {
    let bench = Bench::new();
    bench.at(0).send(batch(
        1,
        &[
            with(facts(0), json!({"interval_micros": 200_000})),
            sample(0, 1.0),
        ],
    ));
    assert_eq!(state(&bench, 3).0, ClusterState::Running);
    assert_eq!(state(&bench, 4).0, ClusterState::Lost);
}

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
        "\"",
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
        Exceptions,
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

#[test]
fn the_overview_sums_and_maps_by_local_day() {
    let bench = many();
    let asked = overview(
        &bench.app,
        OverviewRequest {
            from_micros: None,
            to_micros: None,
            utc_offset_minutes: 0,
        },
    )
    .unwrap();
    let all = clusters(&bench.app, ClustersRequest::default()).unwrap();
    let compute: f64 = all.rows.iter().map(|row| row.compute_seconds).sum();
    assert_eq!(
        (asked.period.clusters, asked.period.compute_seconds),
        (10, compute)
    );
    assert_eq!(asked.period, asked.ever);
    assert_eq!(asked.heat_map.days.len(), 28);
    assert_eq!(asked.heat_map.days.last().unwrap(), "2023-11-14");
    let mapped: f64 = asked
        .heat_map
        .rows
        .iter()
        .map(|row| row.total_compute_seconds)
        .sum();
    assert_eq!(mapped, compute);
    assert!(
        asked
            .heat_map
            .rows
            .iter()
            .all(|row| row.compute_seconds[..27].iter().all(Option::is_none))
    );
    let live: Vec<i64> = asked.live.iter().map(|row| row.id).collect();
    let naive: Vec<i64> = all
        .rows
        .iter()
        .filter(|row| matches!(row.state, ClusterState::Running | ClusterState::Idle))
        .map(|row| row.id)
        .collect();
    assert_eq!(live, naive);
    // Two hours further east it is the next day already.
    let east = overview(
        &bench.app,
        OverviewRequest {
            from_micros: None,
            to_micros: None,
            utc_offset_minutes: 120,
        },
    )
    .unwrap();
    assert_eq!(east.heat_map.days.last().unwrap(), "2023-11-15");
    assert!(east.heat_map.rows[0].compute_seconds[27].is_some());
}

#[test]
fn a_cluster_page_shows_what_was_sent() {
    let bench = Bench::new();
    bench.at(30).send(batch(
        1,
        &[
            facts(0),
            sample(10, 4.0),
            sample(20, 24.0),
            group(20, "g1", 4.25),
            group(20, "g2", 1.0),
        ],
    ));
    bench.send(batch(8, &[
        computation(20, "c1", Some("def work(): ...")), computation(25, "c2", None), exception(20, "e1", 3), event(20),
        json!({"kind": "dropped", "at_micros": at(21), "what": "event", "count": 2, "reason": "queue_full"}),
        json!({"kind": "later"}), json!({"kind": "sample"}),
    ]));
    let app = &bench.app;
    let page = cluster_page(app);
    assert_eq!(
        page.facts.scheduler_address.as_deref(),
        Some("tcp://127.0.0.1:8786")
    );
    assert_eq!(page.facts.plugin_beat_micros, Some(300));
    assert_eq!((page.seconds.compute, page.seconds.transfer), (5.25, 1.0));
    assert_eq!(
        (
            page.row.computations,
            page.row.exceptions,
            page.row.workers_peak
        ),
        (2, 1, 2)
    );
    assert_eq!(page.row.tasks["processing"], 3);
    let losses = page.losses;
    assert_eq!(
        (
            losses.missing_records,
            losses.refused_records,
            losses.kept_unknown,
            losses.conflicts
        ),
        (2, 1, 1, 0)
    );
    assert_eq!(losses.dropped_records["event"], 2);
    let line = timeline(
        app,
        TimelineRequest {
            id: 1,
            from_micros: None,
            to_micros: None,
            points: 0,
        },
    )
    .unwrap();
    assert_eq!(line.at_micros, [Micros(at(10)), Micros(at(20))]);
    assert_eq!(line.threads_computing, [None, Some(2.0)]);
    assert_eq!(
        (
            line.tasks_processing[0],
            line.tasks_waiting[0],
            line.gaps.len()
        ),
        (3, 2, 1)
    );
    let groups = task_groups(app, TaskGroupsRequest { id: 1 }).unwrap();
    assert_eq!(
        (
            groups.total,
            groups.rows[0].group_id.as_str(),
            groups.rows[0].seconds.compute
        ),
        (2, "g1", 4.25)
    );
    let calls = computations(
        app,
        ComputationsRequest {
            id: 1,
            limit: 0,
            offset: 0,
        },
    )
    .unwrap();
    let ComputationCode::Frames { frames } = &calls.rows[0].code else {
        panic!("{:?}", calls.rows[0])
    };
    assert_eq!(
        (frames[0].code.as_str(), frames[0].line),
        ("def work(): ...", Some(7))
    );
    assert_eq!(calls.rows[0].seconds.compute, 4.25);
    assert_eq!(calls.rows[1].code, ComputationCode::NotCaptured);
    let failures = exceptions(app, ExceptionsRequest::default()).unwrap();
    assert_eq!(
        failures.rows[0].message,
        SealedText::Text {
            text: "canary-message".into()
        }
    );
    assert_eq!(
        (
            failures.rows[0].cluster_name.as_str(),
            failures.rows[0].count
        ),
        ("story", 3)
    );
    for (request, total) in [
        (
            ExceptionsRequest {
                id: Some(1),
                ..Default::default()
            },
            1,
        ),
        (
            ExceptionsRequest {
                user: Some("bob".into()),
                ..Default::default()
            },
            0,
        ),
        (
            ExceptionsRequest {
                from_micros: Some(Micros(at(21))),
                ..Default::default()
            },
            0,
        ),
    ] {
        assert_eq!(exceptions(app, request).unwrap().total, total);
    }
    let told = events(
        app,
        EventsRequest {
            id: 1,
            limit: 0,
            offset: 0,
        },
    )
    .unwrap();
    assert_eq!(
        told.rows[0].payload,
        SealedText::Text {
            text: r#"{"text":"canary-event"}"#.into()
        }
    );
    assert!(matches!(cluster_of(app, 9), Err(Error::NotFound { .. })));
}

fn cluster_page(app: &App) -> Cluster {
    cluster_of(app, 1).unwrap()
}

fn cluster_of(app: &App, id: i64) -> crate::Result<Cluster> {
    cluster(app, ClusterRequest { id })
}

#[test]
fn code_that_was_switched_off_is_said_to_be_off() {
    let bench = Bench::new();
    let switches = json!({"switches": {"code": false, "profile": false}});
    bench.send(batch(
        1,
        &[with(facts(0), switches), computation(20, "c1", None)],
    ));
    let calls = computations(
        &bench.app,
        ComputationsRequest {
            id: 1,
            limit: 0,
            offset: 0,
        },
    )
    .unwrap();
    assert_eq!(calls.rows[0].code, ComputationCode::Off);
}

#[test]
fn many_samples_become_few_points_that_keep_the_peaks() {
    let bench = Bench::new();
    let samples: Vec<_> = (0..1_000)
        .map(|second| {
            with(
                sample(second, second as f64),
                json!({"workers": if second == 777 { 50 } else { 2 }}),
            )
        })
        .collect();
    bench.send(batch(1, &samples));
    let ask = |from: Option<i64>, to: Option<i64>| TimelineRequest {
        id: 1,
        from_micros: from.map(|second| Micros(at(second))),
        to_micros: to.map(|second| Micros(at(second))),
        points: 100,
    };
    let line = timeline(&bench.app, ask(None, None)).unwrap();
    assert_eq!(
        (line.at_micros.len(), line.workers.iter().max()),
        (100, Some(&50))
    );
    assert!(line.at_micros.is_sorted());
    assert!(
        line.threads_computing[1..]
            .iter()
            .all(|busy| (busy.unwrap() - 1.0).abs() < 1e-9)
    );
    let part = timeline(&bench.app, ask(Some(100), Some(150))).unwrap();
    assert_eq!(
        (part.at_micros.len(), part.at_micros[0]),
        (50, Micros(at(100)))
    );
    assert!(
        timeline(&bench.app, ask(Some(5_000), None))
            .unwrap()
            .at_micros
            .is_empty()
    );
}
