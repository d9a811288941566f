//! Asking a cluster to close.

use super::{App, CloseOrder, CloseState, ClusterRequest};
use crate::hex::hexadecimal;
use crate::ingest::Standing;
use crate::install::random;
use crate::ledger::{Entry, Kind, Ledger};
use crate::model::{ClusterState, Micros};
use crate::query::{StopTarget, stop_target};
use crate::{Error, Result};

/// How long an order stands at least.
const VALID_MICROS: i64 = 60_000_000;
/// Reports that a cluster has time for until it expires: one that reports rarely hears it, too.
const VALID_REPORTS: i64 = 3;

pub(super) fn close_cluster(app: &App, request: ClusterRequest) -> Result<CloseOrder> {
    app.request_stop(request.id)?;
    close_order(app, request)
}

pub(super) fn close_order(app: &App, request: ClusterRequest) -> Result<CloseOrder> {
    let now = app.now();
    let target = app.read(|db| stop_target(db, now, request.id))?;
    // An order for an instance that is gone is nobody's.
    let standing = app
        .orders()
        .of(request.id)
        .filter(|standing| standing.instance_id == target.instance_id);
    Ok(CloseOrder {
        state: state(&target, standing.as_ref(), now),
        ordered_micros: standing.as_ref().map(|standing| standing.ordered),
        delivered_micros: standing.as_ref().and_then(|standing| standing.delivered),
        expires_micros: standing.map(|standing| standing.expires),
        valid_micros: valid_micros(&target),
    })
}

fn valid_micros(target: &StopTarget) -> i64 {
    VALID_MICROS.max(target.interval_micros.saturating_mul(VALID_REPORTS))
}

fn state(target: &StopTarget, standing: Option<&Standing>, now: Micros) -> CloseState {
    match (standing, target.state) {
        (Some(_), ClusterState::Finished) => CloseState::Closed,
        (Some(standing), _) if now >= standing.expires => CloseState::Expired,
        (Some(standing), _) if standing.delivered.is_some() => CloseState::Delivered,
        (Some(_), _) => CloseState::Ordered,
        (None, ClusterState::Finished | ClusterState::Lost) => CloseState::TooLate,
        (None, _) if target.remote_close_allowed => CloseState::NotOrdered,
        (None, _) => CloseState::NotAllowed,
    }
}

impl App {
    /// Asks a cluster to close: its receipts carry the order for a minute, or for as long as its next three reports take.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if the cluster does not allow it or is over, and for readers, whom no
    /// cluster reports to.
    pub fn request_stop(&self, id: i64) -> Result<()> {
        self.writer()?;
        let now = self.now();
        let target = self.read(|db| stop_target(db, now, id))?;
        let refused = match target.state {
            ClusterState::Finished => Some("has finished"),
            ClusterState::Lost => Some("is not reporting, so it would not get the request"),
            _ if !target.remote_close_allowed => Some(
                "does not allow it: set `bobbin.remote-close: true` in Dask's configuration where its scheduler starts, and have \
                 it report over Bobbin's socket or https://",
            ),
            _ => None,
        };
        if let Some(why) = refused {
            tracing::warn!(cluster = id, why, "a request to close was refused");
            return Err(Error::Refused(format!("cluster {id} {why}")));
        }
        let mut bytes = [0u8; 16];
        random(&mut bytes)?;
        let nonce = hexadecimal(&bytes);
        let entry = Entry::new(Kind::RemoteStop, format!("cluster {id} is asked to close"))
            .to(target.instance_id.clone());
        Ledger::of(self.dir()).append(now, &entry)?;
        // Told at the level that is always logged: it ends somebody's work.
        tracing::warn!(cluster = id, nonce, "asked to close");
        let order = Standing {
            expires: Micros(now.0 + valid_micros(&target)),
            instance_id: target.instance_id,
            nonce,
            ordered: now,
            delivered: None,
        };
        self.orders().put(id, order);
        Ok(())
    }
}
