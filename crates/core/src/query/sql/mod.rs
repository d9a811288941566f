//! SQL that a person writes: read only, for a bounded time, with a bounded answer. Sealed values are shown as sealed.

mod guard;
mod process;
mod tables;
mod value;
mod watch;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Connection, ErrorCode, Statement};

use super::types::{SqlAnswer, SqlRequest, SqlResult};
use crate::{Error, Result};

pub(crate) use guard::guard;
pub(crate) use process::{WORD, answer, ask};
pub(crate) use tables::tables;
use watch::{SORTED_BYTES, Watch, sort_on_disk};

/// Rows that an answer has unless more are asked for.
const ROWS: u32 = 1_000;
const MOST_ROWS: u32 = 100_000;
const SECONDS: u32 = 10;
const MOST_SECONDS: u32 = 60;
/// Statements of one question.
const STATEMENTS: usize = 64;
/// Of values in one answer: more than this nobody reads, and a page would not hold it.
const ANSWER_BYTES: u64 = 16 << 20;
/// Of SQLite in the process that answers.
const MEMORY_BYTES: i64 = 256 << 20;

/// Runs every statement of a text on a connection of its own to the store in `dir`, which is good for nothing else
/// afterwards.
///
/// # Errors
/// [`Error::Invalid`] for what is not SQL, with SQLite's words; [`Error::Refused`] for what does more than read, takes too
/// long, or too much of the disk or of the memory, or was cancelled.
fn answer_in(
    db: &mut Connection,
    dir: &Path,
    request: &SqlRequest,
    cancelled: &Arc<AtomicBool>,
) -> Result<SqlAnswer> {
    let watch = Watch::new(cancelled, seconds(request), SORTED_BYTES);
    watched(db, dir, request, &watch)
}

/// How long it may take.
fn seconds(request: &SqlRequest) -> u32 {
    match request.seconds {
        0 => SECONDS,
        seconds => seconds.min(MOST_SECONDS),
    }
}

fn watched(
    db: &mut Connection,
    dir: &Path,
    request: &SqlRequest,
    watch: &Watch,
) -> Result<SqlAnswer> {
    let start = Instant::now();
    sort_on_disk(db, dir)?;
    // One state of the store for all statements; the guard refuses to begin anything.
    db.execute_batch("begin")?;
    guard(db)?;
    watch.over(db, dir)?;
    let mut room = Room {
        rows: match request.limit {
            0 => ROWS,
            limit => limit.min(MOST_ROWS),
        },
        bytes: ANSWER_BYTES,
    };
    let results = all(db, &request.sql, &mut room).map_err(|error| match error {
        Error::Sqlite(error) => told(error, &request.sql, watch),
        other => other,
    })?;
    Ok(SqlAnswer {
        results,
        took_micros: i64::try_from(start.elapsed().as_micros()).unwrap_or(i64::MAX),
    })
}

/// What an answer may still take.
struct Room {
    rows: u32,
    bytes: u64,
}

fn all(db: &Connection, sql: &str, room: &mut Room) -> Result<Vec<SqlResult>> {
    let mut results = Vec::new();
    let mut statements = Batch::new(db, sql);
    while let Some(mut statement) = statements.next()? {
        if results.len() == STATEMENTS {
            return Err(wrong(
                sql,
                format!("it has more than {STATEMENTS} statements"),
            ));
        }
        if !statement.readonly() {
            return Err(only_reads());
        }
        if statement.parameter_count() > 0 {
            let name = statement.parameter_name(1).unwrap_or("?").to_owned();
            return Err(wrong(
                sql,
                format!("{name} has no value: write the value into the query"),
            ));
        }
        results.push(one(db, &mut statement, room)?);
    }
    if results.is_empty() {
        return Err(wrong(sql, "it contains no statement".into()));
    }
    Ok(results)
}

fn one(db: &Connection, statement: &mut Statement<'_>, room: &mut Room) -> Result<SqlResult> {
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut answer = SqlResult {
        rows: Vec::new(),
        truncated: false,
        columns,
    };
    let mut found = statement.query([])?;
    'rows: while let Some(row) = found.next()? {
        answer.truncated = answer.rows.len() == room.rows as usize;
        if answer.truncated {
            break;
        }
        let mut values = Vec::with_capacity(answer.columns.len());
        let mut left = room.bytes;
        for (at, column) in answer.columns.iter().enumerate() {
            let value = value::read(db, column, row.get_ref(at)?)?;
            let Some(rest) = left.checked_sub(value::bytes(&value)) else {
                answer.truncated = true;
                break 'rows;
            };
            left = rest;
            values.push(value);
        }
        room.bytes = left;
        answer.rows.push(values);
    }
    Ok(answer)
}

/// What went wrong, as the person who wrote it needs to hear it.
fn told(error: rusqlite::Error, sql: &str, watch: &Watch) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => watch.why(),
        Some(ErrorCode::AuthorizationForStatementDenied | ErrorCode::ReadOnly) => only_reads(),
        Some(ErrorCode::OutOfMemory) => Error::Refused(format!(
            "the query needs more than {} MiB of memory and was stopped: narrow it down, or ask for shorter values",
            MEMORY_BYTES >> 20
        )),
        Some(ErrorCode::TooBig) => Error::Refused(format!(
            "a value is larger than {} bytes: leave it out, or ask for its length()",
            guard::VALUE_BYTES
        )),
        _ => match &error {
            // A function that is refused has no code of its own.
            rusqlite::Error::SqlInputError { msg, .. } if msg.starts_with("not authorized") => {
                only_reads()
            }
            // Its text is what is left of the whole.
            rusqlite::Error::SqlInputError {
                msg,
                sql: rest,
                offset,
                ..
            } => {
                let at = usize::try_from(*offset).ok();
                match at.and_then(|at| sql.get(..sql.len().checked_sub(rest.len())? + at)) {
                    Some(before) => {
                        let line = before.matches('\n').count() + 1;
                        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
                        wrong(sql, format!("{msg} (line {line}, column {column})"))
                    }
                    None => wrong(sql, msg.clone()),
                }
            }
            rusqlite::Error::SqliteFailure(_, Some(message)) => wrong(sql, message.clone()),
            other => wrong(sql, other.to_string()),
        },
    }
}

fn only_reads() -> Error {
    Error::Refused(
        "queries are read-only: Bobbin refuses statements that write, attach, load or set something".into(),
    )
}

fn wrong(sql: &str, reason: String) -> Error {
    const SHOWN: usize = 80;
    let mut value: String = sql.trim().chars().take(SHOWN).collect();
    if sql.trim().chars().count() > SHOWN {
        value.push('…');
    }
    Error::Invalid {
        what: "SQL",
        value,
        reason,
    }
}

#[cfg(test)]
mod tests;
