//! Asking a cluster to close.

use std::fmt::Write;

use super::App;
use crate::ingest::StopOrder;
use crate::install::random;
use crate::model::{ClusterState, Micros};
use crate::query::stop_target;
use crate::{Error, Result};

/// How long an order stands.
const VALID_MICROS: i64 = 60_000_000;

impl App {
    /// Asks a cluster to close: its receipts carry the order for 60 seconds.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if the cluster does not allow it or is over.
    pub fn request_stop(&self, id: i64) -> Result<()> {
        let now = self.now();
        let target = self.read(|db| stop_target(db, now, id))?;
        match target.state {
            ClusterState::Running | ClusterState::Idle => {}
            ClusterState::Finished => {
                return Err(Error::Refused(format!("cluster {id} has finished")));
            }
            ClusterState::Lost => {
                return Err(Error::Refused(format!(
                    "cluster {id} is silent: it would not hear"
                )));
            }
        }
        if !target.remote_close_allowed {
            return Err(Error::Refused(format!(
                "cluster {id} does not allow it: it was started without bobbin.remote-close"
            )));
        }
        let mut bytes = [0u8; 16];
        random(&mut bytes)?;
        let mut nonce = String::with_capacity(32);
        for byte in bytes {
            // Writing to a String cannot fail.
            let _ = write!(nonce, "{byte:02x}");
        }
        tracing::info!(cluster = id, nonce, "asked to close");
        let expires_micros = Micros(now.0 + VALID_MICROS);
        self.orders().put(
            id,
            StopOrder {
                instance_id: target.instance_id,
                nonce,
                expires_micros,
            },
        );
        Ok(())
    }
}
