//! The task groups of one cluster.

use rusqlite::{Connection, Row, named_params};

use super::cluster::activities;
use super::clusters::exists;
use super::page::{Json, truncated};
use super::types::{TaskDurations, TaskGroupList, TaskGroupRow, TaskGroupsRequest};
use crate::Result;

const LIMIT: u32 = 2_000;
/// A few tasks that take this many times as long as the middle one hold up whole computations.
pub(super) const SKEW: f64 = 5.0;

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
                durations: durations(row)?,
                skew: None,
                retried: row.get("retried")?,
                span_id: row.get("span_id")?,
                dependencies: row.get::<_, Json<_>>("dependencies")?.0,
                is_final: row.get("is_final")?,
            })
        },
    )?;
    let mut rows: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
    for row in &mut rows {
        row.skew = row.durations.as_ref().and_then(skew);
    }
    Ok(TaskGroupList {
        truncated: truncated(0, rows.len(), total),
        rows,
        total,
    })
}

fn durations(row: &Row<'_>) -> rusqlite::Result<Option<TaskDurations>> {
    let Some(count) = row.get("timed_tasks")? else {
        return Ok(None);
    };
    Ok(Some(TaskDurations {
        count,
        mean_seconds: row.get("mean_seconds")?,
        std_seconds: row.get("std_seconds")?,
        p50_seconds: row.get("p50_seconds")?,
        p95_seconds: row.get("p95_seconds")?,
        max_seconds: row.get("max_seconds")?,
    }))
}

/// How many times as long as the middle task the slow ones take, where that is much.
fn skew(durations: &TaskDurations) -> Option<f64> {
    let times = durations.p95_seconds / durations.p50_seconds;
    (durations.count > 1 && durations.p50_seconds > 0.0 && times > SKEW).then_some(times)
}

#[cfg(test)]
mod tests {
    use super::{TaskDurations, skew};

    #[test]
    fn a_group_is_skewed_where_slow_tasks_take_more_than_five_times_as_long_as_the_middle_one() {
        for (count, p50, p95, says) in [
            (10, 1.0, 6.0, Some(6.0)),
            (10, 1.0, 5.0, None),
            (1, 1.0, 9.0, None),
            (10, 0.0, 9.0, None),
        ] {
            let durations = TaskDurations {
                count,
                mean_seconds: 1.0,
                std_seconds: 0.0,
                p50_seconds: p50,
                p95_seconds: p95,
                max_seconds: p95,
            };
            assert_eq!(skew(&durations), says, "{count} {p50} {p95}");
        }
    }
}
