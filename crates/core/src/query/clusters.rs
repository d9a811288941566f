//! Which clusters there are.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use self::matching::{Page, matching};
use super::filter::{Filter, Moment, Term, parse, staying};
use super::page::{Json, escape_like, truncated};
use super::price::{CostSql, Rates, money, price_book, price_of};
use super::types::{ClusterList, ClusterRow, ClustersRequest, Money, Price};
use super::{Counted, state, usage};
use crate::model::{ClusterState, Micros, SourceFormat, done};
use crate::{Error, Result};

mod matching;

/// Words of a cluster's facts that are about figures of the list.
const FIGURES: [&str; 5] = ["exceptions", "groups", "memory", "times", "workers"];

/// A cluster, and from what its state follows.
pub(crate) struct Found {
    /// Without the sentence that explains the state.
    pub(crate) row: ClusterRow,
    pub(crate) interval_micros: i64,
    pub(crate) sample_at: Option<Micros>,
    pub(crate) stop_reason: Option<String>,
    /// Of a stalled cluster alone.
    pub(crate) stall: Option<Stall>,
    /// The plugin's id of the newest instance.
    pub(crate) instance_id: Option<String>,
}

/// A cluster that is alive, as far as it is weighed against others.
pub(crate) struct Alive {
    pub(crate) id: i64,
    pub(crate) state: ClusterState,
    /// Since when it has had nothing to do; of any other since when it has been there.
    pub(crate) since: Micros,
    /// For how long no task has ended, in microseconds; nothing where none ever did.
    pub(crate) quiet_micros: Option<i64>,
}

/// What shows that a cluster is stalled.
pub(crate) struct Stall {
    /// For how long no task has ended while work was assigned.
    pub(crate) quiet_micros: i64,
    /// Of the slowest group that has tasks on workers.
    pub(crate) p95_seconds: Option<f64>,
    /// Whether the workers' stacks are known to have stood still.
    pub(crate) same_stacks: Option<bool>,
}

/// The clusters that match a request; their number, and whether there are more.
///
/// # Errors
/// [`Error::Invalid`] for a filter that is not understood; [`Error::Sqlite`].
pub(crate) fn clusters(
    db: &Connection,
    now: Micros,
    request: &ClustersRequest,
) -> Result<ClusterPage> {
    let moment = Moment::new(now, &request.time_zone)?;
    let book = price_book(db, false)?;
    let cost = CostSql::of(db, &book.prices)?;
    let filter = staying(db, filter(request)?)?;
    let (ids, total) = matching(db, &filter, moment, &cost, &Page::of(request))?;
    let rows = rows(db, now, &ids)?;
    Ok(ClusterPage {
        currency: book.currency,
        truncated: truncated(request.offset, rows.len(), total),
        rows,
        total,
    })
}

/// All that a request asks for, as one filter.
fn filter(request: &ClustersRequest) -> Result<Filter> {
    let mut parts = vec![parse(request.text.as_deref().unwrap_or_default())?];
    let mut also = |term: Option<Term>| parts.extend(term.map(Filter::Term));
    also(request.label.clone().map(Term::Label));
    also(request.user.clone().map(Term::User));
    also(request.from_micros.map(Term::From));
    also(request.to_micros.map(Term::To));
    also((!request.ids.is_empty()).then(|| Term::Ids(request.ids.clone())));
    if !request.states.is_empty() {
        let states = request
            .states
            .iter()
            .map(|state| Filter::Term(Term::State(*state)));
        parts.push(Filter::any(states.collect()));
    }
    Ok(Filter::all(parts))
}

/// The numbers of the clusters that match a request, in its order, at most so many.
///
/// # Errors
/// [`Error::Invalid`] for a filter that is not understood; [`Error::Sqlite`].
pub(crate) fn numbers(
    db: &Connection,
    now: Micros,
    request: &ClustersRequest,
    most: usize,
) -> Result<Vec<i64>> {
    let moment = Moment::new(now, &request.time_zone)?;
    let cost = CostSql::of(db, &price_book(db, false)?.prices)?;
    let page = Page {
        limit: u32::try_from(most).unwrap_or(u32::MAX),
        ..Page::of(request)
    };
    let filter = staying(db, filter(request)?)?;
    Ok(matching(db, &filter, moment, &cost, &page)?.0)
}

/// One page of clusters.
pub(crate) struct ClusterPage {
    rows: Vec<Found>,
    currency: String,
    total: u64,
    truncated: bool,
}

impl ClusterPage {
    /// The list, with the rows finished by `finish`.
    pub(crate) fn into_list(self, finish: impl FnMut(Found) -> ClusterRow) -> ClusterList {
        ClusterList {
            rows: self.rows.into_iter().map(finish).collect(),
            currency: self.currency,
            total: self.total,
            truncated: self.truncated,
        }
    }
}

/// All clusters that are alive and count, newest first.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn alive(db: &Connection, now: Micros, counted: &Counted) -> Result<Vec<Alive>> {
    let mut alive = db
        .prepare_cached(&state::CLUSTERS_LIVE)?
        .query_map(named_params! { ":now": now }, |row| {
            Ok(Alive {
                id: row.get("id")?,
                state: state::read(row.get_ref("state")?.as_str()?),
                since: row.get("since_micros")?,
                quiet_micros: row.get("since_completed_micros")?,
            })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    alive.retain(|one| counted.holds(one.id));
    Ok(alive)
}

/// The clusters of some numbers, in their order.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn by_ids(db: &Connection, now: Micros, ids: &[i64]) -> Result<Vec<Found>> {
    rows(db, now, ids)
}

/// One cluster by its number.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Sqlite`].
pub(crate) fn one(db: &Connection, now: Micros, id: i64) -> Result<Found> {
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
            reason: "several clusters match; use the number from `bobbin clusters`".into(),
        }),
    }
}

fn rows(db: &Connection, now: Micros, ids: &[i64]) -> Result<Vec<Found>> {
    let ids = serde_json::to_string(ids)?;
    let mut statement = db.prepare_cached(&state::CLUSTER_ROWS)?;
    let book = price_book(db, false)?;
    let rows = statement.query_map(named_params! { ":ids": ids, ":now": now }, |row| {
        read(row, &book.prices)
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn read(row: &Row<'_>, prices: &[Price]) -> rusqlite::Result<Found> {
    let state = state::read(row.get_ref("state")?.as_str()?);
    let started_micros = row.get("started_micros")?;
    let sample_at: Option<Micros> = row.get("sample_at_micros")?;
    let stopped_micros = match state {
        ClusterState::Finished => row
            .get::<_, Option<Micros>>("stop_at_micros")?
            .or(Some(sample_at.unwrap_or(started_micros))),
        ClusterState::Lost => Some(sample_at.unwrap_or(started_micros)),
        ClusterState::Running | ClusterState::Stalled | ClusterState::Idle => None,
    };
    // Its clock may have been set back between its start and its first report.
    let stopped_micros = stopped_micros.map(|stopped| stopped.max(started_micros));
    let idle_since_micros = match state {
        ClusterState::Idle => row.get("idle_since_micros")?,
        ClusterState::Running
        | ClusterState::Stalled
        | ClusterState::Finished
        | ClusterState::Lost => None,
    };
    let since_completed: Option<i64> = row.get("since_completed_micros")?;
    let tasks = row.get::<_, Json<_>>("tasks")?.0;
    Ok(Found {
        row: ClusterRow {
            id: row.get("id")?,
            scheduler_id: row.get("scheduler_id")?,
            sample: row.get("sample")?,
            name: row.get("shown_name")?,
            state,
            finished_by_hand: state == ClusterState::Finished && row.get("finished_by_hand")?,
            state_evidence: String::new(),
            user: row.get("user")?,
            host: row.get("host")?,
            project: row.get("project")?,
            tags: row.get::<_, Json<_>>("tags")?.0,
            own_tags: row.get::<_, Json<_>>("own_tags")?.0,
            given_name: row.get("given_name")?,
            note: row.get("note")?,
            pinned: row.get("pinned")?,
            started_micros,
            stopped_micros,
            last_heard_micros: row.get("last_heard_micros")?,
            idle_since_micros,
            last_completed_micros: row.get("last_completed_micros")?,
            since_completed_micros: since_completed
                .filter(|_| stopped_micros.is_none())
                .map(|since| since.max(0)),
            workers: row.get("workers")?,
            threads: row.get("threads")?,
            workers_peak: row.get("workers_peak")?,
            threads_peak: row.get("threads_peak")?,
            memory_used_bytes: row.get("memory_used_bytes")?,
            memory_peak_bytes: row.get("memory_peak_bytes")?,
            memory_limit_bytes: row.get("memory_limit_bytes")?,
            tasks_done: done(&tasks),
            tasks,
            tasks_completed: row.get("tasks_completed")?,
            tasks_erred: row.get("tasks_erred")?,
            compute_seconds: seconds(row.get("compute_micros")?),
            thread_seconds: seconds(row.get("thread_micros")?),
            stalled_seconds: seconds(row.get("stalled_micros")?),
            efficiency: row.get("efficiency")?,
            result_bytes: row.get("result_bytes")?,
            computations: row.get("computations")?,
            exceptions: row.get("exceptions")?,
            cost: cost(&usage::who(row)?, &usage::Used::times(row)?, prices),
            unavailable: unavailable(row)?,
            source: row
                .get::<_, Option<String>>("source_format")?
                .and_then(|word| SourceFormat::of_word(&word)),
        },
        interval_micros: row.get("interval_micros")?,
        sample_at,
        stop_reason: row.get("stop_reason")?,
        stall: (state == ClusterState::Stalled)
            .then(|| -> rusqlite::Result<_> {
                Ok(Stall {
                    quiet_micros: row.get("quiet_micros")?,
                    p95_seconds: row.get("stall_p95_seconds")?,
                    same_stacks: row.get("stall_same_stacks")?,
                })
            })
            .transpose()?,
        instance_id: row.get("instance_id")?,
    })
}

/// Which of its figures are not told: other words of its facts are about what a list has not.
fn unavailable(row: &Row<'_>) -> rusqlite::Result<Vec<String>> {
    let words: Option<Json<Vec<String>>> = row.get("unavailable")?;
    let mut words = words.map(|Json(words)| words).unwrap_or_default();
    words.retain(|word| FIGURES.contains(&&**word));
    Ok(words)
}

/// What a cluster cost; none without a price, or where nothing was heard of its threads.
fn cost(who: &usage::Who, used: &usage::Used, prices: &[Price]) -> Option<Money> {
    let price = price_of(prices, who).filter(|_| used.thread_micros > 0)?;
    Some(money(Rates::of(&price.terms.rate).cost(used)))
}

/// Whole microseconds as seconds.
pub(super) fn seconds(micros: i64) -> f64 {
    micros as f64 / 1e6
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
