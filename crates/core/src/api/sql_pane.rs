//! SQL of a person, and every command's own question as SQL.

use std::collections::HashSet;

use super::app::Call;
use super::{
    App, CopiedSql, CopySqlRequest, Empty, SqlAnswer, SqlCancelRequest, SqlCancelled, SqlRequest,
    SqlTables,
};
use crate::query::{by_ids, plain, sql as queries};
use crate::store::Stated;
use crate::{Error, Result};

/// Statements of one command that are copied: some ask once more for each of their rows.
const COPIED: usize = 50;
/// What commands ask on the side: whether the cluster exists, and which key opens what is sealed.
const ASIDE: &[&str] = &[
    include_str!("../query/cluster_exists.sql"),
    include_str!("../query/data_key.sql"),
    include_str!("../query/public_key.sql"),
];

pub(super) fn sql(app: &App, request: SqlRequest) -> Result<SqlAnswer> {
    let place = app.questions().admit(request.question.clone())?;
    queries::ask(app.dir(), &request, &place.cancelled)
}

pub(super) fn cancel(app: &App, request: SqlCancelRequest) -> Result<SqlCancelled> {
    Ok(SqlCancelled {
        running: app.questions().cancel(&request.question),
    })
}

pub(super) fn tables(app: &App, _: Empty) -> Result<SqlTables> {
    app.read(queries::tables)
}

/// Runs the command once more, by itself, and gives the statements that it ran: so the copy is what was asked, also
/// where the question is put together from a filter, and any SQLite from 3.42 on runs it. Statements that do not fit into so many
/// bytes are left out, each as a whole.
pub(super) fn copy(
    app: &App,
    request: CopySqlRequest,
    most: usize,
    call: Call,
) -> Result<CopiedSql> {
    if matches!(&*request.command, "sql" | "copy_sql") {
        return Err(Error::Refused(format!("{} is SQL itself", request.command)));
    }
    let (noted, notes) = app.noted();
    call(&noted, &request.command, &request.request)?;
    Ok(written(&request.command, asked(notes.take()), most))
}

/// The question for the rows of these clusters as SQL, by their numbers and nothing else: whatever they were found by.
///
/// # Errors
/// [`Error::Sqlite`].
pub fn cluster_rows_sql(app: &App, ids: &[i64], most: usize) -> Result<CopiedSql> {
    let (noted, notes) = app.noted();
    let now = app.now();
    noted.read(|db| by_ids(db, now, ids))?;
    Ok(written("clusters", asked(notes.take()), most))
}

fn written(command: &str, stated: Vec<String>, most: usize) -> CopiedSql {
    let mut sql = format!("-- Bobbin's query for `{command}`.\n");
    let mut copied = 0;
    for one in stated.iter().take(COPIED) {
        let one = one.trim().trim_end_matches(';');
        if sql.len().saturating_add(one.len()) < most.saturating_sub(2) {
            sql += one;
            sql += ";\n";
            copied += 1;
        }
    }
    CopiedSql {
        sql,
        statements: copied as u64,
        truncated: copied < stated.len(),
    }
}

/// The statements that the answer is made of, each once, without the function that only Bobbin's connections have. Those
/// that SQLite runs within another one come as comments.
fn asked(stated: Vec<Stated>) -> Vec<String> {
    let mut seen = HashSet::new();
    stated
        .into_iter()
        .filter(|one| !ASIDE.contains(&&*one.written))
        .filter(|one| reads(&one.filled))
        .map(|one| plain(&one.filled))
        .filter(|filled| seen.insert(filled.clone()))
        .collect()
}

/// Whether a statement looks something up: not the beginning and the end of a transaction.
fn reads(statement: &str) -> bool {
    let mut lines = statement
        .lines()
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with("--"));
    lines.next().is_some_and(|line| {
        let line = line.to_ascii_lowercase();
        line.starts_with("select") || line.starts_with("with")
    })
}
