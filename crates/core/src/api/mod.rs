//! The list of commands: name, request, answer. Every door (window, HTTP, shell) calls these and nothing else.
//!
//! `call` takes JSON and gives JSON, for the doors that carry text; Rust callers use the functions themselves.

mod app;
mod commands;
mod types;

pub use app::{App, Change, Changes, Role};
pub use commands::{COMMANDS, call};
pub use types::*;
