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

/// Notes the batch in the table of batches. Gives how many of its first lines are known already, and whether it is a repeat.
pub(super) fn remember(
    context: &Context<'_>,
    batch: &Batch,
    times: Times,
) -> Result<(usize, bool)> {
    let Context { db, instance, .. } = *context;
    let all = batch.lines.len();
    if all == 0 {
        return Ok((0, false));
    }
    let begins = batch.header.first_seq;
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
    let new = &batch.lines[known..];
    let refused = new
        .iter()
        .filter(|line| matches!(line, Line::Refused(_)))
        .count();
    let kept = new
        .iter()
        .filter(|line| matches!(line, Line::Unknown(_) | Line::Known(_, Some(_))))
        .count();
    if row.is_none() {
        let mut statement = db.prepare_cached(include_str!("sql/batch_new.sql"))?;
        execute_in_order(
            &mut statement,
            named_params! {
                ":instance_id": instance,
                ":first_seq": first,
                ":records": all - passed,
                ":digest": batch.digest,
                ":now_micros": context.now,
                ":first_at_micros": times.first,
                ":last_at_micros": times.last,
                ":refused": refused,
                ":kept": kept,
            },
        )?;
    } else {
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
