//! Which clusters there are.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::page::{Json, escape_like, limit, offset, truncated};
use super::types::{ClusterList, ClusterOrder, ClusterRow, ClustersRequest, Direction};
use crate::model::{ClusterState, Micros};
use crate::{Error, Result};

/// The rows of the overview's strip.
const LIVE: u32 = 50;
/// Which clusters match, a page of them.
const SELECTION: &str = include_str!("clusters.sql");
/// The line of it that is replaced.
const NEWEST_FIRST: &str = "order by c.started_micros desc, c.id desc";

/// A cluster, and from what its state follows.
pub(crate) struct Found {
    /// Without the sentence that explains the state.
    pub(crate) row: ClusterRow,
    pub(crate) interval_micros: i64,
    pub(crate) sample_at: Option<Micros>,
    pub(crate) stop_reason: Option<String>,
    /// The plugin's id of the newest instance.
    pub(crate) instance_id: Option<String>,
}

/// The clusters that match a request; their number, and whether there are more.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn clusters(
    db: &Connection,
    now: Micros,
    request: &ClustersRequest,
) -> Result<ClusterPage> {
    let text = request
        .text
        .as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty());
    let text = text.map(|text| format!("%{}%", escape_like(text)));
    let states = states(&request.states);
    let sql = SELECTION.replace(NEWEST_FIRST, &order(request.order, request.direction));
    let matching = named_params! {
        ":now": now,
        ":text": text,
        ":label": request.label,
        ":user": request.user,
        ":from_micros": request.from_micros,
        ":to_micros": request.to_micros,
        ":states": states,
    };
    let (limit, offset) = (limit(request.limit), offset(request.offset));
    let page = named_params! { ":limit": limit, ":offset": offset };
    let ids = db
        .prepare_cached(&sql)?
        .query_map(&*[matching, page].concat(), |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    let all = ClustersRequest {
        order: request.order,
        direction: request.direction,
        limit: request.limit,
        offset: request.offset,
        ..ClustersRequest::default()
    };
    let total = if *request == all {
        db.prepare_cached(include_str!("clusters_count_all.sql"))?
            .query_one([], |row| row.get(0))?
    } else {
        db.prepare_cached(&counting())?
            .query_one(matching, |row| row.get(0))?
    };
    let rows = rows(db, now, &ids)?;
    Ok(ClusterPage {
        truncated: truncated(request.offset, rows.len(), total),
        rows,
        total,
    })
}

/// [`SELECTION`] as a question of how many.
fn counting() -> String {
    let (matching, _) = SELECTION
        .split_once(NEWEST_FIRST)
        .unwrap_or((SELECTION, ""));
    matching.replacen("select c.id", "select count(*)", 1)
}

/// One page of clusters.
pub(crate) struct ClusterPage {
    rows: Vec<Found>,
    total: u64,
    truncated: bool,
}

impl ClusterPage {
    /// The list, with the rows finished by `finish`.
    pub(crate) fn into_list(self, finish: impl FnMut(Found) -> ClusterRow) -> ClusterList {
        ClusterList {
            rows: self.rows.into_iter().map(finish).collect(),
            total: self.total,
            truncated: self.truncated,
        }
    }
}

/// The clusters that are running or idle, newest first, at most 50.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn live(db: &Connection, now: Micros) -> Result<Vec<Found>> {
    let ids = db
        .prepare_cached(include_str!("clusters_live.sql"))?
        .query_map(named_params! { ":now": now, ":limit": LIVE }, |row| {
            row.get(0)
        })?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    rows(db, now, &ids)
}

/// One cluster by its number.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Sqlite`].
pub(super) fn one(db: &Connection, now: Micros, id: i64) -> Result<Found> {
    rows(db, now, &[id])?.pop().ok_or_else(|| Error::NotFound {
        kind: "cluster",
        id: id.to_string(),
    })
}

/// The cluster that a person means: its number, the scheduler's id or its beginning, or a name that only one has.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] if several fit; [`Error::Sqlite`].
pub(crate) fn find(db: &Connection, now: Micros, text: &str) -> Result<Found> {
    let text = text.trim();
    let not_found = || Error::NotFound {
        kind: "cluster",
        id: text.into(),
    };
    if text.is_empty() {
        return Err(not_found());
    }
    if let Ok(id) = text.parse::<i64>()
        && let Some(found) = rows(db, now, &[id])?.pop()
    {
        return Ok(found);
    }
    let ids = db
        .prepare_cached(include_str!("clusters_find.sql"))?
        .query_map(
            named_params! { ":text": text, ":prefix": format!("{}%", escape_like(text)) },
            |row| row.get(0),
        )?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    match ids[..] {
        [id] => one(db, now, id),
        [] => Err(not_found()),
        _ => Err(Error::Invalid {
            what: "cluster",
            value: text.into(),
            reason: "several clusters fit; use the number that `bobbin clusters` shows".into(),
        }),
    }
}

fn rows(db: &Connection, now: Micros, ids: &[i64]) -> Result<Vec<Found>> {
    let ids = serde_json::to_string(ids)?;
    let mut statement = db.prepare_cached(include_str!("cluster_rows.sql"))?;
    let rows = statement.query_map(named_params! { ":ids": ids, ":now": now }, read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Found> {
    let state = match row.get_ref("state")?.as_str()? {
        "finished" => ClusterState::Finished,
        "lost" => ClusterState::Lost,
        "idle" => ClusterState::Idle,
        _ => ClusterState::Running,
    };
    let started_micros = row.get("started_micros")?;
    let sample_at: Option<Micros> = row.get("sample_at_micros")?;
    let stopped_micros = match state {
        ClusterState::Finished => row.get("stop_at_micros")?,
        ClusterState::Lost => Some(sample_at.unwrap_or(started_micros)),
        ClusterState::Running | ClusterState::Idle => None,
    };
    let idle_since_micros = match state {
        ClusterState::Idle => row.get("idle_since_micros")?,
        ClusterState::Running | ClusterState::Finished | ClusterState::Lost => None,
    };
    Ok(Found {
        row: ClusterRow {
            id: row.get("id")?,
            scheduler_id: row.get("scheduler_id")?,
            name: row.get("name")?,
            state,
            state_evidence: String::new(),
            user: row.get("user")?,
            host: row.get("host")?,
            project: row.get("project")?,
            tags: row.get::<_, Json<_>>("tags")?.0,
            started_micros,
            stopped_micros,
            last_heard_micros: row.get("last_heard_micros")?,
            idle_since_micros,
            workers: row.get("workers")?,
            threads: row.get("threads")?,
            workers_peak: row.get("workers_peak")?,
            memory_used_bytes: row.get("memory_used_bytes")?,
            memory_peak_bytes: row.get("memory_peak_bytes")?,
            memory_limit_bytes: row.get("memory_limit_bytes")?,
            tasks: row.get::<_, Json<_>>("tasks")?.0,
            tasks_completed: row.get("tasks_completed")?,
            tasks_erred: row.get("tasks_erred")?,
            compute_seconds: seconds(row.get("compute_micros")?),
            thread_seconds: seconds(row.get("thread_micros")?),
            result_bytes: row.get("result_bytes")?,
            computations: row.get("computations")?,
            exceptions: row.get("exceptions")?,
        },
        interval_micros: row.get("interval_micros")?,
        sample_at,
        stop_reason: row.get("stop_reason")?,
        instance_id: row.get("instance_id")?,
    })
}

/// Whole microseconds as seconds.
pub(super) fn seconds(micros: i64) -> f64 {
    micros as f64 / 1e6
}

/// A bit a state, as `clusters.sql` reads them; none is all.
fn states(wanted: &[ClusterState]) -> Option<i64> {
    let bit = |state: &ClusterState| match state {
        ClusterState::Finished => 1,
        ClusterState::Lost => 2,
        ClusterState::Idle => 4,
        ClusterState::Running => 8,
    };
    if wanted.is_empty() {
        None
    } else {
        Some(wanted.iter().map(bit).fold(0, |bits, bit| bits | bit))
    }
}

/// The order of the list: a fixed text for each choice. Equal rows are ordered by number, so that pages never overlap.
fn order(order: ClusterOrder, direction: Direction) -> String {
    let by = match order {
        ClusterOrder::Started => "c.started_micros",
        ClusterOrder::Name => "coalesce(nullif(c.name, ''), c.scheduler_id) collate nocase",
        ClusterOrder::User => "c.user collate nocase",
        ClusterOrder::Duration => {
            "coalesce(t.stop_at_micros, case when t.silent_after_micros < :now \
             then coalesce(t.sample_at_micros, c.started_micros) else :now end) - c.started_micros"
        }
        ClusterOrder::WorkersPeak => "t.workers_peak",
        ClusterOrder::MemoryPeak => "t.memory_peak_bytes",
        ClusterOrder::TasksCompleted => "t.tasks_completed",
        ClusterOrder::ComputeSeconds => "t.compute_micros",
        ClusterOrder::ThreadSeconds => "t.thread_micros",
        ClusterOrder::Exceptions => "t.exceptions",
    };
    let way = match direction {
        Direction::Ascending => "asc",
        Direction::Descending => "desc",
    };
    format!("order by {by} {way}, c.id {way}")
}

/// The number of a cluster's newest row, to tell whether one exists.
pub(super) fn exists(db: &Connection, id: i64) -> Result<()> {
    let found = db
        .prepare_cached(include_str!("cluster_exists.sql"))?
        .query_row(named_params! { ":id": id }, |row| row.get::<_, i64>(0))
        .optional()?;
    found.map(|_| ()).ok_or_else(|| Error::NotFound {
        kind: "cluster",
        id: id.to_string(),
    })
}
