use std::sync::atomic::Ordering;
use std::time::Duration;

use rusqlite::OpenFlags;

use super::*;
use crate::query::types::SqlValue;
use crate::store::{FILE, apart};
use crate::testing::*;

fn ask(bench: &Bench, request: &SqlRequest) -> Result<SqlAnswer> {
    let dir = bench.path();
    apart(dir, |db| answer_in(db, dir, request, &Arc::default()))
}

fn text(sql: &str) -> SqlRequest {
    SqlRequest {
        sql: sql.into(),
        ..SqlRequest::default()
    }
}

fn first(bench: &Bench, sql: &str) -> SqlValue {
    ask(bench, &text(sql)).unwrap().results[0].rows[0][0].clone()
}

#[test]
fn values_are_what_sqlite_has() {
    let bench = Bench::new();
    let cases = [
        ("select 7", SqlValue::Integer(7)),
        ("select null", SqlValue::Null(())),
        ("select 0.5", SqlValue::Real(0.5)),
        ("select 'it''s'", SqlValue::Text("it's".into())),
        (
            "select 9007199254740993",
            SqlValue::Number {
                number: "9007199254740993".into(),
            },
        ),
        (
            "select -9e999",
            SqlValue::Number {
                number: "-Infinity".into(),
            },
        ),
        (
            "select x'0aff'",
            SqlValue::Blob {
                blob_bytes: 2,
                hex: "0aff".into(),
            },
        ),
    ];
    for (sql, expected) in cases {
        assert_eq!(first(&bench, sql), expected, "{sql}");
    }
}

#[test]
fn what_is_sealed_is_shown_as_sealed_under_any_name() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0), exception(6, "e1", 1)]));
    for sql in [
        "select message_sealed from exception",
        "select message_sealed as plain from exception",
        "select max(message_sealed) from exception",
    ] {
        assert!(
            matches!(first(&bench, sql), SqlValue::Sealed { sealed_bytes } if sealed_bytes > 48),
            "{sql}: {:?}",
            first(&bench, sql)
        );
    }
}

#[test]
fn whatever_does_more_than_read_is_refused_and_changes_nothing() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0)]));
    for sql in [
        "delete from cluster",
        "update cluster set name = 'x'",
        "insert into name (text) values ('x')",
        "create table t (a)",
        "create temp table t (a)",
        "create temp view v as select 1",
        "drop table cluster",
        "alter table cluster rename to c",
        "attach ':memory:' as other",
        "detach main",
        "vacuum",
        "vacuum into '/nowhere/copy'",
        "reindex",
        "analyze",
        "begin",
        "commit",
        "savepoint a",
        "pragma journal_mode = delete",
        "pragma user_version = 9",
        "pragma writable_schema = on",
        "pragma query_only = off",
        "pragma temp_store_directory = '/tmp'",
        "select load_extension('evil')",
        "select fts3_tokenizer('simple')",
        "select sqlite_log(1, 'x')",
        "with a as (select 1) delete from cluster",
        "select 1; delete from cluster",
        "explain delete from cluster",
    ] {
        let error = ask(&bench, &text(sql)).unwrap_err();
        assert!(matches!(error, Error::Refused(_)), "{sql}: {error}");
    }
    assert_eq!(
        first(&bench, "select count(*) from cluster where name is not 'x'"),
        SqlValue::Integer(1)
    );
    assert_eq!(
        first(
            &bench,
            "select count(*) from pragma_table_info('cluster') where name = 'id'"
        ),
        SqlValue::Integer(1)
    );
    assert!(matches!(first(&bench, "pragma user_version"), SqlValue::Integer(n) if n > 0));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let bench = Bench::new();
    for (sql, told) in [
        (
            "select\n  nonsense from cluster",
            "no such column: nonsense (line 2, column 3)",
        ),
        ("select \"nonsense\" from cluster", "no such column"),
        ("selec 1", "syntax error"),
        ("select 1 from clusters", "no such table: clusters"),
        ("  -- nothing\n", "it contains no statement"),
        ("select :id", ":id has no value"),
        ("select ?", "? has no value"),
    ] {
        let error = ask(&bench, &text(sql)).unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{sql}: {error}");
        assert!(error.to_string().contains(told), "{sql}: {error}");
    }
}

const ENDLESS: &str =
    "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n";

#[test]
fn an_answer_is_bounded_in_rows_bytes_and_time() {
    let bench = Bench::new();
    let many = "with recursive n (i) as (select 1 union all select i + 1 from n) select i from n";
    let answer = ask(
        &bench,
        &SqlRequest {
            limit: 5,
            ..text(many)
        },
    )
    .unwrap();
    assert_eq!(answer.results[0].rows.len(), 5);
    assert!(answer.results[0].truncated);
    let exact = ask(
        &bench,
        &SqlRequest {
            limit: 2,
            ..text("select 1 union select 2")
        },
    )
    .unwrap();
    assert!(!exact.results[0].truncated);

    let large = "with recursive n (i) as (select 1 union all select i + 1 from n)
                 select hex(zeroblob(500000)) from n";
    let answer = ask(&bench, &text(large)).unwrap();
    assert!(answer.results[0].truncated);
    assert!((10..20).contains(&answer.results[0].rows.len()));
    assert!(matches!(
        ask(&bench, &text("select zeroblob(1 << 30)")),
        Err(Error::Refused(_))
    ));
    let unread = format!("select length(zeroblob({}))", (1 << 20) + 1);
    assert!(ask(&bench, &text(&unread)).is_err());

    let error = ask(
        &bench,
        &SqlRequest {
            seconds: 1,
            ..text(ENDLESS)
        },
    )
    .unwrap_err();
    assert!(error.to_string().contains("longer than 1 s"), "{error}");
}

#[test]
fn a_row_is_bounded_before_it_is_whole() {
    let bench = Bench::new();
    let wide = |columns: usize| {
        let column = "hex(zeroblob(100000 + i))";
        let columns = vec![column; columns].join(", ");
        text(&format!(
            "with n (i) as (select 1 union all select 2) select {columns} from n"
        ))
    };
    let answer = ask(&bench, &wide(50)).unwrap();
    assert_eq!(answer.results[0].rows.len(), 1, "two have 20 MB");
    assert!(answer.results[0].truncated);
    let answer = ask(&bench, &wide(100)).unwrap();
    assert_eq!(answer.results[0].rows.len(), 0, "one has 20 MB");
    assert!(answer.results[0].truncated);
    let error = ask(&bench, &wide(201)).unwrap_err();
    assert!(error.to_string().contains("too many columns"), "{error}");
}

#[test]
fn a_pattern_is_no_longer_than_can_be_compared_in_time() {
    let bench = Bench::new();
    let like = |signs: usize| {
        let pattern = "%a".repeat(signs / 2);
        let many =
            "with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)";
        SqlRequest {
            seconds: 1,
            ..text(&format!(
                "{many} select count(*) from n where hex(zeroblob(500000 + i)) like '{pattern}'"
            ))
        }
    };
    let error = ask(&bench, &like(1_002)).unwrap_err();
    assert!(error.to_string().contains("pattern too complex"), "{error}");
    let error = ask(&bench, &like(1_000)).unwrap_err();
    assert!(error.to_string().contains("longer than 1 s"), "{error}");
}

/// Sorts so many values of 200 kB.
fn sorted(values: usize) -> SqlRequest {
    text(&format!(
        "with recursive n (i) as (select 1 union all select i + 1 from n where i < {values})
         select substr(t, -3) from (select hex(zeroblob(100000)) || i as t from n) order by t desc"
    ))
}

#[test]
fn what_is_sorted_lies_on_the_disk_and_is_bounded_and_gone_afterwards() {
    let bench = Bench::new();
    let names = || {
        let mut names: Vec<_> = std::fs::read_dir(bench.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    let before = names();
    let answer = ask(&bench, &sorted(200)).unwrap();
    assert_eq!(answer.results[0].rows.len(), 200);

    let watch = Watch::new(&Arc::default(), 60, 8 << 20);
    let error = apart(bench.path(), |db| {
        watched(db, bench.path(), &sorted(2_000), &watch)
    })
    .unwrap_err();
    assert!(error.to_string().contains("more than 8 MiB"), "{error}");
    assert_eq!(names(), before);
}

#[test]
fn a_question_ends_once_the_log_that_it_keeps_from_shrinking_has_grown() {
    let bench = Bench::new();
    // Nobody else writes.
    bench.app.drain().unwrap();
    let file = bench.path().join(FILE);
    let writer = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let write = || {
        let sql = "insert into name (text) values (hex(randomblob(2000)))";
        writer.execute(sql, []).unwrap();
    };
    let dir = bench.path().to_path_buf();
    let ask = move |end: &str| {
        let mut watch = Watch::new(&Arc::default(), 60, SORTED_BYTES);
        watch.log_bytes = 0;
        let sql = text(&format!(
            "with recursive n (i) as (select count(*) from cluster union all select i + 1 from n {end})
             select count(*) from n"
        ));
        apart(&dir, |db| watched(db, &dir, &sql, &watch))
    };
    write();
    // It was as long before.
    ask("where i < 100000").unwrap();
    let asking = std::thread::spawn(move || ask(""));
    while !asking.is_finished() {
        write();
    }
    let error = asking.join().unwrap().unwrap_err();
    assert!(error.to_string().contains("store's log grew"), "{error}");
}

#[test]
fn a_question_that_is_cancelled_ends() {
    let bench = Bench::new();
    let cancelled = Arc::<AtomicBool>::default();
    let watched = Arc::clone(&cancelled);
    let dir = bench.path().to_path_buf();
    let asking = std::thread::spawn(move || {
        let request = SqlRequest {
            seconds: 60,
            ..text(ENDLESS)
        };
        apart(&dir, |db| answer_in(db, &dir, &request, &watched))
    });
    std::thread::sleep(Duration::from_millis(20));
    cancelled.store(true, Ordering::Relaxed);
    let error = asking.join().unwrap().unwrap_err();
    assert!(error.to_string().contains("canceled"), "{error}");
}

#[test]
fn several_statements_have_a_result_each_from_one_state() {
    let bench = Bench::new();
    let answer = ask(
        &bench,
        &text("select 1 as a; -- and\nselect 2 as b, 3 as c;\n"),
    )
    .unwrap();
    let columns: Vec<_> = answer.results.iter().map(|r| r.columns.join(" ")).collect();
    assert_eq!(columns, ["a", "b c"]);
}

#[test]
fn the_help_knows_the_tables_their_columns_and_their_words() {
    let bench = Bench::new();
    let tables = bench.app.read(tables).unwrap().tables;
    let exception = tables
        .iter()
        .find(|table| table.name == "exception")
        .unwrap();
    let message = exception
        .columns
        .iter()
        .find(|column| column.name == "message_sealed")
        .unwrap();
    assert!(message.sealed);
    assert_eq!(message.declared, "blob");
    assert!(
        exception.made_by.starts_with("CREATE TABLE exception"),
        "{}",
        exception.made_by
    );
    let cluster = tables.iter().find(|table| table.name == "cluster").unwrap();
    assert!(
        cluster.columns.iter().any(|column| column.name == "label"),
        "generated ones, too"
    );
}
