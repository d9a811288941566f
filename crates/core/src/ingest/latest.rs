//! Records of things that grow: the latest by time, sequence number and instance stands.

use rusqlite::{Connection, ToSql, named_params};
use serde::{Serialize, Serializer};

use super::Context;
use super::again::Again;
use super::failure::{self, Failure};
use super::fingerprint::fingerprint;
use super::keys::DataKeys;
use super::names::Names;
use super::secrets::{Secrets, Within};
use super::switches::Allowed;
use super::totals::BatchTotals;
use crate::Result;
use crate::model::TaskStates;
use crate::seal::{FingerprintKey, Place};
use crate::store::{execute_in_order, pack_code};
use crate::wire::{ComputationRecord, ExceptionRecord, TaskGroupRecord};

/// States without those in which no task is: of a group most are empty, and named they take a quarter of its row.
struct Told<'a>(&'a TaskStates);

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().filter(|(_, tasks)| **tasks > 0))
    }
}

pub(super) fn task_group<'a>(
    context: &Context<'a>,
    again: &mut Again<'a>,
    names: &mut Names,
    record: &TaskGroupRecord,
    seq: u64,
) -> Result<()> {
    let Context {
        db, cluster, rank, ..
    } = *context;
    let prefix = names.id(db, &record.prefix)?;
    let row: &[(&str, &dyn ToSql)] = named_params! {
            ":at_micros": record.at_micros,
            ":seq": seq,
            ":rank": rank,
            ":name": record.name,
            ":states": serde_json::to_string(&Told(&record.states))?,
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
            ":timed_tasks": record.durations.map(|durations| durations.count),
            ":mean_seconds": record.durations.map(|durations| durations.mean_seconds),
            ":std_seconds": record.durations.map(|durations| durations.std_seconds),
            ":p50_seconds": record.durations.map(|durations| durations.p50_seconds),
            ":p95_seconds": record.durations.map(|durations| durations.p95_seconds),
            ":max_seconds": record.durations.map(|durations| durations.max_seconds),
            ":retried": record.retried,
            ":span_id": record.span_id,
            ":dependencies": serde_json::to_string(&record.dependencies)?,
            ":is_final": record.is_final,
            ":cluster_id": cluster,
            ":group_id": record.group_id,
            ":prefix_id": prefix,
    };
    let later = again.get(db, include_str!("sql/task_group_later.sql"))?;
    if execute_in_order(later, row)? == 0 {
        execute_in_order(again.get(db, include_str!("sql/task_group.sql"))?, row)?;
    }
    Ok(())
}

pub(super) fn computation(
    context: &Context<'_>,
    keys: &mut DataKeys,
    (fingerprints, secrets): (&FingerprintKey, &mut Secrets),
    record: &ComputationRecord,
    seq: u64,
    totals: &mut BatchTotals<'_>,
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
            ":states": serde_json::to_string(&Told(&record.states))?,
            ":retried": record.retried,
        })?;
    let Some(frames) = record.code.as_ref().filter(|frames| !frames.is_empty()) else {
        return Ok(());
    };
    let allowed = Allowed::find(context)?;
    if !allowed.code() {
        return Ok(());
    }
    let code = fingerprint(fingerprints, frames);
    let known_by = named_params! { ":fingerprint": code };
    if known(db, include_str!("sql/code_forgotten.sql"), known_by)? {
        db.prepare_cached(include_str!("sql/computation_forgotten.sql"))?
            .execute(named_params! {
                ":cluster_id": cluster,
                ":computation_id": record.computation_id,
                ":fingerprint": code,
            })?;
        return Ok(());
    }
    let mut frames = frames.clone();
    for name in frames
        .iter_mut()
        .filter_map(|frame| frame.filename.as_mut())
    {
        *name = allowed.file(name).to_owned();
    }
    let place = Place {
        table: "computation_code",
        column: "frames_sealed",
        row: &record.computation_id,
        cluster: &context.header.cluster_id,
    };
    let sealed = keys.seal(context, place, &pack_code(&serde_json::to_vec(&frames)?)?)?;
    let stands = db
        .prepare_cached(include_str!("sql/computation_code.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":computation_id": record.computation_id,
            ":at_micros": record.at_micros,
            ":seq": seq,
            ":rank": rank,
            ":frames_sealed": sealed,
            ":fingerprint": code,
        })?;
    if stands > 0 {
        let texts = frames.iter().map(|frame| frame.code.as_str());
        secrets.note(context, Within::Code, &record.computation_id, texts)?;
    }
    Ok(())
}

pub(super) fn exception(
    context: &Context<'_>,
    names: &mut Names,
    keys: &mut DataKeys,
    (fingerprints, secrets): (&FingerprintKey, &mut Secrets),
    record: &ExceptionRecord,
    seq: u64,
    totals: &mut BatchTotals<'_>,
) -> Result<()> {
    let Context {
        db, cluster, rank, ..
    } = *context;
    let id = named_params! { ":cluster_id": cluster, ":exception_id": record.exception_id };
    totals.exceptions += u64::from(!known(db, include_str!("sql/exception_known.sql"), id)?);
    let allowed = Allowed::find(context)?;
    let mut seal = |column, text: &Option<String>| {
        let cluster = &context.header.cluster_id;
        let place = Place {
            table: "exception",
            column,
            row: &record.exception_id,
            cluster,
        };
        text.as_ref()
            .filter(|_| allowed.exceptions())
            .map(|text| keys.seal(context, place, text.as_bytes()))
            .transpose()
    };
    let message = seal("message_sealed", &record.message)?;
    let traceback = seal("traceback_sealed", &record.traceback)?;
    let details = seal("details_sealed", &record.details)?;
    let plain = Failure {
        origin: record.origin.word(),
        exception_type: &record.exception_type,
        group: record.group.as_deref(),
    };
    let through = record.traceback.as_deref().filter(|_| allowed.exceptions());
    let fingerprint = failure::fingerprint(fingerprints, &plain, through);
    let stands = db
        .prepare_cached(include_str!("sql/exception.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":exception_id": record.exception_id,
            ":at_micros": record.at_micros,
            ":seq": seq,
            ":rank": rank,
            ":group_id": record.group_id,
            ":group_name": record.group,
            ":origin": plain.origin,
            ":type_id": names.id(db, &record.exception_type)?,
            ":message_sealed": message,
            ":traceback_sealed": traceback,
            ":fingerprint": fingerprint,
            ":details_sealed": details,
            ":worker": allowed.host(record.worker.as_deref()),
            ":first_seen_micros": record.first_seen_micros,
            ":last_seen_micros": record.last_seen_micros,
            ":count": record.count,
            ":dependents": record.dependents,
        })?;
    let mut texts = [&record.message, &record.traceback, &record.details]
        .into_iter()
        .filter(|_| allowed.exceptions())
        .filter_map(|text| text.as_deref())
        .peekable();
    if texts.peek().is_some() {
        let told = db
            .prepare_cached(include_str!("sql/exception_text.sql"))?
            .execute(named_params! {
                ":cluster_id": cluster,
                ":exception_id": record.exception_id,
                ":message_sealed": message,
                ":traceback_sealed": traceback,
                ":details_sealed": details,
                ":fingerprint": fingerprint,
                ":stands": stands > 0,
            })?;
        if told > 0 {
            secrets.note(context, Within::Exception, &record.exception_id, texts)?;
        }
    }
    Ok(())
}

fn known(db: &Connection, sql: &str, id: &[(&str, &dyn ToSql)]) -> Result<bool> {
    Ok(db.prepare_cached(sql)?.exists(id)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_in_which_no_task_is_are_not_stored() {
        let states = [
            ("erred", 0),
            ("forgotten", 25),
            ("memory", 0),
            ("queued", 1),
        ];
        let told = |states: &TaskStates| serde_json::to_string(&Told(states)).unwrap();
        let states = states.map(|(state, tasks)| (state.to_owned(), tasks));
        assert_eq!(told(&states.into()), r#"{"forgotten":25,"queued":1}"#);
        assert_eq!(told(&TaskStates::new()), "{}");
    }
}
