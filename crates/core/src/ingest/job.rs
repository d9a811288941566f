//! What the writer is asked to do.

use rusqlite::Connection;

use super::orders::StopOrders;
use super::watched::Watched;
use super::{Ingest, Receipt, StopOrder, Stored};
use crate::Result;
use crate::model::Micros;
use crate::store::Job;
use crate::wire::{Batch, Line, Refusal, RefusalCode};

/// Called with the receipt once the batch is durable, or with what went wrong.
pub(crate) type Done = Box<dyn FnOnce(Result<Receipt>) + Send>;

/// What a plugin that hears the receipt is told with it.
#[derive(Clone, Default)]
pub(crate) struct Hearing {
    pub(crate) orders: StopOrders,
    pub(crate) watched: Watched,
}

/// So many records of a batch are left out one by one where they are panicked at; then all of it.
const LEFT_OUT: u32 = 8;

/// Stores a batch.
pub(crate) struct BatchJob {
    batch: Batch,
    done: Done,
    hearing: Option<Hearing>,
    stored: Option<Outcome>,
    panics: u32,
}

/// What became of the batch, and when.
struct Outcome {
    stored: Stored,
    order: Option<StopOrder>,
    watched: bool,
    at: Micros,
}

impl BatchJob {
    /// `hearing` is for a plugin that hears the receipt. A batch without it was read from a file: its cluster was heard
    /// when the batch was made.
    pub(crate) fn new(batch: Batch, hearing: Option<Hearing>, done: Done) -> Self {
        Self {
            batch,
            done,
            hearing,
            stored: None,
            panics: 0,
        }
    }
}

impl Job<Ingest> for BatchJob {
    fn repeats(&self) -> bool {
        true
    }

    fn run(&mut self, db: &Connection, ingest: &mut Ingest) -> Result<()> {
        let now = ingest.clock.now();
        let heard = match self.hearing {
            Some(_) => now,
            None => now.min(self.batch.header.sent_at_micros),
        };
        let stored = ingest.store(db, &self.batch, heard)?;
        let (order, watched) = match (&stored, &self.hearing) {
            (Stored::Now { cluster } | Stored::Before { cluster }, Some(hearing)) => (
                hearing
                    .orders
                    .due(*cluster, &self.batch.header.instance_id, now),
                hearing.watched.is_watched(*cluster, now),
            ),
            (_, None) | (Stored::Deleted, _) => (None, false),
        };
        self.stored = Some(Outcome {
            stored,
            order,
            watched,
            at: now,
        });
        Ok(())
    }

    /// The record is refused, so that the sender does not bring it again and again, and its neighbours are stored.
    fn panicked(&mut self, ingest: &mut Ingest) -> bool {
        self.panics += 1;
        let at = ingest.line.filter(|_| self.panics <= LEFT_OUT);
        let mut any = false;
        for (index, line) in self.batch.lines.iter_mut().enumerate() {
            if at.is_none_or(|at| at == index) && !matches!(line, Line::Refused(_)) {
                *line = Line::Refused(Refusal {
                    index: index as u64,
                    code: RefusalCode::Failed,
                    detail: "Bobbin failed to store it; its log has the reason".into(),
                });
                any = true;
            }
        }
        any
    }

    fn finish(self: Box<Self>, result: Result<()>) {
        let Self {
            batch,
            done,
            hearing,
            stored,
            panics: _,
        } = *self;
        done(result.map(|()| {
            let outcome = stored.inspect(|outcome| {
                if let (
                    Some(hearing),
                    Some(order),
                    Stored::Now { cluster } | Stored::Before { cluster },
                ) = (hearing, &outcome.order, &outcome.stored)
                {
                    hearing.orders.delivered(*cluster, order, outcome.at);
                }
            });
            let stored = outcome.as_ref().map(|outcome| &outcome.stored);
            let deleted = matches!(stored, Some(Stored::Deleted));
            let duplicate = matches!(stored, Some(Stored::Before { .. }));
            let watched = outcome.as_ref().is_some_and(|outcome| outcome.watched);
            let stop = outcome.and_then(|outcome| outcome.order);
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
                watched,
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

    fn panicked(&mut self, _: &mut Ingest) -> bool {
        false
    }

    fn finish(self: Box<Self>, result: Result<()>) {
        (self.done)(result);
    }
}
