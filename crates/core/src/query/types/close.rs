//! A wish to close a cluster.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::Micros;

/// How far a wish to close a cluster has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CloseState {
    /// Nobody asked, and it would hear.
    NotOrdered,
    /// It waits for the cluster's next report.
    Ordered,
    /// It went out with the answer to a report.
    Delivered,
    /// Its time is over, and the cluster lives.
    Expired,
    /// The cluster has ended since.
    Closed,
    /// The cluster was started without `bobbin.remote-close`.
    NotAllowed,
    /// The cluster ended before anybody asked, or is silent: it would not hear.
    TooLate,
}

dto! {
/// Whether a reader wants an idle cluster for a while longer.
pub struct IdleKept {
    /// Null where nobody does.
    pub until_micros: Option<Micros>,
}
}

dto! {
/// A wish to close a cluster, and how far it has come.
pub struct CloseOrder {
    pub state: CloseState,
    /// Null, as the others, until it was ordered.
    pub ordered_micros: Option<Micros>,
    /// When a receipt first carried it; null until then.
    pub delivered_micros: Option<Micros>,
    /// It is not obeyed after this.
    pub expires_micros: Option<Micros>,
    /// For how long an order of now would stand.
    pub valid_micros: i64,
}
}
