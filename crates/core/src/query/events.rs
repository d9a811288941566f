//! The events of one cluster.

use rusqlite::{Connection, Row, named_params};

use super::clusters::exists;
use super::page::{limit, offset, truncated};
use super::types::{EventList, EventRow, EventsRequest};
use super::unseal::Unsealer;
use crate::Result;
use crate::seal::Place;

/// The events of a cluster, newest first.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn events(
    db: &Connection,
    unsealer: &mut Unsealer,
    request: &EventsRequest,
) -> Result<EventList> {
    let mut rows = Vec::new();
    let total = each_event(db, unsealer, request, limit(request.limit), |row| {
        rows.push(row);
    })?;
    Ok(EventList {
        truncated: truncated(request.offset, rows.len(), total),
        rows,
        total,
    })
}

/// Hands on the events of a cluster, newest first, at most `most` of them; how many there are.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(super) fn each_event(
    db: &Connection,
    unsealer: &mut Unsealer,
    request: &EventsRequest,
    most: u32,
    mut each: impl FnMut(EventRow),
) -> Result<u64> {
    exists(db, request.id)?;
    let total = db
        .prepare_cached(include_str!("events_count.sql"))?
        .query_one(
            named_params! { ":id": request.id, ":from_micros": request.from_micros, ":to_micros": request.to_micros },
            |row| row.get(0),
        )?;
    let mut statement = db.prepare_cached(include_str!("events.sql"))?;
    let mut found = statement.query(named_params! {
        ":id": request.id,
        ":from_micros": request.from_micros,
        ":to_micros": request.to_micros,
        ":limit": most,
        ":offset": offset(request.offset),
    })?;
    while let Some(row) = found.next()? {
        each(event(db, unsealer, request.id, row)?);
    }
    Ok(total)
}

fn event(db: &Connection, unsealer: &mut Unsealer, id: i64, row: &Row<'_>) -> Result<EventRow> {
    let scheduler_id: String = row.get("scheduler_id")?;
    let natural_id = format!(
        "{}/{}",
        row.get::<_, String>("instance_id")?,
        row.get::<_, u64>("seq")?
    );
    let place = Place {
        table: "event",
        column: "payload_sealed",
        row: &natural_id,
        cluster: &scheduler_id,
    };
    Ok(EventRow {
        cluster_id: id,
        at_micros: row.get("at_micros")?,
        topic: row.get("topic")?,
        payload: unsealer.text(db, place, row.get("payload_sealed")?)?,
    })
}
