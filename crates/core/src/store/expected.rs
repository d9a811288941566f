//! Damage in the texts that make the schema: every page may be whole, and a rule of a table or the name of a column is another.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row};

use super::migrate;
use crate::{Error, Result};

/// A table, index, view or trigger, as `sqlite_schema` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Object {
    kind: String,
    name: String,
    table: String,
    /// Null for an index that SQLite makes by itself.
    sql: Option<String>,
}

/// Looks whether all of a schema is there, as its steps made it. What somebody added by hand is no damage.
///
/// # Errors
/// [`Error::StoreDamaged`].
pub(super) fn check(db: &Connection, schema: u32, path: &Path) -> Result<()> {
    let found = objects(db)?;
    let is_there = |object: &&Object| found.iter().any(|(_, one)| one == *object);
    match made(schema)?.iter().find(|object| !is_there(object)) {
        None => Ok(()),
        Some(Object { kind, name, .. }) => Err(Error::StoreDamaged {
            path: path.into(),
            detail: format!("the {kind} {name} differs from schema {schema}"),
        }),
    }
}

/// Writes the texts again that are damaged in a copy of a store; each is known by its name, or by all but that. Where its
/// number cannot be read, nothing is done. Where only the number in its head is damaged, it becomes what its tables say.
///
/// # Errors
/// [`Error::Sqlite`].
pub(super) fn mend(copy: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(copy, flags)?;
    // Also opens a schema that SQLite cannot read.
    db.pragma_update(None, "writable_schema", true)?;
    let head: u32 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let found = objects(&db)?;
    let Some((schema, expected)) = likelier(&found, head, migrate::said(&db).ok().flatten())?
    else {
        return Ok(());
    };
    if schema != head {
        db.pragma_update(None, "user_version", schema)?;
    }
    let (_, damaged): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|(_, object)| expected.contains(object));
    for object in &expected {
        let Object {
            kind,
            name,
            table,
            sql,
        } = object;
        let known = |one: &Object| one.name == *name || one.sql.is_some() && one.sql == *sql;
        if let Some((row, _)) = damaged.iter().find(|(_, one)| known(one)) {
            db.execute(
                "update sqlite_schema set type = ?1, name = ?2, tbl_name = ?3, sql = ?4 where rowid = ?5",
                (kind, name, table, sql, row),
            )?;
        }
    }
    Ok(())
}

/// Of the two places where the number of the schema stands, either of which may be damaged, the one that more of what is there
/// agrees with; and what its steps make. None where neither is a number.
fn likelier(
    found: &[(i64, Object)],
    head: u32,
    said: Option<u32>,
) -> Result<Option<(u32, Vec<Object>)>> {
    let mut best: Option<(usize, u32, Vec<Object>)> = None;
    for schema in [Some(head), said.filter(|said| *said != head)]
        .into_iter()
        .flatten()
        .filter(|schema| (1..=migrate::known()).contains(schema))
    {
        let expected = made(schema)?;
        let there = |object: &Object| found.iter().any(|(_, one)| one == object);
        let missing = expected.iter().filter(|object| !there(object)).count();
        // An older schema has fewer, and those of a newer one are not its own.
        let foreign = found
            .iter()
            .filter(|(_, one)| !expected.contains(one))
            .count();
        if best
            .as_ref()
            .is_none_or(|(least, ..)| missing + foreign < *least)
        {
            best = Some((missing + foreign, schema, expected));
        }
    }
    Ok(best.map(|(_, schema, expected)| (schema, expected)))
}

/// What the steps up to `schema` make. The tables behind an index of texts are SQLite's own, and their texts those of its
/// version.
fn made(schema: u32) -> Result<Vec<Object>> {
    let mut db = Connection::open_in_memory()?;
    migrate::migrate_to(&mut db, schema)?;
    let mut find = db.prepare("select name from pragma_table_list where type = 'shadow'")?;
    let shadows: Vec<String> = find
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let objects = objects(&db)?.into_iter().map(|(_, object)| object);
    Ok(objects
        .filter(|object| !shadows.contains(&object.table))
        .collect())
}

/// Each with its row. Bytes that are no text are damaged, too.
fn objects(db: &Connection) -> Result<Vec<(i64, Object)>> {
    let text = |row: &Row<'_>, at: &str| -> rusqlite::Result<Option<String>> {
        let bytes = row.get_ref(at)?.as_bytes_or_null();
        Ok(bytes?.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
    };
    let mut find = db.prepare("select rowid, type, name, tbl_name, sql from sqlite_schema")?;
    let objects = find.query_map([], |row| {
        let object = Object {
            kind: text(row, "type")?.unwrap_or_default(),
            name: text(row, "name")?.unwrap_or_default(),
            table: text(row, "tbl_name")?.unwrap_or_default(),
            sql: text(row, "sql")?,
        };
        Ok((row.get("rowid")?, object))
    })?;
    Ok(objects.collect::<rusqlite::Result<_>>()?)
}
