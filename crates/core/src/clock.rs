//! Time comes in from outside, so that tests can bring their own.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::model::Micros;

/// Tells the wall-clock time.
pub trait Clock: Send + Sync + 'static {
    /// Now, in microseconds since 1970 UTC.
    fn now(&self) -> Micros;
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Micros {
        Micros(chrono::Utc::now().timestamp_micros())
    }
}

/// A clock that a test moves by hand.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that stands at `now`.
    pub fn at(now: Micros) -> Self {
        Self(AtomicI64::new(now.0))
    }

    /// Moves the clock to `now`.
    pub fn set(&self, now: Micros) {
        self.0.store(now.0, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Micros {
        Micros(self.0.load(Ordering::SeqCst))
    }
}
