//! The ten seconds in which somebody takes a deletion or a change of the rules back. They are counted by the time that passes, not
//! by the clock: one that jumps ahead would cut them short, and one that is set back would hold up what was asked for.
//!
//! The clock only says how long ago something was asked for when it is seen first: at once by the Bobbin that was asked, and by the
//! next one where rules were changed before it started. If that was in the future, the clock was set back, and all of the time is
//! still to come.

use std::collections::HashMap;
use std::time::Duration;

use super::delete::Asked;
use crate::model::Micros;

/// How long somebody has.
pub(super) const UNDO: Duration = Duration::from_secs(10);

/// The same, as it is added to a time.
pub(super) const UNDO_MICROS: i64 = UNDO.as_micros() as i64;

/// What can still be taken back.
#[derive(Debug, Default)]
pub(super) struct Waits {
    deletions: HashMap<i64, One>,
    rules: Option<One>,
}

#[derive(Clone, Copy, Debug)]
struct One {
    /// When it was asked for and until when it was to wait, as it is stored: where that is another, it was asked for again.
    asked: Micros,
    due: Micros,
    /// Until when it waits, in the time that passes.
    until: Duration,
}

impl One {
    /// What is known of it, or how it is seen first.
    fn of(
        known: Option<One>,
        (asked, due): (Micros, Micros),
        now: Micros,
        passed: Duration,
    ) -> Self {
        if let Some(known) = known.filter(|known| (known.asked, known.due) == (asked, due)) {
            return known;
        }
        let whole = due.0.saturating_sub(asked.0).clamp(0, UNDO_MICROS);
        let since = now.0.saturating_sub(asked.0).max(0);
        let left = u64::try_from(whole.saturating_sub(since)).unwrap_or(0);
        Self {
            asked,
            due,
            until: passed + Duration::from_micros(left),
        }
    }

    fn left(&self, passed: Duration) -> Option<Duration> {
        let left = self.until.saturating_sub(passed);
        (!left.is_zero()).then_some(left)
    }
}

impl Waits {
    /// How much longer rules wait that were set at a time; none where they are followed.
    pub(super) fn rules(
        &mut self,
        changed: Option<Micros>,
        now: Micros,
        passed: Duration,
    ) -> Option<Duration> {
        let known = self.rules.take();
        let asked = changed?;
        let due = Micros(asked.0.saturating_add(UNDO_MICROS));
        let rules = One::of(known, (asked, due), now, passed);
        self.rules = Some(rules);
        rules.left(passed)
    }

    /// Of the deletions that were asked for, those that nobody took back in time, and how much longer the next of the others waits.
    pub(super) fn deletions(
        &mut self,
        asked: &[Asked],
        now: Micros,
        passed: Duration,
    ) -> (Vec<i64>, Option<Duration>) {
        let known = std::mem::take(&mut self.deletions);
        let (mut over, mut next) = (Vec::new(), None);
        for one in asked {
            let known = known.get(&one.cluster).copied();
            let waits = One::of(known, (one.asked, one.due), now, passed);
            match waits.left(passed) {
                None => over.push(one.cluster),
                Some(left) => next = Some(next.map_or(left, |next: Duration| next.min(left))),
            }
            self.deletions.insert(one.cluster, waits);
        }
        (over, next)
    }
}
