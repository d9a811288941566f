//! What the graph of a cluster's task groups is made of.

use rusqlite::{Connection, named_params};
use serde::de::IgnoredAny;

use super::cluster::activities;
use super::clusters::exists;
use super::page::Json;
use super::types::GraphRequest;
use crate::Result;
use crate::model::{Activities, Micros, TaskStates};

/// What lies beyond is said to be missing.
const LIMIT: u32 = 10_000;
/// Dependencies that are read of all groups together.
pub(crate) const DEPENDENCIES: usize = 100_000;

/// A group as the graph needs it.
#[derive(Clone, Debug)]
pub(crate) struct GroupFacts {
    pub(crate) group_id: String,
    pub(crate) name: String,
    pub(crate) prefix: String,
    pub(crate) states: TaskStates,
    pub(crate) seconds: Activities,
    pub(crate) result_bytes: u64,
    pub(crate) start_micros: Option<Micros>,
    pub(crate) stop_micros: Option<Micros>,
    /// May name groups that are not here, the group itself, and cycles.
    pub(crate) dependencies: Vec<String>,
    pub(crate) is_final: bool,
}

pub(crate) struct GraphGroups {
    pub(crate) groups: Vec<GroupFacts>,
    /// How many there are in all.
    pub(crate) total: u64,
    /// Dependencies beyond those that are read.
    pub(crate) unread: u64,
}

/// As many dependencies as fit, and how many there are: a group may have as many as a stranger likes.
fn dependencies(text: &str, left: usize) -> Result<(Vec<String>, usize)> {
    if left == 0 {
        let all: Vec<IgnoredAny> = serde_json::from_str(text)?;
        return Ok((Vec::new(), all.len()));
    }
    let mut read: Vec<String> = serde_json::from_str(text)?;
    let all = read.len();
    read.truncate(left);
    Ok((read, all))
}

/// The groups of a cluster or of one of its computations, at most ten thousand.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn graph_groups(db: &Connection, request: &GraphRequest) -> Result<GraphGroups> {
    exists(db, request.id)?;
    let mut statement = db.prepare_cached(include_str!("graph.sql"))?;
    let mut found = statement.query(
        named_params! { ":id": request.id, ":computation": request.computation, ":limit": LIMIT },
    )?;
    let mut total = 0;
    let mut groups = Vec::new();
    let mut left = DEPENDENCIES;
    let mut unread = 0;
    while let Some(row) = found.next()? {
        total = row.get("total")?;
        let text = row.get_ref("dependencies")?;
        let (needed, all) = dependencies(text.as_str().map_err(rusqlite::Error::from)?, left)?;
        left -= needed.len();
        unread += (all - needed.len()) as u64;
        groups.push(GroupFacts {
            group_id: row.get("group_id")?,
            name: row.get("name")?,
            prefix: row.get("prefix")?,
            states: row.get::<_, Json<_>>("states")?.0,
            seconds: activities(row)?,
            result_bytes: row.get("result_bytes")?,
            start_micros: row.get("start_micros")?,
            stop_micros: row.get("stop_micros")?,
            dependencies: needed,
            is_final: row.get("is_final")?,
        });
    }
    Ok(GraphGroups {
        groups,
        total,
        unread,
    })
}
