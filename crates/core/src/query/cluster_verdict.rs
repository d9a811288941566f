//! The figures that a verdict on one cluster rests on.

use rusqlite::{Connection, OptionalExtension, named_params};

use super::cluster_cost::stalled_micros;
use super::clusters::{Found, one, seconds};
use super::task_groups::SKEW;
use super::workers::workers_lost;
use crate::Result;
use crate::model::{Activities, Micros};

/// An event loop that answers later than this is noticed: Dask's own dashboard turns at 100 ms.
pub(crate) const LATE_MICROS: i64 = 100_000;
/// A task that takes less is in the order of what it costs Dask to schedule it, about one millisecond.
pub(crate) const SHORT_SECONDS: f64 = 0.01;
/// A slow task that takes less holds up nobody.
const SLOW_SECONDS: f64 = 1.0;

/// What is known of a cluster that is to be judged.
pub(crate) struct Judged {
    pub(crate) found: Found,
    pub(crate) seconds: Activities,
    pub(crate) workers_lost: u64,
    pub(crate) first_exception: Option<FirstException>,
    pub(crate) samples: u64,
    /// Samples at which the scheduler's event loop was late.
    pub(crate) late_samples: u64,
    pub(crate) lag_micros: i64,
    pub(crate) spilled_bytes: u64,
    pub(crate) skewed: Option<SkewedGroup>,
    /// Tasks that were timed, those in groups of short ones, and how long these took.
    pub(crate) timed_tasks: u64,
    pub(crate) short_tasks: u64,
    pub(crate) short_seconds: f64,
    /// The group with the most short tasks.
    pub(crate) short_group_id: Option<String>,
}

/// The exception that was seen first.
pub(crate) struct FirstException {
    pub(crate) exception_id: String,
    pub(crate) exception_type: String,
    pub(crate) prefix: Option<String>,
}

/// The group whose slow tasks take the most times as long as its middle one.
pub(crate) struct SkewedGroup {
    pub(crate) group_id: String,
    pub(crate) prefix: String,
    pub(crate) p50_seconds: f64,
    pub(crate) p95_seconds: f64,
}

/// The figures of one cluster.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn judged(db: &Connection, now: Micros, id: i64) -> Result<Judged> {
    let mut found = one(db, now, id)?;
    // As its cost has it, also where the writer has not counted it yet.
    found.row.stalled_seconds = seconds(stalled_micros(db, id)?);
    let cluster = named_params! { ":id": id };
    let workers_lost = workers_lost(db, id)?;
    let first_exception = db
        .prepare_cached(include_str!("cluster_verdict_exception.sql"))?
        .query_row(cluster, |row| {
            Ok(FirstException {
                exception_id: row.get("exception_id")?,
                exception_type: row.get("exception_type")?,
                prefix: row.get("prefix")?,
            })
        })
        .optional()?;
    let (samples, late_samples, lag_micros, spilled_bytes) = db
        .prepare_cached(include_str!("cluster_verdict_samples.sql"))?
        .query_one(
            named_params! { ":id": id, ":late_micros": LATE_MICROS },
            |row| {
                Ok((
                    row.get("samples")?,
                    row.get("late_samples")?,
                    row.get("lag_micros")?,
                    row.get("spilled_bytes")?,
                ))
            },
        )?;
    let skewed = db
        .prepare_cached(include_str!("cluster_verdict_skew.sql"))?
        .query_row(
            named_params! { ":id": id, ":times": SKEW, ":slow_seconds": SLOW_SECONDS },
            |row| {
                Ok(SkewedGroup {
                    group_id: row.get("group_id")?,
                    prefix: row.get("prefix")?,
                    p50_seconds: row.get("p50_seconds")?,
                    p95_seconds: row.get("p95_seconds")?,
                })
            },
        )
        .optional()?;
    let (timed_tasks, short_tasks, short_seconds, short_group_id) = db
        .prepare_cached(include_str!("cluster_verdict_short.sql"))?
        .query_one(
            named_params! { ":id": id, ":short_seconds": SHORT_SECONDS },
            |row| {
                Ok((
                    row.get("timed_tasks")?,
                    row.get("short_tasks")?,
                    row.get("short_task_seconds")?,
                    row.get("short_group_id")?,
                ))
            },
        )?;
    Ok(Judged {
        found,
        seconds: super::cluster::seconds(db, id)?,
        workers_lost,
        first_exception,
        samples,
        late_samples,
        lag_micros,
        spilled_bytes,
        skewed,
        timed_tasks,
        short_tasks,
        short_seconds,
        short_group_id,
    })
}
