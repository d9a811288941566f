//! Exceptions, events, and what was shed.

use rusqlite::named_params;

use super::{Instance, Piece, Sealed, Sink, Source};
use crate::Result;
use crate::model::ExceptionOrigin;
use crate::wire::{DroppedRecord, EventRecord, ExceptionRecord, Record};

const MESSAGE: Sealed = Sealed {
    table: "exception",
    column: "message_sealed",
    field: "exception.message",
};
const TRACEBACK: Sealed = Sealed {
    column: "traceback_sealed",
    field: "exception.traceback",
    ..MESSAGE
};
const DETAILS: Sealed = Sealed {
    column: "details_sealed",
    field: "exception.details",
    ..MESSAGE
};
const PAYLOAD: Sealed = Sealed {
    table: "event",
    column: "payload_sealed",
    field: "event.payload",
};

pub(super) fn exceptions(
    source: &mut Source<'_>,
    instance: &Instance,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let db = source.db;
    let mut statement = db.prepare_cached(include_str!("../sql/exceptions.sql"))?;
    let mut rows = statement
        .query(named_params! { ":cluster_id": source.cluster.id, ":rank": instance.rank })?;
    while let Some(row) = rows.next()? {
        let exception_id: String = row.get("exception_id")?;
        let mut text = |of: Sealed| source.open_text(of, &exception_id, row.get(of.column)?);
        let (message, traceback, details) = (text(MESSAGE)?, text(TRACEBACK)?, text(DETAILS)?);
        sink(Piece::Record(Record::Exception(Box::new(
            ExceptionRecord {
                at_micros: row.get("at_micros")?,
                exception_id,
                group_id: row.get("group_id")?,
                group: row.get("group_name")?,
                origin: ExceptionOrigin::of_word(&row.get::<_, String>("origin")?),
                exception_type: row.get("exception_type")?,
                message,
                traceback,
                details,
                worker: row.get("worker")?,
                first_seen_micros: row.get("first_seen_micros")?,
                last_seen_micros: row.get("last_seen_micros")?,
                count: row.get("count")?,
                dependents: row.get("dependents")?,
            },
        ))))?;
    }
    Ok(())
}

/// Those that were sent, then how many of each topic were not.
pub(super) fn events(
    source: &mut Source<'_>,
    instance: &Instance,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let db = source.db;
    let mut statement = db.prepare_cached(include_str!("../sql/events.sql"))?;
    let mut rows = statement.query(named_params! { ":instance_id": instance.id })?;
    while let Some(row) = rows.next()? {
        let natural_id = format!("{}/{}", instance.instance_id, row.get::<_, u64>("seq")?);
        let payload = source.open(PAYLOAD, &natural_id, row.get("payload_sealed")?)?;
        let payload = payload
            .map(|payload| serde_json::from_slice(&payload))
            .transpose()?;
        sink(Piece::Record(Record::Event(EventRecord {
            at_micros: row.get("at_micros")?,
            topic: row.get("topic")?,
            payload: payload.unwrap_or_default(),
            count: None,
        })))?;
    }
    let mut statement = db.prepare_cached(include_str!("../sql/topics.sql"))?;
    let mut rows = statement
        .query(named_params! { ":cluster_id": source.cluster.id, ":instance_id": instance.id })?;
    while let Some(row) = rows.next()? {
        sink(Piece::Record(Record::Event(EventRecord {
            at_micros: row.get("at_micros")?,
            topic: row.get("topic")?,
            payload: serde_json::Value::Null,
            count: row.get("count")?,
        })))?;
    }
    Ok(())
}

pub(super) fn dropped(source: &Source<'_>, instance: &Instance, sink: &mut Sink<'_>) -> Result<()> {
    let mut statement = source
        .db
        .prepare_cached(include_str!("../sql/dropped.sql"))?;
    let mut rows = statement.query(named_params! { ":instance_id": instance.id })?;
    while let Some(row) = rows.next()? {
        sink(Piece::Record(Record::Dropped(DroppedRecord {
            at_micros: row.get("at_micros")?,
            what: row.get("what")?,
            count: row.get("count")?,
            reason: row.get("reason")?,
        })))?;
    }
    Ok(())
}
