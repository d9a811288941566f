//! Which time age rules go by. A clock that stands years ahead for a moment must not empty the store: a jump of more than a
//! week is believed once Bobbin has run a day with it, or somebody says that it is right.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::Result;
use crate::model::Micros;

/// Nobody minds that a week more or less is believed at once: a laptop was away.
const PLAUSIBLE_MICROS: i64 = 7 * 24 * Micros::HOUR;
/// How long a clock that is further ahead has to stand.
const PATIENCE_MICROS: i64 = 24 * Micros::HOUR;

/// What is believed of the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Belief {
    pub(crate) trusted: Micros,
    /// How long Bobbin ran while the clock was too far ahead of that.
    ahead_micros: i64,
}

impl Belief {
    /// After the clock said `now`, and Bobbin ran for `ran` since it was last looked at. Back is always believed: then less
    /// is old enough.
    fn after(self, now: Micros, ran: Duration) -> Self {
        let ahead_micros = self
            .ahead_micros
            .saturating_add(ran.as_micros().min(PATIENCE_MICROS as u128) as i64);
        if self.waits(now).is_none() || ahead_micros >= PATIENCE_MICROS {
            return Self {
                trusted: now,
                ahead_micros: 0,
            };
        }
        Self {
            ahead_micros,
            ..self
        }
    }

    /// How much longer age rules wait, if the clock is too far ahead.
    pub(crate) fn waits(self, now: Micros) -> Option<Duration> {
        let jump = now.0.saturating_sub(self.trusted.0);
        let left = (PATIENCE_MICROS - self.ahead_micros).max(0) as u64;
        (jump > PLAUSIBLE_MICROS).then_some(Duration::from_micros(left))
    }

    /// The time that age rules go by.
    pub(crate) fn believed(self, now: Micros) -> Micros {
        now.min(self.trusted)
    }
}

/// What is believed; of a store that was never looked at, the clock.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn belief(db: &Connection, now: Micros) -> Result<Belief> {
    let found = db
        .prepare_cached(include_str!("sql/clock.sql"))?
        .query_row([], |row| {
            Ok(Belief {
                trusted: row.get("trusted_micros")?,
                ahead_micros: row.get("ahead_micros")?,
            })
        })
        .optional()?;
    Ok(found.unwrap_or(Belief {
        trusted: now,
        ahead_micros: 0,
    }))
}

/// Looks at the clock.
pub(super) fn look(db: &Connection, now: Micros, ran: Duration) -> Result<()> {
    let before = belief(db, now)?;
    let belief = before.after(now, ran);
    if before.ahead_micros == 0 && belief.ahead_micros > 0 {
        tracing::warn!(
            trusted_micros = belief.trusted.0,
            now_micros = now.0,
            "the clock is days ahead of when Bobbin last ran: age rules are paused"
        );
    }
    put(db, belief)
}

/// Somebody says that the clock is right.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn trust(db: &Connection, now: Micros) -> Result<()> {
    put(
        db,
        Belief {
            trusted: now,
            ahead_micros: 0,
        },
    )
}

/// Notes that all that was due is removed.
pub(super) fn worked(db: &Connection, now: Micros) -> Result<()> {
    db.prepare_cached(include_str!("sql/clock_worked.sql"))?
        .execute(named_params! { ":now": now })?;
    Ok(())
}

fn put(db: &Connection, belief: Belief) -> Result<()> {
    db.prepare_cached(include_str!("sql/clock_set.sql"))?
        .execute(named_params! {
            ":trusted_micros": belief.trusted,
            ":ahead_micros": belief.ahead_micros,
        })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * Micros::HOUR;
    const HOUR: Duration = Duration::from_secs(3_600);

    fn at(days: i64) -> Micros {
        Micros(days * DAY)
    }

    #[test]
    fn days_pass_and_a_holiday_is_believed() {
        let start = Belief {
            trusted: at(100),
            ahead_micros: 0,
        };
        let later = start.after(at(101), HOUR).after(at(108), Duration::ZERO);
        assert_eq!((later.trusted, later.waits(at(108))), (at(108), None));
    }

    #[test]
    fn years_ahead_are_believed_after_a_day_and_forgotten_if_they_pass() {
        let start = Belief {
            trusted: at(100),
            ahead_micros: 0,
        };
        let mut jumped = start;
        for _ in 0..23 {
            jumped = jumped.after(at(5_000), HOUR);
            assert_eq!(jumped.believed(at(5_000)), at(100));
        }
        assert_eq!(jumped.waits(at(5_000)), Some(HOUR));
        let right_again = jumped.after(at(101), HOUR);
        assert_eq!(right_again.believed(at(101)), at(101));
        assert_eq!(
            right_again.after(at(5_000), HOUR).waits(at(5_000)),
            Some(HOUR * 23)
        );
        assert_eq!(jumped.after(at(5_000), HOUR).believed(at(5_000)), at(5_000));
    }

    #[test]
    fn back_is_believed_at_once_and_the_way_forward_takes_its_time() {
        let start = Belief {
            trusted: at(100),
            ahead_micros: 0,
        };
        let past = start.after(at(0), HOUR);
        assert_eq!(past.believed(at(0)), at(0));
        assert_eq!(past.after(at(100), HOUR).believed(at(100)), at(0));
    }
}
