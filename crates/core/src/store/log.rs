//! The write-ahead log stays small: the writer copies it into the file between two commits, once those who wait for the
//! first are answered, and SQLite begins it anew once nobody reads what is in it. Where reads follow each other without a
//! gap that never comes by itself: beyond a bound those of this process wait at [`enter`] until the ones before them have
//! ended, which takes five seconds at most, and the log begins anew. The writer itself never waits. For a read that may
//! take long (a copy, a bundle) or one of another program nobody does: the log grows until it ends.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::hooks::Wal;
use rusqlite::wal::CheckpointMode;

use crate::Result;

/// Pages of the log after which they are copied into the file: 4 MB, SQLite's own measure.
const COPIED_PAGES: i32 = 1_000;
/// Pages after which the log must begin anew: 128 MiB.
pub(super) const MOST_PAGES: i32 = 32_768;
/// Where another program reads without end, the log may grow by so much before reads wait again: 16 MiB.
const AGAIN_PAGES: i32 = 4_096;
/// The log is cut to this when it begins anew.
const KEPT_BYTES: i64 = 64 << 20;
/// The longest that a read waits for those before it: no read takes longer.
const PATIENCE: Duration = Duration::from_secs(5);
/// After the last of them: so long the log has to begin anew, if anything is written at all.
const BREATH: Duration = Duration::from_millis(100);

/// The reads of this process, by the file that they read.
static READS: Mutex<BTreeMap<String, Reads>> = Mutex::new(BTreeMap::new());
static CHANGED: Condvar = Condvar::new();

#[derive(Default)]
struct Reads {
    /// How many go on that end soon.
    short: usize,
    /// How many go on that may take long.
    long: usize,
    /// Since when others wait: the log is to begin anew.
    waits: Option<Instant>,
    /// When the last of the short ones ended.
    ended: Option<Instant>,
}

impl Reads {
    fn is_none(&self) -> bool {
        self.short == 0 && self.long == 0 && self.waits.is_none()
    }

    /// For how long another one is to wait, as things stand.
    fn wait(&self, now: Instant) -> Option<Duration> {
        let waits = self.waits?;
        let end = match self.short {
            0 => self.ended.map_or(waits, |ended| ended.max(waits)) + BREATH,
            _ => waits + PATIENCE,
        };
        (now < end).then(|| end - now)
    }
}

/// A short read, for as long as it lasts.
pub(super) struct Read(String);

/// Begins a short read; waits where the log is to begin anew before.
pub(super) fn enter(db: &Connection) -> Read {
    let file = file(db);
    let mut reads = lock();
    while let Some(wait) = reads
        .get(&file)
        .and_then(|reads| reads.wait(Instant::now()))
    {
        reads = CHANGED
            .wait_timeout(reads, wait)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
    reads.entry(file.clone()).or_default().short += 1;
    Read(file)
}

impl Drop for Read {
    fn drop(&mut self) {
        leave(&self.0, |reads| {
            reads.short -= 1;
            if reads.short == 0 {
                reads.ended = Some(Instant::now());
            }
        });
    }
}

/// A read that may take long, for as long as it lasts.
pub(super) struct LongRead(String);

impl LongRead {
    pub(super) fn by(db: &Connection) -> Self {
        let file = file(db);
        let mut reads = lock();
        let of_file = reads.entry(file.clone()).or_default();
        of_file.long += 1;
        // In vain: the log cannot begin anew before it ends.
        of_file.waits = None;
        CHANGED.notify_all();
        Self(file)
    }
}

impl Drop for LongRead {
    fn drop(&mut self) {
        leave(&self.0, |reads| reads.long -= 1);
    }
}

fn leave(file: &str, change: impl FnOnce(&mut Reads)) {
    let mut reads = lock();
    if let Some(of_file) = reads.get_mut(file) {
        change(of_file);
        if of_file.is_none() {
            reads.remove(file);
        }
    }
    CHANGED.notify_all();
}

fn lock() -> MutexGuard<'static, BTreeMap<String, Reads>> {
    crate::lock::lock(&READS)
}

/// The file of a connection, by the one name that SQLite has for it.
fn file(db: &Connection) -> String {
    db.path().unwrap_or_default().to_owned()
}

/// The log as its writer sees it.
pub(crate) struct Log {
    /// How many pages it had after the latest commit that was not looked at yet; 0 if there was none.
    pages: Arc<AtomicI32>,
    bound: Bound,
}

impl Log {
    /// The log of the writer's connection, to be bounded to `most` pages.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub(super) fn of(db: &mut Connection, most: i32) -> Result<Self> {
        db.pragma_update(None, "journal_size_limit", KEPT_BYTES)?;
        let pages = Arc::new(AtomicI32::new(0));
        let now = Arc::clone(&pages);
        // It takes the place of SQLite's own copying, for which the commit would wait.
        db.wal_hook(Some(move |_: &mut Wal, pages: i32| {
            now.store(pages, Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self {
            pages,
            bound: Bound {
                file: file(db),
                most,
                next: most,
            },
        })
    }

    /// Copies the log into the file if it is due, after a commit. It waits for nobody, and copies what nobody reads.
    pub(super) fn copy(&mut self, db: &Connection) {
        let pages = self.pages.swap(0, Ordering::Relaxed);
        if pages == 0 {
            return;
        }
        if pages < COPIED_PAGES.min(self.bound.most) {
            return self.bound.begun_anew();
        }
        match db.wal_checkpoint_v2(None::<&str>, CheckpointMode::PASSIVE) {
            Ok((logged, copied)) => self.bound.look(pages, logged <= copied),
            // That the disk is full, the next commit says.
            Err(error) => tracing::debug!(%error, "the log is not copied"),
        }
    }
}

/// The bound of one log.
struct Bound {
    file: String,
    most: i32,
    /// Where reads are to wait next.
    next: i32,
}

impl Bound {
    /// After each time that the log was to be copied; whether all of it could be.
    fn look(&mut self, pages: i32, all: bool) {
        if pages < self.most {
            return self.begun_anew();
        }
        if pages < self.next {
            return;
        }
        let mut reads = lock();
        let of_file = reads.entry(self.file.clone()).or_default();
        if of_file.long > 0 {
            return;
        }
        let waits = *of_file.waits.get_or_insert_with(Instant::now);
        // Nobody reads here, and still it cannot be copied.
        let others = of_file.short == 0 && !all;
        if others || waits.elapsed() > PATIENCE + BREATH {
            tracing::warn!(
                pages,
                "another program keeps reading the store, so its log grows"
            );
            self.next = pages.saturating_add(AGAIN_PAGES);
            of_file.waits = None;
            if of_file.is_none() {
                reads.remove(&self.file);
            }
            CHANGED.notify_all();
        }
    }

    fn begun_anew(&mut self) {
        self.next = self.most;
        leave(&self.file, |reads| reads.waits = None);
    }
}

/// How large the log is, in bytes.
pub(crate) fn log_bytes(dir: &Path) -> u64 {
    let log = dir.join(format!("{}-wal", super::FILE));
    log.metadata().map_or(0, |log| log.len())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, AtomicUsize};

    use rusqlite::OpenFlags;

    use super::*;

    /// Bounds the log to this many pages.
    const MOST: i32 = 50;

    struct Store {
        dir: tempfile::TempDir,
        db: Connection,
        log: RefCell<Log>,
    }

    impl Store {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let mut db = open(&dir.path().join(super::super::FILE));
            db.pragma_update(None, "journal_mode", "wal").unwrap();
            db.pragma_update(None, "synchronous", "off").unwrap();
            db.execute_batch("create table t (x)").unwrap();
            let log = RefCell::new(Log::of(&mut db, MOST).unwrap());
            Self { dir, db, log }
        }

        fn path(&self) -> PathBuf {
            self.dir.path().join(super::super::FILE)
        }

        /// Five pages or six.
        fn write(&self) {
            self.db
                .execute("insert into t values (randomblob(20000))", [])
                .unwrap();
            self.log.borrow_mut().copy(&self.db);
        }

        /// How long the log ever was, in pages.
        fn pages(&self) -> u64 {
            log_bytes(self.dir.path()) / 4_120
        }
    }

    fn open(path: &Path) -> Connection {
        Connection::open_with_flags(path, OpenFlags::default()).unwrap()
    }

    /// A read that goes on.
    fn begin(path: &Path) -> Connection {
        let db = open(path);
        db.execute_batch("begin; select count(*) from t").unwrap();
        db
    }

    #[test]
    fn the_writer_waits_for_no_reader() {
        static WAITED: AtomicUsize = AtomicUsize::new(0);
        let mut store = Store::new();
        store
            .db
            .busy_handler(Some(|_| {
                WAITED.fetch_add(1, Ordering::Relaxed);
                false
            }))
            .unwrap();
        let reader = begin(&store.path());
        let long = [LongRead::by(&reader), LongRead::by(&reader)];
        (0..100).for_each(|_| store.write());
        drop(long);
        // From now on it is another program's.
        (0..100).for_each(|_| store.write());
        assert_eq!(WAITED.load(Ordering::Relaxed), 0);
        assert!(store.pages() > 900, "nothing was held up");
        let rows: i64 = store
            .db
            .query_one("select count(*) from t", [], |row| row.get(0))
            .unwrap();
        assert_eq!(rows, 200);
        drop(reader);
        (0..20).for_each(|_| store.write());
        assert!(!lock().contains_key(&file(&store.db)));
    }

    #[test]
    fn without_readers_the_log_begins_anew_at_its_bound() {
        let store = Store::new();
        for _ in 0..100 {
            store.write();
            assert!(store.pages() < 80, "{}", store.pages());
        }
    }

    #[test]
    fn the_log_begins_anew_also_where_reads_follow_each_other_without_a_gap() {
        let store = Store::new();
        let stop = AtomicBool::new(false);
        let begun = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for number in 0..3 {
                let (store, stop, begun) = (store.path(), &stop, &begun);
                scope.spawn(move || {
                    let db = open(&store);
                    std::thread::sleep(Duration::from_millis(7 * number));
                    while !stop.load(Ordering::Relaxed) {
                        let _read = enter(&db);
                        db.execute_batch("begin; select count(*) from t").unwrap();
                        begun.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(20));
                        db.execute_batch("commit").unwrap();
                    }
                });
            }
            // The file stays as large as the log ever was. On a busy machine it comes to its bound late.
            let (mut written, mut pages) = (0, 0);
            let grows = |written: u64, pages: u64| pages >= written * 5 / 2;
            while begun.load(Ordering::Relaxed) < 100
                || written < 400
                || grows(written, pages) && written < 10_000
            {
                store.write();
                written += 1;
                pages = store.pages();
                std::thread::sleep(Duration::from_millis(2));
            }
            stop.store(true, Ordering::Relaxed);
            assert!(
                !grows(written, pages),
                "{pages} pages after {written} writes"
            );
        });
    }

    #[test]
    fn a_read_waits_no_longer_than_the_log_needs() {
        let now = Instant::now();
        let later = |millis| now + Duration::from_millis(millis);
        let reads = |short, waits, ended| Reads {
            short,
            long: 0,
            waits,
            ended,
        };
        assert_eq!(reads(3, None, None).wait(now), None);
        assert_eq!(reads(1, Some(now), None).wait(now), Some(PATIENCE));
        assert_eq!(reads(1, Some(now), None).wait(later(5_000)), None);
        let ended = reads(0, Some(now), Some(later(30)));
        assert_eq!(ended.wait(later(30)), Some(BREATH));
        assert_eq!(ended.wait(later(130)), None);
        // Those before had ended when the log came to its bound, or there were none.
        for before in [Some(now), None] {
            let reads = reads(0, Some(later(50)), before);
            assert_eq!(reads.wait(later(50)), Some(BREATH));
        }
    }
}
