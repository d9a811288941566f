//! Bytes on disk: a cluster, a task, a sample and a node of profiles, of clusters as a team makes them.

use std::{path::Path, sync::Arc};

use bobbin_core::{
    api::{App, Role, call},
    clock::SystemClock,
};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::figure;
use crate::{
    bench::measure::{figure::Figure, size::Size},
    generate::{Order, draw::fill},
    process::{Failure, Result},
};

/// Pages of profiles: their tables and indexes.
const PROFILES: &str = "select sum(pgsize) from dbstat where name in (
    'profile', 'profile_prefix', 'profile_stack', 'frame', 'sqlite_autoindex_frame_1', 'frame_file',
    'sqlite_autoindex_frame_file_1', 'cluster_frame', 'cluster_frame_of')";

/// # Errors
/// The store cannot be filled or read.
pub fn measure(folder: &Path, size: Size) -> Result<Vec<Figure>> {
    let clusters = match size {
        Size::Full => 1_000,
        Size::Quick => 200,
        Size::Smoke => 10,
    };
    let order = Order {
        clusters,
        members: 200,
        // Few, so that no rule of retention takes any of it.
        days: 3,
        seed: 1,
        until: None,
        groups: None,
        stacks: None,
    };
    fill(folder, order, &[])?;
    let failed = |error: rusqlite::Error| Failure::new(error.to_string());
    let db = open(&folder.join("bobbin.sqlite")).map_err(failed)?;
    let number = |sql: &str| -> Result<f64> {
        db.query_one(sql, [], |row| row.get::<_, i64>(0))
            .map(|number| number as f64)
            .map_err(failed)
    };
    let all = number("select page_count * page_size from pragma_page_count, pragma_page_size")?;
    let profiles = number(PROFILES)?;
    let tasks = number("select coalesce(sum(tasks_completed), 0) from cluster_total")?;
    let samples = number("select coalesce(sum(samples), 0) from profile")?;
    let nodes = nodes(folder, clusters)?;
    Ok(vec![
        figure("bytes_a_cluster", "B", vec![all / clusters as f64]),
        figure("bytes_a_task", "B", vec![(all - profiles) / tasks]),
        figure("bytes_a_profile_sample", "B", vec![profiles / samples]),
        // Those of one stack under several prefixes count once here, and are stored for each.
        figure("bytes_a_profile_node", "B", vec![profiles / nodes]),
    ])
}

/// Nodes of the merged profile of each cluster.
fn nodes(folder: &Path, clusters: u64) -> Result<f64> {
    let failed = |error: bobbin_core::Error| Failure::new(error.to_string());
    let app = App::open(folder, Role::Reader, Arc::new(SystemClock)).map_err(failed)?;
    let mut nodes = 0.0;
    for id in 1..=clusters {
        let request = json!({"selection": {"ids": [id]}}).to_string();
        let about = call(&app, "flame_about", &request).map_err(failed)?;
        let about: Value = serde_json::from_str(&about).unwrap_or_default();
        nodes += about["nodes"].as_f64().unwrap_or(f64::NAN);
    }
    Ok(nodes)
}

#[expect(
    clippy::disallowed_methods,
    reason = "sizes of pages are no question of Bobbin's"
)]
fn open(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open(path)
}
