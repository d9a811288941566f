//! The critical path: the chain of groups that takes the longest, and what each group could save.
//!
//! A group counts with its wall time, from the start of its first task to the end of its last, and is taken to wait for all
//! that it needs (the critical path method, Kelley and Walker 1959). Groups of Dask overlap, so the chain may be longer
//! than the clock; what is saved is a bound for the same reason.

use super::shape::Shape;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Critical {
    /// Nodes from the first to the last.
    pub(super) path: Vec<usize>,
    pub(super) seconds: f64,
    /// For each node how much longer it could take without making the longest chain longer.
    pub(super) slack: Vec<f64>,
    /// For each node how much shorter the longest chain gets at most when it takes half as long.
    pub(super) saving: Vec<f64>,
}

/// `seconds` of each node, none below zero.
pub(super) fn critical(shape: &Shape, seconds: &[f64]) -> Critical {
    let neighbours = shape.neighbours();
    let order = neighbours.in_order();
    // The longest chain that ends with a node, and that begins with it, its own time included.
    let mut until = seconds.to_vec();
    for node in &order {
        let before = neighbours.before[*node].iter().map(|other| until[*other]);
        until[*node] += before.fold(0.0, f64::max);
    }
    let mut from = seconds.to_vec();
    for node in order.iter().rev() {
        let after = neighbours.after[*node].iter().map(|other| from[*other]);
        from[*node] += after.fold(0.0, f64::max);
    }
    let longest = until.iter().copied().fold(0.0, f64::max);
    let through = |node: usize| until[node] + from[node] - seconds[node];
    let slack: Vec<f64> = (0..shape.nodes)
        .map(|n| (longest - through(n)).max(0.0))
        .collect();

    let mut path = Vec::new();
    if longest > 0.0 {
        // Of equal chains the one whose groups come first.
        let mut next = (0..shape.nodes)
            .filter(|n| neighbours.before[*n].is_empty())
            .max_by(|one, two| from[*one].total_cmp(&from[*two]).then(two.cmp(one)));
        while let Some(node) = next {
            path.push(node);
            next = neighbours.after[node]
                .iter()
                .copied()
                .max_by(|one, two| from[*one].total_cmp(&from[*two]).then(two.cmp(one)));
        }
        // Groups that take no time say nothing at its end.
        while path.last().is_some_and(|node| seconds[*node] == 0.0) {
            path.pop();
        }
    }
    let mut saving = vec![0.0; shape.nodes];
    for (node, without) in longest_without(shape, &order, &path, &until, &from) {
        saving[node] = (seconds[node] / 2.0).min(longest - without).max(0.0);
    }
    Critical {
        path,
        seconds: longest,
        slack,
        saving,
    }
}

/// For each node of the path the longest chain that leaves it out.
///
/// In an order in which all that a node needs comes before it, a chain without that node ends before it, begins after it,
/// or has an edge from before it to after it.
fn longest_without(
    shape: &Shape,
    order: &[usize],
    path: &[usize],
    until: &[f64],
    from: &[f64],
) -> Vec<(usize, f64)> {
    let nodes = order.len();
    let mut place = vec![0; nodes];
    for (at, node) in order.iter().enumerate() {
        place[*node] = at;
    }
    // The longest that ends before each place, and that begins at it or later.
    let mut ended = vec![0.0_f64; nodes + 1];
    let mut begins = vec![0.0_f64; nodes + 1];
    for at in 0..nodes {
        ended[at + 1] = ended[at].max(until[order[at]]);
    }
    for at in (0..nodes).rev() {
        begins[at] = begins[at + 1].max(from[order[at]]);
    }
    // Edges by length of their chain: the first that spans a node is the longest for it, and later ones need not look.
    let mut spans: Vec<(f64, usize, usize)> = shape
        .edges
        .iter()
        .map(|edge| {
            let (one, two) = edge.ahead();
            (until[one] + from[two], place[one], place[two])
        })
        .collect();
    spans.sort_by(|one, two| two.0.total_cmp(&one.0));
    let mut spanned: Vec<Option<f64>> = vec![None; nodes];
    // The next place from here on that no edge has spanned yet.
    let mut free: Vec<usize> = (0..=nodes).collect();
    fn find(free: &mut [usize], mut at: usize) -> usize {
        while free[at] != at {
            free[at] = free[free[at]];
            at = free[at];
        }
        at
    }
    for (long, one, two) in spans {
        let mut at = find(&mut free, one + 1);
        while at < two {
            spanned[at] = Some(long);
            free[at] = at + 1;
            at = find(&mut free, at + 1);
        }
    }
    path.iter()
        .map(|node| {
            let at = place[*node];
            let over = spanned[at].unwrap_or(0.0);
            (*node, ended[at].max(begins[at + 1]).max(over))
        })
        .collect()
}
