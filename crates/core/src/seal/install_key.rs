//! The key pair of an install: the half that seals, which is in the store and in `DIR/public_key`, and the half that opens.

use std::fmt;
use std::fs;
use std::path::Path;

use hpke::aead::ChaCha20Poly1305;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{Deserializable, Kem, OpModeR, OpModeS, Serializable};
use zeroize::Zeroizing;

use crate::hex::hexadecimal;
use crate::install::{random, write_public};
use crate::{Error, Result};

type Private = <X25519HkdfSha256 as Kem>::PrivateKey;
type Public = <X25519HkdfSha256 as Kem>::PublicKey;
type Encapped = <X25519HkdfSha256 as Kem>::EncappedKey;

const INFO: &[u8] = b"bobbin data key";
const ENCAPPED: usize = 32;
const PUBLIC_FILE: &str = "public_key";

/// The half that seals.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        self.seal(INFO, secret, aad)
    }

    /// The encapsulated key, then the ciphertext.
    pub(super) fn seal(&self, info: &[u8], plain: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
        let (encapped, text) = hpke::single_shot_seal::<
            ChaCha20Poly1305,
            HkdfSha256,
            X25519HkdfSha256,
        >(&OpModeS::Base, &self.0, info, plain, aad)
        .map_err(|_| Error::Sealed("the public key cannot be used"))?;
        let mut sealed = encapped.to_bytes().to_vec();
        sealed.extend(text);
        Ok(sealed)
    }

    /// Puts it into `DIR/public_key`, in 64 hexadecimal digits: with it plugins seal what they leave on the disk.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::DiskFull`].
    pub fn publish(&self, dir: &Path) -> Result<()> {
        let path = dir.join(PUBLIC_FILE);
        let text = hexadecimal(&self.to_bytes()) + "\n";
        if fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            return Ok(());
        }
        write_public(&path, text.as_bytes())
    }

    /// The key that `DIR/public_key` says; none if it says none.
    pub fn published(dir: &Path) -> Option<Self> {
        let text = fs::read_to_string(dir.join(PUBLIC_FILE)).ok()?;
        Self::from_bytes(&*unhexadecimal(text.trim_end())?).ok()
    }

    /// Whether `DIR/public_key` says this key.
    pub fn is_published(&self, dir: &Path) -> bool {
        fs::read_to_string(dir.join(PUBLIC_FILE))
            .is_ok_and(|found| found.trim_end() == hexadecimal(&self.to_bytes()))
    }
}

/// What [`hexadecimal`] wrote, for 32 bytes.
pub(super) fn unhexadecimal(digits: &str) -> Option<Zeroizing<[u8; 32]>> {
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    let mut bytes = Zeroizing::new([0u8; 32]);
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
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
        self.open(INFO, wrapped, aad)
    }

    /// Opens what was sealed to the public half: the encapsulated key, then the ciphertext.
    pub(super) fn open(&self, info: &[u8], sealed: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
        let (encapped, text) = sealed
            .split_at_checked(ENCAPPED)
            .ok_or(Error::Sealed("it was cut"))?;
        let encapped = Encapped::from_bytes(encapped)
            .map_err(|_| Error::Sealed("its encapsulated key cannot be read"))?;
        hpke::single_shot_open::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
            &OpModeR::Base,
            &self.0,
            &encapped,
            info,
            text,
            aad,
        )
        .map_err(|_| Error::Sealed("it was changed or belongs to another install"))
    }

    /// A new one.
    pub(crate) fn random() -> Result<Self> {
        let mut material = Zeroizing::new([0u8; 32]);
        random(&mut *material)?;
        Ok(Self(X25519HkdfSha256::derive_keypair(&*material).0))
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Private::from_bytes(bytes).ok().map(Self)
    }

    pub(super) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(self.0.to_bytes().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn the_public_half_lies_open_and_follows_the_store() {
        let dir = tempfile::tempdir().unwrap();
        let public = PrivateKey::random().unwrap().public();
        assert!(!public.is_published(dir.path()));
        public.publish(dir.path()).unwrap();
        let path = dir.path().join(PUBLIC_FILE);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.len(), 65);
        assert!(text.ends_with('\n') && text == text.to_lowercase());
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o644);
        fs::write(&path, "another install's").unwrap();
        assert_eq!(PublicKey::published(dir.path()), None);
        public.publish(dir.path()).unwrap();
        assert!(public.is_published(dir.path()));
        assert_eq!(PublicKey::published(dir.path()), Some(public));
    }
}
