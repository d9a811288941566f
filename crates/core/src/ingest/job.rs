//! What the writer is asked to do.

use rusqlite::Connection;

use super::orders::StopOrders;
use super::{Ingest, Receipt, StopOrder, Stored};
use crate::Result;
use crate::model::Micros;
use crate::store::Job;
use crate::wire::{Batch, Line, Refusal, RefusalCode};

/// Called with the receipt once the batch is durable, or with what went wrong.
pub(crate) type Done = Box<dyn FnOnce(Result<Receipt>) + Send>;

/// Stores a batch.
pub(crate) struct BatchJob {
    batch: Batch,
    done: Done,
    orders: Option<StopOrders>,
    stored: Option<Outcome>,
}

/// What became of the batch, and when.
struct Outcome {
    stored: Stored,
    order: Option<StopOrder>,
    at: Micros,
}

impl BatchJob {
    /// `orders` are for a plugin that hears the receipt. A batch without them was read from a file: its cluster was heard
    /// when the batch was made.
    pub(crate) fn new(batch: Batch, orders: Option<StopOrders>, done: Done) -> Self {
        Self {
            batch,
            done,
            orders,
            stored: None,
        }
    }
}

impl Job<Ingest> for BatchJob {
    fn repeats(&self) -> bool {
        true
    }

    fn run(&mut self, db: &Connection, ingest: &mut Ingest) -> Result<()> {
        let now = ingest.clock.now();
        let heard = match self.orders {
            Some(_) => now,
            None => now.min(self.batch.header.sent_at_micros),
        };
        let stored = ingest.store(db, &self.batch, heard)?;
        let order = match (&stored, &self.orders) {
            (Stored::Now { cluster } | Stored::Before { cluster }, Some(orders)) => {
                orders.due(*cluster, &self.batch.header.instance_id, now)
            }
            (_, None) | (Stored::Deleted, _) => None,
        };
        self.stored = Some(Outcome {
            stored,
            order,
            at: now,
        });
        Ok(())
    }

    fn finish(self: Box<Self>, result: Result<()>) {
        let Self {
            batch,
            done,
            orders,
            stored,
        } = *self;
        done(result.map(|()| {
            let outcome = stored.map(|outcome| {
                if let (
                    Some(orders),
                    Some(order),
                    Stored::Now { cluster } | Stored::Before { cluster },
                ) = (orders, &outcome.order, &outcome.stored)
                {
                    orders.delivered(*cluster, order, outcome.at);
                }
                (outcome.stored, outcome.order)
            });
            let deleted = matches!(outcome, Some((Stored::Deleted, _)));
            let duplicate = matches!(outcome, Some((Stored::Before { .. }, _)));
            let stop = outcome.and_then(|(_, order)| order);
            let records = batch.lines.len() as u64;
            let refused = (0..)
                .zip(batch.lines)
                .filter_map(|(index, line)| match line {
                    Line::Refused(refusal) => Some(refusal),
                    Line::Known(..) | Line::Unknown(_) => deleted.then(|| Refusal {
                        index,
                        code: RefusalCode::Deleted,
                        detail: "its cluster was deleted here".into(),
                    }),
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

/// What to write, once.
type Write = Box<dyn FnOnce(&Connection, &mut Ingest) -> Result<()> + Send>;

/// Writes something small that is no batch.
pub(crate) struct WriteJob {
    write: Option<Write>,
    done: Box<dyn FnOnce(Result<()>) + Send>,
}

impl WriteJob {
    pub(crate) fn new(write: Write, done: Box<dyn FnOnce(Result<()>) + Send>) -> Self {
        Self {
            write: Some(write),
            done,
        }
    }
}

impl Job<Ingest> for WriteJob {
    fn repeats(&self) -> bool {
        false
    }

    fn run(&mut self, db: &Connection, ingest: &mut Ingest) -> Result<()> {
        // It may ask for something to be removed.
        ingest.retention.wake();
        self.write.take().map_or(Ok(()), |write| write(db, ingest))
    }

    fn finish(self: Box<Self>, result: Result<()>) {
        (self.done)(result);
    }
}
