//! The account that was joined: what leaves for it, and what became of that; and the hub.

pub mod args;
pub mod fetch;
pub mod hub;
pub mod join;
pub mod ledger;
pub mod push;
pub mod queue;
pub mod recall;

use std::path::Path;
use std::sync::Arc;

use bobbin_core::clock::SystemClock;
use bobbin_core::install::{Sharing, settings_path};
use bobbin_core::ledger::{Queue, Sender, sharing};
use bobbin_http::sync::{Fault, Laptop};
use tokio::runtime::Runtime;

use crate::failure::Failure;

fn laptop(data_dir: &Path) -> Laptop {
    Laptop::new(data_dir, Arc::new(SystemClock))
}

/// The right to send, for as long as it is held.
pub fn sender(data_dir: &Path) -> Result<Sender, Failure> {
    Queue::sender(data_dir)?.ok_or_else(|| {
        Failure::failed("another Bobbin is sending or recalling right now")
            .hint("`bobbin queue` shows its progress; try again when it is done")
    })
}

/// Whether something may be sent now, for whoever just joined a team or added a destination.
pub fn sharing_now(data_dir: &Path) -> Result<String, Failure> {
    let mode = sharing(data_dir)?;
    Ok(match mode {
        Sharing::Ask => format!(
            "Sharing is {}: Bobbin sends only what you approve, when you ask it to.",
            mode.label()
        ),
        Sharing::Local | Sharing::Off => format!(
            "Sharing is {}, as you chose: to send what you approve, set `sharing = \"ask\"` in {}, or choose Ask each time under Settings, Privacy.",
            mode.label(),
            settings_path(data_dir).display()
        ),
    })
}

fn runtime() -> Result<Runtime, Failure> {
    Runtime::new().map_err(|e| Failure::failed(format!("the network: {e}")))
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let text = fault.to_string();
        match fault {
            Fault::Later { .. } => Failure::failed(text)
                .hint("check that the hub is running and reachable, and try again"),
            Fault::NotAuthentic => Failure::refused(text).hint(
                "ask an admin whether the hub's certificate has changed, and for a new join code",
            ),
            Fault::Unknown(_) => Failure::refused(text)
                .hint("ask an admin of the account for an invite, and run `bobbin join`"),
            Fault::Absent => Failure::failed(text),
            Fault::Recalled => Failure::refused(text).hint("stage, review and approve it again"),
            Fault::Paused => Failure::refused(text).hint("run `bobbin queue --resume`"),
            Fault::Refused(_) => Failure::refused(text),
            Fault::Full(_) => Failure::failed(text).hint("free some space, and try again"),
        }
    }
}
