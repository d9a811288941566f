//! The key pair of the install: the public half in the store, the private half in `DIR/key`.

use std::fmt;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use hpke::aead::ChaCha20Poly1305;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{Deserializable, Kem, OpModeR, OpModeS, Serializable};
use zeroize::Zeroizing;

use crate::install::{at, check_private, create_private, random};
use crate::{Error, Result};

type Private = <X25519HkdfSha256 as Kem>::PrivateKey;
type Public = <X25519HkdfSha256 as Kem>::PublicKey;
type Encapped = <X25519HkdfSha256 as Kem>::EncappedKey;

const INFO: &[u8] = b"bobbin data key";
const FIRST_LINE: &str = "bobbin private key 1";
const ENCAPPED: usize = 32;

/// The half that seals.
#[derive(Clone)]
pub struct PublicKey(Public);

impl PublicKey {
    /// From the 32 bytes that are stored.
    ///
    /// # Errors
    /// [`Error::Sealed`] if they are not a key.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Public::from_bytes(bytes)
            .map(Self)
            .map_err(|_| Error::Sealed("the public key cannot be read"))
    }

    /// The 32 bytes to store.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes().to_vec()
    }

    pub(super) fn wrap(&self, secret: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
        let (encapped, text) = hpke::single_shot_seal::<
            ChaCha20Poly1305,
            HkdfSha256,
            X25519HkdfSha256,
        >(&OpModeS::Base, &self.0, INFO, secret, aad)
        .map_err(|_| Error::Sealed("the public key cannot be used"))?;
        let mut wrapped = encapped.to_bytes().to_vec();
        wrapped.extend(text);
        Ok(wrapped)
    }
}

/// The half that opens. It is never printed by `{:?}`.
#[derive(Clone)]
pub struct PrivateKey(Private);

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(…)")
    }
}

impl PrivateKey {
    /// The other half.
    pub fn public(&self) -> PublicKey {
        PublicKey(X25519HkdfSha256::sk_to_pk(&self.0))
    }

    pub(super) fn unwrap(&self, wrapped: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
        let (encapped, text) = wrapped
            .split_at_checked(ENCAPPED)
            .ok_or(Error::Sealed("a key was cut"))?;
        let encapped =
            Encapped::from_bytes(encapped).map_err(|_| Error::Sealed("a key cannot be read"))?;
        hpke::single_shot_open::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
            &OpModeR::Base,
            &self.0,
            &encapped,
            INFO,
            text,
            aad,
        )
        .map_err(|_| Error::Sealed("a key was changed or belongs to another install"))
    }

    fn from_text(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(FIRST_LINE) {
            return None;
        }
        let digits = lines.next()?.trim();
        if digits.len() != 64 || !digits.is_ascii() {
            return None;
        }
        let mut bytes = Zeroizing::new([0u8; 32]);
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
        }
        Private::from_bytes(&*bytes).ok().map(Self)
    }
}

/// The private key in `DIR/key`, or `None` if it is absent or is no key: then code stays locked and numbers do not.
///
/// # Errors
/// [`Error::Loosened`] if others may read it; [`Error::Io`].
pub fn load(dir: &Path) -> Result<Option<PrivateKey>> {
    let path = dir.join("key");
    match fs::read_to_string(&path).map(Zeroizing::new) {
        Ok(text) => {
            check_private(&path)?;
            Ok(PrivateKey::from_text(&text))
        }
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) if source.kind() == std::io::ErrorKind::InvalidData => Ok(None),
        Err(source) => Err(at(&path)(source)),
    }
}

/// The key pair of a store that has none yet: the one in `DIR/key` if a start was interrupted, else a new one.
/// Never call it for a store that has a public key: what is sealed would stay closed for ever.
///
/// # Errors
/// [`Error::Invalid`] if `DIR/key` is there and holds no key; [`Error::Io`], [`Error::DiskFull`].
pub fn adopt_or_make(dir: &Path) -> Result<(PrivateKey, PublicKey)> {
    let path = dir.join("key");
    let private = match create_private(&path) {
        Ok(mut file) => {
            let mut material = Zeroizing::new([0u8; 32]);
            random(&mut *material)?;
            let (private, _) = X25519HkdfSha256::derive_keypair(&*material);
            let mut text = Zeroizing::new(format!("{FIRST_LINE}\n"));
            for byte in private.to_bytes() {
                // Writing to a String cannot fail.
                let _ = write!(text, "{byte:02x}");
            }
            text.push('\n');
            file.write_all(text.as_bytes()).map_err(at(&path))?;
            file.sync_all().map_err(at(&path))?;
            PrivateKey(private)
        }
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists => {
            load(dir)?.ok_or_else(|| Error::Invalid {
                what: "key file",
                value: path.display().to_string(),
                reason: "it holds no key, and nothing is sealed yet; delete it and start again"
                    .into(),
            })?
        }
        Err(error) => return Err(error),
    };
    let public = private.public();
    Ok((private, public))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_start_adopts_the_key_that_it_left() {
        let dir = tempfile::tempdir().unwrap();
        let (_, first) = adopt_or_make(dir.path()).unwrap();
        let (_, second) = adopt_or_make(dir.path()).unwrap();
        assert_eq!(first.to_bytes(), second.to_bytes());
        check_private(&dir.path().join("key")).unwrap();
    }

    #[test]
    fn a_missing_or_foreign_key_file_is_no_key() {
        let dir = tempfile::tempdir().unwrap();
        assert!(load(dir.path()).unwrap().is_none());
        for text in ["", "bobbin private key 1\nzz\n", "bobbin private key 2\n"] {
            assert!(PrivateKey::from_text(text).is_none());
        }
    }
}
