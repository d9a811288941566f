//! A cluster that is told anew, by a bundle that knows more of it: all that was told of it goes at once, in the transaction in
//! which the rest comes. Its number stays, since links name it, and what a reader put on it by hand.

use rusqlite::{Connection, named_params};

use super::remove::{self, Room};
use crate::Result;
use crate::model::Micros;

/// What stays of a cluster.
struct Kept {
    scheduler_id: String,
    first_at: Micros,
    given_name: Option<String>,
    note: Option<String>,
    pinned: Option<Micros>,
    own_tags: String,
}

/// Empties a cluster, in the transaction of the caller, and gives when it began, as far as is known.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn empty(db: &Connection, cluster: i64) -> Result<Micros> {
    let kept = db
        .prepare_cached(include_str!("sql/cluster_kept.sql"))?
        .query_one(named_params! { ":cluster_id": cluster }, |row| {
            Ok(Kept {
                scheduler_id: row.get("scheduler_id")?,
                first_at: row.get("first_at_micros")?,
                given_name: row.get("given_name")?,
                note: row.get("note")?,
                pinned: row.get("pinned_micros")?,
                own_tags: row.get("own_tags")?,
            })
        })?;
    // Sums follow from the rows that go, table by table, as when it is deleted.
    while remove::parts(db, cluster, Room::PLENTY.pace())?.more {}
    db.prepare_cached(include_str!("sql/deletion_end.sql"))?
        .execute(named_params! { ":cluster_id": cluster })?;
    db.prepare_cached(include_str!("sql/cluster_again.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":scheduler_id": kept.scheduler_id,
            ":first_at_micros": kept.first_at,
            ":given_name": kept.given_name,
            ":note": kept.note,
            ":pinned_micros": kept.pinned,
            ":own_tags": kept.own_tags,
        })?;
    Ok(kept.first_at)
}
