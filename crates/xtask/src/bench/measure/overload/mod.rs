//! More than one scheduler has to say: 200 busy clusters for some time; 50 that wake up with eight hours to tell; as
//! much left in the spool by 50 schedulers that are gone; and more at once than there is room for. Somebody looks at
//! the overview meanwhile. All that was told is looked for in the store afterwards.

mod busy;
mod flood;
mod herd;
mod look;
mod send;
mod spooled;
mod told;

use std::{path::Path, sync::Arc, time::Duration};

use bobbin_core::{
    api::{App, Role},
    clock::SystemClock,
};

use super::{
    batches::Shape,
    figure::Figure,
    promise::{self, Promise},
    server::Server,
    size::Size,
    written,
};
use crate::{
    process::{Failure, Result},
    torture::work::Found,
};

/// Clusters that are busy.
const BUSY: usize = 200;
/// Clusters that come back.
const HERD: usize = 50;
/// A busy cluster says something each ten seconds.
const BEAT: Duration = Duration::from_secs(10);
/// A usual beat.
const USUAL: Shape = Shape {
    clusters: BUSY,
    groups: 8,
};
/// How often somebody asks who looks while what waited comes in.
const LOOK: Duration = Duration::from_millis(100);

/// The rows of the written table, in order.
const ROWS: [(&str, &str); 41] = [
    ("busy_batches", "200 busy clusters: reports"),
    ("busy_ack_p50", "… acknowledged, median, ms"),
    ("busy_ack_p99", "… acknowledged, p99, ms"),
    ("busy_ack_max", "… acknowledged, longest, ms"),
    ("busy_told_later", "… asked to retry later"),
    ("busy_lost", "… records lost"),
    ("busy_doubled", "… records doubled"),
    (
        "busy_page_p50",
        "… queries of the overview meanwhile, median, ms",
    ),
    ("busy_page_p99", "… p99, ms"),
    ("busy_memory_peak", "… memory, MB"),
    (
        "herd_drained",
        "50 clusters with eight hours of reports: all stored after, s",
    ),
    ("herd_batches_per_s", "… reports per second"),
    ("herd_told_later", "… asked to retry later"),
    ("herd_lost", "… records lost"),
    ("herd_doubled", "… records doubled"),
    (
        "herd_page_p50",
        "… queries of the overview meanwhile, median, ms",
    ),
    ("herd_page_p99", "… p99, ms"),
    ("herd_memory_peak", "… memory, MB"),
    (
        "spool_drained",
        "50 spool folders with eight hours of reports: all stored after, s",
    ),
    ("spool_batches_per_s", "… reports per second"),
    ("spool_lost", "… records lost"),
    ("spool_doubled", "… records doubled"),
    (
        "spool_page_p50",
        "… queries of the overview meanwhile, median, ms",
    ),
    ("spool_page_p99", "… p99, ms"),
    ("spool_memory_peak", "… memory, MB"),
    (
        "flood_batches",
        "200 clusters with five of the largest reports each, on a slow disk: reports",
    ),
    ("flood_drained", "… all stored after, s"),
    ("flood_told_later", "… asked to retry later"),
    ("flood_unsaid", "… without being told when"),
    ("flood_ack_p50", "… acknowledged, median, ms"),
    ("flood_ack_p99", "… acknowledged, p99, ms"),
    ("flood_ack_max", "… acknowledged, longest, ms"),
    (
        "flood_page_p50",
        "… queries of the overview meanwhile, median, ms",
    ),
    ("flood_page_p99", "… p99, ms"),
    ("flood_memory_peak", "… memory, MB"),
    (
        "flood_after_batches",
        "… at the usual rate afterwards: reports",
    ),
    ("flood_after_told_later", "… asked to retry later"),
    ("flood_after_ack_p50", "… acknowledged, median, ms"),
    ("flood_after_ack_p99", "… acknowledged, p99, ms"),
    ("flood_lost", "… records lost, of all"),
    ("flood_doubled", "… records doubled"),
];

/// What is promised of any machine.
const PROMISES: [Promise; 8] = [
    Promise::most_of_each("_lost", 0.0),
    Promise::most_of_each("_doubled", 0.0),
    // Whoever is sent away hears when to come again.
    Promise::most_of_each("_unsaid", 0.0),
    Promise::most("busy_told_later", 0.0),
    // Otherwise it was no flood.
    Promise::least("flood_told_later", 1.0),
    // Once it is over, it is over.
    Promise::most("flood_after_told_later", 0.0),
    // What the first questions and reports open stays open; one a report would be hundreds within seconds.
    Promise::most("busy_descriptors_more", 64.0),
    Promise::most("busy_threads_more", 64.0),
];
/// And of full length: seconds, milliseconds and megabytes mean nothing of a minute, or of an unoptimised build.
const AT_LENGTH: [Promise; 12] = [
    Promise::below("busy_ack_p99", 100.0),
    // Somebody who looks meanwhile does not wait for an answer.
    Promise::most("busy_page_p99", 300.0),
    Promise::below("busy_memory_peak", 100.0),
    Promise::most("herd_drained", 300.0),
    Promise::most("herd_page_p99", 300.0),
    Promise::below("herd_memory_peak", 150.0),
    Promise::most("spool_drained", 300.0),
    Promise::most("spool_page_p99", 300.0),
    Promise::below("spool_memory_peak", 150.0),
    Promise::most("flood_drained", 300.0),
    Promise::most("flood_page_p99", 1_000.0),
    Promise::below("flood_memory_peak", 150.0),
];

/// Measures all; `minutes` is how long the 200 are busy. With `write_down`, writes the table down, too.
///
/// # Errors
/// The server does not start or does not answer the page, or a report is neither acknowledged nor asked for later.
pub fn measure(
    bobbin: &Path,
    size: Size,
    minutes: Option<f64>,
    write_down: bool,
) -> Result<Vec<Figure>> {
    let minutes = minutes.unwrap_or(match size {
        Size::Full => 60.0,
        Size::Quick => 1.0,
        Size::Smoke => 0.2,
    });
    let mut figures = busy::measure(bobbin, Duration::from_secs_f64(60.0 * minutes))?;
    figures.extend(herd::measure(bobbin, slept_beats(size))?);
    figures.extend(spooled::measure(bobbin, size)?);
    figures.extend(flood::measure(bobbin, size)?);
    let figures: Vec<Figure> = figures.into_iter().map(beside_its_limit).collect();
    if write_down {
        written::write("overload", &written::table(&figures, &ROWS))?;
    }
    Ok(figures)
}

/// # Errors
/// A record was lost or doubled, or at full size another promise is broken.
pub fn promised(figures: &[Figure], size: Size) -> Result {
    promise::kept(figures, &PROMISES)?;
    promise::kept_at_full_size(figures, &AT_LENGTH, size)
}

/// What those that come back have to tell: beats of eight hours.
fn slept_beats(size: Size) -> usize {
    match size {
        Size::Full => 2_880,
        Size::Quick => 288,
        Size::Smoke => 20,
    }
}

/// Makes a data folder that was used before: it has a store, and a key to seal to.
fn used(data: &Path) -> Result {
    let app = App::open(data, Role::Owner, Arc::new(SystemClock)).map_err(failed)?;
    app.drain().map_err(failed)
}

fn failed(error: impl ToString) -> Failure {
    Failure::new(error.to_string())
}

/// What is promised of it stands beside a figure.
fn beside_its_limit(figure: Figure) -> Figure {
    let limit = AT_LENGTH
        .iter()
        .find(|promise| promise.metric == figure.metric);
    Figure {
        peer: limit.map(|promise| ("limit".into(), vec![promise.limit])),
        ..figure
    }
}

fn figure(metric: impl Into<String>, unit: &str, value: f64) -> Figure {
    Figure {
        bench: "overload",
        metric: metric.into(),
        unit: unit.into(),
        values: vec![value],
        peer: None,
    }
}

/// How long something took, of sorted milliseconds.
fn waited(what: &str, sorted: &[f64]) -> [Figure; 3] {
    let parts = [("p50", 0.5), ("p99", 0.99), ("max", 1.0)];
    parts.map(|(name, part)| figure(format!("{what}_{name}"), "ms", share(sorted, part)))
}

/// What is wrong with the store.
fn compared(load: &str, found: Found) -> [Figure; 2] {
    let counts = [("lost", found.lost), ("doubled", found.doubled)];
    counts.map(|(name, count)| figure(format!("{load}_{name}"), "records", count as f64))
}

/// The most memory that the receiver held, where that is known.
fn memory(load: &str, server: &Server) -> Option<Figure> {
    let peak = server.memory_peak_mb();
    peak.is_finite()
        .then(|| figure(format!("{load}_memory_peak"), "MB", peak))
}

/// Of sorted values, the one that this share does not exceed.
fn share(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted
        .get((last as f64 * share).round() as usize)
        .copied()
        .unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(changed: &str, value: f64) -> Vec<Figure> {
        let good = [
            ("busy_lost", 0.0),
            ("busy_doubled", 0.0),
            ("busy_unsaid", 0.0),
            ("busy_told_later", 0.0),
            ("busy_descriptors_more", 20.0),
            ("busy_threads_more", -3.0),
            ("herd_lost", 0.0),
            ("herd_doubled", 0.0),
            ("spool_lost", 0.0),
            ("spool_doubled", 0.0),
            ("flood_lost", 0.0),
            ("flood_doubled", 0.0),
            ("flood_unsaid", 0.0),
            ("flood_told_later", 700.0),
            ("flood_after_told_later", 0.0),
            ("busy_ack_p99", 20.0),
            ("busy_page_p99", 20.0),
            ("busy_memory_peak", 60.0),
            ("herd_drained", 120.0),
            ("herd_page_p99", 80.0),
            ("herd_memory_peak", 101.0),
            ("spool_drained", 120.0),
            ("spool_page_p99", 80.0),
            ("spool_memory_peak", 101.0),
            ("flood_drained", 60.0),
            ("flood_page_p99", 80.0),
            ("flood_memory_peak", 130.0),
        ];
        good.map(|(metric, good)| {
            let value = if metric == changed { value } else { good };
            figure(metric, "", value)
        })
        .into()
    }

    #[test]
    fn what_is_lost_doubled_or_leaks_fails_at_any_size() {
        for size in [Size::Smoke, Size::Quick, Size::Full] {
            assert!(promised(&measured("", 0.0), size).is_ok());
            for load in ["busy", "herd", "spool", "flood"] {
                for what in ["lost", "doubled"] {
                    for value in [1.0, f64::NAN] {
                        let metric = format!("{load}_{what}");
                        let figures = measured(&metric, value);
                        assert!(promised(&figures, size).is_err(), "{metric}");
                    }
                }
            }
            for (metric, value) in [
                ("busy_unsaid", 1.0),
                ("busy_told_later", 1.0),
                ("busy_descriptors_more", 65.0),
                ("busy_threads_more", 65.0),
                ("flood_unsaid", 1.0),
                ("flood_told_later", 0.0),
                ("flood_after_told_later", 1.0),
            ] {
                let figures = measured(metric, value);
                assert!(promised(&figures, size).is_err(), "{metric}");
            }
        }
    }

    #[test]
    fn what_is_slow_or_large_fails_at_full_size_alone() {
        for promise in AT_LENGTH {
            let figures = measured(promise.metric, promise.limit + 1.0);
            let metric = promise.metric;
            assert!(promised(&figures, Size::Full).is_err(), "{metric}");
            assert!(promised(&figures, Size::Quick).is_ok(), "{metric}");
        }
        // These are limits to stay below.
        for (metric, value) in [("busy_ack_p99", 100.0), ("busy_memory_peak", 100.0)] {
            assert!(promised(&measured(metric, value), Size::Full).is_err());
        }
    }

    #[test]
    fn what_is_promised_stands_in_the_table_beside_its_limit() {
        for promise in AT_LENGTH {
            assert!(ROWS.iter().any(|(metric, _)| *metric == promise.metric));
        }
        let table = written::table(
            &[beside_its_limit(figure("herd_memory_peak", "MB", 75.0))],
            &ROWS,
        );
        assert!(table.contains("| … memory, MB | 75.00 |  | limit: 150 | 0.50 |"));
    }

    #[test]
    fn a_share_of_nothing_is_no_number() {
        let values: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!((share(&values, 0.99), share(&values, 1.0)), (99.0, 100.0));
        assert!(share(&[], 0.5).is_nan());
    }
}
