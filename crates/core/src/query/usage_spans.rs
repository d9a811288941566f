//! What the spans of clusters computed: for rows by span.

use rusqlite::{Connection, named_params};

use super::page::Json;
use crate::Result;
use crate::model::Micros;

/// One span of one cluster in which something was computed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SpanUse {
    pub(crate) cluster: i64,
    /// Its name behind those of the spans that it is in, as everywhere.
    pub(crate) path: String,
    /// When the first of its tasks began, and the last one ended.
    pub(crate) from: Micros,
    pub(crate) to: Micros,
    pub(crate) compute_seconds: f64,
}

/// The spans of some clusters.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn span_uses(db: &Connection, ids: &[i64]) -> Result<Vec<SpanUse>> {
    let mut statement = db.prepare_cached(include_str!("usage_spans.sql"))?;
    let ids = serde_json::to_string(ids)?;
    let rows = statement.query_map(named_params! { ":ids": ids }, |row| {
        let Json(tags): Json<Vec<String>> = row.get("tags")?;
        Ok(SpanUse {
            cluster: row.get("cluster_id")?,
            path: match tags.is_empty() {
                true => row.get("name")?,
                false => tags.join(" › "),
            },
            from: row.get("from_micros")?,
            to: row.get("to_micros")?,
            compute_seconds: row.get("compute_seconds")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
