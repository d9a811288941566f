//! Opening the file: what is set on every connection, and what is refused.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};

use super::checked::{self, Checked, State};
use super::log::{self, Log};
use super::snapshot::Wanted;
use super::write::is_busy;
use super::{FILE, damage, expected, holds, migrate, network, restore, snapshot};
use crate::install::{at, check_private, create_private, open_private, prepare, random};
use crate::model::Micros;
use crate::system::may_write;
use crate::{Error, Result};

/// Up to which sizes a file is read whole at a start. A larger one is read beside its owner, by [`read_whole`].
#[derive(Clone, Copy)]
pub(super) struct AtStart {
    /// Of one that stands as it was closed: somebody waits for its window, and disks give 150 MB a second and more.
    pub(super) in_order: u64,
    /// Of any other: its owner was killed, somebody changed it, or it was not read for a week.
    pub(super) otherwise: u64,
}

pub(super) const AT_START: AtStart = AtStart {
    in_order: 128 << 20,
    otherwise: 5 << 30,
};
/// How long one waits for the locks of others.
const PATIENCE: Duration = Duration::from_secs(5);

/// A store that this process owns.
pub(crate) struct Opened {
    /// Held for as long as the store is owned.
    pub(crate) lock: File,
    pub(crate) db: Connection,
    pub(crate) log: Log,
    pub(crate) checked: Checked,
}

/// Takes the lock, opens or creates the file, checks it and brings it up to date. A damaged file is moved aside, and a new
/// one begun: recording goes on.
///
/// # Errors
/// [`Error::StoreInUse`], [`Error::StoreTooNew`], [`Error::ReadOnly`], [`Error::Loosened`], [`Error::DiskFull`],
/// [`Error::Io`].
pub(crate) fn open_owner(dir: &Path, now: Micros) -> Result<Opened> {
    open_owner_of(dir, AT_START, now)
}

/// The same, with other sizes.
///
/// # Errors
/// As [`open_owner`].
pub(super) fn open_owner_of(dir: &Path, at_start: AtStart, now: Micros) -> Result<Opened> {
    let shared = |lock| {
        let shared = network::shared_by(dir);
        if let Some(by) = shared {
            tracing::warn!(
                by,
                folder = %dir.display(),
                "other machines can access the store's folder; the store is only as safe as that folder's file locks"
            );
        }
        owner(dir, lock, shared.is_some(), at_start, now)
    };
    prepare(dir)
        .and_then(|()| may_write(dir).map_err(at(dir)))
        .and_then(|()| take_lock(dir))
        .and_then(shared)
        .map_err(|error| match error {
            Error::Io { path, source }
                if matches!(
                    source.kind(),
                    ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                Error::ReadOnly { path }
            }
            other => other,
        })
}

/// Keeps others from writing for as long as it is held.
///
/// # Errors
/// [`Error::StoreInUse`], [`Error::Io`].
pub(super) fn take_lock(dir: &Path) -> Result<File> {
    let path = dir.join("lock");
    let lock = open_private(&path)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Error::StoreInUse { path: dir.into() }),
        Err(TryLockError::Error(source)) => Err(at(&path)(source)),
    }
}

fn owner(dir: &Path, lock: File, shared: bool, at_start: AtStart, now: Micros) -> Result<Opened> {
    damage::finish(dir)?;
    restore::finish(dir, now)?;
    let opened = match open_checked(dir, shared, at_start, now) {
        // Nothing but a fault of the store itself takes it away.
        Err(Error::StoreDamaged { path, detail }) if damage::is_store(dir, &path) => {
            let folder = damage::quarantine(dir, &detail, now)?;
            tracing::error!(
                folder = %folder.display(),
                detail,
                "the store was damaged: Bobbin moved it aside and started a new one"
            );
            checked::damage_settled(dir)?;
            open_checked(dir, shared, at_start, now)
        }
        opened => opened,
    };
    let (db, log, checked) = opened?;
    Ok(Opened {
        lock,
        db,
        log,
        checked,
    })
}

fn open_checked(
    dir: &Path,
    shared: bool,
    at_start: AtStart,
    now: Micros,
) -> Result<(Connection, Log, Checked)> {
    let path = dir.join(FILE);
    let found = checked::damage_found(dir);
    let last = Checked::take(dir, now)?.filter(|_| found.is_none());
    match create_private(&path) {
        Ok(_) => {}
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {
            check_private(&path)?
        }
        Err(error) => return Err(error),
    }
    // The file exists now, so SQLite gives its log and index the same mode.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(&path, flags)?;
    // A damaged one is closed as it was found: its log stays beside it.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let bytes = path.metadata().map_err(at(&path))?.len();
    let whole = match &last {
        _ if found.is_some() => true,
        Some(State::Whole(_)) => false,
        Some(_) => bytes <= at_start.in_order,
        None => bytes <= at_start.otherwise,
    };
    let log =
        set_up(dir, &mut db, shared, whole, now).map_err(|error| damage::named(&path, error))?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    checked::damage_settled(dir)?;
    let state = match whole {
        true => State::Whole(now),
        false => last.unwrap_or(State::NotYet),
    };
    Ok((db, log, Checked::new(dir, state, found.is_some())))
}

fn set_up(dir: &Path, db: &mut Connection, shared: bool, whole: bool, now: Micros) -> Result<Log> {
    let path = dir.join(FILE);
    settings(db)?;
    if shared {
        // Nobody is there but the holder of the lock: a log is put into the file without the memory that it needs.
        db.pragma_update(None, "locking_mode", "exclusive")?;
    }
    let found = migrate::check(db)?;
    if db.is_readonly("main")? {
        return Err(Error::ReadOnly { path });
    }
    if whole {
        quick_check(db, &path)?;
    }
    // Takes as long as making a store, so it waits for the reading of the file; but no step is taken from unknown ground.
    if whole || found != migrate::known() {
        expected::check(db, found, &path)?;
    }
    // Only while the file is empty; so that it can shrink page by page, and never has to be written anew to do so.
    db.pragma_update(None, "auto_vacuum", "incremental")?;
    if shared {
        db.pragma_update(None, "journal_mode", "delete")?;
        db.pragma_update(None, "locking_mode", "normal")?;
        // Its journal is gone for good before a batch is acknowledged.
        db.pragma_update(None, "synchronous", "extra")?;
        migrate::check(db)?;
    } else {
        db.pragma_update(None, "journal_mode", "wal")?;
        db.pragma_update(None, "synchronous", "full")?;
    }
    db.pragma_update(None, "secure_delete", true)?;
    db.pragma_update(None, "fullfsync", true)?;
    db.pragma_update(None, "checkpoint_fullfsync", true)?;
    let log = Log::of(db, log::MOST_PAGES)?;
    if (1..migrate::known()).contains(&found) {
        before_migrating(dir, db, now)?;
    }
    keep_more_pages(db)?;
    migrate::migrate(db)?;
    Ok(log)
}

/// A step is whole or not at all, so that a copy is for a fault in the step itself. It is not worth refusing to start.
fn before_migrating(dir: &Path, db: &Connection, now: Micros) -> Result<()> {
    worth_starting(dir, snapshot::take(dir, db, Wanted::Unasked, now).map(drop))
}

fn worth_starting(dir: &Path, taken: Result<()>) -> Result<()> {
    match taken {
        Err(Error::StoreDamaged { path, detail }) if damage::is_store(dir, &path) => {
            Err(Error::StoreDamaged { path, detail })
        }
        Err(
            error @ (Error::NoRoom { .. }
            | Error::DiskFull
            | Error::Busy
            | Error::StoreDamaged { .. }),
        ) => {
            tracing::warn!(%error, "Bobbin could not take a snapshot before changing the schema");
            Ok(())
        }
        taken => taken,
    }
}

/// Opens the file for reading, beside an owner or alone.
///
/// # Errors
/// [`Error::StoreMissing`], [`Error::StoreDamaged`], [`Error::StoreTooNew`]; [`Error::Invalid`] if its schema is older
/// than this build's: an owner must open it once.
pub(crate) fn open_reader(dir: &Path) -> Result<Connection> {
    open_reading(dir).map(|(db, _)| db)
}

/// The same, and whether the connection may be kept for later: not one to which the file stands still only for now.
///
/// # Errors
/// As [`open_reader`].
pub(super) fn open_reading(dir: &Path) -> Result<(Connection, bool)> {
    let path = dir.join(FILE);
    if !path.exists() {
        return Err(Error::StoreMissing { path: dir.into() });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(&path, flags)?;
    let keeps = match settings(&db).and_then(|()| migrate::check(&db)) {
        // A folder that cannot be written has no place for a log or its index.
        Err(Error::Sqlite(error)) if has_no_place(&error) => true,
        // Neither has a full disk, for now.
        Err(Error::DiskFull) => false,
        found => {
            let found = found.map_err(|error| damage::named(&path, error))?;
            return Ok((current(db, found, &path)?, true));
        }
    };
    drop(db);
    // Who writes has an index: nobody does, and nobody begins to before there is a place for it.
    match log::log_bytes(dir) {
        0 => Ok((open_still(&path)?, keeps)),
        _ => Ok((open_alone(&path)?, false)),
    }
}

/// SQLite says so in two ways: of a log that is absent it says that it may not write to the folder.
fn has_no_place(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|failed| {
        failed.code == ErrorCode::CannotOpen
            || failed.extended_code == rusqlite::ffi::SQLITE_READONLY_DIRECTORY
    })
}

/// Reads the whole file beside its owner, looking for damage, and gives its schema. Takes seconds for some gigabytes. Damage is
/// noted for the next start.
///
/// # Errors
/// As [`open_reader`]; [`Error::Stopping`] once `stopping` is so.
pub(crate) fn inspect(checked: &Checked, stopping: &Arc<AtomicBool>) -> Result<u32> {
    inspected(checked.dir(), stopping).map_err(|error| checked.met(error))
}

fn inspected(dir: &Path, stopping: &Arc<AtomicBool>) -> Result<u32> {
    let path = dir.join(FILE);
    let mut db = open_reader(dir)?;
    let _long = log::LongRead::by(&db);
    let heard = Arc::clone(stopping);
    db.progress_handler(1_000, Some(move || heard.load(Ordering::Relaxed)))?;
    let checked = read_once(&db, || quick_check(&db, &path));
    if stopping.load(Ordering::Relaxed) {
        return Err(Error::Stopping);
    }
    checked?;
    let found = migrate::check(&db)?;
    expected::check(&db, found, &path).map(|()| found)
}

/// Reads the whole file of a store beside its owner, where that was left for later at the start. What was found stays so: a
/// damaged one is moved aside at the next start.
///
/// # Errors
/// [`Error::StoreDamaged`]; as [`inspect`], and then it is not read yet.
pub(crate) fn read_whole(checked: &Checked, now: Micros, stopping: &Arc<AtomicBool>) -> Result<()> {
    if let Some(damaged) = checked.damaged() {
        return Err(damaged);
    }
    if let State::Whole(_) = checked.state() {
        return Ok(());
    }
    inspect(checked, stopping)?;
    checked.found(State::Whole(now));
    Ok(())
}

/// Opens a file with a log whose index has no place but memory: alone, so it is closed after one answer, and others wait for
/// that. Nothing is written, and the log stays: it has what was acknowledged last.
fn open_alone(path: &Path) -> Result<Connection> {
    let end = Instant::now() + PATIENCE;
    let db = loop {
        match alone(path) {
            Err(Error::Sqlite(error)) if is_busy(&error) && Instant::now() < end => {
                // Who came at the same time is not to come again at the same time.
                let mut drawn = [0];
                random(&mut drawn)?;
                thread::sleep(Duration::from_millis(5 + u64::from(drawn[0] % 16)));
            }
            opened => break opened?,
        }
    };
    let found = settings(&db)
        .and_then(|()| migrate::check(&db))
        .map_err(|error| damage::named(path, error))?;
    current(db, found, path)
}

/// The same at once or not at all. Where SQLite waits by itself it keeps the lock of those who read beside each other, and of two
/// who wait so neither is ever alone.
fn alone(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    // It could not be locked, and without its log it would not be whole.
    if db.is_readonly("main")? {
        return Err(Error::ReadOnly { path: path.into() });
    }
    db.busy_timeout(Duration::ZERO)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    db.pragma_update(None, "query_only", true)?;
    db.pragma_update(None, "locking_mode", "exclusive")?;
    // The first that is read takes the lock.
    db.query_row("pragma schema_version", [], |_| Ok(()))
        .map_err(|error| damage::named(path, error.into()))?;
    Ok(db)
}

/// Opens a file that nobody writes to, and that has no log.
fn open_still(path: &Path) -> Result<Connection> {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'_' | b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(*byte))
            }
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let db = Connection::open_with_flags(uri, flags)?;
    settings(&db).map_err(|error| damage::named(path, error))?;
    let found = migrate::check(&db).map_err(|error| damage::named(path, error))?;
    current(db, found, path)
}

fn current(db: Connection, found: u32, path: &Path) -> Result<Connection> {
    if found == migrate::known() {
        // The table that lists are sorted by is read whole: that of 100,000 clusters fits.
        db.pragma_update(None, "cache_size", -32_768)?;
        return Ok(db);
    }
    Err(Error::Invalid {
        what: "store",
        value: path.display().to_string(),
        reason: format!(
            "its schema is {found}; start Bobbin once to upgrade it to {}",
            migrate::known()
        ),
    })
}

/// What every connection has.
pub(super) fn settings(db: &Connection) -> Result<()> {
    db.busy_timeout(PATIENCE)?;
    db.set_prepared_statement_cache_capacity(128);
    db.pragma_update(None, "foreign_keys", true)?;
    db.pragma_update(None, "trusted_schema", false)?;
    db.pragma_update(None, "temp_store", "memory")?;
    holds::add(db)
}

/// SQLite's own measure for a cache: it keeps the upper pages of trees, and little of what only one question reads.
const FEW_PAGES: i64 = -2_000;

/// Runs a question that reads much, and most of it once, which no cache makes faster: with [`FEW_PAGES`], so that what the connection
/// had kept before is dropped. What more the question would keep, the C library would not give back.
///
/// # Errors
/// Those of `question`; [`Error::Sqlite`].
pub(crate) fn read_once<T>(db: &Connection, question: impl FnOnce() -> Result<T>) -> Result<T> {
    let before: i64 = db.pragma_query_value(None, "cache_size", |row| row.get(0))?;
    db.pragma_update(None, "cache_size", FEW_PAGES)?;
    let answer = question();
    let put_back = db.pragma_update(None, "cache_size", before);
    // What the question met says more.
    let answer = answer?;
    put_back?;
    Ok(answer)
}

/// A larger cache, for who writes many rows to many places.
pub(super) fn keep_more_pages(db: &Connection) -> Result<()> {
    Ok(db.pragma_update(None, "cache_size", -16_384)?)
}

pub(super) fn quick_check(db: &Connection, path: &Path) -> Result<()> {
    let found: String = db.query_row("pragma quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" {
        Ok(())
    } else {
        Err(Error::StoreDamaged {
            path: path.into(),
            detail: found,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::salvage;
    use super::*;

    fn mode(db: &Connection) -> String {
        db.pragma_query_value(None, "journal_mode", |row| row.get(0))
            .unwrap()
    }

    fn names(db: &Connection) -> i64 {
        db.query_one("select count(*) from name", [], |row| row.get(0))
            .unwrap()
    }

    #[test]
    fn a_question_that_reads_much_has_few_pages_and_leaves_as_many_as_before() {
        let dir = tempfile::tempdir().unwrap();
        drop(open_owner(dir.path(), Micros(0)).unwrap());
        let db = open_reader(dir.path()).unwrap();
        let kib = || -> i64 {
            db.pragma_query_value(None, "cache_size", |row| row.get(0))
                .unwrap()
        };
        let before = kib();
        assert_eq!(read_once(&db, || Ok(kib())).unwrap(), FEW_PAGES);
        assert_eq!(kib(), before);
        read_once(&db, || Err::<(), _>(Error::Busy)).unwrap_err();
        assert_eq!(kib(), before);
        assert!(before < FEW_PAGES, "{before}");
    }

    #[test]
    fn where_other_machines_may_reach_it_the_store_has_no_log_and_gets_one_again_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let open = |shared| {
            owner(
                dir.path(),
                take_lock(dir.path()).unwrap(),
                shared,
                AT_START,
                Micros(0),
            )
            .unwrap()
        };
        for (round, shared) in [false, true, true, false].into_iter().enumerate() {
            let opened = open(shared);
            let expected = if shared { "delete" } else { "wal" };
            assert_eq!(mode(&opened.db), expected, "round {round}");
            opened
                .db
                .execute("insert into name (text) values ('n' || ?1)", [round as i64])
                .unwrap();
            assert_eq!(log::log_bytes(dir.path()) > 0, !shared);
            // Others read beside it.
            assert_eq!(names(&open_reader(dir.path()).unwrap()), round as i64 + 1);
        }
    }

    /// What is sorted or kept for a moment stays in memory.
    const OF_ALL: [(&str, i64); 3] = [
        ("temp_store", 2),
        ("foreign_keys", 1),
        ("trusted_schema", 0),
    ];
    const OF_OWNER: [(&str, i64); 5] = [
        ("synchronous", 2),
        ("secure_delete", 1),
        ("fullfsync", 1),
        ("checkpoint_fullfsync", 1),
        ("auto_vacuum", 2),
    ];

    fn is_set(db: &Connection, pragmas: &[(&str, i64)]) {
        for (name, value) in pragmas {
            let found: i64 = db.pragma_query_value(None, name, |row| row.get(0)).unwrap();
            assert_eq!(found, *value, "{name}");
        }
    }

    #[test]
    fn every_connection_is_set_alike() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let opened = open_owner(dir.path(), Micros(0)).unwrap();
        is_set(&opened.db, &OF_ALL);
        is_set(&open_reader(dir.path()).unwrap(), &OF_ALL);
        is_set(&opened.db, &OF_OWNER);
        drop(opened);
        is_set(&open_still(&path).unwrap(), &OF_ALL);
        is_set(&open_alone(&path).unwrap(), &OF_ALL);
    }

    #[test]
    fn a_store_that_was_restored_or_salvaged_is_set_as_a_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let opened = open_owner(dir.path(), Micros(0)).unwrap();
        let cluster = "insert into cluster (scheduler_id, first_at_micros) values ('one', 0)";
        opened.db.execute(cluster, []).unwrap();
        snapshot::take(dir.path(), &opened.db, Wanted::Asked, Micros(0)).unwrap();
        drop(opened);
        let as_new = |wanted: Option<&str>| {
            restore(dir.path(), wanted, Micros(0)).unwrap();
            let opened = open_owner(dir.path(), Micros(0)).unwrap();
            is_set(&opened.db, &OF_ALL);
            is_set(&opened.db, &OF_OWNER);
            assert_eq!(mode(&opened.db), "wal");
            let reader = open_reader(dir.path()).unwrap();
            is_set(&reader, &OF_ALL);
            is_set(&reader, &[("auto_vacuum", 2)]);
        };
        as_new(None);
        let salvaged = salvage(dir.path(), Some(dir.path()), Micros(0)).unwrap();
        as_new(Some(&salvaged.snapshot.number.to_string()));
    }

    #[test]
    fn the_log_of_a_store_that_is_opened_for_writing_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let opened = open_owner(dir.path(), Micros(0)).unwrap();
        // What `Log::of` sets, and nothing else does.
        let kept: i64 = opened
            .db
            .pragma_query_value(None, "journal_size_limit", |row| row.get(0))
            .unwrap();
        assert_eq!(kept, 64 << 20);
        assert_eq!(log::MOST_PAGES, (128 << 20) / 4_096);
    }

    /// A store as it is left by a kill, without the index of its log.
    fn killed() -> tempfile::TempDir {
        let (here, left) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let opened = open_owner(here.path(), Micros(0)).unwrap();
        opened
            .db
            .execute("insert into name (text) values ('a')", [])
            .unwrap();
        for name in [FILE.to_owned(), format!("{FILE}-wal")] {
            std::fs::copy(here.path().join(&name), left.path().join(&name)).unwrap();
        }
        crate::system::close_folder(left.path()).unwrap();
        left
    }

    #[test]
    fn who_reads_alone_is_waited_for_by_the_next_reader_and_by_an_owner() {
        let left = killed();
        let path = left.path().join(FILE);
        let reader = || names(&open_alone(&path).unwrap());
        let owner = || names(&open_owner(left.path(), Micros(0)).unwrap().db);
        let both: [&(dyn Fn() -> i64 + Sync); 2] = [&reader, &owner];
        for next in both {
            let alone = open_alone(&path).unwrap();
            thread::scope(|scope| {
                let waits = scope.spawn(next);
                thread::sleep(Duration::from_millis(200));
                assert!(!waits.is_finished());
                assert_eq!(names(&alone), 1);
                drop(alone);
                assert_eq!(waits.join().unwrap(), 1);
            });
        }
    }

    #[test]
    fn those_who_would_read_alone_at_once_take_turns() {
        let left = killed();
        let path = left.path().join(FILE);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        assert_eq!(names(&open_alone(&path).unwrap()), 1);
                    }
                });
            }
        });
    }

    #[test]
    fn a_copy_that_fails_is_no_damage_of_the_store() {
        let dir = Path::new("data");
        let damaged = |path: &Path| {
            Err(Error::StoreDamaged {
                path: path.into(),
                detail: "x".into(),
            })
        };
        let copy = snapshot::folder(dir).join("new").join(FILE);
        worth_starting(dir, damaged(&copy)).unwrap();
        worth_starting(dir, Err(Error::DiskFull)).unwrap();
        for store in [dir.join(FILE), FILE.into()] {
            worth_starting(dir, damaged(&store)).unwrap_err();
        }
    }

    const READ_WRITE: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE;

    /// A store of schema 3 in which somebody ran some SQL.
    fn older(sql: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        prepare(dir.path()).unwrap();
        let path = dir.path().join(FILE);
        drop(create_private(&path).unwrap());
        let mut db = Connection::open_with_flags(&path, READ_WRITE).unwrap();
        migrate::migrate_to(&mut db, 3).unwrap();
        db.execute_batch(sql).unwrap();
        db.close().unwrap();
        dir
    }

    #[test]
    fn an_older_schema_is_compared_before_it_changes_though_the_file_is_not_read_whole() {
        let dir = older("drop index cluster_started");
        let none = AtStart {
            in_order: 0,
            otherwise: 0,
        };
        drop(open_owner_of(dir.path(), none, Micros(0)).unwrap());
        let aside = damage::damaged(dir.path());
        assert_eq!(aside.len(), 1);
        let db = Connection::open_with_flags(aside[0].join(FILE), READ_WRITE).unwrap();
        assert_eq!(migrate::check(&db).unwrap(), 3);
    }

    #[test]
    fn an_older_store_is_copied_before_its_schema_changes() {
        let dir = older("");
        let opened = open_owner(dir.path(), Micros(0)).unwrap();
        assert_eq!(migrate::check(&opened.db).unwrap(), migrate::known());
        let copies = snapshot::list(dir.path());
        let copy = Connection::open_with_flags(&copies[0].path, READ_WRITE).unwrap();
        assert_eq!((copies.len(), migrate::check(&copy).unwrap()), (1, 3));
    }
}
