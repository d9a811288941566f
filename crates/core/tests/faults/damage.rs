//! A file that is damaged, and what is salvaged of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use bobbin_core::Error;
use bobbin_core::api::{ClustersRequest, Role, clusters, restore, safety, salvage, snapshots};
use bobbin_core::model::Micros;
use rusqlite::{Connection, OpenFlags};

use super::{Bench, FILE, HOUR, SECOND, START, batch, samples, total};

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
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let db = Connection::open_with_flags(file, flags).unwrap();
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

#[test]
fn a_store_that_was_cut_off_within_a_transaction_is_salvaged_as_before_it() {
    let bench = Bench::filled(3, 60);
    let cut = tempfile::tempdir().unwrap();
    // As on a shared folder, where it has a rollback journal; half of the pages are written.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let db = Connection::open_with_flags(bench.file(), flags).unwrap();
    db.execute_batch(
        "pragma journal_mode = delete; pragma cache_size = 1; begin; delete from event; delete from sample",
    )
    .unwrap();
    for end in ["", "-journal"] {
        let name = format!("{FILE}{end}");
        fs::copy(bench.path().join(&name), cut.path().join(&name)).unwrap();
    }
    drop(db);
    let salvaged = salvage(bench.path(), Some(cut.path()), &*bench.clock).unwrap();
    for name in ["event", "sample"] {
        let table = salvaged.tables.iter().find(|table| table.name == name);
        assert_eq!(table.map(|table| table.rows), Some(180), "{name}");
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
    let db = Connection::open_with_flags(bench.file(), OpenFlags::default());
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

#[test]
fn what_clusters_stalled_is_the_sum_of_the_hours_that_are_left() {
    let bench = Bench::filled(2, 4);
    let open =
        || Connection::open_with_flags(bench.file(), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    // Of each, as if an hour of two seconds had been lost.
    open()
        .execute_batch(
            "insert into stalled_hour values (1, 0, 5000000), (1, 1, 2000000);
             update cluster_total set stalled_micros = iif(cluster_id = 1, 9000000, 2000000)",
        )
        .unwrap();
    let salvaged = salvage(bench.path(), Some(bench.path()), &*bench.clock).unwrap();
    let number = salvaged.snapshot.number.to_string();
    restore(bench.path(), Some(&number), &*bench.clock).unwrap();
    let sums = "select group_concat(stalled_micros, ' ' order by cluster_id), (select stalled_micros from usage_ever)
        from cluster_total";
    let sums: (String, i64) = open()
        .query_row(sums, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert_eq!(sums, ("7000000 0".into(), 7_000_000));
}

#[test]
fn of_a_cluster_whose_row_is_lost_its_figures_say_whose_it_is_and_when_it_began() {
    let bench = Bench::filled(2, 4);
    let open =
        || Connection::open_with_flags(bench.file(), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let db = open();
    db.pragma_update(None, "foreign_keys", false).unwrap();
    db.execute_batch(
        "insert into user_merge (user, person) values ('am12', 'ana');
         update cluster set user = 'ana', said_user = 'am12', host = 'h1' where id = 1;
         delete from cluster where id = 1",
    )
    .unwrap();
    drop(db);
    let salvaged = salvage(bench.path(), Some(bench.path()), &*bench.clock).unwrap();
    assert_eq!(salvaged.unnamed_clusters, 1);
    let number = salvaged.snapshot.number.to_string();
    restore(bench.path(), Some(&number), &*bench.clock).unwrap();
    let told = "select concat_ws(' ', c.scheduler_id, c.user, c.said_user, c.host, t.said_user, t.host, c.started_micros)
                from cluster as c join cluster_total as t on t.cluster_id = c.id where c.id = 1";
    let told: String = open().query_row(told, [], |row| row.get(0)).unwrap();
    assert_eq!(told, format!("salvaged-1 ana am12 h1 am12 h1 {START}"));
    let app = bench.owner();
    for text in ["user:am12", "host:h1", "am12", "h1"] {
        let request = ClustersRequest {
            text: Some(text.into()),
            ..ClustersRequest::default()
        };
        let found = clusters(&app, request).unwrap().rows;
        let found: Vec<i64> = found.iter().map(|row| row.id).collect();
        assert_eq!(found, [1], "{text}");
    }
    app.drain().unwrap();
}

#[test]
fn groups_and_metrics_stay_where_their_names_are_lost() {
    let bench = Bench::filled(1, 4);
    let open =
        || Connection::open_with_flags(bench.file(), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let db = open();
    db.pragma_update(None, "foreign_keys", false).unwrap();
    db.execute_batch(
        "insert into metric (
             cluster_id, span_id, prefix_id, context_id, activity_id, unit_id, at_micros, seq, rank, value
         )
         select 1, '', id, id, id, id, 0, 1, 1, 1.5 from name where text = 'inc';
         delete from metric_word;
         delete from cluster_prefix",
    )
    .unwrap();
    let lost = "delete from name where text = 'inc'";
    assert_eq!(db.execute(lost, []).unwrap(), 1);
    drop(db);
    let salvaged = salvage(bench.path(), Some(bench.path()), &*bench.clock).unwrap();
    assert!(
        salvaged.tables.iter().all(|table| table.dropped == 0),
        "{salvaged:?}"
    );
    let number = salvaged.snapshot.number.to_string();
    restore(bench.path(), Some(&number), &*bench.clock).unwrap();
    let db = open();
    let named = |table: &str, column: &str| -> u64 {
        let name = format!("join name as n on n.id = t.{column} where n.text like 'salvaged-%'");
        let sql = format!("select count(*) from {table} as t {name}");
        db.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(named("task_group", "prefix_id"), 4);
    assert_eq!(named("metric", "unit_id"), 1);
    // They are in use, so that their numbers are not given to others.
    assert_eq!(named("cluster_prefix", "prefix_id"), 1);
    assert_eq!(named("metric_word", "name_id"), 1);
}
