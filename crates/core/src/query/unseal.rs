//! Opening sealed values, as far as the private key is here.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, named_params};

use super::types::SealedText;
use crate::Result;
use crate::seal::{DataKey, Keys, Place, PrivateKeys, PublicKey, key_id};
use crate::store::unpack_code;
use crate::wire::CodeFrame;

/// Opens the values of one answer. The private halves are read when the first value is met, and forgotten with the answer.
pub(crate) struct Unsealer {
    keys: Keys,
    install: Option<PrivateKeys>,
    /// `None` for a key that does not open.
    data_keys: HashMap<i64, Option<DataKey>>,
}

impl Unsealer {
    /// With the private halves, as far as they are here.
    pub(crate) fn new(keys: &Keys) -> Self {
        Self {
            keys: keys.clone(),
            install: None,
            data_keys: HashMap::new(),
        }
    }

    /// What opens: the public halves of the keys whose private ones are here.
    pub(crate) fn opening(&mut self) -> Vec<Vec<u8>> {
        let publics = self.install().publics();
        publics.iter().map(PublicKey::to_bytes).collect()
    }

    fn install(&mut self) -> &PrivateKeys {
        let keys = &self.keys;
        self.install.get_or_insert_with(|| {
            keys.private().unwrap_or_else(|closed| {
                tracing::info!(?closed, "code stays locked");
                PrivateKeys::default()
            })
        })
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
        let Ok(id) = key_id(sealed) else {
            return Ok(None);
        };
        if !self.data_keys.contains_key(&id) {
            let key = self.data_key(db, id)?;
            self.data_keys.insert(id, key);
        }
        let key = self.data_keys.get(&id).and_then(Option::as_ref);
        Ok(key.and_then(|key| {
            key.open(place, sealed)
                .inspect_err(|error| tracing::warn!(%error, table = place.table, "Bobbin cannot show an encrypted value"))
                .ok()
        }))
    }

    /// Sealed code; `None` as of [`Unsealer::open`].
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub(crate) fn code(
        &mut self,
        db: &Connection,
        place: Place<'_>,
        sealed: &[u8],
    ) -> Result<Option<Vec<CodeFrame>>> {
        let opened = self.open(db, place, sealed)?;
        Ok(opened
            .and_then(|packed| unpack_code(packed).ok())
            .and_then(|json| serde_json::from_slice(&json).ok()))
    }

    fn data_key(&mut self, db: &Connection, id: i64) -> Result<Option<DataKey>> {
        let install = self.install();
        if install.is_empty() {
            return Ok(None);
        }
        let wrapped: Option<(Vec<u8>, String, Vec<u8>)> = db
            .prepare_cached(include_str!("data_key.sql"))?
            .query_row(named_params! { ":id": id }, |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        Ok(wrapped.and_then(|(wrapped, cluster, public)| {
            let private = install.of_public(&PublicKey::from_bytes(&public).ok()?)?;
            DataKey::unwrap(id, &cluster, &wrapped, private).ok()
        }))
    }
}
