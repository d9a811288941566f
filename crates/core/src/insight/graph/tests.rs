//! Graphs drawn at random with fixed seeds, hostile ones too.

use std::collections::BTreeMap;

use super::collapse::{ENOUGH, Tree};
use super::critical::critical;
use super::layout::{Layout, MOST_STEPS, Size};
use super::shape::Shape;
use super::view::{Merged, Priced, Seen, fold, hidden, view};
use crate::model::{Activities, Micros};
use crate::query::types::{Graph, GraphFold, GraphRequest};
use crate::query::{GraphGroups, GroupFacts};

const SIZE: Size = Size {
    width: 148,
    height: 100,
    top_down: false,
};

/// A plain generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// Pairs of any nodes: cycles, loops and repetitions come by themselves.
fn wild(dice: &mut Dice, nodes: usize, edges: usize) -> Vec<(usize, usize)> {
    (0..edges)
        .map(|_| (dice.below(nodes), dice.below(nodes)))
        .collect()
}

/// Pairs from lower to higher nodes that are not far apart, as in pipelines.
fn tame(dice: &mut Dice, nodes: usize, edges: usize) -> Vec<(usize, usize)> {
    let pairs = (0..edges).map(|_| {
        let from = dice.below(nodes - 1);
        (from, from + 1 + dice.below(40).min(nodes - from - 2))
    });
    pairs.collect()
}

fn shapes() -> Vec<Shape> {
    let mut dice = Dice(7);
    let mut shapes = vec![
        Shape::new(0, vec![]),
        Shape::new(1, vec![(0, 0)]),
        Shape::new(2, vec![(0, 1), (1, 0)]),
    ];
    for nodes in [2, 3, 5, 12, 40, 150] {
        for each in [1, 2, 5] {
            shapes.push(Shape::new(nodes, wild(&mut dice, nodes, nodes * each)));
            shapes.push(Shape::new(nodes, tame(&mut dice, nodes, nodes * each)));
        }
    }
    shapes
}

#[test]
fn every_edge_goes_to_a_later_layer_and_no_two_nodes_overlap() {
    for shape in shapes() {
        for top_down in [false, true] {
            let layout = Layout::new(&shape, Size { top_down, ..SIZE });
            for (edge, points) in shape.edges.iter().zip(&layout.edges) {
                let (from, to) = edge.ahead();
                assert!(layout.layer[from] < layout.layer[to], "{edge:?}");
                let along = |node: usize| {
                    let (x, y) = layout.nodes[node];
                    if top_down { y } else { x }
                };
                assert!(along(from) < along(to), "{edge:?}");
                let way: Vec<i32> = points
                    .iter()
                    .map(|(x, y)| if top_down { *y } else { *x })
                    .collect();
                let sorted = if edge.backward {
                    way.is_sorted_by(|one, two| one >= two)
                } else {
                    way.is_sorted()
                };
                assert!(points.len() >= 2 && sorted, "{edge:?} {points:?}");
            }
            for (at, (x, y)) in layout.nodes.iter().enumerate() {
                let inside = *x >= 0
                    && *y >= 0
                    && x + SIZE.width <= layout.width
                    && y + SIZE.height <= layout.height;
                assert!(inside, "{at}");
                let apart = |(a, b): &(i32, i32)| {
                    (a - x).abs() >= SIZE.width || (b - y).abs() >= SIZE.height
                };
                assert!(layout.nodes[at + 1..].iter().all(apart), "{at}");
            }
        }
    }
}

#[test]
fn only_edges_of_cycles_are_turned_around() {
    let backward = |nodes, pairs: &[(usize, usize)]| {
        let shape = Shape::new(nodes, pairs.to_vec());
        shape.edges.iter().filter(|edge| edge.backward).count()
    };
    assert_eq!(backward(3, &[(0, 1), (1, 2), (0, 2), (2, 2)]), 0);
    assert_eq!(backward(3, &[(2, 1), (1, 0), (2, 0)]), 0);
    assert_eq!(backward(2, &[(0, 1), (1, 0)]), 1);
    assert_eq!(backward(4, &[(0, 1), (1, 2), (2, 0), (2, 3)]), 1);
    // The way into a cycle is not turned.
    let shape = Shape::new(4, vec![(3, 1), (0, 1), (1, 2), (2, 0)]);
    assert!(
        shape
            .edges
            .iter()
            .all(|edge| !edge.backward || edge.from != 3)
    );
}

#[test]
fn a_chain_of_ten_thousand_and_a_cycle_of_as_many_come_to_an_end() {
    for closed in [false, true] {
        let mut pairs: Vec<(usize, usize)> = (1..10_000).map(|node| (node - 1, node)).collect();
        if closed {
            pairs.push((9_999, 0));
        }
        let shape = Shape::new(10_000, pairs);
        let layout = Layout::new(&shape, SIZE);
        assert_eq!(layout.layer.iter().max(), Some(&9_999));
        assert_eq!(critical(&shape, &vec![1.0; 10_000]).path.len(), 10_000);
    }
}

#[test]
fn a_tree_is_drawn_without_a_crossing_and_a_chain_in_one_line() {
    // Two levels of three, numbered so that their first order crosses.
    let pairs = vec![
        (0, 3),
        (0, 1),
        (0, 2),
        (3, 4),
        (3, 9),
        (1, 5),
        (1, 8),
        (2, 6),
        (2, 7),
    ];
    let shape = Shape::new(10, pairs);
    let layout = Layout::new(&shape, SIZE);
    for one in &shape.edges {
        for two in &shape.edges {
            if layout.layer[one.from] == layout.layer[two.from] {
                let before = layout.nodes[one.from].1 < layout.nodes[two.from].1;
                assert!(!before || layout.nodes[one.to].1 < layout.nodes[two.to].1);
            }
        }
    }
    let chain = Layout::new(&Shape::new(4, vec![(0, 1), (1, 2), (2, 3), (0, 3)]), SIZE);
    let ys: Vec<i32> = chain.nodes.iter().map(|(_, y)| *y).collect();
    assert!(
        ys.iter().all(|y| (y - ys[0]).abs() <= SIZE.height),
        "{ys:?}"
    );
}

fn group(at: usize, needs: &[usize], compute: f64) -> GroupFacts {
    GroupFacts {
        group_id: format!("g{at:05}"),
        name: format!("inc-{at}"),
        prefix: format!("prefix-{}", at % 7),
        states: BTreeMap::from([
            ("memory".into(), 3),
            ("erred".into(), 1),
            ("waiting".into(), 4),
        ]),
        seconds: Activities {
            compute,
            ..Activities::default()
        },
        result_bytes: at as u64,
        start_micros: Some(Micros(1_000_000 * at as i64)),
        stop_micros: Some(Micros(1_000_000 * at as i64 + 2_000_000)),
        dependencies: needs.iter().map(|need| format!("g{need:05}")).collect(),
        is_final: false,
    }
}

fn groups(nodes: usize, pairs: &[(usize, usize)]) -> Vec<GroupFacts> {
    let mut needs = vec![Vec::new(); nodes];
    for (from, to) in pairs {
        needs[*to].push(*from);
    }
    let made = (0..nodes).map(|at| group(at, &needs[at], (at % 10) as f64));
    made.collect()
}

fn request(open: &[String]) -> GraphRequest {
    GraphRequest {
        id: 1,
        computation: None,
        measure: Default::default(),
        open: open.to_vec(),
        whole: false,
        top_down: false,
    }
}

fn seen(groups: Vec<GroupFacts>) -> Seen {
    let found = GraphGroups {
        total: groups.len() as u64,
        groups,
        unread: 0,
    };
    Seen::new(found, Priced::default())
}

fn drawn(groups: Vec<GroupFacts>, request: &GraphRequest) -> Graph {
    let seen = seen(groups);
    let tree = fold(&seen, request);
    let merged = Merged::new(&seen, &tree, &request.open);
    view(
        &seen,
        &tree,
        &merged,
        &merged.layout(request.top_down),
        request,
    )
}

#[test]
fn the_same_groups_in_another_order_are_drawn_alike() {
    let mut dice = Dice(11);
    for nodes in [4, 60, 400] {
        let pairs = wild(&mut dice, nodes, nodes * 2);
        let mut groups = groups(nodes, &pairs);
        let first = drawn(groups.clone(), &request(&[]));
        for _ in 0..3 {
            for at in (1..groups.len()).rev() {
                groups.swap(at, dice.below(at + 1));
            }
            for group in &mut groups {
                group.dependencies.reverse();
            }
            assert_eq!(drawn(groups.clone(), &request(&[])), first);
        }
    }
}

#[test]
fn what_is_folded_adds_up_and_opens_in_place() {
    let mut dice = Dice(13);
    for nodes in [ENOUGH, ENOUGH + 1, 500] {
        for each in [1, 2] {
            let pairs = tame(&mut dice, nodes, nodes * each);
            let groups = groups(nodes, &pairs);
            let mut open: Vec<String> = Vec::new();
            let whole: f64 = groups.iter().map(|group| group.seconds.compute).sum();
            let mut last = 0;
            loop {
                let graph = drawn(groups.clone(), &request(&open));
                let held: u64 = graph.nodes.iter().map(|node| node.groups).sum();
                let tasks: u64 = graph.nodes.iter().map(|node| node.tasks).sum();
                let done: u64 = graph.nodes.iter().map(|node| node.done).sum();
                let erred: u64 = graph.nodes.iter().map(|node| node.erred).sum();
                let measure: f64 = graph.nodes.iter().map(|node| node.measure).sum();
                let n = nodes as u64;
                assert_eq!((held, tasks, done, erred), (n, 8 * n, 4 * n, n));
                assert!((measure - whole).abs() < 1e-6 && graph.measure_total == whole);
                assert!(graph.nodes.len() > last, "opening shows more");
                last = graph.nodes.len();
                let folds: Vec<_> = graph
                    .nodes
                    .iter()
                    .filter(|node| node.fold.is_some())
                    .collect();
                if folds.is_empty() {
                    break;
                }
                // One alone at first, then all that came out.
                let some = if open.is_empty() { 1 } else { folds.len() };
                for fold in &folds[..some] {
                    assert!(fold.groups > 1 && !fold.largest.is_empty());
                    open.push(fold.node_id.clone());
                }
            }
            assert_eq!(last, nodes);
            let opened = drawn(groups, &request(&open)).opened;
            assert_eq!(opened.len(), open.len());
        }
    }
}

#[test]
fn the_folds_that_hide_a_group_are_told_and_opening_them_shows_it() {
    let mut dice = Dice(13);
    let groups = groups(500, &tame(&mut dice, 500, 1_000));
    let hiding = |group_id: &str, open: &[String]| {
        let request = request(open);
        let seen = seen(groups.clone());
        let tree = fold(&seen, &request);
        hidden(&seen, &tree, &request, group_id)
    };
    let is_drawn = |node_id: &str, open: &[String]| {
        let graph = drawn(groups.clone(), &request(open));
        graph.nodes.iter().any(|node| node.node_id == node_id)
    };
    let mut deepest = 0;
    for group in groups.iter().step_by(17) {
        let id = &group.group_id;
        let folds = hiding(id, &[]);
        assert_eq!(folds.is_empty(), is_drawn(id, &[]));
        assert!(
            folds
                .first()
                .is_none_or(|fold| is_drawn(&fold.node_id, &[]))
        );
        let open: Vec<String> = folds.iter().map(|fold| fold.node_id.clone()).collect();
        for opened in 0..=open.len() {
            assert_eq!(hiding(id, &open[..opened]), folds[opened..]);
        }
        assert!(is_drawn(id, &open));
        deepest = deepest.max(folds.len());
    }
    assert!(deepest > 0);
    assert!(hiding("nobody", &[]).is_empty());
}

#[test]
fn a_graph_that_can_be_read_is_not_folded() {
    let chain: Vec<(usize, usize)> = (1..ENOUGH).map(|node| (node - 1, node)).collect();
    let graph = drawn(groups(ENOUGH, &chain), &request(&[]));
    assert!(graph.nodes.iter().all(|node| node.fold.is_none()));
    let long: Vec<(usize, usize)> = (1..ENOUGH * 2).map(|node| (node - 1, node)).collect();
    let graph = drawn(groups(ENOUGH * 2, &long), &request(&[]));
    assert_eq!(graph.nodes.len(), 1);
    assert_eq!(
        (graph.nodes[0].fold, graph.nodes[0].groups),
        (Some(GraphFold::Chain), 2 * ENOUGH as u64)
    );
    let whole = GraphRequest {
        whole: true,
        ..request(&[])
    };
    assert_eq!(
        drawn(groups(ENOUGH * 2, &long), &whole).nodes.len(),
        2 * ENOUGH
    );
}

#[test]
fn siblings_single_tasks_and_what_is_small_fold_by_their_rules() {
    let fold_of = |graph: &Graph| {
        let mut folds: Vec<(GraphFold, u64)> = graph
            .nodes
            .iter()
            .filter_map(|node| Some((node.fold?, node.groups)))
            .collect();
        folds.sort();
        folds
    };
    // One source, many of one prefix, one sink.
    let n = ENOUGH + 3;
    let pairs: Vec<(usize, usize)> = (1..n - 1).flat_map(|at| [(0, at), (at, n - 1)]).collect();
    let mut wide = groups(n, &pairs);
    for group in &mut wide {
        group.prefix = "read".into();
    }
    assert_eq!(
        fold_of(&drawn(wide.clone(), &request(&[]))),
        [(GraphFold::Siblings, n as u64 - 2)]
    );
    // Of prefixes of their own, and a single task each.
    for (at, group) in wide.iter_mut().enumerate().skip(1).take(n - 2) {
        group.prefix = format!("read-{at}");
        group.states = BTreeMap::from([("memory".into(), 1)]);
    }
    assert_eq!(
        fold_of(&drawn(wide.clone(), &request(&[]))),
        [(GraphFold::SingleTasks, n as u64 - 2)]
    );
    // Many tasks each, and next to nothing to do in half of them.
    for (at, group) in wide.iter_mut().enumerate().skip(1).take(n - 2) {
        group.states = BTreeMap::from([("memory".into(), 9)]);
        group.seconds.compute = if at % 2 == 0 { 1.0 } else { 0.01 };
    }
    let small = wide
        .iter()
        .filter(|group| group.seconds.compute == 0.01)
        .count() as u64;
    assert_eq!(
        fold_of(&drawn(wide, &request(&[]))),
        [(GraphFold::Small, small)]
    );
}

#[test]
fn thousands_of_groups_become_some_hundred_nodes() {
    let mut dice = Dice(17);
    for (nodes, edges) in [(1_000, 3_000), (5_000, 20_000)] {
        let pairs = tame(&mut dice, nodes, edges);
        let graph = drawn(groups(nodes, &pairs), &request(&[]));
        assert!(graph.nodes.len() <= 500, "{} nodes", graph.nodes.len());
    }
}

#[test]
fn dependencies_that_are_nowhere_are_counted_and_loops_are_nothing() {
    let mut groups = groups(3, &[(0, 1), (1, 1), (1, 2), (2, 1)]);
    groups[0].dependencies.push("elsewhere".into());
    let graph = drawn(groups, &request(&["no such fold".into()]));
    assert_eq!((graph.nodes.len(), graph.edges.len()), (3, 3));
    assert_eq!((graph.missing, graph.backward), (1, 1));
    let none = drawn(Vec::new(), &request(&[]));
    assert_eq!((none.nodes.len(), none.width, none.critical), (0, 0, None));
}

#[test]
fn figures_change_the_fills_and_never_the_places() {
    let mut dice = Dice(19);
    let pairs = tame(&mut dice, 90, 150);
    let mut groups = groups(90, &pairs);
    let before = drawn(groups.clone(), &request(&[]));
    for group in &mut groups {
        group.seconds.compute = dice.below(1_000) as f64;
        group.result_bytes = dice.below(1_000_000) as u64;
    }
    let after = drawn(groups, &request(&[]));
    let places = |graph: &Graph| -> Vec<(i32, i32)> {
        graph.nodes.iter().map(|node| (node.x, node.y)).collect()
    };
    assert_eq!(places(&before), places(&after));
    assert_ne!(before.measure_total, after.measure_total);
}

#[test]
fn edges_over_all_of_a_long_chain_take_bounded_memory() {
    const NODES: usize = 10_000;
    let chain = (1..NODES).map(|node| (node - 1, node));
    let from_first = (2..NODES).map(|node| (0, node));
    let shape = Shape::new(NODES, chain.chain(from_first).collect());
    let layout = Layout::new(&shape, SIZE);
    assert_eq!(layout.layer[NODES - 1], NODES - 1);
    let points: usize = layout.edges.iter().map(Vec::len).sum();
    assert!(points <= 2 * shape.edges.len() + 2 * MOST_STEPS, "{points}");
    assert!(layout.bytes() < 4 << 20, "{}", layout.bytes());
    // The short ones are led around what they pass, the longest runs straight.
    let of = |to: usize| {
        let at = shape
            .edges
            .iter()
            .position(|edge| (edge.from, edge.to) == (0, to));
        layout.edges[at.unwrap()].len()
    };
    assert_eq!((of(2), of(100), of(NODES - 1)), (4, 200, 2));
}

/// The longest chain over the nodes that are `wanted`, by trying them all.
fn longest(shape: &Shape, seconds: &[f64], wanted: &dyn Fn(usize) -> bool) -> f64 {
    fn from(shape: &Shape, seconds: &[f64], wanted: &dyn Fn(usize) -> bool, node: usize) -> f64 {
        let next = shape.edges.iter().map(|edge| edge.ahead());
        let after = next.filter(|(one, two)| *one == node && wanted(*two));
        seconds[node]
            + after
                .map(|(_, two)| from(shape, seconds, wanted, two))
                .fold(0.0, f64::max)
    }
    let starts = (0..shape.nodes).filter(|node| wanted(*node));
    starts
        .map(|node| from(shape, seconds, wanted, node))
        .fold(0.0, f64::max)
}

#[test]
fn the_critical_path_its_slack_and_its_savings_are_those_of_trying_everything() {
    let mut dice = Dice(23);
    for round in 0..60 {
        let nodes = 2 + dice.below(9);
        let edges = dice.below(16);
        let shape = Shape::new(nodes, wild(&mut dice, nodes, edges));
        let seconds: Vec<f64> = (0..nodes).map(|_| dice.below(20) as f64).collect();
        let found = critical(&shape, &seconds);
        let all = longest(&shape, &seconds, &|_| true);
        assert_eq!(found.seconds, all, "round {round}");
        assert_eq!(
            found.path.iter().map(|node| seconds[*node]).sum::<f64>(),
            all
        );
        for pair in found.path.windows(2) {
            assert!(
                shape
                    .edges
                    .iter()
                    .any(|edge| edge.ahead() == (pair[0], pair[1]))
            );
        }
        for node in 0..nodes {
            let mut faster = seconds.clone();
            faster[node] /= 2.0;
            let saved = all - longest(&shape, &faster, &|_| true);
            assert_eq!(found.saving[node], saved, "round {round}, node {node}");
            let mut slower = seconds.clone();
            slower[node] += found.slack[node];
            assert_eq!(
                longest(&shape, &slower, &|_| true),
                all,
                "round {round}, node {node}"
            );
            slower[node] += 1.0;
            assert_eq!(longest(&shape, &slower, &|_| true), all + 1.0);
        }
    }
}

/// `cargo test --release -p bobbin-core insight::graph -- --ignored --nocapture` prints how long it takes.
#[test]
#[ignore = "a measurement"]
fn how_long_five_thousand_groups_take() {
    let mut dice = Dice(29);
    for (name, pairs) in [
        ("near", tame(&mut dice, 5_000, 20_000)),
        ("anywhere", wild(&mut dice, 5_000, 20_000)),
    ] {
        let start = std::time::Instant::now();
        let shape = Shape::new(5_000, pairs.clone());
        let shaped = start.elapsed();
        let layout = Layout::new(&shape, SIZE);
        let laid = start.elapsed();
        let seen = seen(groups(5_000, &pairs));
        let began = start.elapsed();
        let tree: Tree = fold(&seen, &request(&[]));
        let folded = start.elapsed();
        let merged = Merged::new(&seen, &tree, &[]);
        let graph = view(&seen, &tree, &merged, &merged.layout(false), &request(&[]));
        let viewed = start.elapsed();
        eprintln!(
            "{name}: shape {shaped:?}, layout of all {:?} ({} layers), fold {:?}, layout and figures {:?} ({} nodes)",
            laid - shaped,
            layout.layer.iter().max().unwrap_or(&0) + 1,
            folded - began,
            viewed - folded,
            graph.nodes.len(),
        );
    }
}
