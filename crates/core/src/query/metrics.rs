//! The fine performance metrics of one cluster.

use rusqlite::{Connection, named_params};

use super::clusters::exists;
use super::page::truncated;
use super::types::{MetricList, MetricRow, MetricsRequest};
use crate::Result;
use crate::model::MetricKind;

const LIMIT: i64 = 5_000;
/// What SQLite takes for no limit.
const UNLIMITED: i64 = -1;

/// What the workers' time and bytes went to.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn metrics(db: &Connection, request: &MetricsRequest) -> Result<MetricList> {
    exists(db, request.id)?;
    let matching = named_params! {
        ":id": request.id,
        ":span_id": request.span_id,
        ":prefix": request.prefix,
    };
    let total = db
        .prepare_cached(include_str!("metrics_count.sql"))?
        .query_one(matching, |row| row.get(0))?;
    let rows = rows(db, request, LIMIT)?;
    Ok(MetricList {
        truncated: truncated(0, rows.len(), total),
        rows,
        total,
    })
}

/// All of them, to be added up.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn all_metrics(db: &Connection, request: &MetricsRequest) -> Result<Vec<MetricRow>> {
    exists(db, request.id)?;
    rows(db, request, UNLIMITED)
}

fn rows(db: &Connection, request: &MetricsRequest, limit: i64) -> Result<Vec<MetricRow>> {
    let matching = named_params! {
        ":id": request.id,
        ":span_id": request.span_id,
        ":prefix": request.prefix,
        ":limit": limit,
    };
    let mut statement = db.prepare_cached(include_str!("metrics.sql"))?;
    let rows = statement.query_map(matching, |row| {
        let (context, activity): (String, String) = (row.get("context")?, row.get("activity")?);
        Ok(MetricRow {
            span_id: row.get("span_id")?,
            prefix: row.get("prefix")?,
            kind: MetricKind::of(&context, &activity),
            context,
            activity,
            unit: row.get("unit")?,
            value: row.get("value")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
