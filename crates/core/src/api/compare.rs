//! Two runs side by side.

use rusqlite::Connection;

use super::{App, CompareRequest, Comparison, ComputationsRequest, baseline};
use crate::insight::{Side, compare as difference, shape, with_evidence};
use crate::model::Micros;
use crate::query::{self, Unsealer};
use crate::seal::Keys;
use crate::{Error, Result};

/// Computations of a run whose code is looked at.
const LOOKED_AT: u32 = 200;

pub(super) fn compare(app: &App, request: CompareRequest) -> Result<Comparison> {
    let now = app.now();
    // Compared once the store is let go of: code of many lines takes its time.
    let (a, b) = app.read(|db| {
        let (a, b) = match (request.a, request.b) {
            (Some(a), Some(b)) => ((a, None), (b, None)),
            (None, Some(b)) => (typical(db, now, b)?, (b, None)),
            (Some(a), None) => ((a, None), typical(db, now, a)?),
            (None, None) => {
                return Err(Error::Invalid {
                    what: "comparison",
                    value: "baseline with baseline".into(),
                    reason: "one of the two runs must be a cluster".into(),
                });
            }
        };
        Ok((side(db, app.keys(), now, a)?, side(db, app.keys(), now, b)?))
    })?;
    Ok(difference(&a, &b, request.per_task))
}

/// The run with the median time among those before a cluster, and among how many.
fn typical(db: &Connection, now: Micros, id: i64) -> Result<(i64, Option<u64>)> {
    let (typical, of) = baseline::typical(db, now, id)?.ok_or_else(|| Error::NotFound {
        kind: "earlier run like cluster",
        id: id.to_string(),
    })?;
    Ok((typical, Some(of)))
}

pub(super) fn side(
    db: &Connection,
    keys: &Keys,
    now: Micros,
    (id, typical_of): (i64, Option<u64>),
) -> Result<Side> {
    let (found, facts, _, _) = query::cluster(db, now, id)?;
    let row = with_evidence(found, now);
    let request = ComputationsRequest {
        id,
        limit: LOOKED_AT,
        offset: 0,
        from_micros: None,
        to_micros: None,
    };
    let mut computations = query::computations(db, &mut Unsealer::new(keys), &request)?.rows;
    computations.reverse();
    let mut fingerprints: Vec<_> = query::runs_of_cluster(db, id, LOOKED_AT as usize)?
        .into_iter()
        .map(|run| (run.code, shape(&run.groups)))
        .collect();
    fingerprints.sort();
    fingerprints.dedup();
    Ok(Side {
        work: query::work(db, id, Side::end(&row))?,
        row,
        facts,
        code: computations.into_iter().map(|row| row.code).collect(),
        fingerprints,
        typical_of,
    })
}
