//! Spans and fine metrics: the latest by time, sequence number and instance stands.

use rusqlite::named_params;

use super::Context;
use super::again::Again;
use super::bounds::{Bounded, Bounds, Latest};
use super::names::Names;
use crate::Result;
use crate::wire::{MetricRecord, SpanRecord};

pub(super) fn span<'a>(
    context: &Context<'a>,
    again: &mut Again<'a>,
    bounds: &mut Bounds,
    record: &SpanRecord,
    seq: u64,
) -> Result<()> {
    let row = Latest {
        update: include_str!("sql/span_update.sql"),
        insert: include_str!("sql/span_new.sql"),
        known: include_str!("sql/span_known.sql"),
        key: named_params! { ":cluster_id": context.cluster, ":span_id": record.span_id },
        rest: named_params! {
            ":at_micros": record.at_micros,
            ":seq": seq,
            ":rank": context.rank,
            ":parent_id": record.parent_id,
            ":name": record.name,
            ":tags": serde_json::to_string(&record.tags)?,
            ":start_micros": record.start_micros,
            ":stop_micros": record.stop_micros,
            ":enqueued_micros": record.enqueued_micros,
            ":groups": serde_json::to_string(&record.groups)?,
        },
    };
    bounds.put(context, again, Bounded::Span, &row)
}

pub(super) fn metric<'a>(
    context: &Context<'a>,
    again: &mut Again<'a>,
    names: &mut Names,
    bounds: &mut Bounds,
    record: &MetricRecord,
    seq: u64,
) -> Result<()> {
    let texts = [
        record.prefix.as_deref().unwrap_or_default(),
        &record.context,
        &record.activity,
        &record.unit,
    ];
    let Some(words) = bounds.words(context, Bounded::Metric, names, texts)? else {
        return Ok(());
    };
    let [prefix, during, activity, unit] = words;
    let row = Latest {
        update: include_str!("sql/metric_update.sql"),
        insert: include_str!("sql/metric_new.sql"),
        known: include_str!("sql/metric_known.sql"),
        key: named_params! {
            ":cluster_id": context.cluster,
            ":span_id": record.span_id.as_deref().unwrap_or_default(),
            ":prefix_id": prefix,
            ":context_id": during,
            ":activity_id": activity,
            ":unit_id": unit,
        },
        rest: named_params! {
            ":at_micros": record.at_micros,
            ":seq": seq,
            ":rank": context.rank,
            ":value": record.value,
        },
    };
    bounds.put(context, again, Bounded::Metric, &row)
}
