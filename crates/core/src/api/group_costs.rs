//! What task groups and computations cost.

use super::{App, ClusterRequest, GroupCosts};
use crate::insight::cost;
use crate::{Result, query};

/// One more than is told, so that it is known whether there are more.
const COMPUTATIONS: u32 = 1_001;

pub(super) fn group_costs(app: &App, request: ClusterRequest) -> Result<GroupCosts> {
    app.read(|db| {
        let cluster = query::cluster_used(db, request.id)?;
        let groups = query::group_times(db, request.id)?;
        let computations = query::computation_groups(db, request.id, COMPUTATIONS)?;
        let book = query::price_book(db, false)?;
        Ok(cost::group_costs(&cluster, &groups, computations, &book))
    })
}
