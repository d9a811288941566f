//! The writer's thread with small jobs of its own: what fails, fails alone, and a full disk passes.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use rusqlite::Connection;

use super::{Batches, Job, Writer, open_owner};
use crate::{Error, Result};

#[derive(Default)]
struct State;

impl Batches for State {
    fn committed(&mut self) {}
    fn rolled_back(&mut self) {}
}

/// Runs some SQL, and tells how it went.
struct Sql(&'static str, SyncSender<(&'static str, Result<()>)>);

impl Job<State> for Sql {
    fn run(&mut self, db: &Connection, _: &mut State) -> Result<()> {
        Ok(db.execute_batch(self.0)?)
    }

    fn finish(self: Box<Self>, stored: Result<()>) {
        self.1.send((self.0, stored)).unwrap();
    }
}

/// Holds the thread until it is let go, so that what follows comes into one group.
struct Hold(Receiver<()>);

impl Job<State> for Hold {
    fn run(&mut self, _: &Connection, _: &mut State) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>, _: Result<()>) {
        let _ = self.0.recv_timeout(Duration::from_secs(10));
    }
}

#[test]
fn a_job_that_fails_does_not_sink_those_of_the_same_commit() {
    let dir = tempfile::tempdir().unwrap();
    let writer = Writer::start(open_owner(dir.path()).unwrap(), State).unwrap();
    let (told, heard) = sync_channel(10);
    let (go, hold) = sync_channel(1);
    writer.push(Box::new(Hold(hold))).unwrap();
    let good = "insert into name (text) values ('one')";
    let bad = "insert into name (text) values ('two'); insert into name (text) values (null)";
    let last = "insert into name (text) values ('three')";
    for sql in [good, bad, last] {
        writer.push(Box::new(Sql(sql, told.clone()))).unwrap();
    }
    go.send(()).unwrap();
    writer.stop().unwrap();
    let results: Vec<_> = heard
        .try_iter()
        .map(|(sql, stored)| (sql, stored.is_ok()))
        .collect();
    assert_eq!(results, [(good, true), (bad, false), (last, true)]);
    let opened = open_owner(dir.path()).unwrap();
    let names: String = opened
        .db
        .query_one("select group_concat(text) from name", [], |row| row.get(0))
        .unwrap();
    assert_eq!(names, "one,three");
}

#[test]
fn a_full_disk_refuses_work_keeps_what_is_stored_and_goes_on_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    let opened = open_owner(dir.path()).unwrap();
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
    let opened = open_owner(dir.path()).unwrap();
    let names: i64 = opened
        .db
        .query_one("select count(*) from name", [], |row| row.get(0))
        .unwrap();
    assert_eq!(names, 2);
}

#[test]
fn a_queue_that_is_full_says_so_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let writer = Writer::start(open_owner(dir.path()).unwrap(), State).unwrap();
    let (told, heard) = sync_channel(1_000);
    let (go, hold) = sync_channel(1);
    writer.push(Box::new(Hold(hold))).unwrap();
    let offered = (0..600).map(|_| writer.offer(Box::new(Sql("select 1", told.clone()))));
    let refused = offered
        .filter(|offered| matches!(offered, Err(Error::Busy)))
        .count();
    assert!((300..600).contains(&refused), "{refused}");
    go.send(()).unwrap();
    writer.stop().unwrap();
    assert_eq!(heard.try_iter().count(), 600 - refused);
    assert!(matches!(
        writer.offer(Box::new(Sql("select 1", told))),
        Err(Error::Stopping)
    ));
}

#[test]
fn the_engine_is_one_without_the_fault_in_resetting_the_log() {
    assert!(
        rusqlite::version_number() >= 3_051_003,
        "{}",
        rusqlite::version()
    );
}
