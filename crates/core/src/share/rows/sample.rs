//! Samples, and the gaps between them.

use rusqlite::{Row, named_params};

use super::{Instance, Json, Piece, Sink, Source, seconds};
use crate::Result;
use crate::model::{Activities, Micros};
use crate::wire::{PluginCost, Record, SampleRecord, Totals};

/// Records that never arrived, before this time.
struct Gap {
    missing: u64,
    to: Micros,
}

pub(super) fn samples(source: &Source<'_>, instance: &Instance, sink: &mut Sink<'_>) -> Result<()> {
    let mut gaps = gaps(source, instance)?.into_iter().peekable();
    let mut statement = source
        .db
        .prepare_cached(include_str!("../sql/samples.sql"))?;
    let mut rows = statement.query(named_params! { ":instance_id": instance.id })?;
    while let Some(row) = rows.next()? {
        let sample = sample(row)?;
        while let Some(gap) = gaps.next_if(|gap| gap.to <= sample.at_micros) {
            sink(Piece::Gap(gap.missing))?;
        }
        sink(Piece::Record(Record::Sample(Box::new(sample))))?;
    }
    gaps.try_for_each(|gap| sink(Piece::Gap(gap.missing)))
}

fn gaps(source: &Source<'_>, instance: &Instance) -> Result<Vec<Gap>> {
    let mut statement = source.db.prepare_cached(include_str!("../sql/gaps.sql"))?;
    let rows = statement.query_map(
        named_params! { ":cluster_id": source.cluster.id, ":instance_id": instance.id },
        |row| {
            Ok(Gap {
                missing: row.get("missing_records")?,
                to: row.get("to_micros")?,
            })
        },
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn sample(row: &Row<'_>) -> rusqlite::Result<SampleRecord> {
    let time = |column: &str| row.get(column).map(seconds);
    Ok(SampleRecord {
        at_micros: row.get("at_micros")?,
        workers: row.get("workers")?,
        threads: row.get("threads")?,
        memory_limit_bytes: row.get("memory_limit_bytes")?,
        memory_used_bytes: row.get("memory_used_bytes")?,
        memory_managed_bytes: row.get("memory_managed_bytes")?,
        memory_unmanaged_bytes: row.get("memory_unmanaged_bytes")?,
        memory_spilled_bytes: row.get("memory_spilled_bytes")?,
        tasks: row.get::<_, Json<_>>("tasks")?.0,
        idle_since_micros: row.get("idle_since_micros")?,
        cpu_percent: row.get("cpu_percent")?,
        network_read_bytes_per_s: row.get("network_read_bytes_per_s")?,
        network_write_bytes_per_s: row.get("network_write_bytes_per_s")?,
        disk_read_bytes_per_s: row.get("disk_read_bytes_per_s")?,
        disk_write_bytes_per_s: row.get("disk_write_bytes_per_s")?,
        gpu_percent: row.get("gpu_percent")?,
        gpu_memory_bytes: row.get("gpu_memory_bytes")?,
        worker_lag_micros: row.get("worker_lag_micros")?,
        workers_paused: row.get("workers_paused")?,
        last_completed_micros: row.get("last_completed_micros")?,
        stall: json(row, "stall")?,
        workers_each: json(row, "each")?,
        workers_bands: json(row, "bands")?,
        loop_lag_micros: row.get("loop_lag_micros")?,
        totals: Totals {
            seconds: Activities {
                compute: time("compute_micros")?,
                transfer: time("transfer_micros")?,
                disk_read: time("disk_read_micros")?,
                disk_write: time("disk_write_micros")?,
                deserialize: time("deserialize_micros")?,
                other: time("other_micros")?,
            },
            thread_seconds: time("thread_micros")?,
            tasks_completed: row.get("tasks_completed")?,
            tasks_erred: row.get("tasks_erred")?,
            result_bytes: row.get("result_bytes")?,
            tasks_retried: row.get("tasks_retried")?,
        },
        cost: PluginCost {
            beat_micros: row.get("beat_micros")?,
            hook_micros: row.get("hook_micros")?,
            loop_share: row.get("loop_share")?,
            sent_bytes: row.get("sent_bytes")?,
            hook_errors: row.get("hook_errors")?,
            waiting_records: row.get("waiting_records")?,
            shed_records: row.get("shed_records")?,
            spooled_bytes: row.get("spooled_bytes")?,
        },
    })
}

fn json<T: serde::de::DeserializeOwned>(
    row: &Row<'_>,
    column: &str,
) -> rusqlite::Result<Option<T>> {
    Ok(row.get::<_, Option<Json<T>>>(column)?.map(|json| json.0))
}
