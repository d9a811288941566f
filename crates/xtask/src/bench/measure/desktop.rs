//! What the window takes of the machine: from its start to a picture, and at rest with clusters that report.

use std::{path::Path, process::Command};

use super::{
    figure::{Figure, median, number, spread},
    folder::Folder,
    measured::{self, Measured},
    promise::Promise,
    size::Size,
    stores::Stores,
    written,
};
use crate::{
    files::root,
    process::{Failure, Result, cargo, run},
};

/// What Bobbin's start is measured beside.
const EMPTY: &str = "empty window";
/// What is not to be exceeded with ten clusters that report, at the end and while nobody looks.
pub const PROMISES: [Promise; 5] = [
    Promise::most("quit", 2_000.0),
    Promise::most("cpu_window_away", 0.5),
    Promise::most("cpu_window_hidden", 0.5),
    Promise::most("cpu_window_closed", 0.5),
    Promise::most("memory_window_closed", 40.0),
];

/// The rows of the written table, in order.
const ROWS: [(&str, &str); 11] = [
    ("start_first_paint", "start to first paint, ms"),
    ("start_first_useful_paint", "… to the five answers, ms"),
    (
        "cold_first_paint",
        "first start, its files read from the disk, ms",
    ),
    ("cold_first_useful_paint", "… to the five answers, ms"),
    ("quit", "time to quit, ms"),
    ("cpu_window_open", "CPU at rest, window open, % of a core"),
    ("cpu_window_away", "… untouched for two minutes"),
    ("cpu_window_hidden", "… hidden"),
    ("cpu_window_closed", "… closed to the tray"),
    ("memory_window_open", "memory (PSS), window open, MB"),
    ("memory_window_closed", "… closed to the tray"),
];

/// Builds the window beside `bobbin`, alike, and measures it on a display of its own; with `write_down`, writes the table down, too.
///
/// # Errors
/// It does not build, or what is measured fails.
pub fn measure(bobbin: &Path, size: Size, write_down: bool) -> Result<Vec<Figure>> {
    let folder = bobbin
        .parent()
        .ok_or_else(|| Failure::new("--bobbin names no file"))?;
    let mut build = cargo();
    build.args(["build", "--quiet", "--package", "bobbin-desktop"]);
    build.args(["--bins", "--example", "empty-window"]);
    if folder.ends_with("release") {
        build.arg("--release");
    }
    run(&mut build)?;
    let folder_of_store = Folder::make("desktop")?;
    let store = folder_of_store.0.join("data");
    Stores::main(size)?.copy(&store)?;
    let mut script = Command::new("node");
    script
        .env("BOBBIN_STORE", &store)
        .arg(root().join("tests/desktop/bench.mjs"))
        .args(size.option())
        .env("BOBBIN_BINARIES", folder);
    let found = measured::run(&mut script)?;
    if write_down {
        written::write("desktop", &table(&found))?;
    }
    let mut figures = measured::side_by_side("desktop", &[EMPTY], &found);
    for figure in &mut figures {
        figure.peer = figure.peer.take().or_else(|| limit(&figure.metric));
    }
    Ok(figures)
}

fn limit(metric: &str) -> Option<(String, Vec<f64>)> {
    let limit = PROMISES.into_iter().find(|limit| limit.metric == metric)?;
    Some(("limit".into(), vec![limit.limit]))
}

fn table(found: &[Measured]) -> String {
    let mut table =
        String::from("| | median | min – max | compared with | ratio |\n|---|--:|--:|--:|--:|\n");
    for (metric, label) in ROWS {
        let of = |variant: &str| {
            let mut all = found.iter().filter(|one| one.metric == metric);
            all.find(|one| one.variant == variant)
        };
        let Some(one) = of("bobbin") else {
            continue;
        };
        let all = if one.values.len() > 1 {
            spread(&one.values)
        } else {
            String::new()
        };
        let own = median(&one.values);
        let empty = of(EMPTY).map(|other| (EMPTY.to_owned(), other.values.clone()));
        let beside = empty.or_else(|| limit(metric)).map(|(name, values)| {
            let other = median(&values);
            format!("{name}: {} | {}", number(other), number(own / other))
        });
        table.push_str(&format!(
            "| {label} | {} | {all} | {} |\n",
            number(own),
            beside.unwrap_or_else(|| " | ".into())
        ));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measure::promise::kept;

    #[test]
    fn beyond_a_limit_it_fails() {
        let closed = |value: f64| {
            [Figure {
                bench: "desktop",
                metric: "memory_window_closed".into(),
                unit: "MB".into(),
                values: vec![value],
                peer: None,
            }]
        };
        assert!(kept(&closed(39.0), &PROMISES).is_ok());
        assert!(kept(&closed(41.0), &PROMISES).is_err());
    }

    #[test]
    fn the_table_tells_starts_with_their_spread_and_what_is_measured_once_alone() {
        let measured = |metric: &str, variant: &str, values: &[f64]| Measured {
            metric: metric.into(),
            unit: "ms".into(),
            variant: variant.into(),
            values: values.into(),
        };
        let useful = "start_first_useful_paint";
        let table = table(&[
            measured("memory_window_open", "bobbin", &[400.0]),
            measured("memory_window_closed", "bobbin", &[32.0]),
            measured(useful, "bobbin", &[900.0, 1100.0, 1000.0]),
            measured(useful, EMPTY, &[800.0, 700.0, 900.0]),
        ]);
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| … to the five answers, ms | 1000 | 900 – 1100 | empty window: 800 | 1.25 |",
                "| memory (PSS), window open, MB | 400 |  |  |  |",
                "| … closed to the tray | 32.00 |  | limit: 40.00 | 0.80 |",
            ]
        );
    }
}
