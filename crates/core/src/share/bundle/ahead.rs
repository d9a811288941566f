//! Items that are made one ahead of whoever takes them, on a second thread: while a batch of a bundle is stored, the next one is
//! read.

use std::panic::resume_unwind;
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::{Error, Result};

/// Has `take` take `items`, in their order. One waits at most; where `take` ends early, no more than that one was made for
/// nothing. The thread ends before this does, and there is none for a single item.
///
/// # Errors
/// Those of `take`; [`Error::Io`] if no thread can be had.
pub(super) fn ahead<I, T>(
    mut items: I,
    take: impl FnOnce(&mut dyn Iterator<Item = I::Item>) -> Result<T>,
) -> Result<T>
where
    I: ExactSizeIterator + Send,
    I::Item: Send,
{
    if items.len() < 2 {
        return take(&mut items);
    }
    thread::scope(|scope| {
        let (made, waiting) = sync_channel(0);
        let making = thread::Builder::new()
            .name("bobbin-bundle".into())
            .spawn_scoped(scope, move || {
                for item in items {
                    // Nobody takes any more.
                    if made.send(item).is_err() {
                        return;
                    }
                }
            })
            .map_err(|source| Error::Io {
                path: "bundle thread".into(),
                source,
            })?;
        let taken = take(&mut waiting.iter());
        drop(waiting);
        match making.join() {
            Ok(()) => taken,
            Err(panic) => resume_unwind(panic),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use super::*;

    /// Numbers from 0 on, which are counted as they are made.
    fn numbers(most: usize, made: &AtomicUsize) -> impl ExactSizeIterator<Item = usize> + Send {
        (0..most).map(move |_| made.fetch_add(1, Ordering::SeqCst))
    }

    #[test]
    fn all_come_in_their_order_and_the_next_one_is_made_meanwhile() {
        let made = AtomicUsize::new(0);
        let taken = ahead(numbers(50, &made), |numbers| {
            let mut taken = vec![];
            let until = Instant::now() + Duration::from_secs(60);
            for number in numbers {
                // Nobody takes the next one before this one is done with.
                while made.load(Ordering::SeqCst) < (number + 2).min(50) {
                    assert!(Instant::now() < until, "{number} is the last one made");
                    thread::yield_now();
                }
                assert!(made.load(Ordering::SeqCst) <= number + 2);
                taken.push(number);
            }
            Ok(taken)
        });
        assert_eq!(taken.unwrap(), Vec::from_iter(0..50));
    }

    #[test]
    fn an_early_end_ends_the_making_too() {
        let made = AtomicUsize::new(0);
        let ended: Result<()> = ahead(numbers(50, &made), |numbers| {
            assert_eq!(numbers.nth(2), Some(2));
            Err(Error::Stopping)
        });
        assert!(matches!(ended, Err(Error::Stopping)));
        assert!(made.into_inner() <= 4);
    }

    #[test]
    fn whoever_takes_panics_as_what_is_made_does() {
        let items = (0..3).map(|number| match number {
            1 => panic!("the second one"),
            other => other,
        });
        let counted = || ahead(items, |items| Ok(items.count())).unwrap();
        let panic = catch_unwind(AssertUnwindSafe(counted)).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"the second one"));
    }

    #[test]
    fn a_single_one_has_no_thread() {
        let here = thread::current().id();
        let items = std::iter::once(()).map(|()| thread::current().id());
        let seen = ahead(items, |items| Ok(items.next())).unwrap();
        assert_eq!(seen, Some(here));
    }
}
