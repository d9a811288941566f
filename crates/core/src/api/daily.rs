//! What takes long and can wait, in a thread of its own: reading a store whole where the start left that for later, a snapshot a
//! day, one soon after clusters were deleted, and a month's trial of restoring one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::answers::status;
use super::{App, Empty};
use crate::model::Micros;
use crate::store::Wanted;
use crate::{Error, Result};

/// Also the time after the start before the first look, which is of no use to anybody who waits for a window.
const LOOK: Duration = Duration::from_secs(60);
/// After one that failed, such as for want of room, and after one for the sake of a deletion: others may follow.
const AGAIN: Duration = Duration::from_secs(3_600);
const DAY_MICROS: u64 = 24 * 3_600 * 1_000_000;

/// The running thread. It must be stopped before the store is drained.
#[must_use = "dropping it stops the thread"]
pub struct Daily {
    stopping: Arc<AtomicBool>,
    wake: SyncSender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Daily {
    /// Takes a snapshot whenever the last is a day old, or holds what was deleted since.
    ///
    /// # Errors
    /// [`Error::Io`] if no thread can be had.
    pub fn start(app: App) -> Result<Self> {
        let stopping = Arc::new(AtomicBool::new(false));
        let (wake, woken) = sync_channel(1);
        let seen = Arc::clone(&stopping);
        let thread = thread::Builder::new()
            .name("bobbin-snapshots".into())
            .spawn(move || run(&app, &woken, &seen))
            .map_err(|source| Error::Io {
                path: "snapshots thread".into(),
                source,
            })?;
        Ok(Self {
            stopping,
            wake,
            thread: Some(thread),
        })
    }
}

impl Drop for Daily {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        // Full: it is awake already.
        let _ = self.wake.try_send(());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the snapshot thread failed");
        }
    }
}

fn run(app: &App, woken: &Receiver<()>, stopping: &Arc<AtomicBool>) {
    let mut pause = LOOK;
    // The wait does not count the time that a machine sleeps; the look is at the clock on the wall.
    while let Err(RecvTimeoutError::Timeout) = woken.recv_timeout(pause) {
        pause = match look(app, stopping) {
            Ok(pause) => pause,
            Err(Error::Stopping) => return,
            Err(error) => {
                tracing::warn!(%error, "Bobbin could not take or try a snapshot");
                AGAIN
            }
        };
    }
}

/// Takes a snapshot if one is due. Gives how long to wait before the next look.
fn look(app: &App, stopping: &Arc<AtomicBool>) -> Result<Duration> {
    // A copy of what is damaged must not take the place of one that is not.
    app.read_whole_until(stopping)?;
    let last = super::snapshots(app.dir()).pop();
    if is_due(last.map(|last| last.taken_micros), app.now()) && status(app, Empty {})?.clusters > 0
    {
        app.snapshot_until(stopping, Wanted::Unasked)?;
    }
    let renewed = app.renew_snapshots_until(stopping)?;
    app.drill_until(stopping)?;
    Ok(match renewed {
        true => AGAIN,
        false => LOOK,
    })
}

/// A clock that was set back by more than a day makes one due as well: else there would be none until it has caught up.
fn is_due(last: Option<Micros>, now: Micros) -> bool {
    last.is_none_or(|last| now.0.abs_diff(last.0) >= DAY_MICROS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{DeleteRequest, delete_clusters, storage};
    use crate::testing::{Bench, batch, batch_of, facts};

    const DAY: i64 = DAY_MICROS as i64;

    #[test]
    fn one_is_due_after_a_day_whichever_way_the_clock_went() {
        let now = Micros(1_700_000_000_000_000);
        assert!(is_due(None, now));
        assert!(!is_due(Some(Micros(now.0 - DAY + 1)), now));
        assert!(is_due(Some(Micros(now.0 - DAY)), now));
        assert!(!is_due(Some(Micros(now.0 + 1)), now));
        assert!(is_due(Some(Micros(now.0 + DAY)), now));
    }

    #[test]
    fn an_empty_store_has_none_and_another_one_a_day() {
        let bench = Bench::new();
        let go_on = Arc::default();
        let taken = || super::super::snapshots(bench.path()).len();
        look(&bench.app, &go_on).unwrap();
        assert_eq!(taken(), 0);
        bench.send(batch(1, &[facts(0)]));
        for (hours, expected) in [(0, 1), (23, 1), (24, 2), (25, 2), (-24, 3)] {
            bench.at(hours * 3_600);
            look(&bench.app, &go_on).unwrap();
            assert_eq!(taken(), expected, "after {hours} hours");
        }
        let bytes = storage(&bench.app, Empty {}).unwrap().snapshots_bytes;
        let each = super::super::snapshots(bench.path());
        assert_eq!(bytes, each.iter().map(|one| one.bytes).sum::<u64>());
        assert!(bytes > 0);
    }

    #[test]
    fn a_snapshot_is_restored_for_practice_each_month_and_one_that_cannot_be_is_followed_by_another()
     {
        let bench = Bench::new();
        let go_on = Arc::default();
        let after = |days: i64| {
            bench.at(days * 24 * 3_600);
            look(&bench.app, &go_on).unwrap();
            let taken = super::super::snapshots(bench.path());
            let drill = super::super::safety(bench.path()).drill;
            (taken.last().map(|last| last.number), drill)
        };
        assert_eq!(after(0), (None, None));
        bench.send(batch(1, &[facts(0)]));
        let (_, first) = after(1);
        let first = first.unwrap();
        assert_eq!((first.number, &first.wrong), (1, &None));
        assert_eq!(after(30), (Some(2), Some(first)));
        let (_, second) = after(31);
        assert_eq!(
            second.map(|drill| (drill.number, drill.wrong)),
            Some((3, None))
        );
        // Nothing of it is left.
        assert!(!bench.path().join("snapshots/new").exists());
        // The newest rots.
        let rotten = super::super::snapshots(bench.path()).pop().unwrap();
        let bytes = std::fs::read(&rotten.file).unwrap();
        let damaged: Vec<u8> = bytes
            .iter()
            .enumerate()
            .map(|(at, byte)| if at < 4_096 { *byte } else { !byte })
            .collect();
        std::fs::write(&rotten.file, damaged).unwrap();
        bench.at(31 * 24 * 3_600 + 1);
        let mark = bench.path().join("snapshots/drill.json");
        std::fs::remove_file(&mark).unwrap();
        let (newest, third) = after(31);
        let third = third.unwrap();
        assert_eq!(
            (third.number, newest),
            (rotten.number, Some(rotten.number + 1))
        );
        assert!(third.wrong.unwrap().contains(&rotten.file));
        let (_, fourth) = after(62);
        assert_eq!(fourth.map(|drill| drill.wrong), Some(None));
    }

    #[test]
    fn what_somebody_deletes_is_soon_in_no_snapshot_and_there_is_one_at_every_moment() {
        let bench = Bench::new();
        let go_on = Arc::default();
        let numbers = || -> Vec<u32> {
            let taken = super::super::snapshots(bench.path());
            taken.iter().map(|one| one.number).collect()
        };
        let holds_canary = || {
            super::super::snapshots(bench.path()).iter().any(|one| {
                let bytes = std::fs::read(&one.file).unwrap();
                bytes.windows(16).any(|text| text == b"Scheduler-canary")
            })
        };
        let delete = |scheduler_id: &str| {
            let ids = vec![
                super::super::find_cluster(&bench.app, scheduler_id)
                    .unwrap()
                    .id,
            ];
            let request = DeleteRequest { ids, at_once: true };
            let mut left = delete_clusters(&bench.app, request).unwrap();
            while !left.deletions.is_empty() {
                thread::sleep(Duration::from_millis(5));
                left = storage(&bench.app, Empty {}).unwrap();
            }
        };
        bench.send(batch(1, &[facts(0)]));
        bench.send(batch_of("Scheduler-canary", "c", 1, &[facts(0)]));
        bench.send(batch_of("Scheduler-other", "o", 1, &[facts(0)]));
        for day in 0..2 {
            bench.at(day * 24 * 3_600);
            assert_eq!(look(&bench.app, &go_on).unwrap(), LOOK);
        }
        assert_eq!((numbers(), holds_canary()), (vec![1, 2], true));
        delete("Scheduler-canary");
        // While none can be taken, those that there are stay.
        let lock = std::fs::File::open(bench.path().join("snapshots/lock")).unwrap();
        lock.lock().unwrap();
        assert!(matches!(look(&bench.app, &go_on), Err(Error::Busy)));
        assert_eq!(numbers(), [1, 2]);
        lock.unlock().unwrap();
        assert_eq!(look(&bench.app, &go_on).unwrap(), AGAIN);
        assert_eq!((numbers(), holds_canary()), (vec![3], false));
        assert_eq!(look(&bench.app, &go_on).unwrap(), LOOK);
        assert_eq!(numbers(), [3]);
        // One by hand does the same.
        delete("Scheduler-other");
        let taken = bench.app.snapshot().unwrap();
        assert_eq!((taken.clusters, numbers()), (1, vec![4]));
        assert!(!bench.app.renew_snapshots().unwrap());
    }

    #[test]
    fn one_that_is_not_waited_for_leaves_nothing_behind() {
        let bench = Bench::new();
        bench.send(batch(1, &[facts(0)]));
        let stop = Arc::new(AtomicBool::new(true));
        let error = bench
            .app
            .snapshot_until(&stop, Wanted::Unasked)
            .unwrap_err();
        assert!(matches!(error, Error::Stopping), "{error}");
        assert!(super::super::snapshots(bench.path()).is_empty());
    }
}
