//! Which profiles a selection means, and what is told of their clusters.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Serialize;

use crate::model::Micros;
use crate::query::clusters::{exists, numbers};
use crate::query::page::Json;
use crate::query::types::{ClustersRequest, ProfileSelection};
use crate::{Error, Result};

/// Clusters of one selection.
const CLUSTERS: usize = 10_000;
/// Clusters of which each task group is looked at.
const EACH_GROUP: usize = 100;

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
