//! The events of one cluster.

use rusqlite::{Connection, named_params};

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
    exists(db, request.id)?;
    let total = db
        .prepare_cached(include_str!("events_count.sql"))?
        .query_one(named_params! { ":id": request.id }, |row| row.get(0))?;
    let mut statement = db.prepare_cached(include_str!("events.sql"))?;
    let mut found = statement.query(named_params! {
        ":id": request.id,
        ":limit": limit(request.limit),
        ":offset": offset(request.offset),
    })?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
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
        rows.push(EventRow {
            cluster_id: request.id,
            at_micros: row.get("at_micros")?,
            topic: row.get("topic")?,
            payload: unsealer.text(db, place, row.get("payload_sealed")?)?,
        });
    }
    Ok(EventList {
        truncated: truncated(request.offset, rows.len(), total),
        rows,
        total,
    })
}
