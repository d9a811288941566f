//! The fine performance metrics of one cluster.

use rusqlite::{Connection, named_params};

use super::clusters::exists;
use super::page::truncated;
use super::types::{MetricList, MetricRow, MetricsRequest};
use crate::Result;
use crate::model::MetricKind;

const LIMIT: u32 = 5_000;

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
    let page = named_params! { ":limit": LIMIT };
    let mut statement = db.prepare_cached(include_str!("metrics.sql"))?;
    let rows = statement.query_map(&*[matching, page].concat(), |row| {
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
    let rows: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(MetricList {
        truncated: truncated(0, rows.len(), total),
        rows,
        total,
    })
}
