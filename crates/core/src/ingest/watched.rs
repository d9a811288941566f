//! Clusters that somebody looks at, for receipts to say so: their plugins then report sooner.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::lock::lock;
use crate::model::Micros;

/// How long a look lasts. A page asks again with each report, and an idle one reports every ten seconds.
const LASTS_MICROS: i64 = 20_000_000;

/// When each cluster was last looked at. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Watched(Arc<Mutex<HashMap<i64, Micros>>>);

impl Watched {
    /// Somebody looks at the cluster now.
    pub(crate) fn look(&self, cluster: i64, now: Micros) {
        let mut looks = lock(&self.0);
        looks.retain(|_, at| lasts(*at, now));
        looks.insert(cluster, now);
    }

    /// Whether somebody looked at the cluster a moment ago.
    pub(super) fn is_watched(&self, cluster: i64, now: Micros) -> bool {
        let looks = lock(&self.0);
        looks.get(&cluster).is_some_and(|at| lasts(*at, now))
    }
}

/// Whether a look at `at` still lasts; one from before the clock was set back does not.
fn lasts(at: Micros, now: Micros) -> bool {
    (0..LASTS_MICROS).contains(&(now.0 - at.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_lasts_for_a_while_and_is_of_its_cluster_alone() {
        let watched = Watched::default();
        let start = Micros(1_000_000_000);
        let after = |micros| Micros(start.0 + micros);
        assert!(!watched.is_watched(1, start));
        watched.look(1, start);
        assert!(watched.is_watched(1, after(LASTS_MICROS - 1)));
        assert!(!watched.is_watched(1, after(LASTS_MICROS)));
        assert!(!watched.is_watched(2, start));
        assert!(!watched.is_watched(1, after(-1)));
        watched.look(1, after(LASTS_MICROS));
        assert!(watched.is_watched(1, after(LASTS_MICROS)));
    }

    #[test]
    fn what_is_over_is_not_kept() {
        let watched = Watched::default();
        for cluster in 0..1_000 {
            watched.look(cluster, Micros(cluster * LASTS_MICROS));
        }
        assert_eq!(watched.0.lock().unwrap().len(), 1);
    }
}
