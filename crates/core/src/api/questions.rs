//! The questions in SQL that are being answered: how many at once, and how one is cancelled.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::lock::lock;
use crate::{Error, Result};

/// Questions at once: each keeps a core busy, and holds a state of the store.
const AT_ONCE: usize = 4;

/// By the names that their askers gave them.
#[derive(Default)]
pub(super) struct Questions(Mutex<Running>);

#[derive(Default)]
struct Running {
    next: u64,
    by_number: BTreeMap<u64, (Option<String>, Arc<AtomicBool>)>,
}

/// A place among them; dropping it gives the place back.
pub(super) struct Place<'a> {
    questions: &'a Questions,
    number: u64,
    pub(super) cancelled: Arc<AtomicBool>,
}

impl Questions {
    /// A place for one more.
    ///
    /// # Errors
    /// [`Error::Refused`] where there are as many as there may be.
    pub(super) fn admit(&self, name: Option<String>) -> Result<Place<'_>> {
        let mut running = self.lock();
        if running.by_number.len() == AT_ONCE {
            return Err(Error::Refused(format!(
                "{AT_ONCE} SQL queries are already running: wait for one to finish, or cancel it"
            )));
        }
        let number = running.next;
        running.next += 1;
        let cancelled = Arc::<AtomicBool>::default();
        running
            .by_number
            .insert(number, (name, Arc::clone(&cancelled)));
        Ok(Place {
            questions: self,
            number,
            cancelled,
        })
    }

    /// Cancels those of this name; whether there is one.
    pub(super) fn cancel(&self, name: &str) -> bool {
        let mut running = false;
        for (other, cancelled) in self.lock().by_number.values() {
            if other.as_deref() == Some(name) {
                cancelled.store(true, Ordering::Relaxed);
                running = true;
            }
        }
        running
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        lock(&self.0)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.questions.lock().by_number.remove(&self.number);
    }
}
