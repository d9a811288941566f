//! Whether a run is worse than others of the same, by limits that somebody set.
//!
//! A figure is worse when it is above the limit *and* outside the noise of the other runs: `../baseline.rs` has the formula.
//! Of few runs the noise is not known, and the limit alone counts, which is said.

use super::{Side, compare, other_computations, time};
use crate::insight::baseline::{Measured, NEEDED, band, median, unlike};
use crate::insight::compare_words::{around, exact};
use crate::model::ClusterState;
use crate::query::types::{
    Check, CheckLimits, CheckMeasure, CheckMeasureKind, CheckVerdict, ComparedRun, NewException,
};

/// Tasks for which times are told when runs are of different size.
const PER_TASKS: i64 = 1_000;

/// A run against others, in any order.
pub(crate) fn check(run: &Side, others: &[Side], limits: &CheckLimits) -> Check {
    let mut told = Check {
        verdict: CheckVerdict::Passed,
        reasons: failures(run, others),
        notes: Vec::new(),
        measures: Vec::new(),
        new_exceptions: Vec::new(),
        runs: Vec::new(),
        comparison: None,
    };
    if !over(run) {
        // What failed by now failed, however it goes on.
        if !told.reasons.is_empty() {
            told.verdict = CheckVerdict::Failed;
            return told;
        }
        return refused(told, vec!["it has not ended".into()]);
    }
    let went_well: Vec<&Side> = others
        .iter()
        .filter(|other| over(other) && other.erred() == 0)
        .collect();
    if went_well.len() < others.len() {
        told.notes.push(format!(
            "{} of {} runs are left out: they failed or have not ended",
            others.len() - went_well.len(),
            others.len()
        ));
    }
    let alike: Vec<&Side> = went_well
        .iter()
        .copied()
        .filter(|other| differences(other, run, limits).is_empty())
        .collect();
    let failed = !told.reasons.is_empty();
    if alike.len() < went_well.len() && !alike.is_empty() {
        told.notes.push(format!(
            "{} of {} runs are left out: they are too different",
            went_well.len() - alike.len(),
            went_well.len()
        ));
    }
    // A run that failed did other work: it is shown beside the others all the same.
    let beside = match (alike.is_empty(), failed) {
        (false, _) => &alike,
        (true, true) => &went_well,
        (true, false) => {
            let why = went_well.first().map_or_else(
                || vec!["there is no run to compare it with".to_owned()],
                |other| {
                    let words = differences(other, run, limits).join("; ");
                    vec![format!(
                        "it is too different from the run it is compared with: {words}"
                    )]
                },
            );
            let each = CheckLimits {
                per_task: true,
                ..*limits
            };
            let helps = went_well
                .iter()
                .any(|other| differences(other, run, &each).is_empty());
            if helps {
                told.notes
                    .push("--per-task compares times per thousand tasks".into());
            }
            return refused(told, why);
        }
    };
    let working = |side: &Side| time::run_time(side).working_micros;
    let mut ordered: Vec<&Side> = beside.clone();
    ordered.sort_by_key(|side| (working(side), side.row.started_micros));
    told.runs = ordered.iter().map(|side| compared(side)).collect();
    if let Some(middle) = ordered.get(ordered.len().saturating_sub(1) / 2) {
        let mut comparison = compare(middle, run, limits.per_task);
        comparison.a.typical_of = (ordered.len() > 1).then_some(ordered.len() as u64);
        told.comparison = Some(comparison);
    }
    told.new_exceptions = new_exceptions(run, others);
    if failed {
        told.verdict = CheckVerdict::Failed;
        return told;
    }
    if (alike.len() as u64) < limits.least_runs {
        let (there, needed) = (alike.len(), limits.least_runs);
        return refused(told, vec![format!("{there} of {needed} runs needed")]);
    }
    if working(run) <= 0 {
        return refused(told, vec!["it did no work".into()]);
    }
    if alike.len() < NEEDED {
        told.notes.push(match alike.len() {
            1 => format!("1 run to compare with; Bobbin needs {NEEDED} to estimate the noise"),
            some => {
                format!("{some} runs to compare with; Bobbin needs {NEEDED} to estimate the noise")
            }
        });
    }
    told.measures = measures(run, &alike, limits);
    let mut unknown = Vec::new();
    for measure in &told.measures {
        if measure.exceeded {
            told.reasons.push(measure.words.clone());
        }
        if measure.limit.is_some() && measure.change.is_none() {
            unknown.push(measure.words.clone());
        }
    }
    if limits.no_new_exceptions {
        told.reasons.extend(told.new_exceptions.iter().map(|new| {
            let place = new.prefix.as_deref().unwrap_or("no group");
            format!("{} in {place} is new", new.exception_type)
        }));
    }
    if told.reasons.is_empty() && !unknown.is_empty() {
        return refused(told, unknown);
    }
    if !told.reasons.is_empty() {
        told.verdict = CheckVerdict::Failed;
    }
    told
}

fn refused(told: Check, reasons: Vec<String>) -> Check {
    Check {
        verdict: CheckVerdict::Refused,
        reasons,
        ..told
    }
}

fn over(side: &Side) -> bool {
    matches!(side.row.state, ClusterState::Finished | ClusterState::Lost)
}

/// In what a run did not do its work.
fn failures(run: &Side, others: &[Side]) -> Vec<String> {
    let mut words = Vec::new();
    if run.row.state == ClusterState::Lost
        && others
            .iter()
            .all(|other| other.row.state != ClusterState::Lost)
    {
        words.push(
            "it stopped reporting without shutting down: its scheduler was killed or cut off"
                .into(),
        );
    }
    match run.erred() {
        0 => {}
        1 => words.push("1 task failed".into()),
        erred => words.push(format!("{erred} tasks failed")),
    }
    words
}

fn compared(side: &Side) -> ComparedRun {
    side.compared(&time::run_time(side))
}

/// In what a run is not like another one.
fn differences(other: &Side, run: &Side, limits: &CheckLimits) -> Vec<String> {
    // Of runs of different size only the workers have to be as many.
    let sizes = unlike(run.size(), other.size())
        .into_iter()
        .filter(|(what, _)| !limits.per_task || *what == Measured::Workers)
        .map(|(_, words)| words);
    other_computations(other, run)
        .into_iter()
        .chain(sizes)
        .collect()
}

fn new_exceptions(run: &Side, others: &[Side]) -> Vec<NewException> {
    let known = |key| {
        others
            .iter()
            .any(|other| other.work.exceptions.contains_key(key))
    };
    run.work
        .exceptions
        .iter()
        .filter(|(key, _)| !known(key))
        .map(|((exception_type, prefix), count)| NewException {
            exception_type: exception_type.clone(),
            prefix: prefix.clone(),
            count: *count,
        })
        .collect()
}

fn measures(run: &Side, others: &[&Side], limits: &CheckLimits) -> Vec<CheckMeasure> {
    [
        (CheckMeasureKind::WorkingMicros, limits.slowdown),
        (CheckMeasureKind::ThreadMicros, limits.cost),
        (CheckMeasureKind::MemoryBytes, limits.memory),
    ]
    .into_iter()
    .map(|(is, limit)| {
        let value = figure(is, run, limits.per_task);
        let others: Option<Vec<i64>> = others
            .iter()
            .map(|other| figure(is, other, limits.per_task))
            .collect();
        measure(is, value, &others.unwrap_or_default(), limit)
    })
    .collect()
}

fn figure(is: CheckMeasureKind, side: &Side, per_task: bool) -> Option<i64> {
    let tasks = i64::try_from(side.size().tasks).unwrap_or(i64::MAX).max(1);
    let time = |micros: i64| match per_task {
        true => (i128::from(micros) * i128::from(PER_TASKS) / i128::from(tasks)) as i64,
        false => micros,
    };
    match is {
        CheckMeasureKind::WorkingMicros => Some(time(time::run_time(side).working_micros)),
        CheckMeasureKind::ThreadMicros => {
            let micros = (side.row.thread_seconds * 1e6) as i64;
            (micros > 0).then(|| time(micros))
        }
        CheckMeasureKind::MemoryBytes => side
            .row
            .memory_peak_bytes
            .and_then(|bytes| i64::try_from(bytes).ok()),
    }
}

fn measure(
    is: CheckMeasureKind,
    value: Option<i64>,
    others: &[i64],
    limit: Option<f64>,
) -> CheckMeasure {
    let middle = median(others).filter(|middle| *middle > 0);
    let noise = band(others)
        .filter(|_| others.len() >= NEEDED)
        .map(|(_, half)| half);
    let name = match is {
        CheckMeasureKind::WorkingMicros => "working time",
        CheckMeasureKind::ThreadMicros => "thread time",
        CheckMeasureKind::MemoryBytes => "peak memory",
    };
    let (Some(value), Some(middle)) = (value, middle) else {
        return CheckMeasure {
            is,
            value,
            middle,
            band: None,
            change: None,
            limit,
            exceeded: false,
            words: format!("{name} is not known for all runs"),
        };
    };
    let change = value as f64 / middle as f64 - 1.0;
    let beyond = limit.is_some_and(|limit| change > limit);
    let outside = noise.is_none_or(|half| value > middle.saturating_add(half));
    let how = match change {
        up if up >= 0.0005 => format!("{:.1} % more than", up * 100.0),
        down if down <= -0.0005 => format!("{:.1} % less than", -down * 100.0),
        _ => "the same as".into(),
    };
    let others_said = match others.len() {
        1 => "the run before".to_owned(),
        n => format!("the median of {n} runs"),
    };
    let usual = match (is, noise) {
        (CheckMeasureKind::MemoryBytes, Some(half)) => {
            format!("{} ± {}", mebibytes(middle), mebibytes(half))
        }
        (CheckMeasureKind::MemoryBytes, None) => mebibytes(middle),
        (_, Some(half)) => around(middle, half),
        (_, None) => exact(middle),
    };
    let shown = match is {
        CheckMeasureKind::MemoryBytes => mebibytes(value),
        _ => exact(value),
    };
    let allowed = match (limit, beyond && !outside) {
        (Some(limit), false) => format!("; {} % more is allowed", percent(limit)),
        (Some(limit), true) => format!(
            "; {} % more is allowed, and this is within the noise",
            percent(limit)
        ),
        (None, _) => String::new(),
    };
    CheckMeasure {
        is,
        value: Some(value),
        middle: Some(middle),
        band: noise,
        change: Some(change),
        limit,
        exceeded: beyond && outside,
        words: format!("{name} {shown}, {how} {others_said} ({usual}){allowed}"),
    }
}

fn mebibytes(bytes: i64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// Without digits that nobody typed.
fn percent(share: f64) -> String {
    let percent = (share * 1e4).round() / 1e2;
    format!("{percent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn working(value: i64, others: &[i64], limit: f64) -> CheckMeasure {
        measure(
            CheckMeasureKind::WorkingMicros,
            Some(value),
            others,
            Some(limit),
        )
    }

    #[test]
    fn beyond_the_limit_is_worse_where_the_noise_is_not_known() {
        let one = working(12_000_000, &[10_000_000], 0.15);
        assert!(one.exceeded);
        assert_eq!(
            one.words,
            "working time 12.0 s, 20.0 % more than the run before (10.0 s); 15 % more is allowed"
        );
        assert!(!working(11_400_000, &[10_000_000], 0.15).exceeded);
        assert!(!working(11_500_000, &[10_000_000], 0.15).exceeded);
        assert!(!working(5_000_000, &[10_000_000], 0.0).exceeded);
        assert!(working(10_100_000, &[10_000_000], 0.005).exceeded);
    }

    #[test]
    fn what_lies_within_the_noise_of_five_runs_is_not_worse() {
        let noisy = [8_000_000, 9_000_000, 10_000_000, 11_000_000, 12_000_000];
        let inside = working(12_500_000, &noisy, 0.15);
        assert!(!inside.exceeded);
        assert!(
            inside.words.ends_with("within the noise"),
            "{}",
            inside.words
        );
        assert!(working(18_000_000, &noisy, 0.15).exceeded);
        // Without noise the limit is all.
        assert!(working(12_500_000, &[10_000_000; 5], 0.15).exceeded);
        assert!(!working(11_000_000, &[10_000_000; 5], 0.15).exceeded);
    }

    #[test]
    fn what_is_not_known_is_said_and_not_taken_for_zero() {
        let unknown = measure(CheckMeasureKind::MemoryBytes, None, &[1 << 20], Some(0.1));
        assert_eq!(
            (unknown.exceeded, unknown.change, unknown.words.as_str()),
            (false, None, "peak memory is not known for all runs")
        );
        let known = measure(
            CheckMeasureKind::MemoryBytes,
            Some(3 << 20),
            &[1 << 20, 2 << 20],
            Some(0.5),
        );
        assert!(known.exceeded);
        assert_eq!(
            known.words,
            "peak memory 3.0 MiB, 100.0 % more than the median of 2 runs (1.5 MiB); 50 % more is allowed"
        );
    }
}
