//! What SQLite plans for each statement of the crate: its indexes are needed, and what grows is not looked through.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::made::condition;
use super::{fresh, rows};

/// Every `.sql` file of the crate but the migrations, with its text, by its path in `src`.
fn statements() -> BTreeMap<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeMap::new();
    let mut folders = vec![source.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("migrations") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "sql") {
                let sql = std::fs::read_to_string(&path).unwrap();
                found.insert(path.strip_prefix(&source).unwrap().into(), sql);
            }
        }
    }
    assert!(found.len() > 100, "{} statements", found.len());
    found
}

/// The steps of SQLite's plan for a statement, which is a whole one.
fn plan(db: &Connection, path: &Path, sql: &str) -> Vec<String> {
    let explained = db.prepare(&format!("explain query plan {sql}"));
    let mut explained = explained.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let steps = explained.raw_query().mapped(|row| row.get("detail"));
    steps.collect::<Result<_, _>>().unwrap()
}

fn names(step: &str, index: &str) -> bool {
    step.split_whitespace().any(|word| word == index)
}

/// Those that the list of clusters may be asked for are put together from parts: its orders and its filters. Its own tests
/// have them read, each.
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

/// That an index has all that is asked for, and is looked through instead of the rows, is not enough.
#[test]
fn every_index_is_searched_or_spares_a_sort_or_serves_a_reference() {
    let (db, statements) = (fresh(), statements());
    let plans: Vec<String> = statements
        .iter()
        .flat_map(|(path, sql)| plan(&db, path, sql))
        .collect();
    let searched = |index: &str| {
        let mut steps = plans.iter();
        steps.any(|step| step.starts_with("SEARCH ") && names(step, index))
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
    .filter(|name| {
        !searched(name)
            && !references.contains(name)
            && !BY_PARTS.contains(&name.as_str())
            && !spares_a_sort(&db, &statements, name)
    })
    .collect();
    assert_eq!(idle, Vec::<String>::new());
}

/// Whether a statement that walks along an index has to sort without it.
fn spares_a_sort(db: &Connection, statements: &BTreeMap<PathBuf, String>, index: &str) -> bool {
    let without = fresh();
    without
        .execute_batch(&format!("drop index {index}"))
        .unwrap();
    // What stands in order but for its last columns is sorted a few rows at a time: `FOR LAST TERM OF ORDER BY`.
    let is_sort = |step: &&String| step.contains("TEMP B-TREE") && !step.contains(" OF ");
    let sorts = |steps: &[String]| steps.iter().filter(is_sort).count();
    statements
        .iter()
        .filter(|(_, sql)| !sql.contains(&format!("indexed by {index}")))
        .any(|(path, sql)| {
            let steps = plan(db, path, sql);
            steps.iter().any(|step| names(step, index))
                && sorts(&plan(&without, path, sql)) > sorts(&steps)
        })
}

/// Tables that do not grow with every batch or cluster: those of one row, what people write, what waits, and files.
const SMALL: [&str; 17] = [
    "budget",
    "code_forgotten",
    "deletion",
    "deletions_done",
    "frame_forgotten",
    "inbox_file",
    "inbox_taken",
    "ingest_key",
    "install_key",
    "price_change",
    "retention",
    "retention_clock",
    "saved_view",
    "stalled_due",
    "usage_day_stale",
    "usage_ever",
    "user_merge",
];

/// Statements that look through all of tables that grow, each with these tables and why it may.
const WHOLE: [(&str, &[&str], &str); 25] = [
    (
        "api/sql/team_all.sql",
        &["cluster"],
        "a place of files is compared with all that is here",
    ),
    (
        "api/sql/told_names.sql",
        &["cluster"],
        "an alias is no name: it is made of each",
    ),
    (
        "api/sql/users_count_again.sql",
        &["cluster"],
        "somebody said who counts as whom",
    ),
    (
        "query/clusters_count_all.sql",
        &["cluster"],
        "counts, along the narrowest index",
    ),
    (
        "query/clusters_find.sql",
        &["cluster"],
        "somebody typed a part of an id, or a name",
    ),
    (
        "query/exception_kinds.sql",
        &["exception", "cluster"],
        "every failure belongs to a kind; the index has all that chooses the page",
    ),
    (
        "query/exception_places.sql",
        &["name"],
        "texts, where some are asked for",
    ),
    (
        "query/filter/names.sql",
        &["name"],
        "texts, each once in the store",
    ),
    (
        "query/price/hosts.sql",
        &["cluster"],
        "along an index of them",
    ),
    (
        "query/price/projects.sql",
        &["cluster"],
        "along an index of them",
    ),
    (
        "query/reporters.sql",
        &["cluster", "cluster_total", "instance"],
        "the doctor asks which clusters were heard lately, by this machine's clock",
    ),
    (
        "query/retention/storage.sql",
        &["deleted_cluster"],
        "counts what was deleted, a short row each",
    ),
    (
        "query/samples_others.sql",
        &["cluster", "cluster_total"],
        "until the first that is no sample",
    ),
    (
        "query/samples_used.sql",
        &["cluster", "cluster_total"],
        "sums, while a sample is stored",
    ),
    (
        "query/search_code.sql",
        &["computation_code"],
        "in the order of the answer, a page at a time",
    ),
    (
        "query/search_exceptions.sql",
        &["name"],
        "texts, each once in the store",
    ),
    (
        "query/search_frames.sql",
        &["frame"],
        "names of functions, each once in the store",
    ),
    (
        "query/search_functions.sql",
        &["name"],
        "texts, each once in the store",
    ),
    (
        "query/search_messages.sql",
        &["exception"],
        "in the order of the answer, until there are enough",
    ),
    (
        "query/search_sealed.sql",
        &["exception", "computation_code"],
        "counts",
    ),
    (
        "query/switch_facts.sql",
        &["cluster_switch"],
        "counts, for the page of privacy",
    ),
    (
        "query/switches.sql",
        &["cluster_switch"],
        "counts, for the page of privacy",
    ),
    (
        "query/usage_each.sql",
        &["cluster", "cluster_total"],
        "sums, where each cluster has a price of its own",
    ),
    (
        "retain/sql/oldest.sql",
        &["cluster", "cluster_total"],
        "when whole clusters have to make room",
    ),
    (
        "share/sql/imported_from.sql",
        &["imported"],
        "clusters that came in a file, of one kind",
    ),
];

/// Indexes of few rows: to look through one is not to look through its table.
const FEW: [&str; 2] = ["cluster_pinned", "cluster_total_alive"];

#[test]
fn no_question_reads_the_whole_of_a_table_that_grows() {
    let db = fresh();
    let tables = "select name from pragma_table_list
         where schema = 'main' and type = 'table' and name not like 'sqlite%' and :of = ''";
    let tables: HashSet<String> = rows(&db, tables, "").into_iter().flatten().collect();
    let gone = SMALL.iter().find(|table| !tables.contains(**table));
    assert_eq!(gone, None, "there is no such table");
    let partial = "select name, sql from sqlite_schema
         where type = 'index' and sql is not null and :of = ''";
    let partial: HashSet<String> = rows(&db, partial, "")
        .into_iter()
        .filter(|index| condition(&index[1]).is_some())
        .map(|index| index[0].clone())
        .collect();
    let full = FEW.iter().find(|index| !partial.contains(**index));
    assert_eq!(full, None, "there is no such index, or it has all rows");
    let mut whole = Vec::new();
    for (path, sql) in statements() {
        // What is handed out as whole tables is read whole.
        if path.starts_with("query/tables") {
            continue;
        }
        let named = WHOLE.iter().find(|(known, ..)| path == Path::new(known));
        let named = named.map_or(&[][..], |(_, tables, _)| *tables);
        let aliases = aliases(&sql);
        for step in plan(&db, &path, &sql) {
            let Some(scanned) = step.strip_prefix("SCAN ") else {
                continue;
            };
            let alias = scanned.split_whitespace().next().unwrap_or_default();
            let table = aliases.get(alias).map_or(alias, String::as_str);
            let may = SMALL.contains(&table)
                || named.contains(&table)
                || FEW.iter().any(|index| names(scanned, index));
            if tables.contains(table) && !may {
                whole.push(format!("{}: {step}", path.display()));
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
