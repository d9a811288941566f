//! Folds large graphs: what is alike or small becomes one node, which holds what it stands for and opens in place.
//!
//! The rules, in order: linear chains; siblings of the same prefix with the same neighbours; groups of one task; what is
//! under 0.5 % of the measure. The last two join only within a layer, so that nothing can end up in a cycle. They go on,
//! round by round, until few enough nodes are left or nothing folds any more. What is a long strip even then folds along it:
//! layers that are small throughout with the next ones. A graph that is small enough is not folded.

use std::collections::{BTreeMap, HashMap};

use sha2::{Digest, Sha256};

use super::layers::layers;
use super::shape::Shape;
use crate::hex::hexadecimal;
use crate::query::types::GraphFold;

/// So many nodes can be read without folding.
pub(super) const ENOUGH: usize = 100;
/// So many layers are still seen at once; deeper graphs fold along them.
const DEEP: usize = 40;
/// Into how many pieces a deep graph folds, but for what is large.
const PIECES: usize = 24;
/// Each round folds what the one before made; stranger graphs than these rounds can fold stay as they are.
const ROUNDS: usize = 8;
/// Share of the measure below which a node is small.
const SMALL: f64 = 0.005;

/// What folding looks at in a group.
#[derive(Clone, Debug)]
pub(super) struct Weight<'a> {
    pub(super) group_id: &'a str,
    pub(super) prefix: &'a str,
    pub(super) tasks: u64,
    pub(super) measure: f64,
}

/// A group, or a fold of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) fold: Option<GraphFold>,
    /// How a request names it; empty for groups.
    pub(crate) id: String,
    /// The nodes that it opens into.
    pub(crate) children: Vec<usize>,
    /// The groups in it, in order.
    pub(crate) groups: Vec<usize>,
}

/// The groups `0..n`, then the folds, each after what it holds; `roots` is what is shown with nothing opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) roots: Vec<usize>,
}

/// A node that is shown, and the opened fold that it came out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) node: usize,
    pub(crate) out_of: Option<usize>,
}

impl Tree {
    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        let lists = |node: &Node| node.id.len() + (node.children.len() + node.groups.len()) * 8;
        self.nodes
            .iter()
            .map(|node| 96 + lists(node))
            .sum::<usize>()
            + self.roots.len() * 8
    }

    /// Nothing folded.
    pub(super) fn whole(groups: usize) -> Self {
        let nodes = (0..groups)
            .map(|group| Node {
                fold: None,
                id: String::new(),
                children: Vec::new(),
                groups: vec![group],
            })
            .collect();
        Self {
            nodes,
            roots: (0..groups).collect(),
        }
    }

    pub(super) fn fold(shape: &Shape, weights: &[Weight<'_>]) -> Self {
        let mut tree = Self::whole(shape.nodes);
        let total: f64 = weights.iter().map(|weight| weight.measure).sum();
        // Before anything was measured nothing stands out.
        let is_small = |node: &Node| {
            let measure: f64 = node.groups.iter().map(|g| weights[*g].measure).sum();
            total == 0.0 || measure < SMALL * total
        };
        'rounds: for _ in 0..ROUNDS {
            let before = tree.roots.len();
            for rule in [
                GraphFold::Chain,
                GraphFold::Siblings,
                GraphFold::SingleTasks,
                GraphFold::Small,
            ] {
                if tree.roots.len() <= ENOUGH {
                    break 'rounds;
                }
                let joined = match rule {
                    GraphFold::Chain => tree.chains(shape),
                    GraphFold::Siblings => tree.siblings(shape, weights),
                    GraphFold::SingleTasks => tree.in_layers(shape, |node| {
                        node.fold.is_none() && weights[node.groups[0]].tasks == 1
                    }),
                    GraphFold::Small => tree.in_layers(shape, is_small),
                    GraphFold::Layers => Vec::new(),
                };
                tree.join(rule, joined, weights);
            }
            if tree.roots.len() == before {
                break;
            }
        }
        if shape.nodes > ENOUGH {
            let joined = tree.along_layers(shape, is_small);
            tree.join(GraphFold::Layers, joined, weights);
        }
        tree
    }

    /// What is shown once the folds named by `open` are opened, ordered by first group.
    pub(super) fn shown(&self, open: &[String]) -> Vec<Shown> {
        let mut shown = Vec::new();
        let mut left: Vec<Shown> = self
            .roots
            .iter()
            .map(|node| Shown {
                node: *node,
                out_of: None,
            })
            .collect();
        while let Some(one) = left.pop() {
            let node = &self.nodes[one.node];
            if node.fold.is_some() && open.contains(&node.id) {
                left.extend(node.children.iter().map(|child| Shown {
                    node: *child,
                    out_of: Some(one.node),
                }));
            } else {
                shown.push(one);
            }
        }
        shown.sort_by_key(|one| self.nodes[one.node].groups[0]);
        shown
    }

    /// The folds around a group that are not opened, the outermost first.
    pub(super) fn around(&self, group: usize, open: &[String]) -> Vec<usize> {
        let mut around = Vec::new();
        let mut level = &self.roots;
        let holds = |node: &usize| self.nodes[*node].groups.binary_search(&group).is_ok();
        while let Some(at) = level.iter().copied().find(holds) {
            let node = &self.nodes[at];
            if node.fold.is_some() && !open.contains(&node.id) {
                around.push(at);
            }
            level = &node.children;
        }
        around
    }

    /// Which root each group is in, as a place in `roots`.
    fn of(&self, groups: usize) -> Vec<usize> {
        let mut of = vec![0; groups];
        for (place, root) in self.roots.iter().enumerate() {
            for group in &self.nodes[*root].groups {
                of[*group] = place;
            }
        }
        of
    }

    /// The graph of the roots.
    fn shape(&self, shape: &Shape) -> Shape {
        shape.merged(self.roots.len(), &self.of(shape.nodes))
    }

    /// Roots, as places, one behind the other with nothing else at their joints.
    fn chains(&self, shape: &Shape) -> Vec<Vec<usize>> {
        let neighbours = self.shape(shape).neighbours();
        let follower = |node: usize| match neighbours.after[node][..] {
            [next] if neighbours.before[next].len() == 1 => Some(next),
            _ => None,
        };
        let mut followed = vec![false; self.roots.len()];
        for next in (0..self.roots.len()).filter_map(follower) {
            followed[next] = true;
        }
        (0..self.roots.len())
            .filter(|node| !followed[*node])
            .map(|first| std::iter::successors(Some(first), |node| follower(*node)).collect())
            .collect()
    }

    /// Roots with the same neighbours on both sides and the same prefixes inside. What has no neighbour at all has no
    /// siblings either, but for its prefix.
    fn siblings(&self, shape: &Shape, weights: &[Weight<'_>]) -> Vec<Vec<usize>> {
        let neighbours = self.shape(shape).neighbours();
        let mut alike: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (place, root) in self.roots.iter().enumerate() {
            let groups = &self.nodes[*root].groups;
            let mut prefixes: Vec<&str> = groups.iter().map(|g| weights[*g].prefix).collect();
            prefixes.sort_unstable();
            let key = (
                &neighbours.before[place],
                &neighbours.after[place],
                prefixes,
            );
            alike.entry(key).or_default().push(place);
        }
        alike.into_values().collect()
    }

    /// Roots of one layer that are `wanted`.
    fn in_layers(&self, shape: &Shape, wanted: impl Fn(&Node) -> bool) -> Vec<Vec<usize>> {
        let layer = layers(&self.shape(shape).neighbours());
        let mut rows: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, root) in self.roots.iter().enumerate() {
            if wanted(&self.nodes[*root]) {
                rows.entry(layer[place]).or_default().push(place);
            }
        }
        rows.into_values().collect()
    }

    /// All roots of layers next to each other in which every root is `wanted`: no way leaves such layers and comes back.
    fn along_layers(&self, shape: &Shape, wanted: impl Fn(&Node) -> bool) -> Vec<Vec<usize>> {
        let layer = layers(&self.shape(shape).neighbours());
        let mut rows = vec![Vec::new(); layer.iter().max().map_or(0, |last| last + 1)];
        for (place, layer) in layer.iter().enumerate() {
            rows[*layer].push(place);
        }
        if rows.len() <= DEEP {
            return Vec::new();
        }
        let most = rows.len().div_ceil(PIECES);
        let mut joined = Vec::new();
        let mut run: Vec<usize> = Vec::new();
        let mut long = 0;
        for row in rows {
            let whole = row
                .iter()
                .all(|place| wanted(&self.nodes[self.roots[*place]]));
            if !whole || long == most {
                joined.push(std::mem::take(&mut run));
                long = 0;
            }
            if whole {
                run.extend(row);
                long += 1;
            }
        }
        joined.push(run);
        joined
    }

    /// Makes a fold of each list of more than one root.
    fn join(&mut self, rule: GraphFold, joined: Vec<Vec<usize>>, weights: &[Weight<'_>]) {
        let mut gone = vec![false; self.roots.len()];
        let mut made = Vec::new();
        for places in joined.into_iter().filter(|places| places.len() > 1) {
            let children: Vec<usize> = places.iter().map(|place| self.roots[*place]).collect();
            for place in places {
                gone[place] = true;
            }
            let mut groups: Vec<usize> = children
                .iter()
                .flat_map(|child| self.nodes[*child].groups.iter().copied())
                .collect();
            groups.sort_unstable();
            let first = weights[groups[0]].group_id;
            made.push(self.nodes.len());
            self.nodes.push(Node {
                fold: Some(rule),
                id: name(rule, first, self.depth(&children)),
                children,
                groups,
            });
        }
        let mut at = 0;
        self.roots.retain(|_| {
            at += 1;
            !gone[at - 1]
        });
        self.roots.extend(made);
        self.roots.sort_by_key(|root| self.nodes[*root].groups[0]);
    }

    /// How many folds lie in each other below these.
    fn depth(&self, children: &[usize]) -> usize {
        let mut deepest = 0;
        let mut left: Vec<(usize, usize)> = children.iter().map(|child| (*child, 0)).collect();
        while let Some((node, depth)) = left.pop() {
            deepest = deepest.max(depth);
            left.extend(
                self.nodes[node]
                    .children
                    .iter()
                    .map(|child| (*child, depth + 1)),
            );
        }
        deepest
    }

    /// The places of folds by their names.
    pub(super) fn by_id(&self) -> HashMap<&str, usize> {
        let folds = self.nodes.iter().enumerate();
        folds
            .filter(|(_, node)| node.fold.is_some())
            .map(|(at, node)| (&node.id[..], at))
            .collect()
    }
}

/// A short name that goes into an address. It stays while its first group does, so that what is open stays open when
/// more of its kind come.
fn name(rule: GraphFold, first: &str, depth: usize) -> String {
    let mut digest = Sha256::new();
    digest.update(format!("{rule:?} {depth} {first}"));
    hexadecimal(&digest.finalize()[..5])
}
