//! A run against others, which may be in other stores.

use super::baseline::baseline;
use super::compare::side;
use super::{App, BaselineRequest, Check, CheckLimits};
use crate::Result;
use crate::insight::{Side, check as judged, shape};
use crate::model::ClusterState;
use crate::query;

/// A cluster in one of the stores.
#[derive(Clone, Copy)]
pub struct CheckRun<'a> {
    pub app: &'a App,
    pub id: i64,
    /// Whether its store is a file, to which nothing is added while it is looked at: a run in it that did not sign off was lost,
    /// however short that is ago.
    pub in_file: bool,
}

/// Whether a run is worse than others of the same, by these limits.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub fn check(run: CheckRun<'_>, others: &[CheckRun<'_>], limits: &CheckLimits) -> Result<Check> {
    let mut sides = vec![one(run)?];
    for other in others {
        sides.push(one(*other)?);
    }
    let run = sides.remove(0);
    Ok(judged(&run, &sides, limits))
}

/// Computations of a run whose graphs are looked at.
const LOOKED_AT: usize = 200;

/// Known by the graph of all that it ran, and not by its code: that may change from one run to the next, and whether two graphs are
/// one computation or two is a matter of milliseconds in Dask.
fn one(run: CheckRun<'_>) -> Result<Side> {
    let now = run.app.now();
    run.app.read(|db| {
        let mut side = side(db, run.app.keys(), now, (run.id, None))?;
        let groups: Vec<_> = query::runs_of_cluster(db, run.id, LOOKED_AT)?
            .into_iter()
            .flat_map(|computation| computation.groups)
            .collect();
        side.fingerprints = vec![(None, shape(&groups))];
        if run.in_file && side.row.state != ClusterState::Finished {
            side.row.state = ClusterState::Lost;
        }
        Ok(side)
    })
}

/// The runs before a cluster that are like it, oldest first.
///
/// # Errors
/// As [`check`].
pub fn earlier_runs(app: &App, id: i64) -> Result<Vec<i64>> {
    let history = baseline(app, BaselineRequest { id })?.cluster;
    Ok(history.map_or_else(Vec::new, |history| {
        let alike = history.runs.iter().filter(|run| run.alike);
        alike.map(|run| run.cluster_id).collect()
    }))
}
