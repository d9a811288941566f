//! The table of commands.

use serde::de::DeserializeOwned;

use super::{
    App, Cluster, ClusterList, ClusterRequest, ClusterRow, ClustersRequest, ComputationList,
    ComputationsRequest, Empty, EventList, EventsRequest, ExceptionList, ExceptionsRequest,
    Overview, OverviewRequest, Status, TaskGroupList, TaskGroupsRequest, Timeline, TimelineRequest,
    answers,
};
use crate::{Error, Result};

/// Makes the typed functions, [`COMMANDS`], [`call`] and the page's table of commands from one list.
macro_rules! commands {
    ($($(#[doc = $doc:literal])* $name:ident($request:ty) -> $answer:ty = $run:expr;)*) => {
        /// The names of all commands.
        pub const COMMANDS: &[&str] = &[$(stringify!($name)),*];

        /// Runs a command by name: JSON in, JSON out. An empty request is `{}`.
        ///
        /// # Errors
        /// [`Error::UnknownCommand`]; [`Error::Invalid`] if the request cannot be read; those of the command.
        pub fn call(app: &App, name: &str, request: &str) -> Result<String> {
            match name {
                $(stringify!($name) => {
                    let request: $request = read(name, request)?;
                    Ok(serde_json::to_string(&$name(app, request)?)?)
                })*
                _ => Err(Error::UnknownCommand(name.into())),
            }
        }

        $($(#[doc = $doc])*
        ///
        /// # Errors
        /// Those of [`Error`] that a read of the store can meet.
        pub fn $name(app: &App, request: $request) -> Result<$answer> {
            let run: fn(&App, $request) -> Result<$answer> = $run;
            run(app, request)
        })*

        #[cfg(test)]
        pub(super) fn visit(table: &mut super::typescript::Table) {
            $(table.command::<$request, $answer>(stringify!($name), concat!($($doc),*));)*
        }
    };
}

commands! {
    /// What this Bobbin is and where it listens.
    status(Empty) -> Status = answers::status;
    /// Totals, what is alive, and compute time by day.
    overview(OverviewRequest) -> Overview = answers::overview;
    /// The clusters that match, in some order.
    clusters(ClustersRequest) -> ClusterList = answers::clusters;
    /// Everything about one cluster that is not a list of its own.
    cluster(ClusterRequest) -> Cluster = answers::cluster;
    /// Workers, memory and tasks of one cluster over time.
    timeline(TimelineRequest) -> Timeline = answers::timeline;
    /// The task groups of one cluster.
    task_groups(TaskGroupsRequest) -> TaskGroupList = answers::task_groups;
    /// The computations of one cluster, with their code.
    computations(ComputationsRequest) -> ComputationList = answers::computations;
    /// The exceptions of one cluster or of all.
    exceptions(ExceptionsRequest) -> ExceptionList = answers::exceptions;
    /// The events of one cluster.
    events(EventsRequest) -> EventList = answers::events;
}

/// The cluster that a person means: Bobbin's number, the scheduler's id or its beginning, or a name that only one has.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] if several fit.
pub fn find_cluster(app: &App, text: &str) -> Result<ClusterRow> {
    answers::find_cluster(app, text)
}

fn read<T: DeserializeOwned>(name: &str, request: &str) -> Result<T> {
    let request = if request.trim().is_empty() {
        "{}"
    } else {
        request
    };
    serde_json::from_str(request).map_err(|error| Error::Invalid {
        what: "request",
        value: name.into(),
        reason: error.to_string(),
    })
}
