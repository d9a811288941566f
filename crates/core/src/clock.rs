//! Time comes in from outside, so that tests can bring their own.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use crate::model::Micros;

/// Tells the time.
pub trait Clock: Send + Sync + 'static {
    /// Now by the wall clock, in microseconds since 1970 UTC.
    fn now(&self) -> Micros;

    /// The time that passed since some moment of this run, however the wall clock was set meanwhile.
    fn passed(&self) -> Duration;
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Micros {
        Micros(chrono::Utc::now().timestamp_micros())
    }

    fn passed(&self) -> Duration {
        static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
        BEGUN.elapsed()
    }
}

/// A clock that a test moves by hand.
#[derive(Debug, Default)]
pub struct ManualClock {
    now: AtomicI64,
    passed_micros: AtomicI64,
}

impl ManualClock {
    /// A clock that stands at `now`.
    pub fn at(now: Micros) -> Self {
        Self {
            now: AtomicI64::new(now.0),
            passed_micros: AtomicI64::default(),
        }
    }

    /// Lets the time pass up to `now`. If that is earlier, the clock is set back, as by [`ManualClock::jump`].
    pub fn set(&self, now: Micros) {
        let before = self.now.swap(now.0, Ordering::SeqCst);
        let passed = now.0.saturating_sub(before).max(0);
        self.passed_micros.fetch_add(passed, Ordering::SeqCst);
    }

    /// Sets the clock to `now` while no time passes.
    pub fn jump(&self, now: Micros) {
        self.now.store(now.0, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Micros {
        Micros(self.now.load(Ordering::SeqCst))
    }

    fn passed(&self) -> Duration {
        let micros = self.passed_micros.load(Ordering::SeqCst);
        Duration::from_micros(micros.try_into().unwrap_or(0))
    }
}
