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

/// At each sync whatever a disk may have that lost one sector or one change of a name, that has one alone, or those before one:
/// all of them, or so many that are drawn. What the power leaves between two syncs is some of what the latter is of.
pub fn each(ops: &[Op], most: usize, rng: &mut Rng) -> Vec<Moment> {
    let mut moments = Vec::new();
    let mut replay = Replay::new(ops, None);
    for (at, _) in ops
        .iter()
        .enumerate()
        .filter(|(_, op)| matches!(op, Op::Synced(_)))
    {
        replay.until(at);
        for number in 0..replay.disk.unsynced() {
            let kept = [Kept::Without, Kept::Only, Kept::Before].map(|kept| kept(number));
            moments.extend(kept.map(|kept| (at, kept)));
        }
    }
    if moments.len() > most {
        rng.shuffle(&mut moments);
        moments.truncate(most);
        moments.sort_by_key(|(at, _)| *at);
    }
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
    use crate::torture::op::{Kind, ROOT};

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

    #[test]
    fn at_each_sync_each_sector_is_lost_kept_alone_and_the_first_that_is_lost() {
        let made = Op::Made {
            folder: ROOT,
            name: "a".into(),
            id: 1,
            kind: Kind::File,
        };
        let wrote = Op::Wrote {
            file: 1,
            at: 0,
            bytes: vec![1; 513],
        };
        let ops = [made, Op::Synced(ROOT), wrote, Op::Synced(1), Op::Synced(1)];
        let all = each(&ops, usize::MAX, &mut Rng::with_seed(1));
        let told: Vec<String> = all
            .iter()
            .map(|(at, kept)| format!("{at} {kept:?}"))
            .collect();
        let one = ["1 Without(0)", "1 Only(0)", "1 Before(0)"];
        let first = ["3 Without(0)", "3 Only(0)", "3 Before(0)"];
        let second = ["3 Without(1)", "3 Only(1)", "3 Before(1)"];
        assert_eq!(told, [one, first, second].concat());
        let drawn = each(&ops, 4, &mut Rng::with_seed(1));
        assert_eq!(drawn.len(), 4);
        assert!(drawn.is_sorted_by_key(|(at, _)| *at));
    }
}
