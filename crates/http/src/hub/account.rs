//! One account: its store, its audit, and the bundles that came or are on their way. Nothing in here knows another account.
//!
//! ```text
//! accounts/ID/audit.ndjson          what happened to it
//! accounts/ID/store/bobbin.sqlite   its clusters, as in any data folder
//! accounts/ID/bundles/SHA256        the bundles, as they came
//! accounts/ID/incoming/             what is on its way: `incoming`
//! accounts/ID/used.json             when each token was shown last
//! accounts/ID/compared.json         how bundles with the same cluster stand to each other: `told`
//! ```
//!
//! What was cut off in between is put right by `settle`.

mod taking;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use bobbin_core::api::{self, App};
use bobbin_core::clock::Clock;
use bobbin_core::install::prepare;
use bobbin_core::ledger::Chain;
use bobbin_core::lock::lock;
use bobbin_core::model::Micros;
use bobbin_core::share::Level;
use bobbin_core::{Error, Result};
use tokio::sync::watch;

use super::backups::Backups;
use super::event::{AuditRow, Audited, Device, Event};
use super::incoming::{Incoming, at, remove_folder};
use super::secret::{self, Purpose};
use super::state::{Bundle, Member, State, Who};
use super::told::Tellers;
use super::used::Used;
use crate::team::{
    HubKey, Joined, Me, Progress, Proof, ProofKind, Readers, Role, Scope, Shared, Signed, Standing,
    is_sha256,
};

const AUDIT: &str = "audit.ndjson";
/// Letters of what a person, a machine or a bundle is called.
const NAME: usize = 100;

/// One account.
pub struct Account {
    pub id: String,
    dir: PathBuf,
    pub app: App,
    clock: Arc<dyn Clock>,
    key: Arc<HubKey>,
    backups: Arc<Backups>,
    audit: Chain<Audited>,
    state: Mutex<State>,
    incoming: Incoming,
    pub used: Used,
    pub(super) tellers: Tellers,
    /// Bundles are taken and recalled one after the other. What only looks does not wait for that.
    changing: Mutex<()>,
    /// Of the last row of the audit: whoever listens looks again.
    told: watch::Sender<u64>,
}

/// What all accounts of a hub have in common.
#[derive(Clone)]
pub struct Common {
    pub clock: Arc<dyn Clock>,
    pub key: Arc<HubKey>,
    pub backups: Arc<Backups>,
}

/// Why somebody is not served.
#[derive(Debug)]
pub enum Denied {
    /// Their token is none, or no longer.
    Unknown,
    /// It does not exist, or is not theirs to know of.
    NotFound,
    /// They know of it, and may not.
    Forbidden,
    /// No room is left under the account's quota.
    OverQuota {
        quota: u64,
        needed: u64,
    },
    /// It was recalled, and sending it again needs a new approval.
    Recalled,
    Other(Error),
}

impl From<Error> for Denied {
    fn from(error: Error) -> Self {
        Denied::Other(error)
    }
}

pub type Asked<T> = std::result::Result<T, Denied>;

impl Account {
    /// Makes a new one.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::DiskFull`].
    pub fn make(accounts: &Path, name: &str, quota_bytes: u64, of: &Common) -> Result<Self> {
        let id = secret::id()?;
        let account = Self::open(accounts, &id, of)?;
        let name = named("account", name)?;
        // Every member and viewer reads what an account takes: messages and code only where whoever runs the hub says so.
        let opened = Event::Opened {
            name,
            quota_bytes,
            level: Some(Level::Names),
        };
        account.record("hub", opened)?;
        Ok(account)
    }

    /// Opens one.
    ///
    /// # Errors
    /// [`Error::Refused`] if its audit does not hold together; those of [`App::open`].
    pub fn open(accounts: &Path, id: &str, of: &Common) -> Result<Self> {
        let dir = accounts.join(id);
        for folder in [&dir, &dir.join("bundles")] {
            prepare(folder)?;
        }
        let audit = Chain::at(&dir.join(AUDIT));
        let mut state = State::default();
        for row in audit.rows()? {
            state.apply(&row);
        }
        let app = App::open(&dir.join("store"), api::Role::Owner, Arc::clone(&of.clock))?;
        let account = Self {
            id: id.into(),
            incoming: Incoming::open(&dir.join("incoming"), of.clock.now())?,
            used: Used::open(&dir.join("used.json")),
            tellers: Tellers::open(dir.join("compared.json")),
            dir,
            app,
            clock: Arc::clone(&of.clock),
            key: Arc::clone(&of.key),
            backups: Arc::clone(&of.backups),
            audit,
            state: Mutex::new(state),
            changing: Mutex::default(),
            told: watch::Sender::default(),
        };
        account.settle()?;
        Ok(account)
    }

    /// Forgets the uploads that nobody went on with.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn tidy(&self) -> Result<()> {
        self.incoming.expire(self.now())
    }

    /// Where it lies.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub fn now(&self) -> Micros {
        self.clock.now()
    }

    /// Until this is dropped no bundle is taken or recalled.
    pub fn alone(&self) -> MutexGuard<'_, ()> {
        lock(&self.changing)
    }

    /// Who shows the token of this digest.
    pub fn who(&self, digest: &str) -> Asked<Who> {
        let now = self.now();
        let who = self.state().who(digest, now).ok_or(Denied::Unknown)?;
        if let Err(error) = self.used.note(&who.token, now) {
            tracing::warn!(%error, "Bobbin could not record when a token was last used");
        }
        Ok(who)
    }

    /// Looks at the account and, if `decide` has something happen, makes it durable before anybody else looks.
    ///
    /// # Errors
    /// Those of `decide`; [`Error::DiskFull`], [`Error::Io`].
    pub fn change<E: From<Error>>(
        &self,
        by: &str,
        decide: impl FnOnce(&State) -> std::result::Result<Event, E>,
    ) -> std::result::Result<AuditRow, E> {
        let mut state = self.state();
        let entry = Audited {
            by: by.into(),
            event: decide(&state)?,
        };
        let row = self.audit.append(self.now(), &entry)?;
        state.apply(&row);
        drop(state);
        self.told.send_replace(row.number);
        Ok(row)
    }

    /// Says when something happened to it.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.told.subscribe()
    }

    /// It is no longer one of the hub's: whoever listens looks again. Removes all that it holds, after what is being done to it.
    ///
    /// # Errors
    /// Those of the store and of the disk.
    pub fn remove(&self) -> Result<()> {
        self.told.send_modify(|_| {});
        let _one = self.alone();
        self.app.drain()?;
        // What is still on its way here finds no folder.
        let gone = removed(&self.dir);
        fs::rename(&self.dir, &gone).map_err(at(&self.dir))?;
        remove_folder(&gone)
    }

    fn record(&self, by: &str, event: Event) -> Result<AuditRow> {
        self.change(by, |_| Ok::<_, Error>(event))
    }

    /// All that happened.
    ///
    /// # Errors
    /// As [`Account::open`].
    pub fn audit(&self) -> Result<Vec<AuditRow>> {
        self.audit.rows()
    }

    /// Makes an invite into a member with a token. Of many who try at once, one does.
    pub fn join(&self, digest: &str, device: &str) -> Asked<Joined> {
        let device = named("device", device)?;
        let (token, kept) = secret::new(Purpose::Token, &self.id)?;
        let (member, token_id) = (secret::id()?, secret::id()?);
        let now = self.now();
        let row = self.change(&member, |state| {
            let (id, invite) = state
                .invites
                .iter()
                .find(|(_, invite)| invite.digest == digest)
                .filter(|(_, invite)| !invite.over && now < invite.expires_micros)
                .ok_or(Denied::Unknown)?;
            Ok::<_, Denied>(Event::Joined {
                invite: id.clone(),
                member: member.clone(),
                name: invite.name.clone(),
                role: invite.role,
                bundle: invite.bundle.clone(),
                token: Device {
                    id: token_id.clone(),
                    digest: kept.clone(),
                    device: device.clone(),
                    scope: Scope::Full,
                    expires_micros: after(now, invite.token_days),
                },
            })
        })?;
        let state = self.state();
        match row.entry.event {
            Event::Joined {
                role, token: made, ..
            } => Ok(Joined {
                account: self.id.clone(),
                account_name: state.name.clone(),
                member,
                role,
                token,
                token_id,
                expires_micros: made.expires_micros,
                hub_key: self.key.public(),
                level: state.level,
                readers: self.readers(&state, role),
            }),
            _ => Err(Denied::Unknown),
        }
    }

    /// Who reads what is shared here. A guest knows of one bundle alone.
    fn readers(&self, state: &State, asks: Role) -> Option<Readers> {
        let count = |role| {
            let of_role = |member: &&Member| !member.removed && member.role == role;
            let members = state.members.values().filter(of_role).count();
            u32::try_from(members).unwrap_or(u32::MAX)
        };
        (asks != Role::Guest).then(|| Readers {
            viewers: count(Role::Viewer),
            members: count(Role::Member),
            admins: count(Role::Admin),
            backup_days: self.backups.days(),
        })
    }

    /// What somebody is told of themselves.
    pub fn me(&self, who: &Who) -> Me {
        let state = self.state();
        let expires = state.tokens.get(&who.token);
        let of_all = |number: u64| (who.role != Role::Guest).then_some(number);
        Me {
            account: self.id.clone(),
            account_name: state.name.clone(),
            member: who.member.clone(),
            name: state.name_of(&who.member),
            role: who.role,
            scope: who.scope,
            token_id: who.token.clone(),
            expires_micros: expires.map_or(Micros(0), |token| token.device.expires_micros),
            level: state.level,
            readers: self.readers(&state, who.role),
            quota_bytes: of_all(state.quota_bytes),
            used_bytes: of_all(state.used_bytes()),
            rows: of_all(state.rows),
        }
    }

    /// The hash of a row of the audit. Guests have no receipts, and are told of none.
    pub fn row_hash(&self, who: &Who, number: u64) -> Asked<String> {
        if who.role == Role::Guest {
            return Err(Denied::NotFound);
        }
        let state = self.state();
        state
            .hash(number)
            .map(str::to_owned)
            .ok_or(Denied::NotFound)
    }

    pub fn shared(&self, who: &Who) -> Vec<Shared> {
        let tellers = self.tellers.shared();
        self.state().shared(who, &tellers)
    }

    /// Of the clusters of a bundle, those of which it contradicts what somebody else shared before.
    fn contradicted_by(&self, sha256: &str) -> Vec<String> {
        let tellers = self.tellers.shared();
        let contradicted = tellers
            .into_iter()
            .filter(|(_, one)| one.contradict.contains_key(sha256));
        contradicted.map(|(id, _)| id).collect()
    }

    /// Deletes a bundle and what was made of it, and signs that it did.
    pub fn recall(&self, who: &Who, sha256: &str) -> Asked<Standing> {
        // It becomes a part of a path.
        if !is_sha256(sha256) {
            return Err(Denied::NotFound);
        }
        let _one = self.alone();
        // Whoever was removed while others were waited for recalls nothing more, and whoever has another role what that one may.
        let now = self.state().still(who).ok_or(Denied::Unknown)?;
        let who = &now;
        let found = self.state().bundles.get(sha256).cloned();
        let Some(bundle) = found.filter(|_| who.sees(sha256)) else {
            // What was never whole leaves nothing behind.
            self.give_up(who, sha256)?;
            return Ok(Standing {
                progress: Progress::Recalled,
                missing: Vec::new(),
                proof: None,
            });
        };
        if bundle.recalled.is_none() {
            if !(who.shares() && bundle.member == who.member || who.governs()) {
                return Err(Denied::Forbidden);
            }
            self.change(&who.member, |_| {
                Ok::<_, Error>(Event::Recalled {
                    sha256: sha256.into(),
                    member: who.member.clone(),
                    backups_until_micros: self.backups.until(self.now()),
                })
            })?;
        }
        self.end_recall(sha256)?;
        // What they sent of the same bytes since goes, too.
        if let Err(denied) = self.give_up(who, sha256)
            && !matches!(denied, Denied::NotFound)
        {
            return Err(denied);
        }
        self.standing(who, sha256)
    }

    /// Whether somebody may have a bundle: it is here, and theirs to see.
    pub fn hands_out(&self, who: &Who, sha256: &str) -> bool {
        self.is_here(sha256) && who.sees(sha256)
    }

    /// The file of a bundle.
    pub fn file(&self, who: &Who, sha256: &str) -> Asked<File> {
        if !self.hands_out(who, sha256) {
            return Err(Denied::NotFound);
        }
        let path = self.bundle_path(sha256);
        File::open(&path).map_err(|source| Denied::Other(Error::Io { path, source }))
    }

    /// Where the file of a bundle lies.
    pub fn bundle_path(&self, sha256: &str) -> PathBuf {
        self.dir.join("bundles").join(sha256)
    }

    /// Whether the audit says that a bundle is here.
    pub fn is_here(&self, sha256: &str) -> bool {
        let state = self.state();
        let bundle = state.bundles.get(sha256);
        bundle.is_some_and(|bundle| bundle.recalled.is_none())
    }

    fn standing_of(&self, sha256: &str, bundle: &Bundle) -> Asked<Standing> {
        let progress = match bundle.recalled {
            None => Progress::Committed,
            // Nothing is signed before it is so.
            Some(_) if self.bundle_path(sha256).exists() => {
                return Err(Denied::Other(Error::Busy));
            }
            Some(_) => Progress::Recalled,
        };
        Ok(Standing {
            progress,
            missing: Vec::new(),
            proof: Some(self.proof(sha256, bundle)?),
        })
    }

    /// What the hub says of a bundle, signed. The same each time.
    fn proof(&self, sha256: &str, bundle: &Bundle) -> Result<Signed> {
        let (kind, said) = match &bundle.recalled {
            None => (ProofKind::Receipt, &bundle.committed),
            Some(said) => (ProofKind::Tombstone, said),
        };
        self.key.sign(&Proof {
            kind,
            account: self.id.clone(),
            member: bundle.member.clone(),
            sha256: sha256.into(),
            bytes: bundle.bytes,
            clusters: bundle.clusters.clone(),
            at_micros: said.at,
            number: said.number,
            hash: said.hash.clone(),
            backups_until_micros: bundle.backups_until.filter(|_| bundle.recalled.is_some()),
        })
    }
}

/// What the folder of an account is called while it is removed. No id has a dot.
pub fn removed(dir: &Path) -> PathBuf {
    dir.with_extension("removed")
}

/// One line of some letters.
///
/// # Errors
/// [`Error::Invalid`].
pub fn named(what: &'static str, name: &str) -> Result<String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME || name.contains(char::is_control) {
        return Err(Error::Invalid {
            what,
            value: name.chars().take(NAME).collect(),
            reason: format!("a name is one line of at most {NAME} characters"),
        });
    }
    Ok(name.to_owned())
}

/// So many days later.
pub fn after(now: Micros, days: u32) -> Micros {
    Micros(now.0.saturating_add(i64::from(days) * 86_400_000_000))
}

#[cfg(test)]
mod tests {
    use bobbin_core::clock::SystemClock;

    use super::*;
    use crate::hub::Hub;

    #[test]
    fn whoever_is_out_or_less_by_the_time_it_is_their_turn_recalls_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let hub = Hub::open(dir.path(), Arc::new(SystemClock)).unwrap();
        let account = hub.add("blue", 1 << 30).unwrap();
        let happens = |event: Event| drop(account.record("hub", event).unwrap());
        let sha256 = "0".repeat(64);
        happens(Event::MemberAdded {
            member: "ada".into(),
            name: "Ada".into(),
            role: Role::Admin,
            bundle: None,
        });
        happens(Event::TokenMade {
            member: "ada".into(),
            token: Device {
                id: "laptop".into(),
                digest: String::new(),
                device: "laptop".into(),
                scope: Scope::Full,
                expires_micros: Micros(i64::MAX),
            },
        });
        happens(Event::Committed {
            sha256: sha256.clone(),
            bytes: 1,
            plain_bytes: 1,
            member: "ada".into(),
            name: "one".into(),
            clusters: Vec::new(),
            contradicts: Vec::new(),
        });
        let by_token = Who {
            member: "ada".into(),
            token: "laptop".into(),
            role: Role::Admin,
            scope: Scope::Full,
            bundle: None,
        };
        let by_command = Who {
            token: String::new(),
            ..by_token.clone()
        };
        for role in [Role::Viewer, Role::Admin] {
            let member = "ada".into();
            happens(Event::RoleSet { member, role });
            if role == Role::Viewer {
                let refused = account.recall(&by_token, &sha256);
                assert!(matches!(refused, Err(Denied::Forbidden)), "{refused:?}");
            }
        }
        happens(Event::TokenRevoked {
            token: "laptop".into(),
        });
        let refused = account.recall(&by_token, &sha256);
        assert!(matches!(refused, Err(Denied::Unknown)), "{refused:?}");
        happens(Event::MemberRemoved {
            member: "ada".into(),
        });
        let refused = account.recall(&by_command, &sha256);
        assert!(matches!(refused, Err(Denied::Unknown)), "{refused:?}");
        assert!(account.is_here(&sha256));
    }
}
