//! The destinations of one install: the file `destinations.json` in its folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use bobbin_core::install::{create_private, write_private};
use bobbin_core::ledger::{DESTINATIONS_FILE, place_named};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::{KeysFrom, Member, io, place};

const LOCK: &str = "destinations.lock";

/// One destination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    pub address: String,
    /// The server or account that the environment named when it was made known: the same bucket elsewhere is another one.
    pub server: Option<String>,
    /// Under which the tables of what is shared from here lie.
    pub account: String,
    /// What the member is called there.
    pub name: Option<String>,
    /// Whether what others share is brought here by itself.
    pub follow: bool,
    /// Where its keys may come from.
    #[serde(default)]
    pub keys: KeysFrom,
    /// The hashes of bundles that were shared from here or brought here.
    pub seen: BTreeSet<String>,
    /// Members who sign, by account and name, each with the public keys that are theirs.
    #[serde(default)]
    pub members: BTreeMap<String, BTreeSet<String>>,
}

impl Known {
    /// As the ledger names it.
    pub fn to(&self) -> String {
        place_named(&self.address, self.server.as_deref())
    }

    /// That the address still means the place that was made known.
    ///
    /// # Errors
    /// [`bobbin_core::Error::Refused`] where the environment names another server.
    pub fn check(&self) -> Result<()> {
        let now = place::server(&self.address);
        if now == self.server {
            return Ok(());
        }
        let named = |server: &Option<String>| server.clone().unwrap_or_else(|| "none".into());
        Err(Error::refused(format!(
            "{} was added with the server {}, but the environment now names {}: choose one with `bobbin destination add`",
            self.address,
            named(&self.server),
            named(&now)
        )))
    }

    /// Who shares there.
    ///
    /// # Errors
    /// As [`Member::new`].
    pub fn member(&self) -> Result<Member> {
        Member::new(&self.account, self.name.clone())
    }
}

/// All of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct KnownList {
    pub destinations: Vec<Known>,
}

impl KnownList {
    /// Those of the install in `dir`.
    ///
    /// # Errors
    /// [`bobbin_core::Error::Json`], [`bobbin_core::Error::Io`].
    pub fn load(dir: &Path) -> Result<Self> {
        let path = file(dir);
        match std::fs::read(&path) {
            Ok(text) => Ok(serde_json::from_slice(&text).map_err(bobbin_core::Error::from)?),
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(io(&path, source)),
        }
    }

    /// Changes those of the install in `dir`, and gives them as they are then. Of several processes one does at a time; whoever
    /// reads meanwhile has the old ones or the new.
    ///
    /// # Errors
    /// Those of `change`: then nothing is written. [`bobbin_core::Error::Json`], [`bobbin_core::Error::Io`],
    /// [`bobbin_core::Error::DiskFull`].
    pub fn change(dir: &Path, change: impl FnOnce(&mut Self) -> Result<()>) -> Result<Self> {
        let _lock = locked(&dir.join(LOCK))?;
        let mut list = Self::load(dir)?;
        change(&mut list)?;
        let text = serde_json::to_vec_pretty(&list).map_err(bobbin_core::Error::from)?;
        write_private(&file(dir), &text)?;
        Ok(list)
    }

    /// Adds one, or changes what is said of it.
    ///
    /// # Errors
    /// [`bobbin_core::Error::Invalid`] if the address or the account is none.
    pub fn add(
        &mut self,
        address: &str,
        member: &Member,
        follow: bool,
        keys: KeysFrom,
    ) -> Result<&Known> {
        if !place::is_address(address) {
            return Err(place::no_address(address));
        }
        let at = match self.position(address) {
            Some(at) => at,
            None => {
                self.destinations.push(Known {
                    address: address.into(),
                    server: None,
                    account: String::new(),
                    name: None,
                    follow,
                    keys,
                    seen: BTreeSet::new(),
                    members: BTreeMap::new(),
                });
                self.destinations.len() - 1
            }
        };
        let known = &mut self.destinations[at];
        known.server = place::server(address);
        known.account = member.account.clone();
        known.name = member.name.clone();
        known.follow = follow;
        known.keys = keys;
        Ok(known)
    }

    /// The one with this address.
    ///
    /// # Errors
    /// [`bobbin_core::Error::NotFound`].
    pub fn find(&mut self, address: &str) -> Result<&mut Known> {
        match self.position(address) {
            Some(at) => Ok(&mut self.destinations[at]),
            None => Err(missing(address)),
        }
    }

    /// The one that the ledger names so, or that has this address.
    ///
    /// # Errors
    /// [`bobbin_core::Error::NotFound`].
    pub fn named(&self, to: &str) -> Result<&Known> {
        let mut all = self.destinations.iter();
        let found = all.find(|known| known.to() == to || known.address == to);
        found.ok_or_else(|| missing(to))
    }

    /// Forgets one; what lies there stays.
    ///
    /// # Errors
    /// [`bobbin_core::Error::NotFound`].
    pub fn remove(&mut self, address: &str) -> Result<()> {
        let at = self.position(address).ok_or_else(|| missing(address))?;
        self.destinations.remove(at);
        Ok(())
    }

    fn position(&self, address: &str) -> Option<usize> {
        self.destinations
            .iter()
            .position(|known| known.address == address)
    }
}

fn missing(address: &str) -> Error {
    Error::Core(bobbin_core::Error::NotFound {
        kind: "destination",
        id: address.into(),
    })
}

/// A file of its own: the list itself is replaced when it is written. Dropping it lets the next one in.
fn locked(path: &Path) -> Result<File> {
    let file = match create_private(path) {
        Ok(file) => file,
        Err(_) => File::open(path).map_err(|source| io(path, source))?,
    };
    file.lock().map_err(|source| io(path, source))?;
    Ok(file)
}

fn file(dir: &Path) -> PathBuf {
    dir.join(DESTINATIONS_FILE)
}
