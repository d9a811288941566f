//! The disk is full at the n-th write, and from then on, for every n of a story or for some that are drawn; then there is room
//! again.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use bobbin_core::{
    Code, Error,
    api::{App, Role, call, restore, safety, salvage},
    clock::{Clock, SystemClock},
    inbox::{Watching, import_batches},
    install::{prepare, spool_dir},
    wire::decode,
};
use fastrand::Rng;
use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use super::{
    Counted,
    folder::Folder,
    spool::{leave, packed},
    vfs::{World, world},
    work::{Sender, body, compare, records, scheduler},
};
use crate::process::{Failure, Result};

const FILE: &str = "bobbin.sqlite";
const SENDER: Sender = 1;
/// The second cluster of the store.
const DELETED: Sender = 2;
/// The third has profiles, and is pinned as the first is.
const PROFILED: Sender = 3;
const PINNED: &str = r#"{"ids": [1, 3], "pinned": true}"#;
/// The one whose detail goes where there is too much.
const CAPPED: Sender = 4;
/// Batches that are sent to the receiver, and of [`CAPPED`].
const BATCHES: u64 = 6;
const CAPPED_BATCHES: u64 = 12;
/// Samples of both profiles.
const SAMPLES: u64 = 12;

const HOUR: i64 = 3_600_000_000;
/// For what the writer does by itself: it begins two seconds after a start.
const PATIENCE: Duration = Duration::from_secs(30);

/// Tells the story with the disk full at so many of its writes, which are drawn; or at each of them.
///
/// # Errors
/// A failure was told in other words than that the disk is full, or Bobbin did not go on when there was room.
pub fn run(tries: Option<usize>, seed: u64) -> Result<Counted> {
    let folder = Folder::make("full")?;
    let mut counted = Counted::default();
    // No disk is full: there are so many writes.
    let (whole, _) = one(&folder.0, u64::MAX, &mut counted)?;
    let mut writes: Vec<u64> = (1..=whole.writes).collect();
    if let Some(tries) = tries {
        Rng::with_seed(seed).shuffle(&mut writes);
        writes.truncate(tries);
    }
    let mut failed = 0;
    for at in writes {
        let (told, failures) = one(&folder.0, at, &mut counted)
            .map_err(|error| Failure::new(format!("the disk was full at write {at}: {error}")))?;
        failed += failures;
        counted.faults += u64::from(told.refused > 0);
    }
    // SQLite may do without a write, such as when it only meant to copy its log; but not always.
    if failed == 0 {
        return Err(Failure::new("nobody was told that the disk was full"));
    }
    Ok(counted)
}

/// The story with the disk full at one write: what was written and refused, and how often that was told.
fn one(folder: &Path, at: u64, counted: &mut Counted) -> Result<(World, u64)> {
    let store = folder.join("store");
    fs::create_dir(&store)?;
    *world() = World {
        counted: Some(store.clone()),
        full_at: Some(at),
        ..World::default()
    };
    let mut story = Story {
        dir: &store,
        acknowledged: Vec::new(),
        failed: 0,
    };
    story.tell()?;
    let told = std::mem::take(&mut *world());
    counted.acknowledged += records(story.acknowledged.len() as u64);
    let acknowledged = BTreeMap::from([(SENDER, story.acknowledged)]);
    counted.add(compare(&store, &acknowledged)?);
    let failed = story.failed;
    fs::remove_dir_all(&store)?;
    Ok((told, failed))
}

struct Story<'a> {
    dir: &'a Path,
    /// Batches of [`SENDER`].
    acknowledged: Vec<u64>,
    failed: u64,
}

impl Story<'_> {
    /// What fails is done again once there is room.
    fn tell(&mut self) -> Result {
        let parts: [fn(&mut Self) -> Result; 5] = [
            Self::received,
            Self::arrived,
            Self::salvaged,
            Self::capped,
            Self::put_together,
        ];
        for part in parts {
            part(self)?;
            // From now on there is room: what comes behind is told in the stories of other writes.
            if world().full_at.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// A new store, batches, a snapshot, a cluster that is deleted, the log copied into the file, a second start, a snapshot that is
    /// tried, a key that is replaced, a snapshot restored.
    fn received(&mut self) -> Result {
        for half in 0..2 {
            let app = self.open()?;
            for number in half * BATCHES / 2..(half + 1) * BATCHES / 2 {
                self.ingest(&app, &body((SENDER, number)))?;
                self.acknowledged.push(number);
            }
            self.again(|_| app.snapshot())?;
            if half == 0 {
                self.ingest(&app, &body((DELETED, 0)))?;
                self.again(|_| call(&app, "delete_clusters", r#"{"ids": [2], "at_once": true}"#))?;
            } else {
                self.again(|_| app.drill())?;
                let drill = safety(self.dir).drill;
                if drill.is_none_or(|drill| drill.wrong.is_some()) {
                    return Err(Failure::new("the snapshot was not tried, or is wrong"));
                }
                self.again(|_| call(&app, "rotate_key", "{}"))?;
            }
            self.close(&app)?;
        }
        self.again(|dir| restore(dir, None, &SystemClock))?;
        Ok(())
    }

    /// A cluster with profiles, one with detail that may go, a file that is imported, and what a plugin left in the spool.
    fn arrived(&mut self) -> Result {
        let app = self.open()?;
        self.ingest(&app, &profiles())?;
        for number in 0..CAPPED_BATCHES {
            self.ingest(&app, &body((CAPPED, number)))?;
        }
        self.again(|_| call(&app, "mark_clusters", PINNED))?;
        let file = self.dir.with_extension("bobbin");
        fs::write(&file, packed(&body((SENDER, BATCHES)))?)?;
        self.again(|_| import_batches(&app, &file))?;
        self.acknowledged.push(BATCHES);
        self.spool(&app, BATCHES + 1)?;
        self.acknowledged.push(BATCHES + 1);
        self.close(&app)
    }

    /// Reads a batch from the spool. Nobody is told of a disk that is full meanwhile: it is read at another look.
    fn spool(&mut self, app: &App, number: u64) -> Result {
        let spool = spool_dir(self.dir);
        prepare(&spool).map_err(|error| other(&error))?;
        let folder = spool.join("Scheduler-1-i1");
        leave(&spool, &body((SENDER, number)), None)?;
        for _ in 0..2 {
            let watching = self.again(|_| Watching::start(app.clone(), &[]))?;
            let read = wait(|| Ok(!folder.exists()));
            watching.stop();
            if read? {
                return Ok(());
            }
            world().full_at = None;
        }
        Err(Failure::new("the spool was not read, though there is room"))
    }

    /// What can be read of the store, which is all of it, becomes a snapshot.
    fn salvaged(&mut self) -> Result {
        let salvaged = self.again(|dir| salvage(dir, None, &SystemClock))?;
        let mut tables = salvaged.tables.iter();
        if tables.any(|table| table.unreadable > 0 || table.dropped > 0) {
            return Err(Failure::new(format!("not all was salvaged: {salvaged:?}")));
        }
        Ok(())
    }

    /// The store may be no larger than it is: detail goes.
    fn capped(&mut self) -> Result {
        self.again(|dir| Ok(limit(&dir.join(FILE))?))?;
        self.by_itself("select exists (select 1 from pruned)")
    }

    /// Days that are over are packed, and old profiles are put together.
    fn put_together(&mut self) -> Result {
        self.by_itself(
            "select not exists (select 1 from usage_day_stale where day < unixepoch() / 86400)
                 and not exists (select 1 from profile_due where due_micros <= unixepoch() * 1000000)",
        )?;
        let sql = format!(
            "select count(*) = 1 and sum(p.samples) = {SAMPLES}
             from profile as p join instance as i on i.id = p.instance_id join cluster as c on c.id = i.cluster_id
             where c.scheduler_id = '{}'",
            scheduler(PROFILED)
        );
        if is_so(self.dir, &sql)? {
            return Ok(());
        }
        Err(Failure::new("the profiles are not put together"))
    }

    /// Opens the store until its writer has done something by itself. Nobody is told of a disk that is full meanwhile: it is tried
    /// again, and with the next start at once.
    fn by_itself(&mut self, is_done: &str) -> Result {
        for _ in 0..2 {
            let app = self.open()?;
            let done = wait(|| is_so(self.dir, is_done))?;
            self.close(&app)?;
            if done {
                return Ok(());
            }
            world().full_at = None;
        }
        Err(Failure::new(format!(
            "it never became so, though there is room: {is_done}"
        )))
    }

    fn open(&mut self) -> Result<App> {
        self.again(|dir| App::open(dir, Role::Owner, Arc::new(SystemClock)))
    }

    fn ingest(&mut self, app: &App, body: &[u8]) -> Result {
        self.again(|_| app.ingest(decode(body)?).map(drop))
    }

    /// What is acknowledged is in the log, whether that can be copied or not.
    fn close(&mut self, app: &App) -> Result {
        match app.drain() {
            Err(error) if error.code() != Code::DiskFull => return Err(other(&error)),
            Err(_) => self.failed += 1,
            Ok(()) => {}
        }
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

/// Waits until something is so; whether it became so before the disk was full, or patience ended.
fn wait(is_so: impl Fn() -> Result<bool>) -> Result<bool> {
    let is_full = || {
        let world = world();
        world.full_at.is_some() && world.refused > 0
    };
    let end = Instant::now() + PATIENCE;
    loop {
        if is_so()? {
            return Ok(true);
        }
        if is_full() || Instant::now() > end {
            return Ok(false);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Asks beside whoever writes.
fn is_so(dir: &Path, sql: &str) -> Result<bool> {
    Connection::open_with_flags(dir.join(FILE), OpenFlags::SQLITE_OPEN_READ_ONLY)
        .and_then(|db| db.query_one(sql, [], |row| row.get(0)))
        .map_err(|error| Failure::new(format!("{sql}: {error}")))
}

/// A rule that nobody could set: the store may take a page less than it does.
fn limit(file: &Path) -> rusqlite::Result<()> {
    Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?.execute_batch(
        "insert or replace into retention (id, changed_micros, cap_bytes)
         select 1, 0, (page_count - freelist_count - 1) * page_size
         from pragma_page_count, pragma_freelist_count, pragma_page_size",
    )
}

/// A batch with two profiles of an hour that is over for days.
fn profiles() -> Vec<u8> {
    let hour = (SystemClock.now().0 / HOUR - 72) * HOUR;
    let header = json!({
        "kind": "header", "protocol": 1, "cluster_id": scheduler(PROFILED), "instance_id": "i3",
        "first_seq": 1, "records": 2, "sent_at_micros": hour, "monotonic_micros": 1, "plugin_version": "0.1.0",
    });
    let mut body = header.to_string();
    for end in [hour + 20_000_000, hour + 40_000_000] {
        let profile = json!({
            "kind": "profile", "at_micros": end, "from_micros": end - 10_000_000, "to_micros": end, "prefix": "inc",
            "samples": SAMPLES / 2, "sample_micros": 10_000, "unattributed": 1,
            "strings": ["inc", "load", "/home/ada/work.py"],
            "frames": {"name": [0, 1], "file": [2, 2], "line": [3, 9], "text": [null, null]},
            "stacks": {"parent": [-1, 0], "frame": [0, 1]}, "leaves": {"stack": [0, 1], "count": [3, 2]},
        });
        body.push('\n');
        body.push_str(&profile.to_string());
    }
    body.push('\n');
    body.into_bytes()
}
