//! What was noted happens once more, up to each moment at which the power goes.

use fastrand::Rng;

use super::{
    image::{Disk, Kept, Unheard},
    op::Op,
};

/// Before which step the power goes, and how much of what was not synced is kept.
pub type Moment = (usize, Kept);

/// So many moments in order: around every sync, change of a name and acknowledgement, and anywhere.
pub fn moments(ops: &[Op], count: usize, rng: &mut Rng) -> Vec<Moment> {
    let is_edge = |op: &Op| {
        matches!(
            op,
            Op::Synced(_) | Op::Acknowledged(_) | Op::Unnamed { .. } | Op::Renamed { .. }
        )
    };
    let mut edges: Vec<usize> = ops
        .iter()
        .enumerate()
        .filter(|(_, op)| is_edge(op))
        .flat_map(|(at, _)| [at, at + 1])
        .collect();
    edges.dedup();
    rng.shuffle(&mut edges);
    let mut moments: Vec<Moment> = (0..count)
        .map(|number| {
            let at = match edges.get(number / 2) {
                Some(edge) if number % 2 == 0 => *edge,
                _ => rng.usize(..=ops.len()),
            };
            let kept = match number % 5 {
                0 => Kept::Nothing,
                1 => Kept::All,
                2 => Kept::Some(50),
                3 => Kept::Some(90),
                _ => Kept::Some(10),
            };
            (at, kept)
        })
        .collect();
    moments.sort_by_key(|(at, _)| *at);
    moments
}

/// The disk, and what was told, as it happens.
pub struct Replay<'a> {
    left: std::slice::Iter<'a, Op>,
    done: usize,
    pub disk: Disk,
    /// What was acknowledged by now.
    pub told: Vec<usize>,
}

impl<'a> Replay<'a> {
    pub fn new(ops: &'a [Op], unheard: Option<Unheard>) -> Self {
        Self {
            left: ops.iter(),
            done: 0,
            disk: Disk::new(unheard, ops),
            told: Vec::new(),
        }
    }

    /// Goes on up to a step, which is the next.
    pub fn until(&mut self, step: usize) {
        while self.done < step
            && let Some(op) = self.left.next()
        {
            self.done += 1;
            self.disk.apply(op);
            if let Op::Acknowledged(index) = op {
                self.told.push(*index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_come_in_order_and_each_has_what_was_told_by_then() {
        let ops: Vec<Op> = (0..9).map(Op::Acknowledged).collect();
        let moments = moments(&ops, 40, &mut Rng::with_seed(1));
        let mut replay = Replay::new(&ops, None);
        for (at, _) in &moments {
            replay.until(*at);
            assert_eq!(replay.told, (0..*at).collect::<Vec<_>>());
        }
        assert_eq!(moments.len(), 40);
        // Before the first and after the last.
        assert_eq!((moments[0].0, moments[39].0), (0, 9));
    }
}
