//! What a hub signs, so that what it said can be shown later: Ed25519 over the exact text.

use std::fs;
use std::path::Path;

use bobbin_core::install::write_private;
use bobbin_core::model::Micros;
use bobbin_core::{Error, Result};
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

const FILE: &str = "signing.key";

/// A text, and the signature of those who said it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// A [`Proof`] as JSON.
    pub text: String,
    /// In hexadecimal.
    pub signature: String,
}

/// What is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofKind {
    /// The bytes are here, durably.
    Receipt,
    /// The bytes and what was made of them are gone.
    Tombstone,
}

/// What a hub says of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub kind: ProofKind,
    pub account: String,
    pub member: String,
    pub sha256: String,
    pub bytes: u64,
    /// Ids of its clusters.
    pub clusters: Vec<String>,
    pub at_micros: Micros,
    /// The row of the account's audit that says so, and its hash: a hub that was put back to an older copy has no such row.
    pub number: u64,
    pub hash: String,
    /// Of what is gone, until when backups of the hub may still hold it; none where whoever runs it did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backups_until_micros: Option<Micros>,
}

/// The key with which a hub signs. It has no `Debug`.
pub struct HubKey(Ed25519KeyPair);

impl HubKey {
    /// The one of the hub in `dir`, made if it has none.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the file holds no key; [`Error::Io`].
    pub fn load_or_make(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE);
        let unusable = |reason: &str| Error::Invalid {
            what: "the hub's signing key",
            value: path.display().to_string(),
            reason: format!(
                "{reason}; restore the file from a copy: it is needed to check receipts"
            ),
        };
        if !path.exists() {
            let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
                .map_err(|_| unusable("there are no random numbers"))?;
            write_private(&path, made.as_ref())?;
        }
        let bytes = fs::read(&path).map_err(|source| Error::Io {
            path: path.clone(),
            source,
        })?;
        Ed25519KeyPair::from_pkcs8(&bytes)
            .map(Self)
            .map_err(|_| unusable("it holds no key"))
    }

    /// The public half, in hexadecimal.
    pub fn public(&self) -> String {
        hexadecimal(self.0.public_key().as_ref())
    }

    /// Signs.
    ///
    /// # Errors
    /// [`Error::Json`].
    pub fn sign(&self, proof: &Proof) -> Result<Signed> {
        let text = serde_json::to_string(proof)?;
        let signature = hexadecimal(self.0.sign(text.as_bytes()).as_ref());
        Ok(Signed { text, signature })
    }
}

impl Signed {
    /// What is said, if whoever has the private half of `key` (hexadecimal) said it.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub fn open(&self, key: &str) -> Result<Proof> {
        let refused = || Error::Refused("the hub's signature is not valid".into());
        let (key, signature) = bytes(key).zip(bytes(&self.signature)).ok_or_else(refused)?;
        UnparsedPublicKey::new(&ED25519, key)
            .verify(self.text.as_bytes(), &signature)
            .map_err(|_| refused())?;
        Ok(serde_json::from_str(&self.text)?)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_key_signed_opens() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let key = HubKey::load_or_make(one.path()).unwrap();
        let proof = Proof {
            kind: ProofKind::Receipt,
            account: "a".into(),
            member: "m".into(),
            sha256: "00".into(),
            bytes: 1,
            clusters: vec!["Scheduler-1".into()],
            at_micros: Micros(1),
            number: 3,
            hash: "h".into(),
            backups_until_micros: None,
        };
        let signed = key.sign(&proof).unwrap();
        // The same after a restart.
        let again = HubKey::load_or_make(one.path()).unwrap();
        assert_eq!(signed.open(&again.public()).unwrap(), proof);
        assert_eq!(again.sign(&proof).unwrap(), signed);
        let stranger = HubKey::load_or_make(other.path()).unwrap();
        assert!(signed.open(&stranger.public()).is_err());
        let changed = Signed {
            text: signed.text.replace("receipt", "tombstone"),
            ..signed.clone()
        };
        assert!(changed.open(&key.public()).is_err());
        for bad in ["", "zz", &signed.signature[2..]] {
            let changed = Signed {
                signature: bad.into(),
                ..signed.clone()
            };
            assert!(changed.open(&key.public()).is_err(), "{bad}");
        }
    }
}
