//! How far along its layer each vertex stands: near what it is joined to, in the order that is given, and apart.
//!
//! Each layer is solved exactly for the layer beside it: the least squares fit that keeps order and distances is an
//! isotonic regression, by pooling neighbours that push each other. Places where long edges pass pull hardest, so that
//! these run straight.

use super::order::Net;

const SWEEPS: usize = 8;
/// How much harder two such places of one edge pull than two nodes, and than a node and such a place.
const STRAIGHT: f64 = 8.0;
const HALF_STRAIGHT: f64 = 2.0;

/// Centres of all vertices. `room` is how much each takes, distances to its neighbours included; the first `real`
/// vertices are nodes.
pub(super) fn places(net: &Net, real: usize, room: &[f64]) -> Vec<f64> {
    let mut at = vec![0.0; net.after.len()];
    for row in &net.rows {
        let mut edge = 0.0;
        for vertex in row {
            at[*vertex] = edge + room[*vertex] / 2.0;
            edge += room[*vertex];
        }
        // Middles of all layers in one line to begin with.
        for vertex in row {
            at[*vertex] -= edge / 2.0;
        }
    }
    let pull = |one: usize, two: usize| match (one >= real, two >= real) {
        (true, true) => STRAIGHT,
        (false, false) => 1.0,
        _ => HALF_STRAIGHT,
    };
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        // The last two look both ways.
        let both = sweep + 2 >= SWEEPS;
        for step in 0..net.rows.len() {
            let row = &net.rows[if down {
                step
            } else {
                net.rows.len() - 1 - step
            }];
            let wishes: Vec<(f64, f64)> = row
                .iter()
                .map(|vertex| {
                    let before = &net.before[*vertex][..];
                    let after = &net.after[*vertex][..];
                    let (near, far) = if down {
                        (before, after)
                    } else {
                        (after, before)
                    };
                    let (mut sum, mut weight) = (0.0, 0.0);
                    let looked = near
                        .iter()
                        .chain(far.iter().filter(|_| both || near.is_empty()));
                    for other in looked {
                        sum += at[*other] * pull(*vertex, *other);
                        weight += pull(*vertex, *other);
                    }
                    if weight == 0.0 {
                        (at[*vertex], 0.1)
                    } else {
                        (sum / weight, weight)
                    }
                })
                .collect();
            settle(row, &wishes, room, &mut at);
        }
    }
    at
}

/// Gives `row` the places nearest to its wishes (place and weight) that keep its order and the room of each.
fn settle(row: &[usize], wishes: &[(f64, f64)], room: &[f64], at: &mut [f64]) {
    struct Pool {
        sum: f64,
        weight: f64,
        members: usize,
    }
    // With the room before it taken off, a vertex may stand where its neighbour stands.
    let mut offsets = Vec::with_capacity(row.len());
    let mut offset = 0.0;
    for (i, vertex) in row.iter().enumerate() {
        if i > 0 {
            offset += (room[row[i - 1]] + room[*vertex]) / 2.0;
        }
        offsets.push(offset);
    }
    let mut pools: Vec<Pool> = Vec::with_capacity(row.len());
    for ((wish, weight), offset) in wishes.iter().zip(&offsets) {
        let mut pool = Pool {
            sum: (wish - offset) * weight,
            weight: *weight,
            members: 1,
        };
        while let Some(before) =
            pools.pop_if(|before| before.sum / before.weight > pool.sum / pool.weight)
        {
            pool.sum += before.sum;
            pool.weight += before.weight;
            pool.members += before.members;
        }
        pools.push(pool);
    }
    let mut i = 0;
    for pool in pools {
        for _ in 0..pool.members {
            at[row[i]] = pool.sum / pool.weight + offsets[i];
            i += 1;
        }
    }
}
