//! What a comparison needs to know of one run.

use std::collections::BTreeMap;

use rusqlite::{Connection, named_params};

use super::cluster::activities;
use super::cluster_cost::stalled_micros;
use super::page::Json;
use super::workers::{WorkerStep, worker_steps};
use crate::Result;
use crate::model::{Activities, Micros, TaskStates};

/// A span of time, from its first to its last microsecond.
pub(crate) type Interval = (i64, i64);

/// One task group.
pub(crate) struct GroupWork {
    pub(crate) prefix: String,
    pub(crate) states: TaskStates,
    pub(crate) seconds: Activities,
    pub(crate) result_bytes: u64,
}

/// The work of one cluster.
pub(crate) struct Work {
    pub(crate) groups: Vec<GroupWork>,
    /// When groups and computations were at work, in no order; an end that is not known is the end of the run.
    pub(crate) busy: Vec<Interval>,
    /// Thread time since the beginning at the time of each sample, in microseconds of threads.
    pub(crate) thread_time: Vec<(i64, i64)>,
    /// Time of threads that did nothing while the cluster was stalled.
    pub(crate) stalled_micros: i64,
    pub(crate) workers: Vec<WorkerStep>,
    /// By type, and by the prefix of the group where it has one.
    pub(crate) exceptions: BTreeMap<(String, Option<String>), u64>,
}

/// The work of a cluster whose last moment is `end`.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn work(db: &Connection, id: i64, end: Micros) -> Result<Work> {
    let (groups, mut busy) = groups(db, id)?;
    let computations = db
        .prepare_cached(include_str!("computations.sql"))?
        .query_map(named_params! { ":id": id, ":end_micros": end }, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .collect::<rusqlite::Result<Vec<Interval>>>()?;
    busy.extend(computations);
    Ok(Work {
        groups,
        busy,
        thread_time: thread_time(db, id)?,
        stalled_micros: stalled_micros(db, id)?,
        workers: worker_steps(db, id)?,
        exceptions: exceptions(db, id)?,
    })
}

fn groups(db: &Connection, id: i64) -> Result<(Vec<GroupWork>, Vec<Interval>)> {
    let mut statement = db.prepare_cached(include_str!("groups.sql"))?;
    let mut found = statement.query(named_params! { ":id": id })?;
    let (mut groups, mut busy) = (Vec::new(), Vec::new());
    while let Some(row) = found.next()? {
        if let (Some(start), Some(stop)) = (row.get("start_micros")?, row.get("stop_micros")?) {
            busy.push((start, stop));
        }
        groups.push(GroupWork {
            prefix: row.get("prefix")?,
            states: row.get::<_, Json<_>>("states")?.0,
            seconds: activities(row)?,
            result_bytes: row.get("result_bytes")?,
        });
    }
    Ok((groups, busy))
}

/// The sums of each instance begin anew, so they are laid end to end.
fn thread_time(db: &Connection, id: i64) -> Result<Vec<(i64, i64)>> {
    let mut statement = db.prepare_cached(include_str!("thread_time.sql"))?;
    let mut found = statement.query(named_params! { ":id": id })?;
    let (mut points, mut before, mut instance) = (Vec::<(i64, i64)>::new(), 0, None);
    while let Some(row) = found.next()? {
        let this: i64 = row.get("instance_id")?;
        if instance.replace(this).is_some_and(|last| last != this) {
            before = points.last().map_or(0, |(_, sum)| *sum);
        }
        let sum: i64 = row.get("thread_micros")?;
        points.push((row.get("at_micros")?, before + sum));
    }
    Ok(points)
}

fn exceptions(db: &Connection, id: i64) -> Result<BTreeMap<(String, Option<String>), u64>> {
    let mut statement = db.prepare_cached(include_str!("exceptions.sql"))?;
    let rows = statement.query_map(named_params! { ":id": id }, |row| {
        Ok(((row.get("type")?, row.get("prefix")?), row.get("count")?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
