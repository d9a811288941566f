//! All that a store holds, row by row: to compare two stores, or one with itself later.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row as Found, types::ValueRef};

/// A table, with the columns that are stored. What SQLite keeps for itself is none.
#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    pub columns: Vec<String>,
}

impl Table {
    /// All its rows, as [`rows`] gives them.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn rows(&self, db: &Connection) -> rusqlite::Result<Vec<Row>> {
        let columns: Vec<String> = self.columns.iter().map(|column| quoted(column)).collect();
        rows(db, &self.name, &columns)
    }
}

/// The values of a row as bytes, which differ where one of them does.
pub type Row = Vec<u8>;

/// All tables, each behind those that it was made after; the index of texts among them.
///
/// # Errors
/// The store cannot be read.
pub fn tables(db: &Connection) -> rusqlite::Result<Vec<Table>> {
    let mut find = db.prepare(
        "select s.name from sqlite_schema as s join pragma_table_list as l on l.name = s.name
         where l.schema = 'main' and l.type in ('table', 'virtual') and s.type = 'table' and s.name not like 'sqlite%'
         order by s.rowid",
    )?;
    let names: Vec<String> = find
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    names.into_iter().map(|name| table(db, name)).collect()
}

fn table(db: &Connection, name: String) -> rusqlite::Result<Table> {
    let columns = db
        .prepare("select name from pragma_table_xinfo(?1) where hidden = 0 order by cid")?
        .query_map([&name], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Table { name, columns })
}

/// A name as SQL has it.
pub fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// What these columns, or expressions of them, are in each row of a table, in an order that depends on nothing else.
///
/// # Errors
/// The store cannot be read.
pub fn rows(db: &Connection, table: &str, columns: &[String]) -> rusqlite::Result<Vec<Row>> {
    let sql = format!("select {} from {}", columns.join(", "), quoted(table));
    let mut find = db.prepare(&sql)?;
    let mut rows: Vec<Row> = find
        .query_map([], |row| bytes(row, columns.len()))?
        .collect::<rusqlite::Result<_>>()?;
    rows.sort_unstable();
    Ok(rows)
}

/// All rows of all tables.
///
/// # Errors
/// The store cannot be read.
pub fn all(db: &Connection) -> rusqlite::Result<BTreeMap<String, Vec<Row>>> {
    let each = |table: Table| table.rows(db).map(|rows| (table.name, rows));
    tables(db)?.into_iter().map(each).collect()
}

/// Each value by its kind, and by its length where that differs.
fn bytes(row: &Found<'_>, columns: usize) -> rusqlite::Result<Row> {
    let mut bytes = Vec::new();
    let long = |bytes: &mut Vec<u8>, kind, value: &[u8]| {
        bytes.push(kind);
        bytes.extend((value.len() as u64).to_be_bytes());
        bytes.extend_from_slice(value);
    };
    for at in 0..columns {
        match row.get_ref(at)? {
            ValueRef::Null => bytes.push(0),
            ValueRef::Integer(value) => {
                bytes.push(1);
                bytes.extend(value.to_be_bytes());
            }
            ValueRef::Real(value) => {
                bytes.push(2);
                bytes.extend(value.to_bits().to_be_bytes());
            }
            ValueRef::Text(value) => long(&mut bytes, 3, value),
            ValueRef::Blob(value) => long(&mut bytes, 4, value),
        }
    }
    Ok(bytes)
}

/// How many of these rows are not among those, where each stands for one. Both are in order.
pub fn missing(these: &[Row], those: &[Row]) -> u64 {
    let mut those = those.iter().peekable();
    let is_missing = |row: &&Row| {
        while those.next_if(|other| *other < *row).is_some() {}
        those.next_if_eq(row).is_none()
    };
    these.iter().filter(is_missing).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(sql: &str) -> Connection {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(sql).unwrap();
        db
    }

    #[test]
    fn rows_are_the_same_whatever_their_order_and_differ_by_any_value() {
        let of = |values: &str| {
            let sql = format!("create table t (a, b); insert into t values {values}");
            rows(&store(&sql), "t", &["\"a\"".into(), "b".into()]).unwrap()
        };
        let two = of("(1, 'x'), (2, null)");
        assert_eq!(two, of("(2, null), (1, 'x')"));
        for other in [
            "(1, 'x'), (2, 0)",
            "(1, x'78'), (2, null)",
            "(1.0, 'x'), (2, null)",
            "('1', 'x'), (2, null)",
        ] {
            let other = of(other);
            assert_eq!((missing(&two, &other), missing(&other, &two)), (1, 1));
        }
        assert_eq!((missing(&two, &two), missing(&two, &[])), (0, 2));
        let doubled = of("(1, 'x'), (1, 'x'), (2, null)");
        assert_eq!((missing(&two, &doubled), missing(&doubled, &two)), (0, 1));
    }

    #[test]
    fn all_tables_are_there_in_the_order_in_which_they_were_made() {
        let db = store(
            "create table second (a integer, b integer generated always as (a + 1) virtual);
             create table first (\"group\" text);
             create virtual table words using fts5 (about, tokenize = 'trigram');
             create view seen as select 1;
             create index of_a on second (a)",
        );
        let found = tables(&db).unwrap();
        let found: Vec<(&str, String)> = found
            .iter()
            .map(|table| (table.name.as_str(), table.columns.join(" ")))
            .collect();
        let expected = [("second", "a"), ("first", "group"), ("words", "about")];
        assert_eq!(
            found,
            expected.map(|(name, columns)| (name, columns.to_owned()))
        );
    }
}
