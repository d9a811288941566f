//! The computations of one cluster, with their code.

use rusqlite::{Connection, named_params};

use super::cluster::activities;
use super::clusters::exists;
use super::page::{Json, limit, offset, truncated};
use super::types::{ComputationCode, ComputationList, ComputationRow, ComputationsRequest, Frame};
use super::unseal::Unsealer;
use crate::Result;
use crate::model::done;
use crate::seal::Place;
use crate::wire::CodeFrame;

/// The computations of a cluster, newest first.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Sqlite`].
pub(crate) fn computations(
    db: &Connection,
    unsealer: &mut Unsealer,
    request: &ComputationsRequest,
) -> Result<ComputationList> {
    exists(db, request.id)?;
    let total = db
        .prepare_cached(include_str!("computations_count.sql"))?
        .query_one(
            named_params! { ":id": request.id, ":from_micros": request.from_micros, ":to_micros": request.to_micros },
            |row| row.get(0),
        )?;
    let mut statement = db.prepare_cached(include_str!("computations.sql"))?;
    let mut found = statement.query(named_params! {
        ":id": request.id,
        ":from_micros": request.from_micros,
        ":to_micros": request.to_micros,
        ":limit": limit(request.limit),
        ":offset": offset(request.offset),
    })?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let computation_id: String = row.get("computation_id")?;
        let sealed: Option<Vec<u8>> = row.get("frames_sealed")?;
        let scheduler_id: String = row.get("scheduler_id")?;
        let code = match sealed {
            None if row.get("forgotten")? => ComputationCode::Forgotten {
                for_good: row.get("not_stored_again")?,
            },
            None if row.get("code_sent")? => ComputationCode::NotCaptured,
            None => ComputationCode::Off,
            Some(sealed) => {
                let place = Place {
                    table: "computation_code",
                    column: "frames_sealed",
                    row: &computation_id,
                    cluster: &scheduler_id,
                };
                code(unsealer.code(db, place, &sealed)?)
            }
        };
        let states = row.get::<_, Json<_>>("states")?.0;
        rows.push(ComputationRow {
            cluster_id: request.id,
            start_micros: row.get("start_micros")?,
            stop_micros: row.get("stop_micros")?,
            groups: row.get::<_, Json<_>>("groups")?.0,
            tasks_done: done(&states),
            states,
            retried: row.get("retried")?,
            seconds: activities(row)?,
            computation_id,
            code,
        });
    }
    Ok(ComputationList {
        truncated: truncated(request.offset, rows.len(), total),
        rows,
        total,
    })
}

fn code(frames: Option<Vec<CodeFrame>>) -> ComputationCode {
    frames.map_or(ComputationCode::Locked, |frames| {
        let frames = frames.into_iter().map(|frame| {
            let CodeFrame {
                code,
                filename,
                line_relative,
                line,
            } = frame;
            Frame {
                code,
                filename,
                line_relative,
                line,
            }
        });
        ComputationCode::Frames {
            frames: frames.collect(),
        }
    })
}
