//! The disk is full at the n-th write, and from then on, for every n of a story; then there is room again.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use bobbin_core::{
    Code, Error,
    api::{App, Role, call, restore},
    clock::SystemClock,
    wire::decode,
};

use super::{
    Counted,
    folder::Folder,
    vfs::{World, world},
    work::{Sender, body, compare, records},
};
use crate::process::{Failure, Result};

const SENDER: Sender = 1;
/// The second cluster of the store.
const DELETED: Sender = 2;
/// Batches of the story.
const BATCHES: u64 = 6;

/// Tells the story with the disk full at each `step`-th write.
///
/// # Errors
/// A failure was told in other words than that the disk is full, or Bobbin did not go on when there was room.
pub fn run(step: u64) -> Result<Counted> {
    let folder = Folder::make("full")?;
    let mut counted = Counted::default();
    let (mut at, mut failed) = (1, 0);
    loop {
        let store = folder.0.join(format!("store-{at}"));
        fs::create_dir(&store)?;
        *world() = World {
            counted: Some(store.clone()),
            full_at: Some(at),
            ..World::default()
        };
        let mut told = Story {
            dir: &store,
            acknowledged: Vec::new(),
            failed: 0,
        };
        told.tell()
            .map_err(|error| Failure::new(format!("the disk was full at write {at}: {error}")))?;
        let refused = std::mem::take(&mut *world()).refused;
        failed += told.failed;
        counted.acknowledged += records(told.acknowledged.len() as u64);
        let acknowledged = BTreeMap::from([(SENDER, told.acknowledged)]);
        counted.add(compare(&store, &acknowledged)?);
        fs::remove_dir_all(&store)?;
        if refused == 0 {
            // SQLite may do without a write, such as when it only meant to copy its log; but not always.
            return if failed > 0 {
                Ok(counted)
            } else {
                Err(Failure::new("nobody was told that the disk was full"))
            };
        }
        counted.faults += 1;
        at += step;
    }
}

struct Story<'a> {
    dir: &'a Path,
    acknowledged: Vec<u64>,
    failed: u64,
}

impl Story<'_> {
    /// A new store, batches, a snapshot, a cluster that is deleted, the log copied into the file, a second start, a key that is
    /// replaced, a snapshot restored. What fails is done again once there is room.
    fn tell(&mut self) -> Result {
        for half in 0..2 {
            let app = self.again(|dir| App::open(dir, Role::Owner, Arc::new(SystemClock)))?;
            for number in half * BATCHES / 2..(half + 1) * BATCHES / 2 {
                self.again(|_| app.ingest(decode(&body((SENDER, number)))?).map(drop))?;
                self.acknowledged.push(number);
            }
            self.again(|_| app.snapshot())?;
            if half == 0 {
                self.again(|_| app.ingest(decode(&body((DELETED, 0)))?).map(drop))?;
                self.again(|_| call(&app, "delete_clusters", r#"{"ids": [2], "at_once": true}"#))?;
            } else {
                self.again(|_| call(&app, "rotate_key", "{}"))?;
            }
            // What is acknowledged is in the log, whether that can be copied or not.
            match app.drain() {
                Err(error) if error.code() != Code::DiskFull => return Err(other(&error)),
                Err(_) => self.failed += 1,
                Ok(()) => {}
            }
        }
        self.again(|dir| restore(dir, None, &SystemClock))?;
        Ok(())
    }

    /// Does something, and again once there is room.
    fn again<T>(&mut self, mut act: impl FnMut(&Path) -> bobbin_core::Result<T>) -> Result<T> {
        match act(self.dir) {
            Ok(done) => Ok(done),
            Err(error) if error.code() == Code::DiskFull && error.hint().is_some() => {
                self.failed += 1;
                world().full_at = None;
                act(self.dir).map_err(|error| other(&error))
            }
            Err(error) => Err(other(&error)),
        }
    }
}

fn other(error: &Error) -> Failure {
    Failure::new(format!("not told as a full disk: {error}"))
}
