//! The writer's part in what goes: what it remembers of clusters that are gone is forgotten, and pages are told.

use rusqlite::Connection;

use super::Ingest;
use super::identity::{Identities, counted};
use super::names::Names;
use crate::Result;
use crate::retain::{self, Step};
use crate::store::Batches;

impl Ingest {
    /// Does a piece of what is due.
    ///
    /// # Errors
    /// As [`retain::Retention::step`].
    pub(super) fn retain(&mut self, db: &Connection) -> Result<()> {
        let step = self
            .retention
            .step(db, self.clock.now(), self.clock.passed())
            .inspect_err(|_| self.rolled_back())?;
        self.retained(step);
        Ok(())
    }

    /// Forgets what rows it saw. A key seals on, as long as it is in the store.
    pub(super) fn forget(&mut self) {
        self.identities = Identities::default();
        self.names = Names::default();
        self.bounds.forget();
        self.frames.forget();
        self.lines.forget();
    }

    /// Removes all that was told of a cluster, which is told anew in the same transaction.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub(crate) fn empty(&mut self, db: &Connection, cluster: i64) -> Result<()> {
        // What the cluster added to the sum of all goes with its rows: it has to be there.
        self.settle(db)?;
        let first_at = retain::empty(db, cluster)?;
        counted(db, cluster, first_at)?;
        self.changed_clusters.insert(cluster);
        self.deleted(&[cluster]);
        Ok(())
    }

    /// Forgets what it knows of clusters whose deletion began.
    pub(crate) fn deleted(&mut self, clusters: &[i64]) {
        for cluster in clusters {
            self.keys.forget_of(*cluster);
        }
        self.forget();
    }

    fn retained(&mut self, step: Step) {
        if let Some(cluster) = step.deleted {
            self.keys.forget_of(cluster);
        }
        if step.forget {
            self.forget();
        }
        if !step.changed.is_empty() {
            (self.changed)(step.changed);
        }
    }
}
