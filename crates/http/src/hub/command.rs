//! What whoever runs the hub may have done, and admins of their own account.

use std::fs;
use std::path::{Path, PathBuf};

use bobbin_core::install::prepare;
use bobbin_core::share::Level;
use bobbin_core::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Hub;
use super::account::{Account, Denied, after, named};
use super::event::{Device, Event};
use super::running::HubPlace;
use super::secret::{self, Purpose};
use super::state::{Member, State, Who};
use crate::team::{JoinCode, Role, Scope, is_sha256};

/// Longest that an invite or a token is good for.
const DAYS: u32 = 3_650;

/// For whoever runs the hub.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    Accounts,
    AccountAdd {
        name: String,
        quota_bytes: u64,
    },
    AccountQuota {
        account: String,
        quota_bytes: u64,
    },
    /// The most that bundles may tell from now on.
    AccountLevel {
        account: String,
        level: Level,
    },
    AccountRemove {
        account: String,
    },
    /// How long backups of the hub live.
    Backups,
    /// Says so, in days; none: it is not said.
    BackupsSet {
        days: Option<u32>,
    },
    /// All that an account holds, into a new folder.
    AccountExport {
        account: String,
        path: PathBuf,
    },
    Within {
        account: String,
        of: AccountCommand,
    },
}

/// For whoever runs the hub, and for admins of the account.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum AccountCommand {
    Members,
    MemberRole {
        member: String,
        role: Role,
    },
    MemberRemove {
        member: String,
    },
    Invite {
        name: String,
        role: Role,
        /// The one bundle of a guest.
        bundle: Option<String>,
        days: u32,
        token_days: u32,
    },
    Invites,
    InviteRevoke {
        invite: String,
    },
    Tokens,
    /// One more token of a member, such as for a browser.
    TokenNew {
        member: String,
        device: String,
        scope: Scope,
        days: u32,
    },
    TokenRevoke {
        token: String,
    },
    Bundles,
    Recall {
        sha256: String,
    },
    Audit,
}

impl Hub {
    /// Does it, for whoever runs the hub.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`], [`Error::Refused`]; those of the disk.
    pub fn run(&self, command: Command, place: Option<&HubPlace>) -> Result<Value> {
        match command {
            Command::Accounts => {
                let rows: Vec<Value> = self.accounts().iter().map(|one| about(one)).collect();
                Ok(json!(rows))
            }
            Command::AccountAdd { name, quota_bytes } => {
                let name = named("account", &name)?;
                let taken = self.accounts().iter().any(|one| one.state().name == name);
                if taken {
                    return Err(Error::Refused(format!("the account {name} already exists")));
                }
                Ok(about(&*self.add(&name, quota_bytes)?))
            }
            Command::AccountQuota {
                account,
                quota_bytes,
            } => {
                let account = self.named(&account)?;
                account.change("hub", |_| Ok::<_, Error>(Event::QuotaSet { quota_bytes }))?;
                Ok(about(&account))
            }
            Command::AccountLevel { account, level } => {
                let account = self.named(&account)?;
                account.change("hub", |_| Ok::<_, Error>(Event::LevelSet { level }))?;
                Ok(about(&account))
            }
            Command::AccountRemove { account } => {
                let account = self.named(&account)?;
                let gone = about(&account);
                self.remove(&account)?;
                Ok(gone)
            }
            Command::Backups => Ok(self.backups()),
            Command::BackupsSet { days } => {
                days.map_or(Ok(()), in_days)?;
                self.set_backups(days)?;
                Ok(self.backups())
            }
            Command::AccountExport { account, path } => export(&*self.named(&account)?, &path),
            Command::Within { account, of } => {
                let account = self.named(&account)?;
                within(&account, "hub", of, place)
            }
        }
    }

    fn backups(&self) -> Value {
        json!({"backup_days": self.common.backups.days()})
    }

    /// By its id or its name.
    fn named(&self, text: &str) -> Result<std::sync::Arc<Account>> {
        let found = self.account(text).or_else(|| {
            let mut all = self.accounts().into_iter();
            all.find(|account| account.state().name == text)
        });
        found.ok_or_else(|| Error::NotFound {
            kind: "account",
            id: text.into(),
        })
    }
}

fn about(account: &Account) -> Value {
    let state = account.state();
    json!({
        "account": account.id,
        "name": state.name,
        "members": state.members.values().filter(|member| !member.removed).count(),
        "bundles": state.here().count(),
        "used_bytes": state.used_bytes(),
        "quota_bytes": state.quota_bytes,
        "level": state.level,
    })
}

/// Does it in one account.
///
/// # Errors
/// As [`Hub::run`].
pub fn within(
    account: &Account,
    by: &str,
    command: AccountCommand,
    place: Option<&HubPlace>,
) -> Result<Value> {
    match command {
        AccountCommand::Members => {
            let state = account.state();
            let rows = state.members.iter().map(|(id, member)| {
                json!({"member": id, "name": member.name, "role": member.role, "bundle": member.bundle, "removed": member.removed})
            });
            Ok(rows.collect())
        }
        AccountCommand::MemberRole { member, role } => {
            account.change(by, |state| {
                member_of(state, &member)?;
                Ok::<_, Error>(Event::RoleSet {
                    member: member.clone(),
                    role,
                })
            })?;
            Ok(with_made(
                account,
                &member,
                json!({"member": member, "role": role}),
            ))
        }
        AccountCommand::MemberRemove { member } => {
            account.change(by, |state| {
                member_of(state, &member)?;
                Ok::<_, Error>(Event::MemberRemoved {
                    member: member.clone(),
                })
            })?;
            Ok(with_made(
                account,
                &member,
                json!({"member": member, "removed": true}),
            ))
        }
        AccountCommand::Invite {
            name,
            role,
            bundle,
            days,
            token_days,
        } => {
            let place = place.ok_or_else(|| {
                Error::Refused("the hub has no address yet: start `bobbin hub serve` once".into())
            })?;
            let name = named("member", &name)?;
            in_days(days)?;
            in_days(token_days)?;
            let fits = match &bundle {
                Some(bundle) => role == Role::Guest && is_sha256(bundle),
                None => role != Role::Guest,
            };
            if !fits {
                return Err(Error::Invalid {
                    what: "invite",
                    value: role.word().into(),
                    reason: "a guest needs one bundle, named by its SHA-256; other roles take none"
                        .into(),
                });
            }
            let (text, digest) = secret::new(Purpose::Invite, &account.id)?;
            let invite = secret::id()?;
            let expires = after(account.now(), days);
            account.change(by, |state| {
                if let Some(bundle) = &bundle
                    && !state.bundles.contains_key(bundle)
                {
                    return Err(missing("bundle", bundle));
                }
                Ok(Event::InviteMade {
                    invite: invite.clone(),
                    digest,
                    name: name.clone(),
                    role,
                    bundle: bundle.clone(),
                    expires_micros: expires,
                    token_days,
                })
            })?;
            let code = JoinCode {
                address: place.address.clone(),
                pin: place.certificate_sha256.clone(),
                invite: text,
            };
            Ok(
                json!({"invite": invite, "name": name, "role": role, "expires_micros": expires, "code": code.to_string()}),
            )
        }
        AccountCommand::Invites => {
            let state = account.state();
            let rows = state.invites.iter().map(|(id, invite)| {
                json!({"invite": id, "name": invite.name, "role": invite.role, "expires_micros": invite.expires_micros, "over": invite.over})
            });
            Ok(rows.collect())
        }
        AccountCommand::InviteRevoke { invite } => {
            account.change(by, |state| {
                if !state.invites.contains_key(&invite) {
                    return Err(missing("invite", &invite));
                }
                Ok(Event::InviteRevoked {
                    invite: invite.clone(),
                })
            })?;
            Ok(json!({"invite": invite, "over": true}))
        }
        AccountCommand::Tokens => {
            let state = account.state();
            let rows = state.tokens.iter().map(|(id, token)| {
                json!({
                    "token": id, "member": token.member, "name": state.name_of(&token.member), "device": token.device.device,
                    "scope": token.device.scope, "expires_micros": token.device.expires_micros, "revoked": token.revoked,
                    "last_used_micros": account.used.last(id),
                })
            });
            Ok(rows.collect())
        }
        AccountCommand::TokenNew {
            member,
            device,
            scope,
            days,
        } => {
            let device = named("device", &device)?;
            in_days(days)?;
            let (text, digest) = secret::new(Purpose::Token, &account.id)?;
            let id = secret::id()?;
            let expires_micros = after(account.now(), days);
            account.change(by, |state| {
                member_of(state, &member)?;
                Ok::<_, Error>(Event::TokenMade {
                    member: member.clone(),
                    token: Device {
                        id: id.clone(),
                        digest,
                        device,
                        scope,
                        expires_micros,
                    },
                })
            })?;
            Ok(
                json!({"token": id, "member": member, "text": text, "expires_micros": expires_micros}),
            )
        }
        AccountCommand::TokenRevoke { token } => {
            account.change(by, |state| {
                if !state.tokens.contains_key(&token) {
                    return Err(missing("token", &token));
                }
                Ok(Event::TokenRevoked {
                    token: token.clone(),
                })
            })?;
            Ok(json!({"token": token, "revoked": true}))
        }
        AccountCommand::Bundles => Ok(json!(account.shared(&whole(by)))),
        AccountCommand::Recall { sha256 } => match account.recall(&whole(by), &sha256) {
            Ok(standing) => Ok(json!(standing)),
            Err(Denied::Other(error)) => Err(error),
            Err(_) => Err(missing("bundle", &sha256)),
        },
        AccountCommand::Audit => Ok(json!(account.audit()?)),
    }
}

/// An answer, with the good tokens that a member who is no admin any more made for others, if there are any.
fn with_made(account: &Account, member: &str, mut answer: Value) -> Value {
    let state = account.state();
    let governs = |one: &Member| one.role == Role::Admin && !one.removed;
    if !state.members.get(member).is_some_and(governs) {
        let made = state.made_for_others(member, account.now());
        if !made.is_empty() {
            answer["tokens_made_for_others"] = json!(made);
        }
    }
    answer
}

/// Somebody who may do anything in an account.
fn whole(by: &str) -> Who {
    Who {
        member: by.into(),
        token: String::new(),
        role: Role::Admin,
        scope: Scope::Full,
        bundle: None,
    }
}

fn missing(kind: &'static str, id: &str) -> Error {
    Error::NotFound {
        kind,
        id: id.chars().take(80).collect(),
    }
}

fn member_of(state: &State, member: &str) -> Result<()> {
    let there = state.members.get(member);
    if there.is_some_and(|member| !member.removed) {
        return Ok(());
    }
    Err(missing("member", member))
}

fn in_days(days: u32) -> Result<()> {
    if (1..=DAYS).contains(&days) {
        return Ok(());
    }
    Err(Error::Invalid {
        what: "days",
        value: days.to_string(),
        reason: format!("use 1 to {DAYS}"),
    })
}

/// The audit, the members and every bundle as it came: the store is made of these.
fn export(account: &Account, path: &Path) -> Result<Value> {
    if path.exists() {
        return Err(Error::Refused(format!(
            "{} already exists, and Bobbin does not overwrite it",
            path.display()
        )));
    }
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |source| Error::Io { path, source }
    };
    // Nothing is recalled meanwhile: what the audit says is here is.
    let _one = account.alone();
    prepare(path)?;
    let here: Vec<String> = account
        .state()
        .here()
        .map(|(sha256, _)| sha256.clone())
        .collect();
    let count = here.len();
    // Before anything is written, so that the copy of the audit says it, too.
    account.change("hub", |_| {
        Ok::<_, Error>(Event::Exported { bundles: count })
    })?;
    let audit = path.join("audit.ndjson");
    fs::copy(account.dir().join("audit.ndjson"), &audit).map_err(io(&audit))?;
    let bundles = path.join("bundles");
    prepare(&bundles)?;
    for sha256 in &here {
        let to = bundles.join(format!("{sha256}.bobbin"));
        fs::copy(account.bundle_path(sha256), &to).map_err(io(&to))?;
    }
    Ok(json!({"path": path, "bundles": count}))
}
