//! Opening sealed values, as far as the private key is here.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, named_params};

use super::types::SealedText;
use crate::Result;
use crate::seal::{DataKey, Place, PrivateKey, key_id, load};

/// Opens the values of one answer. The private key is read when it is needed and forgotten with the answer.
pub(crate) struct Unsealer {
    install: Option<PrivateKey>,
    /// `None` for a key that does not open.
    keys: HashMap<i64, Option<DataKey>>,
}

impl Unsealer {
    /// With the private key in `dir`, if it is there and readable by its owner alone.
    pub(crate) fn new(dir: &Path) -> Self {
        let install = load(dir).unwrap_or_else(|error| {
            tracing::warn!(%error, "the key cannot be used: code stays locked");
            None
        });
        Self {
            install,
            keys: HashMap::new(),
        }
    }

    /// A sealed text, or why it cannot be shown.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub(crate) fn text(
        &mut self,
        db: &Connection,
        place: Place<'_>,
        sealed: Option<Vec<u8>>,
    ) -> Result<SealedText> {
        let Some(sealed) = sealed else {
            return Ok(SealedText::None);
        };
        let opened = self.open(db, place, &sealed)?;
        Ok(opened
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .map_or(SealedText::Locked, |text| SealedText::Text { text }))
    }

    /// A sealed value; `None` if the key is missing, or it was changed or moved.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub(crate) fn open(
        &mut self,
        db: &Connection,
        place: Place<'_>,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        let Some(install) = &self.install else {
            return Ok(None);
        };
        let Ok(id) = key_id(sealed) else {
            return Ok(None);
        };
        let key = match self.keys.get(&id) {
            Some(key) => key,
            None => {
                let wrapped: Option<(Vec<u8>, String)> = db
                    .prepare_cached(include_str!("data_key.sql"))?
                    .query_row(named_params! { ":id": id }, |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })
                    .optional()?;
                let key = wrapped.and_then(|(wrapped, cluster)| {
                    DataKey::unwrap(id, &cluster, &wrapped, install).ok()
                });
                self.keys.entry(id).or_insert(key)
            }
        };
        Ok(key.as_ref().and_then(|key| {
            key.open(place, sealed)
                .inspect_err(|error| tracing::warn!(%error, table = place.table, "a sealed value is not shown"))
                .ok()
        }))
    }
}
