//! The bundles that are open beside the store.

use std::sync::{Arc, Mutex, MutexGuard};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::lock::lock;
use crate::share::Offered;
use crate::{Error, Result};

/// Bundles that are open at once; the one that was opened first makes room.
pub(super) const MOST: usize = 8;

/// Which clusters a lens draws.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LensPage {
    /// Whom the share would be for.
    pub destination: String,
    /// Others that it may be for: those that were joined, and those that something is staged for.
    pub destinations: Vec<String>,
    /// Clusters before them, the newest first.
    pub offset: u64,
    /// Where those begin that follow; null at the end.
    pub next: Option<u64>,
    /// All that there are.
    pub total: u64,
}

/// Those that are open, each with what reads its store: an open Bobbin, which has such a shelf itself.
pub(super) struct Shelf<Store>(Mutex<Vec<OnShelf<Store>>>);

/// One of them.
#[derive(Clone)]
pub(super) struct OnShelf<Store> {
    /// Its store, where it has one. Closed before the folder goes: fields are dropped in this order.
    pub(super) app: Option<Store>,
    pub(super) offered: Arc<Offered>,
    pub(super) lens: Option<LensPage>,
}

impl<Store> Default for Shelf<Store> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Store: Clone> Shelf<Store> {
    pub(super) fn find(&self, id: &str) -> Result<OnShelf<Store>> {
        let found = self.lock().iter().find(|one| one.offered.id == id).cloned();
        found.ok_or_else(|| Error::NotFound {
            kind: "open bundle",
            id: id.into(),
        })
    }

    /// The first makes room.
    pub(super) fn put(&self, on_shelf: OnShelf<Store>) {
        let mut shelf = self.lock();
        let first = (shelf.len() == MOST).then(|| shelf.remove(0));
        shelf.push(on_shelf);
        drop(shelf);
        // Outside of the lock: it closes a store.
        drop(first);
    }

    /// The store of one that had none, if it is still here.
    pub(super) fn open(&self, id: &str, store: Store) {
        let mut shelf = self.lock();
        if let Some(here) = shelf.iter_mut().find(|one| one.offered.id == id) {
            here.app.get_or_insert(store);
        }
    }

    pub(super) fn remove(&self, id: &str) {
        let removed: Vec<_> = self
            .lock()
            .extract_if(.., |one| one.offered.id == id)
            .collect();
        // Outside of the lock: it closes a store.
        drop(removed);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<OnShelf<Store>>> {
        lock(&self.0)
    }
}
