//! The second peer: the rows that Bobbin stores of each report, by the receiver's own statements, in the same tables with
//! the same indexes. Nothing is read, added up or looked up meanwhile, no trigger runs, no foreign key is checked and
//! nobody is answered: what any program that stores these rows comes to at most.

use std::path::Path;

use rusqlite::{Connection, Statement, params_from_iter, types::Value as Cell};

use super::{Pace, beat, failed, make, open};
use crate::process::{Failure, Result};

/// Those that the rows of a usual report are in, and `user_merge`, which a statement looks into.
const TABLES: [&str; 12] = [
    "batch",
    "cluster",
    "cluster_fact",
    "cluster_hour",
    "cluster_switch",
    "cluster_total",
    "instance",
    "name",
    "sample",
    "task_group",
    "usage_ever",
    "user_merge",
];

/// As a store of Bobbin's has them, but for the foreign keys.
const SETTINGS: &str =
    "pragma auto_vacuum = incremental; pragma journal_mode = wal; pragma synchronous = full;
    pragma secure_delete = on; pragma foreign_keys = off; pragma cache_size = -16384";

/// The one row that is there from the start.
const EVER: &str = "insert into usage_ever (
        id, clusters, compute_micros, transfer_micros, disk_micros, other_micros, thread_micros, worker_micros,
        memory_mib_seconds, tasks_completed, tasks_erred, result_bytes, workers_peak
    )
    values (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)";

macro_rules! statements {
    ($($put:ident $file:literal,)*) => {
        /// A statement of the receiver's.
        #[derive(Clone, Copy)]
        pub enum Put {
            $($put,)*
        }

        /// Their texts, in the same order.
        const SQL: &[&str] = &[
            $(include_str!(concat!("../../../../../core/src/ingest/sql/", $file, ".sql")),)*
        ];
    };
}

statements! {
    Cluster "cluster_new",
    Total "cluster_total_new",
    Instance "instance_new",
    Newest "cluster_newest_instance",
    Switches "switch_set",
    About "cluster_record",
    Fact "cluster_fact",
    Interval "cluster_interval",
    Batch "batch_new",
    Sample "sample_new",
    Hour "cluster_hour_add",
    TotalMore "cluster_total_add",
    Name "name_new",
    Group "task_group",
    GroupLater "task_group_later",
    EverMore "usage_ever_add",
}

/// What one statement writes: a row, which is new or in the place of another.
pub struct Row {
    put: Put,
    cells: Vec<Cell>,
}

/// The names of the parameters of each statement, in their order.
pub struct Parameters(Vec<Vec<String>>);

impl Parameters {
    fn of(statements: &[Statement<'_>]) -> Self {
        let names = |statement: &Statement<'_>| -> Vec<String> {
            (1..=statement.parameter_count())
                .filter_map(|at| statement.parameter_name(at)?.strip_prefix(':'))
                .map(str::to_owned)
                .collect()
        };
        Self(statements.iter().map(names).collect())
    }

    /// The row of a statement, each parameter with its value.
    pub fn row(&self, put: Put, value: impl Fn(&str) -> Cell) -> Row {
        let names = &self.0[put as usize];
        Row {
            put,
            cells: names.iter().map(|name| value(name)).collect(),
        }
    }
}

/// Commits the rows of each body, `group` bodies a transaction, into a store with these tables.
///
/// # Errors
/// SQLite fails, or a body cannot be read.
pub fn commit_all(folder: &Path, tables: &str, bodies: &[Vec<u8>], group: usize) -> Result<Pace> {
    let db = make(&folder.join("rows.sqlite"), SETTINGS, tables)?;
    db.execute_batch(EVER).map_err(failed)?;
    let mut statements = SQL
        .iter()
        .map(|sql| db.prepare(sql))
        .collect::<rusqlite::Result<Vec<_>>>()
        .map_err(failed)?;
    let commits = beat::commits(bodies, group, &Parameters::of(&statements))?;
    Pace::of(bodies.len(), || {
        commits
            .iter()
            .try_for_each(|rows| commit(&db, &mut statements, rows))
    })
}

fn commit(db: &Connection, statements: &mut [Statement<'_>], rows: &[Row]) -> Result {
    let transaction = db.unchecked_transaction().map_err(failed)?;
    for Row { put, cells } in rows {
        let changed = statements[*put as usize]
            .execute(params_from_iter(cells))
            .map_err(failed)?;
        // A row that was left out would make it look faster.
        if changed != 1 {
            let sql = SQL[*put as usize];
            return Err(Failure::new(format!("{changed} rows changed by {sql}")));
        }
    }
    transaction.commit().map_err(failed)
}

/// What makes the tables that are written here, and their indexes, as a store has them.
///
/// # Errors
/// The store cannot be read.
pub fn tables(store: &Path) -> Result<String> {
    let names = TABLES.map(|name| format!("'{name}'")).join(", ");
    let read = || -> rusqlite::Result<Vec<String>> {
        let db = open(store)?;
        let mut found = db.prepare(&format!(
            "select sql from sqlite_master where tbl_name in ({names}) and type in ('table', 'index') and sql is not null order by type desc"
        ))?;
        found.query_map([], |row| row.get(0))?.collect()
    };
    let found = read().map_err(|error| Failure::new(format!("{}: {error}", store.display())))?;
    Ok(found.join("\n;\n"))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, env, fs, path::PathBuf, process, sync::Arc};

    use bobbin_core::{
        api::{App, Role},
        clock::ManualClock,
    };
    use serde_json::json;

    use super::*;
    use crate::bench::measure::batches::{self, Shape};

    /// What triggers write, and the ranks of instances, which are another hash of their ids.
    const OTHERS: [&str; 8] = [
        "cluster.record_rank",
        "cluster_total.first_at_micros",
        "cluster_total.host",
        "cluster_total.said_user",
        "cluster_total.sample_rank",
        "cluster_total.started_micros",
        "instance.rank",
        "task_group.rank",
    ];

    /// What is sent to a store of Bobbin's and to this one.
    const SHAPE: Shape = Shape {
        clusters: 2,
        groups: 3,
    };

    #[test]
    fn the_rows_are_those_that_bobbin_stores() {
        let folder = env::temp_dir().join(format!("bobbin-peer-rows-{}", process::id()));
        let alone = folder.join("alone");
        fs::create_dir_all(&alone).unwrap();
        let bodies = batches::make(SHAPE, 6, 0);
        let (bobbin, filled) = fill(&folder.join("bobbin"), &bodies);
        commit_all(&alone, &tables(&bobbin).unwrap(), &bodies, 4).unwrap();
        for table in TABLES {
            let rows = told(&bobbin, table);
            assert!(table == "user_merge" || !rows.is_empty(), "{table}");
            assert_eq!(told(&alone.join("rows.sqlite"), table), rows, "{table}");
        }
        // Whatever else Bobbin writes a report to, its triggers do.
        for table in filled {
            assert!(
                TABLES.contains(&table.as_str()) || is_of_triggers(&bobbin, &table),
                "{table}"
            );
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_report_with_other_rows_is_refused() {
        let folder = env::temp_dir().join(format!("bobbin-peer-refused-{}", process::id()));
        let (bobbin, _) = fill(&folder, &batches::make(SHAPE, 1, 0));
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(&tables(&bobbin).unwrap()).unwrap();
        let statements: Vec<_> = SQL.iter().map(|sql| db.prepare(sql).unwrap()).collect();
        let parameters = Parameters::of(&statements);
        let refusal = |body: Vec<u8>| {
            let refused = beat::commits(&[body], 1, &parameters).err();
            refused.map(|failure| failure.to_string())
        };
        let report = |line: &str| {
            let header = json!({
                "kind": "header", "protocol": 1, "cluster_id": "c", "instance_id": "i", "first_seq": 1, "records": 1,
                "sent_at_micros": 1_795_000_000_000_000_i64, "monotonic_micros": 1, "plugin_version": "0.1.0",
            });
            batches::gzip(&format!("{header}\n{line}\n"))
        };
        let stop = r#""kind": "stop", "at_micros": 1795000000000000, "reason": "closed""#;
        assert_eq!(refusal(batches::one(SHAPE, 0, 0, 0)), None);
        for (line, what) in [
            (format!("{{{stop}}}"), "stop"),
            (format!(r#"{{{stop}, "later": 1}}"#), "line"),
            (r#"{"kind": "later"}"#.into(), "line"),
            ("no record".into(), "line"),
        ] {
            let refused = refusal(report(&line)).unwrap();
            let said = format!("a usual report has no {what}");
            assert!(refused.contains(&said), "{line}: {refused}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_row_that_is_not_written_fails() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch("create table t (a unique); insert into t values (1)")
            .unwrap();
        let mut statements = [db.prepare("insert or ignore into t values (:a)").unwrap()];
        let parameters = Parameters::of(&statements);
        let mut write = |a: i64| {
            let row = parameters.row(Put::Cluster, |name| {
                assert_eq!(name, "a");
                Cell::Integer(a)
            });
            commit(&db, &mut statements, &[row])
        };
        assert!(write(2).is_ok());
        assert!(write(1).is_err());
    }

    /// Has Bobbin store the bodies, each when it was sent. Gives its store, and which tables have more rows than before.
    fn fill(folder: &Path, bodies: &[Vec<u8>]) -> (PathBuf, Vec<String>) {
        let batches: Vec<_> = bodies
            .iter()
            .map(|body| beat::decoded(body).unwrap())
            .collect();
        let clock = Arc::new(ManualClock::at(batches[0].header.sent_at_micros));
        let app = App::open(folder, Role::Owner, clock.clone()).unwrap();
        let store = folder.join("bobbin.sqlite");
        let before = counts(&store);
        for batch in batches {
            clock.set(batch.header.sent_at_micros);
            assert!(app.ingest(batch).unwrap().refused.is_empty());
        }
        app.drain().unwrap();
        let mut filled = counts(&store);
        // The writer notes the clock by itself, sooner or later.
        filled.remove("retention_clock");
        filled.retain(|table, rows| before[table] < *rows);
        (store, filled.into_keys().collect())
    }

    /// How many rows each table has.
    fn counts(store: &Path) -> BTreeMap<String, u64> {
        let db = open(store).unwrap();
        let tables = list(
            &db,
            "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'",
        );
        let count = |table: String| {
            let sql = format!("select count(*) from \"{table}\"");
            let rows: u64 = db.query_one(&sql, [], |row| row.get(0)).unwrap();
            (table, rows)
        };
        tables.into_iter().map(count).collect()
    }

    fn is_of_triggers(store: &Path, table: &str) -> bool {
        let writes = "select count(*) > 0 from sqlite_master
            where type = 'trigger' and sql like '%into ' || ?1 || ' %'";
        let db = open(store).unwrap();
        db.query_one(writes, [table], |row| row.get(0)).unwrap()
    }

    /// All rows of a table, without what others write.
    fn told(store: &Path, table: &str) -> Vec<String> {
        let db = open(store).unwrap();
        let columns = list(
            &db,
            &format!("select name from pragma_table_xinfo('{table}') where hidden = 0"),
        );
        let columns: Vec<String> = columns
            .iter()
            .filter(|column| !OTHERS.contains(&format!("{table}.{column}").as_str()))
            .map(|column| format!("'{column} ' || quote({column})"))
            .collect();
        let columns = columns.join(" || ', ' || ");
        list(&db, &format!("select {columns} from {table} order by 1"))
    }

    fn list(db: &Connection, sql: &str) -> Vec<String> {
        let mut found = db.prepare(sql).unwrap();
        let found = found.query_map([], |row| row.get(0)).unwrap();
        found.collect::<rusqlite::Result<_>>().unwrap()
    }
}
