//! The account that this install joined: where its hub is, how it is recognised, and the token.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use bobbin_core::install::write_private;
use bobbin_core::ledger::{AccountSaid, Pinned, TEAM_FILE};
use bobbin_core::model::Micros;
use bobbin_core::share::Level;
use bobbin_core::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::team::{JoinCode, Joined, Me, Readers, Role};

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
    /// What it said of the account last.
    #[serde(default)]
    pub said: Option<AccountSaid>,
    pub(super) token: String,
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Team({})", self.destination())
    }
}

impl Team {
    pub(super) fn of(code: &JoinCode, joined: Joined, now: Micros) -> Self {
        Self {
            said: said(joined.level, joined.readers, now),
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
                "you have not joined a team: ask an admin for an invite, and run `bobbin join`"
                    .into(),
            )),
            Err(source) => Err(Error::Io { path, source }),
        }
    }

    pub(super) fn save(&self, dir: &Path) -> Result<()> {
        write_private(&path(dir), &serde_json::to_vec(self)?)
    }

    /// Keeps what the hub says of the account now, as long as it is the one that the install in `dir` joined.
    pub(super) fn keep_said(&self, dir: &Path, me: &Me, now: Micros) -> Result<()> {
        let joined = Self::load(dir)?;
        if joined.token_id != self.token_id || joined.destination() != self.destination() {
            return Ok(());
        }
        let said = said(me.level, me.readers, now);
        Self { said, ..joined }.save(dir)
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

fn said(level: Option<Level>, readers: Option<Readers>, now: Micros) -> Option<AccountSaid> {
    readers.map(|readers| AccountSaid {
        as_of_micros: now,
        level: level.map(|level| level.word().to_owned()),
        viewers: readers.viewers,
        members: readers.members,
        admins: readers.admins,
        backup_days: readers.backup_days,
    })
}

fn path(dir: &Path) -> PathBuf {
    dir.join(TEAM_FILE)
}
