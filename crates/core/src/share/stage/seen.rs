//! The bytes that a share with a destination would hold now, for whoever wants to see what would be seen there: nothing is staged.

use std::path::Path;

use super::ask::StageClustersRequest;
use super::desk::Desk;
use super::file::drafted;
use super::open::Place;
use super::staging::modelled;
use crate::Result;
use crate::install::at;
use crate::share::Snapshot;
use crate::share::bundle::member;

/// Writes them to a new file, with what was decided for the destination, its policy and its aliases; what waits for a decision is
/// replaced. Gives how long the file is, and its hash.
///
/// # Errors
/// As those of staging.
pub(crate) fn seen(
    place: &Place<'_>,
    request: &StageClustersRequest,
    snapshot: &Snapshot<'_>,
    path: &Path,
) -> Result<(u64, String)> {
    let mut model = modelled(place, request, snapshot)?;
    while let Some((number, version, plain)) = model.stale() {
        let packed = member(&plain).map_err(at(path))?;
        model.take(number, version, plain, packed);
    }
    let draft = drafted(path, &model.filing())?;
    // A share has the same.
    let fresh = model.numbers.borrow_mut().take_fresh();
    Desk::open(place.dir)?.add_aliases(&model.base.destination, &fresh)?;
    draft.finish(path)
}
