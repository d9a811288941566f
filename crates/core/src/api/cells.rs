//! What is drawn as cells or as lines over time, as tables: a row for each cell or point.

use std::iter::repeat_n;

use serde_json::Value;

use super::answers::worker_heat;
use super::overview::heat_map;
use super::verdict::{event_fields, thread_use};
use super::{
    App, EventFieldsRequest, HeatMapRequest, HeatRows, Measure, ThreadUseRequest,
    WorkerHeatRequest, WorkerMeasure, WorkerSeriesRequest,
};
use crate::Result;
use crate::insight::table_text::Part;
use crate::insight::words::count;
use crate::model::Micros;
use crate::query::{self, Column, Table, Values};

/// Samples of workers: at most 64 have a row in each, which makes a million.
const SAMPLES: usize = 15_625;

/// The cells of the heat-map of all clusters: what each is of, from when to when, how much.
pub(super) fn of_heat_map(app: &App, request: &Value, name: &str) -> Result<Part> {
    let asked: HeatMapRequest = serde_json::from_value(request.clone())?;
    let map = heat_map(app, asked.clone())?;
    let mut labels = Vec::new();
    let mut places = Vec::new();
    let (mut from, mut to) = (Vec::new(), Vec::new());
    let (mut amounts, mut clusters) = (Vec::new(), Vec::new());
    for row in &map.rows {
        for (at, value) in row.values.iter().enumerate() {
            labels.push(match row.others {
                0 => row.key.clone(),
                others => Some(count(others, "other", "others")),
            });
            // With columns of their own, several stretches of time are one column.
            let edge = |at: usize| match asked.columns.is_empty() {
                true => asked.edges.get(at).map(|edge| edge.0),
                false => None,
            };
            places.push(Some(at as i64));
            from.push(edge(at));
            to.push(edge(at + 1));
            amounts.push(*value);
            clusters.push(row.clusters.get(at).map(|&count| i64::from(count)));
        }
    }
    let unit = match map.measure {
        Measure::Cost => "cost_nanos",
        Measure::Failures => "erred_tasks",
        Measure::MemoryPeak => "memory_peak_bytes",
        Measure::Compute => "compute_seconds",
        Measure::Cluster => "thread_seconds",
        Measure::Idle => "idle_seconds",
        Measure::Stalled => "stalled_seconds",
    };
    let of = match map.by {
        HeatRows::User => "user",
        HeatRows::Project => "project",
        HeatRows::Host => "host",
        HeatRows::Name => "name",
        HeatRows::Span => "span",
        HeatRows::Everything => "everything",
    };
    let columns = vec![
        (of, Values::Text(labels)),
        ("column", Values::Whole(places)),
        ("from_at", Values::Moment(from)),
        ("to_at", Values::Moment(to)),
        (unit, Values::Real(amounts)),
        ("clusters", Values::Whole(clusters)),
    ];
    // Those that are put together as others are no rows of their own.
    let left_out = map.rows.iter().any(|row| row.others > 0);
    Ok(part(name, columns, left_out))
}

/// What the threads of a cluster did, by activity, and computing by prefix: the share of each in a bin.
pub(super) fn of_threads(app: &App, request: &Value, name: &str) -> Result<Part> {
    let asked: ThreadUseRequest = serde_json::from_value(request.clone())?;
    let told = thread_use(app, asked)?;
    let computing = told
        .computing
        .iter()
        .filter(|one| one.prefix.is_some() || one.seconds > 0.0)
        .map(|one| ("computing", one.prefix.clone(), &one.share));
    let rest = [
        ("transfer", &told.transfer),
        ("disk_read", &told.disk_read),
        ("disk_write", &told.disk_write),
        ("deserialize", &told.deserialize),
        ("other", &told.other),
        ("idle", &told.idle),
        ("stalled", &told.stalled),
    ];
    let rest = rest.map(|(activity, shares)| (activity, None, shares));
    let (mut activities, mut prefixes) = (Vec::new(), Vec::new());
    let mut cells = Cells::default();
    for (activity, prefix, shares) in computing.chain(rest) {
        let count = cells.row(told.from_micros, &told.at_micros, shares);
        activities.extend(repeat_n(Some(activity.to_owned()), count));
        prefixes.extend(repeat_n(prefix, count));
    }
    let left_out = told
        .computing
        .iter()
        .any(|one| one.prefix.is_none() && one.seconds > 0.0);
    let columns = vec![
        ("activity", Values::Text(activities)),
        ("prefix", Values::Text(prefixes)),
        ("from_at", Values::Moment(cells.from)),
        ("to_at", Values::Moment(cells.to)),
        ("share", Values::Real(cells.amounts)),
    ];
    Ok(part(name, columns, left_out))
}

/// One measure of the workers of a cluster, on average in each bin.
pub(super) fn of_workers(app: &App, request: &Value, name: &str) -> Result<Part> {
    let asked: WorkerHeatRequest = serde_json::from_value(request.clone())?;
    let measure = column_of(asked.measure);
    let told = worker_heat(app, asked)?;
    let each = told
        .workers
        .iter()
        .map(|row| (Some(row.worker_id.clone()), row.name.clone(), &row.values));
    let others = told.others.iter().map(|row| {
        (
            None,
            Some(count(row.workers, "other", "others")),
            &row.values,
        )
    });
    let together = (!told.together.is_empty()).then(|| {
        let label = "the median of all".to_owned();
        (None, Some(label), &told.together)
    });
    let (mut ids, mut names) = (Vec::new(), Vec::new());
    let mut cells = Cells::default();
    for (id, worker, values) in each.chain(others).chain(together) {
        let count = cells.row(told.from_micros, &told.at_micros, values);
        ids.extend(repeat_n(id, count));
        names.extend(repeat_n(worker, count));
    }
    let columns = vec![
        ("worker_id", Values::Text(ids)),
        ("worker", Values::Text(names)),
        ("from_at", Values::Moment(cells.from)),
        ("to_at", Values::Moment(cells.to)),
        (measure, Values::Real(cells.amounts)),
    ];
    Ok(part(name, columns, told.others.is_some()))
}

/// One measure of the workers of a cluster in every sample: each worker by itself, or how they are spread where samples tell no more.
pub(super) fn of_worker_samples(app: &App, request: &Value, name: &str) -> Result<Part> {
    let asked: WorkerSeriesRequest = serde_json::from_value(request.clone())?;
    let (told, more) = app.read(|db| query::every_worker_sample(db, &asked, SAMPLES))?;
    if told.workers.is_empty() {
        let moments = told.at_micros.iter().map(|at| Some(at.0)).collect();
        let band = |of: usize| {
            let values = told.bands.iter().map(|band| band.map(|five| five[of]));
            Values::Real(values.collect())
        };
        let columns = vec![
            ("at", Values::Moment(moments)),
            ("least", band(0)),
            ("lower_quartile", band(1)),
            ("median", band(2)),
            ("upper_quartile", band(3)),
            ("most", band(4)),
        ];
        return Ok(part(name, columns, more));
    }
    let (mut ids, mut names) = (Vec::new(), Vec::new());
    let (mut moments, mut values) = (Vec::new(), Vec::new());
    for line in &told.workers {
        for (at, value) in told.at_micros.iter().zip(&line.values) {
            // Before a worker joins and after it left there is nothing to tell.
            if value.is_some() {
                ids.push(Some(line.worker_id.clone()));
                names.push(line.name.clone());
                moments.push(Some(at.0));
                values.push(*value);
            }
        }
    }
    let columns = vec![
        ("worker_id", Values::Text(ids)),
        ("worker", Values::Text(names)),
        ("at", Values::Moment(moments)),
        (column_of(asked.measure), Values::Real(values)),
    ];
    Ok(part(name, columns, more))
}

/// The numbers in the events of a cluster.
pub(super) fn of_numbers(app: &App, request: &Value, name: &str) -> Result<Part> {
    let asked: EventFieldsRequest = serde_json::from_value(request.clone())?;
    let told = event_fields(app, asked)?;
    let (mut topics, mut fields) = (Vec::new(), Vec::new());
    let (mut moments, mut values) = (Vec::new(), Vec::new());
    for one in &told.numbers {
        let count = one.values.len();
        topics.extend(repeat_n(Some(one.topic.clone()), count));
        fields.extend(repeat_n(Some(one.field.clone()), count));
        moments.extend(one.at_micros.iter().map(|at| Some(at.0)));
        values.extend(one.values.iter().copied().map(Some));
    }
    let columns = vec![
        ("topic", Values::Text(topics)),
        ("field", Values::Text(fields)),
        ("at", Values::Moment(moments)),
        ("value", Values::Real(values)),
    ];
    let left_out = told.looked_at < told.total || told.numbers_total > told.numbers.len() as u64;
    Ok(part(name, columns, left_out))
}

fn column_of(measure: WorkerMeasure) -> &'static str {
    match measure {
        WorkerMeasure::CpuPercent => "cpu_percent",
        WorkerMeasure::MemoryUsedBytes => "memory_used_bytes",
        WorkerMeasure::MemorySpilledBytes => "memory_spilled_bytes",
        WorkerMeasure::Processing => "processing",
    }
}

/// Columns of one length as a table. `cut`: some rows are left out, or put together.
fn part(name: &str, columns: Vec<(&'static str, Values)>, cut: bool) -> Part {
    let columns = columns.into_iter().map(|(name, values)| Column {
        name: name.into(),
        values,
    });
    let table = Table {
        name: name.to_owned().into(),
        columns: columns.collect(),
    };
    Part {
        total: (!cut).then_some(table.rows() as u64),
        truncated: cut,
        table,
    }
}

/// From when to when, and how much.
#[derive(Default)]
struct Cells {
    from: Vec<Option<i64>>,
    to: Vec<Option<i64>>,
    amounts: Vec<Option<f64>>,
}

impl Cells {
    /// Adds a row of bins, the first of which begins at `from`; gives how many they are.
    fn row(&mut self, from: Option<Micros>, ends: &[Micros], amounts: &[Option<f64>]) -> usize {
        let mut begin = from.map(|from| from.0);
        for (end, amount) in ends.iter().zip(amounts) {
            self.from.push(begin);
            self.to.push(Some(end.0));
            self.amounts.push(*amount);
            begin = Some(end.0);
        }
        ends.len().min(amounts.len())
    }
}
