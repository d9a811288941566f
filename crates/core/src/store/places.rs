//! How many may read at once. Each reader keeps pages in memory, and more of them than processors can serve finish no sooner:
//! who comes then waits for a place.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::lock::lock;

thread_local! {
    /// Whether this thread has a place. What it reads meanwhile needs none: it might wait for itself.
    static SEATED: Cell<bool> = const { Cell::new(false) };
}

pub(super) struct Places {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Places {
    pub(super) fn new(places: usize) -> Self {
        Self {
            free: Mutex::new(places),
            freed: Condvar::new(),
        }
    }

    /// Waits for a place, which is held until what this gives is dropped.
    pub(super) fn take(&self) -> Place<'_> {
        if SEATED.replace(true) {
            return Place(None);
        }
        let free = lock(&self.free);
        let mut free = self
            .freed
            .wait_while(free, |free| *free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Place(Some(self))
    }
}

/// A place, unless the thread had one before.
pub(super) struct Place<'a>(Option<&'a Places>);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(places) = self.0 {
            SEATED.set(false);
            *lock(&places.free) += 1;
            places.freed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn no_more_than_there_are_places_are_inside_and_everybody_gets_one() {
        let places = Places::new(3);
        let (inside, most, done) = (
            AtomicUsize::new(0),
            AtomicUsize::new(0),
            AtomicUsize::new(0),
        );
        thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| {
                    let _place = places.take();
                    // One that has a place never waits for another.
                    let _again = places.take();
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::sleep(std::time::Duration::from_millis(2));
                    inside.fetch_sub(1, Ordering::SeqCst);
                    done.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!((most.into_inner(), done.into_inner()), (3, 20));
    }

    #[test]
    fn a_place_is_given_back_by_one_who_panics() {
        let places = Places::new(1);
        thread::scope(|scope| {
            let broken = scope.spawn(|| {
                let _place = places.take();
                panic!("a question that fails");
            });
            assert!(broken.join().is_err());
        });
        drop(places.take());
    }
}
