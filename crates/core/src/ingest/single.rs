//! Records that stand for themselves: each is stored once, by instance and sequence number.

use rusqlite::named_params;
use serde_json::Value;

use super::Context;
use super::again::Again;
use super::bounds::{Bounded, Bounds, Latest};
use super::keys::DataKeys;
use super::names::Names;
use super::switches::Allowed;
use super::totals::BatchTotals;
use crate::Result;
use crate::seal::Place;
use crate::wire::{DroppedRecord, EventRecord, Kept, StopRecord};

pub(super) fn event<'a>(
    context: &Context<'a>,
    again: &mut Again<'a>,
    names: &mut Names,
    keys: &mut DataKeys,
    bounds: &mut Bounds,
    record: &EventRecord,
    seq: u64,
) -> Result<()> {
    if let (Value::Null, Some(count)) = (&record.payload, record.count) {
        return topic(context, again, names, bounds, record, count, seq);
    }
    if !Allowed::find(context)?.topic(&record.topic) {
        let shed = DroppedRecord {
            at_micros: record.at_micros,
            what: "event".into(),
            count: 1,
            reason: "switched_off".into(),
        };
        return dropped(context, &shed, seq);
    }
    let row = natural_id(context, seq);
    let place = Place {
        table: "event",
        column: "payload_sealed",
        row: &row,
        cluster: &context.header.cluster_id,
    };
    let payload = keys.seal(context, place, &serde_json::to_vec(&record.payload)?)?;
    context
        .db
        .prepare_cached(include_str!("sql/event.sql"))?
        .execute(named_params! {
            ":instance_id": context.instance,
            ":seq": seq,
            ":cluster_id": context.cluster,
            ":at_micros": record.at_micros,
            ":topic_id": names.id(context.db, &record.topic)?,
            ":payload_sealed": payload,
        })?;
    Ok(())
}

/// How many events of a topic were not sent.
fn topic<'a>(
    context: &Context<'a>,
    again: &mut Again<'a>,
    names: &mut Names,
    bounds: &mut Bounds,
    record: &EventRecord,
    count: u64,
    seq: u64,
) -> Result<()> {
    let Some([topic]) = bounds.words(context, Bounded::Topic, names, [&record.topic])? else {
        return Ok(());
    };
    let row = Latest {
        update: include_str!("sql/topic_update.sql"),
        insert: include_str!("sql/topic_new.sql"),
        known: include_str!("sql/topic_known.sql"),
        key: named_params! {
            ":cluster_id": context.cluster,
            ":instance_id": context.instance,
            ":topic_id": topic,
        },
        rest: named_params! { ":at_micros": record.at_micros, ":seq": seq, ":count": count },
    };
    bounds.put(context, again, Bounded::Topic, &row)
}

pub(super) fn dropped(context: &Context<'_>, record: &DroppedRecord, seq: u64) -> Result<()> {
    context
        .db
        .prepare_cached(include_str!("sql/dropped.sql"))?
        .execute(named_params! {
            ":instance_id": context.instance,
            ":seq": seq,
            ":at_micros": record.at_micros,
            ":what": record.what,
            ":count": record.count,
            ":reason": record.reason,
        })?;
    Ok(())
}

pub(super) fn stop(
    context: &Context<'_>,
    record: &StopRecord,
    seq: u64,
    totals: &mut BatchTotals<'_>,
) -> Result<()> {
    context
        .db
        .prepare_cached(include_str!("sql/instance_stop.sql"))?
        .execute(named_params! {
            ":instance_id": context.instance,
            ":seq": seq,
            ":at_micros": record.at_micros,
            ":reason": record.reason,
        })?;
    totals.newest_instance_changed = true;
    Ok(())
}

pub(super) fn kept(
    context: &Context<'_>,
    keys: &mut DataKeys,
    kept: &Kept,
    seq: u64,
) -> Result<()> {
    let row = natural_id(context, seq);
    let place = Place {
        table: "kept",
        column: "text_sealed",
        row: &row,
        cluster: &context.header.cluster_id,
    };
    let text = keys.seal(context, place, kept.text.as_bytes())?;
    context
        .db
        .prepare_cached(include_str!("sql/kept.sql"))?
        .execute(named_params! {
            ":instance_id": context.instance,
            ":seq": seq,
            ":kind": kept.kind,
            ":text_sealed": text,
        })?;
    Ok(())
}

/// The natural id of a record that has no other: the same in every store.
pub(super) fn natural_id(context: &Context<'_>, seq: u64) -> String {
    format!("{}/{seq}", context.header.instance_id)
}
