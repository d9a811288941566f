//! The log of a store that is written to while everybody reads it: a query in SQL that takes as long as it may, questions without a
//! gap, snapshots, and another program. It stays within its bound, and begins anew once they have ended.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use bobbin_core::{
    Error,
    api::{App, Role, call, disk},
    clock::SystemClock,
    wire::decode,
};
use rusqlite::{Connection, OpenFlags};

use super::{
    Counted,
    folder::{Folder, ROOM_BYTES},
    work::{Sender, body},
};
use crate::{
    ending::Held,
    process::{Failure, Result},
};

const FILE: &str = "bobbin.sqlite";
const SENDER: Sender = 1;
/// What the log has at most, whoever of Bobbin reads.
const MOST_BYTES: u64 = 256 << 20;
/// Where a query in SQL is stopped.
const SQL_BYTES: u64 = 192 << 20;
/// What the log is cut to when it begins anew.
const KEPT_BYTES: u64 = 64 << 20;
/// Those who ask without a gap.
const ASKERS: usize = 3;
/// How long another program reads, and how long it does not.
const READS: Duration = Duration::from_millis(300);
const BREATH: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(60);

/// It keeps a state of the store until it is stopped.
const ENDLESS: &str = "with recursive n (i) as (
                           select count(*) from cluster union all select i + 1 from n
                       ) select count(*) from n";

/// Runs it; or gives why it cannot.
///
/// # Errors
/// The log grew beyond its bound, or did not begin anew.
pub fn run(bobbin: &Path) -> Result<std::result::Result<Counted, String>> {
    let folder = Folder::make("log")?;
    if disk(&folder.0).is_some_and(|disk| disk.free_bytes < ROOM_BYTES) {
        let folder = folder.0.display();
        return Ok(Err(format!("there is little room in {folder}")));
    }
    let store = folder.0.join("store");
    let mut writing = Writing {
        app: App::open(&store, Role::Owner, Arc::new(SystemClock)).map_err(failed)?,
        log: store.join(format!("{FILE}-wal")),
        next: 0,
    };
    beside_a_query(&mut writing, bobbin, &store)?;
    writing.until_anew()?;
    let held = beside_all_others(&mut writing, &store)?;
    writing.until_anew()?;
    writing.app.drain().map_err(failed)?;
    let mut counted = Counted {
        faults: 1 + held,
        ..Counted::default()
    };
    let acknowledged = BTreeMap::from([(SENDER, (0..writing.next).collect())]);
    counted.compare(&store, &acknowledged)?;
    Ok(Ok(counted))
}

/// The writer, one batch after the other.
struct Writing {
    app: App,
    log: PathBuf,
    next: u64,
}

impl Writing {
    /// Writes one more; how long the log is then.
    fn one(&mut self) -> Result<u64> {
        decode(&body((SENDER, self.next)))
            .and_then(|batch| self.app.ingest(batch))
            .map_err(failed)?;
        self.next += 1;
        match fs::metadata(&self.log)?.len() {
            bytes if bytes > MOST_BYTES => Err(Failure::new(format!("the log has {bytes} bytes"))),
            bytes => Ok(bytes),
        }
    }

    /// Writes until the log has begun anew.
    fn until_anew(&mut self) -> Result {
        let end = Instant::now() + PATIENCE;
        while self.one()? > KEPT_BYTES {
            if Instant::now() > end {
                return Err(Failure::new("nobody reads, and the log does not shrink"));
            }
        }
        Ok(())
    }
}

/// Writes until a query in SQL has ended: stopped for the sake of the log, unless this machine is so slow that its time was over.
fn beside_a_query(writing: &mut Writing, bobbin: &Path, store: &Path) -> Result {
    // So that there is a store to ask.
    writing.one()?;
    let mut query = Query::ask(bobbin, store)?;
    let mut longest = 0;
    while query.child.try_wait()?.is_none() {
        longest = longest.max(writing.one()?);
    }
    let mut said = String::new();
    if let Some(stderr) = &mut query.child.stderr {
        stderr.read_to_string(&mut said)?;
    }
    let stopped = said.contains("the store's log grew");
    let slow = longest < SQL_BYTES && said.contains("took longer than");
    match stopped || slow {
        true => Ok(()),
        false => Err(Failure::new(format!("{longest} bytes of log, and {said}"))),
    }
}

/// `bobbin sql`; gone with this.
struct Query {
    child: Child,
    _held: Held,
}

impl Query {
    fn ask(bobbin: &Path, store: &Path) -> Result<Self> {
        let mut query = Command::new(bobbin);
        query
            .args(["sql", ENDLESS, "--seconds", "60", "--data-dir"])
            .arg(store)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let (child, held) = Held::victim(&mut query)?;
        Ok(Self { child, _held: held })
    }
}

impl Drop for Query {
    fn drop(&mut self) {
        // Already gone, unless something else failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes half as much again beside all others: more than the log may have, did it not begin anew meanwhile. Gives how many reads
/// held it up.
fn beside_all_others(writing: &mut Writing, store: &Path) -> Result<u64> {
    let app = writing.app.clone();
    let batches = writing.next * 3 / 2;
    let (stop, held) = (AtomicBool::new(false), AtomicU64::new(0));
    let goes_on = || !stop.load(Ordering::Relaxed);
    let asks = || -> Result {
        while goes_on() {
            call(&app, "clusters", "{}").map_err(failed)?;
        }
        Ok(())
    };
    let copies = || -> Result {
        while goes_on() {
            app.snapshot().map_err(failed)?;
            held.fetch_add(1, Ordering::Relaxed);
            thread::sleep(BREATH);
        }
        Ok(())
    };
    let reads = || -> Result {
        let error = |error: rusqlite::Error| Failure::new(error.to_string());
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let db = Connection::open_with_flags(store.join(FILE), flags).map_err(error)?;
        while goes_on() {
            let begin = "begin; select count(*) from cluster";
            db.execute_batch(begin).map_err(error)?;
            thread::sleep(READS);
            db.execute_batch("commit").map_err(error)?;
            held.fetch_add(1, Ordering::Relaxed);
            thread::sleep(BREATH);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let mut others: Vec<_> = (0..ASKERS).map(|_| scope.spawn(asks)).collect();
        others.push(scope.spawn(copies));
        others.push(scope.spawn(reads));
        let written = (0..batches).try_for_each(|_| writing.one().map(drop));
        stop.store(true, Ordering::Relaxed);
        for other in others {
            other
                .join()
                .map_err(|_| Failure::new("one who reads broke"))??;
        }
        written
    })?;
    Ok(held.into_inner())
}

fn failed(error: Error) -> Failure {
    Failure::new(error.to_string())
}
