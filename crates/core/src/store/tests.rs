//! The writer's thread with small jobs of its own: what fails, fails alone, and a full disk passes.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::{Batches, FILE, Job, Writer, open_owner};
use crate::install::{crashes, keep_crashes};
use crate::model::Micros;
use crate::testing::logged::Logged;
use crate::testing::own_process::{folder_apart, run_apart};
use crate::{Error, Result};

#[derive(Default)]
pub(super) struct State;

impl Batches for State {
    fn committed(&mut self) {}
    fn rolled_back(&mut self) {}
    fn settle(&mut self, _: &Connection) -> Result<()> {
        Ok(())
    }
    fn maintain_at(&self) -> Instant {
        Instant::now() + Duration::from_secs(3_600)
    }
    fn maintain(&mut self, _: &Connection) -> Result<()> {
        Ok(())
    }
    fn closing(&mut self, _: &Connection) {}
}

/// Runs some SQL, and tells how it went.
struct Sql(&'static str, SyncSender<(&'static str, Result<()>)>);

impl Job<State> for Sql {
    fn repeats(&self) -> bool {
        !self.0.ends_with("-- once")
    }

    fn run(&mut self, db: &Connection, _: &mut State) -> Result<()> {
        Ok(db.execute_batch(self.0)?)
    }

    fn panicked(&mut self, _: &mut State) -> bool {
        false
    }

    fn finish(self: Box<Self>, stored: Result<()>) {
        self.1.send((self.0, stored)).unwrap();
    }
}

/// Runs a function, and tells how it went.
pub(super) struct Runs(
    pub(super) fn(&Connection) -> Result<()>,
    pub(super) SyncSender<Result<()>>,
);

impl Job<State> for Runs {
    fn repeats(&self) -> bool {
        true
    }

    fn run(&mut self, db: &Connection, _: &mut State) -> Result<()> {
        (self.0)(db)
    }

    fn panicked(&mut self, _: &mut State) -> bool {
        false
    }

    fn finish(self: Box<Self>, stored: Result<()>) {
        self.1.send(stored).unwrap();
    }
}

/// Holds the thread until it is let go, so that what follows comes into one group.
struct Hold(SyncSender<()>, Receiver<()>);

/// Holds the thread of a writer, which goes on once it is told to.
fn hold(writer: &Writer<State>) -> SyncSender<()> {
    let (held, is_held) = sync_channel(1);
    let (go, told) = sync_channel(1);
    writer.push(Box::new(Hold(held, told))).unwrap();
    is_held.recv().unwrap();
    go
}

impl Job<State> for Hold {
    fn repeats(&self) -> bool {
        true
    }

    fn run(&mut self, _: &Connection, _: &mut State) -> Result<()> {
        Ok(())
    }

    fn panicked(&mut self, _: &mut State) -> bool {
        false
    }

    fn finish(self: Box<Self>, _: Result<()>) {
        self.0.send(()).unwrap();
        let _ = self.1.recv_timeout(Duration::from_secs(10));
    }
}

/// Runs these in one group; which were stored, and the names in the store then.
fn in_one_group(jobs: &[&'static str]) -> (Vec<bool>, String) {
    let dir = tempfile::tempdir().unwrap();
    let writer = Writer::start(open_owner(dir.path(), Micros(0)).unwrap(), State).unwrap();
    let (told, heard) = sync_channel(10);
    let go = hold(&writer);
    for sql in jobs {
        writer.push(Box::new(Sql(sql, told.clone()))).unwrap();
    }
    go.send(()).unwrap();
    writer.stop().unwrap();
    let (order, stored): (Vec<_>, Vec<_>) = heard
        .try_iter()
        .map(|(sql, stored)| (sql, stored.is_ok()))
        .unzip();
    assert_eq!(order, jobs);
    let opened = open_owner(dir.path(), Micros(0)).unwrap();
    let names = opened
        .db
        .query_one("select group_concat(text) from name", [], |row| row.get(0))
        .unwrap();
    (stored, names)
}

#[test]
fn a_job_that_fails_does_not_sink_those_of_the_same_commit() {
    let good = "insert into name (text) values ('one')";
    let bad = "insert into name (text) values ('two'); insert into name (text) values (null)";
    let last = "insert into name (text) values ('three')";
    let (stored, names) = in_one_group(&[good, bad, last, bad]);
    assert_eq!(stored, [true, false, true, false]);
    assert_eq!(names, "one,three");
}

#[test]
fn what_cannot_run_again_runs_once_beside_what_fails() {
    let good = "insert into name (text) values ('one')";
    let once = "insert into name (text) select 'once ' || count(*) from name -- once";
    let bad = "insert into name (text) values ('two'); insert into name (text) values (null)";
    let bad_once = "insert into name (text) values ('two'), (null) -- once";
    let (stored, names) = in_one_group(&[good, once, bad, bad_once, bad]);
    assert_eq!(stored, [true, true, false, false, false]);
    assert_eq!(names, "one,once 1");
    let (stored, names) = in_one_group(&[good, bad, once]);
    assert_eq!(stored, [true, false, true]);
    assert_eq!(names, "one,once 1");
}

/// Writes more than the log may have before it is copied, and tells how large the file is once that is durable.
struct Large(PathBuf, SyncSender<u64>);

impl Job<State> for Large {
    fn repeats(&self) -> bool {
        true
    }

    fn run(&mut self, db: &Connection, _: &mut State) -> Result<()> {
        db.execute_batch("insert into name (text) values (hex(randomblob(3000000)))")?;
        Ok(())
    }

    fn panicked(&mut self, _: &mut State) -> bool {
        false
    }

    fn finish(self: Box<Self>, stored: Result<()>) {
        stored.unwrap();
        self.1.send(self.0.metadata().unwrap().len()).unwrap();
    }
}

#[test]
fn a_sender_is_answered_before_the_log_is_copied() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(FILE);
    let writer = Writer::start(open_owner(dir.path(), Micros(0)).unwrap(), State).unwrap();
    let (told, heard) = sync_channel(1);
    let large = || {
        let job = Box::new(Large(file.clone(), told.clone()));
        writer.push(job).unwrap();
        heard.recv().unwrap()
    };
    let (first, second) = (large(), large());
    writer.stop().unwrap();
    assert!(first < 3_000_000, "{first}");
    assert!(second > 6_000_000, "{second}");
}

#[test]
fn a_full_disk_refuses_work_keeps_what_is_stored_and_goes_on_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    let opened = open_owner(dir.path(), Micros(0)).unwrap();
    let pages: i64 = opened
        .db
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .unwrap();
    opened
        .db
        .query_one(
            &format!("pragma max_page_count = {}", pages + 4),
            [],
            |_| Ok(()),
        )
        .unwrap();
    let writer = Writer::start(opened, State).unwrap();
    let (told, heard) = sync_channel(64);
    let small = "insert into name (text) values (hex(randomblob(100)))";
    let large = "insert into name (text) values (hex(randomblob(100000)))";
    let run = |sql| {
        writer.push(Box::new(Sql(sql, told.clone()))).unwrap();
        heard.recv().unwrap().1
    };
    run(small).unwrap();
    for _ in 0..3 {
        assert!(matches!(run(large), Err(Error::DiskFull)));
    }
    run("pragma max_page_count = 100000").unwrap();
    run(large).unwrap();
    writer.stop().unwrap();
    let opened = open_owner(dir.path(), Micros(0)).unwrap();
    let names: i64 = opened
        .db
        .query_one("select count(*) from name", [], |row| row.get(0))
        .unwrap();
    assert_eq!(names, 2);
}

/// Fails as a disk does: SQLite undoes the whole transaction.
fn break_off(db: &Connection) -> Result<()> {
    db.execute_batch("insert into name (text) values ('lost'); rollback")?;
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_WRITE);
    Err(rusqlite::Error::SqliteFailure(code, Some("disk I/O error".into())).into())
}

#[test]
fn a_disk_that_fails_is_told_as_that_to_all_of_its_commit_and_not_as_full() {
    let dir = tempfile::tempdir().unwrap();
    let writer = Writer::start(open_owner(dir.path(), Micros(0)).unwrap(), State).unwrap();
    let (told, heard) = sync_channel(10);
    let (sql_told, sql_heard) = sync_channel(10);
    let good = "insert into name (text) values ('one')";
    let go = hold(&writer);
    writer.push(Box::new(Sql(good, sql_told.clone()))).unwrap();
    writer.push(Box::new(Runs(break_off, told))).unwrap();
    writer.push(Box::new(Sql(good, sql_told.clone()))).unwrap();
    go.send(()).unwrap();
    let first = sql_heard.recv().unwrap().1;
    for stored in [first, heard.recv().unwrap(), sql_heard.recv().unwrap().1] {
        let error = stored.unwrap_err();
        assert_eq!(error.code(), crate::Code::Internal, "{error}");
        assert!(error.to_string().contains("disk I/O error"), "{error}");
    }
    // The next one is stored.
    writer.push(Box::new(Sql(good, sql_told))).unwrap();
    sql_heard.recv().unwrap().1.unwrap();
    writer.stop().unwrap();
}

/// Panics so often, then leaves out what it panicked at; or never does.
struct Panics {
    left: u32,
    learns: bool,
    told: SyncSender<Result<()>>,
}

impl Job<State> for Panics {
    fn repeats(&self) -> bool {
        true
    }

    fn run(&mut self, db: &Connection, _: &mut State) -> Result<()> {
        db.execute_batch("insert into name (text) values ('half')")?;
        assert_eq!(self.left, 0, "a fault of its own");
        Ok(())
    }

    fn panicked(&mut self, _: &mut State) -> bool {
        self.left -= u32::from(self.learns);
        self.learns
    }

    fn finish(self: Box<Self>, stored: Result<()>) {
        self.told.send(stored).unwrap();
    }
}

#[test]
fn a_job_that_panics_leaves_out_what_it_panicked_at_and_takes_nobody_with_it() {
    for learns in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let writer = Writer::start(open_owner(dir.path(), Micros(0)).unwrap(), State).unwrap();
        let (told, heard) = sync_channel(10);
        let (sql_told, sql_heard) = sync_channel(10);
        let go = hold(&writer);
        let sql = |sql| writer.push(Box::new(Sql(sql, sql_told.clone()))).unwrap();
        sql("insert into name (text) values ('one')");
        let panics = Panics {
            left: 3,
            learns,
            told,
        };
        writer.push(Box::new(panics)).unwrap();
        sql("insert into name (text) values ('two')");
        go.send(()).unwrap();
        let stored = heard.recv().unwrap();
        assert_eq!(stored.is_ok(), learns, "{stored:?}");
        if let Err(error) = stored {
            assert!(error.to_string().contains("a fault in Bobbin"), "{error}");
        }
        for _ in 0..2 {
            sql_heard.recv().unwrap().1.unwrap();
        }
        writer.stop().unwrap();
        let names: String = open_owner(dir.path(), Micros(0))
            .unwrap()
            .db
            .query_one("select group_concat(text) from name", [], |row| row.get(0))
            .unwrap();
        let expected = if learns { "one,half,two" } else { "one,two" };
        assert_eq!(names, expected);
    }
}

/// Cuts a text in the middle of a sign: the panic quotes it.
fn cut(_: &Connection) -> Result<()> {
    let text = String::from("canary ü password");
    assert!(!text[..8].is_empty());
    Ok(())
}

/// Not a test of its own: a writer whose job panics, in a process of its own.
#[test]
fn child() {
    let Some(dir) = folder_apart() else {
        return;
    };
    keep_crashes(&dir);
    let logged = Logged::default();
    tracing::subscriber::set_global_default(logged.clone()).unwrap();
    let writer = Writer::start(open_owner(&dir, Micros(0)).unwrap(), State).unwrap();
    let (told, heard) = sync_channel(1);
    writer.push(Box::new(Runs(cut, told))).unwrap();
    let error = heard.recv().unwrap().unwrap_err();
    writer.stop().unwrap();
    println!("{error}\n{}", logged.text());
}

#[test]
fn a_job_that_panics_is_told_by_its_place_and_without_its_words() {
    let dir = tempfile::tempdir().unwrap();
    let [logged, said] = run_apart("store::tests::child", dir.path());
    let failed = logged
        .lines()
        .find(|line| line.starts_with("ERROR") && line.contains("by a fault of its own"));
    assert!(failed.unwrap().contains("tests.rs:"), "{logged}");
    let (_, kept) = crashes(dir.path());
    assert!(kept[0].contains("thread bobbin-writer: "), "{kept:?}");
    for told in [&logged, &said, &kept.concat()] {
        assert!(!told.contains("canary"), "{told}");
    }
    for entry in fs::read_dir(dir.path()).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"canary"));
    }
}

#[test]
fn a_queue_that_is_full_says_so_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let writer = Writer::start(open_owner(dir.path(), Micros(0)).unwrap(), State).unwrap();
    let (told, heard) = sync_channel(2_000);
    let go = hold(&writer);
    let offered = (0..1_500).map(|_| writer.offer(Box::new(Sql("select 1", told.clone()))));
    let refused = offered
        .filter(|offered| matches!(offered, Err(Error::Busy)))
        .count();
    assert!((400..1_500).contains(&refused), "{refused}");
    go.send(()).unwrap();
    writer.stop().unwrap();
    assert_eq!(heard.try_iter().count(), 1_500 - refused);
    assert!(matches!(
        writer.offer(Box::new(Sql("select 1", told))),
        Err(Error::Stopping)
    ));
}

/// Notes what is done, in order.
#[derive(Default)]
struct Noted {
    done: Arc<Mutex<Vec<&'static str>>>,
    due: bool,
}

impl Batches for Noted {
    fn committed(&mut self) {}
    fn rolled_back(&mut self) {}
    fn settle(&mut self, _: &Connection) -> Result<()> {
        Ok(())
    }
    fn maintain_at(&self) -> Instant {
        Instant::now() + Duration::from_secs(if self.due { 0 } else { 3_600 })
    }
    fn maintain(&mut self, _: &Connection) -> Result<()> {
        self.done.lock().unwrap().push("maintained");
        self.due = false;
        Ok(())
    }
    fn closing(&mut self, _: &Connection) {}
}

/// Makes maintenance due; once its commit is over it says so, and holds the thread until it is let go.
struct Due(SyncSender<()>, Receiver<()>);

impl Job<Noted> for Due {
    fn repeats(&self) -> bool {
        true
    }

    fn run(&mut self, _: &Connection, state: &mut Noted) -> Result<()> {
        state.due = true;
        Ok(())
    }

    fn panicked(&mut self, _: &mut Noted) -> bool {
        false
    }

    fn finish(self: Box<Self>, _: Result<()>) {
        self.0.send(()).unwrap();
        let _ = self.1.recv_timeout(Duration::from_secs(10));
    }
}

struct Work;

impl Job<Noted> for Work {
    fn repeats(&self) -> bool {
        true
    }

    fn run(&mut self, _: &Connection, state: &mut Noted) -> Result<()> {
        state.done.lock().unwrap().push("worked");
        Ok(())
    }

    fn panicked(&mut self, _: &mut Noted) -> bool {
        false
    }

    fn finish(self: Box<Self>, _: Result<()>) {}
}

#[test]
fn a_batch_that_waits_goes_before_maintenance() {
    let dir = tempfile::tempdir().unwrap();
    let state = Noted::default();
    let done = Arc::clone(&state.done);
    let writer = Writer::start(open_owner(dir.path(), Micros(0)).unwrap(), state).unwrap();
    let (over, committed) = sync_channel(1);
    let (go, hold) = sync_channel(1);
    writer.push(Box::new(Due(over, hold))).unwrap();
    committed.recv().unwrap();
    writer.push(Box::new(Work)).unwrap();
    go.send(()).unwrap();
    writer.stop().unwrap();
    assert_eq!(*done.lock().unwrap(), ["worked", "maintained"]);
}

#[test]
fn the_engine_is_one_without_the_fault_in_resetting_the_log() {
    assert!(
        rusqlite::version_number() >= 3_051_003,
        "{}",
        rusqlite::version()
    );
}
