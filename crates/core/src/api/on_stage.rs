//! The recording that is played once more.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::demo::{Door, Player};
use crate::lock::lock;

/// The door that replays go through, and the one that is played.
#[derive(Default)]
pub(super) struct Stage {
    door: Mutex<Option<Arc<dyn Door>>>,
    playing: Mutex<Option<OnStage>>,
    /// Held while a wish about samples is granted: two clicks at once are one after the other.
    wish: Mutex<()>,
}

/// A recording with its player.
pub(super) struct OnStage {
    pub(super) player: Player,
    pub(super) of: Recorded,
}

/// What is played.
#[derive(Clone)]
pub(super) enum Recorded {
    Story(String),
    Cluster(i64),
}

impl Stage {
    pub(super) fn door(&self) -> Option<Arc<dyn Door>> {
        lock(&self.door).clone()
    }

    pub(super) fn set_door(&self, door: Option<Arc<dyn Door>>) {
        *lock(&self.door) = door;
    }

    pub(super) fn wish(&self) -> MutexGuard<'_, ()> {
        lock(&self.wish)
    }

    pub(super) fn playing(&self) -> MutexGuard<'_, Option<OnStage>> {
        lock(&self.playing)
    }

    /// Ends what is played. Gives the scheduler's ids of what was given up on the way.
    pub(super) fn end(&self) -> Vec<String> {
        let ended = self.playing().take();
        // Outside of the lock: it waits for the last batch.
        ended.map_or_else(Vec::new, |on| on.player.end())
    }
}
