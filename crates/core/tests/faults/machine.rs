//! Second instances, long readers, clocks, other versions, and what may not be written.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use bobbin_core::api::{App, ClustersRequest, DoctorVerdict, Role, clusters, examine, safety};
use bobbin_core::clock::ManualClock;
use bobbin_core::model::{ClusterState, Micros};
use bobbin_core::{Code, Error};

use super::{Bench, FILE, HOUR, SECOND, START, batch, samples, total};

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
fn a_store_in_a_folder_that_is_copied_away_has_no_log_and_the_doctor_says_so() {
    let base = tempfile::tempdir().unwrap();
    for (folder, mode, shared) in [("Dropbox/x", "delete", true), ("x", "wal", false)] {
        let dir = base.path().join(folder);
        let clock = Arc::new(ManualClock::at(Micros(START)));
        let app = App::open(&dir, Role::Owner, clock).unwrap();
        app.ingest(batch(1, 0, START)).unwrap();
        let read = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let found: String = rusqlite::Connection::open_with_flags(dir.join(FILE), read)
            .and_then(|db| db.pragma_query_value(None, "journal_mode", |row| row.get(0)))
            .unwrap();
        assert_eq!(found, mode);
        let told = examine(&dir, None, None, app.now(), || Ok(app.clone()));
        let check = told
            .checks
            .iter()
            .find(|check| check.name == "shared folder");
        assert_eq!(check.is_some(), shared);
        if let Some(check) = check {
            assert_eq!(check.verdict, DoctorVerdict::Note);
            assert!(check.found.contains("Dropbox"), "{}", check.found);
        }
        app.drain().unwrap();
    }
}

#[test]
fn a_clock_that_jumps_and_a_machine_that_sleeps_leave_no_odd_times() {
    let bench = Bench::new();
    let app = bench.owner();
    let day = 24 * HOUR;
    // Where this machine's clock stands when each batch comes; the scheduler's own runs on.
    let jumps = [0, 1, day, day + 1, -day, -day + 1, 8 * HOUR, 2];
    // In the end the year is 2038, and seconds are more than 31 bits hold.
    let late = [15 * 365 * day, 15 * 365 * day + 1];
    for (number, clock) in jumps.into_iter().chain(late).enumerate() {
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
    assert_eq!(samples(&app, 1), 10);
    app.drain().unwrap();
}

#[test]
fn a_newer_store_is_refused_and_untouched() {
    let bench = Bench::filled(1, 1);
    let bytes = bench.update();
    for role in [Role::Owner, Role::Reader] {
        let error = bench.open(role).err().unwrap();
        assert!(matches!(error, Error::StoreTooNew { found: 9_999, .. }));
        assert_eq!(fs::read(bench.file()).unwrap(), bytes);
    }
    assert!(safety(bench.path()).damaged.is_empty());
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

/// Not a test of its own: it runs where hardly a byte can be written.
#[test]
fn child_on_a_full_disk() {
    let Some(dir) = std::env::var_os(CHILD) else {
        return;
    };
    let open = |role| {
        App::open(
            Path::new(&dir),
            role,
            Arc::new(ManualClock::at(Micros(START))),
        )
    };
    let reader = open(Role::Reader).unwrap();
    println!("clusters: {}, {}", total(&reader), samples(&reader, 1));
    let error = open(Role::Owner).err().unwrap();
    println!("{:?}: {error}; {}", error.code(), error.hint().unwrap());
}

#[test]
fn a_store_is_read_on_a_full_disk_and_not_written_however_it_was_left() {
    for bench in [Bench::filled(2, 3), Bench::killed(2, 3)] {
        let log = bench.path().join(format!("{FILE}-wal"));
        // Without a log or with an empty one, all is in the file.
        let bytes = || {
            let log = fs::read(&log).unwrap_or_default();
            (fs::read(bench.file()).unwrap(), log)
        };
        let before = bytes();
        // The limit on the size of files stands for the disk: SQLite cannot make the index of its log either.
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "machine::child_on_a_full_disk", "--nocapture"])
            .env(CHILD, bench.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let expected = format!("{:?}: the disk is full; free some space", Code::DiskFull);
        assert!(
            said.contains("clusters: 2, 3") && said.contains(&expected),
            "{said}{output:?}"
        );
        assert!(bytes() == before, "it was written");
        assert_eq!(total(&bench.owner()), 2);
    }
}

/// Not a test of its own, either.
#[test]
fn child_that_reads() {
    let Some(dir) = std::env::var_os(CHILD) else {
        return;
    };
    let clock = Arc::new(ManualClock::at(Micros(START)));
    match App::open(Path::new(&dir), Role::Reader, clock) {
        Ok(reader) => println!("clusters: {}, {}", total(&reader), samples(&reader, 1)),
        Err(error) => println!("{:?}: {error}", error.code()),
    }
}

/// Runs one of these as somebody whom the modes of folder, file and lock bind.
fn bound(bench: &Bench, test: &str, folder: u32, file: u32) -> Output {
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        for entry in fs::read_dir(bench.path()).unwrap() {
            std::os::unix::fs::chown(entry.unwrap().path(), Some(NOBODY), None).unwrap();
        }
        std::os::unix::fs::chown(bench.path(), Some(NOBODY), None).unwrap();
    }
    fs::set_permissions(bench.file(), fs::Permissions::from_mode(file)).unwrap();
    fs::set_permissions(bench.path().join("lock"), fs::Permissions::from_mode(file)).unwrap();
    fs::set_permissions(bench.path(), fs::Permissions::from_mode(folder)).unwrap();
    // Where others may run it: the build's own folder need not be open to them.
    let program = tempfile::tempdir().unwrap();
    fs::set_permissions(program.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = program.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let mut child = Command::new(copy);
    child
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, bench.path());
    if is_root {
        child.uid(NOBODY);
    }
    let output = child.output().unwrap();
    fs::set_permissions(bench.path(), fs::Permissions::from_mode(0o700)).unwrap();
    output
}

#[test]
fn a_folder_or_a_file_that_cannot_be_written_is_named() {
    for (folder, file) in [(0o500, 0o600), (0o700, 0o400)] {
        let bench = Bench::filled(1, 1);
        let bytes = fs::read(bench.file()).unwrap();
        let output = bound(&bench, "machine::child", folder, file);
        let said = String::from_utf8_lossy(&output.stdout);
        let expected = format!("{:?}: ", Code::Store);
        assert!(
            said.contains(&expected)
                && said.contains("Bobbin cannot write to")
                && said.contains("; give yourself"),
            "{said}{output:?}"
        );
        assert_eq!(fs::read(bench.file()).unwrap(), bytes);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_read_also_after_a_kill_where_the_file_can_be_locked() {
    let refused = format!("{:?}: Bobbin cannot write to", Code::Store);
    // Whoever closes it last may leave an empty log, or none.
    let closed = Bench::filled(2, 3);
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(closed.path().join(format!("{FILE}{end}")));
    }
    for (bench, file, expected) in [
        (closed, 0o400, "clusters: 2, 3"),
        (Bench::killed(2, 3), 0o600, "clusters: 2, 3"),
        // Without its log it would be another store.
        (Bench::killed(2, 3), 0o400, &*refused),
    ] {
        let bytes = fs::read(bench.file()).unwrap();
        let output = bound(&bench, "machine::child_that_reads", 0o500, file);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains(expected), "{said}{output:?}");
        assert_eq!(fs::read(bench.file()).unwrap(), bytes);
    }
}
