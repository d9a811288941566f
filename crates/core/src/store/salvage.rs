//! What can still be read of a damaged store, row by row, in a new store of the same schema.
//!
//! SQLite's own recovery reads pages through a table that the bundled build does not have. Here rows are read in the order
//! of their key; where a page cannot be read, reading goes on behind it: by the next key that can be read where keys are
//! numbers, else from the end backwards. Where SQLite's head of the file is damaged, that of a new store stands in for it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use super::snapshot::{self, Shelf, Snapshot, Wanted};
use super::{FILE, damage, expected, migrate, open};
use crate::install::{at, create_private};
use crate::model::Micros;
use crate::system::{read_exact_at, write_all_at};
use crate::{Error, Result};

/// What SQLite writes at the head of a file.
const HEAD: usize = 100;

/// What came of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) rows: u64,
    /// Places where reading failed; each hides the rows of a page or more.
    pub(crate) unreadable: u64,
    /// Rows that were read and could not be kept, since what they belong to was not.
    pub(crate) dropped: u64,
}

/// What was found.
#[derive(Clone, Debug)]
pub(crate) struct Salvaged {
    pub(crate) from: PathBuf,
    pub(crate) snapshot: Snapshot,
    pub(crate) tables: Vec<Table>,
    /// Clusters of which nothing but their rows in other tables was left: they are called `salvaged-NUMBER`.
    pub(crate) unnamed: u64,
}

/// Reads what can be read of a damaged store (a folder or a file; the last that was moved aside where none is named)
/// into a snapshot, and leaves the damaged one as it is.
///
/// # Errors
/// [`Error::NotFound`], [`Error::NoRoom`]; [`Error::StoreDamaged`] if nothing can be read.
pub(crate) fn salvage(dir: &Path, wanted: Option<&Path>, now: Micros) -> Result<Salvaged> {
    let from = find(dir, wanted)?;
    let shelf = Shelf::open(dir)?;
    let bytes = from.metadata().map_err(at(&from))?.len();
    snapshot::room(&shelf.folder, "salvaging", 2 * bytes, Wanted::Asked)?;
    let target = shelf.target()?;
    let copy = copy(&from, &shelf.work())?;

    let mut new = create(&target, migrate::known())?;
    let schema = mend(&copy, &target)?;
    if schema != migrate::known() {
        drop(new);
        fs::remove_file(&target).map_err(at(&target))?;
        create_private(&target)?;
        new = create(&target, schema)?;
    }
    let old = Connection::open_with_flags(&copy, flags())?;
    let mut tables = fill(&new, &old).map_err(|error| damage::named(&from, error))?;
    name_lost(&new)?;
    let unnamed = adopt(&new, &mut tables)?;
    for table in &mut tables {
        let count = format!("select count(*) from \"{}\"", table.name);
        table.rows = new.query_one(&count, [], |row| row.get(0))?;
    }
    migrate::migrate(&mut new)?;
    tell_used(&new)?;
    tell_whose(&new)?;
    sum_stalled(&new)?;
    drop(new);
    let held = snapshot::check(&target)?;
    if held.clusters == 0 {
        return Err(Error::StoreDamaged {
            path: from,
            detail: "Bobbin can read nothing in it".into(),
        });
    }
    Ok(Salvaged {
        snapshot: shelf.keep(&target, now, true)?,
        from,
        tables,
        unnamed,
    })
}

fn find(dir: &Path, wanted: Option<&Path>) -> Result<PathBuf> {
    let found = match wanted {
        Some(path) if path.is_dir() => path.join(FILE),
        Some(path) => path.into(),
        None => damage::damaged(dir)
            .pop()
            .unwrap_or_else(|| dir.into())
            .join(FILE),
    };
    if found.is_file() {
        return Ok(found);
    }
    Err(Error::NotFound {
        kind: "store",
        id: found.display().to_string(),
    })
}

/// The file with its log or its journal, where they may be written to. SQLite finds both by the name of the file.
fn copy(from: &Path, work: &Path) -> Result<PathBuf> {
    let to = work.join("damaged.sqlite");
    for end in ["", "-wal", "-journal"] {
        let with = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
        let mut file = match File::open(with(from)) {
            Ok(file) => file,
            Err(source) if source.kind() == io::ErrorKind::NotFound => continue,
            Err(source) => return Err(at(&with(from))(source)),
        };
        io::copy(&mut file, &mut create_private(&with(&to))?).map_err(at(&to))?;
    }
    Ok(to)
}

fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// An empty store of an older schema or of this one, without its rules: rows come in any order.
fn create(target: &Path, schema: u32) -> Result<Connection> {
    let mut db = Connection::open_with_flags(target, flags())?;
    open::settings(&db)?;
    open::keep_more_pages(&db)?;
    db.pragma_update(None, "auto_vacuum", "incremental")?;
    db.pragma_update(None, "journal_mode", "off")?;
    db.pragma_update(None, "foreign_keys", false)?;
    migrate::migrate_to(&mut db, schema)?;
    Ok(db)
}

/// Makes the copy readable at all, and gives the number of its schema. Texts of its schema that are damaged are written
/// again, the number of its schema too, and a head that does not open the file is replaced by that of a new store.
fn mend(copy: &Path, new: &Path) -> Result<u32> {
    let schema = || -> Result<u32> {
        if let Err(error) = expected::mend(copy) {
            tracing::debug!(%error, "the schema is read as it is");
        }
        let db = Connection::open_with_flags(copy, flags())?;
        db.query_row("select count(*) from sqlite_schema", [], |_| Ok(()))?;
        migrate::check(&db)
    };
    match schema() {
        Ok(found @ 1..) => return Ok(found),
        Err(error @ Error::StoreTooNew { .. }) => return Err(error),
        Ok(0) | Err(_) => {}
    }
    let mut head = [0; HEAD];
    let new = File::open(new).map_err(at(new))?;
    read_exact_at(&new, &mut head, 0).map_err(at(copy))?;
    let file = OpenOptions::new()
        .write(true)
        .open(copy)
        .map_err(at(copy))?;
    // No size and no list of free pages: SQLite takes the size of the file where these are zero.
    head[28..40].fill(0);
    write_all_at(&file, &head, 0).map_err(at(copy))?;
    schema().map_err(|error| damage::named(copy, error))
}

/// Copies all tables.
fn fill(new: &Connection, old: &Connection) -> Result<Vec<Table>> {
    let mut names = tables(new)?;
    // Its triggers write the words by which clusters are found; all others add up what is copied in any case.
    names.sort_by_key(|name| name != "cluster");
    let mut done = Vec::new();
    let mut triggers = Vec::new();
    for name in names {
        new.execute_batch("begin")?;
        let table = rows(new, old, name)?;
        new.execute_batch("commit")?;
        if table.name == "cluster" {
            triggers = drop_triggers(new)?;
        }
        done.push(table);
    }
    for trigger in triggers {
        new.execute_batch(&trigger)?;
    }
    done.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(done)
}

/// The tables that hold what was stored; those that search keeps for itself are made anew.
fn tables(new: &Connection) -> Result<Vec<String>> {
    let mut found = new.prepare(
        "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'",
    )?;
    let names = found.query_map([], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

/// Takes the triggers away, and gives what makes them again.
fn drop_triggers(new: &Connection) -> Result<Vec<String>> {
    let found: Vec<(String, String)> = new
        .prepare("select name, sql from sqlite_schema where type = 'trigger'")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (name, _) in &found {
        new.execute_batch(&format!("drop trigger \"{name}\""))?;
    }
    Ok(found.into_iter().map(|(_, sql)| sql).collect())
}

/// How a table is read and written.
struct Shape {
    columns: String,
    /// The columns of the key.
    key: Vec<String>,
    insert: String,
    from: String,
}

fn shape(new: &Connection, name: &str) -> Result<Shape> {
    let columns: Vec<(String, i64)> = new
        .prepare("select name, pk from pragma_table_xinfo(?1) where hidden = 0 order by cid")?
        .query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let with_rowid: bool = new.query_one(
        "select wr = 0 from pragma_table_list where schema = 'main' and name = ?1",
        [name],
        |row| row.get(0),
    )?;
    let mut key: Vec<(i64, String)> = columns
        .iter()
        .filter(|(_, place)| *place > 0)
        .map(|(column, place)| (*place, format!("\"{column}\"")))
        .collect();
    key.sort();
    let key = if with_rowid {
        vec!["rowid".into()]
    } else {
        key.into_iter().map(|(_, column)| column).collect()
    };
    let mut names: Vec<String> = columns
        .iter()
        .map(|(column, _)| format!("\"{column}\""))
        .collect();
    if with_rowid && columns.iter().all(|(_, place)| *place == 0) {
        names.insert(0, "rowid".into());
    }
    let values: Vec<String> = (1..=names.len())
        .map(|number| format!("?{number}"))
        .collect();
    let columns = names.join(", ");
    Ok(Shape {
        insert: format!(
            "insert or replace into \"{name}\" ({columns}) values ({})",
            values.join(", ")
        ),
        from: format!("\"{name}\""),
        columns,
        key,
    })
}

fn rows(new: &Connection, old: &Connection, name: String) -> Result<Table> {
    let shape = shape(new, &name)?;
    let mut table = Table {
        name,
        ..Table::default()
    };
    match shape.key.as_slice() {
        [_] | [] => by_number(new, old, &shape, &mut table)?,
        [first, ..] => by_first(new, old, &shape, first, &mut table)?,
    }
    Ok(table)
}

/// Reads by one column of numbers. Behind a page that cannot be read, by ever longer steps to one that can, and back to the
/// first of those.
fn by_number(new: &Connection, old: &Connection, shape: &Shape, table: &mut Table) -> Result<()> {
    let Some(key) = shape.key.first() else {
        return Ok(());
    };
    let Shape { columns, from, .. } = shape;
    let all = format!("select {key}, {columns} from {from} where {key} > ?1 order by {key}");
    let next = format!("{all} limit 1");
    // Texts and bytes come after all numbers.
    let mut after = Value::Integer(i64::MIN);
    loop {
        let Poured::Broken(last) = pour(new, old, &all, Some(&after), shape)? else {
            return Ok(());
        };
        table.unreadable += 1;
        after = last.unwrap_or(after);
        let found = match after {
            Value::Integer(number) => beyond(number, |number| readable(old, &next, number)),
            _ => None,
        };
        match found {
            Some(number) => after = Value::Integer(number),
            None => {
                let back = format!("select {key}, {columns} from {from} order by {key} desc");
                pour(new, old, &back, None, shape)?;
                return Ok(());
            }
        }
    }
}

/// The least number behind which a row can be read, or none.
fn beyond(from: i64, reads: impl Fn(i64) -> Option<bool>) -> Option<i64> {
    // Keys are counted from one; those below are not ours.
    let from = from.max(0);
    let mut step: i64 = 1;
    let (mut bad, mut good) = loop {
        let number = from.checked_add(step)?;
        match reads(number) {
            Some(true) => break (from + step / 2, number),
            Some(false) => return None,
            None => step = step.checked_mul(2)?,
        }
    };
    while good - bad > 1 {
        let middle = bad + (good - bad) / 2;
        match reads(middle) {
            Some(_) => good = middle,
            None => bad = middle,
        }
    }
    Some(good)
}

/// Whether there is a row behind a number; nothing if reading fails.
fn readable(old: &Connection, next: &str, number: i64) -> Option<bool> {
    let mut statement = old.prepare_cached(next).ok()?;
    let mut rows = statement.query([number]).ok()?;
    let row = rows.next().ok()?;
    Some(row.is_some())
}

/// Reads each value of the first column of the key by itself, forwards until reading fails and then backwards: a page that
/// cannot be read costs rows of one cluster, instance or day.
fn by_first(
    new: &Connection,
    old: &Connection,
    shape: &Shape,
    first: &str,
    table: &mut Table,
) -> Result<()> {
    let Shape { columns, from, .. } = shape;
    let order = |end: &str| {
        let keys: Vec<String> = shape.key.iter().map(|key| format!("{key}{end}")).collect();
        keys.join(", ")
    };
    let all = format!(
        "select {first}, {columns} from {from} order by {}",
        order("")
    );
    let Poured::Broken(last) = pour(new, old, &all, None, shape)? else {
        return Ok(());
    };
    table.unreadable += 1;
    let back = format!(
        "select {first}, {columns} from {from} order by {}",
        order(" desc")
    );
    let Poured::Broken(until) = pour(new, old, &back, None, shape)? else {
        return Ok(());
    };
    // Between the two ends of what cannot be read.
    let (Some(Value::Integer(last)), Some(Value::Integer(until))) = (last, until) else {
        return Ok(());
    };
    let of = |end| {
        format!(
            "select {first}, {columns} from {from} where {first} = ?1 order by {}",
            order(end)
        )
    };
    let (forwards, backwards) = (of(""), of(" desc"));
    for value in last..=until {
        let value = Value::Integer(value);
        if let Poured::Broken(_) = pour(new, old, &forwards, Some(&value), shape)? {
            table.unreadable += 1;
            pour(new, old, &backwards, Some(&value), shape)?;
        }
    }
    Ok(())
}

/// How a reading ended.
enum Poured {
    /// There is nothing more.
    Whole,
    /// At a page that cannot be read, behind this key.
    Broken(Option<Value>),
}

/// Copies what a question gives until it ends or fails. A fault of the new store is a fault; one of the old is not.
fn pour(
    new: &Connection,
    old: &Connection,
    question: &str,
    value: Option<&Value>,
    shape: &Shape,
) -> Result<Poured> {
    let mut last = None;
    let Ok(mut statement) = old.prepare_cached(question) else {
        return Ok(Poured::Broken(None));
    };
    let columns = statement.column_count();
    let Ok(mut rows) = statement.query(params_from_iter(value)) else {
        return Ok(Poured::Broken(None));
    };
    let mut insert = new.prepare_cached(&shape.insert)?;
    loop {
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(Poured::Whole),
            Err(_) => return Ok(Poured::Broken(last)),
        };
        let read = (0..columns).map(|column| row.get::<_, Value>(column));
        let Ok(read) = read.collect::<rusqlite::Result<Vec<_>>>() else {
            return Ok(Poured::Broken(last));
        };
        match insert.execute(params_from_iter(&read[1..])) {
            Ok(_) => {}
            // A value that was changed breaks a rule of its table: the row is not one of ours.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {}
            Err(error) => return Err(error.into()),
        }
        last = read.into_iter().next();
    }
}

/// Gives the prefixes of groups, and what metrics use, a name where theirs was lost: nothing else of the store holds on to it.
fn name_lost(new: &Connection) -> Result<()> {
    new.execute_batch(
        "insert into name (id, text)
         select u.id, 'salvaged-' || u.id
         from (
             select prefix_id as id from task_group
             union select prefix_id from metric
             union select context_id from metric
             union select activity_id from metric
             union select unit_id from metric
         ) as u
         where not exists (select 1 from name where name.id = u.id)",
    )?;
    Ok(())
}

/// Says again which names groups and metrics use, where that was lost: they would be removed, and their numbers given to others.
fn tell_used(new: &Connection) -> Result<()> {
    new.execute_batch(
        "insert or ignore into cluster_prefix (prefix_id, cluster_id) select prefix_id, cluster_id from task_group;
         insert or ignore into metric_word (name_id, cluster_id)
         select prefix_id, cluster_id from metric
         union select context_id, cluster_id from metric
         union select activity_id, cluster_id from metric
         union select unit_id, cluster_id from metric",
    )?;
    Ok(())
}

/// Says again of clusters whose own row was lost what their figures say once more: whose they are, and when they began.
fn tell_whose(new: &Connection) -> Result<()> {
    new.execute_batch(
        "update cluster
         set
             user = coalesce((select m.person from user_merge as m where m.user = t.said_user), t.said_user),
             said_user = t.said_user,
             host = t.host,
             said_started_micros = t.started_micros,
             first_at_micros = coalesce(t.first_at_micros, cluster.first_at_micros)
         from cluster_total as t
         where t.cluster_id = cluster.id and cluster.scheduler_id = 'salvaged-' || cluster.id",
    )?;
    Ok(())
}

/// Says again how long each cluster stalled, by the hours that are left, and all together: their sums are in other tables.
fn sum_stalled(new: &Connection) -> Result<()> {
    new.execute_batch(
        "update cluster_total
         set stalled_micros = (
             select cast(min(total(h.stalled_micros), 9.0e18) as integer)
             from stalled_hour as h
             where h.cluster_id = cluster_total.cluster_id
         );
         update usage_ever
         set stalled_micros = (
             select cast(min(total(t.stalled_micros), 2305843009213693952) as integer) from cluster_total as t
         )",
    )?;
    Ok(())
}

/// Gives clusters back that only their rows tell of, and drops what belongs to nothing. Gives the number of the former.
fn adopt(new: &Connection, tables: &mut [Table]) -> Result<u64> {
    let mut unnamed = 0;
    loop {
        let kinds: Vec<(String, String, i64)> = new
            .prepare("select distinct \"table\", parent, fkid from pragma_foreign_key_check")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<rusqlite::Result<_>>()?;
        if kinds.is_empty() {
            return Ok(unnamed);
        }
        // Clusters first: what hangs on them is whole again then.
        let whole = kinds.iter().any(|(_, parent, _)| parent == "cluster");
        for (table, parent, key) in kinds {
            if whole && parent != "cluster" {
                continue;
            }
            let (from, to): (String, String) = new.query_one(
                "select \"from\", coalesce(\"to\", 'id') from pragma_foreign_key_list(?1) where id = ?2 and seq = 0",
                (&table, key),
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            let lost = format!(
                "\"{from}\" is not null and not exists (select 1 from \"{parent}\" as p where p.\"{to}\" = \"{table}\".\"{from}\")"
            );
            if parent == "cluster" {
                unnamed += new.execute(
                    &format!(
                        "insert or ignore into cluster (id, scheduler_id, first_at_micros)
                         select distinct \"{from}\", 'salvaged-' || \"{from}\", 0 from \"{table}\" where {lost}"
                    ),
                    [],
                )? as u64;
                continue;
            }
            let dropped = new.execute(&format!("delete from \"{table}\" where {lost}"), [])?;
            if let Some(found) = tables.iter_mut().find(|found| found.name == table) {
                found.dropped += dropped as u64;
            }
        }
    }
}
