//! What SQL of a person may do: look. SQLite asks before it compiles each part of a statement.

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, config::DbConfig};

use crate::Result;

/// Of one text or blob, also of those that only exist between two steps.
pub(super) const VALUE_BYTES: i32 = 1 << 20;
/// Of one row: with the most of each, a row is as large as ten answers.
const COLUMNS: i32 = 200;
/// Of what follows `like` or `glob`: comparing takes as long as both lengths multiplied, and is one step.
const PATTERN_BYTES: i32 = 1_000;
const SQL_BYTES: i32 = 1 << 20;

/// What tells about tables. FTS5 itself asks for `data_version`.
const PRAGMAS: &[&str] = &[
    "data_version",
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "table_info",
    "table_list",
    "table_xinfo",
];
/// The same, where asking takes no value and a value would set it.
const FACTS: &[&str] = &[
    "application_id",
    "freelist_count",
    "page_count",
    "page_size",
    "user_version",
];
/// What loads code, or does something beside giving a value.
const FUNCTIONS: &[&str] = &["fts3_tokenizer", "load_extension", "sqlite_log"];

/// Lets nothing through that is not reading, and bounds what a statement can take. Both hold for the connection's life.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn guard(db: &mut Connection) -> Result<()> {
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES)?;
    db.set_limit(Limit::SQLITE_LIMIT_COLUMN, COLUMNS)?;
    db.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_BYTES)?;
    db.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES)?;
    db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    db.set_limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)?;
    // "name" is never a text: a column that was misspelled is an error, and not its own name.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.authorizer(Some(|context: AuthContext<'_>| allowed(&context.action)))?;
    Ok(())
}

fn allowed(action: &AuthAction<'_>) -> Authorization {
    let reads = match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => !has(FUNCTIONS, function_name),
        AuthAction::Pragma {
            pragma_name,
            pragma_value,
        } => has(PRAGMAS, pragma_name) || (has(FACTS, pragma_name) && pragma_value.is_none()),
        _ => false,
    };
    if reads {
        Authorization::Allow
    } else {
        Authorization::Deny
    }
}

fn has(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}
