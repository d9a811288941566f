//! The thread that looks: when something changes, and every half minute, since network file systems tell of no changes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Inbox, Next};
use crate::api::App;
use crate::install::{inbox_dir, spool_dir};
use crate::{Error, Result};

const EVERY: Duration = Duration::from_secs(30);
const SOON: Duration = Duration::from_millis(500);
/// Changes come in flocks: one look for all that come within this time.
const FLOCK: Duration = Duration::from_millis(200);

/// The running thread. It must be stopped before the store is drained.
#[must_use = "dropping it stops the thread"]
pub struct Watching {
    stopping: Arc<AtomicBool>,
    wake: SyncSender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Watching {
    /// Watches the install's own inbox and spool, and `others`, from a thread of its own.
    ///
    /// # Errors
    /// [`Error::Invalid`] if one of `others` is not a folder; [`Error::Loosened`], [`Error::Io`].
    pub fn start(app: App, others: &[PathBuf]) -> Result<Self> {
        let inbox = Inbox::open(app, others)?;
        let stopping = Arc::new(AtomicBool::new(false));
        // One place: whoever looks, sees all that came before.
        let (wake, woken) = sync_channel(1);
        let watcher = watcher(&inbox, wake.clone());
        let seen = Arc::clone(&stopping);
        let thread = thread::Builder::new()
            .name("bobbin-inbox".into())
            .spawn(move || {
                run(&inbox, &woken, &seen);
                drop(watcher);
            })
            .map_err(|source| Error::Io {
                path: "inbox thread".into(),
                source,
            })?;
        Ok(Self {
            stopping,
            wake,
            thread: Some(thread),
        })
    }

    /// Stops after the batches that are being stored.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        // Full: it is awake already.
        let _ = self.wake.try_send(());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the inbox's thread failed");
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.end();
    }
}

fn run(inbox: &Inbox, woken: &Receiver<()>, stopping: &AtomicBool) {
    let go_on = || !stopping.load(Ordering::Relaxed);
    while go_on() {
        let pause = match inbox.look(&go_on) {
            Next::Soon => SOON,
            Next::Later => EVERY,
        };
        match woken.recv_timeout(pause) {
            Ok(()) if go_on() => thread::sleep(FLOCK),
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        while woken.try_recv().is_ok() {}
    }
}

/// Where changes cannot be told of, such as when the system watches too many folders already, the clock must do.
fn watcher(inbox: &Inbox, wake: SyncSender<()>) -> Option<RecommendedWatcher> {
    let told = move |event: notify::Result<Event>| {
        if event.as_ref().map_or(true, changes_something) {
            // Full: a look is due already.
            let _ = wake.try_send(());
        }
    };
    let config = Config::default().with_follow_symlinks(false);
    let mut watcher = RecommendedWatcher::new(told, config)
        .inspect_err(|error| tracing::warn!(%error, "folders are not watched"))
        .ok()?;
    let dir = inbox.app.dir();
    let mut folders = vec![
        (inbox_dir(dir), RecursiveMode::NonRecursive),
        // A lock is let go by closing a file in a folder of its own.
        (spool_dir(dir), RecursiveMode::Recursive),
    ];
    folders.extend(
        inbox
            .others
            .iter()
            .map(|folder| (folder.clone(), RecursiveMode::NonRecursive)),
    );
    for (folder, mode) in folders {
        if let Err(error) = watcher.watch(&folder, mode) {
            tracing::warn!(folder = %folder.display(), %error, "not watched");
        }
    }
    Some(watcher)
}

/// Whether there may be more to read. Looking opens and closes files, too, which must not lead to looking again.
fn changes_something(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}
