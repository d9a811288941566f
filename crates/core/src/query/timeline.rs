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
    /// CPU, network in and out, disk in and out, GPU, its memory, the plugin's share of the loop.
    rates: [Option<f64>; 8],
    /// The scheduler's and the worst worker's.
    lag: [Option<i64>; 2],
    paused: Option<u64>,
    instance: i64,
}

/// The samples of a cluster as columns, put together where there are more than the points asked for.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn timeline(db: &Connection, request: &TimelineRequest) -> Result<Timeline> {
    exists(db, request.id)?;
    let span = span(db, request)?;
    let wanted = u64::from(wanted_points(request.points));
    let bins = span.filter(|span| span.samples > wanted).map(|span| {
        let from = request
            .from_micros
            .map_or(span.first, |from| from.0.max(span.first));
        let to = request
            .to_micros
            .map_or(span.last, |to| to.0.min(span.last));
        Bins {
            from,
            wide: i128::from(to.max(from) - from) + 1,
            many: i128::from(wanted),
        }
    });
    columns(db, request, points(db, request, bins, u64::MAX)?)
}

/// Each sample of a cluster as it was told, up to `most`, and how many there are.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn every_sample(
    db: &Connection,
    request: &TimelineRequest,
    most: u64,
) -> Result<(Timeline, u64)> {
    exists(db, request.id)?;
    let told = columns(db, request, points(db, request, None, most)?)?;
    let all = span(db, request)?.map_or(0, |span| span.samples);
    Ok((told, all))
}

fn columns(db: &Connection, request: &TimelineRequest, points: Vec<Point>) -> Result<Timeline> {
    let gaps = gaps(db, request)?;
    let column = |f: fn(&Point) -> u64| points.iter().map(f).collect::<Vec<_>>();
    let memory = |which: usize| {
        points
            .iter()
            .map(|point| point.memory[which])
            .collect::<Vec<_>>()
    };
    let rate = |which: usize| {
        points
            .iter()
            .map(|point| point.rates[which])
            .collect::<Vec<_>>()
    };
    let lag = |which: usize| {
        points
            .iter()
            .map(|point| point.lag[which])
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
        cpu_percent: rate(0),
        network_read_bytes_per_s: rate(1),
        network_write_bytes_per_s: rate(2),
        disk_read_bytes_per_s: rate(3),
        disk_write_bytes_per_s: rate(4),
        gpu_percent: rate(5),
        gpu_memory_bytes: rate(6),
        plugin_loop_share: rate(7),
        loop_lag_micros: lag(0),
        worker_lag_micros: lag(1),
        workers_paused: points.iter().map(|point| point.paused).collect(),
        gaps,
    })
}

/// From when to when there are samples, and how many.
#[derive(Clone, Copy)]
struct Span {
    first: i64,
    last: i64,
    samples: u64,
}

/// That of the samples asked for; none where there are none.
fn span(db: &Connection, request: &TimelineRequest) -> Result<Option<Span>> {
    let span = db
        .prepare_cached(include_str!("timeline_span.sql"))?
        .query_one(
            named_params! {
                ":id": request.id,
                ":from_micros": request.from_micros,
                ":to_micros": request.to_micros,
            },
            |row| {
                let (first, last) = (row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?);
                let samples = row.get(2)?;
                Ok(first.zip(last).map(|(first, last)| Span {
                    first,
                    last,
                    samples,
                }))
            },
        )?;
    Ok(span)
}

/// Parts of the time, of which each becomes one point.
#[derive(Clone, Copy)]
struct Bins {
    from: i64,
    wide: i128,
    many: i128,
}

impl Bins {
    fn of(self, at: Micros) -> i64 {
        (i128::from(at.0 - self.from) * self.many / self.wide) as i64
    }
}

/// The largest of each bin, or without bins each sample; `most` at most.
fn points(
    db: &Connection,
    request: &TimelineRequest,
    bins: Option<Bins>,
    most: u64,
) -> Result<Vec<Point>> {
    let mut points: Vec<Point> = Vec::new();
    let mut last_bin = None;
    let mut statement = db.prepare_cached(include_str!("timeline.sql"))?;
    let mut rows = statement.query(named_params! {
        ":id": request.id,
        ":from_micros": request.from_micros,
        ":to_micros": request.to_micros,
    })?;
    while (points.len() as u64) < most
        && let Some(row) = rows.next()?
    {
        let sample = read(row)?;
        let its = bins.map(|bins| bins.of(sample.at));
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
    // Instances rarely overlap; where they do, their points are mixed by time.
    points.sort_by_key(|point| point.at);
    Ok(points)
}

/// How many points to give: 0 is 600.
pub(super) fn wanted_points(asked: u32) -> u32 {
    match asked {
        0 => POINTS,
        asked => asked.min(MOST_POINTS),
    }
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
        instance: row.get(10)?,
        rates: [
            row.get(11)?,
            row.get(12)?,
            row.get(13)?,
            row.get(14)?,
            row.get(15)?,
            row.get(16)?,
            row.get(17)?,
            row.get(18)?,
        ],
        lag: [row.get(19)?, row.get(20)?],
        paused: row.get(21)?,
    })
}

fn merge(point: &mut Point, sample: Point) {
    point.at = sample.at;
    point.workers = point.workers.max(sample.workers);
    point.threads = point.threads.max(sample.threads);
    for (largest, value) in point.memory.iter_mut().zip(sample.memory) {
        *largest = (*largest).max(value);
    }
    for (largest, value) in point.rates.iter_mut().zip(sample.rates) {
        *largest = match (*largest, value) {
            (Some(one), Some(two)) => Some(one.max(two)),
            (one, two) => one.or(two),
        };
    }
    for (largest, value) in point.lag.iter_mut().zip(sample.lag) {
        *largest = (*largest).max(value);
    }
    point.paused = point.paused.max(sample.paused);
    point.processing = point.processing.max(sample.processing);
    point.waiting = point.waiting.max(sample.waiting);
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
