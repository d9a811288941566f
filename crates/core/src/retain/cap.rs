//! Room under the cap: of the clusters that were silent longest, detail first; then whole ones that are over, oldest first.
//! What is pinned, and whole clusters that report or may do so again, stay: where these alone take the room, nothing goes in vain.

use std::time::Instant;

use rusqlite::{Connection, OptionalExtension, named_params};

use super::bytes::{left_bytes, whole_bytes};
use super::looked::Looked;
use super::remove::{self, Pace};
use super::{Walked, delete};
use crate::Result;
use crate::model::{Micros, RetentionCategory, RetentionRules};

/// Once the cap was passed, detail goes until this share of it is in use, in percent: not a little with every batch.
const DOWN_TO: u64 = 95;
/// While batches come the store may be so large, in percent of the cap, and then they wait: as many bytes go before as come.
const AT_MOST: u64 = 105;
/// After so many percent of the cap came the size is looked at. So much, and what one commit wrote, it may be larger than that.
const LOOK_AFTER: u64 = 1;
const CLUSTERS: u64 = 100;
/// Before the first cluster.
const START: (i64, i64) = (i64::MIN, 0);

/// What is in use of the file: what was freed in it is given back soon.
pub(super) fn used(db: &Connection) -> Result<u64> {
    let value = |name: &str| -> Result<u64> {
        Ok(db.pragma_query_value(None, name, |row| row.get::<_, u64>(0))?)
    };
    Ok((value("page_count")? - value("freelist_count")?) * value("page_size")?)
}

/// The size at which enough detail went. Where what stays takes as much, no room can be made.
pub(crate) fn goal(cap: u64) -> u64 {
    cap / 100 * DOWN_TO
}

/// The size beyond which batches wait.
pub(super) fn most(cap: u64) -> u64 {
    cap / 100 * AT_MOST
}

/// How many bytes may come before the size is looked at again.
pub(super) fn look_after(cap: u64) -> u64 {
    cap / 100 * LOOK_AFTER
}

/// The clusters that are pinned.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn pinned(db: &Connection) -> Result<Vec<i64>> {
    let mut find = db.prepare_cached(include_str!("sql/pinned.sql"))?;
    let ids = find.query_map([], |row| row.get(0))?;
    Ok(ids.collect::<rusqlite::Result<_>>()?)
}

/// The other clusters that report, or may do so again.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn running(db: &Connection, now: Micros) -> Result<Vec<i64>> {
    let mut find = db.prepare_cached(include_str!("sql/running.sql"))?;
    let ids = find.query_map(named_params! { ":now": now }, |row| row.get(0))?;
    Ok(ids.collect::<rusqlite::Result<_>>()?)
}

/// What pinned clusters take, counted one by one before anything goes.
#[derive(Debug, Default)]
pub(super) struct Pinned {
    clusters: Vec<i64>,
    /// How many of them are counted.
    counted: usize,
    bytes: u64,
}

impl Pinned {
    /// Counts another one; whether all are. What was too much is not counted again until other clusters are pinned.
    fn count(&mut self, db: &Connection, cap: u64) -> Result<bool> {
        let clusters = pinned(db)?;
        let all = self.counted == self.clusters.len();
        if clusters != self.clusters || all && self.bytes < goal(cap) {
            *self = Self {
                clusters,
                ..Self::default()
            };
        }
        let Some(&cluster) = self.clusters.get(self.counted) else {
            return Ok(true);
        };
        self.bytes += whole_bytes(db, cluster)?;
        self.counted += 1;
        let all = self.counted == self.clusters.len();
        if all && self.bytes >= goal(cap) {
            tracing::warn!(
                pinned_bytes = self.bytes,
                cap_bytes = cap,
                "pinned clusters alone fill the store: Bobbin removes nothing for the limit"
            );
        }
        Ok(all)
    }
}

/// Goes on behind a cluster, if there is more than may be.
pub(super) fn step(
    db: &Connection,
    now: Micros,
    rules: &RetentionRules,
    behind: (i64, i64),
    (pinned, looked): (&mut Pinned, &mut Looked),
    pace: Pace,
) -> Result<Walked> {
    let mut walked = Walked::default();
    let Some(cap) = rules.cap_bytes else {
        return Ok(walked);
    };
    let begun = behind != START;
    let used_bytes = used(db)?;
    if used_bytes <= if begun { goal(cap) } else { cap } {
        return Ok(walked);
    }
    if !begun && !pinned.count(db, cap)? {
        walked.behind = Some(START);
        return Ok(walked);
    }
    walked.too_much = used_bytes > cap;
    if pinned.bytes >= goal(cap) {
        return Ok(walked);
    }
    let mut find = db.prepare_cached(include_str!("sql/silent.sql"))?;
    let clusters: Vec<(i64, i64)> = find
        .query_map(
            named_params! {
                ":behind_seen": behind.0,
                ":behind_id": behind.1,
                ":limit": CLUSTERS,
            },
            |row| Ok((row.get("seen_micros")?, row.get("id")?)),
        )?
        .collect::<rusqlite::Result<_>>()?;
    if clusters.is_empty() {
        // There is no detail left.
        if walked.too_much
            && let Some(oldest) = oldest(db, now)?
            && pinned.bytes + running_bytes(db, now)? < goal(cap)
        {
            tracing::warn!(
                cluster = oldest,
                "deleted: the store is larger than it may be"
            );
            delete::begin_for_room(db, oldest, now)?;
            walked.behind = Some((i64::MAX, 0));
            walked.changed.push(oldest);
            walked.deleted = Some(oldest);
        }
        return Ok(walked);
    }
    let mut reached = behind;
    for (seen, cluster) in clusters {
        let mut more = false;
        for category in RetentionCategory::ALL {
            let removed = remove::category(db, cluster, category, None, looked, pace)?;
            if removed.any {
                walked.removed = true;
                walked.changed.push(cluster);
            }
            if removed.records > 0 {
                remove::note(db, cluster, category, removed.records, None, now)?;
            }
            if removed.more {
                more = true;
                break;
            }
        }
        // A cluster that has nothing left is done, however little time there was.
        if !more {
            looked.within.forget();
            reached = (seen, cluster);
        }
        if more || Instant::now() > pace.until || used(db)? <= goal(cap) {
            break;
        }
    }
    // Also behind nothing it has begun.
    walked.behind = Some(if reached == START {
        (i64::MIN, 1)
    } else {
        reached
    });
    Ok(walked)
}

/// About what clusters take that may still report, now that no detail is left of them.
fn running_bytes(db: &Connection, now: Micros) -> Result<u64> {
    running(db, now)?
        .into_iter()
        .map(|cluster| left_bytes(db, cluster))
        .sum()
}

/// The cluster that was silent longest, is over and is not pinned.
fn oldest(db: &Connection, now: Micros) -> Result<Option<i64>> {
    Ok(db
        .prepare_cached(include_str!("sql/oldest.sql"))?
        .query_row(named_params! { ":now": now }, |row| row.get(0))
        .optional()?)
}
