//! What the graph does not say of one group.

use rusqlite::{Connection, OptionalExtension, named_params};

use super::clusters::exists;
use super::page::Json;
use super::types::{GraphGroup, GraphGroupRequest, TaskDurations};
use crate::{Error, Result};

/// One group, with its neighbours by name, and without the folds that hide it.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Sqlite`].
pub(crate) fn graph_group(db: &Connection, request: &GraphGroupRequest) -> Result<GraphGroup> {
    exists(db, request.id)?;
    let mut statement = db.prepare_cached(include_str!("graph_group.sql"))?;
    let parameters = named_params! { ":id": request.id, ":group_id": request.group_id };
    let found = statement.query_row(parameters, |row| {
        let timed: Option<u64> = row.get("timed_tasks")?;
        let durations = timed.map(|count| {
            Ok::<_, rusqlite::Error>(TaskDurations {
                count,
                mean_seconds: row.get("mean_seconds")?,
                std_seconds: row.get("std_seconds")?,
                p50_seconds: row.get("p50_seconds")?,
                p95_seconds: row.get("p95_seconds")?,
                max_seconds: row.get("max_seconds")?,
            })
        });
        Ok(GraphGroup {
            group_id: request.group_id.clone(),
            name: row.get("name")?,
            prefix: row.get("prefix")?,
            types: row.get::<_, Json<_>>("types")?.0,
            durations: durations.transpose()?,
            retried: row.get("retried")?,
            needs: row.get::<_, Json<_>>("needs")?.0,
            needed_by: row.get::<_, Json<_>>("needed_by")?.0,
            computations: row.get::<_, Json<_>>("computations")?.0,
            exceptions: row.get::<_, Json<_>>("exceptions")?.0,
            folds: Vec::new(),
        })
    });
    found.optional()?.ok_or_else(|| Error::NotFound {
        kind: "task group",
        id: request.group_id.clone(),
    })
}
