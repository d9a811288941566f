//! Groups, folded and laid out, with their figures: what the page draws.

use std::collections::{BTreeMap, HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::collapse::{Node, Shown, Tree, Weight};
use super::critical::{Critical, critical};
use super::layout::{Layout, Size};
use super::shape::Shape;
use crate::model::{Activities, Micros, TaskStates, done, total};
use crate::query::types::{
    CriticalPath, FoldName, Graph, GraphEdge, GraphMeasure, GraphNode, GraphRequest, GroupName,
    Money,
};
use crate::query::{GraphGroups, GroupFacts};

const NODE_WIDTH: i32 = 148;
/// Two lines of a name, and the figures below.
const NODE_HEIGHT: i32 = 100;
/// Names of groups that a fold tells.
const LARGEST: usize = 8;
const PREFIXES: usize = 3;

/// The groups of a graph in order, and its shape.
pub(crate) struct Seen {
    groups: Vec<GroupFacts>,
    total: u64,
    shape: Shape,
    missing: u64,
    priced: Priced,
}

/// What groups cost, where that was asked for.
#[derive(Default)]
pub(crate) struct Priced {
    pub(crate) currency: Option<String>,
    /// By the id of the group.
    pub(crate) moneys: HashMap<String, Money>,
}

impl Seen {
    pub(crate) fn new(found: GraphGroups, priced: Priced) -> Self {
        let mut groups = found.groups;
        groups.sort_by(|one, two| one.group_id.cmp(&two.group_id));
        let place: HashMap<&str, usize> = groups
            .iter()
            .enumerate()
            .map(|(at, group)| (&group.group_id[..], at))
            .collect();
        let mut missing = found.unread;
        let mut pairs = Vec::new();
        for (to, group) in groups.iter().enumerate() {
            for needed in &group.dependencies {
                match place.get(&needed[..]) {
                    Some(from) => pairs.push((*from, to)),
                    None => missing += 1,
                }
            }
        }
        Self {
            shape: Shape::new(groups.len(), pairs),
            total: found.total,
            missing,
            groups,
            priced,
        }
    }

    /// What folding may depend on for as long as the graph is looked at: its groups and edges, and whether anything was
    /// measured and everything is done. Which groups are small changes while they run, and what was folded stays so.
    pub(crate) fn fingerprint(&self, request: &GraphRequest) -> [u8; 32] {
        let measured = (0..self.groups.len()).any(|g| self.measure(g, request.measure) > 0.0);
        let settled = self
            .groups
            .iter()
            .all(|g| done(&g.states) == total(&g.states));
        let mut digest = Sha256::new();
        digest.update(format!(
            "{} {:?} {} {measured} {settled}",
            request.id, request.measure, request.whole
        ));
        for group in &self.groups {
            digest.update((group.group_id.len() as u64).to_le_bytes());
            digest.update(&group.group_id);
        }
        add(&mut digest, &self.shape);
        digest.finalize().into()
    }

    fn measure(&self, group: usize, measure: GraphMeasure) -> f64 {
        let group = &self.groups[group];
        match measure {
            GraphMeasure::Compute => group.seconds.compute,
            GraphMeasure::Bytes => group.result_bytes as f64,
            GraphMeasure::Transfer => group.seconds.transfer,
            GraphMeasure::Cost => self
                .money(&group.group_id)
                .map_or(0.0, |money| money.high_nanos as f64 / 1e9),
        }
    }

    fn money(&self, group_id: &str) -> Option<Money> {
        self.priced.moneys.get(group_id).copied()
    }
}

/// How the graph is folded with nothing opened.
pub(crate) fn fold(seen: &Seen, request: &GraphRequest) -> Tree {
    if request.whole {
        return Tree::whole(seen.groups.len());
    }
    let weights: Vec<Weight<'_>> = seen
        .groups
        .iter()
        .enumerate()
        .map(|(at, group)| Weight {
            group_id: &group.group_id,
            prefix: &group.prefix,
            tasks: total(&group.states),
            measure: seen.measure(at, request.measure),
        })
        .collect();
    Tree::fold(&seen.shape, &weights)
}

fn add(digest: &mut Sha256, shape: &Shape) {
    for number in
        std::iter::once(shape.nodes).chain(shape.edges.iter().flat_map(|edge| [edge.from, edge.to]))
    {
        digest.update((number as u64).to_le_bytes());
    }
}

/// The nodes that are shown, their shape, and which node each group is in.
pub(crate) struct Merged {
    shown: Vec<Shown>,
    shape: Shape,
    of: Vec<usize>,
}

impl Merged {
    pub(crate) fn new(seen: &Seen, tree: &Tree, open: &[String]) -> Self {
        let shown = tree.shown(open);
        let mut of = vec![0; seen.groups.len()];
        for (place, one) in shown.iter().enumerate() {
            for group in &tree.nodes[one.node].groups {
                of[*group] = place;
            }
        }
        Self {
            shape: seen.shape.merged(shown.len(), &of),
            shown,
            of,
        }
    }

    /// All that a layout depends on.
    pub(crate) fn fingerprint(&self, top_down: bool) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update([u8::from(top_down)]);
        add(&mut digest, &self.shape);
        digest.finalize().into()
    }

    pub(crate) fn layout(&self, top_down: bool) -> Layout {
        let size = Size {
            width: NODE_WIDTH,
            height: NODE_HEIGHT,
            top_down,
        };
        Layout::new(&self.shape, size)
    }
}

/// Everything that is drawn; `layout` is that of `merged`.
pub(crate) fn view(
    seen: &Seen,
    tree: &Tree,
    merged: &Merged,
    layout: &Layout,
    request: &GraphRequest,
) -> Graph {
    let walls: Vec<Option<f64>> = seen.groups.iter().map(wall_seconds).collect();
    let seconds: Vec<f64> = walls.iter().map(|wall| wall.unwrap_or(0.0)).collect();
    let chain = critical(&seen.shape, &seconds);
    let known = !chain.path.is_empty();
    let measure_total: f64 = (0..seen.groups.len())
        .map(|group| seen.measure(group, request.measure))
        .sum();

    let mut on_path = vec![false; seen.groups.len()];
    for group in &chain.path {
        on_path[*group] = true;
    }
    let nodes: Vec<GraphNode> = merged
        .shown
        .iter()
        .enumerate()
        .map(|(place, shown)| {
            let node = &tree.nodes[shown.node];
            let sums = Sums::of(seen, node, request.measure);
            let of = |values: &[f64], from: f64, choose: fn(f64, f64) -> f64| {
                known.then(|| node.groups.iter().map(|g| values[*g]).fold(from, choose))
            };
            GraphNode {
                node_id: node_id(seen, node),
                fold: node.fold,
                name: name(seen, node),
                prefix: sums.prefix,
                out_of: shown.out_of.map(|fold| tree.nodes[fold].id.clone()),
                groups: node.groups.len() as u64,
                largest: largest(seen, node, request.measure),
                x: layout.nodes[place].0,
                y: layout.nodes[place].1,
                layer: layout.layer[place] as u32,
                tasks: total(&sums.states),
                done: done(&sums.states),
                erred: sums.states.get("erred").copied().unwrap_or(0),
                states: sums.states,
                seconds: sums.seconds,
                result_bytes: sums.result_bytes,
                start_micros: sums.start,
                stop_micros: sums.stop,
                measure: sums.measure,
                share: (measure_total > 0.0).then(|| sums.measure / measure_total),
                money: sums.money,
                is_final: node.groups.iter().all(|g| seen.groups[*g].is_final),
                on_critical_path: node.groups.iter().any(|g| on_path[*g]),
                wall_seconds: node
                    .groups
                    .iter()
                    .filter_map(|g| walls[*g])
                    .reduce(f64::max),
                slack_seconds: of(&chain.slack, f64::INFINITY, f64::min),
                saving_seconds: of(&chain.saving, 0.0, f64::max),
            }
        })
        .collect();
    Graph {
        edges: edges(seen, merged, layout, &chain),
        width: layout.width,
        height: layout.height,
        node_width: NODE_WIDTH,
        node_height: NODE_HEIGHT,
        groups: seen.groups.len() as u64,
        total: seen.total,
        truncated: seen.total > seen.groups.len() as u64,
        measure_total,
        currency: seen.priced.currency.clone(),
        measure_most: nodes.iter().map(|node| node.measure).fold(0.0, f64::max),
        opened: opened(seen, tree, request),
        missing: seen.missing,
        backward: seen.shape.edges.iter().filter(|edge| edge.backward).count() as u64,
        critical: known.then(|| CriticalPath {
            groups: chain.path.len() as u64,
            seconds: chain.seconds,
            clock_seconds: clock_seconds(&seen.groups),
        }),
        nodes,
    }
}

/// The dependencies between the groups of two nodes, and what the needed groups made: none before a task ended.
#[derive(Default)]
struct Between {
    dependencies: u64,
    sources: BTreeMap<usize, Option<u64>>,
}

fn edges(seen: &Seen, merged: &Merged, layout: &Layout, chain: &Critical) -> Vec<GraphEdge> {
    let mut between: HashMap<(usize, usize), Between> = HashMap::new();
    for edge in &seen.shape.edges {
        let ends = (merged.of[edge.from], merged.of[edge.to]);
        if ends.0 != ends.1 {
            let held = between.entry(ends).or_default();
            held.dependencies += 1;
            let source = &seen.groups[edge.from];
            let made = done(&source.states) > 0 || source.result_bytes > 0;
            held.sources
                .insert(edge.from, made.then_some(source.result_bytes));
        }
    }
    let steps: HashSet<(usize, usize)> = chain
        .path
        .windows(2)
        .map(|pair| (merged.of[pair[0]], merged.of[pair[1]]))
        .collect();
    let drawn = merged.shape.edges.iter().zip(&layout.edges);
    drawn
        .map(|(edge, points)| {
            let held = between.get(&(edge.from, edge.to));
            let bytes = held.and_then(|held| {
                held.sources
                    .values()
                    .filter_map(|bytes| *bytes)
                    .reduce(u64::saturating_add)
            });
            GraphEdge {
                from: edge.from as u32,
                to: edge.to as u32,
                dependencies: held.map_or(0, |held| held.dependencies),
                bytes,
                backward: edge.backward,
                on_critical_path: steps.contains(&edge.ahead()),
                points: points.iter().flat_map(|(x, y)| [*x, *y]).collect(),
            }
        })
        .collect()
}

/// What the groups of a node have together.
struct Sums {
    states: TaskStates,
    seconds: Activities,
    result_bytes: u64,
    measure: f64,
    money: Option<Money>,
    start: Option<Micros>,
    stop: Option<Micros>,
    prefix: String,
}

impl Sums {
    fn of(seen: &Seen, node: &Node, measure: GraphMeasure) -> Self {
        let mut sums = Self {
            states: TaskStates::new(),
            seconds: Activities::default(),
            result_bytes: 0,
            measure: 0.0,
            money: None,
            start: None,
            stop: None,
            prefix: prefixes(seen, node)
                .first()
                .map(|(_, prefix)| (*prefix).into())
                .unwrap_or_default(),
        };
        for at in &node.groups {
            let group = &seen.groups[*at];
            for (state, n) in &group.states {
                let held = sums.states.entry(state.clone()).or_default();
                *held = held.saturating_add(*n);
            }
            sums.seconds.compute += group.seconds.compute;
            sums.seconds.transfer += group.seconds.transfer;
            sums.seconds.disk_read += group.seconds.disk_read;
            sums.seconds.disk_write += group.seconds.disk_write;
            sums.seconds.deserialize += group.seconds.deserialize;
            sums.seconds.other += group.seconds.other;
            sums.result_bytes = sums.result_bytes.saturating_add(group.result_bytes);
            sums.measure += seen.measure(*at, measure);
            sums.money = match (sums.money, seen.money(&group.group_id)) {
                (Some(sum), Some(money)) => Some(Money {
                    low_nanos: sum.low_nanos.saturating_add(money.low_nanos),
                    high_nanos: sum.high_nanos.saturating_add(money.high_nanos),
                }),
                (sum, money) => sum.or(money),
            };
            sums.start = sums.start.into_iter().chain(group.start_micros).min();
            sums.stop = sums.stop.into_iter().chain(group.stop_micros).max();
        }
        sums
    }
}

/// The prefixes in a node with the number of their groups, most groups first.
fn prefixes<'a>(seen: &'a Seen, node: &Node) -> Vec<(usize, &'a str)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for group in &node.groups {
        *counts.entry(&seen.groups[*group].prefix).or_default() += 1;
    }
    let mut prefixes: Vec<(usize, &str)> =
        counts.into_iter().map(|(prefix, n)| (n, prefix)).collect();
    prefixes.sort_by(|one, two| two.0.cmp(&one.0).then(one.1.cmp(two.1)));
    prefixes
}

fn name(seen: &Seen, node: &Node) -> String {
    if node.fold.is_none() {
        return seen.groups[node.groups[0]].name.clone();
    }
    let prefixes = prefixes(seen, node);
    let mut name = prefixes
        .iter()
        .take(PREFIXES)
        .map(|(_, prefix)| *prefix)
        .collect::<Vec<_>>()
        .join(", ");
    if prefixes.len() > PREFIXES {
        name += ", …";
    }
    name
}

fn node_id(seen: &Seen, node: &Node) -> String {
    match node.fold {
        None => seen.groups[node.groups[0]].group_id.clone(),
        Some(_) => node.id.clone(),
    }
}

fn largest(seen: &Seen, node: &Node, measure: GraphMeasure) -> Vec<GroupName> {
    if node.fold.is_none() {
        return Vec::new();
    }
    let mut groups = node.groups.clone();
    groups.sort_by(|one, two| {
        seen.measure(*two, measure)
            .total_cmp(&seen.measure(*one, measure))
            .then(one.cmp(two))
    });
    let names = groups
        .iter()
        .take(LARGEST)
        .map(|group| &seen.groups[*group]);
    names
        .map(|group| GroupName {
            group_id: group.group_id.clone(),
            name: group.name.clone(),
        })
        .collect()
}

fn opened(seen: &Seen, tree: &Tree, request: &GraphRequest) -> Vec<FoldName> {
    let by_id = tree.by_id();
    let mut places: Vec<usize> = request
        .open
        .iter()
        .filter_map(|id| by_id.get(&id[..]).copied())
        .collect();
    places.sort_unstable_by_key(|place| (tree.nodes[*place].groups[0], *place));
    places.dedup();
    fold_names(seen, tree, places)
}

/// The folds of the graph that hide a group, the outermost first; none where it is shown, or not in the graph.
pub(crate) fn hidden(
    seen: &Seen,
    tree: &Tree,
    request: &GraphRequest,
    group_id: &str,
) -> Vec<FoldName> {
    let groups = &seen.groups;
    match groups.binary_search_by(|group| group.group_id[..].cmp(group_id)) {
        Ok(group) => fold_names(seen, tree, tree.around(group, &request.open)),
        Err(_) => Vec::new(),
    }
}

fn fold_names(seen: &Seen, tree: &Tree, places: Vec<usize>) -> Vec<FoldName> {
    let folds = places.into_iter().filter_map(|place| {
        let node = &tree.nodes[place];
        Some(FoldName {
            node_id: node.id.clone(),
            fold: node.fold?,
            groups: node.groups.len() as u64,
            prefix: prefixes(seen, node).first()?.1.into(),
        })
    });
    folds.collect()
}

fn wall_seconds(group: &GroupFacts) -> Option<f64> {
    let micros = group.stop_micros?.0.saturating_sub(group.start_micros?.0);
    Some(micros.max(0) as f64 / 1e6)
}

fn clock_seconds(groups: &[GroupFacts]) -> f64 {
    let start = groups.iter().filter_map(|group| group.start_micros).min();
    let stop = groups.iter().filter_map(|group| group.stop_micros).max();
    match (start, stop) {
        (Some(start), Some(stop)) => stop.0.saturating_sub(start.0).max(0) as f64 / 1e6,
        _ => 0.0,
    }
}
