//! Samples, and the rollup by hour that follows from their differences.

use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::Context;
use super::gain::Gain;
use super::rollup::STALLED_PAUSE;
use super::totals::BatchTotals;
use crate::Result;
use crate::model::{Micros, TaskStates};
use crate::store::execute_in_order;
use crate::wire::SampleRecord;

/// The running totals of an instance at one of its samples. Seconds are whole microseconds here: sums of whole numbers
/// do not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cumulative {
    seq: u64,
    at: Micros,
    workers: u64,
    threads: u64,
    /// What the workers may use, or where that has no limit what they do use.
    memory_bytes: u64,
    sums: Gain,
}

impl Cumulative {
    /// What came since an earlier sample. Workers and memory were there for as long as the threads were, which the plugin
    /// counts by itself: so a sleeping laptop and a clock that jumps cost nothing. Where no threads are left, those of
    /// before count; without any at both ends nothing is known of the workers between.
    fn since(&self, earlier: &Cumulative) -> Gain {
        let gain = self.sums.since(earlier.sums);
        let there = if self.threads == 0 { earlier } else { self };
        let times = |size: u64, unit: i128| {
            let whole = i128::from(gain.thread_micros) * i128::from(size);
            let each = whole.checked_div(unit * i128::from(there.threads));
            each.unwrap_or(0).min(1 << 61) as i64
        };
        Gain {
            worker_micros: times(there.workers, 1),
            memory_mib_seconds: times(there.memory_bytes, 1_000_000 << 20),
            ..gain
        }
    }
}

/// Stores a sample. `last` is the latest sample of the instance, as far as it is remembered.
pub(super) fn sample<'a>(
    context: &Context<'_>,
    last: &mut Option<Cumulative>,
    record: &'a SampleRecord,
    seq: u64,
    totals: &mut BatchTotals<'a>,
) -> Result<()> {
    let Context { db, instance, .. } = *context;
    // In order, there is a later one than any that was removed.
    let in_order = last.is_some_and(|last| last.seq < seq);
    if !in_order && removed(db, instance, seq)? || !insert(db, instance, record, seq)? {
        return Ok(());
    }
    workers(context, record, seq)?;
    totals.sample(record, seq);
    let here = Cumulative {
        seq,
        at: record.at_micros,
        workers: record.workers,
        threads: record.threads,
        memory_bytes: record
            .memory_limit_bytes
            .or(record.memory_used_bytes)
            .unwrap_or(0),
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
    let before = before.unwrap_or_default();
    let gain = here.since(&before);
    hour(context, here.at, gain, Some(record))?;
    totals.gain.add(gain);
    if let Some(after) = after {
        // What lay between the neighbours is now split between the hours of this sample and the next.
        let gain = after
            .since(&here)
            .map(after.since(&before), |now, before| now - before);
        hour(context, after.at, gain, None)?;
        totals.gain.add(gain);
    }
    if record.stall.is_some() || after.is_some() {
        stalled(context)?;
    }
    if after.is_none() {
        *last = Some(here);
    }
    Ok(())
}

/// Has the stalled time of the cluster counted again.
fn stalled(context: &Context<'_>) -> Result<()> {
    context
        .db
        .prepare_cached(include_str!("sql/stalled_due.sql"))?
        .execute(named_params! {
            ":cluster_id": context.cluster,
            ":due_micros": context.now.0 + STALLED_PAUSE,
        })?;
    Ok(())
}

/// Whether samples of that time were removed. They are in the totals: the next that stayed was counted from before them.
fn removed(db: &Connection, instance: i64, seq: u64) -> Result<bool> {
    Ok(db
        .prepare_cached(include_str!("sql/sample_removed.sql"))?
        .exists(named_params! { ":instance_id": instance, ":seq": seq })?)
}

fn sums(record: &SampleRecord) -> Gain {
    let seconds = &record.totals.seconds;
    Gain {
        compute_micros: micros(seconds.compute),
        transfer_micros: micros(seconds.transfer),
        disk_micros: micros(seconds.disk_read) + micros(seconds.disk_write),
        other_micros: micros(seconds.deserialize) + micros(seconds.other),
        thread_micros: micros(record.totals.thread_seconds),
        tasks_completed: record.totals.tasks_completed as i64,
        tasks_erred: record.totals.tasks_erred as i64,
        result_bytes: record.totals.result_bytes as i64,
        ..Gain::default()
    }
}

/// Whole microseconds; the reader of batches has seen to it that they fit.
fn micros(seconds: f64) -> i64 {
    (seconds * 1e6).round() as i64
}

fn neighbour(db: &Connection, sql: &str, instance: i64, seq: u64) -> Result<Option<Cumulative>> {
    let read = |row: &Row<'_>| {
        Ok(Cumulative {
            seq: row.get("seq")?,
            at: row.get("at_micros")?,
            workers: row.get("workers")?,
            threads: row.get("threads")?,
            memory_bytes: row.get("memory_bytes")?,
            sums: Gain {
                compute_micros: row.get("compute_micros")?,
                transfer_micros: row.get("transfer_micros")?,
                disk_micros: row.get("disk_micros")?,
                other_micros: row.get("other_micros")?,
                thread_micros: row.get("thread_micros")?,
                tasks_completed: row.get("tasks_completed")?,
                tasks_erred: row.get("tasks_erred")?,
                result_bytes: row.get("result_bytes")?,
                ..Gain::default()
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
    let mut statement = context
        .db
        .prepare_cached(include_str!("sql/cluster_hour_add.sql"))?;
    execute_in_order(
        &mut statement,
        named_params! {
            ":hour": at.0.div_euclid(Micros::HOUR),
            ":cluster_id": context.cluster,
            ":compute_micros": gain.compute_micros,
            ":transfer_micros": gain.transfer_micros,
            ":disk_micros": gain.disk_micros,
            ":other_micros": gain.other_micros,
            ":thread_micros": gain.thread_micros,
            ":worker_micros": gain.worker_micros,
            ":memory_mib_seconds": gain.memory_mib_seconds,
            ":tasks_completed": gain.tasks_completed,
            ":tasks_erred": gain.tasks_erred,
            ":result_bytes": gain.result_bytes,
            ":workers_peak": record.map_or(0, |record| record.workers),
            ":memory_peak_bytes": record.and_then(|record| record.memory_used_bytes),
            ":samples": u64::from(record.is_some()),
        },
    )?;
    Ok(())
}

/// Stores what a new sample tells of single workers.
fn workers(context: &Context<'_>, record: &SampleRecord, seq: u64) -> Result<()> {
    let (each, bands) = (&record.workers_each, &record.workers_bands);
    if each.is_none() && bands.is_none() {
        return Ok(());
    }
    context
        .db
        .prepare_cached(include_str!("sql/sample_worker.sql"))?
        .execute(named_params! {
            ":instance_id": context.instance,
            ":seq": seq,
            ":each": each.as_ref().map(serde_json::to_string).transpose()?,
            ":bands": bands.as_ref().map(serde_json::to_string).transpose()?,
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
        ":worker_lag_micros": record.worker_lag_micros,
        ":cpu_percent": record.cpu_percent,
        ":network_read_bytes_per_s": record.network_read_bytes_per_s,
        ":network_write_bytes_per_s": record.network_write_bytes_per_s,
        ":disk_read_bytes_per_s": record.disk_read_bytes_per_s,
        ":disk_write_bytes_per_s": record.disk_write_bytes_per_s,
        ":gpu_percent": record.gpu_percent,
        ":gpu_memory_bytes": record.gpu_memory_bytes,
        ":workers_paused": record.workers_paused,
        ":last_completed_micros": record.last_completed_micros,
        ":stall": record.stall.as_ref().map(serde_json::to_string).transpose()?,
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
        ":tasks_retried": record.totals.tasks_retried,
        ":beat_micros": record.cost.beat_micros,
        ":hook_micros": record.cost.hook_micros,
        ":loop_share": record.cost.loop_share,
        ":sent_bytes": record.cost.sent_bytes,
        ":hook_errors": record.cost.hook_errors,
        ":waiting_records": record.cost.waiting_records,
        ":shed_records": record.cost.shed_records,
        ":spooled_bytes": record.cost.spooled_bytes,
    };
    let mut statement = db.prepare_cached(include_str!("sql/sample_new.sql"))?;
    Ok(execute_in_order(&mut statement, parameters)? == 1)
}

/// Tasks in any of these states.
fn count(tasks: &TaskStates, states: &[&str]) -> u64 {
    states.iter().filter_map(|state| tasks.get(*state)).sum()
}
