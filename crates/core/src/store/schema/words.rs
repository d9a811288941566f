//! What `docs/schema.md` says of tables, views, columns, indexes and triggers, and that it names nothing that is not there.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::Path;

use super::super::migrate;
use super::{fresh, rows};

/// What `schema_words.txt` says, and where that says nothing what the migrations say above tables, views, columns, indexes and
/// triggers, by name; columns as `table.column`.
pub(super) fn words() -> HashMap<String, String> {
    let mut words = told(migrate::steps());
    for (name, said) in written() {
        words.insert(name.into(), said.trim().into());
    }
    words
}

/// The lines of `schema_words.txt`, each a name and its description.
fn written() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../schema_words.txt").lines();
    let split = lines.filter_map(|line| line.split_once(' '));
    split.filter(|(name, _)| *name != "#")
}

/// What these steps say of what is there after them: what was said last. What is dropped takes along what was said of it.
fn told<'step>(steps: impl Iterator<Item = &'step str>) -> HashMap<String, String> {
    let mut words = HashMap::new();
    let (mut comment, mut table) = (String::new(), None::<String>);
    for line in steps.flat_map(str::lines) {
        let text = line.trim();
        if let Some(said) = text.strip_prefix("--") {
            let said = said.trim();
            let space = if comment.is_empty() { "" } else { " " };
            write!(comment, "{space}{said}").unwrap();
            continue;
        }
        let said = std::mem::take(&mut comment);
        let parts: Vec<&str> = text.split_whitespace().collect();
        match parts.as_slice() {
            ["create", "table", name, ..] => {
                keep(&mut words, (*name).to_owned(), said);
                table = Some((*name).to_owned());
            }
            ["create", "virtual", _, name, ..]
            | ["create", "view" | "index" | "trigger", name, ..] => {
                keep(&mut words, (*name).to_owned(), said);
            }
            ["alter", "table", name, "add", _, column, ..] => {
                keep(&mut words, format!("{name}.{column}"), said);
            }
            ["drop", _, name, ..] => forget(&mut words, name.trim_end_matches(';')),
            [column, _, ..] if line.starts_with("    ") => {
                if let Some(table) = &table {
                    keep(&mut words, format!("{table}.{column}"), said);
                }
            }
            [")" | ");", ..] => table = None,
            // Words above a blank line are about what follows as a whole, not about the next line.
            _ => {}
        }
    }
    words
}

fn keep(words: &mut HashMap<String, String>, name: String, said: String) {
    if !said.is_empty() {
        words.insert(name, said);
    }
}

/// Forgets what was said of a table and its columns, or of an index, a view or a trigger.
fn forget(words: &mut HashMap<String, String>, name: &str) {
    words.retain(|of, _| of.split('.').next() != Some(name));
}

/// The words about one column; those about all columns of its name, where it has none.
pub(super) fn column_words<'a>(
    words: &'a HashMap<String, String>,
    table: &str,
    column: &str,
) -> &'a str {
    let own = words.get(&format!("{table}.{column}"));
    own.or_else(|| words.get(&format!("*.{column}")))
        .map_or("", String::as_str)
}

#[test]
fn what_is_dropped_takes_its_words_along_and_what_is_said_last_counts() {
    let steps = [
        "-- A table.\ncreate table one (\n    -- A column.\n    first integer\n) strict;\n\
         -- An index.\ncreate index at on one (first);\n",
        "drop index at;\ncreate index at on one (first);\n-- Another.\nalter table one add column second integer;\n",
        "alter table one rename to before;\ncreate table one (\n    -- The column.\n    first integer\n) strict;\n\
         drop table before;\n",
        "drop table one;\ncreate table one (\n    first integer,\n    second integer\n) strict;\n",
    ];
    let after = |count: usize| {
        let mut words: Vec<String> = told(steps.into_iter().take(count))
            .into_iter()
            .map(|(name, said)| format!("{name}: {said}"))
            .collect();
        words.sort();
        words.join(" ")
    };
    assert_eq!(after(1), "at: An index. one.first: A column. one: A table.");
    let changed = "one.first: A column. one.second: Another. one: A table.";
    assert_eq!(after(2), changed);
    // The rows were moved into it, so it is the same table.
    let moved = "one.first: The column. one.second: Another. one: A table.";
    assert_eq!(after(3), moved);
    assert_eq!(after(4), "");
}

/// Every table and view with its columns.
fn columns() -> Vec<Vec<String>> {
    let of_all = "select t.name, c.name from pragma_table_list as t, pragma_table_xinfo(t.name) as c
         where t.schema = 'main' and t.type in ('table', 'view', 'virtual') and t.name not like 'sqlite%'
             and c.hidden <> 1 and :of = ''";
    rows(&fresh(), of_all, "")
}

/// Every table, view, index and trigger with the table that it belongs to.
fn others() -> Vec<Vec<String>> {
    let of_all = "select name, tbl_name from sqlite_schema
         where type in ('index', 'trigger') and sql is not null and :of = ''
         union all select name, name from pragma_table_list
         where schema = 'main' and type in ('table', 'view', 'virtual') and name not like 'sqlite%'";
    rows(&fresh(), of_all, "")
}

#[test]
fn every_table_column_index_and_trigger_is_described_and_nothing_else_is() {
    let (columns, others, words) = (columns(), others(), words());
    let bare: Vec<String> = columns
        .iter()
        .filter(|column| {
            !column[1].ends_with("_sealed")
                && column_words(&words, &column[0], &column[1]).is_empty()
        })
        .map(|column| column.join("."))
        .chain(
            others
                .iter()
                .filter(|one| !words.contains_key(&one[0]))
                .map(|one| one[0].clone()),
        )
        .collect();
    assert_eq!(bare, Vec::<String>::new(), "say it in schema_words.txt");

    let gone: Vec<&str> = written()
        .map(|(name, _)| name)
        .filter(|name| {
            let of_column = name.split_once('.').is_some_and(|(table, column)| {
                let mut same = columns.iter();
                same.any(|one| (table == "*" || one[0] == table) && one[1] == column)
            });
            !of_column && !others.iter().any(|one| one[0] == *name)
        })
        .collect();
    assert_eq!(
        gone,
        Vec::<&str>::new(),
        "schema_words.txt names what is not there"
    );
}

/// What descriptions name that is not of the schema: values of columns, files beside the store, records.
const OTHERWISE: [&str; 18] = [
    "*",
    "LocalCluster",
    "bytes",
    "closed",
    "code",
    "count",
    "execute",
    "fingerprint_key",
    "get-data",
    "idle_timeout",
    "key",
    "queue_full",
    "read",
    "refused",
    "seconds",
    "stop",
    "switched_off",
    "~",
];

/// A description that outlives what it tells of names a column or a table that is gone.
#[test]
fn what_descriptions_name_is_there() {
    let (columns, others) = (columns(), others());
    let names: HashSet<&str> = others.iter().map(|one| one[0].as_str()).collect();
    let has = |table: &str, column: &str| {
        let mut columns = columns.iter();
        columns.any(|one| one[0] == table && one[1] == column)
    };
    let db = fresh();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut gone = Vec::new();
    for (of, said) in words() {
        let table = match of.split_once('.') {
            Some((table, _)) => table,
            None => others
                .iter()
                .find(|one| one[0] == of)
                .map_or("", |one| one[1].as_str()),
        };
        let made = "select sql from sqlite_schema where name = :of and sql is not null";
        let made = rows(&db, made, table).concat().concat();
        for name in said.split('`').skip(1).step_by(2) {
            let is_known = names.contains(name)
                || has(table, name)
                || name
                    .split_once('.')
                    .is_some_and(|(table, column)| has(table, column))
                // One of the values that a check lets pass.
                || made.contains(&format!("'{name}'"))
                || (name.contains('/') && source.join(name).is_file())
                // A list of what is in a value; a filter, which has a test of its own.
                || name.starts_with('[')
                || name.contains(':')
                || OTHERWISE.contains(&name);
            // Of what was renamed or left out on the way, words are left that nobody prints.
            let is_printed = names.contains(of.as_str())
                || of.starts_with("*.")
                || of
                    .split_once('.')
                    .is_some_and(|(table, column)| has(table, column));
            if is_printed && !is_known {
                gone.push(format!("{of}: {name}"));
            }
        }
    }
    assert_eq!(gone, Vec::<String>::new());
}
