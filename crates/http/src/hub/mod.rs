//! The team hub: the same binary and the same ingest, with accounts. It takes bundles that somebody reviewed, and shows a team its
//! clusters over time.
//!
//! ```text
//! event    what happens to an account, and nothing else is kept of it
//! state    what an account is, by that
//! account  one account: its store, its bundles
//! incoming bundles on their way to one
//! settle   what was cut off in between
//! told     which bundle tells a cluster that several members share
//! turns    how much one token may have done
//! used     when each token was shown last
//! secret   tokens and invites
//! command  what whoever runs the hub, and admins, may have done
//! routes   who asks for what, over TLS
//! pages    the page over an account's store, for browsers
//! ```

mod account;
mod backups;
mod command;
mod event;
mod incoming;
mod pages;
mod routes;
mod running;
mod secret;
mod settle;
mod state;
mod told;
mod turns;
mod used;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use bobbin_core::clock::Clock;
use bobbin_core::install::{create_private, prepare};
use bobbin_core::ledger::Chain;
use bobbin_core::model::Micros;
use bobbin_core::{Error, Result};
use serde::{Deserialize, Serialize};

pub use command::{AccountCommand, Command};
pub use running::{HubConfig, HubPlace, RunningHub, ask_hub};

use self::account::{Account, Common, removed};
use self::incoming::remove_folder;
use crate::team::HubKey;

const ACCOUNTS: &str = "accounts";
const AUDIT: &str = "hub.ndjson";
const LOCK: &str = "lock";

/// What happens to the hub itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum HubEvent {
    AccountAdded {
        account: String,
        name: String,
    },
    /// How long its backups live, in days; none where that is not said any more.
    BackupsSet {
        days: Option<u32>,
    },
    /// With all that it held; what stays is this row, and the hash of the last of its own.
    AccountRemoved {
        account: String,
        name: String,
        rows: u64,
        head: String,
    },
}

/// A hub. One process has it.
pub struct Hub {
    dir: PathBuf,
    common: Common,
    audit: Chain<HubEvent>,
    accounts: RwLock<BTreeMap<String, Arc<Account>>>,
    _lock: File,
}

impl Hub {
    /// Opens the one in `dir`, or begins one there.
    ///
    /// # Errors
    /// [`Error::StoreInUse`] where one runs; [`Error::Refused`] if an audit does not hold together; those of opening a store.
    pub fn open(dir: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        prepare(dir)?;
        let lock = locked(dir)?;
        let accounts_dir = dir.join(ACCOUNTS);
        prepare(&accounts_dir)?;
        let common = Common {
            clock,
            key: Arc::new(HubKey::load_or_make(dir)?),
            backups: Arc::default(),
        };
        let audit = Chain::at(&dir.join(AUDIT));
        let mut there = BTreeMap::new();
        for row in audit.rows()? {
            match row.entry {
                HubEvent::AccountAdded { account, .. } => {
                    there.insert(account, ());
                }
                HubEvent::BackupsSet { days } => common.backups.set(days),
                HubEvent::AccountRemoved { account, .. } => {
                    there.remove(&account);
                    // Where it broke off in between.
                    let folder = accounts_dir.join(account);
                    remove_folder(&folder)?;
                    remove_folder(&removed(&folder))?;
                }
            }
        }
        let accounts = there
            .into_keys()
            .map(|id| {
                let account = Account::open(&accounts_dir, &id, &common)?;
                Ok((id, Arc::new(account)))
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            dir: dir.into(),
            common,
            audit,
            accounts: RwLock::new(accounts),
            _lock: lock,
        })
    }

    /// Where it lies.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn now(&self) -> Micros {
        self.common.clock.now()
    }

    fn account(&self, id: &str) -> Option<Arc<Account>> {
        let accounts = self.accounts.read().ok()?;
        accounts.get(id).cloned()
    }

    fn accounts(&self) -> Vec<Arc<Account>> {
        let accounts = self.accounts.read();
        accounts.map_or_else(|_| Vec::new(), |all| all.values().cloned().collect())
    }

    fn add(&self, name: &str, quota_bytes: u64) -> Result<Arc<Account>> {
        let folder = self.dir.join(ACCOUNTS);
        let made = Account::make(&folder, name, quota_bytes, &self.common)?;
        let account = Arc::new(made);
        let event = HubEvent::AccountAdded {
            account: account.id.clone(),
            name: name.into(),
        };
        self.audit.append(self.now(), &event)?;
        if let Ok(mut accounts) = self.accounts.write() {
            accounts.insert(account.id.clone(), account.clone());
        }
        Ok(account)
    }

    fn set_backups(&self, days: Option<u32>) -> Result<()> {
        self.audit
            .append(self.now(), &HubEvent::BackupsSet { days })?;
        self.common.backups.set(days);
        Ok(())
    }

    fn remove(&self, account: &Account) -> Result<()> {
        let (name, rows, head) = {
            let state = account.state();
            let head = state.hash(state.rows).unwrap_or_default().to_owned();
            (state.name.clone(), state.rows, head)
        };
        let event = HubEvent::AccountRemoved {
            account: account.id.clone(),
            name,
            rows,
            head,
        };
        if let Ok(mut accounts) = self.accounts.write() {
            accounts.remove(&account.id);
        }
        self.audit.append(self.now(), &event)?;
        account.remove()
    }

    /// Forgets in every account what nobody went on with. To be called once in a while.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn tidy(&self) -> Result<()> {
        self.accounts()
            .iter()
            .try_for_each(|account| account.tidy())
    }

    /// Commits what is queued in every account's store.
    ///
    /// # Errors
    /// Those of [`bobbin_core::api::App::drain`].
    pub fn drain(&self) -> Result<()> {
        self.accounts()
            .iter()
            .try_for_each(|account| account.app.drain())
    }
}

fn locked(dir: &Path) -> Result<File> {
    let path = dir.join(LOCK);
    let io = |source| Error::Io {
        path: path.clone(),
        source,
    };
    let file = match create_private(&path) {
        Ok(file) => file,
        Err(_) => File::open(&path).map_err(io)?,
    };
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(Error::StoreInUse { path: dir.into() }),
        Err(fs::TryLockError::Error(source)) => Err(io(source)),
    }
}
