//! What the rows themselves cost: SQLite alone, given the same records of task groups, already read, as rows of the same
//! tables with the same indexes. No trigger, no foreign key, no sum, nothing sealed and nobody to answer: the receiver does
//! this and more, so that its share of the first peer cannot be above that of this one.

use std::{io::Read, path::Path, time::Instant};

use flate2::read::GzDecoder;
use rusqlite::{Connection, params_from_iter, types::Value as Cell};
use serde_json::Value;

use super::{
    raw::{Raw, open},
    server::cpu_micros,
};
use crate::process::{Failure, Result};

const LATER: &str = include_str!("../../../../core/src/ingest/sql/task_group_later.sql");
const ANY: &str = include_str!("../../../../core/src/ingest/sql/task_group.sql");

/// A batch: its cluster, and its rows of task groups.
struct Rows {
    cluster: i64,
    first_seq: i64,
    groups: Vec<Vec<Cell>>,
}

/// Commits the rows of each body, `group` bodies a transaction, into a store with this schema.
///
/// # Errors
/// SQLite fails, or a body cannot be read.
pub fn commit_all(
    folder: &Path,
    schema: &[String],
    bodies: &[Vec<u8>],
    group: usize,
) -> Result<Raw> {
    let mut names = Vec::new();
    let mut clusters = Vec::new();
    let batches = bodies
        .iter()
        .map(|body| read(body, &mut clusters, &mut names))
        .collect::<Result<Vec<_>>>()?;
    run(folder, schema, &batches, group)
        .map_err(|error| Failure::new(format!("raw SQLite: {error}")))
}

/// What makes the tables and indexes that are written here.
///
/// # Errors
/// The store cannot be read.
pub fn schema(store: &Path) -> Result<Vec<String>> {
    let read = || -> rusqlite::Result<Vec<String>> {
        let db = open(store)?;
        let mut found = db.prepare(
            "select sql from sqlite_master where tbl_name in ('batch', 'task_group') and type in ('table', 'index') and sql is not null order by type desc",
        )?;
        found.query_map([], |row| row.get(0))?.collect()
    };
    read().map_err(|error| Failure::new(format!("{}: {error}", store.display())))
}

fn run(folder: &Path, schema: &[String], batches: &[Rows], group: usize) -> rusqlite::Result<Raw> {
    let mut db = open(&folder.join("rows.sqlite"))?;
    db.execute_batch("pragma auto_vacuum = incremental; pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on; pragma foreign_keys = off; pragma cache_size = -16384")?;
    for sql in schema {
        db.execute_batch(sql)?;
    }
    let begun = Instant::now();
    let cpu = cpu_micros(std::process::id());
    for group in batches.chunks(group.max(1)) {
        let transaction = db.transaction()?;
        for batch in group {
            write(&transaction, batch)?;
        }
        transaction.commit()?;
    }
    Ok(Raw {
        per_second: batches.len() as f64 / begun.elapsed().as_secs_f64(),
        cpu_micros: (cpu_micros(std::process::id()) - cpu) / batches.len() as f64,
    })
}

fn write(db: &Connection, batch: &Rows) -> rusqlite::Result<()> {
    db.prepare_cached("insert into batch values (?1, ?2, ?3, zeroblob(32), 0, 0, 0, 0, 0, 1)")?
        .execute((batch.cluster, batch.first_seq, batch.groups.len()))?;
    let mut later = db.prepare_cached(LATER)?;
    let mut any = db.prepare_cached(ANY)?;
    for cells in &batch.groups {
        if later.execute(params_from_iter(cells))? == 0 {
            any.execute(params_from_iter(cells))?;
        }
    }
    Ok(())
}

fn read(body: &[u8], clusters: &mut Vec<String>, names: &mut Vec<String>) -> Result<Rows> {
    let mut text = String::new();
    GzDecoder::new(body).read_to_string(&mut text)?;
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str(line).map_err(|error| Failure::new(error.to_string())));
    let header: Value = lines.next().transpose()?.unwrap_or_default();
    let cluster = number(clusters, &header["cluster_id"]);
    let first_seq = header["first_seq"].as_i64().unwrap_or_default();
    let mut groups = Vec::new();
    for (seq, line) in (first_seq..).zip(lines) {
        let line: Value = line?;
        if line["kind"] == "task_group" {
            groups.push(cells(&line, seq, cluster, number(names, &line["prefix"])));
        }
    }
    Ok(Rows {
        cluster,
        first_seq,
        groups,
    })
}

/// The place of a text among those that were met.
fn number(met: &mut Vec<String>, text: &Value) -> i64 {
    let text = text.as_str().unwrap_or_default();
    let place = met
        .iter()
        .position(|known| known == text)
        .unwrap_or_else(|| {
            met.push(text.into());
            met.len() - 1
        });
    place as i64 + 1
}

/// The columns of a row in the order of the statements.
fn cells(line: &Value, seq: i64, cluster: i64, prefix: i64) -> Vec<Cell> {
    let whole = |value: &Value| value.as_i64().map_or(Cell::Null, Cell::Integer);
    let real = |value: &Value| Cell::Real(value.as_f64().unwrap_or_default());
    let text = |value: &Value| {
        value
            .as_str()
            .map_or(Cell::Null, |text| Cell::Text(text.into()))
    };
    let mut cells = vec![
        whole(&line["at_micros"]),
        Cell::Integer(seq),
        Cell::Integer(cluster),
        text(&line["name"]),
        Cell::Text(line["states"].to_string()),
    ];
    for activity in [
        "compute",
        "transfer",
        "disk_read",
        "disk_write",
        "deserialize",
        "other",
    ] {
        cells.push(real(&line["seconds"][activity]));
    }
    cells.extend([
        whole(&line["result_bytes"]),
        Cell::Text(line["types"].to_string()),
        whole(&line["start_micros"]),
        whole(&line["stop_micros"]),
    ]);
    // How long tasks took, and what was retried: none of these say.
    cells.extend(std::iter::repeat_n(Cell::Null, 7));
    cells.extend([
        text(&line["span_id"]),
        Cell::Text(line["dependencies"].to_string()),
        Cell::Integer(line["final"].as_bool().unwrap_or_default().into()),
        Cell::Integer(cluster),
        text(&line["group_id"]),
        Cell::Integer(prefix),
    ]);
    cells
}

#[cfg(test)]
mod tests {
    use super::super::batches::{self, Shape};
    use super::*;

    #[test]
    fn a_row_has_as_many_cells_as_the_statements_name() {
        let shape = Shape {
            clusters: 1,
            groups: 2,
        };
        let rows = read(
            &batches::one(shape, 0, 0, 1),
            &mut Vec::new(),
            &mut Vec::new(),
        )
        .unwrap();
        let named = |sql: &str| {
            let mut names: Vec<&str> = sql
                .split(|c: char| c != ':' && c != '_' && !c.is_ascii_alphanumeric())
                .filter(|word| word.starts_with(':'))
                .collect();
            names.sort_unstable();
            names.dedup();
            names.len()
        };
        assert_eq!(rows.groups.len(), 2);
        assert!(rows.groups.iter().all(|cells| cells.len() == named(ANY)));
        assert_eq!(named(ANY), named(LATER));
    }
}
