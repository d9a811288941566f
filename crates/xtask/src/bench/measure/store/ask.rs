//! How long each view's question takes over stores of growing size, without a page; and how much longer in the largest.

use std::{
    path::Path,
    sync::Arc,
    time::{Instant, SystemTime},
};

use bobbin_core::{
    api::{App, Role, call},
    clock::ManualClock,
    model::Micros,
};
use serde_json::{Value, json};

use super::figure;
use crate::{
    bench::measure::{
        figure::{Figure, median, number},
        size::Size,
        stores::Stores,
    },
    generate::{Order, draw::fill},
    process::{Failure, Result},
};

const DAY_MICROS: i64 = 86_400_000_000;

/// Over all clusters; then about the newest one, and about it and another.
fn questions(now: i64, id: &Value, other: &Value) -> Vec<(&'static str, &'static str, Value)> {
    let days = |count: i64| -> Vec<i64> {
        (0..=count)
            .map(|day| now - (count - day) * DAY_MICROS)
            .collect()
    };
    let of = json!({ "id": id });
    vec![
        ("status", "status", json!({})),
        ("overview", "overview", json!({})),
        (
            "overview_year",
            "overview",
            json!({"from_micros": now - 365 * DAY_MICROS}),
        ),
        ("heat_map_28_days", "heat_map", json!({"edges": days(28)})),
        ("heat_map_year", "heat_map", json!({"edges": days(365)})),
        ("clusters", "clusters", json!({})),
        (
            "clusters_filtered",
            "clusters",
            json!({"text": "user:ana tasks>100"}),
        ),
        ("search", "search", json!({"text": "shuffle"})),
        ("exception_kinds", "exception_kinds", json!({})),
        (
            "cluster_uses",
            "cluster_uses",
            json!({"from_micros": now - 28 * DAY_MICROS}),
        ),
        (
            "costs_year",
            "cost_table",
            json!({"from_micros": now - 365 * DAY_MICROS}),
        ),
        ("budgets", "budgets", json!({})),
        ("users", "users", json!({})),
        ("storage", "storage", json!({})),
        (
            "filter_completed",
            "complete_filter",
            json!({"text": "user:a", "caret": 6}),
        ),
        ("cluster", "cluster", of.clone()),
        (
            "cluster_answers",
            "cluster_answers",
            json!({"id": id, "cost": true}),
        ),
        ("verdict", "verdict", of.clone()),
        ("findings", "findings", of.clone()),
        ("baseline", "baseline", of.clone()),
        ("timeline", "timeline", of.clone()),
        ("thread_use", "thread_use", of.clone()),
        ("workers", "workers", of.clone()),
        ("worker_series", "worker_series", of.clone()),
        ("worker_heat", "worker_heat", of.clone()),
        ("task_groups", "task_groups", of.clone()),
        ("graph", "graph", of.clone()),
        ("computations", "computations", of.clone()),
        ("spans", "spans", of.clone()),
        ("metrics", "metrics", of.clone()),
        ("activity", "activity", of.clone()),
        ("exceptions", "exceptions", of.clone()),
        ("events", "events", of.clone()),
        ("topics", "topics", of.clone()),
        ("cluster_cost", "cluster_cost", of.clone()),
        ("group_costs", "group_costs", of),
        ("secrets", "secrets", json!({"ids": [id]})),
        ("compare", "compare", json!({"a": other, "b": id})),
        ("deletion_preview", "removal_preview", json!({"ids": [id]})),
        (
            "merge_of_one",
            "flame_about",
            json!({"selection": {"ids": [id]}}),
        ),
        (
            "merge_of_all",
            "flame_about",
            json!({"selection": {"clusters": {}}}),
        ),
        ("flame_graph", "flame", json!({"selection": {"ids": [id]}})),
        (
            "functions",
            "flame_table",
            json!({"selection": {"ids": [id]}}),
        ),
        (
            "difference",
            "flame_difference",
            json!({"before": {"ids": [other]}, "after": {"ids": [id]}}),
        ),
        ("line_costs", "line_costs", json!({"ids": [id]})),
    ]
}

/// What rollups serve: it takes as long whatever lies before the days that it is about.
const OF_SOME_DAYS: [&str; 5] = [
    "overview",
    "heat_map_28_days",
    "cluster_uses",
    "budgets",
    "storage",
];

/// The written tables, and the figures.
///
/// # Errors
/// A store cannot be filled or does not answer.
pub fn measure(folder: &Path, size: Size) -> Result<(String, Vec<Figure>)> {
    let repeats = match size {
        Size::Full => 7,
        Size::Quick => 3,
        Size::Smoke => 1,
    };
    let (by_clusters, mut figures) = by_clusters(folder, size, repeats)?;
    let (by_history, more) = by_history(folder, size, repeats)?;
    figures.extend(more);
    Ok((format!("{by_clusters}\n{by_history}"), figures))
}

/// The same days, and those before them, at the end of a fifth of a year and of a year, with as many clusters a day. Both are asked
/// two days later: clusters that still report have rows of their own, and are a larger part of the shorter history.
fn by_history(folder: &Path, size: Size, repeats: usize) -> Result<(String, Vec<Figure>)> {
    let mut asked: Vec<(&'static str, Vec<f64>)> = OF_SOME_DAYS
        .iter()
        .map(|name| (*name, Vec::new()))
        .collect();
    for store in Stores::short_and_long(size)? {
        let copy = folder.join(store.name);
        store.copy(&copy)?;
        let times = times(&copy, repeats, 2 * DAY_MICROS)?;
        for (name, middles) in &mut asked {
            let found = times.iter().find(|(known, _)| known == name);
            middles.extend(found.map(|(_, times)| median(times)));
        }
    }
    let figures = asked
        .iter()
        .map(|(name, times)| figure(format!("{name} over time"), "times", vec![growth(times)]))
        .collect();
    let heads = ["73 days of history", "365 days of history"].map(str::to_owned);
    Ok((table(&heads, &asked), figures))
}

fn by_clusters(folder: &Path, size: Size, repeats: usize) -> Result<(String, Vec<Figure>)> {
    let smallest = folder.join("smallest");
    let order = Order {
        clusters: 100,
        members: 200,
        days: 365,
        seed: 1,
        until: None,
        groups: Some(4),
        stacks: Some(0),
    };
    fill(&smallest, order, &[])?;
    let stores = Stores::find_or_make(size)?;
    let mut asked: Vec<(&'static str, Vec<f64>)> = Vec::new();
    let mut figures = Vec::new();
    let sizes = [
        (100, None),
        (stores.main.clusters, Some(&stores.main)),
        (stores.many.clusters, Some(&stores.many)),
    ];
    for (clusters, store) in sizes {
        let copy = match store {
            None => smallest.clone(),
            Some(store) => {
                let copy = folder.join(store.name);
                store.copy(&copy)?;
                copy
            }
        };
        for (name, times) in times(&copy, repeats, 0)? {
            let middle = median(&times);
            figures.push(figure(format!("{name} of {clusters}"), "ms", times));
            match asked.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sizes)) => sizes.push(middle),
                None => asked.push((name, vec![middle])),
            }
        }
    }
    // The middle store has more groups and profiles in each cluster: growth is told of the two that are alike.
    figures.extend(
        asked
            .iter()
            .map(|(name, times)| figure(format!("{name} growth"), "times", vec![growth(times)])),
    );
    let heads = sizes.map(|(clusters, _)| format!("{clusters} clusters"));
    Ok((table(&heads, &asked), figures))
}

/// Of the smallest store to the largest.
fn growth(times: &[f64]) -> f64 {
    times.last().unwrap_or(&f64::NAN) / times.first().unwrap_or(&f64::NAN)
}

fn table(heads: &[String], asked: &[(&str, Vec<f64>)]) -> String {
    let marks = "--:|".repeat(heads.len() + 1);
    let mut table = format!("| ms | {} | times |\n|---|{marks}\n", heads.join(" | "));
    for (name, times) in asked {
        let each: Vec<String> = times.iter().map(|&time| number(time)).collect();
        let (name, each, growth) = (
            name.replace('_', " "),
            each.join(" | "),
            number(growth(times)),
        );
        table.push_str(&format!("| {name} | {each} | {growth} |\n"));
    }
    table
}

/// Milliseconds of each question, one a repeat. Each repeat opens the store anew, so that nothing merged is kept. Its clock is
/// `ahead` by so many microseconds.
fn times(folder: &Path, repeats: usize, ahead: i64) -> Result<Vec<(&'static str, Vec<f64>)>> {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let now = now.as_micros() as i64 + ahead;
    let mut found: Vec<(&'static str, Vec<f64>)> = Vec::new();
    for _ in 0..repeats {
        let clock = Arc::new(ManualClock::at(Micros(now)));
        let app = App::open(folder, Role::Reader, clock).map_err(failed)?;
        let newest = call(&app, "clusters", r#"{"limit": 2}"#).map_err(failed)?;
        let newest: Value = serde_json::from_str(&newest).unwrap_or_default();
        let [id, other] = [0_usize, 1].map(|at| &newest["rows"][at]["id"]);
        for (name, command, request) in questions(now, id, other) {
            let request = request.to_string();
            let began = Instant::now();
            call(&app, command, &request)
                .map_err(|error| Failure::new(format!("{name}: {error}")))?;
            let took = began.elapsed().as_secs_f64() * 1e3;
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some((_, times)) => times.push(took),
                None => found.push((name, vec![took])),
            }
        }
    }
    Ok(found)
}

fn failed(error: impl ToString) -> Failure {
    Failure::new(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use bobbin_core::api::COMMANDS;
    use serde_json::Value;

    #[test]
    fn every_question_is_a_command_and_has_a_name_of_its_own() {
        let questions = super::questions(0, &Value::Null, &Value::Null);
        let names: BTreeSet<&str> = questions.iter().map(|(name, ..)| *name).collect();
        assert_eq!(names.len(), questions.len());
        for (name, command, _) in questions {
            assert!(COMMANDS.contains(&command), "{name}");
        }
        for name in super::OF_SOME_DAYS {
            assert!(names.contains(name), "{name}");
        }
    }

    #[test]
    fn the_table_has_a_row_a_question_and_says_how_much_longer_it_takes() {
        let asked = [("overview_year", vec![1.0, 3.0, 2.5])];
        assert_eq!(
            super::table(
                &[100, 10_000, 100_000].map(|clusters| format!("{clusters} clusters")),
                &asked
            ),
            "| ms | 100 clusters | 10000 clusters | 100000 clusters | times |\n|---|--:|--:|--:|--:|\n\
             | overview year | 1.00 | 3.00 | 2.50 | 2.50 |\n"
        );
    }
}
