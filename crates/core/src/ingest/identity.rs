//! Which cluster and which instance a batch is of, and what its `cluster` records say.

use rusqlite::{Connection, OptionalExtension, named_params};
use sha2::{Digest, Sha256};

use super::lately::Lately;
use super::sample::Cumulative;
use super::{Context, Times, switches};
use crate::Result;
use crate::model::Micros;
use crate::seal::FingerprintKey;
use crate::wire::{ClusterRecord, Header};

/// Until a `cluster` record says otherwise.
const INTERVAL_MICROS: i64 = 10_000_000;
/// A longer interval is counted as this one: silence must come to an end.
const LONGEST_INTERVAL_MICROS: i64 = 86_400_000_000;
/// Clusters and instances remembered. A sender makes new ones at will.
const KEPT: usize = 4_096;

/// The numbers of clusters and instances, as far as they are remembered.
pub(super) struct Identities {
    clusters: Lately<String, Cluster>,
    instances: Lately<(i64, String), Instance>,
    samples: Lately<i64, Option<Cumulative>>,
    batches: Lately<i64, Option<u64>>,
}

impl Default for Identities {
    fn default() -> Self {
        Self {
            clusters: Lately::new(KEPT),
            instances: Lately::new(KEPT),
            samples: Lately::new(KEPT),
            batches: Lately::new(KEPT),
        }
    }
}

#[derive(Clone, Copy)]
struct Cluster {
    id: i64,
    first_at: Micros,
}

#[derive(Clone, Copy)]
struct Instance {
    id: i64,
    rank: i64,
    first_at: Micros,
}

/// The instance of a batch.
pub(super) struct Sender {
    pub(super) id: i64,
    pub(super) rank: i64,
    /// It is new, or began earlier than was known.
    pub(super) newest_may_have_changed: bool,
}

/// From here on, what a cluster does is counted.
pub(super) fn counted(db: &Connection, cluster: i64, heard: Micros) -> Result<()> {
    db.prepare_cached(include_str!("sql/cluster_total_new.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":heard_micros": heard,
            ":interval_micros": INTERVAL_MICROS,
        })?;
    Ok(())
}

impl Identities {
    /// Finds or makes the cluster and the instance of a batch.
    pub(super) fn of(
        &mut self,
        db: &Connection,
        header: &Header,
        times: Times,
        heard: Micros,
    ) -> Result<(i64, Sender)> {
        let cluster = self.cluster(db, &header.cluster_id, times.first, heard)?;
        let sender = self.instance(db, cluster, header, times.first)?;
        Ok((cluster, sender))
    }

    /// Whether this cluster is remembered, and so was not deleted.
    pub(super) fn knows(&self, scheduler_id: &str) -> bool {
        self.clusters.contains(scheduler_id)
    }

    /// The latest sample of the context's instance, as far as it is remembered.
    pub(super) fn last_sample(&mut self, context: &Context<'_>) -> &mut Option<Cumulative> {
        self.samples.get_or_default(context.instance)
    }

    /// Where the last batch of the context's instance ends, as far as it is remembered.
    pub(super) fn batches_end(&mut self, context: &Context<'_>) -> &mut Option<u64> {
        self.batches.get_or_default(context.instance)
    }

    fn cluster(
        &mut self,
        db: &Connection,
        scheduler_id: &str,
        at: Micros,
        heard: Micros,
    ) -> Result<i64> {
        let remembered = self.clusters.get(scheduler_id).copied();
        if let Some(Cluster { id, first_at }) = remembered
            && first_at <= at
        {
            return Ok(id);
        }
        let found = match remembered {
            Some(cluster) => Some(cluster),
            None => db
                .prepare_cached(include_str!("sql/cluster_find.sql"))?
                .query_row(named_params! { ":scheduler_id": scheduler_id }, |row| {
                    Ok(Cluster {
                        id: row.get(0)?,
                        first_at: row.get(1)?,
                    })
                })
                .optional()?,
        };
        let cluster = match found {
            Some(Cluster { id, first_at }) if at < first_at => {
                db.prepare_cached(include_str!("sql/cluster_earlier.sql"))?
                    .execute(named_params! { ":cluster_id": id, ":at_micros": at })?;
                Cluster { id, first_at: at }
            }
            Some(cluster) => cluster,
            None => {
                let id = db
                    .prepare_cached(include_str!("sql/cluster_new.sql"))?
                    .insert(named_params! { ":scheduler_id": scheduler_id, ":at_micros": at })?;
                counted(db, id, heard)?;
                Cluster { id, first_at: at }
            }
        };
        self.clusters.insert(scheduler_id.into(), cluster);
        Ok(cluster.id)
    }

    fn instance(
        &mut self,
        db: &Connection,
        cluster: i64,
        header: &Header,
        at: Micros,
    ) -> Result<Sender> {
        let key = (cluster, header.instance_id.clone());
        let remembered = self.instances.get(&key).copied();
        if let Some(Instance { id, rank, first_at }) = remembered
            && first_at <= at
        {
            return Ok(Sender {
                id,
                rank,
                newest_may_have_changed: false,
            });
        }
        let rank = rank(&header.instance_id);
        let found = match remembered {
            Some(instance) => Some(instance),
            None => db
                .prepare_cached(include_str!("sql/instance_find.sql"))?
                .query_row(
                    named_params! { ":cluster_id": cluster, ":instance_id": header.instance_id },
                    |row| {
                        Ok(Instance {
                            id: row.get(0)?,
                            rank,
                            first_at: row.get(1)?,
                        })
                    },
                )
                .optional()?,
        };
        let changed = found.is_none_or(|instance| at < instance.first_at);
        let instance = match found {
            Some(Instance { id, rank, first_at }) if at < first_at => {
                db.prepare_cached(include_str!("sql/instance_earlier.sql"))?
                    .execute(named_params! { ":instance_id": id, ":at_micros": at })?;
                Instance {
                    id,
                    rank,
                    first_at: at,
                }
            }
            Some(instance) => instance,
            None => {
                let id = db
                    .prepare_cached(include_str!("sql/instance_new.sql"))?
                    .insert(named_params! {
                        ":cluster_id": cluster,
                        ":instance_id": header.instance_id,
                        ":rank": rank,
                        ":plugin_version": header.plugin_version,
                        ":at_micros": at,
                    })?;
                Instance {
                    id,
                    rank,
                    first_at: at,
                }
            }
        };
        self.instances.insert(key, instance);
        Ok(Sender {
            id: instance.id,
            rank: instance.rank,
            newest_may_have_changed: changed,
        })
    }
}

/// Sees to it that no cluster was heard after now: this machine's clock may have gone back while Bobbin was closed.
pub(crate) fn heard_by_now(db: &Connection, now: Micros) -> Result<()> {
    db.prepare_cached(include_str!("sql/heard_in_future.sql"))?
        .execute(named_params! { ":now_micros": now })?;
    Ok(())
}

/// A number from the instance's id, the same in every store.
fn rank(instance_id: &str) -> i64 {
    let hash = Sha256::digest(instance_id.as_bytes());
    hash.iter()
        .take(7)
        .fold(0, |rank, &byte| rank << 8 | i64::from(byte))
}

/// Who and where a cluster is.
pub(super) fn record(
    context: &Context<'_>,
    fingerprints: &FingerprintKey,
    record: &ClusterRecord,
    seq: u64,
) -> Result<()> {
    let Context {
        db, cluster, rank, ..
    } = *context;
    let allowed = switches::tighten(context, fingerprints, record)?;
    let mut record = record.clone();
    allowed.redact(&mut record);
    let latest = db
        .prepare_cached(include_str!("sql/cluster_record.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":at_micros": record.at_micros,
            ":seq": seq,
            ":rank": rank,
            ":started_micros": record.started_micros,
            ":name": record.name,
            ":user": record.user,
            ":host": record.host,
            ":project": record.project,
            ":tags": serde_json::to_string(&record.tags)?,
        })?;
    if latest == 0 {
        return Ok(());
    }
    db.prepare_cached(include_str!("sql/cluster_fact.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":cluster_class": record.cluster_class,
            ":scheduler_address": record.scheduler_address,
            ":dashboard_url": record.dashboard_url,
            ":python_version": record.python_version,
            ":python_path": record.python_path,
            ":os": record.os,
            ":architecture": record.architecture,
            ":plugin_version": record.plugin_version,
            ":versions": serde_json::to_string(&record.versions)?,
            ":host_versions": serde_json::to_string(&record.host_versions)?,
            ":mismatches": serde_json::to_string(&record.mismatches)?,
            ":unavailable": serde_json::to_string(&record.unavailable)?,
            ":idle_timeout_micros": record.idle_timeout_micros,
            ":remote_close_allowed": record.switches.remote_close,
            ":events_allow": serde_json::to_string(&record.switches.events_allow)?,
        })?;
    db.prepare_cached(include_str!("sql/cluster_interval.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":interval_micros": record.interval_micros.min(LONGEST_INTERVAL_MICROS),
        })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::open_owner;
    use crate::testing::*;

    #[test]
    fn a_sender_with_a_new_instance_in_each_batch_fills_no_memory() {
        let dir = tempfile::tempdir().unwrap();
        let opened = open_owner(dir.path(), Micros(at(0))).unwrap();
        let db = opened.db.unchecked_transaction().unwrap();
        let now = Micros(at(0));
        let mut identities = Identities::default();
        let mut send = |instance: String| {
            let batch = batch_of("Scheduler-1", &instance, 1, &[sample(10, 1.0)]);
            let times = Times::of(&batch);
            let (cluster, sender) = identities.of(&db, &batch.header, times, now).unwrap();
            let context = Context {
                db: &db,
                now,
                heard: now,
                header: &batch.header,
                cluster,
                instance: sender.id,
                rank: sender.rank,
            };
            let known = identities.last_sample(&context).is_some();
            *identities.last_sample(&context) = Some(Cumulative::default());
            let held = [identities.instances.len(), identities.samples.len()];
            assert!(held.iter().all(|held| *held <= 2 * KEPT), "{held:?}");
            known
        };
        for instance in 0..3 * KEPT {
            send(instance.to_string());
            // What is in use is remembered.
            assert_eq!(send("busy".into()), instance > 0);
        }
    }
}
