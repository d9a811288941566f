//! How far the reports of long runs were looked at for what is old: a run of a year has millions, and a step takes some
//! milliseconds.

use std::collections::BTreeMap;

use rusqlite::{Connection, named_params};

use super::remove::Pace;
use super::within::Within;
use crate::Result;
use crate::model::{Micros, RetentionCategory};

/// Reports of one look.
const AT_ONCE: i64 = 1_000;
/// Runs remembered. One has more reports than a look; what is forgotten is looked at again.
const KEPT: usize = 10_000;
/// Behind none.
const START: i64 = i64::MIN;

/// All reports up to which one are old, by instance and category, and before when they are.
#[derive(Debug, Default)]
pub(super) struct Looked {
    reports: BTreeMap<(i64, RetentionCategory), (i64, Micros)>,
    /// How far the instances of one cluster were gone through.
    pub(super) within: Within,
}

/// What a look found.
pub(super) enum Stays {
    /// Records from this number on.
    From(i64),
    /// It ended because of the time, and goes on where it was.
    Unknown,
}

impl Looked {
    /// Something came, or is not as it was, from this record of the instance on.
    pub(super) fn came(&mut self, instance: i64, seq: i64) {
        for category in RetentionCategory::ALL {
            if let Some((behind, _)) = self.reports.get_mut(&(instance, category)) {
                *behind = (*behind).min(seq.saturating_sub(1));
            }
        }
    }

    /// From which record on an instance keeps a category of which goes what is from before `before`.
    pub(super) fn stays(
        &mut self,
        db: &Connection,
        instance: i64,
        category: RetentionCategory,
        before: Micros,
        pace: Pace,
    ) -> Result<Stays> {
        let key = (instance, category);
        // A rule or the clock may have gone back.
        let mut behind = match self.reports.get(&key) {
            Some((behind, of)) if *of <= before => *behind,
            _ => START,
        };
        let mut look = db.prepare_cached(include_str!("sql/stays.sql"))?;
        loop {
            let (looked, last, stays): (i64, Option<i64>, Option<i64>) = look.query_one(
                named_params! {
                    ":instance_id": instance,
                    ":behind_seq": behind,
                    ":before": before,
                    ":limit": AT_ONCE,
                },
                |row| {
                    Ok((
                        row.get("looked")?,
                        row.get("last_seq")?,
                        row.get("stays_seq")?,
                    ))
                },
            )?;
            if let Some(stays) = stays {
                return Ok(Stays::From(stays));
            }
            let Some(last) = last.filter(|_| looked == AT_ONCE) else {
                return Ok(Stays::From(Micros::LATEST.0));
            };
            behind = last;
            if self.reports.len() >= KEPT {
                self.reports.clear();
            }
            self.reports.insert(key, (behind, before));
            if std::time::Instant::now() > pace.until {
                return Ok(Stays::Unknown);
            }
        }
    }
}
