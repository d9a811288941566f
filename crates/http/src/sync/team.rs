//! The account that this install joined: where its hub is, how it is recognised, and the token.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use bobbin_core::install::write_private;
use bobbin_core::ledger::{Pinned, TEAM_FILE};
use bobbin_core::model::Micros;
use bobbin_core::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::team::{JoinCode, Joined, Role};

/// An account that was joined. Its `Debug` has no token.
#[derive(Clone, Serialize, Deserialize)]
pub struct Team {
    /// Host and port.
    pub address: String,
    /// SHA-256 of the hub's certificate, in hexadecimal.
    pub pin: String,
    pub account: String,
    pub account_name: String,
    pub member: String,
    pub role: Role,
    pub token_id: String,
    pub expires_micros: Micros,
    /// With which its receipts are signed.
    pub hub_key: String,
    pub(super) token: String,
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Team({})", self.destination())
    }
}

impl Team {
    pub(super) fn of(code: &JoinCode, joined: Joined) -> Self {
        Self {
            address: code.address.clone(),
            pin: code.pin.clone(),
            account: joined.account,
            account_name: joined.account_name,
            member: joined.member,
            role: joined.role,
            token_id: joined.token_id,
            expires_micros: joined.expires_micros,
            hub_key: joined.hub_key,
            token: joined.token,
        }
    }

    /// The one that the install in `dir` joined.
    ///
    /// # Errors
    /// [`Error::Refused`] where it joined none; [`Error::Json`], [`Error::Io`].
    pub fn load(dir: &Path) -> Result<Self> {
        let path = path(dir);
        match fs::read(&path) {
            Ok(text) => Ok(serde_json::from_slice(&text)?),
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Err(Error::Refused(
                "you have not joined a team: ask an admin for an invite, and run `bobbin join`".into(),
            )),
            Err(source) => Err(Error::Io { path, source }),
        }
    }

    pub(super) fn save(&self, dir: &Path) -> Result<()> {
        write_private(&path(dir), &serde_json::to_vec(self)?)
    }

    /// As the ledger names it: the account, where it is, and by what it is recognised.
    pub fn destination(&self) -> String {
        let pinned = Pinned {
            account: self.account.clone(),
            account_name: self.account_name.clone(),
            address: self.address.clone(),
            pin: self.pin.clone(),
        };
        pinned.to_string()
    }
}

fn path(dir: &Path) -> PathBuf {
    dir.join(TEAM_FILE)
}
