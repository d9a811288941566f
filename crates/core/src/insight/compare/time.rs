//! How one run's wall clock was spent.

use std::collections::HashMap;

use super::Side;
use crate::insight::baseline::saturating_sum;
use crate::insight::fingerprint::canonical_prefix;
use crate::insight::waterfall::{PrefixWork, RunTime};
use crate::query::{Interval, WorkerStep};

pub(super) fn run_time(side: &Side) -> RunTime {
    let (start, end) = (side.row.started_micros.0, Side::end(&side.row).0);
    let busy = union(&side.work.busy, start, end);
    let working: i64 = busy.iter().map(|(from, to)| to - from).sum();
    let mut time = RunTime {
        wall_micros: end - start,
        startup_micros: busy.first().map_or(0, |(from, _)| from - start),
        working_micros: working,
        stalled_seconds: side.work.stalled_micros as f64 / 1e6,
        ..RunTime::default()
    };
    for group in &side.work.groups {
        let work: &mut PrefixWork = time
            .prefixes
            .entry(canonical_prefix(&group.prefix))
            .or_default();
        work.tasks += saturating_sum(group.states.values().copied()) as f64;
        work.seconds += group.seconds.compute;
        time.transfer_seconds += group.seconds.transfer;
        time.disk_seconds += group.seconds.disk_read + group.seconds.disk_write;
        time.deserialize_seconds += group.seconds.deserialize;
        time.other_seconds += group.seconds.other;
    }
    let curve =
        by_workers(&side.work.workers, end).or_else(|| by_samples(&side.work.thread_time, start));
    let micros = curve.map(|curve| {
        busy.iter()
            .map(|(from, to)| at(&curve, *to) - at(&curve, *from))
            .sum::<f64>()
    });
    time.thread_seconds = micros.map(|micros| micros / 1e6);
    time
}

/// The intervals inside the run, merged where they touch, in order.
fn union(intervals: &[Interval], start: i64, end: i64) -> Vec<Interval> {
    let mut inside: Vec<Interval> = intervals
        .iter()
        .map(|(from, to)| ((*from).max(start), (*to).min(end)))
        .filter(|(from, to)| from < to)
        .collect();
    inside.sort_unstable();
    let mut merged = Vec::<Interval>::new();
    for (from, to) in inside {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

/// Thread time since the beginning, as straight lines between points.
type Curve = Vec<(i64, f64)>;

/// From when each worker came and went, which is exact. `None` where that is not told of all of them.
fn by_workers(steps: &[WorkerStep], end: i64) -> Option<Curve> {
    let mut here = HashMap::<&str, u64>::new();
    let (mut curve, mut sum): (Curve, f64) = (Vec::new(), 0.0);
    let mut last = steps.first()?.at.0;
    // Of all that are here, kept as they come and go: wide enough for whatever numbers so many of them tell.
    let mut threads: u128 = 0;
    for step in steps {
        sum += threads as f64 * (step.at.0 - last) as f64;
        last = step.at.0;
        curve.push((last, sum));
        let before = if step.here {
            let told = step.threads?;
            threads += u128::from(told);
            here.insert(&step.worker_id, told)
        } else {
            here.remove(step.worker_id.as_str())
        };
        threads -= u128::from(before.unwrap_or(0));
    }
    if end > last {
        curve.push((end, sum + threads as f64 * (end - last) as f64));
    }
    Some(curve)
}

/// From the scheduler's own sum, as of each sample.
fn by_samples(samples: &[(i64, i64)], start: i64) -> Option<Curve> {
    let first = samples.first()?;
    let mut curve: Curve = Vec::with_capacity(samples.len() + 1);
    if first.0 > start {
        curve.push((start, 0.0));
    }
    curve.extend(samples.iter().map(|(at, sum)| (*at, *sum as f64)));
    Some(curve)
}

/// The curve at a moment; before its first and after its last point it is level.
fn at(curve: &Curve, moment: i64) -> f64 {
    let after = curve.partition_point(|(at, _)| *at <= moment);
    let (Some(before), Some(next)) = (
        after.checked_sub(1).and_then(|i| curve.get(i)),
        curve.get(after),
    ) else {
        let edge = if after == 0 {
            curve.first()
        } else {
            curve.last()
        };
        return edge.map_or(0.0, |(_, sum)| *sum);
    };
    let share = (moment - before.0) as f64 / (next.0 - before.0) as f64;
    before.1 + share * (next.1 - before.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Micros;

    fn step(at: i64, id: &str, here: bool) -> WorkerStep {
        WorkerStep {
            at: Micros(at),
            worker_id: id.into(),
            here,
            lost: false,
            threads: Some(2),
        }
    }

    #[test]
    fn stretches_of_work_are_merged_and_cut_to_the_run() {
        assert_eq!(
            union(
                &[(50, 70), (-5, 10), (60, 65), (70, 80), (95, 200), (40, 40)],
                0,
                100
            ),
            [(0, 10), (50, 80), (95, 100)]
        );
        assert_eq!(union(&[], 0, 100), []);
    }

    #[test]
    fn thread_time_is_summed_as_workers_come_and_go() {
        let steps = [
            step(10, "a", true),
            step(20, "b", true),
            step(40, "a", false),
            step(40, "c", false),
        ];
        let curve = by_workers(&steps, 100).unwrap();
        for (moment, sum) in [
            (0, 0.0),
            (10, 0.0),
            (15, 10.0),
            (20, 20.0),
            (30, 60.0),
            (40, 100.0),
            (50, 120.0),
            (100, 220.0),
            (500, 220.0),
        ] {
            assert_eq!(at(&curve, moment), sum, "{moment}");
        }
        let silent = [WorkerStep {
            threads: None,
            ..step(10, "a", true)
        }];
        // More threads than a number holds.
        let endless = ["a", "b"].map(|id| WorkerStep {
            threads: Some(u64::MAX),
            ..step(0, id, true)
        });
        let curve = by_workers(&endless, 1).unwrap();
        assert_eq!(at(&curve, 1), 2.0 * u64::MAX as f64);
        assert!(by_workers(&silent, 100).is_none());
        assert!(by_workers(&[], 100).is_none());
    }

    #[test]
    fn without_workers_the_samples_tell() {
        let curve = by_samples(&[(50, 100), (100, 400)], 0).unwrap();
        for (moment, sum) in [(0, 0.0), (25, 50.0), (75, 250.0), (200, 400.0)] {
            assert_eq!(at(&curve, moment), sum, "{moment}");
        }
        assert!(by_samples(&[], 0).is_none());
    }
}
