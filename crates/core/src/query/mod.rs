//! Questions, each a pair of files: Rust and SQL. The words of requests and answers are in [`types`].

mod cluster;
mod clusters;
mod computations;
mod events;
mod exceptions;
mod overview;
mod page;
mod status;
mod task_groups;
mod timeline;
pub mod types;
mod unseal;

pub(crate) use cluster::{cluster, stop_target};
pub(crate) use clusters::{Found, clusters, find, live};
pub(crate) use computations::computations;
pub(crate) use events::events;
pub(crate) use exceptions::exceptions;
pub(crate) use overview::{heat_map, period, usage, usage_ever};
pub(crate) use status::store_facts;
pub(crate) use task_groups::task_groups;
pub(crate) use timeline::timeline;
pub(crate) use unseal::Unsealer;

#[cfg(test)]
mod tests;
