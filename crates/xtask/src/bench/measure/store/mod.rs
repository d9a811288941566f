//! What the store does with batches and with whole clusters, how large it is, and how long its answers take as it grows.

mod ask;
mod disk;
mod ingest;
pub mod replay;
mod runs;

use std::path::Path;

use super::{figure::Figure, folder::Folder, promise::Promise, size::Size, written};
use crate::process::Result;

const ROWS_ALONE: &str = "… the same rows by SQLite alone, with nothing to parse";
const BESIDE_ROWS: &str = "… Bobbin beside these rows";

const AT_ONCE: &str = "… eight at once";
const CPU_EACH: &str = "… CPU time each, ms";
const BYTES_EACH: &str = "… bytes on disk each";
const NEWEST: &str = "… newest 100 of them listed, ms";
const OF_USER: &str = "… a tenth of them, one user's, listed, ms";

/// The rows of the written table, in order.
const ROWS: [(&str, &str); 50] = [
    ("batches_per_s", "typical reports per second"),
    ("rows_per_s", ROWS_ALONE),
    ("beside_rows_per_s", BESIDE_ROWS),
    ("tcp_batches_per_s", "… over TCP"),
    ("alone_batches_per_s", "… of one cluster, one per commit"),
    (
        "busy_batches_per_s",
        "… of 200 clusters as fast as they can",
    ),
    ("acknowledged_p99", "… acknowledged, p99, ms"),
    ("memory_peak", "… memory, MB"),
    (
        "slow_batches_per_s",
        "typical reports per second, each sync 2 ms slower",
    ),
    ("slow_rows_per_s", ROWS_ALONE),
    ("slow_beside_rows_per_s", BESIDE_ROWS),
    (
        "slow_alone_batches_per_s",
        "… of one cluster, one per commit",
    ),
    (
        "slow_busy_batches_per_s",
        "… of 200 clusters as fast as they can",
    ),
    (
        "year_batches_per_s",
        "typical reports per second, into a store of 10,000 clusters",
    ),
    ("many_batches_per_s", "… of 100,000 clusters"),
    (
        "recorded_batches_per_s",
        "reports of recorded runs per second, with code, failures and profiles",
    ),
    (
        "large_batches_per_s",
        "reports of 250 task groups, per second",
    ),
    ("large_rows_per_s", ROWS_ALONE),
    ("large_beside_rows_per_s", BESIDE_ROWS),
    ("cpu_a_batch", "CPU time per typical report, µs"),
    (
        "mlflow_runs_per_s",
        "whole small clusters per second, 200 one after the other",
    ),
    ("mlflow_at_once_runs_per_s", AT_ONCE),
    ("mlflow_cpu_a_run", CPU_EACH),
    ("mlflow_bytes_a_run", BYTES_EACH),
    ("mlflow_newest_listed", NEWEST),
    ("mlflow_user_listed", OF_USER),
    (
        "aim_runs_per_s",
        "whole small clusters per second, 200 one after the other",
    ),
    ("aim_at_once_runs_per_s", AT_ONCE),
    ("aim_cpu_a_run", CPU_EACH),
    ("aim_bytes_a_run", BYTES_EACH),
    ("aim_newest_listed", NEWEST),
    ("aim_user_listed", OF_USER),
    (
        "trackio_runs_per_s",
        "whole small clusters per second, 1,000 one after the other",
    ),
    ("trackio_first_runs_per_s", "… the first 100"),
    ("trackio_last_runs_per_s", "… the last 100"),
    ("trackio_at_once_runs_per_s", AT_ONCE),
    ("trackio_cpu_a_run", CPU_EACH),
    ("trackio_bytes_a_run", BYTES_EACH),
    ("trackio_newest_listed", NEWEST),
    ("trackio_user_listed", OF_USER),
    (
        "bytes_a_cluster",
        "bytes on disk per cluster, three days, 1,000 clusters",
    ),
    ("bytes_a_task", "… per task"),
    ("bytes_a_profile_sample", "… per sample of a profile"),
    ("bytes_a_profile_node", "… per node of a merged profile"),
    (
        "year_bytes_a_cluster",
        "bytes on disk per cluster, a year, 10,000 clusters",
    ),
    ("year_bytes_a_task", "… per task"),
    ("year_bytes_a_node", "… per node of a profile"),
    (
        "year_bytes_a_node_to_find",
        "… index of functions, per node",
    ),
    (
        "few_bytes_a_cluster",
        "bytes on disk per cluster of four task groups, 1,000 clusters",
    ),
    ("many_bytes_a_cluster", "… 100,000 clusters"),
];

/// Of what the peer comes to, two thirds of what was measured; of SQLite with the same rows, a third; of MLflow's runs,
/// five times as many from one sender, and twenty times from eight.
pub const PROMISES: [Promise; 26] = [
    Promise::of_peer("batches_per_s", 0.1),
    Promise::of_peer("beside_rows_per_s", 1.0 / 3.0),
    Promise::of_peer("tcp_batches_per_s", 0.1),
    Promise::of_peer("alone_batches_per_s", 0.22),
    Promise::of_peer("busy_batches_per_s", 0.045),
    Promise::of_peer("slow_batches_per_s", 0.4),
    Promise::of_peer("slow_alone_batches_per_s", 0.58),
    Promise::of_peer("slow_busy_batches_per_s", 0.16),
    Promise::of_peer("recorded_batches_per_s", 0.04),
    Promise::of_peer("large_batches_per_s", 0.02),
    Promise::of_peer("mlflow_runs_per_s", 5.0),
    Promise::of_peer("mlflow_at_once_runs_per_s", 20.0),
    Promise::most("bytes_a_cluster", 250_000.0),
    Promise::most("bytes_a_task", 0.6),
    Promise::most("bytes_a_profile_sample", 0.04),
    // Of nodes with their lines of code.
    Promise::most("bytes_a_profile_node", 27.0),
    Promise::most("year_bytes_a_cluster", 200_000.0),
    Promise::most("year_bytes_a_task", 0.5),
    Promise::most("year_bytes_a_node", 13.5),
    Promise::most("year_bytes_a_node_to_find", 11.0),
    Promise::most("few_bytes_a_cluster", 45_000.0),
    Promise::most("many_bytes_a_cluster", 45_000.0),
    Promise::below("memory_peak", 100.0),
    // No answer takes longer by more than there is more of: a hundred times the clusters, and then ten times and half as much
    // again, since it no longer fits into the processor's own memory.
    Promise::most_of_each(ask::FIRST_STEP, 100.0),
    Promise::most_of_each(ask::SECOND_STEP, 15.0),
    // What is about some days costs as much after a year as after a month; twice is the noise of half a millisecond.
    Promise::most_of_each(" over time", 2.0),
];

/// Measures everything; with `write_down`, writes the tables down, too.
///
/// # Errors
/// The receiver does not start or refuses, or a store cannot be filled or read.
pub fn measure(bobbin: &Path, size: Size, write_down: bool) -> Result<Vec<Figure>> {
    let folder = Folder::make("store")?;
    let mut figures = ingest::measure(bobbin, &folder.0, size)?;
    figures.extend(ingest::measure_filled(bobbin, &folder.0, size)?);
    figures.extend(runs::measure(bobbin, &folder.0.join("runs"), size)?);
    figures.extend(disk::measure(&folder.0.join("disk"), size)?);
    let (answers, answered) = ask::measure(&folder.0.join("ask"), size)?;
    figures.extend(answered);
    if write_down {
        let table = written::table(&figures, &ROWS);
        written::write("store", &format!("{table}\n{answers}"))?;
    }
    Ok(figures)
}

/// The first part of [`measure`].
///
/// # Errors
/// The receiver does not start or refuses.
pub fn ingest(bobbin: &Path, size: Size) -> Result<Vec<Figure>> {
    let folder = Folder::make("ingest")?;
    ingest::measure(bobbin, &folder.0, size)
}

fn figure(metric: impl Into<String>, unit: &str, values: Vec<f64>) -> Figure {
    Figure {
        bench: "store",
        metric: metric.into(),
        unit: unit.into(),
        values,
        peer: None,
    }
}

/// What a figure is to come to, to stand beside it.
fn goal(value: f64) -> Option<(String, Vec<f64>)> {
    Some(("goal".into(), vec![value]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measure::promise::kept;

    #[test]
    fn a_smaller_part_of_the_peer_and_steep_growth_fail() {
        let measured = |metric: &str, values, peer: Option<f64>| {
            let peer = peer.map(|peer| ("raw sqlite".to_owned(), vec![peer]));
            let figure = figure(metric, "1/s", values);
            [Figure { peer, ..figure }]
        };
        let good = measured("batches_per_s", vec![10_000.0], Some(100_000.0));
        assert!(kept(&good, &PROMISES).is_ok());
        let slow = measured("batches_per_s", vec![5_000.0], Some(100_000.0));
        assert!(kept(&slow, &PROMISES).is_err());
        let good = measured("beside_rows_per_s", vec![3_400.0], Some(10_000.0));
        assert!(kept(&good, &PROMISES).is_ok());
        let slow = measured("beside_rows_per_s", vec![3_300.0], Some(10_000.0));
        assert!(kept(&slow, &PROMISES).is_err());
        for (step, most) in [(ask::FIRST_STEP, 100.0), (ask::SECOND_STEP, 15.0)] {
            let grown = |times| measured(&format!("overview{step}"), vec![times], None);
            assert!(kept(&grown(most), &PROMISES).is_ok());
            assert!(kept(&grown(most + 1.0), &PROMISES).is_err());
        }
    }
}
