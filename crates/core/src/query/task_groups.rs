//! The task groups of one cluster.

use rusqlite::{Connection, named_params};

use super::cluster::activities;
use super::clusters::exists;
use super::page::{Json, truncated};
use super::types::{TaskGroupList, TaskGroupRow, TaskGroupsRequest};
use crate::Result;

const LIMIT: u32 = 2_000;

/// The task groups of a cluster, most compute time first.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn task_groups(db: &Connection, request: &TaskGroupsRequest) -> Result<TaskGroupList> {
    exists(db, request.id)?;
    let total = db
        .prepare_cached(include_str!("task_groups_count.sql"))?
        .query_one(named_params! { ":id": request.id }, |row| row.get(0))?;
    let mut statement = db.prepare_cached(include_str!("task_groups.sql"))?;
    let rows = statement.query_map(
        named_params! { ":id": request.id, ":limit": LIMIT },
        |row| {
            Ok(TaskGroupRow {
                group_id: row.get("group_id")?,
                name: row.get("name")?,
                prefix: row.get("prefix")?,
                states: row.get::<_, Json<_>>("states")?.0,
                seconds: activities(row)?,
                result_bytes: row.get("result_bytes")?,
                types: row.get::<_, Json<_>>("types")?.0,
                start_micros: row.get("start_micros")?,
                stop_micros: row.get("stop_micros")?,
                dependencies: row.get::<_, Json<_>>("dependencies")?.0,
                is_final: row.get("is_final")?,
            })
        },
    )?;
    let rows: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(TaskGroupList {
        truncated: truncated(0, rows.len(), total),
        rows,
        total,
    })
}
