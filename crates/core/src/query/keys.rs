//! The keys of the install, as far as the store knows them.

use rusqlite::{Connection, named_params};

use super::types::RecoveryOffer;
use crate::Result;
use crate::model::Micros;
use crate::seal::PublicKey;

/// A public half that data keys are, or were to be, sealed to.
pub(crate) struct KeyRow {
    pub(crate) id: i64,
    pub(crate) public: PublicKey,
    pub(crate) created: Micros,
    pub(crate) recovery: RecoveryOffer,
    /// Sealed to it.
    pub(crate) data_keys: u64,
}

/// The keys of the install, the newest first.
///
/// # Errors
/// [`crate::Error::Sqlite`], [`crate::Error::Sealed`].
pub(crate) fn key_rows(db: &Connection) -> Result<Vec<KeyRow>> {
    let mut statement = db.prepare_cached(include_str!("key_rows.sql"))?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let shown: Option<Micros> = row.get("recovery_shown_micros")?;
        let declined: Option<Micros> = row.get("recovery_declined_micros")?;
        found.push(KeyRow {
            id: row.get("id")?,
            public: PublicKey::from_bytes(&row.get::<_, Vec<u8>>("public_key")?)?,
            created: row.get("created_micros")?,
            recovery: match (shown, declined) {
                (Some(_), _) => RecoveryOffer::Shown,
                (None, Some(_)) => RecoveryOffer::Declined,
                (None, None) => RecoveryOffer::Open,
            },
            data_keys: row.get("data_keys")?,
        });
    }
    Ok(found)
}

/// A data key that is sealed to a key that seals no more.
pub(crate) struct OldDataKey {
    pub(crate) id: i64,
    pub(crate) cluster: String,
    pub(crate) wrapped: Vec<u8>,
}

/// Data keys sealed to one key of the install, in their order and behind `after`.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn data_keys(
    db: &Connection,
    install_key: i64,
    after: i64,
    limit: u32,
) -> Result<Vec<OldDataKey>> {
    let mut statement = db.prepare_cached(include_str!("key_data_keys.sql"))?;
    let rows = statement.query_map(
        named_params! { ":install_key_id": install_key, ":after": after, ":limit": limit },
        |row| {
            Ok(OldDataKey {
                id: row.get("id")?,
                cluster: row.get("scheduler_id")?,
                wrapped: row.get("wrapped")?,
            })
        },
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How many clusters have something sealed to these keys of the install.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn clusters_sealed_to(db: &Connection, install_keys: &[i64]) -> Result<u64> {
    Ok(db
        .prepare_cached(include_str!("key_clusters.sql"))?
        .query_one(
            named_params! { ":install_key_ids": serde_json::to_string(install_keys)? },
            |row| row.get(0),
        )?)
}

/// How many keys of the install there are.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn install_keys(db: &Connection) -> Result<u64> {
    Ok(db
        .prepare_cached("select count(*) from install_key")?
        .query_one([], |row| row.get(0))?)
}
