//! Numbered steps from one schema to the next, all or none in one transaction, counted in `user_version`.

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::{Error, Result};

/// The steps, in order. A released one is never edited.
const STEPS: &[&str] = &[
    include_str!("migrations/0001_start.sql"),
    include_str!("migrations/0002_inbox.sql"),
    include_str!("migrations/0003_marks.sql"),
    include_str!("migrations/0004_search.sql"),
    include_str!("migrations/0005_fingerprint.sql"),
    include_str!("migrations/0006_exception.sql"),
    include_str!("migrations/0007_prices.sql"),
    include_str!("migrations/0008_computation_start.sql"),
    include_str!("migrations/0009_usage_day.sql"),
    include_str!("migrations/0010_retention.sql"),
    include_str!("migrations/0011_frame.sql"),
    include_str!("migrations/0012_profile_rollup.sql"),
    include_str!("migrations/0013_imported.sql"),
    include_str!("migrations/0014_people.sql"),
    include_str!("migrations/0015_forgotten_code.sql"),
    include_str!("migrations/0016_usage_packed.sql"),
    include_str!("migrations/0017_budget.sql"),
    include_str!("migrations/0018_list.sql"),
    include_str!("migrations/0019_source_format.sql"),
    include_str!("migrations/0020_secret.sql"),
    include_str!("migrations/0021_list_range.sql"),
    include_str!("migrations/0022_wide_rows.sql"),
    include_str!("migrations/0023_folded.sql"),
    include_str!("migrations/0024_deletions_done.sql"),
    include_str!("migrations/0025_inbox_taken.sql"),
    include_str!("migrations/0026_version.sql"),
    include_str!("migrations/0027_lists_and_groups.sql"),
    include_str!("migrations/0028_mark_finished.sql"),
    include_str!("migrations/0029_told_by.sql"),
    include_str!("migrations/0030_unchecked.sql"),
    include_str!("migrations/0031_figures.sql"),
    include_str!("migrations/0032_lines.sql"),
    include_str!("migrations/0033_stalled_hours.sql"),
    include_str!("migrations/0034_wide_stacks.sql"),
    include_str!("migrations/0035_metric_words.sql"),
    include_str!("migrations/0036_stalled_order.sql"),
    include_str!("migrations/0037_narrow.sql"),
    include_str!("migrations/0038_stalled_range.sql"),
];

/// The first step from which on tables say the number, too.
const SAID_SINCE: u32 = 26;

/// Marks the file as Bobbin's: "Bobb".
const APPLICATION: i32 = 0x426f_6262;

/// The oldest schema that this build upgrades; 0 is an empty file.
pub(crate) const OLDEST: u32 = 1;

/// The schema that this build writes.
pub(crate) fn known() -> u32 {
    STEPS.len() as u32
}

/// What the steps are, for the page that tells of them.
#[cfg(test)]
pub(super) fn steps() -> impl Iterator<Item = &'static str> {
    STEPS.iter().copied()
}

/// The schema of the file; 0 is an empty file.
///
/// # Errors
/// [`Error::StoreTooNew`]; [`Error::Invalid`] if the file is another program's; [`Error::StoreDamaged`].
pub(super) fn check(db: &Connection) -> Result<u32> {
    let application: i32 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let found: u32 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = db.query_row("select count(*) from sqlite_schema", [], |row| row.get(0))?;
    let ours: i64 = db.query_row(
        "select count(*) from sqlite_schema where name in ('install', 'cluster', 'batch')",
        [],
        |row| row.get(0),
    )?;
    if ours == 3 && (application != APPLICATION || found == 0) {
        return Err(Error::StoreDamaged {
            path: super::FILE.into(),
            detail: "its tables are Bobbin's, but its header is not".into(),
        });
    }
    if application != APPLICATION && (application != 0 || found != 0 || tables != 0) {
        return Err(Error::Invalid {
            what: "store",
            value: super::FILE.into(),
            reason: "it was written by another program".into(),
        });
    }
    if tables != 0 {
        agrees(db, found)?;
    }
    if found > known() {
        return Err(Error::StoreTooNew {
            found,
            known: known(),
        });
    }
    Ok(found)
}

/// Tells a head that is damaged from one of another version: those say the same as their tables.
///
/// # Errors
/// [`Error::StoreDamaged`].
fn agrees(db: &Connection, found: u32) -> Result<()> {
    let detail = match said(db)? {
        Some(said) if said != found => {
            format!("its header says schema {found}, but its tables are from schema {said}")
        }
        None if found >= SAID_SINCE => {
            format!(
                "its header says schema {found}, but its tables are from before schema {SAID_SINCE}"
            )
        }
        _ => return Ok(()),
    };
    Err(Error::StoreDamaged {
        path: super::FILE.into(),
        detail,
    })
}

/// The number of the schema by its own words; none before they had any.
///
/// # Errors
/// [`Error::StoreDamaged`], [`Error::Sqlite`].
pub(super) fn said(db: &Connection) -> Result<Option<u32>> {
    let says: bool = db.query_row(
        "select exists (select 1 from sqlite_schema where type = 'view' and name = 'schema_version')",
        [],
        |row| row.get(0),
    )?;
    if !says {
        return Ok(None);
    }
    let number = db.query_row("select number from schema_version", [], |row| row.get(0));
    match number {
        Ok(number) => Ok(Some(number)),
        // It is no number, or no question any more.
        Err(error) if matches!(error.sqlite_error_code(), None | Some(ErrorCode::Unknown)) => {
            Err(Error::StoreDamaged {
                path: super::FILE.into(),
                detail: format!("its tables do not name their schema: {error}"),
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// Brings the schema up to this build's.
///
/// # Errors
/// As [`check`]; [`Error::Sqlite`], after which the file is as it was.
pub(super) fn migrate(db: &mut Connection) -> Result<()> {
    migrate_to(db, known())
}

/// Brings the schema up to a step that this build knows.
///
/// # Errors
/// As [`migrate`].
pub(super) fn migrate_to(db: &mut Connection, schema: u32) -> Result<()> {
    if check(db)? >= schema {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = check(&tx)?;
    for step in &STEPS[found as usize..schema as usize] {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION)?;
    tx.pragma_update(None, "user_version", schema)?;
    tx.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::fallible_iterator::FallibleIterator;
    use rusqlite::{Batch, OpenFlags};

    use super::*;

    #[test]
    fn from_the_step_that_says_its_number_on_each_does() {
        for schema in 1..=known() {
            let mut db = Connection::open_in_memory().unwrap();
            migrate_to(&mut db, schema).unwrap();
            let expected = (schema >= SAID_SINCE).then_some(schema);
            assert_eq!(said(&db).unwrap(), expected, "schema {schema}");
        }
    }

    #[test]
    fn a_number_in_the_head_that_the_tables_do_not_say_is_damage_and_no_other_version() {
        let newest = known();
        for (schema, head) in [
            (newest, newest + 1),
            (newest, newest | 1 << 20),
            (newest, newest - 1),
            (newest, 1),
            (SAID_SINCE - 1, SAID_SINCE),
            (SAID_SINCE - 1, newest + 64),
        ] {
            let mut db = Connection::open_in_memory().unwrap();
            migrate_to(&mut db, schema).unwrap();
            db.pragma_update(None, "user_version", head).unwrap();
            let error = check(&db).unwrap_err();
            let Error::StoreDamaged { detail, .. } = &error else {
                panic!("{schema} and {head}: {error}");
            };
            assert!(detail.contains(&format!("header says schema {head}")));
        }
        for text in ["select 25 as numbex", "select 'x' as number"] {
            let mut db = Connection::open_in_memory().unwrap();
            migrate(&mut db).unwrap();
            db.execute_batch(&format!(
                "drop view schema_version; create view schema_version as {text}"
            ))
            .unwrap();
            let error = check(&db).unwrap_err();
            assert!(matches!(error, Error::StoreDamaged { .. }), "{error}");
        }
    }

    #[test]
    fn exceptions_from_before_fingerprints_are_of_one_kind_each() {
        let mut db = Connection::open_in_memory().unwrap();
        for step in &STEPS[..5] {
            db.execute_batch(step).unwrap();
        }
        db.execute_batch(
            "insert into cluster (id, scheduler_id, first_at_micros) values (1, 'one', 0), (2, 'two', 0);
             insert into name (id, text) values (1, 'ValueError');
             insert into exception (
                 cluster_id, exception_id, at_micros, seq, rank, origin, type_id, first_seen_micros, last_seen_micros,
                 count, dependents
             )
             values (1, 'e', 0, 1, 1, 'user', 1, 0, 0, 1, 0), (1, 'f', 0, 2, 1, 'user', 1, 0, 0, 1, 0),
                 (2, 'e', 0, 1, 1, 'user', 1, 0, 0, 1, 0)",
        )
        .unwrap();
        db.pragma_update(None, "application_id", APPLICATION)
            .unwrap();
        db.pragma_update(None, "user_version", 5).unwrap();
        migrate(&mut db).unwrap();
        let kinds: i64 = db
            .query_one(
                "select count(distinct fingerprint) from exception where fingerprint <> ''",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(kinds, 3);
    }

    /// The tables whose rows are made anew by a later step, and their keys.
    const WIDE: [(&str, &str); 6] = [
        ("computation", "cluster_id, computation_id"),
        ("computation_code", "cluster_id, computation_id"),
        ("span", "cluster_id, span_id"),
        ("profile_line", "instance_id, seq"),
        ("profile_stack", "instance_id, seq"),
        ("sample_worker", "instance_id, seq"),
    ];

    /// A store from before the first of those steps, with rows in them.
    fn narrow(db: &mut Connection) {
        migrate_to(db, 21).unwrap();
        db.execute_batch(
            "insert into cluster (id, scheduler_id, first_at_micros) values (1, 'one', 0);
             insert into instance (id, cluster_id, instance_id, rank, plugin_version, first_at_micros)
             values (1, 1, 'one', 1, '1', 0);
             insert into cluster_total (cluster_id, last_heard_micros, silent_after_micros, interval_micros)
             values (1, 0, 0, 0);
             with recursive n (n) as (select 1 union all select n + 1 from n where n < 300)
             insert into computation (cluster_id, computation_id, at_micros, seq, rank, start_micros, groups, states)
             select 1, 'c' || n, n, n, n, n, hex(zeroblob(n)), '{}' from n;
             insert into computation_code (cluster_id, computation_id, at_micros, seq, rank, frames_sealed, fingerprint)
             select 1, computation_id, seq, seq, seq, randomblob(1300), iif(seq % 2, randomblob(16), null) from computation;
             insert into span (cluster_id, span_id, at_micros, seq, rank, name, tags, groups)
             select 1, computation_id, seq, seq, seq, 'span', '[]', hex(zeroblob(seq * 3)) from computation;
             insert into profile_line (instance_id, seq, lines_sealed) select 1, seq, randomblob(2000) from computation;
             insert into profile_stack (instance_id, seq, packed) select 1, seq, randomblob(1400) from computation;
             insert into sample_worker (instance_id, seq, each, bands)
             select 1, seq, iif(seq % 5, hex(zeroblob(700)), null), iif(seq % 5, null, '[]') from computation;
             insert into secret (cluster_id, within, row_id, fingerprint, rule, what) values (1, 'code', 'c7', x'00', 'a', 'b');",
        )
        .unwrap();
    }

    fn wide_rows(db: &Connection) -> Vec<Vec<Vec<rusqlite::types::Value>>> {
        WIDE.iter()
            .map(|(table, key)| {
                let mut rows = db
                    .prepare(&format!("select * from {table} order by {key}"))
                    .unwrap();
                let columns = 0..rows.column_count();
                rows.query_map([], |row| columns.clone().map(|at| row.get(at)).collect())
                    .unwrap()
                    .collect::<rusqlite::Result<_>>()
                    .unwrap()
            })
            .collect()
    }

    #[test]
    fn wide_rows_are_the_same_afterwards_and_take_less() {
        let mut db = Connection::open_in_memory().unwrap();
        narrow(&mut db);
        let pages = |db: &Connection| -> i64 {
            let sql =
                "select page_count - freelist_count from pragma_page_count, pragma_freelist_count";
            db.query_one(sql, [], |row| row.get(0)).unwrap()
        };
        let (rows, taken) = (wide_rows(&db), pages(&db));
        migrate(&mut db).unwrap();
        assert_eq!(wide_rows(&db), rows);
        assert!(pages(&db) < taken * 2 / 3, "{} of {taken}", pages(&db));
        // What goes with a row goes with it still.
        db.execute_batch("delete from computation_code where computation_id in ('c7', 'c8')")
            .unwrap();
        let left: (i64, i64) = db
            .query_one(
                "select codes, (select count(*) from secret) from cluster_total where cluster_id = 1",
                [],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .unwrap();
        assert_eq!(left, (298, 0));
    }

    #[test]
    fn groups_are_the_same_afterwards_without_states_in_which_no_task_is() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate_to(&mut db, 26).unwrap();
        db.execute_batch(
            "insert into cluster (id, scheduler_id, first_at_micros) values (1, 'one', 0), (2, 'two', 0);
             insert into name (id, text) values (1, 'inc'), (2, 'add');
             with recursive n (n) as (select 1 union all select n + 1 from n where n < 600)
             insert into task_group (
                 cluster_id, group_id, at_micros, seq, rank, name, prefix_id, states, compute_seconds, transfer_seconds,
                 disk_read_seconds, disk_write_seconds, deserialize_seconds, other_seconds, result_bytes, types,
                 start_micros, mean_seconds, span_id, dependencies, is_final
             )
             select 1 + n % 2, 'g' || n, n, n, n, 'inc-' || n, 1 + n % 2,
                 json_object('erred', 0, 'forgotten', n % 7, 'memory', 0, 'no-worker', 0, 'processing', 0, 'queued', 0),
                 n / 7.0, 0.0, 0.0, 0.0, 0.0, 0.0, n, '[\"int\"]', n, iif(n % 3, n / 9.0, null), null, '[]', n % 2
             from n",
        )
        .unwrap();
        let groups = |db: &Connection, states: &str| -> Vec<Vec<rusqlite::types::Value>> {
            let sql = format!("select *, {states} from task_group order by cluster_id, group_id");
            let mut rows = db.prepare(&sql).unwrap();
            let columns: Vec<usize> = (0..rows.column_count())
                .filter(|at| rows.column_name(*at).unwrap() != "states")
                .collect();
            rows.query_map([], |row| columns.iter().map(|at| row.get(*at)).collect())
                .unwrap()
                .collect::<rusqlite::Result<_>>()
                .unwrap()
        };
        let bytes = |db: &Connection| -> i64 {
            let sql =
                "select sum(pgsize) from dbstat where name in ('task_group', 'task_group_prefix')";
            db.query_one(sql, [], |row| row.get(0)).unwrap()
        };
        let without = "iif(seq % 7, json_object('forgotten', seq % 7), '{}')";
        let (wanted, taken) = (groups(&db, without), bytes(&db));
        migrate(&mut db).unwrap();
        assert_eq!(groups(&db, "states || ''"), wanted);
        assert!(bytes(&db) < taken * 3 / 4, "{} of {taken}", bytes(&db));
        // Prefixes are known as before, of what was there and of what comes.
        let prefixes = |db: &Connection| -> Vec<(i64, i64)> {
            db.prepare("select prefix_id, cluster_id from cluster_prefix order by 1, 2")
                .unwrap()
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
                .unwrap()
                .collect::<rusqlite::Result<_>>()
                .unwrap()
        };
        assert_eq!(prefixes(&db), [(1, 1), (2, 2)]);
        db.execute_batch("update task_group set prefix_id = 1 where cluster_id = 2")
            .unwrap();
        assert_eq!(prefixes(&db), [(1, 1), (1, 2)]);
        db.execute_batch("delete from name where id = 2").unwrap();
        let used = db.execute_batch("delete from name where id = 1");
        assert!(used.is_err(), "a text that is in use");
    }

    #[test]
    fn metrics_are_the_same_afterwards_and_their_names_stay_as_long_as_a_cluster_uses_them() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate_to(&mut db, 34).unwrap();
        db.execute_batch(
            "insert into cluster (id, scheduler_id, first_at_micros) values (1, 'one', 0), (2, 'two', 0);
             insert into name (id, text) values
                 (1, ''), (2, 'inc'), (3, 'execute'), (4, 'thread-cpu'), (5, 'seconds'), (6, 'own'), (7, 'late'), (8, 'unused');
             with recursive n (n) as (select 0 union all select n + 1 from n where n < 600)
             insert into metric (
                 cluster_id, span_id, prefix_id, context_id, activity_id, unit_id, at_micros, seq, rank, value
             )
             select 1 + n % 2, iif(n % 3, hex(zeroblob(16)) || n, ''), 1 + n / 2 % 2, 3, iif(n % 2, 4, 6), 5, n, n, n, n / 7.0
             from n
             where n % 3 or n < 6",
        )
        .unwrap();
        let metrics = |db: &Connection| -> Vec<Vec<rusqlite::types::Value>> {
            let sql = "select * from metric order by cluster_id, span_id, prefix_id";
            let mut rows = db.prepare(sql).unwrap();
            let columns = 0..rows.column_count();
            rows.query_map([], |row| columns.clone().map(|at| row.get(at)).collect())
                .unwrap()
                .collect::<rusqlite::Result<_>>()
                .unwrap()
        };
        let bytes = |db: &Connection| -> i64 {
            let sql = "select sum(pgsize) from dbstat where name like 'metric%'";
            db.query_one(sql, [], |row| row.get(0)).unwrap()
        };
        let words = |db: &Connection| -> String {
            let sql = "select group_concat(name_id || ':' || cluster_id, ' ' order by name_id, cluster_id) from metric_word";
            db.query_one(sql, [], |row| row.get(0)).unwrap()
        };
        let (wanted, taken) = (metrics(&db), bytes(&db));
        assert!(wanted.len() > 400, "{}", wanted.len());
        migrate(&mut db).unwrap();
        assert_eq!(metrics(&db), wanted);
        assert!(bytes(&db) < taken / 2, "{} of {taken}", bytes(&db));
        assert_eq!(words(&db), "1:1 1:2 2:1 2:2 3:1 3:2 4:2 5:1 5:2 6:1");
        // Of what comes afterwards, too, however often it comes.
        let late = "insert or ignore into metric values (1, 's', 7, 3, 7, 5, 1, 1, 1, 0.5)";
        for _ in 0..2 {
            db.execute_batch(late).unwrap();
        }
        assert_eq!(words(&db), "1:1 1:2 2:1 2:2 3:1 3:2 4:2 5:1 5:2 6:1 7:1");
        db.execute_batch("delete from name where id = 8").unwrap();
        for used in 1..8 {
            let removed = db.execute("delete from name where id = ?1", [used]);
            assert!(removed.is_err(), "{used} is in use");
        }
        db.execute_batch("delete from cluster where id = 1; delete from name where id in (6, 7)")
            .unwrap();
        for used in 1..6 {
            let removed = db.execute("delete from name where id = ?1", [used]);
            assert!(removed.is_err(), "{used} is in use");
        }
    }

    #[test]
    fn what_each_cluster_stalled_is_the_sum_of_its_hours() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate_to(&mut db, 35).unwrap();
        db.execute_batch(
            "insert into cluster (id, scheduler_id, first_at_micros) values (1, 'one', 0), (2, 'two', 0), (3, 'three', 0);
             insert into cluster_total (cluster_id, last_heard_micros, silent_after_micros, interval_micros)
             values (1, 0, 0, 0), (2, 0, 0, 0), (3, 0, 0, 0);
             insert into stalled_hour values (1, 0, 5), (1, 7, 2), (3, 7, 9007199254740991), (3, 8, 9007199254740991)",
        )
        .unwrap();
        // More than a number can say.
        db.execute_batch(
            "with recursive n (n) as (select 9 union all select n + 1 from n where n < 2000)
             insert into stalled_hour select 3, n, 9007199254740991 from n",
        )
        .unwrap();
        migrate(&mut db).unwrap();
        let sums: String = db
            .query_one(
                "select group_concat(stalled_micros, ' ' order by cluster_id) from cluster_total",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(sums, "7 0 9000000000000000000");
        // All together stop earlier, and what goes is taken from that.
        let ever = |db: &Connection| -> i64 {
            let sql = "select stalled_micros from usage_ever";
            db.query_one(sql, [], |row| row.get(0)).unwrap()
        };
        assert_eq!(ever(&db), 1 << 61);
        db.execute_batch("delete from cluster where id = 1")
            .unwrap();
        assert_eq!(ever(&db), (1 << 61) - 7);
    }

    #[test]
    fn texts_end_with_a_line_and_figures_say_whose_they_are() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate_to(&mut db, 36).unwrap();
        db.execute_batch(
            "insert into cluster (id, scheduler_id, first_at_micros) values (1, 'one', 0), (2, 'two', 0);
             insert into cluster_total (cluster_id, last_heard_micros, silent_after_micros, interval_micros)
             values (1, 0, 0, 0), (2, 0, 0, 0);
             update cluster
             set name = 'etl', user = 'ana', said_user = 'am12', host = 'h', tags = '{\"ci\":\"\"}', note = 'ad'
             where id = 1;
             delete from cluster_total where cluster_id = 2",
        )
        .unwrap();
        migrate(&mut db).unwrap();
        let told = |db: &Connection, sql: &str| -> Vec<String> {
            let mut rows = db.prepare(sql).unwrap();
            let rows = rows.query_map([], |row| row.get(0)).unwrap();
            rows.collect::<rusqlite::Result<_>>().unwrap()
        };
        let texts = "select concat_ws('|', about, tags, note) from cluster_text order by rowid";
        let first = "etl\none\nana\nam12\nh\n|ci\n|ad\n";
        assert_eq!(told(&db, texts), [first, "two\n"]);
        let whose = "select concat_ws(' ', cluster_id, said_user, host) from cluster_total order by cluster_id";
        assert_eq!(told(&db, whose), ["1 am12 h"]);
        // The same of what comes and changes afterwards.
        db.execute_batch(
            "insert into cluster (id, scheduler_id, first_at_micros, said_user, host) values (3, 'three', 0, 'bo', 'x');
             insert into cluster_total (cluster_id, last_heard_micros, silent_after_micros, interval_micros)
             values (3, 0, 0, 0);
             update cluster set user = null, said_user = null, note = null where id = 1;
             update cluster set host = 'y' where id = 3",
        )
        .unwrap();
        let texts = told(&db, texts);
        assert_eq!(texts, ["etl\none\nh\n|ci\n", "two\n", "three\nbo\ny\n"]);
        assert_eq!(told(&db, whose), ["1 h", "3 bo y"]);
        let pieces = "select term from cluster_text_term where term like 'h%' or term like 'ci%'";
        assert_eq!(told(&db, pieces), ["ci\n", "hre"]);
    }

    #[test]
    fn functions_keep_their_numbers_and_a_file_goes_with_the_last_of_its_functions() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate_to(&mut db, 26).unwrap();
        db.execute_batch(
            "insert into cluster (id, scheduler_id, first_at_micros) values (1, 'one', 0), (2, 'two', 0);
             insert into frame (id, name, file, line) values
                 (3, 'load', 'b.py', 1), (4, 'load', 'a.py', 1), (7, 'load', 'a.py', -1), (9, 'gone', 'c.py', 1);
             insert into cluster_frame (frame_id, cluster_id) values (3, 1), (4, 1), (7, 2), (4, 2);
             delete from frame where id = 9",
        )
        .unwrap();
        migrate(&mut db).unwrap();
        let frames = |db: &Connection| -> Vec<String> {
            db.prepare(
                "select concat_ws(' ', f.id, f.name, p.path, f.line, group_concat(u.cluster_id))
                 from frame as f join frame_file as p on p.id = f.file_id left join cluster_frame as u on u.frame_id = f.id
                 group by f.id order by f.id",
            )
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap()
        };
        let wanted = ["3 load b.py 1 1", "4 load a.py 1 1,2", "7 load a.py -1 2"];
        assert_eq!(frames(&db), wanted);
        let files = |db: &Connection| -> String {
            let sql = "select group_concat(path) from (select path from frame_file order by path)";
            db.query_one(sql, [], |row| row.get(0)).unwrap()
        };
        assert_eq!(files(&db), "a.py,b.py");
        // The number of one that was deleted before is given to no other.
        db.execute_batch("insert into frame (file_id, name, line) select id, 'new', 1 from frame_file where path = 'a.py'")
            .unwrap();
        assert_eq!(db.last_insert_rowid(), 10);
        db.execute_batch("delete from cluster where id = 1")
            .unwrap();
        assert_eq!(
            frames(&db),
            ["4 load a.py 1 2", "7 load a.py -1 2", "10 new a.py 1"]
        );
        assert_eq!(files(&db), "a.py");
    }

    #[test]
    fn a_migration_without_room_leaves_the_file_as_it_was_and_goes_through_once_there_is_some() {
        let dir = tempfile::tempdir().unwrap();
        let mut db =
            Connection::open_with_flags(dir.path().join("one.sqlite"), OpenFlags::default())
                .unwrap();
        db.pragma_update(None, "journal_mode", "wal").unwrap();
        db.pragma_update(None, "synchronous", "off").unwrap();
        narrow(&mut db);
        let (rows, before) = (wide_rows(&db), schema(&db));
        let pages: i64 = db
            .pragma_query_value(None, "page_count", |row| row.get(0))
            .unwrap();
        let mut refused = 0;
        loop {
            db.pragma_update_and_check(None, "max_page_count", pages + refused * 16, |_| Ok(()))
                .unwrap();
            let Err(error) = migrate(&mut db) else {
                break;
            };
            assert!(matches!(error, Error::DiskFull), "{error}");
            assert_eq!(check(&db).unwrap(), 21);
            assert!(schema(&db) == before && wide_rows(&db) == rows);
            refused += 1;
        }
        assert!(refused > 3, "the fault is real: {refused}");
        assert_eq!(check(&db).unwrap(), known());
        assert_eq!(wide_rows(&db), rows);
        let whole: String = db
            .query_one("pragma integrity_check(1)", [], |row| row.get(0))
            .unwrap();
        assert_eq!(whole, "ok");
    }

    /// The schema as text, whatever the order in which it came to be.
    fn schema(db: &Connection) -> Vec<String> {
        db.prepare("select type || name || coalesce(sql, '') from sqlite_schema order by 1")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap()
    }

    #[test]
    fn a_migration_that_is_killed_at_any_statement_begins_again() {
        let base = tempfile::tempdir().unwrap();
        let mut whole = Connection::open_in_memory().unwrap();
        migrate(&mut whole).unwrap();
        let steps = STEPS[1..].concat();
        let open = |path: &std::path::Path| {
            Connection::open_with_flags(path, OpenFlags::default()).unwrap()
        };
        for killed in 0.. {
            let path = base.path().join(format!("{killed}.sqlite"));
            let mut db = open(&path);
            db.pragma_update(None, "journal_mode", "wal").unwrap();
            db.pragma_update(None, "synchronous", "off").unwrap();
            migrate_to(&mut db, 1).unwrap();
            // So that pages of the open transaction are in the log, as they are when it is large.
            db.pragma_update(None, "cache_size", 1).unwrap();
            db.execute_batch("begin immediate").unwrap();
            let mut statements = Batch::new(&db, &steps);
            let mut ran = 0;
            while ran < killed {
                let Some(mut statement) = statements.next().unwrap() else {
                    break;
                };
                let mut rows = statement.raw_query();
                while rows.next().unwrap().is_some() {}
                ran += 1;
            }
            let left = base.path().join(format!("{killed}-left.sqlite"));
            for end in ["", "-wal"] {
                let with = |path: &std::path::Path| format!("{}{end}", path.display());
                std::fs::copy(with(&path), with(&left)).unwrap();
            }
            let mut db = open(&left);
            assert_eq!(check(&db).unwrap(), 1);
            migrate(&mut db).unwrap();
            assert_eq!(check(&db).unwrap(), known());
            assert_eq!(schema(&db), schema(&whole), "after {killed} statements");
            if ran < killed {
                assert!(killed > 30, "{killed}");
                break;
            }
        }
    }
}
