//! One measure of the workers as a heat-map: the busiest by name, all others as one row.
//!
//! A sample stands for the time since the one before it. Single workers are told up to 64 at once; of more a sample tells
//! how they spread, and nobody's name.

use std::collections::HashMap;

use rusqlite::{Connection, named_params};

use super::bins::Bins;
use super::clusters::exists;
use super::page::Json;
use super::timeline_use::check;
use super::types::{OtherWorkers, WorkerHeat, WorkerHeatRequest, WorkerHeatRow};
use super::worker_series::{names, of_bands, of_worker};
use crate::Result;
use crate::model::Micros;
use crate::wire::{WorkerBands, WorkerNow};

const BINS: u32 = 60;
const MOST_BINS: u32 = 240;
const ROWS: u32 = 64;
/// Samples that are read; of more, evenly many are left out.
const SAMPLES: usize = 2_400;
/// A sample that follows a silence tells of no more than so many usual distances.
const SILENCE: i64 = 3;

/// A sample, and the time that it stands for.
struct Told {
    instance: i64,
    seq: u64,
    from: i64,
    to: i64,
}

/// A sum over time, and the time.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    time: f64,
}

impl Mean {
    fn add(&mut self, value: f64, time: f64) {
        self.sum += value * time;
        self.time += time;
    }

    fn value(self) -> Option<f64> {
        (self.time > 0.0).then(|| self.sum / self.time)
    }
}

/// The workers of a cluster over time, most first.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`]; [`crate::Error::Invalid`] if the time ends before it begins.
pub(crate) fn worker_heat(db: &Connection, request: &WorkerHeatRequest) -> Result<WorkerHeat> {
    check(request.from_micros, request.to_micros)?;
    exists(db, request.id)?;
    let (told, samples) = told(db, request)?;
    let (Some(first), Some(last)) = (
        told.iter().map(|one| one.from).min(),
        told.iter().map(|one| one.to).max(),
    ) else {
        return Ok(WorkerHeat {
            from_micros: None,
            at_micros: Vec::new(),
            workers: Vec::new(),
            others: None,
            together: Vec::new(),
            samples: 0,
            samples_read: 0,
        });
    };
    let from = request.from_micros.map_or(first, |from| from.0);
    let to = request.to_micros.map_or(last, |to| to.0).max(from + 1);
    let wanted = match request.bins {
        0 => BINS,
        bins => bins.min(MOST_BINS),
    };
    let bins = Bins::new(from, to, wanted as usize);

    // Who has the most is known before anything is spread over bins.
    let mut ids: Vec<String> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut sums: Vec<Mean> = Vec::new();
    let mut values: Vec<(usize, usize, f64)> = Vec::new();
    let mut spread: Vec<(usize, f64)> = Vec::new();
    let mut statement = db.prepare_cached(include_str!("worker_series.sql"))?;
    for (sample, one) in told.iter().enumerate() {
        let inside = bins.share(one.from, one.to) * (one.to - one.from) as f64;
        if inside <= 0.0 {
            continue;
        }
        let parameters = named_params! { ":instance_id": one.instance, ":seq": one.seq };
        let (each, bands) = statement.query_one(parameters, |row| {
            Ok((
                row.get::<_, Option<Json<Vec<WorkerNow>>>>("each")?,
                row.get::<_, Option<Json<WorkerBands>>>("bands")?,
            ))
        })?;
        let Some(Json(each)) = each else {
            let five = bands.and_then(|Json(bands)| of_bands(&bands, request.measure));
            spread.extend(five.map(|five| (sample, five[2])));
            continue;
        };
        for worker in each {
            let Some(value) = of_worker(&worker, request.measure) else {
                continue;
            };
            let place = *places.entry(worker.worker_id).or_insert_with_key(|id| {
                ids.push(id.clone());
                sums.push(Mean::default());
                ids.len() - 1
            });
            sums[place].add(value, inside);
            values.push((sample, place, value));
        }
    }
    let mut ranked: Vec<usize> = (0..ids.len()).collect();
    ranked.sort_by(|&a, &b| {
        sums[b]
            .sum
            .total_cmp(&sums[a].sum)
            .then_with(|| ids[a].cmp(&ids[b]))
    });
    let rows = match request.rows {
        0 => ROWS,
        rows => rows.min(ROWS),
    } as usize;
    let named = ranked.len().min(rows);
    let mut row_of = vec![named; ids.len()];
    for (row, &place) in ranked.iter().take(named).enumerate() {
        row_of[place] = row;
    }
    // The last row is that of all others.
    let mut cells = vec![vec![Mean::default(); bins.count]; named + 1];
    for (sample, place, value) in values {
        let one = &told[sample];
        let row = &mut cells[row_of[place]];
        bins.spread(one.from, one.to, |at, share| row[at].add(value, share));
    }
    let mut together = vec![Mean::default(); bins.count];
    for &(sample, value) in &spread {
        let one = &told[sample];
        bins.spread(one.from, one.to, |at, share| together[at].add(value, share));
    }
    let column = |cells: &[Mean]| cells.iter().map(|cell| cell.value()).collect::<Vec<_>>();
    let called = names(db, request.id)?;
    let workers = ranked
        .iter()
        .take(named)
        .zip(&cells)
        .map(|(&place, cells)| WorkerHeatRow {
            name: called.get(&ids[place]).cloned(),
            worker_id: ids[place].clone(),
            mean: sums[place].value(),
            values: column(cells),
        })
        .collect();
    Ok(WorkerHeat {
        from_micros: Some(Micros(from)),
        at_micros: (0..bins.count).map(|at| Micros(bins.end(at))).collect(),
        workers,
        others: (ids.len() > named).then(|| OtherWorkers {
            workers: (ids.len() - named) as u64,
            values: column(&cells[named]),
        }),
        together: match spread.is_empty() {
            true => Vec::new(),
            false => column(&together),
        },
        samples,
        samples_read: told.len() as u64,
    })
}

/// The samples that are read, in order, and how many there are. One that comes behind the time that is asked for may tell of its end.
fn told(db: &Connection, request: &WorkerHeatRequest) -> Result<(Vec<Told>, u64)> {
    let all = db
        .prepare_cached(include_str!("worker_series_points.sql"))?
        .query_map(
            named_params! {
                ":id": request.id,
                ":from_micros": request.from_micros,
                ":to_micros": request.to_micros.map(|to| to.0.saturating_add(Micros::HOUR)),
            },
            |row| Ok((row.get::<_, Micros>(0)?.0, row.get(1)?, row.get(2)?)),
        )?
        .collect::<rusqlite::Result<Vec<(i64, i64, u64)>>>()?;
    // Where one instance follows another, each begins anew.
    let mut before: HashMap<i64, i64> = HashMap::new();
    let mut distances: Vec<i64> = Vec::new();
    let mut told: Vec<(Told, bool)> = Vec::with_capacity(all.len());
    for (at, instance, seq) in all {
        let known = before.insert(instance, at).filter(|known| *known < at);
        distances.extend(known.map(|known| at - known));
        let from = known.unwrap_or(at);
        told.push((
            Told {
                instance,
                seq,
                from,
                to: at,
            },
            known.is_some(),
        ));
    }
    distances.sort_unstable();
    let usual = distances.get(distances.len() / 2).copied().unwrap_or(1);
    let mut told: Vec<Told> = told
        .into_iter()
        .map(|(one, follows)| Told {
            from: match follows && one.to - one.from <= SILENCE * usual {
                true => one.from,
                false => one.to - usual,
            },
            ..one
        })
        .filter(|one| request.to_micros.is_none_or(|to| one.from < to.0))
        .collect();
    let samples = told.len();
    let step = samples.div_ceil(SAMPLES).max(1);
    if step > 1 {
        let mut at = 0;
        told.retain(|_| {
            at += 1;
            at % step == 0
        });
        // Each stands for those that were left out before it, as far as they are of one instance.
        for one in 1..told.len() {
            let (before, after) = told.split_at_mut(one);
            let (before, after) = (&before[one - 1], &mut after[0]);
            let gap = after.from - before.to;
            if before.instance == after.instance && gap > 0 && gap <= SILENCE * usual * step as i64
            {
                after.from = before.to;
            }
        }
    }
    Ok((told, samples as u64))
}
