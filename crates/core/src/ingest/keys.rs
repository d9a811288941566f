//! The keys in the store: the install's public half, the clusters' data keys, and the digests of keys handed out.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, named_params};

use super::Context;
use crate::Result;
use crate::model::Micros;
use crate::seal::{DataKey, Keys, Place, PublicKey, key_name};

/// Data keys remembered; beyond, clusters get another one.
const KEPT: usize = 4_096;

/// The public half that seals now, and its number in the store.
#[derive(Clone, Debug)]
pub(crate) struct InstallKey {
    pub(crate) id: i64,
    pub(crate) public: PublicKey,
}

/// The data keys of this run of the writer, one a cluster.
pub(super) struct DataKeys {
    install: InstallKey,
    keys: HashMap<i64, DataKey>,
}

impl DataKeys {
    pub(super) fn new(install: InstallKey) -> Self {
        Self {
            install,
            keys: HashMap::new(),
        }
    }

    /// Some of the keys may not have been stored.
    pub(super) fn forget(&mut self) {
        self.keys.clear();
    }

    /// The cluster is deleted, and its keys are destroyed.
    pub(super) fn forget_of(&mut self, cluster: i64) {
        self.keys.remove(&cluster);
    }

    /// Data keys to come are sealed to another key of the install.
    pub(super) fn seal_to(&mut self, install: InstallKey) {
        self.install = install;
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
        let (key, wrapped) = DataKey::new(&context.header.cluster_id, &self.install.public)?;
        context
            .db
            .prepare_cached(include_str!("sql/data_key.sql"))?
            .execute(named_params! {
                ":id": key.id(),
                ":cluster_id": context.cluster,
                ":install_key_id": self.install.id,
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

/// The key that seals. A store that has none yet gets one; the private half is kept before the public half is in the
/// store, so that nothing is ever sealed to a key that was lost. A store that was put back from an older copy may know only
/// keys that were replaced since: then the one that the install published last goes on sealing.
///
/// # Errors
/// [`crate::Error::Sqlite`], [`crate::Error::Io`], [`crate::Error::Keyring`] and [`crate::Error::Invalid`] as
/// [`Keys::first`].
pub(crate) fn install_key(db: &Connection, keys: &Keys, now: Micros) -> Result<InstallKey> {
    let Some(found) = newest_install_key(db)? else {
        return add_install_key(db, keys.first()?, now);
    };
    if found.public.is_published(keys.dir()) {
        return Ok(found);
    }
    match keys.published() {
        Some(public) if !keys.holds(&found.public) => {
            tracing::warn!(
                of_the_store = key_name(&found.public),
                seals = key_name(&public),
                "the key of this copy of the store is missing; the key that is here encrypts from now on"
            );
            again(db, public, now)
        }
        _ => Ok(found),
    }
}

/// A key that the store may know already.
fn again(db: &Connection, public: PublicKey, now: Micros) -> Result<InstallKey> {
    let known: Option<i64> = db
        .prepare_cached(include_str!("sql/install_key_of.sql"))?
        .query_row(named_params! { ":public_key": public.to_bytes() }, |row| {
            row.get(0)
        })
        .optional()?;
    match known {
        Some(id) => Ok(InstallKey { id, public }),
        None => add_install_key(db, public, now),
    }
}

/// The key that seals; none in a store that was never opened for writing.
///
/// # Errors
/// [`crate::Error::Sqlite`], [`crate::Error::Sealed`].
pub(crate) fn newest_install_key(db: &Connection) -> Result<Option<InstallKey>> {
    let found: Option<(i64, Vec<u8>)> = db
        .prepare_cached(include_str!("sql/install_key_newest.sql"))?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    found
        .map(|(id, bytes)| {
            Ok(InstallKey {
                id,
                public: PublicKey::from_bytes(&bytes)?,
            })
        })
        .transpose()
}

/// Another key of the install, which is the one that seals from now on.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn add_install_key(
    db: &Connection,
    public: PublicKey,
    now: Micros,
) -> Result<InstallKey> {
    let id = db
        .prepare_cached(include_str!("sql/install_key_new.sql"))?
        .insert(named_params! { ":now_micros": now, ":public_key": public.to_bytes() })?;
    Ok(InstallKey { id, public })
}

/// Puts a data key, sealed anew to a key of the install, in place of what it was.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn put_data_key(db: &Connection, id: i64, wrapped: &[u8], install: i64) -> Result<()> {
    db.prepare_cached(include_str!("sql/data_key_rewrap.sql"))?
        .execute(named_params! { ":id": id, ":wrapped": wrapped, ":install_key_id": install })?;
    Ok(())
}

/// Forgets keys of the install that seal no more and have nothing sealed to them.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn forget_unused_install_keys(db: &Connection) -> Result<()> {
    db.prepare_cached(include_str!("sql/install_keys_unused.sql"))?
        .execute([])?;
    Ok(())
}

/// Notes that the recovery form of a key was shown, or the offer to show it declined.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn note_recovery(db: &Connection, id: i64, shown: bool, now: Micros) -> Result<()> {
    let sql = match shown {
        true => include_str!("sql/install_key_shown.sql"),
        false => include_str!("sql/install_key_declined.sql"),
    };
    db.prepare_cached(sql)?
        .execute(named_params! { ":id": id, ":now_micros": now })?;
    Ok(())
}

/// Stores the digest of a key that is handed out.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn add_ingest_key(db: &Connection, digest: &[u8; 32], now: Micros) -> Result<()> {
    db.prepare_cached(include_str!("sql/ingest_key.sql"))?
        .execute(named_params! { ":digest": digest, ":now_micros": now })?;
    Ok(())
}

/// Takes back the keys that were handed out.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn forget_ingest_keys(db: &Connection) -> Result<()> {
    db.prepare_cached(include_str!("sql/ingest_keys_forget.sql"))?
        .execute([])?;
    Ok(())
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
