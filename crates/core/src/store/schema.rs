//! Writes `docs/schema.md` from the migrations: what is in the file, for whoever opens it with another tool.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use rusqlite::{Connection, named_params};

use self::made::{checks, computed, condition, event};
use self::words::{column_words, words};
use super::{holds, migrate};

mod made;
mod plans;
mod rules;
mod words;

pub(crate) use plans::BY_PARTS;

const HEAD: &str = "<!-- Written from the migrations by `cargo test -p bobbin-core schema`. Not to be edited. -->

# Tables and columns of the store

This page is for anyone who queries Bobbin's store. It lists every table and column, with keys, rules, indexes and triggers.

The store is one SQLite file, `bobbin.sqlite`. Any tool with SQLite 3.42 or newer can read it while Bobbin runs. Only Bobbin may write
to it. Every table but `cluster_text` and `cluster_text_term` is `STRICT`: a column takes only values of its type.

| Name | Meaning |
|---|---|
| `…_micros` | whole microseconds; for a moment, those since 1970 UTC |
| `…_bytes`, `…_seconds` | bytes, seconds |
| `…_percent` | percent; 100 is one core |
| `…_mib_seconds` | mebibytes times seconds |
| `…_sealed` | encrypted; only the install's private key opens it |
| `rank` | the order of rows with equal times and sequence numbers, so that the tables don't depend on the order in which batches arrived |
";

/// A store as a new install has it.
fn fresh() -> Connection {
    let mut db = Connection::open_in_memory().unwrap();
    holds::add(&db).unwrap();
    migrate::migrate(&mut db).unwrap();
    db
}

fn rows(db: &Connection, sql: &str, of: &str) -> Vec<Vec<String>> {
    let mut statement = db.prepare(sql).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map(named_params! { ":of": of }, |row| {
        (0..columns)
            .map(|at| {
                let cell: Option<String> = row.get(at)?;
                Ok(cell.unwrap_or_default())
            })
            .collect()
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// The columns of an index, which is `l`, in the order in which it has them.
const INDEXED: &str = "(
    select group_concat(
        coalesce(x.name, '(expression)') || iif(lower(x.coll) = 'nocase', ' collate nocase', ''), '`, `' order by x.seqno
    )
    from pragma_index_xinfo(l.name) as x
    where x.key = 1
)";

fn generate(db: &Connection) -> String {
    let words = words();
    let mut text = HEAD.to_owned();
    let kinds = rows(
        db,
        "select name, type from pragma_table_list
         where schema = 'main' and type in ('table', 'view', 'virtual') and name not like 'sqlite%' and :of = ''
         order by name",
        "",
    );
    for [name, kind] in kinds.iter().map(|row| [&row[0], &row[1]]) {
        let kind = match kind.as_str() {
            "view" => " (a view)",
            "virtual" => " (full text)",
            _ => "",
        };
        write!(text, "\n## `{name}`{kind}\n\n").unwrap();
        if let Some(words) = words.get(name) {
            writeln!(text, "{words}\n").unwrap();
        }
        text += &columns(db, name, &words);
        text += &demanded(db, name);
        text += &served(db, name, &words);
        let view = "select sql from sqlite_schema where type = 'view' and name = :of";
        for made in rows(db, view, name) {
            write!(text, "\n```sql\n{};\n```\n", made[0]).unwrap();
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}

/// The columns of a table or a view, and its key.
fn columns(db: &Connection, name: &str, words: &HashMap<String, String>) -> String {
    let mut text = "| Column | Type | Description |\n|---|---|---|\n".to_owned();
    let columns = rows(
        db,
        "select name, lower(type), \"notnull\" || '', pk || '', hidden || '', dflt_value
         from pragma_table_xinfo(:of)
         where hidden <> 1
         order by cid",
        name,
    );
    let mut key: Vec<(u32, &str)> = Vec::new();
    for column in &columns {
        let [of, of_type, filled, place] = [&column[0], &column[1], &column[2], &column[3]];
        let null = match (filled.as_str(), place.as_str()) {
            ("0", "0") if !of_type.is_empty() => ", may be null",
            _ => "",
        };
        let computed = match column[4].as_str() {
            "2" | "3" => ", computed",
            _ => "",
        };
        let default = match column[5].as_str() {
            "" => String::new(),
            value => format!(", default `{value}`"),
        };
        let sealed = of.ends_with("_sealed").then_some("Encrypted.");
        let about = Some(column_words(words, name, of)).filter(|about| !about.is_empty());
        let about = Vec::from_iter(sealed.into_iter().chain(about)).join(" ");
        writeln!(
            text,
            "| `{of}` | {of_type}{null}{computed}{default} | {about} |"
        )
        .unwrap();
        if let Ok(place @ 1..) = place.parse() {
            key.push((place, of));
        }
    }
    key.sort_unstable();
    let key: Vec<&str> = key.iter().map(|(_, column)| *column).collect();
    if !key.is_empty() {
        write!(text, "\nPrimary key: `{}`.\n", key.join("`, `")).unwrap();
    }
    text
}

/// What a table demands of its rows, a line each.
fn demanded(db: &Connection, name: &str) -> String {
    let mut text = String::new();
    let references = rows(
        db,
        "select \"from\", \"table\", lower(on_delete) from pragma_foreign_key_list(:of) order by 1, 2",
        name,
    );
    for one in references {
        let gone = match one[2].as_str() {
            "cascade" => "; deleted with it",
            "set null" => "; null once that row is deleted",
            _ => "",
        };
        write!(text, "\n- `{}` refers to `{}`{gone}.", one[0], one[1]).unwrap();
    }
    let unique = format!(
        "select {INDEXED} from pragma_index_list(:of) as l where l.origin = 'u' order by 1"
    );
    for one in rows(db, &unique, name) {
        write!(text, "\n- Unique: `{}`.", one[0]).unwrap();
    }
    let made = rows(
        db,
        "select sql from sqlite_schema where type = 'table' and name = :of",
        name,
    );
    for (column, of) in made.iter().flat_map(|row| computed(&row[0])) {
        write!(text, "\n- Computed: `{column}` is `{of}`.").unwrap();
    }
    for check in made.iter().flat_map(|row| checks(&row[0])) {
        write!(text, "\n- Check: `{check}`.").unwrap();
    }
    text
}

/// By what a table is searched, and what follows when it changes, a line each.
fn served(db: &Connection, name: &str, words: &HashMap<String, String>) -> String {
    let mut text = String::new();
    let about = |name: &str| words.get(name).map_or("", String::as_str);
    let indexes = format!(
        "select l.name, {INDEXED}, s.sql
         from pragma_index_list(:of) as l
         join sqlite_schema as s on s.name = l.name
         where l.origin = 'c'
         order by 1"
    );
    for one in rows(db, &indexes, name) {
        let [index, columns, made] = [&one[0], &one[1], &one[2]];
        let part = condition(made).map(|of| format!(", where `{of}`"));
        let part = part.unwrap_or_default();
        let about = about(index);
        write!(text, "\n- Index `{index}`: `{columns}`{part}. {about}").unwrap();
    }
    let triggers = rows(
        db,
        "select name, sql from sqlite_schema where type = 'trigger' and tbl_name = :of order by 1",
        name,
    );
    for one in triggers {
        let [trigger, made] = [&one[0], &one[1]];
        let (event, about) = (event(made), about(trigger));
        write!(text, "\n- Trigger `{trigger}`, {event}: {about}").unwrap();
    }
    text
}

#[test]
fn the_committed_page_of_the_schema_is_what_the_migrations_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema.md");
    let wanted = generate(&fresh());
    if std::fs::read_to_string(&path).unwrap_or_default() != wanted {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &wanted).unwrap();
        panic!(
            "{} was not current; it has been written again: commit it",
            path.display()
        );
    }
}
