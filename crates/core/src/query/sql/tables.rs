//! What there is to be asked: the store's own schema, with the words that it was made with.

use rusqlite::Connection;

use crate::Result;
use crate::query::types::{SqlColumn, SqlTable, SqlTables};

/// Every table with its columns.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn tables(db: &Connection) -> Result<SqlTables> {
    let mut tables: Vec<SqlTable> = Vec::new();
    let mut statement = db.prepare_cached(include_str!("tables.sql"))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let name: String = row.get("table_name")?;
        if tables.last().is_none_or(|table| table.name != name) {
            tables.push(SqlTable {
                name,
                columns: Vec::new(),
                made_by: row.get("made_by")?,
            });
        }
        let name: String = row.get("column_name")?;
        let column = SqlColumn {
            sealed: name.ends_with("_sealed"),
            declared: row.get::<_, String>("declared")?.to_lowercase(),
            name,
        };
        if let Some(table) = tables.last_mut() {
            table.columns.push(column);
        }
    }
    Ok(SqlTables { tables })
}
