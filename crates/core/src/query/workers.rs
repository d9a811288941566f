//! The workers of one cluster, from their comings and goings.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::clusters::exists;
use super::page::{Json, limit, offset, truncated};
use super::types::{WorkerEvent, WorkerList, WorkerNow, WorkerRow, WorkersRequest};
use crate::Result;
use crate::model::{Micros, WorkerChange, WorkerState};
use crate::wire;

/// Events of one worker that are listed.
const EVENTS: usize = 20;

/// A page of the workers of a cluster: those that are here first.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn workers(db: &Connection, request: &WorkersRequest) -> Result<WorkerList> {
    exists(db, request.id)?;
    let (mut lives, lost) = lives(db, request.id, request.worker_id.as_deref())?;
    lives.sort_by_key(|life| {
        (
            life.row.state == WorkerState::Gone,
            Reverse(life.row.left_micros),
            life.order,
        )
    });
    let total = lives.len() as u64;
    let here = lives
        .iter()
        .filter(|life| life.row.state != WorkerState::Gone)
        .count() as u64;
    let mut now = now(db, request.id)?;
    let rows: Vec<WorkerRow> = lives
        .into_iter()
        .skip(usize::try_from(offset(request.offset)).unwrap_or(usize::MAX))
        .take(limit(request.limit) as usize)
        .map(|life| WorkerRow {
            now: now.remove(&life.row.worker_id),
            events: life.events.into(),
            ..life.row
        })
        .collect();
    Ok(WorkerList {
        truncated: truncated(request.offset, rows.len(), total),
        rows,
        total,
        here,
        lost,
    })
}

/// How often a worker of a cluster went without being asked to.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn workers_lost(db: &Connection, id: i64) -> Result<u64> {
    Ok(lives(db, id, None)?.1)
}

/// Something that happened to a worker.
pub(crate) struct WorkerStep {
    pub(crate) at: Micros,
    pub(crate) worker_id: String,
    /// Afterwards.
    pub(crate) here: bool,
    /// It went, and was not asked to as far as Dask tells. One that is killed and then gone is lost once.
    pub(crate) lost: bool,
    /// As last told.
    pub(crate) threads: Option<u64>,
}

/// One worker, as far as its events were read.
struct Life {
    /// In which it came.
    order: usize,
    row: WorkerRow,
    events: VecDeque<WorkerEvent>,
}

/// Each worker, or only one, in the order in which they came; and how often one was lost.
fn lives(db: &Connection, id: i64, only: Option<&str>) -> Result<(Vec<Life>, u64)> {
    let mut lost = 0;
    let lives = walk(db, id, only, |step| lost += u64::from(step.lost))?;
    Ok((lives, lost))
}

/// What happened to the workers of a cluster, in order.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn worker_steps(db: &Connection, id: i64) -> Result<Vec<WorkerStep>> {
    let mut steps = Vec::new();
    walk(db, id, None, |step| steps.push(step))?;
    Ok(steps)
}

/// Reads what happened to the workers of a cluster, or to one of them, and tells of each step.
fn walk(
    db: &Connection,
    id: i64,
    only: Option<&str>,
    mut each: impl FnMut(WorkerStep),
) -> Result<Vec<Life>> {
    let mut lives: Vec<Life> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut statement = db.prepare_cached(include_str!("workers.sql"))?;
    let mut found = statement.query(named_params! { ":id": id, ":worker_id": only })?;
    while let Some(row) = found.next()? {
        let worker_id: String = row.get("worker_id")?;
        let at = match places.get(&worker_id) {
            Some(at) => *at,
            None => {
                places.insert(worker_id.clone(), lives.len());
                lives.push(born(worker_id, lives.len(), row.get("at_micros")?));
                lives.len() - 1
            }
        };
        each(follow(&mut lives[at], row)?);
    }
    Ok(lives)
}

fn born(worker_id: String, order: usize, at: Micros) -> Life {
    Life {
        order,
        row: WorkerRow {
            worker_id,
            address: None,
            name: None,
            host: None,
            state: WorkerState::Running,
            first_seen_micros: at,
            left_micros: None,
            threads: None,
            memory_limit_bytes: None,
            resources: BTreeMap::new(),
            nanny: None,
            now: None,
            events: Vec::new(),
            events_total: 0,
        },
        events: VecDeque::new(),
    }
}

/// Takes up one event; what it does not say stays as it was said before.
fn follow(life: &mut Life, event: &Row<'_>) -> rusqlite::Result<WorkerStep> {
    fn take<T: FromSql>(
        known: &mut Option<T>,
        event: &Row<'_>,
        name: &str,
    ) -> rusqlite::Result<()> {
        if let Some(said) = event.get::<_, Option<T>>(name)? {
            *known = Some(said);
        }
        Ok(())
    }
    let row = &mut life.row;
    take(&mut row.address, event, "address")?;
    take(&mut row.name, event, "name")?;
    take(&mut row.host, event, "host")?;
    take(&mut row.threads, event, "threads")?;
    take(&mut row.memory_limit_bytes, event, "memory_limit_bytes")?;
    take(&mut row.nanny, event, "nanny")?;
    let resources: BTreeMap<String, f64> = event.get::<_, Json<_>>("resources")?.0;
    if !resources.is_empty() {
        row.resources = resources;
    }
    let event = WorkerEvent {
        at_micros: event.get("at_micros")?,
        event: event.get("event")?,
        cause: event.get("cause")?,
        expected: event.get("expected")?,
    };
    let was = row.state;
    row.state = event.event.state();
    row.left_micros = match row.state {
        WorkerState::Running | WorkerState::Paused => None,
        // Killed, and then gone: it left when it was killed.
        WorkerState::Gone => row.left_micros.or(Some(event.at_micros)),
    };
    row.events_total += 1;
    let gone = row.state == WorkerState::Gone && was != WorkerState::Gone;
    let step = WorkerStep {
        at: event.at_micros,
        worker_id: row.worker_id.clone(),
        here: row.state != WorkerState::Gone,
        lost: gone && (event.event == WorkerChange::Killed || event.expected == Some(false)),
        threads: row.threads,
    };
    if life.events.len() == EVENTS {
        life.events.pop_front();
    }
    life.events.push_back(event);
    Ok(step)
}

/// What the latest sample tells of each worker.
fn now(db: &Connection, id: i64) -> Result<HashMap<String, WorkerNow>> {
    let found = db
        .prepare_cached(include_str!("workers_now.sql"))?
        .query_row(named_params! { ":id": id }, |row| {
            Ok((row.get(0)?, row.get::<_, Json<Vec<wire::WorkerNow>>>(1)?.0))
        })
        .optional()?;
    let Some((at_micros, each)) = found else {
        return Ok(HashMap::new());
    };
    let each = each.into_iter().map(|worker| {
        let now = WorkerNow {
            at_micros,
            cpu_percent: worker.cpu_percent,
            memory_used_bytes: worker.memory_used_bytes,
            memory_managed_bytes: worker.memory_managed_bytes,
            memory_spilled_bytes: worker.memory_spilled_bytes,
            processing: worker.processing,
            lag_micros: worker.lag_micros,
        };
        (worker.worker_id, now)
    });
    Ok(each.collect())
}

impl FromSql for WorkerChange {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        WorkerChange::from_word(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}
