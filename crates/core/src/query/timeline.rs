//! Workers, memory and tasks of one cluster over time.

use rusqlite::{Connection, Row, named_params};

use super::clusters::exists;
use super::types::{Gap, Timeline, TimelineRequest};
use crate::Result;
use crate::model::Micros;

/// Points that are given when no number is named.
const POINTS: u32 = 600;
const MOST_POINTS: u32 = 4_000;
const GAPS: u32 = 1_000;

/// One point: the largest values of its bin.
#[derive(Clone, Debug, Default)]
struct Point {
    at: Micros,
    workers: u64,
    threads: u64,
    /// Limit, used, managed, unmanaged, spilled.
    memory: [Option<u64>; 5],
    processing: u64,
    waiting: u64,
    /// Of the bin's last sample.
    compute_micros: i64,
    instance: i64,
    computing: Option<f64>,
}

/// The samples of a cluster as columns.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn timeline(db: &Connection, request: &TimelineRequest) -> Result<Timeline> {
    exists(db, request.id)?;
    let points = points(db, request)?;
    let gaps = gaps(db, request)?;
    let column = |f: fn(&Point) -> u64| points.iter().map(f).collect::<Vec<_>>();
    let memory = |which: usize| {
        points
            .iter()
            .map(|point| point.memory[which])
            .collect::<Vec<_>>()
    };
    Ok(Timeline {
        at_micros: points.iter().map(|point| point.at).collect(),
        workers: column(|point| point.workers),
        threads: column(|point| point.threads),
        memory_limit_bytes: memory(0),
        memory_used_bytes: memory(1),
        memory_managed_bytes: memory(2),
        memory_unmanaged_bytes: memory(3),
        memory_spilled_bytes: memory(4),
        tasks_processing: column(|point| point.processing),
        tasks_waiting: column(|point| point.waiting),
        threads_computing: points.iter().map(|point| point.computing).collect(),
        gaps,
    })
}

fn points(db: &Connection, request: &TimelineRequest) -> Result<Vec<Point>> {
    let window = named_params! {
        ":id": request.id,
        ":from_micros": request.from_micros,
        ":to_micros": request.to_micros,
    };
    let span = db
        .prepare_cached(include_str!("timeline_span.sql"))?
        .query_one(window, |row| {
            Ok((
                row.get::<_, Option<i64>>(0)?,
                row.get::<_, Option<i64>>(1)?,
                row.get::<_, u64>(2)?,
            ))
        })?;
    let (Some(first), Some(last), samples) = span else {
        return Ok(Vec::new());
    };
    let wanted = u64::from(if request.points == 0 {
        POINTS
    } else {
        request.points.min(MOST_POINTS)
    });
    let from = request.from_micros.map_or(first, |from| from.0.max(first));
    let to = request
        .to_micros
        .map_or(last, |to| to.0.min(last))
        .max(from);
    // So many samples as points or fewer: each is shown as it is.
    let bin = |at: Micros| {
        if samples <= wanted {
            return None;
        }
        let (at, span) = (i128::from(at.0 - from), i128::from(to - from) + 1);
        Some((at * i128::from(wanted) / span) as i64)
    };
    let mut points: Vec<Point> = Vec::new();
    let mut last_bin = None;
    let mut statement = db.prepare_cached(include_str!("timeline.sql"))?;
    let mut rows = statement.query(window)?;
    while let Some(row) = rows.next()? {
        let sample = read(row)?;
        let its = bin(sample.at);
        match points.last_mut() {
            Some(point)
                if its.is_some() && its == last_bin && point.instance == sample.instance =>
            {
                merge(point, sample)
            }
            _ => points.push(sample),
        }
        last_bin = its;
    }
    computing(&mut points);
    // Instances rarely overlap; where they do, their points are mixed by time.
    points.sort_by_key(|point| point.at);
    Ok(points)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Point> {
    Ok(Point {
        at: row.get(0)?,
        workers: row.get(1)?,
        threads: row.get(2)?,
        memory: [
            row.get(3)?,
            row.get(4)?,
            row.get(5)?,
            row.get(6)?,
            row.get(7)?,
        ],
        processing: row.get(8)?,
        waiting: row.get(9)?,
        compute_micros: row.get(10)?,
        instance: row.get(11)?,
        computing: None,
    })
}

fn merge(point: &mut Point, sample: Point) {
    point.at = sample.at;
    point.workers = point.workers.max(sample.workers);
    point.threads = point.threads.max(sample.threads);
    for (largest, value) in point.memory.iter_mut().zip(sample.memory) {
        *largest = (*largest).max(value);
    }
    point.processing = point.processing.max(sample.processing);
    point.waiting = point.waiting.max(sample.waiting);
    point.compute_micros = sample.compute_micros;
}

/// Threads busy on average since the point before of the same instance.
fn computing(points: &mut [Point]) {
    for at in 1..points.len() {
        let (before, here) = (&points[at - 1], &points[at]);
        let elapsed = here.at.0 - before.at.0;
        if here.instance == before.instance && elapsed > 0 {
            let busy = (here.compute_micros - before.compute_micros).max(0);
            points[at].computing = Some(busy as f64 / elapsed as f64);
        }
    }
}

fn gaps(db: &Connection, request: &TimelineRequest) -> Result<Vec<Gap>> {
    let mut statement = db.prepare_cached(include_str!("timeline_gaps.sql"))?;
    let rows = statement.query_map(named_params! { ":id": request.id, ":limit": GAPS }, |row| {
        let to_micros: Micros = row.get("to_micros")?;
        let from_micros: Option<Micros> = row.get("from_micros")?;
        Ok(Gap {
            from_micros: from_micros.unwrap_or(to_micros).min(to_micros),
            to_micros,
            missing_records: row.get("missing_records")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
