//! Records of things that grow: the latest by time, sequence number and instance stands.

use rusqlite::{Connection, ToSql, named_params};

use super::keys::DataKeys;
use super::names::Names;
use super::totals::BatchTotals;
use super::{Context, switches};
use crate::Result;
use crate::model::ExceptionOrigin;
use crate::seal::Place;
use crate::wire::{ComputationRecord, ExceptionRecord, TaskGroupRecord};

pub(super) fn task_group(
    context: &Context<'_>,
    names: &mut Names,
    record: &TaskGroupRecord,
    seq: u64,
) -> Result<()> {
    let Context {
        db, cluster, rank, ..
    } = *context;
    let prefix = names.id(db, &record.prefix)?;
    db.prepare_cached(include_str!("sql/task_group.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":group_id": record.group_id,
            ":at_micros": record.at_micros,
            ":seq": seq,
            ":rank": rank,
            ":name": record.name,
            ":prefix_id": prefix,
            ":states": serde_json::to_string(&record.states)?,
            ":compute_seconds": record.seconds.compute,
            ":transfer_seconds": record.seconds.transfer,
            ":disk_read_seconds": record.seconds.disk_read,
            ":disk_write_seconds": record.seconds.disk_write,
            ":deserialize_seconds": record.seconds.deserialize,
            ":other_seconds": record.seconds.other,
            ":result_bytes": record.result_bytes,
            ":types": serde_json::to_string(&record.types)?,
            ":start_micros": record.start_micros,
            ":stop_micros": record.stop_micros,
            ":dependencies": serde_json::to_string(&record.dependencies)?,
            ":is_final": record.is_final,
        })?;
    Ok(())
}

pub(super) fn computation(
    context: &Context<'_>,
    keys: &mut DataKeys,
    record: &ComputationRecord,
    seq: u64,
    totals: &mut BatchTotals,
) -> Result<()> {
    let Context {
        db, cluster, rank, ..
    } = *context;
    let id = named_params! { ":cluster_id": cluster, ":computation_id": record.computation_id };
    totals.computations += u64::from(!known(db, include_str!("sql/computation_known.sql"), id)?);
    db.prepare_cached(include_str!("sql/computation.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":computation_id": record.computation_id,
            ":at_micros": record.at_micros,
            ":seq": seq,
            ":rank": rank,
            ":start_micros": record.start_micros,
            ":stop_micros": record.stop_micros,
            ":groups": serde_json::to_string(&record.groups)?,
            ":states": serde_json::to_string(&record.states)?,
        })?;
    let Some(frames) = record.code.as_ref().filter(|frames| !frames.is_empty()) else {
        return Ok(());
    };
    if !switches::code_allowed(context)? {
        return Ok(());
    }
    let place = Place {
        table: "computation_code",
        column: "frames_sealed",
        row: &record.computation_id,
        cluster: &context.header.cluster_id,
    };
    let frames = keys.seal(context, place, &serde_json::to_vec(frames)?)?;
    db.prepare_cached(include_str!("sql/computation_code.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":computation_id": record.computation_id,
            ":at_micros": record.at_micros,
            ":seq": seq,
            ":rank": rank,
            ":frames_sealed": frames,
        })?;
    Ok(())
}

pub(super) fn exception(
    context: &Context<'_>,
    names: &mut Names,
    keys: &mut DataKeys,
    record: &ExceptionRecord,
    seq: u64,
    totals: &mut BatchTotals,
) -> Result<()> {
    let Context {
        db, cluster, rank, ..
    } = *context;
    let id = named_params! { ":cluster_id": cluster, ":exception_id": record.exception_id };
    totals.exceptions += u64::from(!known(db, include_str!("sql/exception_known.sql"), id)?);
    let mut seal = |column, text: &Option<String>| {
        let cluster = &context.header.cluster_id;
        let place = Place {
            table: "exception",
            column,
            row: &record.exception_id,
            cluster,
        };
        text.as_ref()
            .map(|text| keys.seal(context, place, text.as_bytes()))
            .transpose()
    };
    let message = seal("message_sealed", &record.message)?;
    let traceback = seal("traceback_sealed", &record.traceback)?;
    db.prepare_cached(include_str!("sql/exception.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":exception_id": record.exception_id,
            ":at_micros": record.at_micros,
            ":seq": seq,
            ":rank": rank,
            ":group_id": record.group_id,
            ":group_name": record.group,
            ":origin": match record.origin {
                ExceptionOrigin::User => "user",
                ExceptionOrigin::Dask => "dask",
            },
            ":type_id": names.id(db, &record.exception_type)?,
            ":message_sealed": message,
            ":traceback_sealed": traceback,
            ":worker": record.worker,
            ":first_seen_micros": record.first_seen_micros,
            ":last_seen_micros": record.last_seen_micros,
            ":count": record.count,
            ":dependents": record.dependents,
        })?;
    Ok(())
}

fn known(db: &Connection, sql: &str, id: &[(&str, &dyn ToSql)]) -> Result<bool> {
    Ok(db.prepare_cached(sql)?.exists(id)?)
}
