//! Clusters as somebody else may see them, each kept for a while: making one writes and reads all that is told of it.

use bobbin_core::Result;
use bobbin_core::api::{self, Apart, App, Cluster, ClusterRequest};
use bobbin_core::model::Micros;
use bobbin_core::share::Choice;

/// Kept at once.
const KEPT: usize = 4;
/// What an agent asks about a cluster at work may be so old.
const STALE_MICROS: i64 = 15_000_000;

struct Kept {
    ids: Vec<i64>,
    /// The text of the policy under which it was made.
    policy: Option<String>,
    heard: Vec<Micros>,
    made: Micros,
    store: Apart,
}

#[derive(Default)]
pub struct Lenses(Vec<Kept>);

impl Lenses {
    /// Forgets those that were made under another policy than this one.
    pub fn under(&mut self, policy: Option<&str>) {
        self.0.retain(|kept| kept.policy.as_deref() == policy);
    }

    /// A store with these clusters alone, by their numbers; and what is known of them here.
    ///
    /// # Errors
    /// As [`Apart::through_lens`].
    pub fn of(&mut self, app: &App, ids: &[i64], choice: Choice) -> Result<(&App, Vec<Cluster>)> {
        let known: Vec<Cluster> = ids
            .iter()
            .map(|id| api::cluster(app, ClusterRequest { id: *id }))
            .collect::<Result<_>>()?;
        let heard: Vec<Micros> = known.iter().map(|one| one.row.last_heard_micros).collect();
        let now = app.now();
        self.0.retain(|kept| {
            kept.ids != ids || kept.heard == heard || now.0 - kept.made.0 < STALE_MICROS
        });
        let at = match self.0.iter().position(|kept| kept.ids == ids) {
            Some(at) => at,
            None => {
                if self.0.len() == KEPT {
                    self.0.remove(0);
                }
                // Read before: one that changes meanwhile is another one when it is asked next.
                let (_, policy) = Apart::narrowed(app, choice)?;
                self.0.push(Kept {
                    ids: ids.to_vec(),
                    policy,
                    heard,
                    made: now,
                    store: Apart::through_lens(app, ids, choice)?,
                });
                self.0.len() - 1
            }
        };
        Ok((self.0[at].store.app(), known))
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}
