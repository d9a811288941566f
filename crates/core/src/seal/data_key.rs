//! The key of one cluster's values, and the form of a sealed value.
//!
//! A sealed value is `1 | key id (8) | nonce (24) | ciphertext | tag (16)`.

use std::fmt;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use super::{PrivateKey, PublicKey};
use crate::install::random;
use crate::{Error, Result};

const FORMAT: u8 = 1;
const NONCE: usize = 24;
const HEAD: usize = 1 + 8 + NONCE;

/// Where a sealed value belongs. It opens nowhere else.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub table: &'static str,
    pub column: &'static str,
    /// The row's natural id, which survives an export: never a number of this database.
    pub row: &'a str,
    /// Dask's id of the scheduler.
    pub cluster: &'a str,
}

/// Seals and opens the values of one cluster.
pub struct DataKey {
    id: i64,
    cipher: XChaCha20Poly1305,
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DataKey({}, …)", self.id)
    }
}

impl DataKey {
    /// A new random key for `cluster`, and its form sealed to the install.
    ///
    /// # Errors
    /// [`Error::Io`] if the system has no random numbers; [`Error::Sealed`] if the public key cannot be used.
    pub fn new(cluster: &str, install: &PublicKey) -> Result<(Self, Vec<u8>)> {
        let mut id = [0; 8];
        random(&mut id)?;
        let id = i64::from_be_bytes(id) & i64::MAX;
        let mut secret = Zeroizing::new([0; 32]);
        random(&mut *secret)?;
        let wrapped = install.wrap(&*secret, &wrapping(cluster, id))?;
        Ok((Self::from_secret(id, &secret), wrapped))
    }

    /// Opens what [`DataKey::new`] sealed.
    ///
    /// # Errors
    /// [`Error::Sealed`] if it was changed, belongs to another cluster or to another install.
    pub fn unwrap(id: i64, cluster: &str, wrapped: &[u8], install: &PrivateKey) -> Result<Self> {
        let secret = Zeroizing::new(install.unwrap(wrapped, &wrapping(cluster, id))?);
        let secret = <[u8; 32]>::try_from(secret.as_slice())
            .map_err(|_| Error::Sealed("a key of the wrong length"))?;
        Ok(Self::from_secret(id, &Zeroizing::new(secret)))
    }

    /// Seals to another install key what [`DataKey::new`] sealed; the key itself stays what it is.
    ///
    /// # Errors
    /// [`Error::Sealed`] as for [`DataKey::unwrap`].
    pub fn rewrap(
        id: i64,
        cluster: &str,
        wrapped: &[u8],
        from: &PrivateKey,
        to: &PublicKey,
    ) -> Result<Vec<u8>> {
        let aad = wrapping(cluster, id);
        let secret = Zeroizing::new(from.unwrap(wrapped, &aad)?);
        to.wrap(&secret, &aad)
    }

    fn from_secret(id: i64, secret: &[u8; 32]) -> Self {
        Self {
            id,
            cipher: XChaCha20Poly1305::new(&Key::from(*secret)),
        }
    }

    /// The number under which the key is stored.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Seals a value for one place.
    ///
    /// # Errors
    /// [`Error::Io`] if the system has no random numbers.
    pub fn seal(&self, place: Place<'_>, plain: &[u8]) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE];
        random(&mut nonce)?;
        let aad = self.aad(place);
        let payload = Payload {
            msg: plain,
            aad: &aad,
        };
        let text = self
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| Error::Sealed("too large to seal"))?;
        let mut sealed = Vec::with_capacity(HEAD + text.len());
        sealed.push(FORMAT);
        sealed.extend(self.id.to_be_bytes());
        sealed.extend(nonce);
        sealed.extend(text);
        Ok(sealed)
    }

    /// Opens a value at its place.
    ///
    /// # Errors
    /// [`Error::Sealed`] if it was cut, changed, or sealed for another place.
    pub fn open(&self, place: Place<'_>, sealed: &[u8]) -> Result<Vec<u8>> {
        if key_id(sealed)? != self.id {
            return Err(Error::Sealed("it belongs to another key"));
        }
        let nonce = sealed
            .get(9..HEAD)
            .and_then(|nonce| <[u8; NONCE]>::try_from(nonce).ok());
        let nonce = nonce.ok_or(Error::Sealed("it was cut"))?;
        let aad = self.aad(place);
        let payload = Payload {
            msg: &sealed[HEAD..],
            aad: &aad,
        };
        self.cipher
            .decrypt(&XNonce::from(nonce), payload)
            .map_err(|_| Error::Sealed("it was changed or moved"))
    }

    fn aad(&self, place: Place<'_>) -> Vec<u8> {
        let id = self.id.to_be_bytes();
        framed(&[
            &[FORMAT],
            place.table.as_bytes(),
            place.column.as_bytes(),
            place.row.as_bytes(),
            place.cluster.as_bytes(),
            &id,
        ])
    }
}

/// The number of the key that opens a sealed value.
///
/// # Errors
/// [`Error::Sealed`] if this is not a sealed value.
pub fn key_id(sealed: &[u8]) -> Result<i64> {
    match sealed {
        [FORMAT, rest @ ..] => rest
            .first_chunk()
            .map(|id| i64::from_be_bytes(*id))
            .ok_or(Error::Sealed("it was cut")),
        _ => Err(Error::Sealed("an unknown format")),
    }
}

fn wrapping(cluster: &str, id: i64) -> Vec<u8> {
    framed(&[
        &[FORMAT],
        b"data_key",
        cluster.as_bytes(),
        &id.to_be_bytes(),
    ])
}

/// Parts with their lengths before them, so that no two lists of parts give the same bytes.
fn framed(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
    for part in parts {
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(*part);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::PrivateKeys;
    use super::*;

    fn place(row: &str) -> Place<'_> {
        Place {
            table: "exception",
            column: "message",
            row,
            cluster: "Scheduler-1",
        }
    }

    fn keys() -> (PrivateKey, DataKey, Vec<u8>) {
        let private = PrivateKey::random().unwrap();
        let (key, wrapped) = DataKey::new("Scheduler-1", &private.public()).unwrap();
        (private, key, wrapped)
    }

    #[test]
    fn a_value_opens_with_the_unwrapped_key_at_its_place() {
        let (private, key, wrapped) = keys();
        let sealed = key.seal(place("x"), b"secret").unwrap();
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
        let again = DataKey::unwrap(key.id(), "Scheduler-1", &wrapped, &private).unwrap();
        assert_eq!(again.open(place("x"), &sealed).unwrap(), b"secret");
    }

    /// Made by another program from what README.md says: a store stays readable whatever becomes of this one.
    #[test]
    fn what_was_sealed_before_opens() {
        const KEY: &str = include_str!("../../../../tests/fixtures/spool/key");
        const WRAPPED: &[u8] = include_bytes!("../../../../tests/fixtures/sealed/data_key.wrapped");
        const VALUE: &[u8] =
            include_bytes!("../../../../tests/fixtures/sealed/exception.message_sealed");
        let installs = PrivateKeys::from_text(KEY).unwrap();
        let install = installs.of_public(&installs.publics()[0]).unwrap();
        let id = key_id(VALUE).unwrap();
        assert_eq!(id, 0x0102_0304_0506_0708);
        let key = DataKey::unwrap(id, "Scheduler-1", WRAPPED, install).unwrap();
        let at = Place {
            column: "message_sealed",
            ..place("e1")
        };
        assert_eq!(key.open(at, VALUE).unwrap(), b"a message");
        // What is sealed now has the same form.
        let now = key.seal(at, b"a message").unwrap();
        assert_eq!((now.len(), &now[..9]), (VALUE.len(), &VALUE[..9]));
    }

    #[test]
    fn a_value_that_was_moved_cut_or_changed_does_not_open() {
        let (_, key, _) = keys();
        let sealed = key.seal(place("x"), b"secret").unwrap();
        assert!(key.open(place("y"), &sealed).is_err());
        let other = Place {
            table: "event",
            ..place("x")
        };
        assert!(key.open(other, &sealed).is_err());
        assert!(
            key.open(
                Place {
                    column: "traceback",
                    ..place("x")
                },
                &sealed
            )
            .is_err()
        );
        assert!(
            key.open(
                Place {
                    cluster: "Scheduler-2",
                    ..place("x")
                },
                &sealed
            )
            .is_err()
        );
        for end in 0..sealed.len() {
            assert!(key.open(place("x"), &sealed[..end]).is_err());
        }
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(key.open(place("x"), &changed).is_err());
        }
    }

    #[test]
    fn a_value_does_not_open_with_another_key_under_whatever_number() {
        let secret = [7; 32];
        let key = DataKey::from_secret(1, &secret);
        let sealed = key.seal(place("x"), b"secret").unwrap();
        let mut renamed = sealed.clone();
        renamed[1..9].copy_from_slice(&2_i64.to_be_bytes());
        for (id, secret, opens) in [(1, secret, true), (1, [8; 32], false), (2, secret, false)] {
            let other = DataKey::from_secret(id, &secret);
            for sealed in [&sealed, &renamed] {
                let opened = other.open(place("x"), sealed).is_ok();
                let its_own = key_id(sealed).unwrap() == 1;
                assert_eq!(opened, opens && its_own, "{id}");
            }
        }
    }

    #[test]
    fn a_data_key_that_was_sealed_anew_opens_what_it_sealed_before() {
        let (old, key, wrapped) = keys();
        let sealed = key.seal(place("x"), b"secret").unwrap();
        let new = PrivateKey::random().unwrap();
        let rewrap = |from| DataKey::rewrap(key.id(), "Scheduler-1", &wrapped, from, &new.public());
        let again = rewrap(&old).unwrap();
        let opened = DataKey::unwrap(key.id(), "Scheduler-1", &again, &new).unwrap();
        assert_eq!(opened.open(place("x"), &sealed).unwrap(), b"secret");
        assert!(DataKey::unwrap(key.id(), "Scheduler-1", &again, &old).is_err());
        assert!(rewrap(&new).is_err());
    }

    #[test]
    fn a_data_key_opens_only_for_its_cluster_and_install() {
        let (private, key, wrapped) = keys();
        assert!(DataKey::unwrap(key.id(), "Scheduler-2", &wrapped, &private).is_err());
        assert!(DataKey::unwrap(key.id() ^ 1, "Scheduler-1", &wrapped, &private).is_err());
        let (other, ..) = keys();
        assert!(DataKey::unwrap(key.id(), "Scheduler-1", &wrapped, &other).is_err());
        assert!(DataKey::unwrap(key.id(), "Scheduler-1", &wrapped[..40], &private).is_err());
    }
}
