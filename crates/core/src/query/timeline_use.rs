//! What the threads of one cluster did: proportions over time, and sums.
//!
//! A sample tells sums since the plugin began, so two samples of one instance tell what their threads did between them:
//! an interval. A task's time is told when it ends: an interval may hold more than its threads could do. Going back in
//! time, what is too much is laid to the free threads of the intervals before.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, named_params};

use super::bins::Bins;
use super::cluster_cost::stalled_times;
use super::clusters::exists;
use super::types::{PrefixUse, ThreadUse, ThreadUseRequest, WindowTotals};
use crate::model::{Activities, Micros};
use crate::{Error, Result};

const BINS: u32 = 120;
const MOST_BINS: u32 = 1_000;
const PREFIXES: u32 = 4;
const MOST_PREFIXES: u32 = 20;
/// Groups that are looked at for who computed; the rest is too small to be seen.
const GROUPS: u32 = 20_000;
/// Compute, transfer, reading from and writing to disk, unpickling, the rest.
const ACTIVITIES: usize = 6;

/// What the threads of one instance did between two samples.
#[derive(Clone, Debug, PartialEq)]
struct Interval {
    instance: i64,
    from: i64,
    to: i64,
    thread_micros: f64,
    micros: [f64; ACTIVITIES],
}

/// What the threads of a cluster did.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Sqlite`]; [`Error::Invalid`] if the time ends before it begins.
pub(crate) fn thread_use(db: &Connection, request: &ThreadUseRequest) -> Result<ThreadUse> {
    check(request.from_micros, request.to_micros)?;
    exists(db, request.id)?;
    let mut intervals = intervals(db, request.id)?;
    let moved_micros = carry_back(&mut intervals);
    let first = intervals.iter().map(|interval| interval.from).min();
    let last = intervals.iter().map(|interval| interval.to).max();
    let mut totals = window(db, request)?;
    let (Some(first), Some(last)) = (first, last) else {
        return Ok(empty(totals));
    };
    let from = request.from_micros.map_or(first, |from| from.0);
    let to = request.to_micros.map_or(last, |to| to.0).max(from + 1);
    let wanted = match request.bins {
        0 => BINS,
        bins => bins.min(MOST_BINS),
    };
    let bins = Bins::new(from, to, wanted as usize);
    let mut threads = vec![0.0; bins.count];
    let mut told = vec![false; bins.count];
    let mut parts = vec![[0.0; ACTIVITIES]; bins.count];
    for interval in &intervals {
        bins.spread(interval.from, interval.to, |at, share| {
            told[at] = true;
            threads[at] += interval.thread_micros * share;
            for (part, micros) in parts[at].iter_mut().zip(interval.micros) {
                *part += micros * share;
            }
        });
    }
    let stalled = stalled(db, request.id, &bins, (first, last))?;
    let column = |value: &dyn Fn(usize) -> f64| -> Vec<Option<f64>> {
        (0..bins.count)
            .map(|at| (told[at] && threads[at] > 0.0).then(|| value(at)))
            .collect()
    };
    let on_average = |micros: &dyn Fn(usize) -> f64| -> Vec<Option<f64>> {
        (0..bins.count)
            .map(|at| told[at].then(|| micros(at) / bins.length(at)))
            .collect()
    };
    // The first interval may begin a little after its threads did, as clocks go: nobody had more than there ever were.
    let most = threads_peak(db, request.id)?;
    let of = |activity: usize| column(&|at| parts[at][activity] / threads[at]);
    let done = |activity: usize| parts.iter().map(|part| part[activity]).sum::<f64>() / 1e6;
    let free = |at: usize| (threads[at] - parts[at].iter().sum::<f64>()).max(0.0);
    let by_prefix = by_prefix(db, request, &bins)?;
    let computing = by_prefix
        .into_iter()
        .map(|(prefix, shares)| PrefixUse {
            prefix,
            share: column(&|at| parts[at][0] * shares[at] / threads[at]),
            seconds: (0..bins.count)
                .map(|at| parts[at][0] * shares[at])
                .sum::<f64>()
                / 1e6,
        })
        .collect();
    totals.thread_seconds = threads.iter().sum::<f64>() / 1e6;
    totals.seconds = Activities {
        compute: done(0),
        transfer: done(1),
        disk_read: done(2),
        disk_write: done(3),
        deserialize: done(4),
        other: done(5),
    };
    let nothing = (totals.thread_seconds - (0..ACTIVITIES).map(done).sum::<f64>()).max(0.0);
    totals.stalled_seconds = (stalled.iter().sum::<f64>() / 1e6).min(nothing);
    totals.idle_seconds = nothing - totals.stalled_seconds;
    totals.moved_seconds = moved_micros / 1e6;
    Ok(ThreadUse {
        from_micros: Some(Micros(from)),
        at_micros: (0..bins.count).map(|at| Micros(bins.end(at))).collect(),
        threads: on_average(&|at| threads[at].min(most * bins.length(at))),
        threads_computing: on_average(&|at| parts[at][0]),
        computing,
        transfer: of(1),
        disk_read: of(2),
        disk_write: of(3),
        deserialize: of(4),
        other: of(5),
        idle: column(&|at| (free(at) - stalled[at]).max(0.0) / threads[at]),
        stalled: column(&|at| free(at).min(stalled[at]) / threads[at]),
        totals,
    })
}

/// The time that threads stalled in each bin, in microseconds; none before the first interval and after the last.
fn stalled(db: &Connection, id: i64, bins: &Bins, (first, last): (i64, i64)) -> Result<Vec<f64>> {
    let mut micros = vec![0.0; bins.count];
    for one in stalled_times(db, id)? {
        let from = one.from.clamp(first, last - 1);
        let to = one.to.clamp(from + 1, last);
        bins.spread(from, to, |at, share| {
            micros[at] += one.micros as f64 * share;
        });
    }
    Ok(micros)
}

/// The most threads that a sample told; without any, there is no bound.
fn threads_peak(db: &Connection, id: i64) -> Result<f64> {
    let peak: Option<i64> = db
        .prepare_cached(include_str!("timeline_threads_peak.sql"))?
        .query_row(named_params! { ":id": id }, |row| row.get("threads_peak"))
        .optional()?;
    Ok(peak
        .filter(|peak| *peak > 0)
        .map_or(f64::INFINITY, |peak| peak as f64))
}

/// Whether there is time between two bounds, where they are named.
pub(super) fn check(from: Option<Micros>, to: Option<Micros>) -> Result<()> {
    let (from, to) = (from.unwrap_or(Micros(0)), to.unwrap_or(Micros::LATEST));
    Micros::no_time_between(from, to).map_or(Ok(()), |reason| {
        Err(Error::Invalid {
            what: "time",
            value: format!("{} to {}", from.0, to.0),
            reason: reason.into(),
        })
    })
}

fn empty(totals: WindowTotals) -> ThreadUse {
    ThreadUse {
        from_micros: None,
        at_micros: Vec::new(),
        threads: Vec::new(),
        threads_computing: Vec::new(),
        computing: Vec::new(),
        transfer: Vec::new(),
        disk_read: Vec::new(),
        disk_write: Vec::new(),
        deserialize: Vec::new(),
        other: Vec::new(),
        idle: Vec::new(),
        stalled: Vec::new(),
        totals,
    }
}

fn intervals(db: &Connection, id: i64) -> Result<Vec<Interval>> {
    let mut out: Vec<Interval> = Vec::new();
    let mut before: Option<(i64, i64, [i64; ACTIVITIES + 1])> = None;
    let mut statement = db.prepare_cached(include_str!("timeline_use.sql"))?;
    let mut rows = statement.query(named_params! { ":id": id })?;
    while let Some(row) = rows.next()? {
        let instance: i64 = row.get(0)?;
        let at: i64 = row.get(2)?;
        let mut sums = [0; ACTIVITIES + 1];
        for (place, sum) in sums.iter_mut().enumerate() {
            *sum = row.get(3 + place)?;
        }
        let (from, known) = match before {
            Some((known, from, sums)) if known == instance => (from, sums),
            _ => (row.get(1)?, [0; ACTIVITIES + 1]),
        };
        if at > from {
            // A correction of Dask's can make a sum smaller.
            let gain = |place: usize| (sums[place] - known[place]).max(0) as f64;
            out.push(Interval {
                instance,
                from,
                to: at,
                thread_micros: gain(0),
                micros: std::array::from_fn(|activity| gain(activity + 1)),
            });
            before = Some((instance, at, sums));
        } else if before.is_none_or(|(known, ..)| known != instance) {
            before = Some((instance, at, sums));
        }
    }
    Ok(out)
}

/// Lays what is more than the threads of an interval could do to free threads before it; how much, in microseconds.
/// What finds no place, as transfers that ran beside computing, is left out: threads have no more time than they have.
fn carry_back(intervals: &mut [Interval]) -> f64 {
    let mut moved = 0.0;
    let mut carried = [0.0; ACTIVITIES];
    let mut instance = None;
    for interval in intervals.iter_mut().rev() {
        if instance != Some(interval.instance) {
            instance = Some(interval.instance);
            carried = [0.0; ACTIVITIES];
        }
        // Its own first: what is carried has only what they leave.
        let own: f64 = interval.micros.iter().sum();
        let fits = if own > interval.thread_micros {
            interval.thread_micros / own
        } else {
            1.0
        };
        let free = (interval.thread_micros - own).max(0.0);
        let waiting: f64 = carried.iter().sum();
        let takes = if waiting > free { free / waiting } else { 1.0 };
        for (micros, carried) in interval.micros.iter_mut().zip(&mut carried) {
            let taken = *carried * takes;
            let rest = *micros * (1.0 - fits);
            moved += taken;
            *micros = *micros * fits + taken;
            *carried = *carried - taken + rest;
        }
    }
    moved
}

/// In each bin, how computing divides between the prefixes with the most of it, and all others. Where something computed and no
/// group is told to have been at work, as at the edges of what a long task did, it divides as in the nearest bin with one.
fn by_prefix(
    db: &Connection,
    request: &ThreadUseRequest,
    bins: &Bins,
) -> Result<Vec<(Option<String>, Vec<f64>)>> {
    let wanted = match request.prefixes {
        0 => PREFIXES,
        prefixes => prefixes.min(MOST_PREFIXES),
    } as usize;
    // Who has the most is known before anything is spread: bins are kept for those that are told, and for all together.
    let mut sums: HashMap<String, f64> = HashMap::new();
    each_group(db, request.id, bins, |prefix, start, stop, seconds| {
        let more = seconds * bins.share(start, stop);
        match sums.get_mut(prefix) {
            Some(sum) => *sum += more,
            None => {
                sums.insert(prefix.into(), more);
            }
        }
    })?;
    let mut ranked: Vec<(String, f64)> = sums.into_iter().filter(|(_, sum)| *sum > 0.0).collect();
    ranked.sort_by(|(a, one), (b, two)| two.total_cmp(one).then_with(|| a.cmp(b)));
    ranked.truncate(wanted);
    let places: HashMap<&str, usize> = ranked
        .iter()
        .enumerate()
        .map(|(place, (prefix, _))| (prefix.as_str(), place))
        .collect();
    let mut told = vec![vec![0.0; bins.count]; ranked.len()];
    let mut all = vec![0.0; bins.count];
    each_group(db, request.id, bins, |prefix, start, stop, seconds| {
        let place = places.get(prefix);
        bins.spread(start, stop, |at, share| {
            all[at] += seconds * share;
            if let Some(place) = place {
                told[*place][at] += seconds * share;
            }
        });
    })?;
    let like = nearest_told(&all);
    let mut left = vec![1.0; bins.count];
    let mut out = Vec::with_capacity(wanted + 1);
    for ((prefix, _), weights) in ranked.into_iter().zip(told) {
        let shares: Vec<f64> = like
            .iter()
            .map(|like| like.map_or(0.0, |at| weights[at] / all[at]))
            .collect();
        for (left, share) in left.iter_mut().zip(&shares) {
            *left = (*left - share).max(0.0);
        }
        out.push((Some(prefix), shares));
    }
    out.push((None, left));
    Ok(out)
}

/// For each bin the nearest one, itself if it can be, in which anything was told; none where nothing is.
fn nearest_told(all: &[f64]) -> Vec<Option<usize>> {
    let last_told =
        |at: Option<usize>, place: usize| if all[place] > 0.0 { Some(place) } else { at };
    let scan = |before: &mut Option<usize>, place: usize| {
        *before = last_told(*before, place);
        Some(*before)
    };
    let before: Vec<Option<usize>> = (0..all.len()).scan(None, scan).collect();
    let mut after: Vec<Option<usize>> = (0..all.len()).rev().scan(None, scan).collect();
    after.reverse();
    (0..all.len())
        .map(|at| {
            let near = |place: &usize| place.abs_diff(at);
            before[at].into_iter().chain(after[at]).min_by_key(near)
        })
        .collect()
}

/// Hands on the prefix of each group, when it was computed, and for how many seconds.
fn each_group(
    db: &Connection,
    id: i64,
    bins: &Bins,
    mut each: impl FnMut(&str, i64, i64, f64),
) -> Result<()> {
    let mut statement = db.prepare_cached(include_str!("timeline_use_groups.sql"))?;
    let mut rows = statement.query(named_params! { ":id": id, ":limit": GROUPS })?;
    while let Some(row) = rows.next()? {
        let prefix = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        let start: i64 = row.get(1)?;
        let stop: Option<i64> = row.get(2)?;
        let stop = stop.unwrap_or(bins.to).max(start + 1);
        each(prefix, start, stop, row.get(3)?);
    }
    Ok(())
}

/// What happened in the time that is asked for.
fn window(db: &Connection, request: &ThreadUseRequest) -> Result<WindowTotals> {
    let parameters = named_params! {
        ":id": request.id,
        ":from_micros": request.from_micros,
        ":to_micros": request.to_micros,
    };
    Ok(db
        .prepare_cached(include_str!("timeline_window.sql"))?
        .query_one(parameters, |row| {
            Ok(WindowTotals {
                thread_seconds: 0.0,
                seconds: Activities::default(),
                idle_seconds: 0.0,
                stalled_seconds: 0.0,
                moved_seconds: 0.0,
                tasks_completed: row.get("tasks_completed")?,
                tasks_erred: row.get("tasks_erred")?,
                workers_peak: row.get("workers_peak")?,
                memory_peak_bytes: row.get("memory_peak_bytes")?,
                spilled_peak_bytes: row.get("spilled_peak_bytes")?,
                groups: row.get("groups")?,
                computations: row.get("computations")?,
                exceptions: row.get("exceptions")?,
                events: row.get("events")?,
                worker_events: row.get("worker_events")?,
            })
        })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(from: i64, to: i64, threads: f64, compute: f64, transfer: f64) -> Interval {
        let mut micros = [0.0; ACTIVITIES];
        micros[0] = compute;
        micros[1] = transfer;
        Interval {
            instance: 1,
            from,
            to,
            thread_micros: threads,
            micros,
        }
    }

    #[test]
    fn what_a_long_task_did_is_laid_to_when_it_was_done() {
        // Two threads; a task of 25 ends at 30, and is told then.
        let mut course = [
            interval(0, 10, 20.0, 0.0, 0.0),
            interval(10, 20, 20.0, 15.0, 0.0),
            interval(20, 30, 20.0, 25.0, 0.0),
        ];
        let moved = carry_back(&mut course);
        assert!((moved - 5.0).abs() < 1e-9, "{moved}");
        for (interval, computed) in course.iter().zip([0.0, 20.0, 20.0]) {
            assert!((interval.micros[0] - computed).abs() < 1e-9, "{course:?}");
        }
    }

    #[test]
    fn where_no_group_is_told_of_the_nearest_bin_with_one_stands_for_it() {
        let all = [0.0, 2.0, 0.0, 0.0, 1.0, 0.0];
        let like = nearest_told(&all).into_iter().map(Option::unwrap);
        assert_eq!(like.collect::<Vec<_>>(), [1, 1, 1, 4, 4, 4]);
        assert_eq!(nearest_told(&[0.0, 0.0]), [None, None]);
    }

    #[test]
    fn activities_are_carried_in_proportion_and_never_to_another_instance() {
        let mut course = [
            interval(0, 10, 100.0, 0.0, 0.0),
            interval(0, 10, 10.0, 5.0, 0.0),
            interval(10, 20, 10.0, 15.0, 5.0),
        ];
        course[0].instance = 2;
        carry_back(&mut course);
        let compute_and_transfer = course.map(|interval| (interval.micros[0], interval.micros[1]));
        assert_eq!(
            compute_and_transfer,
            [(0.0, 0.0), (5.0 + 3.75, 1.25), (7.5, 2.5)]
        );
    }
}
