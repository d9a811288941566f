//! Everything about one cluster that is not a list of its own.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::clusters::{Found, one};
use super::from_bundle::from_bundle;
use super::page::Json;
use super::types::{ClusterFacts, Losses, PluginCost};
use crate::model::{Activities, ClusterState, Micros};
use crate::{Error, Result};

/// One cluster with its facts.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Sqlite`].
pub(crate) fn cluster(
    db: &Connection,
    now: Micros,
    id: i64,
) -> Result<(Found, ClusterFacts, Activities, Losses)> {
    let found = one(db, now, id)?;
    let facts = facts(db, &found)?;
    Ok((found, facts, seconds(db, id)?, losses(db, id)?))
}

fn facts(db: &Connection, found: &Found) -> Result<ClusterFacts> {
    let parameters = named_params! { ":id": found.row.id };
    let mut costs = db.prepare_cached(include_str!("cluster_cost.sql"))?;
    let mut costs = costs.query(parameters)?;
    let cost = costs.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let facts = db
        .prepare_cached(include_str!("cluster_facts.sql"))?
        .query_one(parameters, |row| {
            Ok(ClusterFacts {
                said_user: row.get("said_user")?,
                cluster_class: row.get("cluster_class")?,
                scheduler_address: row.get("scheduler_address")?,
                dashboard_url: row.get("dashboard_url")?,
                python_version: row.get("python_version")?,
                python_path: row.get("python_path")?,
                os: row.get("os")?,
                architecture: row.get("architecture")?,
                plugin_version: row.get("plugin_version")?,
                interval_micros: found.interval_micros,
                idle_timeout_micros: row.get("idle_timeout_micros")?,
                versions: row.get::<_, Json<_>>("versions")?.0,
                host_versions: row.get::<_, Json<_>>("host_versions")?.0,
                mismatches: row.get::<_, Json<_>>("mismatches")?.0,
                unavailable: row.get::<_, Json<_>>("unavailable")?.0,
                off_since: off_since(row)?,
                remote_close_allowed: row.get("remote_close_allowed")?,
                events_allow: row.get::<_, Json<_>>("events_allow")?.0,
                from_bundle: None,
                stop_reason: found.stop_reason.clone(),
                plugin_cost: PluginCost {
                    beat_micros: row.get("beat_micros")?,
                    hook_micros: row.get("hook_micros")?,
                    loop_share: cost.get("loop_share")?,
                    sent_bytes: row.get("sent_bytes")?,
                    hook_errors: row.get("hook_errors")?,
                    waiting_records: row.get("waiting_records")?,
                    shed_records: row.get("shed_records")?,
                    spooled_bytes: row.get("spooled_bytes")?,
                    all_beat_micros: cost.get("all_beat_micros")?,
                    all_hook_micros: cost.get("all_hook_micros")?,
                    all_sent_bytes: cost.get("all_sent_bytes")?,
                    loop_share_peak: cost.get("loop_share_peak")?,
                },
            })
        })?;
    Ok(ClusterFacts {
        from_bundle: from_bundle(db, found.row.id)?,
        ..facts
    })
}

/// Since when each category is off at source.
fn off_since(row: &Row<'_>) -> rusqlite::Result<BTreeMap<String, Micros>> {
    let mut off = BTreeMap::new();
    for name in [
        "code",
        "profile",
        "exceptions",
        "names",
        "user",
        "host",
        "paths",
        "events",
    ] {
        if let Some(since) = row.get(format!("{name}_off_micros").as_str())? {
            off.insert(name.into(), since);
        }
    }
    Ok(off)
}

pub(super) fn seconds(db: &Connection, id: i64) -> Result<Activities> {
    let parameters = named_params! { ":id": id };
    Ok(db
        .prepare_cached(include_str!("cluster_seconds.sql"))?
        .query_one(parameters, activities)?)
}

/// Seconds by activity from the columns that have these names.
pub(super) fn activities(row: &Row<'_>) -> rusqlite::Result<Activities> {
    Ok(Activities {
        compute: row.get("compute_seconds")?,
        transfer: row.get("transfer_seconds")?,
        disk_read: row.get("disk_read_seconds")?,
        disk_write: row.get("disk_write_seconds")?,
        deserialize: row.get("deserialize_seconds")?,
        other: row.get("other_seconds")?,
    })
}

fn losses(db: &Connection, id: i64) -> Result<Losses> {
    let parameters = named_params! { ":id": id };
    let dropped = db
        .prepare_cached(include_str!("cluster_dropped.sql"))?
        .query_map(parameters, |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<BTreeMap<_, _>>>()?;
    let losses = db
        .prepare_cached(include_str!("cluster_losses.sql"))?
        .query_one(parameters, |row| {
            Ok(Losses {
                missing_records: row.get("missing_records")?,
                dropped_records: dropped,
                refused_records: row.get("refused_records")?,
                kept_unknown: row.get("kept_unknown")?,
                conflicts: row.get("conflicts")?,
                unchecked: row.get("unchecked")?,
            })
        })?;
    Ok(losses)
}

/// Whom a wish to close is for.
pub(crate) struct StopTarget {
    pub(crate) state: ClusterState,
    pub(crate) instance_id: String,
    pub(crate) remote_close_allowed: bool,
    /// How often it reports.
    pub(crate) interval_micros: i64,
}

/// Whom a wish to close the cluster is for.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Sqlite`].
pub(crate) fn stop_target(db: &Connection, now: Micros, id: i64) -> Result<StopTarget> {
    let found = one(db, now, id)?;
    let allowed = db
        .prepare_cached(include_str!("cluster_facts.sql"))?
        .query_row(named_params! { ":id": id }, |row| {
            row.get("remote_close_allowed")
        })
        .optional()?;
    let instance_id = found.instance_id.ok_or_else(|| Error::NotFound {
        kind: "cluster",
        id: id.to_string(),
    })?;
    Ok(StopTarget {
        state: found.row.state,
        interval_micros: found.interval_micros,
        instance_id,
        remote_close_allowed: allowed.unwrap_or(false),
    })
}
