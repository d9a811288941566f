//! How long each view's question takes over stores of growing size, without a page; and how much longer in the largest.

use std::{
    path::Path,
    sync::Arc,
    time::{Instant, SystemTime},
};

use bobbin_core::{
    api::{App, Role, call},
    clock::SystemClock,
};
use serde_json::{Value, json};

use super::figure;
use crate::{
    bench::measure::{
        figure::{Figure, median},
        size::Size,
        stores::Stores,
    },
    generate::{Order, draw::fill},
    process::{Failure, Result},
};

const DAY_MICROS: i64 = 86_400_000_000;

/// Over all clusters; then about the newest one.
fn questions(now: i64, id: &Value) -> Vec<(&'static str, &'static str, Value)> {
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
        ("cluster", "cluster", of.clone()),
        ("verdict", "verdict", of.clone()),
        ("timeline", "timeline", of.clone()),
        ("workers", "workers", of.clone()),
        ("task_groups", "task_groups", of.clone()),
        ("graph", "graph", of.clone()),
        ("computations", "computations", of.clone()),
        ("exceptions", "exceptions", of.clone()),
        ("events", "events", of.clone()),
        ("cluster_cost", "cluster_cost", of),
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
    ]
}

/// # Errors
/// A store cannot be filled or does not answer.
pub fn measure(folder: &Path, size: Size) -> Result<Vec<Figure>> {
    let repeats = match size {
        Size::Full => 7,
        Size::Quick => 3,
        Size::Smoke => 1,
    };
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
    for (clusters, store) in [
        (100, None),
        (stores.main.clusters, Some(&stores.main)),
        (stores.many.clusters, Some(&stores.many)),
    ] {
        let copy = match store {
            None => smallest.clone(),
            Some(store) => {
                let copy = folder.join(store.name);
                store.copy(&copy)?;
                copy
            }
        };
        for (name, times) in times(&copy, repeats)? {
            let middle = median(&times);
            figures.push(figure(format!("{name} of {clusters}"), "ms", times));
            match asked.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sizes)) => sizes.push(middle),
                None => asked.push((name, vec![middle])),
            }
        }
    }
    // The middle store has more groups and profiles in each cluster: growth is told of the two that are alike.
    figures.extend(asked.iter().map(|(name, sizes)| {
        let growth = sizes.last().unwrap_or(&f64::NAN) / sizes.first().unwrap_or(&f64::NAN);
        figure(format!("{name} growth"), "times", vec![growth])
    }));
    Ok(figures)
}

/// Milliseconds of each question, one a repeat. Each repeat opens the store anew, so that nothing merged is kept.
fn times(folder: &Path, repeats: usize) -> Result<Vec<(&'static str, Vec<f64>)>> {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let now = now.as_micros() as i64;
    let mut found: Vec<(&'static str, Vec<f64>)> = Vec::new();
    for _ in 0..repeats {
        let app = App::open(folder, Role::Reader, Arc::new(SystemClock)).map_err(failed)?;
        let newest = call(&app, "clusters", r#"{"limit": 1}"#).map_err(failed)?;
        let newest: Value = serde_json::from_str(&newest).unwrap_or_default();
        for (name, command, request) in questions(now, &newest["rows"][0]["id"]) {
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
