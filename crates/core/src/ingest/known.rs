//! Which records of a batch are known already.
//!
//! A batch that came again with other bytes is a conflict: what came first stands, and only what lies beyond is new. Of
//! batches that were folded into one row only the range is known: what lies in it came before, and only what lies beyond is
//! new, as a batch that begins there. Whether it is a conflict cannot be told then, so that it is counted by itself.

use rusqlite::{OptionalExtension, named_params};

use super::{Context, Times};
use crate::Result;
use crate::store::execute_in_order;
use crate::wire::{Batch, Line};

/// A row of the table of batches.
struct Known {
    records: usize,
    digest: [u8; 32],
    /// How many it is of.
    batches: u64,
}

/// Notes the batch in the table of batches. Gives how many of its first lines are known already, and whether it is a repeat. `end`
/// is where the last batch of the instance ends, as far as it is remembered.
pub(super) fn remember(
    context: &Context<'_>,
    end: &mut Option<u64>,
    batch: &Batch,
    times: Times,
) -> Result<(usize, bool)> {
    let Context { db, instance, .. } = *context;
    let all = batch.lines.len();
    if all == 0 {
        return Ok((0, false));
    }
    let begins = batch.header.first_seq;
    let last = match *end {
        Some(last) => last,
        None => last_end(context)?,
    };
    *end = Some(last.max(begins + all as u64));
    // In order, which is nearly always, nothing of it is known: no row begins there, or reaches so far.
    if last <= begins {
        note(context, batch, times, begins, 0)?;
        return Ok((0, false));
    }
    let mut first = begins;
    let mut row = find(context, first)?;
    while row.as_ref().is_none_or(|row| row.batches > 1) {
        let Some(until) = around(context, first)? else {
            break;
        };
        if first == begins {
            db.prepare_cached(include_str!("sql/instance_unchecked.sql"))?
                .execute(named_params! { ":instance_id": instance })?;
        }
        if until - begins >= all as u64 {
            return Ok((all, true));
        }
        first = until;
        row = find(context, first)?;
    }
    let passed = (first - begins) as usize;
    let known = match &row {
        None => passed,
        Some(row) => {
            let known = passed + row.records;
            if row.digest == batch.digest && known == all {
                return Ok((all, true));
            }
            if passed == 0 {
                db.prepare_cached(include_str!("sql/instance_conflict.sql"))?
                    .execute(named_params! { ":instance_id": instance })?;
            }
            if known >= all {
                return Ok((all, passed > 0));
            }
            known
        }
    };
    if row.is_none() {
        note(context, batch, times, first, known)?;
    } else {
        let (refused, kept) = unread(&batch.lines[known..]);
        db.prepare_cached(include_str!("sql/batch_longer.sql"))?
            .execute(named_params! {
                ":instance_id": instance,
                ":first_seq": first,
                ":records": all - passed,
                ":first_at_micros": times.first,
                ":last_at_micros": times.last,
                ":refused": refused,
                ":kept": kept,
            })?;
    }
    Ok((known, false))
}

/// Makes a row of what is new in the batch: from its line `known` on, which has the number `first`.
fn note(
    context: &Context<'_>,
    batch: &Batch,
    times: Times,
    first: u64,
    known: usize,
) -> Result<()> {
    let new = &batch.lines[known..];
    let (refused, kept) = unread(new);
    let mut statement = context
        .db
        .prepare_cached(include_str!("sql/batch_new.sql"))?;
    execute_in_order(
        &mut statement,
        named_params! {
            ":instance_id": context.instance,
            ":first_seq": first,
            ":records": new.len(),
            ":digest": batch.digest,
            ":now_micros": context.now,
            ":first_at_micros": times.first,
            ":last_at_micros": times.last,
            ":refused": refused,
            ":kept": kept,
        },
    )?;
    Ok(())
}

/// How many lines were refused, and how many are kept for a later version.
fn unread(lines: &[Line]) -> (usize, usize) {
    let count = |is: fn(&&Line) -> bool| lines.iter().filter(is).count();
    (
        count(|line| matches!(line, Line::Refused(_))),
        count(|line| matches!(line, Line::Unknown(_) | Line::Known(_, Some(_)))),
    )
}

/// Where the last batch of the instance ends; 0 where there is none.
fn last_end(context: &Context<'_>) -> Result<u64> {
    let end = context
        .db
        .prepare_cached(include_str!("sql/batch_end.sql"))?
        .query_row(named_params! { ":instance_id": context.instance }, |row| {
            row.get("until_seq")
        })
        .optional()?;
    Ok(end.unwrap_or(0))
}

fn find(context: &Context<'_>, first_seq: u64) -> Result<Option<Known>> {
    Ok(context
        .db
        .prepare_cached(include_str!("sql/batch_find.sql"))?
        .query_row(
            named_params! { ":instance_id": context.instance, ":first_seq": first_seq },
            |row| {
                Ok(Known {
                    records: row.get("records")?,
                    digest: row.get("digest")?,
                    batches: row.get("batches")?,
                })
            },
        )
        .optional()?)
}

/// Where the folded batches end in which a record lies.
fn around(context: &Context<'_>, seq: u64) -> Result<Option<u64>> {
    Ok(context
        .db
        .prepare_cached(include_str!("sql/batch_around.sql"))?
        .query_row(
            named_params! { ":instance_id": context.instance, ":seq": seq },
            |row| row.get("until_seq"),
        )
        .optional()?)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::ingest::identity::Identities;
    use crate::model::Micros;
    use crate::store::open_owner;
    use crate::testing::*;

    #[test]
    fn batches_in_order_are_noted_without_a_look_at_those_before() {
        let dir = tempfile::tempdir().unwrap();
        let now = Micros(at(0));
        let mut opened = open_owner(dir.path(), now).unwrap();
        let looks = counted(&mut opened.db, "from batch");
        let db = opened.db.unchecked_transaction().unwrap();
        let mut identities = Identities::default();
        let mut send = |first_seq: u64| {
            let records = [sample(10, 1.0), sample(20, 2.0)];
            let batch = batch_of("Scheduler-1", "i", first_seq, &records);
            let times = Times::of(&batch);
            let (cluster, sender) = identities.of(&db, &batch.header, times, now).unwrap();
            let context = Context {
                db: &db,
                now,
                heard: now,
                header: &batch.header,
                cluster,
                instance: sender.id,
                rank: sender.rank,
            };
            let end = identities.batches_end(&context);
            let known = remember(&context, end, &batch, times).unwrap();
            (known, looks.load(Ordering::Relaxed))
        };
        // Where the last one ends is asked once.
        for first_seq in [1, 3, 7, 9] {
            assert_eq!(send(first_seq), ((0, false), 1), "{first_seq}");
        }
        // What may be known is looked for: a repeat, what fills a gap, and what begins within another.
        assert_eq!(send(3).0, (2, true));
        assert_eq!(send(5).0, (0, false));
        assert_eq!(send(10).0, (0, false));
        let (known, looked) = send(12);
        assert_eq!((known, send(14)), ((0, false), ((0, false), looked)));
    }
}
