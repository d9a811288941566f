//! Snapshots, and what is restored of them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use bobbin_core::Error;
use bobbin_core::api::{Role, call, restore, safety, snapshots};
use bobbin_core::model::Micros;

use super::{Bench, FILE, HOUR, START, batch, samples, total};

#[test]
fn snapshots_are_whole_private_and_few() {
    let bench = Bench::filled(1, 5);
    let app = bench.owner();
    for day in 0..5 {
        // The clock is set back once: the order stays.
        let days = if day == 3 { -7 } else { day };
        bench.clock.set(Micros(START + days * 24 * HOUR));
        let taken = app.snapshot().unwrap();
        assert_eq!((taken.clusters, taken.batches), (1, 5 + day as u64));
        app.ingest(batch(1, 5 + day as u64, START)).unwrap();
    }
    let kept = snapshots(bench.path());
    let numbers: Vec<u32> = kept.iter().map(|snapshot| snapshot.number).collect();
    assert_eq!(numbers, [3, 4, 5]);
    for snapshot in &kept {
        let file = Path::new(&snapshot.file);
        assert_eq!(
            fs::metadata(file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let bytes = fs::read(file).unwrap();
        let plain = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
        assert!(plain(b"Scheduler-1"));
        assert!(!plain(b"canary"), "a sealed text is plain in a snapshot");
    }
}

/// All rows of all tables as text, by table; what is in a store, wherever its pages lie.
fn rows(file: &Path) -> BTreeMap<String, Vec<String>> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let db = rusqlite::Connection::open_with_flags(file, flags).unwrap();
    let tables: Vec<String> = db
        .prepare("select name from pragma_table_list where schema = 'main' and type in ('table', 'shadow') and name <> 'sqlite_schema'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    let of = |table: &String| {
        let mut all = db.prepare(&format!("select * from \"{table}\"")).unwrap();
        let columns = all.column_count();
        let mut rows: Vec<String> = all
            .query_map([], |row| {
                let cells = (0..columns).map(|at| Ok(format!("{:?}", row.get_ref(at)?)));
                Ok(cells.collect::<rusqlite::Result<Vec<_>>>()?.join(" | "))
            })
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap();
        rows.sort();
        rows
    };
    let with_rows = |table: String| (table.clone(), of(&table));
    tables.into_iter().map(with_rows).collect()
}

#[test]
fn what_is_restored_has_every_row_of_every_table_that_was_there() {
    let bench = Bench::filled(3, 40);
    let app = bench.owner();
    // Tables of what a reader does, too.
    let tags = r#"{"ids": [1, 2], "tags": {"kind": "drill"}, "untag": []}"#;
    call(&app, "mark_clusters", tags).unwrap();
    call(&app, "delete_clusters", r#"{"ids": [3], "at_once": true}"#).unwrap();
    while total(&app) > 2
        || !call(&app, "storage", "{}")
            .unwrap()
            .contains(r#""deletions":[]"#)
    {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let snapshot = app.snapshot().unwrap();
    app.drain().unwrap();
    drop(app);
    let before = rows(Path::new(&snapshot.snapshot.file));
    assert!(before["event"].len() == 80 && before["deleted_cluster"].len() == 1);
    assert!(before.values().flatten().count() > 300);
    // The store goes on noting what time it is.
    let mut there = rows(&bench.file());
    there.insert("retention_clock".into(), before["retention_clock"].clone());
    assert!(there == before);
    fs::write(bench.file(), vec![0xa5; 8_192]).unwrap();
    restore(bench.path(), None, &*bench.clock).unwrap();
    let after = rows(&bench.file());
    for (table, rows) in &before {
        assert!(after[table] == *rows, "{table}");
    }
    assert_eq!(after.len(), before.len());
}

#[test]
fn a_restore_is_refused_beside_an_owner_and_keeps_what_was_there() {
    let bench = Bench::filled(1, 5);
    let app = bench.owner();
    app.snapshot().unwrap();
    app.ingest(batch(2, 0, START)).unwrap();
    let restored = || restore(bench.path(), None, &*bench.clock);
    assert!(matches!(restored(), Err(Error::StoreInUse { .. })));
    app.drain().unwrap();
    drop(app);
    let done = restored().unwrap();
    assert_eq!((done.clusters, done.batches), (1, 5));
    let app = bench.owner();
    assert_eq!((total(&app), samples(&app, 1)), (1, 5));
    app.drain().unwrap();
    drop(app);
    // And back again: what was replaced is a store as any other, named as seen from the folder of the install.
    let replaced = Path::new(&done.replaced.unwrap()).join(FILE);
    let replaced = replaced.strip_prefix(bench.path()).unwrap();
    let replaced = replaced.to_str().unwrap().to_owned();
    restore(bench.path(), Some(&replaced), &*bench.clock).unwrap();
    assert_eq!(total(&bench.owner()), 2);
    let none = restore(bench.path(), Some("99"), &*bench.clock);
    assert!(matches!(
        none,
        Err(Error::StoreInUse { .. } | Error::NotFound { .. })
    ));
}

#[test]
fn after_a_downgrade_a_snapshot_from_before_comes_back_and_the_newer_store_is_kept() {
    let bench = Bench::filled(1, 5);
    let app = bench.owner();
    app.snapshot().unwrap();
    app.drain().unwrap();
    drop(app);
    let newer = bench.update();
    let refused = bench.open(Role::Owner).err().unwrap();
    assert!(matches!(refused, Error::StoreTooNew { .. }), "{refused}");
    let done = restore(bench.path(), None, &*bench.clock).unwrap();
    let aside = Path::new(&done.replaced.unwrap()).join(FILE);
    assert!(fs::read(&aside).unwrap() == newer);
    let app = bench.owner();
    assert_eq!((total(&app), samples(&app, 1)), (1, 5));
    app.drain().unwrap();
    drop(app);
    // The newer one is refused as a snapshot, too, and changes nothing.
    let again = restore(bench.path(), aside.to_str(), &*bench.clock);
    assert!(matches!(again, Err(Error::StoreTooNew { .. })), "{again:?}");
    assert_eq!(total(&bench.owner()), 1);
}

#[test]
fn a_log_that_was_left_behind_is_not_taken_for_that_of_what_is_restored() {
    let bench = Bench::filled(1, 5);
    let app = bench.owner();
    app.snapshot().unwrap();
    for number in 0..20 {
        app.ingest(batch(2, number, START)).unwrap();
    }
    let log = bench.path().join(format!("{FILE}-wal"));
    let stale = fs::read(&log).unwrap();
    assert!(!stale.is_empty());
    app.drain().unwrap();
    drop(app);
    fs::remove_file(bench.file()).unwrap();
    fs::write(&log, &stale).unwrap();
    let done = restore(bench.path(), None, &*bench.clock).unwrap();
    let aside = Path::new(&done.replaced.unwrap()).join(format!("{FILE}-wal"));
    assert!(fs::read(aside).unwrap() == stale);
    let app = bench.owner();
    assert_eq!((total(&app), samples(&app, 1)), (1, 5));
    app.drain().unwrap();
    assert!(safety(bench.path()).damaged.is_empty());
}

#[test]
fn the_snapshots_of_a_store_that_was_damaged_stay_for_as_long_as_its_folder() {
    let bench = Bench::filled(1, 5);
    let numbers = || -> Vec<u32> {
        let kept = snapshots(bench.path());
        kept.iter().map(|snapshot| snapshot.number).collect()
    };
    let day = |day: i64| bench.clock.set(Micros(START + day * 24 * HOUR));
    let app = bench.owner();
    for number in 0..2 {
        day(number);
        app.snapshot().unwrap();
    }
    app.drain().unwrap();
    drop(app);
    day(2);
    fs::write(bench.file(), vec![0xa5; 8_192]).unwrap();
    let app = bench.owner();
    for number in 3..8 {
        day(number);
        app.snapshot().unwrap();
    }
    assert_eq!(numbers(), [1, 2, 5, 6, 7]);
    for folder in safety(bench.path()).damaged {
        fs::remove_dir_all(folder).unwrap();
    }
    day(8);
    app.snapshot().unwrap();
    assert_eq!(numbers(), [6, 7, 8]);
    app.drain().unwrap();
}

#[test]
fn a_damaged_snapshot_is_not_restored() {
    let bench = Bench::filled(1, 5);
    let app = bench.owner();
    let taken = app.snapshot().unwrap().snapshot.file;
    app.drain().unwrap();
    drop(app);
    let mut bytes = fs::read(&taken).unwrap();
    let middle = bytes.len() / 8_192 * 4_096;
    bytes[middle..middle + 600].fill(0xa5);
    fs::write(&taken, bytes).unwrap();
    let error = restore(bench.path(), None, &*bench.clock).unwrap_err();
    assert!(matches!(error, Error::StoreDamaged { .. }), "{error}");
    assert_eq!(samples(&bench.owner(), 1), 5);
}

#[test]
fn a_restore_that_was_cut_short_is_ended_by_the_next_start() {
    let bench = Bench::filled(1, 5);
    let app = bench.owner();
    let taken = app.snapshot().unwrap().snapshot.file;
    app.ingest(batch(2, 0, START)).unwrap();
    app.drain().unwrap();
    drop(app);
    fs::copy(taken, bench.path().join("bobbin.sqlite.restored")).unwrap();
    let app = bench.owner();
    assert_eq!(total(&app), 1);
    assert!(!bench.path().join("bobbin.sqlite.restored").exists());
    let replaced = fs::read_dir(bench.path())
        .unwrap()
        .filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().starts_with("replaced-")
        })
        .count();
    assert_eq!(replaced, 1);
}
