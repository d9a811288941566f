//! The list of commands: name, request, answer. Every door (window, HTTP, shell) calls these and nothing else.
//!
//! `call` takes JSON and gives JSON, for the doors that carry text; Rust callers use the functions themselves.

mod answers;
mod app;
mod change;
mod commands;
mod demo;
mod stop;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod typescript;

pub use crate::query::types::*;
pub use app::{App, Role};
pub use change::{Change, Subscription};
pub use commands::{
    COMMANDS, call, cluster, clusters, computations, events, exceptions, find_cluster, overview,
    status, task_groups, timeline,
};
