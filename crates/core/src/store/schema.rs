//! Writes `docs/schema.md` from the migrations: what is in the file, for whoever opens it with another tool.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, named_params};

use super::migrate;

const HEAD: &str = "<!-- Written from the migrations by `cargo test -p bobbin-core schema`. Not to be edited. -->

# Tables and columns of the store

This page is for anyone who queries Bobbin's store. It lists every table and column.

The store is one SQLite file, `bobbin.sqlite`. You can read it with any SQLite tool while Bobbin runs. Only Bobbin may write
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

/// What `schema_words.txt` says, and what the migrations say above tables, views, indexes and columns, by name; columns as
/// `table.column`.
fn words() -> HashMap<String, String> {
    let mut words = HashMap::new();
    for line in include_str!("schema_words.txt").lines() {
        if let Some((name, said)) = line.split_once(' ')
            && name != "#"
        {
            keep(&mut words, name.into(), said.trim().into());
        }
    }
    let (mut comment, mut table) = (String::new(), None::<String>);
    for line in migrate::steps().flat_map(str::lines) {
        let text = line.trim();
        if let Some(said) = text.strip_prefix("--") {
            let said = said.trim();
            let space = if comment.is_empty() { "" } else { " " };
            write!(comment, "{space}{said}").unwrap();
            continue;
        }
        let mut parts = text.split_whitespace();
        let said = std::mem::take(&mut comment);
        match (parts.next(), parts.next()) {
            (Some("create"), Some("table")) => {
                let name = parts.next().unwrap_or_default().to_owned();
                keep(&mut words, name.clone(), said);
                table = Some(name);
            }
            (Some("create"), Some("virtual")) => {
                keep(&mut words, parts.nth(1).unwrap_or_default().into(), said);
            }
            (Some("create"), Some("view" | "index")) => {
                keep(&mut words, parts.next().unwrap_or_default().into(), said);
            }
            (Some("alter"), Some("table")) => {
                let name = parts.next().unwrap_or_default();
                let column = parts.nth(2).unwrap_or_default();
                keep(&mut words, format!("{name}.{column}"), said);
            }
            (Some(column), Some(_)) if line.starts_with("    ") => {
                if let Some(table) = &table {
                    keep(&mut words, format!("{table}.{column}"), said);
                }
            }
            (Some(")" | ");"), _) => table = None,
            // Words above a blank line are about what follows as a whole, not about the next line.
            _ => {}
        }
    }
    words
}

fn keep(words: &mut HashMap<String, String>, name: String, said: String) {
    if !said.is_empty() {
        words.entry(name).or_insert(said);
    }
}

/// The words about one column; those about all columns of its name, where it has none.
fn column_words<'a>(words: &'a HashMap<String, String>, table: &str, column: &str) -> &'a str {
    let own = words.get(&format!("{table}.{column}"));
    own.or_else(|| words.get(&format!("*.{column}")))
        .map_or("", String::as_str)
}

/// What each `check (…)` of a table demands, in order.
fn checks(made: &str) -> Vec<String> {
    let lines = made.lines();
    let words: Vec<&str> = lines
        .filter_map(|line| line.split("--").next())
        .flat_map(str::split_whitespace)
        .collect();
    let plain = words.join(" ");
    let inside = |rest: &str| {
        let mut depth = 1;
        let end = rest.find(|sign: char| {
            match sign {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        Some(rest[..end].trim().to_owned())
    };
    plain.split("check (").skip(1).filter_map(inside).collect()
}

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
        text += "| Column | Type | Description |\n|---|---|---|\n";
        let columns = rows(
            db,
            "select name, lower(type), \"notnull\" || '', pk || '' from pragma_table_xinfo(:of) where hidden <> 1 order by cid",
            name,
        );
        let mut key: Vec<(u32, &str)> = Vec::new();
        for column in &columns {
            let [of, of_type, filled, place] = [&column[0], &column[1], &column[2], &column[3]];
            let null = match (filled.as_str(), place.as_str()) {
                ("0", "0") if !of_type.is_empty() => ", may be null",
                _ => "",
            };
            let sealed = of.ends_with("_sealed").then_some("Encrypted.");
            let about = Some(column_words(&words, name, of)).filter(|about| !about.is_empty());
            let about = Vec::from_iter(sealed.into_iter().chain(about)).join(" ");
            writeln!(text, "| `{of}` | {of_type}{null} | {about} |").unwrap();
            if let Ok(place @ 1..) = place.parse() {
                key.push((place, of));
            }
        }
        key.sort_unstable();
        let key: Vec<&str> = key.iter().map(|(_, column)| *column).collect();
        if !key.is_empty() {
            write!(text, "\nPrimary key: `{}`.\n", key.join("`, `")).unwrap();
        }
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
        let made = rows(
            db,
            "select sql from sqlite_schema where type = 'table' and name = :of",
            name,
        );
        for check in made.iter().flat_map(|row| checks(&row[0])) {
            write!(text, "\n- Check: `{check}`.").unwrap();
        }
        let indexes = rows(
            db,
            "select l.name, (
                 select group_concat(coalesce(i.name, '(expression)'), '`, `' order by i.seqno)
                 from pragma_index_info(l.name) as i
             )
             from pragma_index_list(:of) as l where l.origin = 'c' order by 1",
            name,
        );
        for one in indexes {
            let about = words.get(&one[0]).map_or("", String::as_str);
            write!(text, "\n- Index `{}`: `{}`. {about}", one[0], one[1]).unwrap();
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
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

#[test]
fn every_table_column_and_index_is_described_and_nothing_else_is() {
    let db = fresh();
    let columns = rows(
        &db,
        "select t.name, c.name from pragma_table_list as t, pragma_table_xinfo(t.name) as c
         where t.schema = 'main' and t.type in ('table', 'view', 'virtual') and t.name not like 'sqlite%'
             and c.hidden <> 1 and :of = ''",
        "",
    );
    let others = rows(
        &db,
        "select name from sqlite_schema where type = 'index' and sql is not null and :of = ''
         union all select name from pragma_table_list
         where schema = 'main' and type in ('table', 'view', 'virtual') and name not like 'sqlite%'",
        "",
    );
    let words = words();
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

    let written = include_str!("schema_words.txt");
    let gone: Vec<&str> = written
        .lines()
        .filter_map(|line| line.split_once(' ').map(|(name, _)| name))
        .filter(|name| {
            let of_column = name.split_once('.').is_some_and(|(table, column)| {
                let mut same = columns.iter();
                same.any(|one| (table == "*" || one[0] == table) && one[1] == column)
            });
            *name != "#" && !of_column && !others.iter().any(|one| one[0] == *name)
        })
        .collect();
    assert_eq!(
        gone,
        Vec::<&str>::new(),
        "schema_words.txt names what is not there"
    );
}

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

/// Every `.sql` file of the crate but the migrations, with its text.
fn statements() -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("migrations") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "sql") {
                let sql = std::fs::read_to_string(&path).unwrap();
                found.insert(path, sql);
            }
        }
    }
    found
}

/// The steps of SQLite's plan for a statement; none for what is no whole statement, but put into one.
fn plan(db: &Connection, sql: &str) -> Vec<String> {
    let Ok(mut explained) = db.prepare(&format!("explain query plan {sql}")) else {
        return Vec::new();
    };
    let steps = explained.raw_query().mapped(|row| row.get("detail"));
    steps.collect::<Result<_, _>>().unwrap_or_default()
}

/// Those that the list of clusters may be asked for are put together from parts: its orders and its filters. Its own tests have them
/// read, each.
pub(crate) const BY_PARTS: [&str; 25] = [
    "cluster_started",
    "cluster_shown_name",
    "cluster_user",
    "cluster_host",
    "cluster_project",
    "cluster_pinned",
    "cluster_noted",
    "cluster_total_seen",
    "cluster_total_exceptions",
    "cluster_total_started",
    "cluster_total_codes",
    "cluster_total_no_codes",
    "cluster_total_no_exceptions",
    "cluster_total_by_last_work",
    "cluster_total_by_duration",
    "cluster_total_by_workers",
    "cluster_total_by_threads",
    "cluster_total_by_memory",
    "cluster_total_by_tasks",
    "cluster_total_by_compute",
    "cluster_total_by_thread_time",
    "cluster_total_by_stalled",
    "cluster_total_by_efficiency",
    "cluster_total_by_exceptions",
    "cluster_total_figures",
];

#[test]
fn every_index_serves_a_statement_or_a_reference() {
    let db = fresh();
    let plans: Vec<String> = statements()
        .values()
        .flat_map(|sql| plan(&db, sql))
        .collect();
    assert!(plans.len() > 100);
    let used = |name: &str| {
        plans
            .iter()
            .any(|step| step.split_whitespace().any(|word| word == name))
    };
    let references: HashSet<String> = rows(
        &db,
        "select distinct l.name
         from pragma_table_list as t, pragma_foreign_key_list(t.name) as f, pragma_index_list(t.name) as l,
             pragma_index_info(l.name) as i
         where t.schema = 'main' and i.seqno = 0 and i.name = f.\"from\" and :of = ''",
        "",
    )
    .into_iter()
    .flatten()
    .collect();
    let idle: Vec<String> = rows(
        &db,
        "select name from sqlite_schema where type = 'index' and sql is not null and :of = '' order by name",
        "",
    )
    .into_iter()
    .flatten()
    .filter(|name| !used(name) && !references.contains(name) && !BY_PARTS.contains(&name.as_str()))
    .collect();
    assert_eq!(idle, Vec::<String>::new());
}

/// Tables that grow with every batch or cluster.
const LARGE: [&str; 15] = [
    "sample",
    "sample_worker",
    "worker_event",
    "batch",
    "task_group",
    "computation",
    "exception",
    "event",
    "metric",
    "metric_word",
    "span",
    "profile",
    "profile_stack",
    "cluster_frame",
    "cluster_prefix",
];

/// Statements that look through all of a large table, each with why it may.
const WHOLE: [(&str, &str); 3] = [
    (
        "exception_kinds.sql",
        "every failure belongs to a kind; the index has all that chooses the page",
    ),
    (
        "search_messages.sql",
        "in the order of the answer, until there are enough",
    ),
    ("search_sealed.sql", "counts"),
];

#[test]
fn no_question_reads_the_whole_of_a_large_table() {
    let db = fresh();
    let mut whole = Vec::new();
    for (path, sql) in statements() {
        // What is handed out as whole tables is read whole.
        if path.parent().unwrap().ends_with("query/tables") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let aliases = aliases(&sql);
        for step in plan(&db, &sql) {
            let Some(scanned) = step.strip_prefix("SCAN ") else {
                continue;
            };
            let alias = scanned.split_whitespace().next().unwrap_or_default();
            let table = aliases.get(alias).map_or(alias, String::as_str);
            if LARGE.contains(&table) && !WHOLE.iter().any(|(known, _)| *known == name) {
                whole.push(format!("{name}: {step}"));
            }
        }
    }
    assert_eq!(whole, Vec::<String>::new());
}

/// Tables by the short names that a statement gives them.
fn aliases(sql: &str) -> HashMap<String, String> {
    let words: Vec<&str> = sql.split_whitespace().collect();
    let mut found = HashMap::new();
    for four in words.windows(4) {
        if matches!(four[0], "from" | "join") && four[2] == "as" {
            found.insert(four[3].trim_matches([',', ')']).into(), four[1].into());
        }
    }
    found
}
