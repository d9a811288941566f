//! Bytes on disk: a cluster, a task, a sample and a node of profiles, of clusters as a team makes them.

use std::{fs, io::Read, path::Path, sync::Arc};

use bobbin_core::{
    api::{App, Role, call},
    clock::SystemClock,
};
use flate2::bufread::DeflateDecoder;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{figure, goal};
use crate::{
    bench::measure::{figure::Figure, size::Size, stores::Stores},
    generate::{Order, draw::fill},
    process::{Failure, Result},
};

/// What holds profiles: tables, with their indexes.
const PROFILES: &str = "tbl_name like 'profile%' or tbl_name in ('frame', 'frame_file')";
/// What tells in which clusters a function ran.
const FINDING: &str = "tbl_name = 'cluster_frame'";

/// # Errors
/// A store cannot be filled or read.
pub fn measure(folder: &Path, size: Size) -> Result<Vec<Figure>> {
    let mut figures = recent(&folder.join("recent"), size)?;
    let stores = Stores::find_or_make(size)?;
    let year = folder.join("year");
    stores.main.copy(&year)?;
    figures.extend(of_a_year(&year)?);
    fs::remove_dir_all(&year)?;
    for (metric, store) in [
        ("few_bytes_a_cluster", &stores.few),
        ("many_bytes_a_cluster", &stores.many),
    ] {
        let each = store.bytes()? as f64 / store.clusters as f64;
        figures.push(figure(metric, "B", vec![each]));
    }
    Ok(figures)
}

/// Of clusters whose profiles are as they came.
fn recent(folder: &Path, size: Size) -> Result<Vec<Figure>> {
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
    let pages = Pages::of(folder)?;
    let profiles = pages.profiles + pages.finding;
    let samples = pages.number("select coalesce(sum(samples), 0) from profile")?;
    let merged = merged_nodes(folder, clusters)?;
    Ok(vec![
        figure("bytes_a_cluster", "B", vec![pages.a_cluster()?]),
        figure("bytes_a_task", "B", vec![pages.a_task()?]),
        figure("bytes_a_profile_sample", "B", vec![profiles / samples]),
        // Those of one stack under several prefixes count once here, and are stored for each.
        figure("bytes_a_profile_node", "B", vec![profiles / merged]),
    ])
}

/// Of the large store, beside the goals for it.
fn of_a_year(folder: &Path) -> Result<Vec<Figure>> {
    let pages = Pages::of(folder)?;
    let nodes = pages.nodes()?;
    let beside = |metric: &str, value, most| Figure {
        peer: goal(most),
        ..figure(metric, "B", vec![value])
    };
    Ok(vec![
        beside("year_bytes_a_cluster", pages.a_cluster()?, 20_000.0),
        beside("year_bytes_a_task", pages.a_task()?, 0.3),
        beside("year_bytes_a_node", pages.profiles / nodes, 3.0),
        figure(
            "year_bytes_a_node_to_find",
            "B",
            vec![pages.finding / nodes],
        ),
    ])
}

/// What a store takes altogether, in bytes.
///
/// # Errors
/// It cannot be read.
pub fn bytes(folder: &Path) -> Result<f64> {
    let db = open(&folder.join("bobbin.sqlite")).map_err(failed)?;
    all(&db)
}

fn all(db: &Connection) -> Result<f64> {
    number(
        db,
        "select page_count * page_size from pragma_page_count, pragma_page_size",
    )
}

/// What a store takes, in bytes.
struct Pages {
    db: Connection,
    all: f64,
    profiles: f64,
    finding: f64,
}

impl Pages {
    fn of(folder: &Path) -> Result<Self> {
        let db = open(&folder.join("bobbin.sqlite")).map_err(failed)?;
        let of = |tables| {
            format!(
                "select coalesce(sum(pgsize), 0) from dbstat
                 where name in (select name from sqlite_schema where {tables})"
            )
        };
        Ok(Self {
            all: all(&db)?,
            profiles: number(&db, &of(PROFILES))?,
            finding: number(&db, &of(FINDING))?,
            db,
        })
    }

    fn number(&self, sql: &str) -> Result<f64> {
        number(&self.db, sql)
    }

    fn a_cluster(&self) -> Result<f64> {
        Ok(self.all / self.number("select count(*) from cluster")?)
    }

    /// Of what is not profiles.
    fn a_task(&self) -> Result<f64> {
        let tasks = self.number("select coalesce(sum(tasks_completed), 0) from cluster_total")?;
        Ok((self.all - self.profiles - self.finding) / tasks)
    }

    /// Nodes of all profiles as they are stored: for each prefix and stretch of time.
    fn nodes(&self) -> Result<f64> {
        let mut statement = self
            .db
            .prepare("select packed from profile_stack")
            .map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        let mut nodes = 0.0;
        while let Some(row) = rows.next().map_err(failed)? {
            let packed: Vec<u8> = row.get(0).map_err(failed)?;
            let stacks =
                stacks(&packed).ok_or_else(|| Failure::new("a profile cannot be unpacked"))?;
            nodes += stacks as f64;
        }
        Ok(nodes)
    }
}

fn number(db: &Connection, sql: &str) -> Result<f64> {
    db.query_one(sql, [], |row| row.get::<_, i64>(0))
        .map(|number| number as f64)
        .map_err(failed)
}

/// How many stacks are packed there, as `store/stacks.rs` has it: behind a version and the frames.
fn stacks(packed: &[u8]) -> Option<u64> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(packed).read_to_end(&mut bytes).ok()?;
    let mut bytes = bytes.into_iter();
    let mut number = || {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = bytes.next()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    };
    number()?;
    let frames = number()?;
    for _ in 0..frames {
        number()?;
    }
    number()
}

/// Nodes of the merged profile of each cluster.
fn merged_nodes(folder: &Path, clusters: u64) -> Result<f64> {
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

fn failed(error: impl ToString) -> Failure {
    Failure::new(error.to_string())
}

#[expect(
    clippy::disallowed_methods,
    reason = "sizes of pages are no question of Bobbin's"
)]
fn open(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open(path)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::DeflateEncoder};

    use super::*;

    #[test]
    fn the_nodes_of_a_stored_profile_are_behind_its_frames() {
        let packed = |bytes: &[u8]| {
            let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(bytes).unwrap();
            packed.finish().unwrap()
        };
        // Version 3, two frames, the second of two bytes, and 300 stacks.
        assert_eq!(stacks(&packed(&[3, 2, 1, 0x80, 1, 0xac, 2, 0])), Some(300));
        assert_eq!(stacks(&packed(&[3, 2, 1])), None);
        assert_eq!(stacks(b"no profile"), None);
    }
}
