//! What a person wants of a Bobbin that runs: from its tray, from a notice, or by starting it once more.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::{instance::Asker, start::Opening};

/// One wish.
#[derive(Debug)]
pub enum Wish {
    /// A window in front; who handed that over waits to hear that it was taken.
    Open(Opening, Option<Asker>),
    /// Nobody may report for a while.
    Pause,
    Resume,
    /// The end, window or not.
    Quit,
}

/// Where wishes are put.
#[derive(Clone, Debug)]
pub struct Wishes(SyncSender<Wish>);

/// People click a few times at most.
const WAITING: usize = 32;

/// Where wishes are put, and where they come out.
pub fn wishes() -> (Wishes, Receiver<Wish>) {
    let (sender, receiver) = sync_channel(WAITING);
    (Wishes(sender), receiver)
}

impl Wishes {
    /// Puts one; whoever clicks more than can be done is not waited for.
    pub fn put(&self, wish: Wish) {
        if let Err(error) = self.0.try_send(wish) {
            tracing::warn!(%error, "a wish is dropped");
        }
    }

    /// A window at a place of the page, such as `cluster/7`.
    pub fn open_at(&self, place: &str) {
        let links = vec![format!("bobbin://{place}")];
        let opening = Opening {
            links,
            ..Opening::default()
        };
        self.put(Wish::Open(opening, None));
    }
}
