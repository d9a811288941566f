//! The account that an install joined, as the ledger names it: an approval is for it and its hub, and not for whatever is called
//! so later.

use std::fmt;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{AccountSaid, joined_destinations};
use crate::Result;
use crate::install::at;

/// Where an install remembers the account that it joined.
pub const TEAM_FILE: &str = "team.json";

/// An account on a hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pinned {
    pub account: String,
    /// What people call it.
    pub account_name: String,
    /// Host and port.
    pub address: String,
    /// SHA-256 of the hub's certificate, in hexadecimal.
    pub pin: String,
}

impl fmt::Display for Pinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}#sha256={}", self.account, self.address, self.pin)
    }
}

impl Pinned {
    /// The one that the install in `dir` joined.
    ///
    /// # Errors
    /// [`crate::Error::Json`], [`crate::Error::Io`].
    pub fn joined(dir: &Path) -> Result<Option<Self>> {
        let joined = Self::joined_and_said(dir)?;
        Ok(joined.map(|(pinned, _)| pinned))
    }

    /// The same with what its hub said of it last.
    pub(super) fn joined_and_said(dir: &Path) -> Result<Option<(Self, Option<AccountSaid>)>> {
        #[derive(Deserialize)]
        struct Joined {
            #[serde(flatten)]
            pinned: Pinned,
            #[serde(default)]
            said: Option<AccountSaid>,
        }
        let path = dir.join(TEAM_FILE);
        match fs::read(&path) {
            Ok(text) => {
                let Joined { pinned, said } = serde_json::from_slice(&text)?;
                Ok(Some((pinned, said)))
            }
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(at(&path)(source)),
        }
    }

    /// What a destination that a person named means in the install in `dir`, as the ledger names it: the account that it joined or
    /// the place that it knows, where one is called so; else what was named.
    ///
    /// # Errors
    /// As [`joined_destinations`].
    pub fn meant(dir: &Path, destination: &str) -> Result<String> {
        let joined = Self::joined(dir)?;
        if let Some(one) = joined.filter(|one| one.account == destination) {
            return Ok(one.to_string());
        }
        let mut known = joined_destinations(dir)?.into_iter();
        let named = known.find(|one| one.name == destination);
        Ok(named.map_or_else(|| destination.to_owned(), |one| one.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_the_account_that_was_joined_and_its_hub() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Pinned::meant(dir.path(), "blue").unwrap(), "blue");
        let text = r#"{"account":"0a1b","account_name":"blue","address":"hub.example:1","pin":"ff","token":"x"}"#;
        fs::write(dir.path().join(TEAM_FILE), text).unwrap();
        for named in ["blue", "0a1b"] {
            assert_eq!(
                Pinned::meant(dir.path(), named).unwrap(),
                "0a1b@hub.example:1#sha256=ff"
            );
        }
        assert_eq!(Pinned::meant(dir.path(), "red").unwrap(), "red");
    }
}
