//! What the writer is asked to do.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, named_params};

use super::{Ingest, Receipt, StopOrder, Stored};
use crate::Result;
use crate::model::Micros;
use crate::store::Job;
use crate::wire::{Batch, Line};

/// Orders to close, by cluster, until they expire.
#[derive(Clone, Default)]
pub(crate) struct StopOrders(Arc<Mutex<HashMap<i64, StopOrder>>>);

impl StopOrders {
    /// Leaves an order for the cluster.
    pub(crate) fn put(&self, cluster: i64, order: StopOrder) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(cluster, order);
    }

    /// The order for this instance. It stays until it expires, since an answer may be lost; its nonce is obeyed once.
    fn get(&self, cluster: i64, instance_id: &str, now: Micros) -> Option<StopOrder> {
        let mut orders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if orders.is_empty() {
            return None;
        }
        orders.retain(|_, order| now < order.expires_micros);
        orders
            .get(&cluster)
            .filter(|order| order.instance_id == instance_id)
            .cloned()
    }
}

/// Called with the receipt once the batch is durable, or with what went wrong.
pub(crate) type Done = Box<dyn FnOnce(Result<Receipt>) + Send>;

/// Stores a batch.
pub(crate) struct BatchJob {
    batch: Batch,
    done: Done,
    orders: StopOrders,
    stored: Option<(Stored, Option<StopOrder>)>,
}

impl BatchJob {
    pub(crate) fn new(batch: Batch, orders: StopOrders, done: Done) -> Self {
        Self {
            batch,
            done,
            orders,
            stored: None,
        }
    }
}

impl Job<Ingest> for BatchJob {
    fn run(&mut self, db: &Connection, ingest: &mut Ingest) -> Result<()> {
        let stored = ingest.store(db, &self.batch)?;
        let order = self.orders.get(
            stored.cluster,
            &self.batch.header.instance_id,
            ingest.clock.now(),
        );
        self.stored = Some((stored, order));
        Ok(())
    }

    fn finish(self: Box<Self>, result: Result<()>) {
        let Self {
            batch,
            done,
            stored,
            ..
        } = *self;
        done(result.map(|()| {
            let (duplicate, stop) =
                stored.map_or((false, None), |(stored, order)| (stored.duplicate, order));
            let records = batch.lines.len() as u64;
            let refused = batch.lines.into_iter().filter_map(|line| match line {
                Line::Refused(refusal) => Some(refusal),
                Line::Known(..) | Line::Unknown(_) => None,
            });
            Receipt {
                refused: refused.collect(),
                cluster_id: batch.header.cluster_id,
                instance_id: batch.header.instance_id,
                first_seq: batch.header.first_seq,
                records,
                duplicate,
                stop,
            }
        }));
    }
}

/// Stores the digest of a key that is handed out.
pub(crate) struct KeyJob {
    pub(crate) digest: [u8; 32],
    pub(crate) done: Box<dyn FnOnce(Result<()>) + Send>,
}

impl Job<Ingest> for KeyJob {
    fn run(&mut self, db: &Connection, ingest: &mut Ingest) -> Result<()> {
        db.prepare_cached(include_str!("sql/ingest_key.sql"))?
            .execute(named_params! { ":digest": self.digest, ":now_micros": ingest.clock.now() })?;
        Ok(())
    }

    fn finish(self: Box<Self>, result: Result<()>) {
        (self.done)(result);
    }
}
