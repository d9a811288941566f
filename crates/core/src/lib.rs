//! All that Bobbin knows about a Dask cluster, with no network, no async and no user interface.
//!
//! Data goes one way, and each layer uses only those to its left:
//!
//! ```text
//! model  system  wire  install  signature  release  demo  connect  ledger  seal  store  retain  ingest  query  insight  share  report  foreign
//! api  inbox
//! ```
//!
//! - [`model`]: what a cluster, a group and a state are; ids and units.
//! - [`system`]: what differs between operating systems.
//! - [`wire`]: what the plugin sends, and its reading into typed records.
//! - [`install`]: the folder of one install: its token, its lock, where its receiver listens.
//! - [`signature`]: Ed25519 over the exact text.
//! - [`release`]: what a release file says of a newer version, and whether to believe it.
//! - [`connect`]: what makes every scheduler of this user report, in Dask's own configuration.
//! - [`demo`]: recordings of real runs, and playing them once more.
//! - [`ledger`]: everything that ever left, in a chain of hashes.
//! - [`scan`]: what looks like a secret, by its value.
//! - [`ingest`]: a batch: checked, counted, written in one transaction.
//! - [`share`]: what may leave: the classes of fields, and bundles.
//! - [`report`]: what a bundle tells, as a file that anybody can read.
//! - [`foreign`]: files of other programs, read into the same records.
//! - [`api`]: the list of commands that every door offers.
//! - [`inbox`]: batches that arrive as files.

pub mod api;
pub mod clock;
pub mod connect;
pub mod demo;
pub mod error;
pub mod foreign;
mod hex;
pub mod inbox;
pub mod ingest;
pub mod insight;
pub mod install;
pub mod ledger;
pub mod lock;
pub mod model;
pub mod query;
pub mod release;
pub mod report;
mod retain;
pub mod scan;
pub mod seal;
pub mod share;
pub mod signature;
mod store;
pub mod system;
#[cfg(test)]
mod testing;
pub mod wire;

pub use error::{Code, Error, Result};
