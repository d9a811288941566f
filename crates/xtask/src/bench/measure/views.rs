//! How long the views take, from the click to the picture, over a large store and in a real browser.

use std::{path::Path, process::Command};

use serde_json::json;

use super::{
    figure::{Figure, median, number, p95},
    folder::Folder,
    measured::{self, Measured},
    mlflow::Mlflow,
    promise::Promise,
    server::Server,
    size::Size,
    stores::Stores,
    written,
};
use crate::{files::root, process::Result, setup};

/// Those that Bobbin is laid beside.
const PEERS: [&str; 5] = ["dagre", "elkjs", "speedscope", "d3-flame-graph", "MLflow"];

/// Where what is wanted is reached, that, in milliseconds and MB; where it is not, half as much again as was measured.
pub const PROMISES: [Promise; 14] = [
    Promise::most("list_newest_many", 100.0),
    Promise::most("list_sorted_many", 100.0),
    Promise::most("list_filtered_many", 100.0),
    Promise::most("graph_large_layout", 300.0),
    Promise::most("flame_large_zoomed", 50.0),
    Promise::most("flame_large_searched", 50.0),
    Promise::most("flame_large_page_memory", 200.0),
    Promise::most("acknowledged_to_drawn_p95", 300.0),
    Promise::most("overview_28_days_main", 120.0),
    Promise::most("overview_28_days_many", 150.0),
    Promise::most("cluster", 200.0),
    Promise::most("flame_large_panned", 16.0),
    Promise::most("merge_of_all_profiles", 1_100.0),
    Promise::most("difference", 190.0),
];

/// The rows of the written table, in order.
const ROWS: [(&str, &str); 38] = [
    ("overview_28_days_few", "overview, 28 days, 1,000 clusters"),
    ("overview_28_days_main", "… 10,000 clusters"),
    ("overview_28_days_many", "… 100,000 clusters"),
    ("overview_year_few", "overview, a year, 1,000 clusters"),
    ("overview_year_main", "… 10,000 clusters"),
    ("overview_year_many", "… 100,000 clusters"),
    (
        "overview_opened",
        "overview of 10,000 clusters on a freshly opened page",
    ),
    ("list_newest_few", "list, newest, 1,000 clusters"),
    ("list_newest_main", "… 10,000 clusters"),
    ("list_newest_many", "… 100,000 clusters"),
    (
        "list_sorted_many",
        "list of 100,000 clusters by compute time",
    ),
    (
        "list_filtered_many",
        "list of 100,000 clusters, `user:ana tasks>100`",
    ),
    (
        "list_opened",
        "list of 10,000 clusters on a freshly opened page",
    ),
    (
        "list_slowest_sort_asked_main",
        "slowest of 16 orders, 10,000 clusters, answer alone",
    ),
    ("list_slowest_sort_asked_many", "… 100,000 clusters"),
    (
        "list_slowest_filter_asked_main",
        "slowest of 16 filters, 10,000 clusters, answer alone",
    ),
    ("list_slowest_filter_asked_many", "… 100,000 clusters"),
    ("search_main", "search over everything, 10,000 clusters"),
    ("search_many", "… 100,000 clusters"),
    (
        "search_slowest_asked_main",
        "slowest of 5 searches, 10,000 clusters, answer alone",
    ),
    ("search_slowest_asked_many", "… 100,000 clusters"),
    ("cluster", "page of a cluster"),
    ("graph_500_layout", "graph of 500 groups, layout alone"),
    ("graph_500", "graph of 500 groups"),
    ("graph_large_layout", "graph of 5,000 groups, layout alone"),
    ("graph_large", "graph of 5,000 groups"),
    ("flame_large", "flame graph of 1,000,000 nodes"),
    ("flame_large_zoomed", "… zoomed"),
    ("flame_large_searched", "… searched"),
    ("flame_large_panned", "… panned, slowest frame"),
    ("flame_large_opened", "… on a freshly opened page"),
    (
        "flame_large_page_memory",
        "… memory of that page's script, MB",
    ),
    ("merge_of_large_profile", "… merged anew, answer alone"),
    (
        "merge_of_all_profiles",
        "profiles of 10,000 clusters merged anew, answer alone",
    ),
    ("difference", "difference of two profiles of 100,000 nodes"),
    ("difference_chosen", "… from the flame graph of one"),
    ("difference_merged", "… both merged anew, answer alone"),
    (
        "acknowledged_to_drawn",
        "acknowledgement of a batch to its picture, page open",
    ),
];

/// Has a browser look at stores of three sizes; with `write_down`, writes the table down, too.
///
/// # Errors
/// A store cannot be filled, the peers cannot be installed, or a view is not drawn.
pub fn measure(bobbin: &Path, size: Size, write_down: bool) -> Result<Vec<Figure>> {
    setup::peers()?;
    let stores = Stores::find_or_make(size)?;
    let folder = Folder::make("views")?;
    // Too much to install only to see that this runs.
    let mlflow = match size {
        Size::Full | Size::Quick => Some(Mlflow::start(
            stores.main.clusters,
            &folder.0.join("mlflow.log"),
        )?),
        Size::Smoke => None,
    };
    let mut servers = Vec::new();
    let mut given = Vec::new();
    for store in [&stores.few, &stores.main, &stores.many] {
        let data_dir = folder.0.join(store.name);
        store.copy(&data_dir)?;
        let server = Server::start(bobbin, data_dir)?;
        given.push(json!({
            "name": store.name, "clusters": store.clusters, "listening": server.listening(),
        }));
        servers.push(server);
    }
    let mut script = Command::new("node");
    script.arg(root().join("tests/ui/bench_views.mjs")).arg(
        json!({
            "size": size.name(), "stores": given, "mlflow": mlflow.as_ref().map(|one| &one.origin),
        })
        .to_string(),
    );
    let found = measured::run(&mut script)?;
    if write_down {
        written::write("views", &table(&found))?;
    }
    let mut figures = measured::side_by_side("views", &PEERS, &found);
    figures.extend(late(&found));
    Ok(figures)
}

fn late(found: &[Measured]) -> impl Iterator<Item = Figure> {
    found
        .iter()
        .filter(|one| one.variant == "bobbin" && one.values.len() > 3)
        .map(|one| Figure {
            bench: "views",
            metric: format!("{}_p95", one.metric),
            unit: one.unit.clone(),
            values: vec![p95(&one.values)],
            peer: None,
        })
}

/// Medians and 95th percentiles, with what peers took in the same run.
fn table(found: &[Measured]) -> String {
    let mut table =
        String::from("| ms | median | p95 | compared with | ratio |\n|---|--:|--:|--:|--:|\n");
    for (metric, label) in ROWS {
        let of = |kind: &str| {
            found
                .iter()
                .find(|one| one.metric == metric && one.variant == kind)
                .map(|one| &one.values[..])
        };
        let Some(values) = of("bobbin") else {
            continue;
        };
        let peers: Vec<(&str, f64)> = PEERS
            .iter()
            .filter_map(|peer| Some((*peer, median(of(peer)?))))
            .collect();
        let joined = |each: &dyn Fn(&(&str, f64)) -> String| {
            peers.iter().map(each).collect::<Vec<_>>().join(", ")
        };
        // Of three repeats the most is all that can be said.
        let late = if values.len() > 3 {
            number(p95(values))
        } else {
            String::new()
        };
        table.push_str(&format!(
            "| {label} | {} | {late} | {} | {} |\n",
            number(median(values)),
            joined(&|(name, took)| match took.is_nan() {
                true => format!("{name} crashed"),
                false => format!("{name} {}", number(*took)),
            }),
            joined(&|(_, took)| match took.is_nan() {
                true => "–".to_owned(),
                false => format!("{:.3}", median(values) / took),
            }),
        ));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(metric: &str, variant: &str, values: &[f64]) -> Measured {
        Measured {
            metric: metric.into(),
            unit: "ms".into(),
            variant: variant.into(),
            values: values.into(),
        }
    }

    #[test]
    fn a_row_has_all_its_peers() {
        let table = table(&[
            measured("graph_500_layout", "bobbin", &[1.0, 2.0, 3.0, 4.0]),
            measured("graph_500_layout", "dagre", &[200.0]),
            measured("graph_500_layout", "elkjs", &[400.0]),
            measured("flame_large", "bobbin", &[200.0]),
            measured("flame_large", "speedscope", &[]),
            measured("merge_of_all_profiles", "bobbin", &[900.0]),
        ]);
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| graph of 500 groups, layout alone | 2.00 | 4.00 | dagre 200, elkjs 400 | 0.010, 0.005 |",
                "| flame graph of 1,000,000 nodes | 200 |  | speedscope crashed | – |",
                "| profiles of 10,000 clusters merged anew, answer alone | 900 |  |  |  |",
            ]
        );
    }
}
