//! In which order the vertices of a layer stand, so that few edges cross.
//!
//! Each sweep sorts a layer by the mean place of what it is joined to in the layer before (barycentre, after Sugiyama,
//! Tagawa and Toda 1981), down and up in turn; the order with the fewest crossings stays.

/// Vertices in layers; every link joins neighbouring layers. The first vertices are nodes, the others the places where
/// long edges pass.
pub(super) struct Net {
    /// The vertices of each layer, in their order.
    pub(super) rows: Vec<Vec<usize>>,
    /// For each vertex those of the next layer that it is joined to, and of the one before.
    pub(super) after: Vec<Vec<usize>>,
    pub(super) before: Vec<Vec<usize>>,
}

/// Looks at links that all sweeps together may take: keeps large graphs within a tenth of a second.
const WORK: usize = 1_500_000;
const MOST_SWEEPS: usize = 24;

pub(super) fn reduce_crossings(net: &mut Net) {
    let links: usize = net.after.iter().map(Vec::len).sum();
    if links == 0 {
        return;
    }
    first_order(net);
    let sweeps = (WORK / (links + net.after.len())).clamp(2, MOST_SWEEPS);
    let mut place = vec![0; net.after.len()];
    for row in &net.rows {
        number(row, &mut place);
    }
    let mut best = (crossings(net, &place), net.rows.clone());
    for sweep in 0..sweeps {
        if best.0 == 0 {
            break;
        }
        let down = sweep % 2 == 0;
        for step in 1..net.rows.len() {
            let at = if down {
                step
            } else {
                net.rows.len() - 1 - step
            };
            let joined = if down { &net.before } else { &net.after };
            let row = &mut net.rows[at];
            let mut keyed: Vec<(f64, usize)> = row
                .iter()
                .map(|v| (mean(&joined[*v], &place, *v), *v))
                .collect();
            // Stable: what is equal keeps its order.
            keyed.sort_by(|one, two| one.0.total_cmp(&two.0));
            for (to, (_, vertex)) in row.iter_mut().zip(keyed) {
                *to = vertex;
            }
            number(row, &mut place);
        }
        let crossed = crossings(net, &place);
        if crossed < best.0 {
            best = (crossed, net.rows.clone());
        }
    }
    net.rows = best.1;
}

/// Vertices in the order in which a walk along the links meets them: what belongs together begins together.
fn first_order(net: &mut Net) {
    let mut rank = vec![usize::MAX; net.after.len()];
    let mut met = 0;
    for start in net.rows.iter().flatten() {
        let mut way = vec![*start];
        while let Some(vertex) = way.pop() {
            if rank[vertex] == usize::MAX {
                rank[vertex] = met;
                met += 1;
                way.extend(net.after[vertex].iter().rev());
            }
        }
    }
    for row in &mut net.rows {
        row.sort_by_key(|vertex| rank[*vertex]);
    }
}

fn number(row: &[usize], place: &mut [usize]) {
    for (at, vertex) in row.iter().enumerate() {
        place[*vertex] = at;
    }
}

/// The mean place of `joined`; what is joined to nothing stays where it is.
fn mean(joined: &[usize], place: &[usize], own: usize) -> f64 {
    if joined.is_empty() {
        return place[own] as f64;
    }
    joined.iter().map(|v| place[*v]).sum::<usize>() as f64 / joined.len() as f64
}

/// How many links cross: for each layer, inversions among the far ends of its links, counted with a tree of sums (Barth,
/// Jünger and Mutzel 2004).
pub(super) fn crossings(net: &Net, place: &[usize]) -> usize {
    let mut crossed = 0;
    for pair in net.rows.windows(2) {
        let mut sums = vec![0_usize; pair[1].len() + 1];
        let mut seen = 0;
        for vertex in &pair[0] {
            let mut ends: Vec<usize> = net.after[*vertex].iter().map(|v| place[*v]).collect();
            ends.sort_unstable();
            for end in &ends {
                let mut at = end + 1;
                let mut upto = 0;
                while at > 0 {
                    upto += sums[at];
                    at &= at - 1;
                }
                crossed += seen - upto;
            }
            for end in ends {
                seen += 1;
                let mut at = end + 1;
                while at < sums.len() {
                    sums[at] += 1;
                    at += at & at.wrapping_neg();
                }
            }
        }
    }
    crossed
}
