//! Whether a run took longer than it usually does.
//!
//! The runs before it that are alike give a median and a noise band of
//!
//! ```text
//! max(3 × 1.4826 × c(n) × MAD, 2 % of the median)      MAD = median of |run − median|
//! ```
//!
//! around it. 1.4826 × MAD estimates the standard deviation of normal noise and does not follow outliers (Hampel 1974);
//! three of them is the usual rule for what noise does not do. With few runs the MAD is too small on average, which c(n)
//! mends (Croux and Rousseeuw 1992, "Time-efficient algorithms for two highly robust estimators of scale"). Runs that
//! happen to agree would make any difference a change: below 2 % nobody acts, so nothing is said.

use super::compare_words::{around, exact, ratio};
use crate::query::types::{BaselineVerdict, FingerprintBasis, History, PastRun};

/// Runs that are needed before anything is said.
pub(crate) const NEEDED: usize = 5;
/// Runs that are looked back at.
pub(crate) const LAST: usize = 20;
/// Above this many times as many tasks, bytes or workers, two runs are unlike.
pub(crate) const FACTOR: f64 = 1.5;
/// Results below this are of one size: a number is 28 bytes, and a larger one 32.
const LITTLE_BYTES: u64 = 1 << 20;
/// The narrowest band, as a share of the median.
const FLOOR: f64 = 0.02;

/// How large a run was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Size {
    pub(crate) tasks: u64,
    pub(crate) result_bytes: u64,
    pub(crate) workers: u64,
}

/// Counts of a hostile cluster may be more than fit.
pub(crate) fn saturating_sum(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

/// The run that is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Null while it runs.
    pub(crate) micros: Option<i64>,
    pub(crate) size: Size,
    pub(crate) erred: u64,
}

/// The middle of `values`, and half the width of the noise band around it; `None` without values.
pub(crate) fn band(values: &[i64]) -> Option<(i64, i64)> {
    let middle = median(values)?;
    let away: Vec<i64> = values.iter().map(|value| (value - middle).abs()).collect();
    let spread = median(&away).unwrap_or(0) as f64;
    let noise = 3.0 * 1.4826 * small_sample(values.len()) * spread;
    Some((middle, noise.max(FLOOR * middle as f64).round() as i64))
}

/// The middle value, or the mean of the two in the middle.
pub(crate) fn median(values: &[i64]) -> Option<i64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[half]),
        _ => Some(i64::midpoint(sorted[half - 1], sorted[half])),
    }
}

/// By how much the MAD of `n` normal values is too small on average.
fn small_sample(n: usize) -> f64 {
    const FEW: [f64; 10] = [
        1.0, 1.0, 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107,
    ];
    FEW.get(n)
        .copied()
        .unwrap_or_else(|| n as f64 / (n as f64 - 0.8))
}

/// What of a run has a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measured {
    Tasks,
    ResultBytes,
    Workers,
}

/// In what `run` is of another size than `usual`, and that in words: `3 times the tasks`.
pub(crate) fn unlike(run: Size, usual: Size) -> Vec<(Measured, String)> {
    let measures = [
        (Measured::Tasks, "tasks", run.tasks, usual.tasks, 0),
        (
            Measured::ResultBytes,
            "bytes of results",
            run.result_bytes,
            usual.result_bytes,
            LITTLE_BYTES,
        ),
        (Measured::Workers, "workers", run.workers, usual.workers, 0),
    ];
    measures
        .into_iter()
        .filter(|(_, _, run, usual, little)| apart(*run, *usual, *little))
        .map(|(sized, what, run, usual, _)| (sized, ratio(run, usual, what)))
        .collect()
}

/// Beyond the factor in either direction, and more than a little.
fn apart(one: u64, two: u64, little: u64) -> bool {
    let (less, more) = (one.min(two), one.max(two));
    more > little && more as f64 > FACTOR * less as f64
}

/// A run against `runs`, those of the same before it, oldest first.
pub(crate) fn history(
    run: Run,
    basis: FingerprintBasis,
    mut runs: Vec<PastRun>,
    truncated: bool,
) -> History {
    for past in &mut runs {
        past.alike = unlike(run.size, size(past)).is_empty();
    }
    let alike: Vec<i64> = runs
        .iter()
        .filter(|past| past.alike)
        .map(|past| past.micros)
        .collect();
    let band = band(&alike).filter(|_| alike.len() >= NEEDED);
    let mut reasons = Vec::new();
    if run.erred > 0 {
        reasons.push(match run.erred {
            1 => "1 task failed".into(),
            erred => format!("{erred} tasks failed"),
        });
    }
    if alike.len() < NEEDED && runs.len() >= NEEDED {
        let unlike = unlike(run.size, usual(&runs));
        reasons.extend(unlike.into_iter().map(|(_, words)| words));
        if reasons.is_empty() {
            reasons.push("the earlier runs differ too much in size from each other".into());
        }
    }
    let verdict = match (run.micros, band) {
        (None, _) => BaselineVerdict::Running,
        _ if runs.len() < NEEDED => BaselineVerdict::TooFew,
        _ if !reasons.is_empty() => BaselineVerdict::Unlike,
        (Some(micros), Some((median, half))) if micros > median + half => BaselineVerdict::Slower,
        (Some(micros), Some((median, half))) if micros < median - half => BaselineVerdict::Faster,
        _ => BaselineVerdict::Same,
    };
    let words = words(
        verdict,
        run.micros,
        band,
        (runs.len(), alike.len()),
        &reasons,
        truncated,
    );
    History {
        basis,
        verdict,
        words,
        micros: run.micros,
        median_micros: band.map(|(median, _)| median),
        band_micros: band.map(|(_, half)| half),
        needed: NEEDED as u64,
        unlike: reasons,
        runs,
        truncated,
    }
}

fn words(
    verdict: BaselineVerdict,
    micros: Option<i64>,
    band: Option<(i64, i64)>,
    (runs, alike): (usize, usize),
    reasons: &[String],
    truncated: bool,
) -> String {
    let last = |n: usize| format!("its last {n} runs");
    let usual = band.map(|(median, half)| around(median, half));
    let usual = usual.unwrap_or_default();
    match verdict {
        BaselineVerdict::TooFew if truncated => {
            format!("{runs} of {NEEDED} runs needed to compare; older runs were not searched")
        }
        BaselineVerdict::TooFew if runs == 0 => {
            format!("the first known run; {NEEDED} are needed to compare")
        }
        BaselineVerdict::TooFew => format!("{runs} of {NEEDED} runs needed to compare"),
        BaselineVerdict::Unlike => format!("unlike {}: {}", last(runs), reasons.join(", ")),
        BaselineVerdict::Running if usual.is_empty() => "still running".into(),
        BaselineVerdict::Running => format!("still running; {} took {usual}", last(alike)),
        BaselineVerdict::Same | BaselineVerdict::Faster | BaselineVerdict::Slower => {
            let (now, median) = (micros.unwrap_or(0), band.map_or(0, |(median, _)| median));
            format!(
                "worked {}, {} {} ({usual})",
                exact(now),
                change(verdict, now, median),
                last(alike)
            )
        }
    }
}

/// `12 % longer than`, `3.4 times as long as`.
fn change(verdict: BaselineVerdict, now: i64, median: i64) -> String {
    let word = match verdict {
        BaselineVerdict::Slower => "longer than",
        BaselineVerdict::Faster => "less than",
        _ => return "as long as".into(),
    };
    let (now, median) = (now.max(1) as f64, median.max(1) as f64);
    let share = (now / median - 1.0).abs() * 100.0;
    if now >= 2.0 * median {
        format!("{:.1} times as long as", now / median)
    } else if share < 10.0 {
        format!("{share:.1} % {word}")
    } else {
        format!("{share:.0} % {word}")
    }
}

fn size(run: &PastRun) -> Size {
    Size {
        tasks: run.tasks,
        result_bytes: run.result_bytes,
        workers: run.workers,
    }
}

/// The middle of each measure over the runs.
fn usual(runs: &[PastRun]) -> Size {
    let of = |measure: fn(&PastRun) -> u64| {
        let values: Vec<i64> = runs
            .iter()
            .map(|run| i64::try_from(measure(run)).unwrap_or(i64::MAX))
            .collect();
        median(&values).unwrap_or(0) as u64
    };
    Size {
        tasks: of(|run| run.tasks),
        result_bytes: of(|run| run.result_bytes),
        workers: of(|run| run.workers),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::model::Micros;

    const SIZE: Size = Size {
        tasks: 100,
        result_bytes: 1_000,
        workers: 4,
    };

    fn past(micros: i64) -> PastRun {
        PastRun {
            cluster_id: 1,
            cluster_name: "nightly".into(),
            computation_id: None,
            start_micros: Micros(0),
            micros,
            tasks: SIZE.tasks,
            result_bytes: SIZE.result_bytes,
            workers: SIZE.workers,
            alike: false,
        }
    }

    fn against(micros: i64, runs: &[i64]) -> History {
        let run = Run {
            micros: Some(micros),
            size: SIZE,
            erred: 0,
        };
        history(
            run,
            FingerprintBasis::Shape,
            runs.iter().map(|&micros| past(micros)).collect(),
            false,
        )
    }

    #[test]
    fn a_run_is_told_against_the_median_of_its_last() {
        let runs = [
            4_000_000, 4_100_000, 4_200_000, 4_050_000, 4_150_000, 4_100_000, 4_080_000, 4_120_000,
        ];
        let slower = against(4_900_000, &runs);
        assert_eq!(slower.verdict, BaselineVerdict::Slower);
        assert_eq!(
            slower.words,
            "worked 4.90 s, 20 % longer than its last 8 runs (4.1 s ± 0.2 s)"
        );
        assert_eq!(
            against(4_150_000, &runs).words,
            "worked 4.15 s, as long as its last 8 runs (4.1 s ± 0.2 s)"
        );
        assert_eq!(
            against(3_000_000, &runs).words,
            "worked 3.00 s, 27 % less than its last 8 runs (4.1 s ± 0.2 s)"
        );
        assert_eq!(
            against(41_000_000, &runs).words,
            "worked 41.0 s, 10.0 times as long as its last 8 runs (4.1 s ± 0.2 s)"
        );
    }

    #[test]
    fn it_speaks_after_five_runs() {
        for (n, words) in [
            (0, "the first known run; 5 are needed to compare"),
            (3, "3 of 5 runs needed to compare"),
        ] {
            let few = against(9_000_000, &vec![1_000_000; n]);
            assert_eq!(
                (few.verdict, few.words.as_str(), few.median_micros),
                (BaselineVerdict::TooFew, words, None)
            );
        }
        let run = Run {
            micros: Some(1),
            size: SIZE,
            erred: 0,
        };
        assert_eq!(
            history(run, FingerprintBasis::Shape, Vec::new(), true).words,
            "0 of 5 runs needed to compare; older runs were not searched"
        );
        assert_eq!(
            against(9_000_000, &[1_000_000; 5]).verdict,
            BaselineVerdict::Slower
        );
    }

    #[test]
    fn a_run_of_another_size_is_unlike_and_not_slower() {
        let mut run = Run {
            micros: Some(3_000_000),
            size: Size { tasks: 300, ..SIZE },
            erred: 0,
        };
        let runs = vec![past(1_000_000); 6];
        let told = history(run, FingerprintBasis::Shape, runs.clone(), false);
        assert_eq!(told.verdict, BaselineVerdict::Unlike);
        assert_eq!(told.words, "unlike its last 6 runs: 3 times the tasks");
        // Once enough of the runs are as large, it is told against those.
        let mut grown = runs.clone();
        grown.extend(vec![
            PastRun {
                tasks: 310,
                ..past(3_010_000)
            };
            5
        ]);
        let told = history(run, FingerprintBasis::Shape, grown, false);
        assert_eq!(
            told.words,
            "worked 3.00 s, as long as its last 5 runs (3.01 s ± 0.06 s)"
        );
        run = Run {
            size: SIZE,
            erred: 2,
            ..run
        };
        let told = history(run, FingerprintBasis::Shape, runs.clone(), false);
        assert_eq!(told.words, "unlike its last 6 runs: 2 tasks failed");
        run.micros = None;
        let told = history(run, FingerprintBasis::Shape, runs, false);
        assert_eq!(
            told.words,
            "still running; its last 6 runs took 1.00 s ± 0.02 s"
        );
    }

    #[test]
    fn the_band_is_the_formula() {
        // The middle is 30, the distances 20 10 0 10 20, their middle 10.
        let (middle, half) = band(&[10_000, 20_000, 30_000, 40_000, 50_000]).unwrap();
        assert_eq!(
            (middle, half),
            (30_000, (3.0_f64 * 1.4826 * 1.206 * 10_000.0).round() as i64)
        );
        assert_eq!(band(&[]), None);
    }

    fn runs() -> impl Strategy<Value = Vec<i64>> {
        vec(1_000i64..10_000_000_000, 5..20)
    }

    proptest! {
        #[test]
        fn a_constant_series_is_the_same_as_ever(value in 1_000i64..1_000_000_000_000, n in 5usize..20) {
            prop_assert_eq!(against(value, &vec![value; n]).verdict, BaselineVerdict::Same);
            prop_assert_eq!(against(value * 2, &vec![value; n]).verdict, BaselineVerdict::Slower);
            prop_assert_eq!(against(value / 2, &vec![value; n]).verdict, BaselineVerdict::Faster);
        }

        #[test]
        fn one_outlier_does_not_move_the_band(value in 1_000i64..1_000_000_000, n in 5usize..20, far in 0i64..1_000_000_000_000) {
            let mut series = vec![value; n];
            let steady = band(&series);
            series[n / 2] = far;
            prop_assert_eq!(band(&series), steady);
        }

        #[test]
        fn the_order_of_runs_does_not_count(series in runs(), now in 1_000i64..10_000_000_000, by in 0usize..20) {
            let mut turned = series.clone();
            turned.rotate_left(by % series.len());
            turned.reverse();
            let (one, two) = (against(now, &series), against(now, &turned));
            prop_assert_eq!((one.verdict, one.median_micros, one.band_micros), (two.verdict, two.median_micros, two.band_micros));
        }

        #[test]
        fn in_another_unit_it_is_the_same(series in runs(), now in 1_000i64..10_000_000_000, by in 2i64..1_000) {
            // Even sums have a middle in whole numbers, which scaling keeps.
            let series: Vec<i64> = series.iter().map(|value| value * 4).collect();
            let scaled: Vec<i64> = series.iter().map(|value| value * by).collect();
            let (middle, half) = band(&series).unwrap();
            let (scaled_middle, scaled_half) = band(&scaled).unwrap();
            prop_assert_eq!(scaled_middle, middle * by);
            prop_assert!((scaled_half - half * by).abs() <= by);
            // At the very edge, rounding decides.
            let (one, two) = (against(now, &series), against(now * by, &scaled));
            prop_assert!(one.verdict == two.verdict || ((now - middle).abs() - half).abs() <= 1);
        }
    }
}
