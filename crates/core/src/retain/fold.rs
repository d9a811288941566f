//! Rows of old reports, folded: those of an instance that follow each other without a gap, of one day and in the order of time,
//! become one. A cluster that reports each ten seconds has thousands a day, and nobody asks for one of them: what is told of
//! them are gaps, sums, and before and after when they came, of which a day is fine enough.
//!
//! What comes again from within such a row is known by its numbers (`ingest/known.rs`).

use std::time::Instant;

use rusqlite::{Connection, Row, named_params};

use super::Walked;
use super::looked::Looked;
use super::remove::Pace;
use crate::Result;
use crate::model::Micros;

/// Younger ones may come again with other bytes, of which is told.
const OLD_MICROS: i64 = 7 * DAY;
const DAY: i64 = 24 * Micros::HOUR;
/// Instances of one look.
const INSTANCES: u64 = 100;
/// Rows of one look, for each that a step may remove of others: these are small, and lie side by side.
const ROWS: u64 = 8;

/// A row of one report, or of several.
struct Reports {
    first_seq: i64,
    records: i64,
    received: Micros,
    first_at: Micros,
    last_at: Micros,
    refused: i64,
    kept: i64,
    batches: i64,
}

impl Reports {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            first_seq: row.get("first_seq")?,
            records: row.get("records")?,
            received: row.get("received_micros")?,
            first_at: row.get("first_at_micros")?,
            last_at: row.get("last_at_micros")?,
            refused: row.get("refused")?,
            kept: row.get("kept")?,
            batches: row.get("batches")?,
        })
    }

    /// Whether the next row may join this one: then all that is told of both is told of one, to the day.
    fn takes(&self, next: &Self) -> bool {
        let day = |at: Micros| at.0.div_euclid(DAY);
        next.first_seq == self.first_seq + self.records
            && self.first_at <= next.first_at
            && day(self.first_at) == day(self.last_at)
            && day(self.first_at) == day(next.first_at)
            && day(next.first_at) == day(next.last_at)
            && day(self.received) == day(next.received)
    }

    fn take(&mut self, next: &Self) {
        self.records += next.records;
        self.received = self.received.max(next.received);
        self.last_at = self.last_at.max(next.last_at);
        self.refused += next.refused;
        self.kept += next.kept;
        self.batches += next.batches;
    }
}

/// Goes on behind an instance, by its number.
pub(super) fn step(
    db: &Connection,
    now: Micros,
    behind: i64,
    looked: &mut Looked,
    pace: Pace,
) -> Result<Walked> {
    let mut walked = Walked::default();
    let instances: Vec<(i64, i64)> = db
        .prepare_cached(include_str!("sql/fold_instances.sql"))?
        .query_map(
            named_params! { ":behind_id": behind, ":limit": INSTANCES },
            |row| Ok((row.get("id")?, row.get("folded_seq")?)),
        )?
        .collect::<rusqlite::Result<_>>()?;
    let full = instances.len() as u64 == INSTANCES;
    let mut reached = behind;
    for (instance, mut from) in instances {
        loop {
            let piece = piece(db, now, instance, from, looked, pace)?;
            walked.removed |= piece.folded;
            let over = Instant::now() > pace.until;
            if piece.further.is_none() {
                reached = instance;
            }
            if over {
                walked.behind = Some((reached, 0));
                return Ok(walked);
            }
            match piece.further {
                Some(further) => from = further,
                None => break,
            }
        }
    }
    walked.behind = full.then_some((reached, 0));
    Ok(walked)
}

/// What a look at some of an instance came to.
#[derive(Default)]
struct Piece {
    /// Some rows became one.
    folded: bool,
    /// From which record on there may be more.
    further: Option<i64>,
}

/// Folds some of an instance from a record on.
fn piece(
    db: &Connection,
    now: Micros,
    instance: i64,
    from: i64,
    looked: &mut Looked,
    pace: Pace,
) -> Result<Piece> {
    let limit = pace.rows * ROWS;
    let rows: Vec<Reports> = db
        .prepare_cached(include_str!("sql/fold_rows.sql"))?
        .query_map(
            named_params! { ":instance_id": instance, ":from_seq": from, ":limit": limit },
            Reports::of,
        )?
        .collect::<rusqlite::Result<_>>()?;
    let full = rows.len() as u64 == limit;
    let found = rows.len();
    let mut rows = rows
        .into_iter()
        .take_while(|row| row.received.0 < now.0 - OLD_MICROS);
    let Some(mut run) = rows.next() else {
        return Ok(Piece::default());
    };
    let mut folded = false;
    let (mut last, mut seen) = (run.first_seq, 1);
    for next in rows {
        seen += 1;
        if run.takes(&next) {
            last = next.first_seq;
            run.take(&next);
        } else {
            folded |= put(db, instance, &run, last, looked)?;
            last = next.first_seq;
            run = next;
        }
    }
    folded |= put(db, instance, &run, last, looked)?;
    // The last one may take more as soon as that is old.
    db.prepare_cached(include_str!("sql/folded.sql"))?
        .execute(named_params! { ":instance_id": instance, ":seq": run.first_seq })?;
    Ok(Piece {
        folded,
        further: (full && seen == found).then_some(run.first_seq),
    })
}

/// Stores what a run became, whose last report was this one; whether it was of several.
fn put(
    db: &Connection,
    instance: i64,
    run: &Reports,
    last: i64,
    looked: &mut Looked,
) -> Result<bool> {
    if last == run.first_seq {
        return Ok(false);
    }
    db.prepare_cached(include_str!("sql/fold_gone.sql"))?
        .execute(named_params! {
            ":instance_id": instance,
            ":first_seq": run.first_seq,
            ":last_seq": last,
        })?;
    db.prepare_cached(include_str!("sql/fold_into.sql"))?
        .execute(named_params! {
            ":instance_id": instance,
            ":first_seq": run.first_seq,
            ":records": run.records,
            ":received_micros": run.received,
            ":last_at_micros": run.last_at,
            ":refused": run.refused,
            ":kept": run.kept,
            ":batches": run.batches,
        })?;
    looked.came(instance, run.first_seq);
    Ok(true)
}

/// Folds all that is old enough.
#[cfg(test)]
pub(crate) fn everything(db: &Connection, now: Micros) -> Result<()> {
    let pace = super::remove::Room::PLENTY.pace();
    let mut behind = 0;
    while let Some((further, _)) = step(db, now, behind, &mut Looked::default(), pace)?.behind {
        behind = further;
    }
    Ok(())
}
