//! What a person wants of a Bobbin that runs: from its tray, from a notice, or by starting it once more.

use std::{
    sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    thread,
};

use crate::{instance::Asker, start::Opening};

/// One wish.
#[derive(Debug)]
pub enum Wish {
    /// A window in front; who handed that over waits to hear that it was taken.
    Open(Opening, Option<Asker>),
    /// Nobody may report for a while.
    Pause,
    Resume,
    /// The store opened anew, as it was found damaged.
    Anew,
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
    /// Puts one; whoever clicks more than can be done is not waited for. The end is not dropped: it comes behind what waits.
    pub fn put(&self, wish: Wish) {
        match self.0.try_send(wish) {
            Err(TrySendError::Full(Wish::Quit)) => {
                let sender = self.0.clone();
                // Where nobody takes wishes any more it is ending already.
                thread::spawn(move || sender.send(Wish::Quit));
            }
            Err(error) => tracing::warn!(%error, "a wish is dropped"),
            Ok(()) => {}
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_not_dropped_however_much_waits() {
        let (put, wished) = wishes();
        for _ in 0..2 * WAITING {
            put.put(Wish::Pause);
        }
        put.put(Wish::Quit);
        drop(put);
        let came: Vec<Wish> = wished.iter().collect();
        assert_eq!(came.len(), WAITING + 1);
        assert!(matches!(came.last(), Some(Wish::Quit)));
    }
}
