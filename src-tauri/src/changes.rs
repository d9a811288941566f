//! Tells the page what was stored. A busy store commits hundreds of times a second; the page asks again at most as
//! often as it can draw, so changes that come close together are told as one.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use bobbin_core::api::{App, Change, Subscription};
use bobbin_core::lock::lock;
use tauri::{AppHandle, Emitter};

/// The page's event.
const EVENT: &str = "change";
/// Another, for a page that rests: it hears of no change.
const NEWS: &str = "news";

/// Pause after each telling.
const PAUSE: Duration = Duration::from_millis(50);

/// Ends the telling when dropped.
pub struct Told {
    _subscription: Subscription,
    waiting: Arc<Waiting>,
}

impl Drop for Told {
    fn drop(&mut self) {
        self.waiting.end();
    }
}

/// Tells `window` of every change in `app`.
pub fn tell(app: &App, window: AppHandle) -> Told {
    let waiting = Arc::new(Waiting::default());
    let adding = Arc::clone(&waiting);
    let subscription = app.subscribe(Box::new(move |change| adding.add(change)));
    let taking = Arc::clone(&waiting);
    thread::spawn(move || {
        while let Some(change) = taking.take() {
            if let Err(error) = window.emit(EVENT, change) {
                tracing::warn!(%error, "the page was not told of a change");
            }
            thread::sleep(PAUSE);
        }
    });
    Told {
        _subscription: subscription,
        waiting,
    }
}

/// Tells `window` that clusters came, went or changed their state.
pub fn news(window: &AppHandle) {
    if let Err(error) = window.emit(NEWS, ()) {
        tracing::warn!(%error, "the page was not told of news");
    }
}

/// Changes that were not told yet, as one.
#[derive(Default)]
struct Waiting {
    state: Mutex<State>,
    added: Condvar,
}

#[derive(Default)]
struct State {
    change: Option<Change>,
    ended: bool,
}

impl Waiting {
    fn add(&self, change: &Change) {
        let mut state = self.lock();
        state.change = Some(match state.change.take() {
            Some(waiting) => waiting.and(change),
            None => change.clone(),
        });
        self.added.notify_one();
    }

    /// Waits for the next change. None after the end.
    fn take(&self) -> Option<Change> {
        let mut state = self.lock();
        while state.change.is_none() && !state.ended {
            state = self
                .added
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.ended {
            return None;
        }
        state.change.take()
    }

    fn end(&self) {
        self.lock().ended = true;
        self.added.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_come_together_are_told_as_one() {
        let waiting = Waiting::default();
        waiting.add(&Change {
            revision: 1,
            cluster_ids: vec![3],
        });
        waiting.add(&Change {
            revision: 2,
            cluster_ids: vec![2, 3],
        });
        assert_eq!(
            waiting.take(),
            Some(Change {
                revision: 2,
                cluster_ids: vec![2, 3]
            })
        );
        waiting.end();
        assert_eq!(waiting.take(), None);
    }
}
