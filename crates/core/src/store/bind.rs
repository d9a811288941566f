//! Binding many parameters.

use rusqlite::{Statement, ToSql};

use crate::Result;

/// Runs a statement with parameters in the order in which it names them. SQLite finds a parameter by comparing its name
/// with all before it, which for a wide row takes longer than to write it.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn execute_in_order(
    statement: &mut Statement<'_>,
    parameters: &[(&str, &dyn ToSql)],
) -> Result<usize> {
    debug_assert_eq!(statement.parameter_count(), parameters.len());
    for (at, (name, value)) in parameters.iter().enumerate() {
        debug_assert_eq!(
            statement.parameter_name(at + 1),
            Some(*name),
            "another order"
        );
        statement.raw_bind_parameter(at + 1, value)?;
    }
    Ok(statement.raw_execute()?)
}
