//! Failures by what makes them the same one, in one cluster or across all.

use rusqlite::{Connection, named_params};

use super::clusters::exists;
use super::exception_before::exception_before;
use super::exceptions;
use super::page::{escape_like, limit, offset, truncated};
use super::samples::Counted;
use super::types::{ExceptionKind, ExceptionKindList, ExceptionKindsRequest, ExceptionPlace};
use super::unseal::Unsealer;
use crate::Result;

/// Places of one kind that are told.
const PLACES: u32 = 50;

/// Kinds of failures of the clusters that count, the last seen first.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn exception_kinds(
    db: &Connection,
    unsealer: &mut Unsealer,
    counted: &Counted,
    request: &ExceptionKindsRequest,
) -> Result<ExceptionKindList> {
    if let Some(id) = request.id {
        exists(db, id)?;
    }
    // Of one cluster whatever it is; across all those that count.
    let sample = counted.part().filter(|_| request.id.is_none());
    let text = request
        .text
        .as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(|text| format!("%{}%", escape_like(text)));
    let mut kinds = db.prepare_cached(include_str!("exception_kinds.sql"))?;
    let mut places = db.prepare_cached(include_str!("exception_places.sql"))?;
    let mut found = kinds.query(named_params! {
        ":id": request.id,
        ":from_micros": request.from_micros,
        ":to_micros": request.to_micros,
        ":user": request.user,
        ":sample": sample,
        ":group_id": request.group_id,
        ":worker": request.worker,
        ":text": text,
        ":limit": limit(request.limit),
        ":offset": offset(request.offset),
    })?;
    let mut rows = Vec::new();
    let mut total = 0;
    while let Some(row) = found.next()? {
        total = row.get("total")?;
        let fingerprint: String = row.get("fingerprint")?;
        let newest = exceptions::rows(db, unsealer, &[row.get("id")?])?
            .pop()
            .ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        let places_total: u64 = row.get("places")?;
        let places = places
            .query_map(
                named_params! {
                    ":fingerprint": fingerprint,
                    ":id": request.id,
                    ":from_micros": request.from_micros,
                    ":to_micros": request.to_micros,
                    ":user": request.user,
                    ":sample": sample,
                    ":group_id": request.group_id,
                    ":worker": request.worker,
                    ":text": text,
                    ":limit": PLACES,
                },
                |place| {
                    Ok(ExceptionPlace {
                        cluster_id: place.get("cluster_id")?,
                        cluster_name: place.get("cluster_name")?,
                        exception_id: place.get("exception_id")?,
                        group_id: place.get("group_id")?,
                        group: place.get("group_name")?,
                        worker: place.get("worker")?,
                        count: place.get("count")?,
                        first_seen_micros: place.get("first_seen_micros")?,
                        last_seen_micros: place.get("last_seen_micros")?,
                    })
                },
            )?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        rows.push(ExceptionKind {
            before: exception_before(db, &fingerprint, newest.cluster_id)?,
            newest,
            worker_id: row.get("worker_id")?,
            computation_id: row.get("computation_id")?,
            clusters: row.get("clusters")?,
            count: row.get("count")?,
            dependents: row.get("dependents")?,
            first_seen_micros: row.get("first_seen_micros")?,
            last_seen_micros: row.get("last_seen_micros")?,
            ever_clusters: row.get("ever_clusters")?,
            ever_first_seen_micros: row.get("ever_first_seen_micros")?,
            places,
            places_total,
            fingerprint,
        });
    }
    Ok(ExceptionKindList {
        truncated: truncated(request.offset, rows.len(), total),
        rows,
        total,
    })
}
