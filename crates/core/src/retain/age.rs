//! Detail that is old enough: cluster by cluster, those that began first at first.

use std::time::Instant;

use rusqlite::{Connection, named_params};

use super::looked::Looked;
use super::remove::{self, Pace};
use super::{Walked, clock};
use crate::Result;
use crate::model::{Micros, RetentionCategory, RetentionRules};

/// Clusters of one look.
const CLUSTERS: u64 = 100;
const DAY: i64 = 24 * Micros::HOUR;

/// The moment before which a category goes.
pub(crate) fn before(days: u32, now: Micros) -> Micros {
    Micros(now.0 - i64::from(days) * DAY)
}

/// Goes on behind a cluster.
pub(super) fn step(
    db: &Connection,
    now: Micros,
    rules: &RetentionRules,
    behind: (i64, i64),
    looked: &mut Looked,
    pace: Pace,
) -> Result<Walked> {
    let believed = clock::belief(db, now)?.believed(now);
    let due: Vec<(RetentionCategory, u32, Micros)> = RetentionCategory::ALL
        .into_iter()
        .filter_map(|category| {
            let days = rules.days(category)?;
            Some((category, days, before(days, believed)))
        })
        .collect();
    let mut walked = Walked::default();
    let Some(latest) = due.iter().map(|(_, _, before)| *before).max() else {
        return Ok(walked);
    };
    let mut find = db.prepare_cached(include_str!("sql/old.sql"))?;
    let clusters: Vec<(i64, Micros)> = find
        .query_map(
            named_params! {
                ":behind_started": behind.0,
                ":behind_id": behind.1,
                ":before": latest,
                ":limit": CLUSTERS,
            },
            |row| Ok((row.get("id")?, row.get("started_micros")?)),
        )?
        .collect::<rusqlite::Result<_>>()?;
    let full = clusters.len() as u64 == CLUSTERS;
    let mut reached = behind;
    for (cluster, started) in clusters {
        for (category, days, before) in &due {
            if started >= *before {
                continue;
            }
            let removed = remove::category(db, cluster, *category, Some(*before), looked, pace)?;
            if removed.any {
                walked.removed = true;
                walked.changed.push(cluster);
            }
            if removed.records > 0 {
                remove::note(db, cluster, *category, removed.records, Some(*days), now)?;
            }
            if removed.more {
                walked.behind = Some(reached);
                return Ok(walked);
            }
        }
        looked.within.forget();
        reached = (started.0, cluster);
        if Instant::now() > pace.until {
            walked.behind = Some(reached);
            return Ok(walked);
        }
    }
    walked.behind = full.then_some(reached);
    Ok(walked)
}
