//! What the tables of the store demand, and that they do.

use rusqlite::Connection;

use super::made::checks;
use super::{fresh, rows};

#[test]
fn every_table_is_strict_and_has_a_key() {
    let db = fresh();
    let loose = rows(
        &db,
        "select name from pragma_table_list
         where schema = 'main' and type = 'table' and name not like 'sqlite%' and not strict and :of = ''",
        "",
    );
    assert_eq!(loose, Vec::<Vec<String>>::new());
    let keyless = rows(
        &db,
        "select t.name from pragma_table_list as t
         where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite%' and :of = ''
             and not exists (select 1 from pragma_table_info(t.name) where pk > 0)",
        "",
    );
    assert_eq!(keyless, Vec::<Vec<String>>::new());
}

/// What is deleted takes what refers to it along, which must not read whole tables.
#[test]
fn every_reference_is_found_from_the_other_end_by_an_index() {
    let db = fresh();
    let unled = rows(
        &db,
        "select t.name || '.' || f.\"from\"
         from pragma_table_list as t, pragma_foreign_key_list(t.name) as f
         where t.schema = 'main' and :of = ''
             and not exists (select 1 from pragma_table_info(t.name) as k where k.name = f.\"from\" and k.pk = 1)
             and not exists (
                 select 1 from pragma_index_list(t.name) as l, pragma_index_info(l.name) as i
                 where i.seqno = 0 and i.name = f.\"from\"
             )
         order by 1",
        "",
    );
    assert_eq!(unled, Vec::<Vec<String>>::new());
}

/// Numbers of rows that refer to nothing, each with why.
const ALONE: [(&str, &str); 6] = [
    (
        "metric.activity_id",
        "`metric_word` refers to the name for all metrics of a cluster",
    ),
    ("metric.context_id", "the same"),
    ("metric.prefix_id", "the same"),
    ("metric.unit_id", "the same"),
    (
        "price_change.price_id",
        "a price is what its changes say: there is no table of prices",
    ),
    (
        "task_group.prefix_id",
        "`cluster_prefix` refers to the name for all groups of a cluster",
    ),
];

#[test]
fn every_number_of_a_row_elsewhere_is_a_reference() {
    let db = fresh();
    let loose = rows(
        &db,
        "select t.name || '.' || c.name
         from pragma_table_list as t, pragma_table_info(t.name) as c
         where t.schema = 'main' and t.type = 'table' and :of = ''
             and lower(c.type) = 'integer' and substr(c.name, -3) = '_id'
             and not exists (select 1 from pragma_foreign_key_list(t.name) as f where f.\"from\" = c.name)
         order by 1",
        "",
    );
    assert_eq!(loose.concat(), ALONE.map(|(name, _)| name));
}

/// For each check, the column that it is about and a value that it refuses.
const REFUSED: [(&str, &str, &str); 28] = [
    ("batch", "digest", "zeroblob(31)"),
    ("budget", "amount_nanos", "0"),
    ("budget", "covers", "'{'"),
    ("cluster", "own_tags", "'{'"),
    ("cluster", "tags", "'{'"),
    ("cluster_fact", "events_allow", "'{'"),
    ("cluster_fact", "host_versions", "'{'"),
    ("cluster_fact", "mismatches", "'{'"),
    ("cluster_fact", "unavailable", "'{'"),
    ("cluster_fact", "versions", "'{'"),
    ("cluster_switch", "events_allow", "'{'"),
    ("deleted_cluster", "scheduler_digest", "zeroblob(33)"),
    ("deletions_done", "id", "2"),
    ("exception", "origin", "'nobody'"),
    ("frame_forgotten", "id", "2"),
    ("imported", "choice", "'{'"),
    ("imported", "fields", "'{'"),
    ("imported", "source_format", "'paper'"),
    ("ingest_key", "digest", "zeroblob(31)"),
    ("install_key", "public_key", "zeroblob(33)"),
    ("price_change", "applies_to", "'{'"),
    ("price_change", "rate", "'{'"),
    ("pruned", "category", "'names'"),
    ("retention", "id", "2"),
    ("retention_clock", "id", "2"),
    ("usage_ever", "id", "2"),
    ("user_merge", "person", "''"),
    ("worker_event", "event", "'slept'"),
];

#[test]
fn every_check_refuses_what_it_is_there_for() {
    let db = fresh();
    db.pragma_update(None, "foreign_keys", false).unwrap();
    let mut refused: Vec<String> = REFUSED
        .iter()
        .map(|&(table, column, value)| {
            put(&db, table, None).unwrap_or_else(|error| panic!("{table}: {error}"));
            let error = put(&db, table, Some((column, value))).unwrap_err();
            let error = error.to_string();
            let (_, check) = error
                .split_once("CHECK constraint failed: ")
                .unwrap_or_else(|| panic!("{table}: {error}"));
            format!("{table}: {check}")
        })
        .collect();
    let made = "select name, sql from sqlite_schema where type = 'table' and :of = ''";
    let mut demanded: Vec<String> = rows(&db, made, "")
        .iter()
        .flat_map(|table| {
            let of_table = checks(&table[1]).into_iter();
            of_table.map(move |check| format!("{}: {check}", table[0]))
        })
        .collect();
    refused.sort();
    demanded.sort();
    assert_eq!(refused, demanded);
}

/// Puts a row into a table and takes it back. Each column that may not be null gets something that it takes, but for the one
/// for which something else is asked.
fn put(db: &Connection, table: &str, asked: Option<(&str, &str)>) -> rusqlite::Result<()> {
    let of_all = "select name, lower(type), iif(\"notnull\" or pk, '1', '')
         from pragma_table_xinfo(:of)
         where hidden = 0";
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for column in rows(db, of_all, table) {
        let [name, of_type, filled] = [&column[0], &column[1], &column[2]];
        let taken = match (name.as_str(), of_type.as_str()) {
            ("origin", _) => "'user'",
            ("event", _) => "'joined'",
            ("category", _) => "'code'",
            (_, "text") => "'{}'",
            (_, "blob") => "zeroblob(32)",
            _ => "1",
        };
        match asked.filter(|(asked, _)| asked == name) {
            Some((_, value)) => values.push(value),
            None if filled == "1" => values.push(taken),
            None => continue,
        }
        columns.push(name.clone());
    }
    let undone = db.unchecked_transaction()?;
    let (columns, values) = (columns.join(", "), values.join(", "));
    let sql = format!("insert or replace into {table} ({columns}) values ({values})");
    undone.execute(&sql, [])?;
    Ok(())
}
