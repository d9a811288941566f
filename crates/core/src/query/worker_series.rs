//! One measure of the workers over time: each while there are few, else how they are spread.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, named_params};

use super::clusters::exists;
use super::page::Json;
use super::timeline::wanted_points;
use super::types::{WorkerLine, WorkerMeasure, WorkerSeries, WorkerSeriesRequest};
use crate::Result;
use crate::model::Micros;
use crate::wire::{Band, WorkerBands, WorkerNow};

/// Lines that can be told apart.
const LINES: usize = 64;

/// The time, instance and sequence number of a sample.
type Sample = (Micros, i64, u64);

/// The workers of a cluster over time.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn worker_series(
    db: &Connection,
    request: &WorkerSeriesRequest,
) -> Result<WorkerSeries> {
    exists(db, request.id)?;
    let wanted = wanted_points(request.points) as usize;
    told(db, request, &thinned(samples(db, request)?, wanted))
}

/// The same of every sample, the first `most` of them; and whether there are more.
///
/// # Errors
/// As [`worker_series`].
pub(crate) fn every_worker_sample(
    db: &Connection,
    request: &WorkerSeriesRequest,
    most: usize,
) -> Result<(WorkerSeries, bool)> {
    exists(db, request.id)?;
    let mut all = samples(db, request)?;
    let more = all.len() > most;
    all.truncate(most);
    Ok((told(db, request, &all)?, more))
}

fn told(db: &Connection, request: &WorkerSeriesRequest, chosen: &[Sample]) -> Result<WorkerSeries> {
    let mut bands = Vec::with_capacity(chosen.len());
    let mut lines: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    let mut each_told = true;
    let mut statement = db.prepare_cached(include_str!("worker_series.sql"))?;
    for (at, &(_, instance, seq)) in chosen.iter().enumerate() {
        let parameters = named_params! { ":instance_id": instance, ":seq": seq };
        let (each, spread) = statement.query_one(parameters, |row| {
            Ok((
                row.get::<_, Option<Json<Vec<WorkerNow>>>>("each")?,
                row.get::<_, Option<Json<WorkerBands>>>("bands")?,
            ))
        })?;
        let Some(Json(each)) = each else {
            each_told = false;
            bands.push(spread.and_then(|Json(spread)| of_bands(&spread, request.measure)));
            continue;
        };
        let mut values = Vec::with_capacity(each.len());
        for worker in each {
            let value = of_worker(&worker, request.measure);
            values.extend(value);
            if lines.len() <= LINES || lines.contains_key(&worker.worker_id) {
                let line = lines
                    .entry(worker.worker_id)
                    .or_insert_with(|| vec![None; chosen.len()]);
                line[at] = value;
            }
        }
        bands.push(band(values));
    }
    if !each_told || lines.len() > LINES {
        lines.clear();
    }
    let names = if lines.is_empty() {
        HashMap::new()
    } else {
        names(db, request.id)?
    };
    Ok(WorkerSeries {
        at_micros: chosen.iter().map(|&(at, ..)| at).collect(),
        bands,
        workers: lines
            .into_iter()
            .map(|(worker_id, values)| WorkerLine {
                name: names.get(&worker_id).cloned(),
                worker_id,
                values,
            })
            .collect(),
    })
}

fn samples(db: &Connection, request: &WorkerSeriesRequest) -> Result<Vec<Sample>> {
    let samples = db
        .prepare_cached(include_str!("worker_series_points.sql"))?
        .query_map(
            named_params! {
                ":id": request.id,
                ":from_micros": request.from_micros,
                ":to_micros": request.to_micros,
            },
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?
        .collect::<rusqlite::Result<Vec<Sample>>>()?;
    Ok(samples)
}

/// The last sample of each bin, where there are more than are wanted.
fn thinned(all: Vec<Sample>, wanted: usize) -> Vec<Sample> {
    if all.len() <= wanted {
        return all;
    }
    let (first, last) = (all[0].0.0, all[all.len() - 1].0.0);
    let bin =
        |at: Micros| i128::from(at.0 - first) * wanted as i128 / (i128::from(last - first) + 1);
    let mut chosen: Vec<Sample> = Vec::with_capacity(wanted);
    for sample in all {
        match chosen.last_mut() {
            Some(before) if bin(before.0) == bin(sample.0) => *before = sample,
            _ => chosen.push(sample),
        }
    }
    chosen
}

pub(super) fn names(db: &Connection, id: i64) -> Result<HashMap<String, String>> {
    let mut statement = db.prepare_cached(include_str!("worker_names.sql"))?;
    let rows = statement.query_map(named_params! { ":id": id }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn of_worker(worker: &WorkerNow, measure: WorkerMeasure) -> Option<f64> {
    let whole = |value: Option<u64>| value.map(|value| value as f64);
    match measure {
        WorkerMeasure::CpuPercent => worker.cpu_percent,
        WorkerMeasure::MemoryUsedBytes => whole(worker.memory_used_bytes),
        WorkerMeasure::MemorySpilledBytes => whole(worker.memory_spilled_bytes),
        WorkerMeasure::Processing => whole(worker.processing),
    }
}

pub(super) fn of_bands(bands: &WorkerBands, measure: WorkerMeasure) -> Option<Band> {
    match measure {
        WorkerMeasure::CpuPercent => bands.cpu_percent,
        WorkerMeasure::MemoryUsedBytes => bands.memory_used_bytes,
        WorkerMeasure::MemorySpilledBytes => bands.memory_spilled_bytes,
        WorkerMeasure::Processing => bands.processing,
    }
}

/// Least, quartiles and most; between two workers in proportion.
fn band(mut values: Vec<f64>) -> Option<Band> {
    if values.is_empty() {
        return None;
    }
    values.sort_by(f64::total_cmp);
    Some([0.0, 0.25, 0.5, 0.75, 1.0].map(|share| {
        let place = share * (values.len() - 1) as f64;
        let (low, high) = (place.floor() as usize, place.ceil() as usize);
        values[low] + (values[high] - values[low]) * (place - low as f64)
    }))
}

#[cfg(test)]
mod tests {
    use super::band;

    #[test]
    fn quartiles_lie_between_workers() {
        assert_eq!(band(vec![]), None);
        assert_eq!(band(vec![7.0]), Some([7.0; 5]));
        assert_eq!(
            band(vec![4.0, 1.0, 2.0, 3.0]),
            Some([1.0, 1.75, 2.5, 3.25, 4.0])
        );
    }
}
