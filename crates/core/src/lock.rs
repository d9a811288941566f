//! The one way to lock a mutex.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, even if a thread panicked while it held the lock: one request that failed must not fail all that follow.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_that_panicked_with_the_lock_keeps_nobody_out() {
        let mutex = Mutex::new(1);
        let panicked = thread::scope(|scope| {
            let holds = scope.spawn(|| {
                let held = lock(&mutex);
                assert_eq!(*held, 0, "it panics while it holds the lock");
            });
            holds.join()
        });
        assert!(panicked.is_err() && mutex.is_poisoned());
        assert_eq!(*lock(&mutex), 1);
    }
}
