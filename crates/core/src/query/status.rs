//! What the store says of itself.

use rusqlite::{Connection, OptionalExtension};

use crate::Result;
use crate::model::Micros;

/// What the store says of itself.
pub(crate) struct StoreFacts {
    pub(crate) clusters: u64,
    pub(crate) last_batch: Option<Micros>,
    /// The half that seals, as it is stored.
    pub(crate) public_key: Option<Vec<u8>>,
}

/// What the store says of itself.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn store_facts(db: &Connection) -> Result<StoreFacts> {
    Ok(StoreFacts {
        clusters: db
            .prepare_cached(include_str!("clusters_count_all.sql"))?
            .query_one([], |row| row.get(0))?,
        last_batch: db
            .prepare_cached(include_str!("usage_ever.sql"))?
            .query_one([], |row| row.get("last_heard_micros"))?,
        public_key: db
            .prepare_cached(include_str!("public_key.sql"))?
            .query_row([], |row| row.get(0))
            .optional()?,
    })
}
