//! The store as any SQLite tool has it: by a connection that has nothing of Bobbin's own.

use std::path::Path;

use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection, OpenFlags};
use serde_json::Value;

use crate::store;

/// The file as any SQLite tool sees it.
pub(crate) fn raw(dir: &Path) -> Connection {
    Connection::open_with_flags(dir.join(store::FILE), OpenFlags::default()).unwrap()
}

/// A statement that ran to its end, and what it gave.
pub(crate) struct Ran {
    pub(crate) sql: String,
    pub(crate) columns: Vec<String>,
    /// A blob is null.
    pub(crate) rows: Vec<Vec<Value>>,
}

impl Ran {
    /// What each row has in a column; none where there is no such column.
    pub(crate) fn column(&self, name: &str) -> Option<Vec<Value>> {
        let at = self.columns.iter().position(|column| column == name)?;
        Some(self.rows.iter().map(|row| row[at].clone()).collect())
    }
}

/// Runs every statement of a text.
pub(crate) fn run_raw(db: &Connection, text: &str) -> Vec<Ran> {
    all(db, text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn all(db: &Connection, text: &str) -> rusqlite::Result<Vec<Ran>> {
    let mut all = Vec::new();
    let mut statements = Batch::new(db, text);
    while let Some(mut statement) = statements.next()? {
        let sql = statement.expanded_sql().unwrap();
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut found = statement.query([])?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let cells = (0..columns.len()).map(|at| row.get_ref(at).map(value));
            rows.push(cells.collect::<rusqlite::Result<Vec<Value>>>()?);
        }
        all.push(Ran { sql, columns, rows });
    }
    Ok(all)
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(_) => value.as_str().unwrap().into(),
    }
}
