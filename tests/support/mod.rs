//! What stories are made of: a sandbox, processes that end with their story, and patience.

mod bobbin;
mod http;
mod patience;
mod process;
mod python;
mod sandbox;

pub use bobbin::{Outcome, Server};
pub use http::post;
pub use patience::{PATIENCE, eventually};
pub use process::Process;
pub use python::{Python, newest, old};
pub use sandbox::{Sandbox, stories};
