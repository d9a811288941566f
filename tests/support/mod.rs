//! What stories are made of: a sandbox, processes that end with their story, and patience.

mod bobbin;
mod http;
mod lacking;
mod page;
mod patience;
mod peers;
mod process;
mod python;
mod sandbox;
mod secrets;

pub use bobbin::{Outcome, Server};
pub use http::{Answer, post};
pub use lacking::skipped;
pub use page::Page;
pub use patience::{PATIENCE, eventually};
pub use peers::peer;
pub use process::Process;
pub use python::{Python, environment, java, newest, old, scheduler_file};
pub use sandbox::{Sandbox, stories};
pub use secrets::Secrets;
