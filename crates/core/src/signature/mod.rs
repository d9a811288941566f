//! Ed25519 over the exact text: how a hub signs receipts, how a member signs what lies in a folder, and how a release is signed.

use std::fs;
use std::path::Path;

use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

use crate::install::{at, write_private};
use crate::{Error, Result};

pub use crate::hex::hexadecimal;

/// Bytes of a public key.
const PUBLIC_BYTES: usize = 32;

/// A text, and the signature over its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    pub text: String,
    /// In hexadecimal.
    pub signature: String,
}

/// The private half of a key. It has no `Debug`.
pub struct SigningKey(Ed25519KeyPair);

impl SigningKey {
    /// Makes a key in a new file of mode 0600, as PKCS#8. A file that exists stays: what it signed is checked with it.
    ///
    /// # Errors
    /// [`Error::Declined`] if there is a file; [`Error::Io`], [`Error::DiskFull`].
    pub fn make(path: &Path) -> Result<Self> {
        if path.exists() {
            return Err(Error::Declined {
                what: format!("{} exists already", path.display()),
                hint: "choose another name: a key that is overwritten is lost".into(),
            });
        }
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
            .map_err(|_| unusable(path, "the system gives no random numbers"))?;
        write_private(path, made.as_ref())?;
        Self::load(path)
    }

    /// Reads a key that [`SigningKey::make`] wrote.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the file holds no key; [`Error::Io`].
    pub fn load(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(at(path))?;
        Ed25519KeyPair::from_pkcs8(&bytes)
            .map(Self)
            .map_err(|_| unusable(path, "it holds no Ed25519 key in PKCS#8"))
    }

    /// The public half, in hexadecimal.
    pub fn public(&self) -> String {
        hexadecimal(self.0.public_key().as_ref())
    }

    /// Signs. The same text has the same signature.
    pub fn sign(&self, text: String) -> Signed {
        let signature = hexadecimal(self.0.sign(text.as_bytes()).as_ref());
        Signed { text, signature }
    }
}

impl Signed {
    /// The text, if the private half of `key` (hexadecimal) signed it.
    pub fn verified(&self, key: &str) -> Option<&str> {
        let (key, signature) = bytes(key).zip(bytes(&self.signature))?;
        UnparsedPublicKey::new(&ED25519, key)
            .verify(self.text.as_bytes(), &signature)
            .ok()?;
        Some(&self.text)
    }
}

/// Whether a text can be a public key: 32 bytes in hexadecimal, lower case.
pub fn is_public_key(text: &str) -> bool {
    text.len() == 2 * PUBLIC_BYTES && bytes(text).is_some()
}

fn unusable(path: &Path, reason: &str) -> Error {
    Error::Invalid {
        what: "signing key",
        value: path.display().to_string(),
        reason: reason.into(),
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    // `from_str_radix` takes a sign, capitals, and one digit for two: a signature that can be written in two ways could change unseen.
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if !text.len().is_multiple_of(2) || !text.bytes().all(digit) {
        return None;
    }
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_key_signed_is_verified() {
        let dir = tempfile::tempdir().unwrap();
        let key = SigningKey::make(&dir.path().join("one")).unwrap();
        let stranger = SigningKey::make(&dir.path().join("two")).unwrap();
        let signed = key.sign("a text".into());
        // The same after it is read again.
        let again = SigningKey::load(&dir.path().join("one")).unwrap();
        assert_eq!(again.sign("a text".into()), signed);
        assert_eq!(signed.verified(&again.public()), Some("a text"));
        assert_eq!(signed.verified(&stranger.public()), None);
        let other = |text: &str, signature: &str| Signed {
            text: text.into(),
            signature: signature.into(),
        };
        assert_eq!(
            other("a Text", &signed.signature).verified(&key.public()),
            None
        );
        let capitals = signed.signature.to_ascii_uppercase();
        for bad in ["", "zz", "+1", &signed.signature[2..], &capitals] {
            assert_eq!(other("a text", bad).verified(&key.public()), None, "{bad}");
        }
    }

    #[test]
    fn a_key_is_never_overwritten_and_is_its_owner_s_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        let public = SigningKey::make(&path).unwrap().public();
        assert_eq!((bytes("0a0"), bytes("0a")), (None, Some(vec![10])));
        assert!(is_public_key(&public), "{public}");
        assert!(!is_public_key(&public[1..]) && !is_public_key(&"+1".repeat(32)));
        let again = SigningKey::make(&path).err().unwrap();
        assert!(matches!(again, Error::Declined { .. }), "{again}");
        assert_eq!(SigningKey::load(&path).unwrap().public(), public);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
        fs::write(&path, "no key").unwrap();
        let broken = SigningKey::load(&path).err().unwrap();
        assert!(broken.to_string().contains("holds no"), "{broken}");
    }
}
