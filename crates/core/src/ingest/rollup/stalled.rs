//! The stalled time of clusters, counted from their samples. Whether a sample is of a stall depends on those before it, so all
//! samples of a cluster are looked at again, whatever the order in which they came.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::Result;
use crate::model::Micros;
use crate::store::stalled_hours;

/// How long after a sample that may change it: a cluster that is stalled sends one every few seconds.
pub(crate) const PAUSE: i64 = 60 * 1_000_000;

/// Counts that of one cluster, if one is due; whether one was.
pub(super) fn step(db: &Connection, now: Micros) -> Result<bool> {
    let next: Option<i64> = db
        .prepare_cached(include_str!("../sql/stalled_due_next.sql"))?
        .query_row(named_params! { ":now": now }, |row| row.get(0))
        .optional()?;
    if let Some(cluster) = next {
        count(db, cluster)?;
    }
    Ok(next.is_some())
}

fn count(db: &Connection, cluster: i64) -> Result<()> {
    let hours = stalled_hours(db, cluster)?;
    let of = named_params! { ":cluster_id": cluster };
    db.prepare_cached(include_str!("../sql/stalled_hours_gone.sql"))?
        .execute(of)?;
    let mut add = db.prepare_cached(include_str!("../sql/stalled_hour.sql"))?;
    for (hour, micros) in hours {
        add.execute(named_params! {
            ":cluster_id": cluster, ":hour": hour, ":stalled_micros": micros,
        })?;
    }
    db.prepare_cached(include_str!("../sql/stalled_total.sql"))?
        .execute(of)?;
    db.prepare_cached(include_str!("../sql/stalled_due_done.sql"))?
        .execute(of)?;
    Ok(())
}
