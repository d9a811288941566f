//! What a hub signs, so that what it said can be shown later.

use std::path::Path;

use bobbin_core::model::Micros;
use bobbin_core::signature::{Signed, SigningKey};
use bobbin_core::{Error, Result};
use serde::{Deserialize, Serialize};

const FILE: &str = "signing.key";

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

impl Proof {
    /// What is said, if whoever has the private half of `key` (hexadecimal) said it.
    ///
    /// # Errors
    /// [`Error::Refused`]; [`Error::Json`].
    pub fn open(signed: &Signed, key: &str) -> Result<Self> {
        let text = signed
            .verified(key)
            .ok_or_else(|| Error::Refused("the hub's signature is not valid".into()))?;
        Ok(serde_json::from_str(text)?)
    }
}

/// The key with which a hub signs. It has no `Debug`.
pub struct HubKey(SigningKey);

impl HubKey {
    /// The one of the hub in `dir`, made if it has none.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the file holds no key; [`Error::Io`].
    pub fn load_or_make(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE);
        let key = if path.exists() {
            SigningKey::load(&path)
        } else {
            SigningKey::make(&path)
        };
        key.map(Self).map_err(|error| match error {
            Error::Invalid { value, reason, .. } => Error::Invalid {
                what: "the hub's signing key",
                value,
                reason: format!(
                    "{reason}; restore the file from a copy: it is needed to check receipts"
                ),
            },
            other => other,
        })
    }

    /// The public half, in hexadecimal.
    pub fn public(&self) -> String {
        self.0.public()
    }

    /// Signs.
    ///
    /// # Errors
    /// [`Error::Json`].
    pub fn sign(&self, proof: &Proof) -> Result<Signed> {
        Ok(self.0.sign(serde_json::to_string(proof)?))
    }
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
        assert_eq!(Proof::open(&signed, &again.public()).unwrap(), proof);
        assert_eq!(again.sign(&proof).unwrap(), signed);
        let stranger = HubKey::load_or_make(other.path()).unwrap();
        assert!(Proof::open(&signed, &stranger.public()).is_err());
        let changed = Signed {
            text: signed.text.replace("receipt", "tombstone"),
            ..signed.clone()
        };
        assert!(Proof::open(&changed, &key.public()).is_err());
        for bad in ["", "zz", &signed.signature[2..]] {
            let changed = Signed {
                signature: bad.into(),
                ..signed.clone()
            };
            assert!(Proof::open(&changed, &key.public()).is_err(), "{bad}");
        }
    }
}
