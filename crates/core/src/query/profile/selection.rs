//! Which profiles a selection means, and what is told of them besides their stacks.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Rows, named_params};
use serde::Serialize;

use super::tree::mix;
use crate::model::Micros;
use crate::query::clusters::{exists, numbers};
use crate::query::page::{Json, LARGEST};
use crate::query::types::{ClustersRequest, ProfilePrefix, ProfileSelection};
use crate::{Error, Result};

/// Clusters of one selection.
const CLUSTERS: usize = 10_000;
/// Clusters of which each task group is looked at.
const EACH_GROUP: usize = 100;
/// 2^64 divided by the golden ratio: what a hash of zeroes is kept from being zero with.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Records that are merged at most: a day of one every second.
const RECORDS: usize = 86_400;

/// A selection in numbers and names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Selected {
    /// In order, each once.
    pub(crate) ids: Vec<i64>,
    /// In order; none is all.
    pub(crate) prefixes: Option<Vec<String>>,
    pub(crate) from_micros: Option<Micros>,
    pub(crate) to_micros: Option<Micros>,
    /// Whether there were more clusters than fit.
    pub(crate) truncated: bool,
}

/// One stored profile, without its stacks.
#[derive(Clone, Copy)]
pub(crate) struct ProfileRecord {
    pub(crate) cluster: i64,
    pub(crate) instance: i64,
    pub(crate) seq: u64,
    pub(crate) from: Micros,
    pub(crate) to: Micros,
    pub(crate) samples: u64,
    pub(crate) sample_micros: i64,
    pub(crate) unattributed: u64,
}

/// What a selection means now.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`], [`Error::Sqlite`].
pub(crate) fn select(
    db: &Connection,
    now: Micros,
    selection: &ProfileSelection,
) -> Result<Selected> {
    let mut ids = selection.ids.clone();
    for &id in &ids {
        exists(db, id)?;
    }
    let mut truncated = false;
    if let Some(filter) = &selection.clusters {
        truncated = add_filtered(db, now, filter, &mut ids)?;
    } else if ids.is_empty() {
        return Err(invalid("selection", "", "it names no cluster"));
    }
    ids.sort_unstable();
    ids.dedup();
    truncated |= ids.len() > CLUSTERS;
    ids.truncate(CLUSTERS);
    let mut selected = Selected {
        ids,
        prefixes: (!selection.prefixes.is_empty()).then(|| selection.prefixes.clone()),
        from_micros: selection.from_micros,
        to_micros: selection.to_micros,
        truncated,
    };
    if let Some(id) = &selection.computation {
        computation(db, id, &mut selected)?;
    }
    if let Some(id) = &selection.group {
        let cluster = only(&selected, "group", id)?;
        let found = db
            .prepare_cached(include_str!("../profile_group.sql"))?
            .query_row(named_params! { ":id": cluster, ":group_id": id }, |row| {
                row.get(0)
            })
            .optional()?;
        narrow(
            &mut selected.prefixes,
            vec![found.ok_or_else(|| missing("task group", id))?],
        );
    }
    if let Some(prefixes) = &mut selected.prefixes {
        prefixes.sort_unstable();
        prefixes.dedup();
    }
    Ok(selected)
}

/// Adds the clusters of a filter; whether there were more than fit.
fn add_filtered(
    db: &Connection,
    now: Micros,
    filter: &ClustersRequest,
    ids: &mut Vec<i64>,
) -> Result<bool> {
    let mut found = numbers(db, now, filter, CLUSTERS + 1)?;
    let truncated = found.len() > CLUSTERS;
    found.truncate(CLUSTERS);
    ids.extend(found);
    Ok(truncated)
}

fn computation(db: &Connection, id: &str, selected: &mut Selected) -> Result<()> {
    let cluster = only(selected, "computation", id)?;
    let found = db
        .prepare_cached(include_str!("../profile_computation.sql"))?
        .query_row(
            named_params! { ":id": cluster, ":computation_id": id },
            |row| {
                Ok((
                    row.get::<_, Option<Micros>>("start_micros")?,
                    row.get::<_, Option<Micros>>("stop_micros")?,
                    row.get::<_, Json<Vec<String>>>("prefixes")?.0,
                ))
            },
        )
        .optional()?;
    let (start, stop, prefixes) = found.ok_or_else(|| missing("computation", id))?;
    narrow(&mut selected.prefixes, prefixes);
    selected.from_micros = selected.from_micros.max(start);
    selected.to_micros = match (selected.to_micros, stop) {
        (Some(asked), Some(stop)) => Some(asked.min(stop)),
        (asked, stop) => asked.or(stop),
    };
    Ok(())
}

/// The one cluster in which a group or computation is looked for.
fn only(selected: &Selected, what: &'static str, id: &str) -> Result<i64> {
    match selected.ids[..] {
        [id] => Ok(id),
        _ => Err(invalid(
            what,
            id,
            "it belongs to one cluster, but the selection does not",
        )),
    }
}

/// Only what is in both.
fn narrow(chosen: &mut Option<Vec<String>>, to: Vec<String>) {
    match chosen {
        None => *chosen = Some(to),
        Some(chosen) => chosen.retain(|prefix| to.contains(prefix)),
    }
}

fn missing(kind: &'static str, id: &str) -> Error {
    Error::NotFound {
        kind,
        id: id.into(),
    }
}

fn invalid(what: &'static str, value: &str, reason: &str) -> Error {
    Error::Invalid {
        what,
        value: value.into(),
        reason: reason.into(),
    }
}

/// What changes when a profile of these clusters comes, goes or is put together with others.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn stamp(db: &Connection, selected: &Selected) -> Result<String> {
    let ids = serde_json::to_string(&selected.ids)?;
    let mut statement = db.prepare_cached(include_str!("../profile_stamp.sql"))?;
    rows_stamp(statement.query(named_params! { ":ids": ids })?)
}

/// Rows of whole numbers, in whatever order: how many they are, and their hashes summed. Other rows have the same by a chance of
/// one in 2^64; the sum of their numbers would be that of others soon.
///
/// # Errors
/// [`Error::Sqlite`].
pub(super) fn rows_stamp(mut rows: Rows<'_>) -> Result<String> {
    let (mut count, mut sum) = (0u64, 0u64);
    while let Some(row) = rows.next()? {
        let mut hash = 0u64;
        for column in 0..row.as_ref().column_count() {
            let number: i64 = row.get(column)?;
            hash = mix(hash.wrapping_add(SPREAD) ^ number.cast_unsigned());
        }
        sum = sum.wrapping_add(hash);
        count += 1;
    }
    Ok(format!("{count}/{sum:016x}"))
}

/// What changes when one of these clusters goes or says that something is off, which changes what was stored before.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn switched_off(db: &Connection, ids: &[i64]) -> Result<String> {
    Ok(db
        .prepare_cached(include_str!("../profile_off.sql"))?
        .query_one(
            named_params! { ":ids": serde_json::to_string(ids)? },
            |row| {
                let (clusters, off): (u64, f64) = (row.get("clusters")?, row.get("off")?);
                Ok(format!("{clusters}/{off}"))
            },
        )?)
}

/// The profiles that were selected, the newest first, and whether there were more than can be merged.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn records(db: &Connection, selected: &Selected) -> Result<(Vec<ProfileRecord>, bool)> {
    let mut statement = db.prepare_cached(include_str!("../profile_records.sql"))?;
    let found = statement.query_map(
        named_params! {
            ":ids": serde_json::to_string(&selected.ids)?,
            ":prefixes": selected.prefixes.as_ref().map(serde_json::to_string).transpose()?,
            ":from_micros": selected.from_micros,
            ":to_micros": selected.to_micros,
            ":limit": RECORDS as u64 + 1,
        },
        |row| {
            Ok(ProfileRecord {
                cluster: row.get("cluster_id")?,
                instance: row.get("instance_id")?,
                seq: row.get("seq")?,
                from: row.get("from_micros")?,
                to: row.get("to_micros")?,
                samples: row.get("samples")?,
                sample_micros: row.get("sample_micros")?,
                unattributed: row.get("unattributed")?,
            })
        },
    )?;
    let mut found = found.collect::<rusqlite::Result<Vec<_>>>()?;
    let truncated = found.len() > RECORDS;
    found.truncate(RECORDS);
    Ok((found, truncated))
}

/// What can be chosen in a window of time, whatever prefixes are chosen.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn prefixes(db: &Connection, selected: &Selected) -> Result<Vec<ProfilePrefix>> {
    let mut statement = db.prepare_cached(include_str!("../profile_prefixes.sql"))?;
    let rows = statement.query_map(
        named_params! {
            ":ids": serde_json::to_string(&selected.ids)?,
            ":from_micros": selected.from_micros,
            ":to_micros": selected.to_micros,
            ":limit": LARGEST,
        },
        |row| {
            Ok(ProfilePrefix {
                prefix: row.get("prefix")?,
                samples: row.get("samples")?,
            })
        },
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// What the clusters with these numbers are called, and whose they are.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn cluster_names(
    db: &Connection,
    ids: &[i64],
) -> Result<BTreeMap<i64, (String, Option<String>)>> {
    let mut statement = db.prepare_cached(include_str!("../profile_clusters.sql"))?;
    let rows = statement.query_map(
        named_params! { ":ids": serde_json::to_string(ids)? },
        |row| Ok((row.get("id")?, (row.get("name")?, row.get("user")?))),
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How many tasks ended in what was selected. Of many clusters as their samples tell it: to look at each group of theirs
/// would take longer than to merge the profiles.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn tasks(db: &Connection, selected: &Selected) -> Result<u64> {
    let ids = serde_json::to_string(&selected.ids)?;
    if selected.prefixes.is_none() && selected.ids.len() > EACH_GROUP {
        return Ok(db
            .prepare_cached(include_str!("../profile_tasks_all.sql"))?
            .query_one(named_params! { ":ids": ids }, |row| row.get(0))?);
    }
    Ok(db
        .prepare_cached(include_str!("../profile_tasks.sql"))?
        .query_one(
            named_params! {
                ":ids": ids,
                ":prefixes": selected.prefixes.as_ref().map(serde_json::to_string).transpose()?,
            },
            |row| row.get(0),
        )?)
}
