//! The topics of one cluster's events, by name.

use rusqlite::{Connection, named_params};

use super::clusters::exists;
use super::page::{LARGEST, truncated};
use super::types::{TopicList, TopicRow, TopicsRequest};
use crate::Result;

/// The topics of a cluster, most events first.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn topics(db: &Connection, request: &TopicsRequest) -> Result<TopicList> {
    exists(db, request.id)?;
    let mut total = 0;
    let mut statement = db.prepare_cached(include_str!("topics.sql"))?;
    let rows = statement.query_map(
        named_params! { ":id": request.id, ":limit": LARGEST },
        |row| {
            total = row.get("total")?;
            Ok(TopicRow {
                topic: row.get("topic")?,
                allowed: row.get("allowed")?,
                stored: row.get("stored")?,
                not_sent: row.get("not_sent")?,
            })
        },
    )?;
    let rows: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(TopicList {
        truncated: truncated(0, rows.len(), total),
        rows,
        total,
    })
}
