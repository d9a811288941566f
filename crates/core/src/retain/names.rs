//! Texts that nobody uses any more, after clusters were deleted: prefixes, types, topics.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::Result;

/// Texts of one step.
const AT_ONCE: u64 = 200;

/// Removes those of the next few texts behind a number that nothing refers to. Gives where to go on, or none at the end.
pub(super) fn step(db: &Connection, behind: i64) -> Result<Option<i64>> {
    let last: Option<i64> = db
        .prepare_cached(include_str!("sql/names_next.sql"))?
        .query_row(
            named_params! { ":behind": behind, ":limit": AT_ONCE },
            |row| row.get(0),
        )
        .optional()?
        .flatten();
    let Some(last) = last else {
        return Ok(None);
    };
    db.prepare_cached(include_str!("sql/names_unused.sql"))?
        .execute(named_params! { ":behind": behind, ":last": last })?;
    Ok(Some(last))
}
