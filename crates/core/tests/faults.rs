//! What a machine does to a store, through the library as the doors use it: each is told in plain words, and what was stored
//! is there afterwards.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use bobbin_core::api::{
    App, ClustersRequest, Role, TimelineRequest, call, clusters, restore, safety, salvage,
    snapshots, timeline,
};
use bobbin_core::clock::ManualClock;
use bobbin_core::model::{ClusterState, Micros};
use bobbin_core::wire::{Batch, decode};
use bobbin_core::{Code, Error};

const FILE: &str = "bobbin.sqlite";
const START: i64 = 1_700_000_000_000_000;
const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3_600 * SECOND;

struct Bench {
    clock: Arc<ManualClock>,
    dir: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self {
            clock: Arc::new(ManualClock::at(Micros(START))),
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn file(&self) -> PathBuf {
        self.path().join(FILE)
    }

    fn open(&self, role: Role) -> bobbin_core::Result<App> {
        App::open(self.path(), role, Arc::clone(&self.clock) as _)
    }

    fn owner(&self) -> App {
        self.open(Role::Owner).unwrap()
    }

    /// A store of so many clusters with so many batches each, closed.
    fn filled(clusters: u64, batches: u64) -> Self {
        let bench = Self::new();
        let app = bench.owner();
        for cluster in 1..=clusters {
            for number in 0..batches {
                app.ingest(batch(cluster, number, START + number as i64 * SECOND))
                    .unwrap();
            }
        }
        app.drain().unwrap();
        bench
    }
}

/// The `number`-th batch of a cluster: who it is, a sample and an event.
fn batch(cluster: u64, number: u64, at: i64) -> Batch {
    let text = format!("canary {} {}", number, "words ".repeat(300));
    let lines = [
        format!(
            r#"{{"kind":"header","protocol":1,"cluster_id":"Scheduler-{cluster}","instance_id":"i{cluster}","first_seq":{},"records":3,"sent_at_micros":{at},"monotonic_micros":{},"plugin_version":"0.1.0"}}"#,
            1 + number * 3,
            1 + number
        ),
        format!(
            r#"{{"kind":"sample","at_micros":{at},"workers":1,"threads":1,"tasks":{{"processing":1}},"totals":{{"compute":{number}}}}}"#
        ),
        format!(
            r#"{{"kind":"event","at_micros":{at},"topic":"all","payload":{{"text":"{text}"}}}}"#
        ),
        format!(
            r#"{{"kind":"task_group","at_micros":{at},"group_id":"g{number}","name":"inc-{number}","prefix":"inc","states":{{"memory":1}},"seconds":{{"compute":1.0}},"result_bytes":1,"types":["int"],"start_micros":{at},"stop_micros":{at},"dependencies":[],"final":false}}"#
        ),
    ];
    decode(lines.join("\n").as_bytes()).unwrap()
}

/// Samples of a cluster, by its number in the store.
fn samples(app: &App, id: i64) -> usize {
    let request = TimelineRequest {
        id,
        from_micros: None,
        to_micros: None,
        points: 4_000,
    };
    timeline(app, request).unwrap().at_micros.len()
}

fn total(app: &App) -> u64 {
    clusters(app, ClustersRequest::default()).unwrap().total
}

#[test]
fn a_damaged_store_is_moved_aside_whole_and_recording_goes_on() {
    let bench = Bench::filled(2, 20);
    let good = fs::read(bench.file()).unwrap();
    let pages = good.len() / 4_096;
    for (round, page) in [0, 2, pages / 2, pages - 1].into_iter().enumerate() {
        let mut bad = good.clone();
        bad[page * 4_096..page * 4_096 + 600].fill(0xa5);
        fs::write(bench.file(), &bad).unwrap();
        let error = bench.open(Role::Reader).err().unwrap_or(Error::Busy);
        if let Error::StoreDamaged { .. } = error {
            assert!(error.hint().unwrap().contains("never overwritten"));
        }
        let app = bench.owner();
        assert_eq!(total(&app), 0, "page {page}");
        app.ingest(batch(9, 0, START)).unwrap();
        assert_eq!(total(&app), 1);
        app.drain().unwrap();
        let damaged = safety(bench.path()).damaged;
        assert_eq!(damaged.len(), round + 1);
        let folder = Path::new(damaged.last().unwrap());
        assert!(fs::read(folder.join(FILE)).unwrap() == bad, "page {page}");
        assert!(!fs::read_to_string(folder.join("why")).unwrap().is_empty());
        assert_eq!(
            fs::metadata(folder).unwrap().permissions().mode() & 0o777,
            0o700
        );
        bench.clock.set(Micros(START + (round as i64 + 1) * SECOND));
    }
}

#[test]
fn random_damage_is_found_or_does_no_harm_and_never_panics() {
    let bench = Bench::filled(2, 10);
    let good = fs::read(bench.file()).unwrap();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut moved = 0;
    for round in 0..30 {
        let mut bad = good.clone();
        for _ in 0..=next() % 400 {
            let at = next() as usize % bad.len();
            bad[at] = next() as u8;
        }
        fs::write(bench.file(), &bad).unwrap();
        bench.clock.set(Micros(START + round * HOUR));
        match bench.open(Role::Owner) {
            Ok(app) => {
                // Where a name in the schema has changed, this is told as a fault, again and again.
                let _ = app.ingest(batch(9, 0, START));
                let _ = clusters(&app, ClustersRequest::default());
                app.drain().unwrap();
            }
            // A head that now says something else; the file is as it was.
            Err(error) => {
                assert_eq!(fs::read(bench.file()).unwrap(), bad, "{error}");
                fs::remove_file(bench.file()).unwrap();
            }
        }
        for folder in safety(bench.path()).damaged {
            moved += 1;
            assert!(fs::read(Path::new(&folder).join(FILE)).unwrap() == bad);
            fs::remove_dir_all(folder).unwrap();
        }
    }
    assert!(moved > 10, "{moved}");
}

/// A page in the middle of those that hold the records of a table, from 0.
fn leaf(file: &Path, table: &str) -> usize {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let db = rusqlite::Connection::open_with_flags(file, flags).unwrap();
    let pages: Vec<usize> = db
        .prepare(
            "select pageno - 1 from dbstat where name = ?1 and pagetype = 'leaf' order by path",
        )
        .unwrap()
        .query_map([table], |row| row.get(0))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    assert!(pages.len() > 2, "{pages:?}");
    pages[pages.len() / 2]
}

#[test]
fn what_can_be_read_of_a_damaged_store_is_salvaged_and_restored() {
    let bench = Bench::filled(3, 60);
    let whole = fs::read(bench.file()).unwrap();
    let app = bench.owner();
    let before: usize = (1..=3).map(|id| samples(&app, id)).sum();
    app.drain().unwrap();
    assert_eq!(before, 180);
    // A page of records, and SQLite's head.
    let page = leaf(&bench.file(), "sample") * 4_096;
    for (round, damage) in [page..page + 4_096, 0..100].into_iter().enumerate() {
        let now = START + (round as i64 + 1) * HOUR;
        bench.clock.set(Micros(now));
        let mut bad = whole.clone();
        bad[damage].fill(0xa5);
        fs::write(bench.file(), &bad).unwrap();
        bench.owner().drain().unwrap();
        let salvaged = salvage(bench.path(), None, &*bench.clock).unwrap();
        assert!(salvaged.snapshot.salvaged);
        let rows = |name: &str| {
            let table = salvaged.tables.iter().find(|table| table.name == name);
            table.unwrap().rows
        };
        let unreadable: u64 = salvaged.tables.iter().map(|table| table.unreadable).sum();
        // One page was lost at most; the head costs nothing.
        assert_eq!(unreadable > 0, round == 0, "{salvaged:?}");
        assert!(rows("cluster") == 3 && rows("sample") > 100, "{salvaged:?}");
        let number = salvaged.snapshot.number.to_string();
        let restored = restore(bench.path(), Some(&number), &*bench.clock).unwrap();
        assert_eq!(restored.clusters, 3);
        let app = bench.owner();
        let after: usize = (1..=3).map(|id| samples(&app, id)).sum();
        assert!(after > 100 && after <= 180, "{after}");
        if round == 1 {
            assert_eq!(after, 180);
        }
        // It takes batches as any other, and search finds its clusters.
        app.ingest(batch(1, 60, now)).unwrap();
        app.drain().unwrap();
        let damaged = safety(bench.path()).damaged;
        assert!(fs::read(Path::new(damaged.last().unwrap()).join(FILE)).unwrap() == bad);
    }
}

/// Changes bytes of a file that stand in it once, for as many others.
fn change(file: &Path, from: &[u8], to: &[u8]) {
    let mut bytes = fs::read(file).unwrap();
    let places: Vec<usize> = (0..bytes.len())
        .filter(|at| bytes[*at..].starts_with(from))
        .collect();
    assert_eq!((places.len(), from.len()), (1, to.len()), "{from:?}");
    bytes[places[0]..places[0] + to.len()].copy_from_slice(to);
    fs::write(file, bytes).unwrap();
}

#[test]
fn damage_in_the_texts_of_the_schema_is_found_and_costs_nothing() {
    // Words, the name of a column that others use, the name of a table, a word that SQLite does not know, and no text at all.
    let damage: [(&[u8], &[u8]); 5] = [
        (b"-- Lines that could not be", b"-- Lines that could now be"),
        (
            b"    received_micros integer not null,\n    first_at",
            b"    received_micrxs integer not null,\n    first_at",
        ),
        (b"CREATE TABLE batch", b"CREATE TABLE bitch"),
        (b"CREATE VIEW gap", b"CREATE VXEW gap"),
        (b"covered as first_seq", b"covered as first_s\xffq"),
    ];
    for (round, (from, to)) in damage.into_iter().enumerate() {
        let bench = Bench::filled(3, 20);
        // A folder that was made, and then nothing was moved into it.
        fs::create_dir(bench.path().join("damaged-2999-01-01T00-00-00Z")).unwrap();
        change(&bench.file(), from, to);
        let app = bench.owner();
        assert_eq!(total(&app), 0, "round {round}");
        app.drain().unwrap();
        assert_eq!(safety(bench.path()).damaged.len(), 1);
        let salvaged = salvage(bench.path(), None, &*bench.clock).unwrap();
        let lost = salvaged
            .tables
            .iter()
            .any(|table| table.unreadable + table.dropped > 0);
        assert!(
            !lost && salvaged.unnamed_clusters == 0,
            "round {round}: {salvaged:?}"
        );
        let number = salvaged.snapshot.number.to_string();
        restore(bench.path(), Some(&number), &*bench.clock).unwrap();
        let app = bench.owner();
        let kept: usize = (1..=3).map(|id| samples(&app, id)).sum();
        assert_eq!((total(&app), kept), (3, 60), "round {round}");
        app.drain().unwrap();
        assert_eq!(safety(bench.path()).damaged.len(), 1);
    }
}

#[test]
fn what_somebody_added_to_the_schema_is_no_damage() {
    let bench = Bench::filled(1, 1);
    let db = rusqlite::Connection::open_with_flags(bench.file(), rusqlite::OpenFlags::default());
    db.unwrap()
        .execute_batch("create view mine as select * from cluster; create index own on batch (received_micros)")
        .unwrap();
    assert_eq!(total(&bench.owner()), 1);
}

#[test]
fn a_store_with_nothing_to_read_is_said_to_have_nothing() {
    let bench = Bench::filled(1, 1);
    let size = fs::metadata(bench.file()).unwrap().len() as usize;
    fs::write(bench.file(), vec![0xa5; size]).unwrap();
    bench.owner().drain().unwrap();
    let error = salvage(bench.path(), None, &*bench.clock).unwrap_err();
    assert!(matches!(error, Error::StoreDamaged { .. }), "{error}");
    assert!(snapshots(bench.path()).is_empty());
}

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
fn a_damaged_log_costs_no_more_than_what_is_behind_the_damage() {
    const BATCHES: u64 = 30;
    let bench = Bench::filled(1, 3);
    let app = bench.owner();
    for number in 3..BATCHES {
        app.ingest(batch(1, number, START + number as i64 * SECOND))
            .unwrap();
    }
    let log = |dir: &Path| dir.join(format!("{FILE}-wal"));
    // As a kill leaves them.
    let (file, good) = (
        fs::read(bench.file()).unwrap(),
        fs::read(log(bench.path())).unwrap(),
    );
    app.drain().unwrap();
    drop(app);
    assert!(good.len() > 20 * 4_096);
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random as usize
    };
    let mut fewer = 0;
    for round in 0..40 {
        bench.clock.set(Micros(START + HOUR + round * SECOND));
        let mut bad = good.clone();
        match round % 4 {
            // The head of the log; it cut short; its end; anywhere.
            0 => bad[next() % 32] ^= 1 << (next() % 8),
            1 => bad.truncate(next() % good.len()),
            2 => {
                let from = next() % good.len();
                bad[from..].fill(next() as u8);
            }
            _ => (0..=next() % 8).for_each(|_| bad[next() % good.len()] ^= 1 << (next() % 8)),
        }
        for end in ["-wal", "-shm"] {
            let _ = fs::remove_file(bench.path().join(format!("{FILE}{end}")));
        }
        fs::write(bench.file(), &file).unwrap();
        fs::write(log(bench.path()), &bad).unwrap();
        let app = bench.owner();
        app.inspect().unwrap();
        assert!(safety(bench.path()).damaged.is_empty(), "round {round}");
        // Whole batches from the first on, none with a part missing.
        let kept = samples(&app, 1) as u64;
        assert!((3..=BATCHES).contains(&kept), "round {round}: {kept}");
        fewer += u64::from(kept < BATCHES);
        // Whoever sends all again has all again, once.
        for number in 0..BATCHES {
            let receipt = app
                .ingest(batch(1, number, START + number as i64 * SECOND))
                .unwrap();
            assert_eq!(
                receipt.duplicate,
                number < kept,
                "round {round}: {number} of {kept}"
            );
        }
        assert_eq!(samples(&app, 1) as u64, BATCHES, "round {round}");
        app.drain().unwrap();
    }
    assert!(fewer > 10, "the fault is real: {fewer}");
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

#[test]
fn the_second_of_two_instances_is_refused() {
    let bench = Bench::filled(1, 1);
    let first = bench.owner();
    let error = bench.open(Role::Owner).err().unwrap();
    assert!(matches!(error, Error::StoreInUse { .. }), "{error}");
    assert_eq!(total(&bench.open(Role::Reader).unwrap()), 1);
    first.drain().unwrap();
    drop(first);
    bench.owner();
}

#[test]
fn a_log_that_somebody_reads_begins_anew_once_they_are_done() {
    let bench = Bench::filled(1, 1);
    let app = bench.owner();
    let log = || safety(bench.path()).log_bytes;
    let reader = rusqlite::Connection::open_with_flags(
        bench.file(),
        rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY,
    )
    .unwrap();
    reader
        .execute_batch("begin; select count(*) from cluster")
        .unwrap();
    let mut number = 1;
    while log() < 8 << 20 {
        app.ingest(batch(1, number, START + number as i64)).unwrap();
        number += 1;
    }
    reader.execute_batch("commit").unwrap();
    let grown = log();
    for _ in 0..20 {
        app.ingest(batch(1, number, START + number as i64)).unwrap();
        number += 1;
    }
    // A commit or two come before it begins anew.
    assert!(log() < grown + 512 * 1_024, "it goes on to grow: {}", log());
    app.drain().unwrap();
}

#[test]
fn a_clock_that_jumps_and_a_machine_that_sleeps_leave_no_odd_times() {
    let bench = Bench::new();
    let app = bench.owner();
    let day = 24 * HOUR;
    // Where this machine's clock stands when each batch comes; the scheduler's own runs on.
    for (number, clock) in [0, 1, day, day + 1, -day, -day + 1, 8 * HOUR, 2]
        .into_iter()
        .enumerate()
    {
        bench.clock.set(Micros(START + clock));
        app.ingest(batch(1, number as u64, START + number as i64 * 10 * SECOND))
            .unwrap();
        let list = clusters(&app, ClustersRequest::default()).unwrap();
        let row = &list.rows[0];
        assert!(row.since_completed_micros.is_none_or(|since| since >= 0));
        assert!(
            row.efficiency
                .is_none_or(|share| (0.0..=1.0).contains(&share))
        );
        assert_ne!(
            row.state,
            ClusterState::Lost,
            "it was heard right now: {row:?}"
        );
    }
    assert_eq!(samples(&app, 1), 8);
    app.drain().unwrap();
}

#[test]
fn a_newer_store_is_refused_and_untouched() {
    let bench = Bench::filled(1, 1);
    rusqlite::Connection::open_with_flags(bench.file(), rusqlite::OpenFlags::default())
        .unwrap()
        .execute_batch(
            "pragma user_version = 9999; drop view schema_version; create view schema_version as select 9999 as number",
        )
        .unwrap();
    let bytes = fs::read(bench.file()).unwrap();
    for role in [Role::Owner, Role::Reader] {
        let error = bench.open(role).err().unwrap();
        assert!(matches!(error, Error::StoreTooNew { found: 9_999, .. }));
        assert_eq!(fs::read(bench.file()).unwrap(), bytes);
    }
    assert!(safety(bench.path()).damaged.is_empty());
}

#[test]
fn a_damaged_number_of_the_schema_is_no_newer_store_and_costs_nothing() {
    for number in [9_999_u32, 1] {
        let bench = Bench::filled(2, 2);
        let mut bytes = fs::read(bench.file()).unwrap();
        // SQLite's place for the number of the schema.
        bytes[60..64].copy_from_slice(&number.to_be_bytes());
        fs::write(bench.file(), &bytes).unwrap();
        let error = bench.open(Role::Reader).err().unwrap();
        assert!(matches!(error, Error::StoreDamaged { .. }), "{error}");
        let app = bench.owner();
        assert_eq!((total(&app), safety(bench.path()).damaged.len()), (0, 1));
        app.drain().unwrap();
        let salvaged = salvage(bench.path(), None, &*bench.clock).unwrap();
        assert!(
            salvaged
                .tables
                .iter()
                .all(|table| table.unreadable == 0 && table.dropped == 0)
        );
        restore(
            bench.path(),
            Some(&salvaged.snapshot.number.to_string()),
            &*bench.clock,
        )
        .unwrap();
        let app = bench.owner();
        assert_eq!((total(&app), samples(&app, 1)), (2, 2));
        app.drain().unwrap();
    }
}

const CHILD: &str = "BOBBIN_TEST_READ_ONLY";
/// Who may write nowhere that is not open to all.
const NOBODY: u32 = 65_534;

/// Not a test of its own: it runs as somebody whom permissions bind.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(CHILD) else {
        return;
    };
    let clock = Arc::new(ManualClock::at(Micros(START)));
    let error = App::open(Path::new(&dir), Role::Owner, clock)
        .err()
        .unwrap();
    println!("{:?}: {error}; {}", error.code(), error.hint().unwrap());
}

#[test]
fn a_folder_or_a_file_that_cannot_be_written_is_named() {
    let is_root = rustix::process::geteuid().is_root();
    for (folder, file) in [(0o500, 0o600), (0o700, 0o400)] {
        let bench = Bench::filled(1, 1);
        if is_root {
            for entry in fs::read_dir(bench.path()).unwrap() {
                std::os::unix::fs::chown(entry.unwrap().path(), Some(NOBODY), None).unwrap();
            }
            std::os::unix::fs::chown(bench.path(), Some(NOBODY), None).unwrap();
        }
        fs::set_permissions(bench.file(), fs::Permissions::from_mode(file)).unwrap();
        fs::set_permissions(bench.path().join("lock"), fs::Permissions::from_mode(file)).unwrap();
        fs::set_permissions(bench.path(), fs::Permissions::from_mode(folder)).unwrap();
        let bytes = fs::read(bench.file()).unwrap();
        // Where others may run it: the build's own folder need not be open to them.
        let program = tempfile::tempdir().unwrap();
        fs::set_permissions(program.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let test = program.path().join("test");
        fs::copy(std::env::current_exe().unwrap(), &test).unwrap();
        let mut child = Command::new(test);
        child
            .args(["--exact", "child", "--nocapture"])
            .env(CHILD, bench.path());
        if is_root {
            child.uid(NOBODY);
        }
        let output = child.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let expected = format!("{:?}: ", Code::Store);
        assert!(
            said.contains(&expected) && said.contains("cannot be written; give yourself"),
            "{said}{output:?}"
        );
        fs::set_permissions(bench.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(fs::read(bench.file()).unwrap(), bytes);
    }
}
