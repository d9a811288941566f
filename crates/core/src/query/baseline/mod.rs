//! Runs of computations, and which of them may be the same.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Row, named_params};

use super::page::Json;
use crate::Result;
use crate::model::{Micros, TaskStates};

/// A group as far as the shape of a graph goes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShapeGroup {
    pub(crate) group_id: String,
    pub(crate) prefix: String,
    pub(crate) dependencies: Vec<String>,
}

/// One run of a computation.
#[derive(Clone, Debug)]
pub(crate) struct ComputationRun {
    pub(crate) cluster_id: i64,
    pub(crate) cluster_name: String,
    pub(crate) computation_id: String,
    pub(crate) start: Option<Micros>,
    /// Null while it runs.
    pub(crate) stop: Option<Micros>,
    pub(crate) states: TaskStates,
    pub(crate) result_bytes: u64,
    /// The most workers that its cluster had.
    pub(crate) workers: u64,
    /// Of its code; null where that is off, was not captured or was switched off later.
    pub(crate) code: Option<Vec<u8>>,
    /// Groups that it was said to have, of which some may not be stored.
    pub(crate) group_total: usize,
    pub(crate) groups: Vec<ShapeGroup>,
}

/// A computation's cluster and id.
pub(crate) type Key = (i64, String);

/// As much of a run as says that it cannot be the same as another: runs of unlike many groups are not.
#[derive(Clone, Debug)]
pub(crate) struct RunOutline {
    pub(crate) key: Key,
    pub(crate) start: Micros,
    pub(crate) group_total: usize,
}

/// The code of a computation, and of how many groups it is.
pub(crate) type CodeAndGroups = (Option<Vec<u8>>, usize);

/// Of each computation of a cluster, by cluster.
type ClusterOutlines = HashMap<i64, Vec<CodeAndGroups>>;

/// Computations with one code that are looked at, the last that were stored: twenty nights of a hundred.
const STORED: usize = 2_000;

/// The computations of a cluster, newest first, and how many there are in all.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn runs_of_cluster(
    db: &Connection,
    id: i64,
    limit: usize,
) -> Result<Vec<ComputationRun>> {
    let keys = db
        .prepare_cached(include_str!("of_cluster.sql"))?
        .query_map(named_params! { ":id": id, ":limit": limit }, key)?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    runs(db, &keys)
}

/// Some of what was asked for, and whether older runs were not searched.
pub(crate) struct Looked<T> {
    pub(crate) found: Vec<T>,
    pub(crate) truncated: bool,
}

/// The last runs that ended, began before a moment, and were started by this code; newest first. Of samples where the cluster
/// `of` is one, else of none.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn runs_of_code(
    db: &Connection,
    of: i64,
    code: &[u8],
    before: Micros,
    limit: usize,
) -> Result<Looked<RunOutline>> {
    let found = stored_runs(db, of, code, before, limit)?;
    Ok(Looked {
        truncated: found.len() == limit || more_of_code(db, code)?,
        found,
    })
}

fn stored_runs(
    db: &Connection,
    of: i64,
    code: &[u8],
    before: Micros,
    limit: usize,
) -> Result<Vec<RunOutline>> {
    Ok(db
        .prepare_cached(include_str!("of_code.sql"))?
        .query_map(
            named_params! {
                ":cluster": of, ":fingerprint": code, ":before_micros": before, ":stored": STORED,
                ":limit": limit,
            },
            outline,
        )?
        .collect::<rusqlite::Result<_>>()?)
}

/// The last runs that ended, began before a moment, and whose code is not known; of the newest `clusters` before it,
/// the newest first.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn runs_without_code(
    db: &Connection,
    of: i64,
    before: Micros,
    clusters: usize,
    limit: usize,
) -> Result<Looked<RunOutline>> {
    let found = db
        .prepare_cached(include_str!("without_code.sql"))?
        .query_map(
            named_params! {
                ":cluster": of, ":before_micros": before, ":clusters": clusters, ":limit": limit,
            },
            outline,
        )?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(Looked {
        truncated: found.len() == limit || more_clusters(db, of, before, clusters)?,
        found,
    })
}

/// The last clusters that ran this code to its end and began it before a moment; without code, those of the newest
/// `limit` before it that ran some without. Newest first.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn clusters_of(
    db: &Connection,
    of: i64,
    code: Option<&[u8]>,
    before: Micros,
    limit: usize,
) -> Result<Looked<i64>> {
    let Some(code) = code else {
        return Ok(Looked {
            found: db
                .prepare_cached(include_str!("clusters_without_code.sql"))?
                .query_map(
                    named_params! { ":cluster": of, ":before_micros": before, ":clusters": limit },
                    |row| row.get(0),
                )?
                .collect::<rusqlite::Result<_>>()?,
            truncated: more_clusters(db, of, before, limit)?,
        });
    };
    let mut seen = HashSet::new();
    let mut found: Vec<i64> = stored_runs(db, of, code, before, STORED)?
        .into_iter()
        .map(|run| run.key.0)
        .filter(|cluster| seen.insert(*cluster))
        .collect();
    found.truncate(limit);
    Ok(Looked {
        truncated: found.len() == limit || more_of_code(db, code)?,
        found,
    })
}

/// The computations of these clusters in outline.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn outlines_of(db: &Connection, clusters: &[i64]) -> Result<ClusterOutlines> {
    let clusters = serde_json::to_string(clusters)?;
    let mut statement = db.prepare_cached(include_str!("outlines.sql"))?;
    let mut rows = statement.query(named_params! { ":clusters": clusters })?;
    let mut outlines = ClusterOutlines::new();
    while let Some(row) = rows.next()? {
        outlines
            .entry(row.get("cluster_id")?)
            .or_default()
            .push((row.get("fingerprint")?, row.get("group_total")?));
    }
    Ok(outlines)
}

fn more_of_code(db: &Connection, code: &[u8]) -> Result<bool> {
    Ok(db
        .prepare_cached(include_str!("more_of_code.sql"))?
        .query_one(
            named_params! { ":fingerprint": code, ":stored": STORED },
            |row| row.get(0),
        )?)
}

fn more_clusters(db: &Connection, of: i64, before: Micros, clusters: usize) -> Result<bool> {
    Ok(db
        .prepare_cached(include_str!("more_clusters.sql"))?
        .query_one(
            named_params! { ":cluster": of, ":before_micros": before, ":clusters": clusters },
            |row| row.get(0),
        )?)
}

fn key(row: &Row<'_>) -> rusqlite::Result<Key> {
    Ok((row.get(0)?, row.get(1)?))
}

fn outline(row: &Row<'_>) -> rusqlite::Result<RunOutline> {
    Ok(RunOutline {
        key: key(row)?,
        start: row.get("start_micros")?,
        group_total: row.get("group_total")?,
    })
}

/// What is known of these runs, in their order.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn runs(db: &Connection, keys: &[Key]) -> Result<Vec<ComputationRun>> {
    let keys = serde_json::to_string(keys)?;
    let mut statement = db.prepare_cached(include_str!("runs.sql"))?;
    let mut runs = statement
        .query_map(named_params! { ":keys": keys }, |row| {
            Ok(ComputationRun {
                cluster_id: row.get("cluster_id")?,
                cluster_name: row.get("cluster_name")?,
                computation_id: row.get("computation_id")?,
                start: row.get("start_micros")?,
                stop: row.get("stop_micros")?,
                states: row.get::<_, Json<_>>("states")?.0,
                result_bytes: 0,
                workers: row.get("workers_peak")?,
                code: row.get("fingerprint")?,
                group_total: row.get("group_total")?,
                groups: Vec::new(),
            })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let mut statement = db.prepare_cached(include_str!("shapes.sql"))?;
    let mut found = statement.query(named_params! { ":keys": keys })?;
    while let Some(row) = found.next()? {
        let at: usize = row.get("place")?;
        if let Some(run) = runs.get_mut(at) {
            run.result_bytes = run.result_bytes.saturating_add(row.get("result_bytes")?);
            run.groups.push(ShapeGroup {
                group_id: row.get("group_id")?,
                prefix: row.get("prefix")?,
                dependencies: row.get::<_, Json<_>>("dependencies")?.0,
            });
        }
    }
    Ok(runs)
}
