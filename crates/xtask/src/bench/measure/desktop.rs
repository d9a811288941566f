//! What the window takes of the machine: from its start to a picture, and at rest with clusters that report.

use std::{path::Path, process::Command};

use super::{
    figure::{Figure, median, number, spread},
    measured::{self, Measured},
    readme,
    size::Size,
};
use crate::{
    files::root,
    process::{Failure, Result, cargo, run},
};

/// What the README's table tells, in its order.
const ROWS: [(&str, &str); 6] = [
    (
        "cold_start_first_paint",
        "from the start to the first paint, ms",
    ),
    (
        "cold_start_first_useful_paint",
        "… to a picture that says something, ms",
    ),
    (
        "cpu_window_open",
        "processor at rest, window open, % of a core",
    ),
    ("cpu_window_closed", "… closed to the tray"),
    ("memory_window_open", "memory (PSS), window open, MB"),
    ("memory_window_closed", "… closed to the tray"),
];

/// Builds the window beside `bobbin`, alike, and measures it on a display of its own; with `in_readme`, writes the README's table, too.
///
/// # Errors
/// It does not build, or what is measured fails.
pub fn measure(bobbin: &Path, size: Size, in_readme: bool) -> Result<Vec<Figure>> {
    let folder = bobbin
        .parent()
        .ok_or_else(|| Failure::new("--bobbin names no file"))?;
    let mut build = cargo();
    build.args(["build", "--quiet", "--package", "bobbin-desktop"]);
    if folder.ends_with("release") {
        build.arg("--release");
    }
    run(&mut build)?;
    let mut script = Command::new("node");
    script
        .arg(root().join("tests/desktop/bench.mjs"))
        .args(size.option())
        .env("BOBBIN_BINARIES", folder);
    let found = measured::run(&mut script)?;
    if in_readme {
        readme::write("desktop", &table(&found))?;
    }
    Ok(measured::side_by_side("desktop", &[], &found))
}

fn table(found: &[Measured]) -> String {
    let mut table = String::from("| | median | least – most |\n|---|--:|--:|\n");
    for (metric, label) in ROWS {
        let Some(one) = found.iter().find(|one| one.metric == metric) else {
            continue;
        };
        let all = if one.values.len() > 1 {
            spread(&one.values)
        } else {
            String::new()
        };
        table.push_str(&format!(
            "| {label} | {} | {all} |\n",
            number(median(&one.values))
        ));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_tells_starts_with_their_spread_and_what_is_measured_once_alone() {
        let measured = |metric: &str, values: &[f64]| Measured {
            metric: metric.into(),
            unit: "ms".into(),
            variant: "bobbin".into(),
            values: values.into(),
        };
        let table = table(&[
            measured("memory_window_closed", &[31.5]),
            measured("cold_start_first_useful_paint", &[900.0, 1100.0, 1000.0]),
        ]);
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| … to a picture that says something, ms | 1000 | 900 – 1100 |",
                "| … closed to the tray | 31.50 |  |",
            ]
        );
    }
}
