//! When the next step is due: soon while there is more to do, and never for more than a tenth of the writer's time.

use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::profiles::Profiles;
use super::{days, stalled};
use crate::Result;
use crate::model::Micros;

/// How long a step takes, about: batches wait for it.
const STEP: Duration = Duration::from_millis(10);
/// After the start, and while nothing is due.
const SETTLED: Duration = Duration::from_secs(2);
const SELDOM: Duration = Duration::from_secs(60);
/// The pause after a step is so many times as long.
const SHARE: u32 = 9;

/// Whose turn it is: that of batches, or that of what can wait.
pub(crate) struct Turn {
    at: Instant,
    profiles: Profiles,
}

impl Turn {
    pub(crate) fn new() -> Self {
        Self {
            at: Instant::now() + SETTLED,
            profiles: Profiles::default(),
        }
    }

    /// When the next step is due.
    pub(crate) fn at(&self) -> Instant {
        self.at
    }

    /// Takes a step, if one is due.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`]: it is tried again in a minute.
    pub(crate) fn take(&mut self, db: &Connection, now: Micros) -> Result<()> {
        let began = Instant::now();
        if began < self.at {
            return Ok(());
        }
        let end = began + STEP;
        // Each by itself: what stops one does not undo the others.
        let days = alone(db, end, || days::step(db, now));
        let stalled = alone(db, end, || stalled::step(db, now));
        let profiles = alone(db, end, || self.profiles.step(db, now, end));
        if profiles.is_err() {
            self.profiles = Profiles::default();
        }
        let pause = match (days, stalled, profiles) {
            (Ok(false), Ok(false), Ok(false)) => SELDOM,
            (Ok(_), Ok(_), Ok(_)) => began.elapsed() * SHARE,
            (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) => {
                self.at = Instant::now() + SELDOM;
                return Err(error);
            }
        };
        self.at = Instant::now() + pause;
        Ok(())
    }
}

/// Steps in a transaction of their own until there is nothing to do; whether there may be more.
fn alone(db: &Connection, end: Instant, mut step: impl FnMut() -> Result<bool>) -> Result<bool> {
    // Undone when it is dropped.
    let steps = db.unchecked_transaction()?;
    let mut more = step()?;
    while more && Instant::now() < end {
        more = step()?;
    }
    steps.commit()?;
    Ok(more)
}
