//! What is known of all clusters, as plain tables for other programs.

use super::App;
use crate::Result;
use crate::query;

pub use crate::query::{Column, Table, Values};

/// All tables, of one state of the store.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub fn tables(app: &App) -> Result<Vec<Table>> {
    app.read(query::tables)
}
