//! Comings and goings of workers: each is kept.

use rusqlite::named_params;

use super::Context;
use super::bounds::{Bounded, Bounds};
use super::switches::Allowed;
use crate::Result;
use crate::wire::WorkerRecord;

pub(super) fn worker(
    context: &Context<'_>,
    bounds: &mut Bounds,
    record: &WorkerRecord,
    seq: u64,
) -> Result<()> {
    if !bounds.room(context, Bounded::WorkerEvent)? {
        return Ok(());
    }
    let allowed = Allowed::find(context)?;
    let made = context
        .db
        .prepare_cached(include_str!("sql/worker_event.sql"))?
        .execute(named_params! {
            ":instance_id": context.instance,
            ":seq": seq,
            ":at_micros": record.at_micros,
            ":worker_id": record.worker_id,
            ":event": record.event.word(),
            ":address": allowed.host(record.address.as_deref()),
            ":name": allowed.host(record.name.as_deref()),
            ":host": allowed.host(record.host.as_deref()),
            ":cause": record.cause,
            ":expected": record.expected,
            ":threads": record.threads,
            ":memory_limit_bytes": record.memory_limit_bytes,
            ":resources": serde_json::to_string(&record.resources)?,
            ":nanny": record.nanny,
        })?;
    if made == 1 {
        bounds.made(context, Bounded::WorkerEvent)?;
    }
    Ok(())
}
