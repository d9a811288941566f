//! Approved bundles on their way to a hub. The bytes that a person saw are sent, in chunks, until the hub has signed that it has
//! them; whatever is cut off goes on where it was.
//!
//! Nothing here goes without the ledger: a connection takes an [`bobbin_core::ledger::Opening`], an upload a
//! [`bobbin_core::ledger::Minted`]. To upload what was not minted does not compile:
//!
//! ```compile_fail,E0308
//! # async fn send(laptop: &bobbin_http::sync::Laptop, team: &bobbin_http::sync::Team) {
//! laptop.upload(team, &"nightly.bobbin", std::path::Path::new("nightly.bobbin"), None, &mut |_| ()).await;
//! # }
//! ```

mod line;
mod retry;
mod send;
mod team;
mod upload;

use std::time::Duration;

use bobbin_core::Code;

pub use retry::pause;
pub use team::Team;
pub use upload::{Back, Found, Laptop, Sent};

/// Why something did not go.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// It may go later: nobody answers, the connection broke, the hub is busy.
    #[error("{reason}")]
    Later {
        reason: String,
        wait: Option<Duration>,
    },
    #[error("the server that answers is not the hub you joined: Bobbin sent nothing")]
    NotAuthentic,
    /// The token or the invite is none, or no longer.
    #[error("{0}")]
    Unknown(String),
    #[error("the hub does not know it")]
    Absent,
    #[error("it was recalled: sending it again needs a new approval")]
    Recalled,
    /// The hub, or this side, will not, however often it is tried.
    #[error("{0}")]
    Refused(String),
    /// This side's disk is full: it may go once there is room.
    #[error("{0}")]
    Full(String),
    #[error("paused")]
    Paused,
}

impl Fault {
    fn later(reason: impl Into<String>) -> Self {
        Fault::Later {
            reason: reason.into(),
            wait: None,
        }
    }
}

impl From<bobbin_core::Error> for Fault {
    fn from(error: bobbin_core::Error) -> Self {
        match error.code() {
            Code::DiskFull => Fault::Full(error.to_string()),
            _ => Fault::Refused(error.to_string()),
        }
    }
}
