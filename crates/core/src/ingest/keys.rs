//! The keys in the store: the install's public half, the clusters' data keys, and the digests of keys handed out.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, named_params};

use super::Context;
use crate::Result;
use crate::model::Micros;
use crate::seal::{DataKey, Place, PublicKey, adopt_or_make};

/// Data keys remembered; beyond, clusters get another one.
const KEPT: usize = 4_096;

/// The data keys of this run of the writer, one a cluster.
pub(super) struct DataKeys {
    install: PublicKey,
    keys: HashMap<i64, DataKey>,
}

impl DataKeys {
    pub(super) fn new(install: PublicKey) -> Self {
        Self {
            install,
            keys: HashMap::new(),
        }
    }

    /// Some of the keys may not have been stored.
    pub(super) fn forget(&mut self) {
        self.keys.clear();
    }

    /// Seals a value of the context's cluster.
    pub(super) fn seal(
        &mut self,
        context: &Context<'_>,
        place: Place<'_>,
        plain: &[u8],
    ) -> Result<Vec<u8>> {
        if let Some(key) = self.keys.get(&context.cluster) {
            return key.seal(place, plain);
        }
        let (key, wrapped) = DataKey::new(&context.header.cluster_id, &self.install)?;
        context
            .db
            .prepare_cached(include_str!("sql/data_key.sql"))?
            .execute(named_params! {
                ":id": key.id(),
                ":cluster_id": context.cluster,
                ":now_micros": context.now,
                ":wrapped": wrapped,
            })?;
        let sealed = key.seal(place, plain)?;
        if self.keys.len() >= KEPT {
            self.keys.clear();
        }
        self.keys.insert(context.cluster, key);
        Ok(sealed)
    }
}

/// The public key of the install. A store that has none yet gets one; the private half is in `DIR/key` before the
/// public half is in the store, so that nothing is ever sealed to a key that was lost.
///
/// # Errors
/// [`crate::Error::Sqlite`], [`crate::Error::Io`], [`crate::Error::Invalid`] if `DIR/key` holds no key.
pub(crate) fn install_key(db: &Connection, dir: &Path, now: Micros) -> Result<PublicKey> {
    if let Some(bytes) = find_install_key(db)? {
        return PublicKey::from_bytes(&bytes);
    }
    let (_, public) = adopt_or_make(dir)?;
    db.prepare_cached(include_str!("sql/install_new.sql"))?
        .execute(named_params! { ":now_micros": now, ":public_key": public.to_bytes() })?;
    Ok(public)
}

fn find_install_key(db: &Connection) -> Result<Option<Vec<u8>>> {
    Ok(db
        .prepare_cached(include_str!("sql/install_find.sql"))?
        .query_row([], |row| row.get(0))
        .optional()?)
}

/// The digests of the keys that were handed out.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn ingest_keys(db: &Connection) -> Result<HashSet<[u8; 32]>> {
    let mut statement = db.prepare_cached(include_str!("sql/ingest_keys.sql"))?;
    let digests = statement
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(digests)
}
