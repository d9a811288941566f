//! The graph over a small story.

use serde_json::json;

use crate::Error;
use crate::api::*;
use crate::testing::*;

fn story() -> Bench {
    let bench = Bench::new();
    let needs = |ids: &[&str]| json!({"dependencies": ids, "start_micros": at(2)});
    bench.at(20).send(batch(
        1,
        &[
            facts(0),
            with(
                group(10, "g1", 4.0),
                json!({"states": {"memory": 6, "erred": 1, "waiting": 3}}),
            ),
            with(group(12, "g2", 2.0), needs(&["g1", "g2"])),
            with(group(15, "g3", 1.0), needs(&["g2", "gone"])),
            group(9, "alone", 0.5),
            with(computation(15, "c1", None), json!({"groups": ["g1", "g2"]})),
            with(computation(15, "c2", None), json!({"groups": ["g3", "g2"]})),
            exception(11, "e1", 3),
        ],
    ));
    bench
}

fn ask(bench: &Bench, more: serde_json::Value) -> Graph {
    let request = with(json!({"id": 1}), more).to_string();
    serde_json::from_str(&call(&bench.app, "graph", &request).unwrap()).unwrap()
}

#[test]
fn groups_are_nodes_and_dependencies_edges() {
    let bench = story();
    let graph = ask(&bench, json!({}));
    let nodes: Vec<(&str, u32, u64, u64, u64)> = graph
        .nodes
        .iter()
        .map(|node| {
            (
                &node.node_id[..],
                node.layer,
                node.tasks,
                node.done,
                node.erred,
            )
        })
        .collect();
    let expected = [
        ("alone", 0, 10, 10, 0),
        ("g1", 0, 10, 7, 1),
        ("g2", 1, 10, 10, 0),
        ("g3", 2, 10, 10, 0),
    ];
    assert_eq!(nodes, expected);
    let edges: Vec<(u32, u32, Option<u64>, bool)> = graph
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to, edge.bytes, edge.on_critical_path))
        .collect();
    assert_eq!(edges, [(1, 2, Some(100), true), (2, 3, Some(100), true)]);
    assert_eq!(
        (graph.groups, graph.total, graph.truncated, graph.missing),
        (4, 4, false, 1)
    );
    assert_eq!((graph.measure_total, graph.measure_most), (7.5, 4.0));
    // From 1 to 10, from 2 to 12 and from 2 to 15 seconds; the clock ran from 1 to 15.
    let critical = graph.critical.unwrap();
    assert_eq!(
        (critical.groups, critical.seconds, critical.clock_seconds),
        (3, 32.0, 14.0)
    );
    let of = |id: &str| graph.nodes.iter().find(|node| node.node_id == id).unwrap();
    assert_eq!(
        (of("g3").slack_seconds, of("g3").saving_seconds),
        (Some(0.0), Some(6.5))
    );
    assert_eq!(
        (of("alone").slack_seconds, of("alone").saving_seconds),
        (Some(24.0), Some(0.0))
    );
}

#[test]
fn dependencies_beyond_those_that_fit_are_counted() {
    let bench = Bench::new();
    let needs: Vec<String> = (0..9_000).map(|at| format!("g{at}")).collect();
    bench.send(batch(1, &[facts(0)]));
    for at in 0..12 {
        let needing = with(
            group(10, &format!("g{at}"), 1.0),
            json!({"dependencies": needs}),
        );
        bench.send(batch(2 + at, &[needing]));
    }
    let graph = ask(&bench, json!({"whole": true}));
    // Eleven were read in whole and one in part: of each, what is here but for itself.
    assert_eq!((graph.nodes.len(), graph.edges.len()), (12, 12 * 11));
    assert_eq!(graph.missing, 12 * 9_000 - 12 * 12);
}

#[test]
fn a_computation_narrows_it_and_the_measure_is_chosen() {
    let bench = story();
    let graph = ask(
        &bench,
        json!({"computation": "c2", "measure": "bytes", "top_down": true}),
    );
    let nodes: Vec<(&str, i32, i32)> = graph
        .nodes
        .iter()
        .map(|node| (&node.node_id[..], node.x, node.y))
        .collect();
    assert_eq!((nodes[0].0, nodes[1].0, nodes.len()), ("g2", "g3", 2));
    assert!(
        nodes[0].1 == nodes[1].1 && nodes[0].2 < nodes[1].2,
        "{nodes:?}"
    );
    assert_eq!(
        (graph.measure_total, graph.total, graph.missing),
        (200.0, 2, 2)
    );
    let none = ask(&bench, json!({"computation": "no such"}));
    assert_eq!((none.nodes.len(), none.total, none.critical), (0, 0, None));
    assert!(matches!(
        call(&bench.app, "graph", r#"{"id": 9}"#),
        Err(Error::NotFound { .. })
    ));
}

#[test]
fn a_report_changes_figures_and_moves_nothing() {
    let bench = story();
    let before = ask(&bench, json!({}));
    bench.at(30).send(batch(9, &[group(25, "alone", 900.0)]));
    let after = ask(&bench, json!({}));
    let places = |graph: &Graph| {
        graph
            .nodes
            .iter()
            .map(|node| (node.x, node.y))
            .collect::<Vec<_>>()
    };
    assert_eq!(places(&before), places(&after));
    assert_eq!(after.measure_most, 900.0);
}

#[test]
fn a_group_knows_its_neighbours_computations_and_exceptions() {
    let bench = story();
    let ask = |group_id: &str| {
        let request = GraphGroupRequest {
            id: 1,
            group_id: group_id.into(),
            within: None,
        };
        graph_group(&bench.app, request)
    };
    let names = |list: &[GroupName]| -> Vec<(String, String)> {
        list.iter()
            .map(|one| (one.group_id.clone(), one.name.clone()))
            .collect()
    };
    let g1 = ask("g1").unwrap();
    assert_eq!(
        (g1.name, g1.prefix, g1.needs),
        ("inc-g1".into(), "inc".into(), vec![])
    );
    assert_eq!(names(&g1.needed_by), [("g2".into(), "inc-g2".into())]);
    assert_eq!(
        (&g1.exceptions[0].exception_type[..], g1.exceptions[0].count),
        ("ValueError", 3)
    );
    assert_eq!(g1.computations.len(), 1);
    let g3 = ask("g3").unwrap();
    assert_eq!(
        names(&g3.needs),
        [
            ("gone".into(), String::new()),
            ("g2".into(), "inc-g2".into())
        ]
    );
    assert!(g3.exceptions.is_empty() && g3.durations.is_none());
    assert!(matches!(ask("gone"), Err(Error::NotFound { .. })));
}
