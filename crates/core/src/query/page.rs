//! What the lists share: limits, and reading what is stored as JSON.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use serde::de::DeserializeOwned;

/// Rows that a list gives at most.
pub(super) const LARGEST: u32 = 1_000;

/// The limit of a list: 0 is 100.
pub(super) fn limit(asked: u32) -> u32 {
    match asked {
        0 => 100,
        asked => asked.min(LARGEST),
    }
}

/// An offset as SQLite takes it.
pub(super) fn offset(asked: u64) -> i64 {
    i64::try_from(asked).unwrap_or(i64::MAX)
}

/// Whether rows lie beyond these.
pub(super) fn truncated(offset: u64, rows: usize, total: u64) -> bool {
    offset.saturating_add(rows as u64) < total
}

/// A column that holds JSON.
pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?)
            .map(Json)
            .map_err(FromSqlError::other)
    }
}

/// Text that matches `LIKE` only as itself.
pub(super) fn escape_like(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 2);
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
