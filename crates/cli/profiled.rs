//! A file of a profile that is not there would look like one of nothing to do: it is not written, and why is said.

use bobbin_core::api::{
    self, App, ClusterRequest, ClusterRow, FlameTableRequest, ProfileSelection,
};

use crate::failure::Failure;
use crate::visible;

/// The samples of a cluster that are asked for, of which there is one at least.
///
/// # Errors
/// There is none.
pub fn selection(
    app: &App,
    cluster: &ClusterRow,
    prefixes: &[String],
) -> Result<ProfileSelection, Failure> {
    let selection = ProfileSelection {
        ids: vec![cluster.id],
        prefixes: prefixes.to_vec(),
        ..ProfileSelection::default()
    };
    let table = FlameTableRequest {
        selection: selection.clone(),
        ..FlameTableRequest::default()
    };
    if api::flame_table(app, table)?.samples > 0 {
        return Ok(selection);
    }
    let name = visible::plain(&cluster.name);
    let facts = api::cluster(app, ClusterRequest { id: cluster.id })?.facts;
    let missing = Failure::failed(match prefixes {
        [] => format!("there is no profile of {name}"),
        some => format!(
            "there is no profile of {} in {name}",
            visible::plain(&some.join(", "))
        ),
    });
    Err(match facts.off_since.contains_key("profile") {
        true => missing.hint(
            "it is off at source: with `bobbin.profile.transmit: true` where its scheduler starts, the next one sends it",
        ),
        false => missing.hint("`bobbin show` tells of what there are samples"),
    })
}
