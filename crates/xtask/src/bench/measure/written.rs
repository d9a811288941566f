//! Tables of the documents that benches write.

use std::fs;

use super::figure::{Figure, median, number, spread};
use crate::{
    files::root,
    process::{Failure, Result},
};

/// The page with the table of a bench. What the plugin costs is the first thing that a reader wants to know.
fn page(bench: &str) -> &'static str {
    match bench {
        "plugin" => "README.md",
        _ => "docs/performance.md",
    }
}

/// Replaces the table that this bench wrote before.
///
/// # Errors
/// The page cannot be read or written, or has no place for the table.
pub fn write(bench: &str, table: &str) -> Result {
    let path = root().join(page(bench));
    let text = fs::read_to_string(&path)?;
    Ok(fs::write(&path, with_table(&text, bench, table)?)?)
}

/// The figures with these names, as these labels call them, each beside its peer; those that were not measured are left out.
pub fn table(figures: &[Figure], rows: &[(&str, &str)]) -> String {
    let mut table =
        String::from("| | median | min – max | compared with | ratio |\n|---|--:|--:|--:|--:|\n");
    for (metric, label) in rows {
        let Some(figure) = figures.iter().find(|figure| figure.metric == *metric) else {
            continue;
        };
        let value = median(&figure.values);
        let all = match figure.values.len() {
            1 => String::new(),
            _ => spread(&figure.values),
        };
        let peer = figure.peer.as_ref().map(|(name, values)| {
            let peer = median(values);
            (format!("{name}: {}", number(peer)), number(value / peer))
        });
        let (peer, ratio) = peer.unwrap_or_default();
        let value = number(value);
        table.push_str(&format!(
            "| {label} | {value} | {all} | {peer} | {ratio} |\n"
        ));
    }
    table
}

fn with_table(text: &str, bench: &str, table: &str) -> Result<String> {
    let begin = format!("<!-- Written by `cargo xtask bench {bench} --write`. -->\n");
    let end = "<!-- The end of it. -->\n";
    let parts = text
        .split_once(&begin)
        .and_then(|(head, rest)| Some((head, rest.split_once(end)?.1)));
    let (head, tail) = parts.ok_or_else(|| {
        Failure::new(format!(
            "{} has no place for the table of bench {bench}",
            page(bench)
        ))
    })?;
    Ok(format!("{head}{begin}{table}{end}{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_takes_the_place_of_the_old_one_of_its_bench() {
        let place = |bench: &str, table: &str| {
            format!(
                "<!-- Written by `cargo xtask bench {bench} --write`. -->\n{table}<!-- The end of it. -->\n"
            )
        };
        let text = format!(
            "before\n{}between\n{}after\n",
            place("plugin", "kept\n"),
            place("views", "stale\n")
        );
        let written = with_table(&text, "views", "fresh\n").unwrap();
        assert_eq!(written, text.replace("stale", "fresh"));
        assert!(with_table("a page without the marks", "views", "").is_err());
    }

    #[test]
    fn a_figure_stands_beside_its_peer_and_one_that_was_not_measured_is_left_out() {
        let figure = |metric: &str, values: &[f64], peer: Option<f64>| Figure {
            bench: "store",
            metric: metric.into(),
            unit: "1/s".into(),
            values: values.into(),
            peer: peer.map(|peer| ("raw".into(), vec![peer])),
        };
        let figures = [
            figure("alone", &[30.0], None),
            figure("many", &[300.0, 200.0, 250.0], Some(500.0)),
        ];
        let rows = [("many", "batches"), ("none", "…"), ("alone", "… alone")];
        let table = table(&figures, &rows);
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| batches | 250 | 200 – 300 | raw: 500 | 0.50 |",
                "| … alone | 30.00 |  |  |  |",
            ]
        );
    }

    #[test]
    fn each_table_has_a_place() {
        for bench in [
            "desk", "desktop", "hub", "overload", "plugin", "report", "store", "views",
        ] {
            let text = fs::read_to_string(root().join(page(bench))).unwrap();
            assert!(with_table(&text, bench, "").is_ok(), "{bench}");
        }
    }
}
