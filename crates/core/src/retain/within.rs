//! How far the instances of a cluster were gone through, where a step ended among them: a cluster may have very many, and a step
//! takes some milliseconds.

use std::collections::BTreeMap;
use std::time::Instant;

use rusqlite::{Connection, named_params};

use super::remove::{Pace, Removed};
use crate::Result;
use crate::model::RetentionCategory;

/// Instances of one look.
const INSTANCES: u64 = 100;

/// What is done for each instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    Remove(RetentionCategory),
    FindProfiles,
    RemoveLines,
}

/// One run of the plugin.
pub(super) struct Instance {
    pub(super) id: i64,
    /// By the plugin's id they are in order.
    plugin_id: String,
    /// Its latest sample stays in any case: the next one is counted from there.
    pub(super) last_sample_seq: Option<i64>,
}

/// Where a task goes on.
#[derive(Debug)]
enum Place {
    /// Behind the instance with this id of the plugin's.
    Behind(String),
    Done,
}

/// The cluster at which a walk stands, and how far each task came there. What is forgotten is done again.
#[derive(Debug, Default)]
pub(super) struct Within {
    cluster: i64,
    places: BTreeMap<Task, Place>,
}

impl Within {
    /// Does a task for each instance of a cluster for which it is not done yet. It ends where `run` did not come to an end, and
    /// goes on there.
    pub(super) fn each(
        &mut self,
        db: &Connection,
        cluster: i64,
        task: Task,
        pace: Pace,
        mut run: impl FnMut(&Instance) -> Result<Removed>,
    ) -> Result<Removed> {
        if self.cluster != cluster {
            *self = Self {
                cluster,
                ..Self::default()
            };
        }
        let mut removed = Removed::default();
        let mut behind = match self.places.get(&task) {
            None => String::new(),
            Some(Place::Behind(id)) => id.clone(),
            Some(Place::Done) => return Ok(removed),
        };
        loop {
            let some = instances(db, cluster, &behind)?;
            let mut left = some.len();
            let full = left as u64 == INSTANCES;
            for instance in some {
                removed = removed.and(run(&instance)?);
                if !removed.more {
                    behind = instance.plugin_id;
                    left -= 1;
                    // Of most clusters it was the only one.
                    removed.more = (full || left > 0) && Instant::now() > pace.until;
                }
                if removed.more {
                    self.places.insert(task, Place::Behind(behind));
                    return Ok(removed);
                }
            }
            if !full {
                self.places.insert(task, Place::Done);
                return Ok(removed);
            }
        }
    }

    /// The cluster is done with, or is to be gone through anew.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// The next instances of a cluster, behind one.
pub(super) fn instances(db: &Connection, cluster: i64, behind: &str) -> Result<Vec<Instance>> {
    let mut found = db.prepare_cached(include_str!("sql/instances.sql"))?;
    let parameters =
        named_params! { ":cluster_id": cluster, ":behind_id": behind, ":limit": INSTANCES };
    let rows = found.query_map(parameters, |row| {
        Ok(Instance {
            id: row.get("id")?,
            plugin_id: row.get("instance_id")?,
            last_sample_seq: row.get("last_sample_seq")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
