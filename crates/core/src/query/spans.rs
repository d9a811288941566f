//! The spans of one cluster.

use rusqlite::{Connection, named_params};

use super::cluster::activities;
use super::clusters::exists;
use super::page::{Json, limit, offset, truncated};
use super::types::{SpanList, SpanRow, SpansRequest};
use crate::Result;

/// The spans of a cluster, newest first.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn spans(db: &Connection, request: &SpansRequest) -> Result<SpanList> {
    exists(db, request.id)?;
    let matching = named_params! {
        ":id": request.id,
        ":from_micros": request.from_micros,
        ":to_micros": request.to_micros,
        ":group_id": request.group_id,
    };
    let total = db
        .prepare_cached(include_str!("spans_count.sql"))?
        .query_one(matching, |row| row.get(0))?;
    let page = named_params! {
        ":limit": limit(request.limit),
        ":offset": offset(request.offset),
    };
    let mut statement = db.prepare_cached(include_str!("spans.sql"))?;
    let rows = statement.query_map(&*[matching, page].concat(), |row| {
        Ok(SpanRow {
            span_id: row.get("span_id")?,
            parent_id: row.get("parent_id")?,
            name: row.get("name")?,
            tags: row.get::<_, Json<_>>("tags")?.0,
            start_micros: row.get("start_micros")?,
            stop_micros: row.get("stop_micros")?,
            enqueued_micros: row.get("enqueued_micros")?,
            groups: row.get::<_, Json<_>>("groups")?.0,
            states: row.get::<_, Json<_>>("states")?.0,
            seconds: activities(row)?,
            result_bytes: row.get("result_bytes")?,
        })
    })?;
    let rows: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(SpanList {
        truncated: truncated(request.offset, rows.len(), total),
        rows,
        total,
    })
}
