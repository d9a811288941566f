//! All that Bobbin knows about a Dask cluster, with no network, no async and no user interface.
//!
//! Data goes one way, and each layer uses only those to its left:
//!
//! ```text
//! model  wire  seal  store  ingest  query  insight  api
//! ```
//!
//! - [`model`]: what a cluster, a group and a state are; ids and units.
//! - [`wire`]: what the plugin sends, and its reading into typed records.
//! - [`seal`]: code and text encrypted per field to the install's key.
//! - [`store`]: SQLite: open, migrate, one writer, a few readers.
//! - [`ingest`]: a batch: checked, counted, written in one transaction.
//! - [`query`]: one question a pair of files, Rust and SQL.
//! - [`insight`]: what follows from the answers, such as "this cluster is lost".
//! - [`api`]: the list of commands that every door offers.

pub mod api;
pub mod clock;
pub mod error;
pub mod ingest;
pub mod insight;
pub mod model;
pub mod query;
pub mod seal;
pub mod store;
pub mod wire;

pub use error::{Code, Error, Result};
