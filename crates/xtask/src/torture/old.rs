//! Stores of older schemas with rows in every table. The rows are made of what each table demands of its columns, so that those of
//! steps to come have some, too.

use std::{fs, io};

use rusqlite::{Connection, params_from_iter, types::Value};

use crate::{
    files::root,
    tables::{Table, quoted, tables},
};

/// Marks the file as Bobbin's.
const APPLICATION: i32 = 0x426f_6262;

const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3_600 * SECOND;
const YEAR: i64 = 365 * 24 * HOUR;

/// Texts that are read as JSON, though their tables do not demand it.
const JSON: [&str; 10] = [
    "bands",
    "dependencies",
    "each",
    "groups",
    "resources",
    "stall",
    "states",
    "tags",
    "tasks",
    "types",
];

/// The steps from one schema to the next, in order.
///
/// # Errors
/// They cannot be read.
pub fn steps() -> io::Result<Vec<String>> {
    let folder = root().join("crates/core/src/store/migrations");
    let mut files: Vec<_> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    files.sort();
    files.iter().map(fs::read_to_string).collect()
}

/// Makes an empty file a store of the schema that these steps lead to.
///
/// # Errors
/// SQLite refuses.
pub fn make(db: &Connection, steps: &[String]) -> rusqlite::Result<()> {
    take(db, steps)?;
    db.pragma_update(None, "application_id", APPLICATION)?;
    db.pragma_update(None, "user_version", steps.len())
}

/// Takes some steps, all or none.
///
/// # Errors
/// SQLite refuses.
pub fn take(db: &Connection, steps: &[String]) -> rusqlite::Result<()> {
    let all = db.unchecked_transaction()?;
    for step in steps {
        all.execute_batch(step)?;
    }
    all.commit()
}

/// Puts so many rows into every table, as far as it takes more than one: always the same ones at a time. Nothing in them is old
/// enough to be removed, and nothing is due.
///
/// # Errors
/// SQLite refuses, or a table stayed empty.
pub fn fill(db: &Connection, rows: i64, now: i64) -> rusqlite::Result<()> {
    // A table may be made before one that it refers to.
    db.pragma_update(None, "foreign_keys", false)?;
    let all = db.unchecked_transaction()?;
    let tables = tables(db)?;
    for table in &tables {
        fill_one(db, table, rows, now)?;
    }
    for table in &tables {
        let sql = format!("select exists (select 1 from {})", quoted(&table.name));
        let filled: bool = db.query_one(&sql, [], |row| row.get(0))?;
        if !filled {
            return Err(refused(format!("no row of {} can be made", table.name)));
        }
    }
    let lost: bool = db.query_one(
        "select exists (select 1 from pragma_foreign_key_check)",
        [],
        |row| row.get(0),
    )?;
    if lost {
        return Err(refused("a row refers to none".into()));
    }
    all.commit()?;
    db.pragma_update(None, "foreign_keys", true)
}

fn refused(why: String) -> rusqlite::Error {
    rusqlite::Error::InvalidParameterName(why)
}

fn fill_one(db: &Connection, table: &Table, rows: i64, now: i64) -> rusqlite::Result<()> {
    let made: String = db.query_one(
        "select sql from sqlite_schema where type = 'table' and name = ?1",
        [&table.name],
        |row| row.get(0),
    )?;
    // As one line in small letters, in which rules can be looked for.
    let made = made.to_ascii_lowercase();
    let made = made.split_whitespace().collect::<Vec<_>>().join(" ");
    if made.starts_with("create virtual") {
        // Triggers write it.
        return Ok(());
    }
    let columns = columns(db, &table.name)?;
    let names: Vec<String> = table.columns.iter().map(|name| quoted(name)).collect();
    let places = vec!["?"; names.len()].join(", ");
    // Some rows are there already, and of some tables there is one row alone.
    let mut insert = db.prepare(&format!(
        "insert or ignore into {} ({}) values ({places})",
        quoted(&table.name),
        names.join(", ")
    ))?;
    for row in 1..=rows {
        let values = columns.iter().map(|of| of.value(&made, row, now));
        insert.execute(params_from_iter(values))?;
    }
    Ok(())
}

/// What a table demands of a column.
struct Column {
    name: String,
    kind: String,
    may_be_null: bool,
    refers: bool,
}

/// Those that are stored, in order.
fn columns(db: &Connection, table: &str) -> rusqlite::Result<Vec<Column>> {
    db.prepare(
        "select name, lower(type), \"notnull\" = 0 and pk = 0,
             exists (select 1 from pragma_foreign_key_list(?1) where \"from\" = x.name)
         from pragma_table_xinfo(?1) as x where hidden = 0 order by cid",
    )?
    .query_map([table], |row| {
        Ok(Column {
            name: row.get(0)?,
            kind: row.get(1)?,
            may_be_null: row.get(2)?,
            refers: row.get(3)?,
        })
    })?
    .collect()
}

impl Column {
    /// What the row of this number has here.
    fn value(&self, made: &str, row: i64, now: i64) -> Value {
        if self.may_be_null && row % 2 == 1 {
            return Value::Null;
        }
        match self.kind.as_str() {
            "integer" => Value::Integer(self.number(row, now)),
            "real" => Value::Real(row as f64 / 7.0),
            "blob" => Value::Blob(self.bytes(made, row)),
            _ => Value::Text(self.text(made, row)),
        }
    }

    fn number(&self, row: i64, now: i64) -> i64 {
        match self.name.as_str() {
            _ if self.refers => row,
            // A deletion that was begun is carried out.
            "begun" => 0,
            // Neither is over.
            "hour" => now / HOUR + 48,
            "day" => now / (24 * HOUR) + 2 + row,
            name if name.starts_with("due_") => now + YEAR,
            name if name.ends_with("_micros") => now - SECOND + row,
            _ => row,
        }
    }

    /// Other ones in each row; some are wider than a quarter of a page.
    fn bytes(&self, made: &str, row: i64) -> Vec<u8> {
        let rule = format!("length({}) = ", self.name);
        let demanded = made.split_once(&rule).and_then(|(_, rest)| {
            let (number, _) = rest.split_once(')')?;
            number.parse().ok()
        });
        let length = demanded.unwrap_or(24 + (row as usize % 40) * 40);
        // No two rows have the same: the number is odd.
        let drawn = (row as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .to_le_bytes();
        drawn.into_iter().cycle().take(length).collect()
    }

    fn text(&self, made: &str, row: i64) -> String {
        let name = self.name.as_str();
        if let Some(words) = choices(made, name) {
            return words[row as usize % words.len()].to_owned();
        }
        let is_json = JSON.contains(&name) || made.contains(&format!("json_valid({name})"));
        match is_json {
            true => format!("{{\"memory\":{row}}}"),
            false => format!("{name}-{row}"),
        }
    }
}

/// The words that a column may have, where these are said.
fn choices<'a>(made: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let (_, rest) = made.split_once(&format!("{name} in ("))?;
    let (words, _) = rest.split_once(')')?;
    let words = words.split(',');
    Some(words.map(|word| word.trim().trim_matches('\'')).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{missing, rows};

    const NOW: i64 = 1_795_000_000 * SECOND;

    /// Tables whose rows a step leaves out, and that step: what a later build reads of them is another thing, or follows from others.
    const LEFT_OUT: [(&str, usize); 6] = [
        ("profile", 11),
        ("profile_line", 11),
        ("profile_stack", 11),
        ("cluster_day", 16),
        ("usage_day", 16),
        ("cluster_text", 37),
    ];

    fn filled(steps: &[String]) -> Connection {
        let db = Connection::open_in_memory().unwrap();
        make(&db, steps).unwrap();
        fill(&db, 6, NOW).unwrap();
        db
    }

    #[test]
    fn the_rows_of_every_table_of_every_schema_are_there_after_all_later_steps() {
        let steps = steps().unwrap();
        for schema in 1..steps.len() {
            let (old, new) = (filled(&steps[..schema]), filled(&steps[..schema]));
            take(&new, &steps[schema..]).unwrap();
            let later = tables(&new).unwrap();
            for table in tables(&old).unwrap() {
                let name = table.name.as_str();
                let left_out = |(left, step): &(&str, usize)| *left == name && schema < *step;
                if LEFT_OUT.iter().any(left_out) {
                    continue;
                }
                let kept = later.iter().find(|kept| kept.name == name);
                let kept = &kept
                    .unwrap_or_else(|| panic!("{name} of {schema} is gone"))
                    .columns;
                let columns = table.columns.iter().filter(|column| kept.contains(column));
                let columns: Vec<String> = columns.map(|column| quoted(column)).collect();
                let of = |db: &Connection| rows(db, name, &columns).unwrap();
                let (before, after) = (of(&old), of(&new));
                assert!(!columns.is_empty() && !before.is_empty(), "{name}");
                assert_eq!(missing(&before, &after), 0, "{name} of schema {schema}");
                // From the next schema on, the tags that a cluster gave itself are there by themselves.
                let more = if (name, schema) == ("tag", 3) { 6 } else { 0 };
                assert_eq!(missing(&after, &before), more, "{name} of schema {schema}");
            }
        }
    }

    #[test]
    fn a_column_has_what_its_table_demands() {
        let made = "create table t ( kind text check (kind in ('a', 'b')), digest blob check (length(digest) = 32) )";
        assert_eq!(choices(made, "kind"), Some(vec!["a", "b"]));
        assert_eq!(choices(made, "digest"), None);
        let digest = Column {
            name: "digest".into(),
            kind: "blob".into(),
            may_be_null: true,
            refers: false,
        };
        assert_eq!(digest.value(made, 1, NOW), Value::Null);
        assert_eq!(digest.bytes(made, 2).len(), 32);
        assert_ne!(digest.bytes(made, 2), digest.bytes(made, 3));
    }
}
