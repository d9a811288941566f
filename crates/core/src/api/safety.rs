//! Copies of the store, and the way back to one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{
    App, Restored, SafetyStatus, Salvaged, SalvagedTable, Snapshot, SnapshotDrill, TakenSnapshot,
};
use crate::clock::Clock;
use crate::store::Wanted;
use crate::system::Disk;
use crate::{Error, Result, store};

impl App {
    /// Takes a snapshot of the store, checks it, and removes the oldest beyond those that are kept. Takes a second for some
    /// hundred megabytes; writing goes on meanwhile.
    ///
    /// # Errors
    /// [`Error::NoRoom`], [`Error::DiskFull`]; [`Error::Busy`] while another is taken; [`Error::StoreDamaged`].
    pub fn snapshot(&self) -> Result<TakenSnapshot> {
        self.snapshot_until(&Arc::default(), Wanted::Asked)
    }

    /// Takes a snapshot where the others hold clusters that somebody deleted since; those go then. Whether it did.
    ///
    /// # Errors
    /// As [`App::snapshot`].
    pub fn renew_snapshots(&self) -> Result<bool> {
        self.renew_snapshots_until(&Arc::default())
    }

    /// The same, given up with [`Error::Stopping`] once `stopping` is so.
    pub(super) fn renew_snapshots_until(&self, stopping: &Arc<AtomicBool>) -> Result<bool> {
        let outdated = self.read(|db| store::outdated(self.dir(), db))?;
        if outdated {
            self.snapshot_until(stopping, Wanted::Asked)?;
        }
        Ok(outdated)
    }

    /// The same as [`App::snapshot`], given up with [`Error::Stopping`] once `stopping` is so.
    pub(super) fn snapshot_until(
        &self,
        stopping: &Arc<AtomicBool>,
        wanted: Wanted,
    ) -> Result<TakenSnapshot> {
        let taken = store::apart(self.dir(), |db| {
            if stopping.load(Ordering::Relaxed) {
                return Err(Error::Stopping);
            }
            let heard = Arc::clone(stopping);
            db.progress_handler(1_000, Some(move || heard.load(Ordering::Relaxed)))?;
            let taken = store::take_snapshot(self.dir(), db, wanted, self.now());
            if taken.is_err() && stopping.load(Ordering::Relaxed) {
                return Err(Error::Stopping);
            }
            let (snapshot, held) = taken?;
            Ok(TakenSnapshot {
                snapshot: told(snapshot),
                clusters: held.clusters,
                batches: held.batches,
            })
        });
        taken.map_err(|error| self.checked().met(error))
    }

    /// Restores the newest snapshot for practice where none was for a month, beside the store. If that cannot be restored,
    /// another is taken.
    ///
    /// # Errors
    /// As [`App::snapshot`].
    pub fn drill(&self) -> Result<()> {
        self.drill_until(&Arc::default())
    }

    /// The same, given up with [`Error::Stopping`] once `stopping` is so.
    pub(super) fn drill_until(&self, stopping: &Arc<AtomicBool>) -> Result<()> {
        if store::is_drill_due(self.dir(), self.now())
            && store::drill(self.dir(), self.now(), stopping)?
                .wrong
                .is_some()
        {
            self.snapshot_until(stopping, Wanted::Unasked)?;
        }
        Ok(())
    }
}

/// The snapshots of a folder, oldest first.
pub fn snapshots(dir: &Path) -> Vec<Snapshot> {
    store::snapshots(dir).into_iter().map(told).collect()
}

/// Whether what is stored in a folder is safe; also where the store itself cannot be opened.
pub fn safety(dir: &Path) -> SafetyStatus {
    SafetyStatus {
        folder: store::snapshots_folder(dir).display().to_string(),
        snapshots: snapshots(dir),
        drill: drill(dir),
        damage: store::damage_found(dir),
        damaged: store::damaged(dir)
            .iter()
            .map(|folder| folder.display().to_string())
            .collect(),
        shared_by: store::shared_by(dir).map(str::to_owned),
        log_bytes: store::log_bytes(dir),
    }
}

/// The last time that a snapshot of a folder was restored for practice.
fn drill(dir: &Path) -> Option<SnapshotDrill> {
    store::last_drill(dir).map(|drill| SnapshotDrill {
        tried_micros: drill.tried,
        number: drill.number,
        wrong: drill.wrong,
    })
}

/// The disk of a folder; none where the system does not say.
pub fn disk(dir: &Path) -> Option<Disk> {
    store::disk(dir).ok()
}

/// Puts a snapshot in the place of the store: by number, file or path, or the newest. The store that was there is moved
/// aside.
///
/// # Errors
/// [`Error::StoreInUse`] while a Bobbin writes there; [`Error::NotFound`], [`Error::StoreDamaged`],
/// [`Error::StoreTooNew`] and [`Error::NoRoom`], after which all is as it was.
pub fn restore(dir: &Path, wanted: Option<&str>, clock: &dyn Clock) -> Result<Restored> {
    let restored = store::restore(dir, wanted, clock.now())?;
    Ok(Restored {
        file: restored.from.display().to_string(),
        clusters: restored.held.clusters,
        batches: restored.held.batches,
        replaced: restored.replaced.map(|folder| folder.display().to_string()),
    })
}

/// Reads what can still be read of a damaged store into a snapshot: of a folder or a file, or of the one that was moved
/// aside last.
///
/// # Errors
/// [`Error::NotFound`], [`Error::NoRoom`]; [`Error::StoreDamaged`] if nothing can be read.
pub fn salvage(dir: &Path, wanted: Option<&Path>, clock: &dyn Clock) -> Result<Salvaged> {
    let salvaged = store::salvage(dir, wanted, clock.now())?;
    let tables = salvaged.tables.into_iter().map(|table| SalvagedTable {
        name: table.name,
        rows: table.rows,
        unreadable: table.unreadable,
        dropped: table.dropped,
    });
    Ok(Salvaged {
        file: salvaged.from.display().to_string(),
        snapshot: told(salvaged.snapshot),
        tables: tables.collect(),
        unnamed_clusters: salvaged.unnamed,
    })
}

fn told(snapshot: store::Snapshot) -> Snapshot {
    Snapshot {
        number: snapshot.number,
        file: snapshot.path.display().to_string(),
        taken_micros: snapshot.taken,
        bytes: snapshot.bytes,
        salvaged: snapshot.salvaged,
    }
}
