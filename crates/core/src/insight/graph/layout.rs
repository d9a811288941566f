//! Where nodes stand and edges run, from the shape alone: no figure moves anything.

use super::layers::{layers, parts};
use super::order::{Net, reduce_crossings};
use super::place::places;
use super::shape::{Neighbours, Shape};

/// Sizes in pixels at a zoom of 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Size {
    pub(crate) width: i32,
    pub(crate) height: i32,
    /// Layers below each other instead of beside each other.
    pub(crate) top_down: bool,
}

/// Between neighbours in a layer, and around a place where an edge passes.
const BESIDE: f64 = 16.0;
const PASSES: f64 = 10.0;
/// Between two layers: the more edges run there, the wider.
const LEAST_GAP: i32 = 32;
const MOST_GAP: i32 = 140;
/// Between parts that no edge joins.
const APART: i32 = 40;
/// Parts are put side by side until the whole is about this much wider than high.
const ASPECT: f64 = 1.7;
/// Places where edges pass, at most: those of the longest ways are left out first, and their edges run straight.
const MOST_PASSED: usize = 12_000;
/// The same summed over edges, which share places: edges over more layers than fit run straight.
pub(super) const MOST_STEPS: usize = 100_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Left upper corners.
    pub(crate) nodes: Vec<(i32, i32)>,
    pub(crate) layer: Vec<usize>,
    /// For each edge of the shape the points that it passes, from its own beginning to its own end.
    pub(crate) edges: Vec<Vec<(i32, i32)>>,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

impl Layout {
    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        let points: usize = self.edges.iter().map(Vec::len).sum();
        self.nodes.len() * 16 + self.edges.len() * 24 + points * 8
    }

    pub(crate) fn new(shape: &Shape, size: Size) -> Self {
        let neighbours = shape.neighbours();
        let layer = layers(&neighbours);
        let passing = passing(shape, &neighbours, &layer);
        let mut layout = Self {
            nodes: vec![(0, 0); shape.nodes],
            layer,
            edges: vec![Vec::new(); shape.edges.len()],
            width: 0,
            height: 0,
        };
        let mut of_node = vec![Vec::new(); shape.nodes];
        for (at, edge) in shape.edges.iter().enumerate() {
            of_node[edge.from].push(at);
        }
        let parts = parts(shape);
        let mut sizes = Vec::with_capacity(parts.len());
        for part in &parts {
            sizes.push(layout.part(shape, part, &of_node, &passing, size));
        }
        layout.pack(shape, &parts, &of_node, &sizes);
        layout
    }

    /// Lays out one part with its left upper corner at 0, 0, and gives its size.
    fn part(
        &mut self,
        shape: &Shape,
        part: &[usize],
        of_node: &[Vec<usize>],
        passing: &[usize],
        size: Size,
    ) -> (i32, i32) {
        let (along, across) = if size.top_down {
            (size.height, size.width)
        } else {
            (size.width, size.height)
        };
        let depth = part.iter().map(|n| self.layer[*n]).max().unwrap_or(0) + 1;
        let mut local = std::collections::HashMap::with_capacity(part.len());
        let mut net = Net {
            rows: vec![Vec::new(); depth],
            after: Vec::new(),
            before: Vec::new(),
        };
        let add = |net: &mut Net, layer: usize| {
            let vertex = net.after.len();
            net.rows[layer].push(vertex);
            net.after.push(Vec::new());
            net.before.push(Vec::new());
            vertex
        };
        for node in part {
            local.insert(*node, add(&mut net, self.layer[*node]));
        }
        let real = part.len();
        let link = |net: &mut Net, from: usize, to: usize| {
            net.after[from].push(to);
            net.before[to].push(from);
        };
        // The places that the edges of one node pass: one a layer, shared by all of them.
        let mut lanes: Vec<Vec<usize>> = Vec::with_capacity(real);
        for node in part {
            let mut lane = Vec::new();
            let mut from = local[node];
            for step in 1..=passing[*node] {
                let vertex = add(&mut net, self.layer[*node] + step);
                link(&mut net, from, vertex);
                lane.push(vertex);
                from = vertex;
            }
            lanes.push(lane);
        }
        let mut routes: Vec<(usize, Vec<usize>)> = Vec::new();
        for at in part.iter().flat_map(|node| &of_node[*node]) {
            let (from, to) = shape.edges[*at].ahead();
            let steps = self.layer[to] - self.layer[from] - 1;
            let lane = &lanes[local[&from]];
            let passed = lane.get(..steps).unwrap_or_default().to_vec();
            match passed.last() {
                Some(last) => link(&mut net, *last, local[&to]),
                None if steps == 0 => link(&mut net, local[&from], local[&to]),
                None => {}
            }
            routes.push((*at, passed));
        }
        reduce_crossings(&mut net);
        let room: Vec<f64> = (0..net.after.len())
            .map(|vertex| {
                if vertex < real {
                    f64::from(across) + BESIDE
                } else {
                    PASSES
                }
            })
            .collect();
        let mut at = places(&net, real, &room);
        let least = (0..at.len())
            .map(|v| at[v] - room[v] / 2.0)
            .fold(f64::INFINITY, f64::min);
        for place in &mut at {
            *place -= least;
        }
        let most = (0..at.len())
            .map(|v| at[v] + room[v] / 2.0)
            .fold(0.0, f64::max);
        let mut begins = Vec::with_capacity(depth);
        let mut begin = 0;
        for row in &net.rows {
            begins.push(begin);
            let links: usize = row.iter().map(|v| net.after[*v].len()).sum();
            begin += along + (LEAST_GAP + links.min(1_000) as i32).min(MOST_GAP);
        }
        let turned = |along: i32, across: i32| {
            if size.top_down {
                (across, along)
            } else {
                (along, across)
            }
        };
        for node in part {
            let place = at[local[node]] - f64::from(across) / 2.0;
            self.nodes[*node] = turned(begins[self.layer[*node]], place.round() as i32);
        }
        for (edge, passed) in routes {
            let (from, to) = shape.edges[edge].ahead();
            let mut points = Vec::with_capacity(2 + 2 * passed.len());
            let middle = |node: usize| at[local[&node]].round() as i32;
            points.push(turned(begins[self.layer[from]] + along, middle(from)));
            for (step, vertex) in passed.iter().enumerate() {
                let place = at[*vertex].round() as i32;
                let begin = begins[self.layer[from] + 1 + step];
                points.push(turned(begin, place));
                points.push(turned(begin + along, place));
            }
            points.push(turned(begins[self.layer[to]], middle(to)));
            if shape.edges[edge].backward {
                points.reverse();
            }
            self.edges[edge] = points;
        }
        let long = begins.last().map_or(0, |begin| begin + along);
        turned(long, most.round() as i32)
    }

    /// Puts the parts into rows, the largest first.
    fn pack(
        &mut self,
        shape: &Shape,
        parts: &[Vec<usize>],
        of_node: &[Vec<usize>],
        sizes: &[(i32, i32)],
    ) {
        let area: f64 = sizes
            .iter()
            .map(|(width, height)| f64::from(width + APART) * f64::from(height + APART))
            .sum();
        let widest = sizes.iter().map(|(width, _)| *width).max().unwrap_or(0);
        let wide = widest.max((area * ASPECT).sqrt() as i32);
        debug_assert_eq!(shape.nodes, self.nodes.len());
        let (mut x, mut y, mut high) = (0, 0, 0);
        for (part, (width, height)) in parts.iter().zip(sizes) {
            if x > 0 && x + width > wide {
                (x, y, high) = (0, y + high + APART, 0);
            }
            for node in part {
                let place = &mut self.nodes[*node];
                *place = (place.0 + x, place.1 + y);
                for edge in &of_node[*node] {
                    for point in &mut self.edges[*edge] {
                        *point = (point.0 + x, point.1 + y);
                    }
                }
            }
            high = high.max(*height);
            self.width = self.width.max(x + width);
            self.height = self.height.max(y + height);
            x += width + APART;
        }
    }
}

/// For each node, over how many layers its edges pass that do not run straight.
fn passing(shape: &Shape, neighbours: &Neighbours, layer: &[usize]) -> Vec<usize> {
    let longest = longest_routed(shape, layer);
    let mut far: Vec<(usize, usize)> = (0..shape.nodes)
        .map(|node| {
            let after = neighbours.after[node].iter();
            let steps = after.map(|n| layer[*n] - layer[node] - 1);
            (steps.filter(|n| *n <= longest).max().unwrap_or(0), node)
        })
        .collect();
    far.sort_unstable();
    let mut passing = vec![0; shape.nodes];
    let mut left = MOST_PASSED;
    for (steps, node) in far {
        if steps > left {
            break;
        }
        left -= steps;
        passing[node] = steps;
    }
    passing
}

/// The largest number of layers such that all edges that pass over no more of them fit together.
fn longest_routed(shape: &Shape, layer: &[usize]) -> usize {
    let mut steps: Vec<usize> = shape
        .edges
        .iter()
        .map(|edge| {
            let (from, to) = edge.ahead();
            layer[to] - layer[from] - 1
        })
        .collect();
    steps.sort_unstable();
    let mut sum = 0;
    for steps in steps {
        sum += steps;
        if sum > MOST_STEPS {
            return steps - 1;
        }
    }
    usize::MAX
}
