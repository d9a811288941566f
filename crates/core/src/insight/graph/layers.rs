//! Which layer a node is in: as many steps from a source as its longest way takes, so that sources come first.

use super::shape::{Neighbours, Shape};

pub(super) fn layers(neighbours: &Neighbours) -> Vec<usize> {
    let mut layer = vec![0; neighbours.after.len()];
    for node in neighbours.in_order() {
        for &other in &neighbours.after[node] {
            layer[other] = layer[other].max(layer[node] + 1);
        }
    }
    layer
}

/// The parts that no edge joins, each a list of nodes in order; most nodes first, then by the first node.
pub(super) fn parts(shape: &Shape) -> Vec<Vec<usize>> {
    let mut head: Vec<usize> = (0..shape.nodes).collect();
    fn find(head: &mut [usize], mut node: usize) -> usize {
        while head[node] != node {
            head[node] = head[head[node]];
            node = head[node];
        }
        node
    }
    for edge in &shape.edges {
        let (one, two) = (find(&mut head, edge.from), find(&mut head, edge.to));
        head[one.max(two)] = one.min(two);
    }
    let mut of = vec![Vec::new(); shape.nodes];
    for node in 0..shape.nodes {
        of[find(&mut head, node)].push(node);
    }
    let mut parts: Vec<Vec<usize>> = of.into_iter().filter(|part| !part.is_empty()).collect();
    parts.sort_by(|one, two| two.len().cmp(&one.len()).then(one[0].cmp(&two[0])));
    parts
}
