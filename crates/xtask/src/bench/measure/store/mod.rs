//! What the store does with batches, how large it is, and how long its answers take as it grows.

mod ask;
mod disk;
mod ingest;
mod replay;

use std::path::Path;

use super::{figure::Figure, folder::Folder, size::Size, written};
use crate::process::Result;

/// The rows of the written table, in order.
const ROWS: [(&str, &str); 17] = [
    ("batches_per_s", "usual reports, a second"),
    ("tcp_batches_per_s", "… over TCP"),
    ("alone_batches_per_s", "… of one cluster, each a commit"),
    (
        "busy_batches_per_s",
        "… of 200 clusters as fast as they can",
    ),
    ("acknowledged_p99", "… acknowledged, p99, ms"),
    ("memory_peak", "… memory, MB"),
    (
        "slow_batches_per_s",
        "usual reports where each sync takes 2 ms longer, a second",
    ),
    (
        "slow_alone_batches_per_s",
        "… of one cluster, each a commit",
    ),
    (
        "slow_busy_batches_per_s",
        "… of 200 clusters as fast as they can",
    ),
    (
        "recorded_batches_per_s",
        "reports of recorded runs, with code, failures and profiles, a second",
    ),
    (
        "large_batches_per_s",
        "reports of 250 task groups, a second",
    ),
    (
        "large_rows_per_s",
        "… the same rows by SQLite alone, with nothing to parse, a second",
    ),
    ("cpu_a_batch", "processor time of a usual report, µs"),
    ("bytes_a_cluster", "bytes on disk, a cluster"),
    ("bytes_a_task", "… a task"),
    ("bytes_a_profile_sample", "… a sample of a profile"),
    ("bytes_a_profile_node", "… a node of a merged profile"),
];

/// Measures everything; with `write_down`, writes the tables down, too.
///
/// # Errors
/// The receiver does not start or refuses, or a store cannot be filled or read.
pub fn measure(bobbin: &Path, size: Size, write_down: bool) -> Result<Vec<Figure>> {
    let folder = Folder::make("store")?;
    let mut figures = ingest::measure(bobbin, &folder.0, size)?;
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
