//! A graph as its edges, and which of them have to be turned around for it to have a beginning and an end.

/// From what is needed to what needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// It closes a cycle: for layers and paths it runs the other way.
    pub(crate) backward: bool,
}

impl Edge {
    /// Its ends in the direction in which layers grow.
    pub(crate) fn ahead(self) -> (usize, usize) {
        if self.backward {
            (self.to, self.from)
        } else {
            (self.from, self.to)
        }
    }
}

/// Nodes are `0..nodes`. Edges are in order, each once, none from a node to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) nodes: usize,
    pub(crate) edges: Vec<Edge>,
}

impl Shape {
    pub(crate) fn new(nodes: usize, mut pairs: Vec<(usize, usize)>) -> Self {
        pairs.retain(|(from, to)| from != to);
        pairs.sort_unstable();
        pairs.dedup();
        let mut edges: Vec<Edge> = pairs
            .into_iter()
            .map(|(from, to)| Edge {
                from,
                to,
                backward: false,
            })
            .collect();
        turn_cycles(nodes, &mut edges);
        Self { nodes, edges }
    }

    /// The shape in which node `n` has become `of[n]`, of `nodes`.
    pub(crate) fn merged(&self, nodes: usize, of: &[usize]) -> Self {
        let pairs = self.edges.iter().map(|edge| (of[edge.from], of[edge.to]));
        Self::new(nodes, pairs.collect())
    }

    /// For each node the nodes one step on, and one step back, in the direction of layers.
    pub(crate) fn neighbours(&self) -> Neighbours {
        let mut after = vec![Vec::new(); self.nodes];
        let mut before = vec![Vec::new(); self.nodes];
        for edge in &self.edges {
            let (from, to) = edge.ahead();
            after[from].push(to);
            before[to].push(from);
        }
        for list in after.iter_mut().chain(&mut before) {
            list.sort_unstable();
            // Two nodes may need each other.
            list.dedup();
        }
        Neighbours { after, before }
    }
}

pub(crate) struct Neighbours {
    pub(crate) after: Vec<Vec<usize>>,
    pub(crate) before: Vec<Vec<usize>>,
}

impl Neighbours {
    /// Every node after all that come before it.
    pub(crate) fn in_order(&self) -> Vec<usize> {
        let mut missing: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut order: Vec<usize> = (0..missing.len()).filter(|n| missing[*n] == 0).collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for &other in &self.after[node] {
                missing[other] -= 1;
                if missing[other] == 0 {
                    order.push(other);
                }
            }
        }
        order
    }
}

/// Marks the edges that lead back to where a walk came from. The walk keeps its own stack: a chain may be as long as a
/// stranger likes.
fn turn_cycles(nodes: usize, edges: &mut [Edge]) {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        OnTheWay,
        Done,
    }
    // Edges are ordered by where they begin.
    let first: Vec<usize> = (0..=nodes)
        .map(|node| edges.partition_point(|edge| edge.from < node))
        .collect();
    let mut needed = vec![false; nodes];
    for edge in edges.iter() {
        needed[edge.to] = true;
    }
    let mut seen = vec![Seen::Not; nodes];
    let mut next = first.clone();
    // Sources first, so that what is turned lies inside of cycles and not on the way to them.
    let starts = (0..nodes).filter(|n| !needed[*n]);
    for start in starts.chain(0..nodes) {
        if seen[start] != Seen::Not {
            continue;
        }
        seen[start] = Seen::OnTheWay;
        let mut way = vec![start];
        while let Some(&node) = way.last() {
            if next[node] == first[node + 1] {
                seen[node] = Seen::Done;
                way.pop();
                continue;
            }
            let edge = &mut edges[next[node]];
            next[node] += 1;
            match seen[edge.to] {
                Seen::OnTheWay => edge.backward = true,
                Seen::Done => {}
                Seen::Not => {
                    seen[edge.to] = Seen::OnTheWay;
                    way.push(edge.to);
                }
            }
        }
    }
}
