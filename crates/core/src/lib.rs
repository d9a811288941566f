//! All that Bobbin knows about a Dask cluster, with no network, no async and no user interface.
//!
//! Data goes one way, and each layer uses only those to its left:
//!
//! ```text
//! model  wire  install  seal  store  ingest  query  insight  api
//! ```
//!
//! - [`model`]: what a cluster, a group and a state are; ids and units.
//! - [`wire`]: what the plugin sends, and its reading into typed records.
//! - [`install`]: the folder of one install: its token, its lock, where its receiver listens.
//! - [`ingest`]: a batch: checked, counted, written in one transaction.
//! - [`api`]: the list of commands that every door offers.

pub mod api;
pub mod clock;
pub mod error;
pub mod ingest;
pub mod insight;
pub mod install;
pub mod model;
pub mod query;
pub mod seal;
mod store;
#[cfg(test)]
mod testing;
pub mod wire;

pub use error::{Code, Error, Result};
