//! The figures that a cluster's findings rest on, beside those of its verdict.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::Result;
use crate::model::Micros;

/// What is known of a cluster's work as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Course {
    pub(crate) groups: u64,
    /// Groups of one task.
    pub(crate) single_groups: u64,
    pub(crate) retried: u64,
    /// The first sample, the beginning of the first task, and the end of the last.
    pub(crate) first_sample: Option<Micros>,
    pub(crate) first_work: Option<Micros>,
    pub(crate) last_work: Option<Micros>,
    /// The computation with the most tasks, and how many.
    pub(crate) largest_graph: Option<(String, u64)>,
    pub(crate) largest_results: Option<LargestResults>,
    pub(crate) samples: u64,
    pub(crate) paused_samples: u64,
    /// The most that workers could use, for each thread.
    pub(crate) thread_memory_bytes: Option<u64>,
}

/// The group whose tasks make the largest results on average.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LargestResults {
    pub(crate) group_id: String,
    pub(crate) prefix: String,
    pub(crate) mean_bytes: u64,
}

/// The course of one cluster.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn course(db: &Connection, id: i64) -> Result<Course> {
    let cluster = named_params! { ":id": id };
    let mut course = db
        .prepare_cached(include_str!("cluster_findings.sql"))?
        .query_one(cluster, |row| {
            Ok(Course {
                groups: row.get("groups")?,
                single_groups: row.get("single_groups")?,
                retried: row.get("retried")?,
                first_work: row.get("first_micros")?,
                last_work: row.get("last_micros")?,
                ..Course::default()
            })
        })?;
    course.largest_graph = db
        .prepare_cached(include_str!("cluster_findings_graph.sql"))?
        .query_row(cluster, |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    course.largest_results = db
        .prepare_cached(include_str!("cluster_findings_results.sql"))?
        .query_row(cluster, |row| {
            Ok(LargestResults {
                group_id: row.get("group_id")?,
                prefix: row.get("prefix")?,
                mean_bytes: row.get("mean_bytes")?,
            })
        })
        .optional()?;
    (
        course.samples,
        course.paused_samples,
        course.thread_memory_bytes,
        course.first_sample,
    ) = db
        .prepare_cached(include_str!("cluster_findings_samples.sql"))?
        .query_one(cluster, |row| {
            Ok((
                row.get("samples")?,
                row.get("paused_samples")?,
                row.get("thread_memory_bytes")?,
                row.get("first_micros")?,
            ))
        })?;
    Ok(course)
}
