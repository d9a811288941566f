//! What ends a question that is under way: its asker, the time, the disk that it sorts on, and the log of the store, which cannot
//! begin anew while the question reads.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::store::{disk, log_bytes};
use crate::{Error, Result};

/// Of the disk, for what does not fit into memory while a question is answered; never more than half of what is free.
pub(super) const SORTED_BYTES: u64 = 1 << 30;
/// Of the store's log, which may have 256 MiB: what is written until all who read have ended comes on top.
const LOG_BYTES: u64 = 192 << 20;
/// Steps of SQLite's machine between two looks. A step can be as long as one comparison of a value with a pattern, each as
/// long as they may be; most take less than a microsecond.
const STEPS: i32 = 100;
/// Between two looks at the disk and at the log.
const BREATH: Duration = Duration::from_millis(10);

/// Watches one question.
pub(super) struct Watch {
    pub(super) cancelled: Arc<AtomicBool>,
    pub(super) seconds: u32,
    pub(super) sorted_bytes: u64,
    pub(super) log_bytes: u64,
    full: Arc<AtomicBool>,
    holds: Arc<AtomicBool>,
}

impl Watch {
    pub(super) fn new(cancelled: &Arc<AtomicBool>, seconds: u32, sorted_bytes: u64) -> Self {
        Self {
            cancelled: Arc::clone(cancelled),
            seconds,
            sorted_bytes,
            log_bytes: LOG_BYTES,
            full: Arc::default(),
            holds: Arc::default(),
        }
    }

    /// Ends what `db` runs from now on when it is time. `dir` is the store's, and where it sorts.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub(super) fn over(&self, db: &mut Connection, dir: &Path) -> Result<()> {
        let end = Instant::now() + Duration::from_secs(self.seconds.into());
        let cancelled = Arc::clone(&self.cancelled);
        let (full, holds) = (Arc::clone(&self.full), Arc::clone(&self.holds));
        let disk = Disk::of(dir, self.sorted_bytes);
        // One that was long before is not this question's, as long as it grows no more.
        let most_log_bytes = self.log_bytes.max(log_bytes(dir));
        let mut look = Instant::now();
        db.progress_handler(
            STEPS,
            Some(move || {
                let now = Instant::now();
                if now > look {
                    look = now + BREATH;
                    full.fetch_or(disk.is_full(), Ordering::Relaxed);
                    holds.fetch_or(log_bytes(&disk.dir) > most_log_bytes, Ordering::Relaxed);
                }
                now > end
                    || [&cancelled, &full, &holds]
                        .iter()
                        .any(|reason| reason.load(Ordering::Relaxed))
            }),
        )?;
        Ok(())
    }

    /// Why it was ended.
    pub(super) fn why(&self) -> Error {
        Error::Refused(if self.cancelled.load(Ordering::Relaxed) {
            "the query was canceled".into()
        } else if self.full.load(Ordering::Relaxed) {
            format!(
                "the query sorts more than {} MiB, or more than half of the free disk space, and was stopped: narrow it \
                 down, or sort fewer columns",
                self.sorted_bytes >> 20
            )
        } else if self.holds.load(Ordering::Relaxed) {
            format!(
                "the store's log grew beyond {} MiB and cannot shrink while the query reads, so the query was stopped: \
                 narrow it down, or query a snapshot (`bobbin snapshot` takes one)",
                self.log_bytes >> 20
            )
        } else {
            format!(
                "the query took longer than {} s and was stopped: narrow it down, or check `explain query plan`",
                self.seconds
            )
        })
    }
}

/// Sorts in the store's own folder, which nobody else can look into and which lies on a disk; not in the memory of the
/// process that records. SQLite takes such files out of the folder as soon as they are open. Where the folder cannot be
/// written nobody records, and memory is what there is.
pub(super) fn sort_on_disk(db: &Connection, dir: &Path) -> Result<()> {
    if db
        .pragma_update(None, "temp_store_directory", dir.to_string_lossy())
        .is_ok()
    {
        db.pragma_update(None, "temp_store", "file")?;
    }
    Ok(())
}

/// The disk below a folder, and how little may be free on it.
struct Disk {
    dir: PathBuf,
    least_bytes: u64,
}

impl Disk {
    fn of(dir: &Path, sorted_bytes: u64) -> Self {
        let free = disk(dir).map_or(0, |disk| disk.free_bytes);
        Self {
            dir: dir.into(),
            least_bytes: free - sorted_bytes.min(free / 2),
        }
    }

    fn is_full(&self) -> bool {
        disk(&self.dir).is_ok_and(|disk| disk.free_bytes < self.least_bytes)
    }
}
