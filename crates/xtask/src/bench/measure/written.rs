//! Tables of the documents that benches write.

use super::figure::{Figure, median, number, spread};
use crate::{process::Result, written};

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
    written::write(page(bench), &command(bench), |_| table.to_owned())
}

fn command(bench: &str) -> String {
    format!("bench {bench}")
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::files::root;

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
            let written = written::with_table(&text, &command(bench), str::to_owned);
            assert_eq!(written, Some(text), "{bench}");
        }
    }
}
