//! Samples, and the rollup by hour that follows from their differences.

use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::Context;
use super::gain::Gain;
use super::totals::BatchTotals;
use crate::Result;
use crate::model::{Micros, TaskStates};
use crate::wire::SampleRecord;

/// The running totals of an instance at one of its samples. Seconds are whole microseconds here: sums of whole numbers
/// do not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cumulative {
    seq: u64,
    at: Micros,
    sums: Gain,
}

/// Stores a sample. `last` is the latest sample of the instance, as far as it is remembered.
pub(super) fn sample(
    context: &Context<'_>,
    last: &mut Option<Cumulative>,
    record: &SampleRecord,
    seq: u64,
    totals: &mut BatchTotals,
) -> Result<()> {
    let Context { db, instance, .. } = *context;
    if !insert(db, instance, record, seq)? {
        return Ok(());
    }
    totals.sample(record, seq);
    let here = Cumulative {
        seq,
        at: record.at_micros,
        sums: sums(record),
    };
    // In order, which is nearly always, the sample before is remembered and there is none after.
    let (before, after) = match last {
        Some(last) if last.seq < seq => (Some(*last), None),
        _ => (
            neighbour(db, include_str!("sql/sample_before.sql"), instance, seq)?,
            neighbour(db, include_str!("sql/sample_after.sql"), instance, seq)?,
        ),
    };
    let before = before.unwrap_or_default().sums;
    let gain = here.sums.since(before);
    hour(context, here.at, gain, Some(record))?;
    totals.gain.add(gain);
    if let Some(after) = after {
        // What lay between the neighbours is now split between the hours of this sample and the next.
        let gain = after
            .sums
            .since(here.sums)
            .map(after.sums.since(before), |now, before| now - before);
        hour(context, after.at, gain, None)?;
        totals.gain.add(gain);
    }
    if after.is_none() {
        *last = Some(here);
    }
    Ok(())
}

fn sums(record: &SampleRecord) -> Gain {
    Gain {
        compute_micros: micros(record.totals.seconds.compute),
        thread_micros: micros(record.totals.thread_seconds),
        tasks_completed: record.totals.tasks_completed as i64,
        tasks_erred: record.totals.tasks_erred as i64,
        result_bytes: record.totals.result_bytes as i64,
    }
}

/// Whole microseconds; the reader of batches has seen to it that they fit.
fn micros(seconds: f64) -> i64 {
    (seconds * 1e6).round() as i64
}

fn neighbour(db: &Connection, sql: &str, instance: i64, seq: u64) -> Result<Option<Cumulative>> {
    let read = |row: &Row<'_>| {
        Ok(Cumulative {
            seq: row.get(0)?,
            at: row.get(1)?,
            sums: Gain {
                compute_micros: row.get(2)?,
                thread_micros: row.get(3)?,
                tasks_completed: row.get(4)?,
                tasks_erred: row.get(5)?,
                result_bytes: row.get(6)?,
            },
        })
    };
    let parameters = named_params! { ":instance_id": instance, ":seq": seq };
    Ok(db
        .prepare_cached(sql)?
        .query_row(parameters, read)
        .optional()?)
}

/// Adds to the hour in which `at` lies; `record` is the sample there, if it is new.
fn hour(
    context: &Context<'_>,
    at: Micros,
    gain: Gain,
    record: Option<&SampleRecord>,
) -> Result<()> {
    context
        .db
        .prepare_cached(include_str!("sql/cluster_hour_add.sql"))?
        .execute(named_params! {
            ":hour": at.0.div_euclid(Micros::HOUR),
            ":cluster_id": context.cluster,
            ":compute_micros": gain.compute_micros,
            ":thread_micros": gain.thread_micros,
            ":tasks_completed": gain.tasks_completed,
            ":tasks_erred": gain.tasks_erred,
            ":result_bytes": gain.result_bytes,
            ":workers_peak": record.map_or(0, |record| record.workers),
            ":memory_peak_bytes": record.and_then(|record| record.memory_used_bytes),
            ":samples": u64::from(record.is_some()),
        })?;
    Ok(())
}

/// Whether the sample is new.
fn insert(db: &Connection, instance: i64, record: &SampleRecord, seq: u64) -> Result<bool> {
    let seconds = &record.totals.seconds;
    let sums = sums(record);
    let parameters: &[(&str, &dyn ToSql)] = named_params! {
        ":instance_id": instance,
        ":seq": seq,
        ":at_micros": record.at_micros,
        ":workers": record.workers,
        ":threads": record.threads,
        ":memory_limit_bytes": record.memory_limit_bytes,
        ":memory_used_bytes": record.memory_used_bytes,
        ":memory_managed_bytes": record.memory_managed_bytes,
        ":memory_unmanaged_bytes": record.memory_unmanaged_bytes,
        ":memory_spilled_bytes": record.memory_spilled_bytes,
        ":tasks": serde_json::to_string(&record.tasks)?,
        ":tasks_processing": count(&record.tasks, &["processing"]),
        ":tasks_waiting": count(&record.tasks, &["waiting", "no-worker", "queued"]),
        ":idle_since_micros": record.idle_since_micros,
        ":loop_lag_micros": record.loop_lag_micros,
        ":compute_micros": sums.compute_micros,
        ":transfer_micros": micros(seconds.transfer),
        ":disk_read_micros": micros(seconds.disk_read),
        ":disk_write_micros": micros(seconds.disk_write),
        ":deserialize_micros": micros(seconds.deserialize),
        ":other_micros": micros(seconds.other),
        ":thread_micros": sums.thread_micros,
        ":tasks_completed": sums.tasks_completed,
        ":tasks_erred": sums.tasks_erred,
        ":result_bytes": sums.result_bytes,
        ":beat_micros": record.cost.beat_micros,
        ":sent_bytes": record.cost.sent_bytes,
        ":hook_errors": record.cost.hook_errors,
        ":waiting_records": record.cost.waiting_records,
    };
    Ok(db
        .prepare_cached(include_str!("sql/sample_new.sql"))?
        .execute(parameters)?
        == 1)
}

/// Tasks in any of these states.
fn count(tasks: &TaskStates, states: &[&str]) -> u64 {
    states.iter().filter_map(|state| tasks.get(*state)).sum()
}
