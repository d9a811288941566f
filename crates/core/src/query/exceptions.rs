//! The exceptions of one cluster or of all.

use rusqlite::{Connection, Row, named_params};

use super::clusters::exists;
use super::page::{limit, offset, truncated};
use super::types::{ExceptionList, ExceptionRow, ExceptionsRequest, SealedText};
use super::unseal::Unsealer;
use crate::Result;
use crate::model::ExceptionOrigin;
use crate::seal::Place;

/// Exceptions, newest first.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn exceptions(
    db: &Connection,
    unsealer: &mut Unsealer,
    request: &ExceptionsRequest,
) -> Result<ExceptionList> {
    if let Some(id) = request.id {
        exists(db, id)?;
    }
    let total = db.prepare_cached(include_str!("exceptions_count.sql"))?.query_one(
        named_params! { ":id": request.id, ":from_micros": request.from_micros, ":user": request.user },
        |row| row.get(0),
    )?;
    let page = named_params! {
        ":id": request.id,
        ":from_micros": request.from_micros,
        ":user": request.user,
        ":limit": limit(request.limit),
        ":offset": offset(request.offset),
    };
    let ids = db
        .prepare_cached(include_str!("exceptions.sql"))?
        .query_map(page, |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    let rows = rows(db, unsealer, &ids)?;
    Ok(ExceptionList {
        truncated: truncated(request.offset, rows.len(), total),
        rows,
        total,
    })
}

/// The exceptions of these numbers, in their order.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(super) fn rows(
    db: &Connection,
    unsealer: &mut Unsealer,
    ids: &[i64],
) -> Result<Vec<ExceptionRow>> {
    let mut statement = db.prepare_cached(include_str!("exception_rows.sql"))?;
    let mut found = statement.query(named_params! { ":ids": serde_json::to_string(ids)? })?;
    let mut rows = Vec::with_capacity(ids.len());
    while let Some(row) = found.next()? {
        rows.push(exception(db, unsealer, row)?);
    }
    Ok(rows)
}

fn exception(db: &Connection, unsealer: &mut Unsealer, row: &Row<'_>) -> Result<ExceptionRow> {
    let exception_id: String = row.get("exception_id")?;
    let scheduler_id: String = row.get("scheduler_id")?;
    let mut text = |column| -> Result<SealedText> {
        let place = Place {
            table: "exception",
            column,
            row: &exception_id,
            cluster: &scheduler_id,
        };
        unsealer.text(db, place, row.get(column)?)
    };
    let message = text("message_sealed")?;
    let traceback = text("traceback_sealed")?;
    let details = text("details_sealed")?;
    Ok(ExceptionRow {
        cluster_id: row.get("cluster_id")?,
        cluster_name: row.get("cluster_name")?,
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
        exception_id,
    })
}
