//! Of the clusters that are alive: which most needs a look, and which are shown where there is no room for all.

use std::cmp::Reverse;

use crate::model::ClusterState;
use crate::query::Alive;

/// Cards of the overview's strip.
const SHOWN: usize = 50;

/// The one that most needs a look: stalled, then idle for longest, then what has run for longest.
pub(crate) fn neediest(alive: &[Alive]) -> Option<&Alive> {
    alive
        .iter()
        .min_by_key(|one| (Reverse(need(one.state)), one.since))
}

/// At most 50, in the order they come in, newest first: what is stalled, idle for longest, and then the newest.
pub(crate) fn shown(alive: &[Alive]) -> Vec<i64> {
    let mut places: Vec<usize> = (0..alive.len()).collect();
    places.sort_by_key(|at| {
        let Alive { state, since, .. } = alive[*at];
        match need(state) {
            0 => (Reverse(0), *at as i64),
            need => (Reverse(need), since.0),
        }
    });
    places.truncate(SHOWN);
    places.sort_unstable();
    places.into_iter().map(|at| alive[at].id).collect()
}

fn need(state: ClusterState) -> u8 {
    match state {
        ClusterState::Stalled => 2,
        ClusterState::Idle => 1,
        ClusterState::Running | ClusterState::Finished | ClusterState::Lost => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Micros;

    fn alive(id: i64, state: ClusterState, since: i64) -> Alive {
        Alive {
            id,
            state,
            since: Micros(since),
            quiet_micros: None,
        }
    }

    #[test]
    fn a_stalled_one_needs_a_look_before_an_idle_one_and_that_before_what_runs() {
        let all = [
            alive(4, ClusterState::Running, 40),
            alive(3, ClusterState::Idle, 35),
            alive(2, ClusterState::Idle, 30),
            alive(1, ClusterState::Running, 10),
            alive(0, ClusterState::Stalled, 50),
        ];
        let neediest = |all: &[Alive]| neediest(all).map(|one| one.id);
        assert_eq!(neediest(&all), Some(0));
        assert_eq!(neediest(&all[..4]), Some(2));
        assert_eq!(neediest(&all[..1]), Some(4));
        assert_eq!(neediest(&[]), None);
    }

    #[test]
    fn the_newest_are_shown_but_never_at_the_cost_of_one_that_needs_a_look() {
        let newest_first = (0..80).rev();
        let all: Vec<_> = newest_first
            .map(|id| match id {
                0 => alive(id, ClusterState::Idle, id),
                1 => alive(id, ClusterState::Stalled, id),
                _ => alive(id, ClusterState::Running, id),
            })
            .collect();
        let shown = shown(&all);
        assert_eq!(shown.len(), SHOWN);
        assert_eq!(shown[..2], [79, 78]);
        assert_eq!(shown[48..], [1, 0]);
    }
}
