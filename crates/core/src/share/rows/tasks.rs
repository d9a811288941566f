//! Task groups, computations, spans, metrics and workers.

use rusqlite::{Row, named_params};

use super::{Instance, Json, Piece, Sealed, Sink, Source};
use crate::model::{Activities, WorkerChange};
use crate::store::unpack_code;
use crate::wire::{
    CodeFrame, ComputationRecord, Durations, MetricRecord, Record, SpanRecord, TaskGroupRecord,
    WorkerRecord,
};
use crate::{Error, Result};

const CODE: Sealed = Sealed {
    table: "computation_code",
    column: "frames_sealed",
    field: "computation.code",
};

pub(super) fn workers(source: &Source<'_>, instance: &Instance, sink: &mut Sink<'_>) -> Result<()> {
    let mut statement = source
        .db
        .prepare_cached(include_str!("../sql/workers.sql"))?;
    let mut rows = statement.query(named_params! { ":instance_id": instance.id })?;
    while let Some(row) = rows.next()? {
        let word: String = row.get("event")?;
        let event = WorkerChange::from_word(&word).ok_or_else(|| Error::Invalid {
            what: "worker event",
            value: word,
            reason: "this build does not know it".into(),
        })?;
        sink(Piece::Record(Record::Worker(Box::new(WorkerRecord {
            at_micros: row.get("at_micros")?,
            worker_id: row.get("worker_id")?,
            address: row.get("address")?,
            name: row.get("name")?,
            host: row.get("host")?,
            event,
            cause: row.get("cause")?,
            expected: row.get("expected")?,
            threads: row.get("threads")?,
            memory_limit_bytes: row.get("memory_limit_bytes")?,
            resources: row.get::<_, Json<_>>("resources")?.0,
            nanny: row.get("nanny")?,
        }))))?;
    }
    Ok(())
}

pub(super) fn task_groups(
    source: &Source<'_>,
    instance: &Instance,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let mut statement = source
        .db
        .prepare_cached(include_str!("../sql/task_groups.sql"))?;
    let mut rows = statement
        .query(named_params! { ":cluster_id": source.cluster.id, ":rank": instance.rank })?;
    while let Some(row) = rows.next()? {
        sink(Piece::Record(Record::TaskGroup(Box::new(group(row)?))))?;
    }
    Ok(())
}

fn group(row: &Row<'_>) -> rusqlite::Result<TaskGroupRecord> {
    let timed: Option<u64> = row.get("timed_tasks")?;
    let durations = timed
        .map(|count| {
            Ok::<_, rusqlite::Error>(Durations {
                count,
                mean_seconds: row.get("mean_seconds")?,
                std_seconds: row.get("std_seconds")?,
                p50_seconds: row.get("p50_seconds")?,
                p95_seconds: row.get("p95_seconds")?,
                max_seconds: row.get("max_seconds")?,
            })
        })
        .transpose()?;
    Ok(TaskGroupRecord {
        at_micros: row.get("at_micros")?,
        group_id: row.get("group_id")?,
        name: row.get("name")?,
        prefix: row.get("prefix")?,
        states: row.get::<_, Json<_>>("states")?.0,
        seconds: Activities {
            compute: row.get("compute_seconds")?,
            transfer: row.get("transfer_seconds")?,
            disk_read: row.get("disk_read_seconds")?,
            disk_write: row.get("disk_write_seconds")?,
            deserialize: row.get("deserialize_seconds")?,
            other: row.get("other_seconds")?,
        },
        result_bytes: row.get("result_bytes")?,
        types: row.get::<_, Json<_>>("types")?.0,
        start_micros: row.get("start_micros")?,
        stop_micros: row.get("stop_micros")?,
        durations,
        retried: row.get("retried")?,
        span_id: row.get("span_id")?,
        dependencies: row.get::<_, Json<_>>("dependencies")?.0,
        is_final: row.get("is_final")?,
    })
}

pub(super) fn computations(
    source: &mut Source<'_>,
    instance: &Instance,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let db = source.db;
    let mut statement = db.prepare_cached(include_str!("../sql/computations.sql"))?;
    let mut rows = statement
        .query(named_params! { ":cluster_id": source.cluster.id, ":rank": instance.rank })?;
    while let Some(row) = rows.next()? {
        let computation_id: String = row.get("computation_id")?;
        let frames = source.open(CODE, &computation_id, row.get("frames_sealed")?)?;
        let code: Option<Vec<CodeFrame>> = frames
            .map(|frames| Ok::<_, Error>(serde_json::from_slice(&unpack_code(frames)?)?))
            .transpose()?;
        sink(Piece::Record(Record::Computation(Box::new(
            ComputationRecord {
                at_micros: row.get("at_micros")?,
                computation_id,
                start_micros: row.get("start_micros")?,
                stop_micros: row.get("stop_micros")?,
                groups: row.get::<_, Json<_>>("groups")?.0,
                states: row.get::<_, Json<_>>("states")?.0,
                retried: row.get("retried")?,
                code,
            },
        ))))?;
    }
    Ok(())
}

pub(super) fn metrics(source: &Source<'_>, instance: &Instance, sink: &mut Sink<'_>) -> Result<()> {
    let mut statement = source
        .db
        .prepare_cached(include_str!("../sql/metrics.sql"))?;
    let mut rows = statement
        .query(named_params! { ":cluster_id": source.cluster.id, ":rank": instance.rank })?;
    while let Some(row) = rows.next()? {
        sink(Piece::Record(Record::Metric(Box::new(MetricRecord {
            at_micros: row.get("at_micros")?,
            span_id: row.get("span_id")?,
            context: row.get("context")?,
            prefix: row.get("prefix")?,
            activity: row.get("activity")?,
            unit: row.get("unit")?,
            value: row.get("value")?,
        }))))?;
    }
    Ok(())
}

pub(super) fn spans(source: &Source<'_>, instance: &Instance, sink: &mut Sink<'_>) -> Result<()> {
    let mut statement = source.db.prepare_cached(include_str!("../sql/spans.sql"))?;
    let mut rows = statement
        .query(named_params! { ":cluster_id": source.cluster.id, ":rank": instance.rank })?;
    while let Some(row) = rows.next()? {
        sink(Piece::Record(Record::Span(Box::new(SpanRecord {
            at_micros: row.get("at_micros")?,
            span_id: row.get("span_id")?,
            parent_id: row.get("parent_id")?,
            name: row.get("name")?,
            tags: row.get::<_, Json<_>>("tags")?.0,
            start_micros: row.get("start_micros")?,
            stop_micros: row.get("stop_micros")?,
            enqueued_micros: row.get("enqueued_micros")?,
            groups: row.get::<_, Json<_>>("groups")?.0,
        }))))?;
    }
    Ok(())
}
