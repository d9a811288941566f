//! Orders to close, for receipts to carry. They are in memory only: what a restart or a backup brings back never closes
//! anything.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use super::StopOrder;
use crate::lock::lock;
use crate::model::Micros;

/// How long an order that has expired is still told of.
const TOLD_MICROS: i64 = 3_600_000_000;

/// An order, and how far it came.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) instance_id: String,
    /// 128 random bits in hexadecimal.
    pub(crate) nonce: String,
    pub(crate) expires: Micros,
    pub(crate) ordered: Micros,
    /// When a receipt first carried it.
    pub(crate) delivered: Option<Micros>,
}

/// Orders to close, by cluster: the latest of each.
#[derive(Clone, Default)]
pub(crate) struct StopOrders(Arc<Mutex<HashMap<i64, Standing>>>);

impl StopOrders {
    /// Leaves an order for the cluster. It replaces an earlier one.
    pub(crate) fn put(&self, cluster: i64, order: Standing) {
        let mut orders = self.lock();
        orders.retain(|_, standing| order.ordered.0 < standing.expires.0 + TOLD_MICROS);
        orders.insert(cluster, order);
    }

    /// The latest order for the cluster.
    pub(crate) fn of(&self, cluster: i64) -> Option<Standing> {
        self.lock().get(&cluster).cloned()
    }

    /// The order for this instance. It comes with each receipt until it expires, since an answer may be lost; its nonce
    /// is obeyed once.
    pub(super) fn due(&self, cluster: i64, instance_id: &str, now: Micros) -> Option<StopOrder> {
        self.lock()
            .get(&cluster)
            .filter(|standing| now < standing.expires && standing.instance_id == instance_id)
            .map(|standing| StopOrder {
                instance_id: standing.instance_id.clone(),
                nonce: standing.nonce.clone(),
                left_micros: standing.expires.0 - now.0,
            })
    }

    /// A receipt carries the order.
    pub(super) fn delivered(&self, cluster: i64, order: &StopOrder, now: Micros) {
        if let Some(standing) = self.lock().get_mut(&cluster)
            && standing.nonce == order.nonce
            && standing.delivered.is_none()
        {
            standing.delivered = Some(now);
            // Told at the level that is always logged: it ends somebody's work.
            tracing::warn!(
                cluster,
                nonce = order.nonce,
                "handed over an order to close"
            );
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Standing>> {
        lock(&self.0)
    }
}
