//! What an account is, by all that happened to it.

use std::collections::{BTreeMap, BTreeSet};

use bobbin_core::model::Micros;
use bobbin_core::share::Level;
use serde::Serialize;

use super::event::{AuditRow, Device, Event};
use super::told::Teller;
use crate::team::{Contradicted, Role, Scope, Shared};

/// What an account is now.
#[derive(Default)]
pub struct State {
    pub name: String,
    pub quota_bytes: u64,
    /// The most that a bundle may tell; none where nobody said so.
    pub level: Option<Level>,
    pub rows: u64,
    pub members: BTreeMap<String, Member>,
    pub tokens: BTreeMap<String, Token>,
    pub invites: BTreeMap<String, Invite>,
    pub bundles: BTreeMap<String, Bundle>,
    hashes: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Member {
    pub name: String,
    pub role: Role,
    pub bundle: Option<String>,
    pub removed: bool,
}

/// A token of a machine.
#[derive(Clone, Debug, Serialize)]
pub struct Token {
    /// Who made it, and has seen it.
    pub by: String,
    pub member: String,
    #[serde(flatten)]
    pub device: Device,
    pub revoked: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Invite {
    /// Who made it.
    pub by: String,
    #[serde(skip)]
    pub digest: String,
    pub name: String,
    pub role: Role,
    pub bundle: Option<String>,
    pub expires_micros: Micros,
    pub token_days: u32,
    /// Spent or revoked, or whoever made it may invite nobody any more.
    pub over: bool,
}

/// A bundle that is here, or was.
#[derive(Clone, Debug)]
pub struct Bundle {
    pub name: String,
    /// Of its file.
    pub bytes: u64,
    /// What that unpacks to: about what the store grew by.
    pub plain_bytes: u64,
    pub member: String,
    pub clusters: Vec<String>,
    pub committed: Said,
    pub recalled: Option<Said>,
    /// Of one that was recalled, until when backups may hold it.
    pub backups_until: Option<Micros>,
}

impl Bundle {
    /// One that is being taken: it has no row yet.
    pub fn coming(member: &str, clusters: &[String]) -> Self {
        Self {
            name: String::new(),
            bytes: 0,
            plain_bytes: 0,
            member: member.into(),
            clusters: clusters.to_vec(),
            committed: Said {
                number: u64::MAX,
                hash: String::new(),
                at: Micros(0),
            },
            recalled: None,
            backups_until: None,
        }
    }
}

/// The row that says something.
#[derive(Clone, Debug)]
pub struct Said {
    pub number: u64,
    pub hash: String,
    pub at: Micros,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Who {
    pub member: String,
    pub token: String,
    pub role: Role,
    pub scope: Scope,
    /// The one bundle of a guest.
    pub bundle: Option<String>,
}

impl Who {
    /// Whether the bundle is theirs to see.
    pub fn sees(&self, sha256: &str) -> bool {
        self.role != Role::Guest || self.bundle.as_deref() == Some(sha256)
    }

    pub fn shares(&self) -> bool {
        self.scope == Scope::Full && matches!(self.role, Role::Member | Role::Admin)
    }

    pub fn governs(&self) -> bool {
        self.scope == Scope::Full && self.role == Role::Admin
    }
}

impl State {
    /// Takes in what happened next.
    pub fn apply(&mut self, row: &AuditRow) {
        let by = &row.entry.by;
        self.rows = row.number;
        self.hashes.push(row.hash.clone());
        let said = || Said {
            number: row.number,
            hash: row.hash.clone(),
            at: row.at_micros,
        };
        match row.entry.event.clone() {
            Event::Opened {
                name,
                quota_bytes,
                level,
            } => {
                self.name = name;
                self.quota_bytes = quota_bytes;
                self.level = level;
            }
            Event::QuotaSet { quota_bytes } => self.quota_bytes = quota_bytes,
            Event::LevelSet { level } => self.level = Some(level),
            Event::Exported { bundles: _ } => {}
            Event::MemberAdded {
                member,
                name,
                role,
                bundle,
            } => self.add(member, name, role, bundle),
            Event::RoleSet { member, role } => {
                if role != Role::Admin {
                    self.end_invites_of(&member);
                }
                if let Some(member) = self.members.get_mut(&member) {
                    member.role = role;
                }
            }
            Event::MemberRemoved { member } => {
                for token in self.tokens.values_mut() {
                    token.revoked |= token.member == member;
                }
                self.end_invites_of(&member);
                if let Some(member) = self.members.get_mut(&member) {
                    member.removed = true;
                }
            }
            Event::InviteMade {
                invite,
                digest,
                name,
                role,
                bundle,
                expires_micros,
                token_days,
            } => {
                let made = Invite {
                    by: by.clone(),
                    digest,
                    name,
                    role,
                    bundle,
                    expires_micros,
                    token_days,
                    over: false,
                };
                self.invites.insert(invite, made);
            }
            Event::InviteRevoked { invite } => self.end(&invite),
            Event::Joined {
                invite,
                member,
                name,
                role,
                bundle,
                token,
            } => {
                self.end(&invite);
                self.add(member.clone(), name, role, bundle);
                self.hand_out(by, member, token);
            }
            Event::TokenMade { member, token } => self.hand_out(by, member, token),
            Event::TokenRevoked { token } => {
                if let Some(token) = self.tokens.get_mut(&token) {
                    token.revoked = true;
                }
            }
            Event::Committed {
                sha256,
                bytes,
                plain_bytes,
                member,
                name,
                clusters,
                contradicts: _,
            } => {
                let bundle = Bundle {
                    name,
                    bytes,
                    plain_bytes,
                    member,
                    clusters,
                    committed: said(),
                    recalled: None,
                    backups_until: None,
                };
                self.bundles.insert(sha256, bundle);
            }
            Event::Recalled {
                sha256,
                member: _,
                backups_until_micros,
            } => {
                if let Some(bundle) = self.bundles.get_mut(&sha256) {
                    bundle.recalled = Some(said());
                    bundle.backups_until = backups_until_micros;
                }
            }
        }
    }

    fn add(&mut self, id: String, name: String, role: Role, bundle: Option<String>) {
        let member = Member {
            name,
            role,
            bundle,
            removed: false,
        };
        self.members.insert(id, member);
    }

    fn end(&mut self, invite: &str) {
        if let Some(invite) = self.invites.get_mut(invite) {
            invite.over = true;
        }
    }

    /// What somebody may not let in any more, the codes that they handed out do not, either.
    fn end_invites_of(&mut self, member: &str) {
        for invite in self.invites.values_mut() {
            invite.over |= invite.by == member;
        }
    }

    /// The good tokens that somebody made for others: they have seen them.
    pub fn made_for_others(&self, by: &str, now: Micros) -> Vec<&String> {
        let good = |token: &Token| !token.revoked && now < token.device.expires_micros;
        let made = self
            .tokens
            .iter()
            .filter(|(_, token)| token.by == by && token.member != by && good(token));
        made.map(|(id, _)| id).collect()
    }

    fn hand_out(&mut self, by: &str, member: String, device: Device) {
        let token = Token {
            by: by.into(),
            member,
            device,
            revoked: false,
        };
        self.tokens.insert(token.device.id.clone(), token);
    }

    /// Who has the token with this digest, while it is good. Digests of 260 random bits are looked up, so time tells nothing.
    pub fn who(&self, digest: &str, now: Micros) -> Option<Who> {
        let token = self
            .tokens
            .values()
            .find(|token| token.device.digest == digest)?;
        if token.revoked || now >= token.device.expires_micros {
            return None;
        }
        let member = self
            .members
            .get(&token.member)
            .filter(|member| !member.removed)?;
        Some(Who {
            member: token.member.clone(),
            token: token.device.id.clone(),
            role: member.role,
            scope: token.device.scope,
            bundle: member.bundle.clone(),
        })
    }

    /// Who somebody that was let in is by now, with the role that they have; none if they are out since: their token was revoked, or
    /// they were removed.
    pub fn still(&self, who: &Who) -> Option<Who> {
        let token = self.tokens.get(&who.token);
        let member = self.members.get(&who.member);
        if token.is_some_and(|token| token.revoked) || member.is_some_and(|member| member.removed) {
            return None;
        }
        let mut now = who.clone();
        if let Some(member) = member {
            (now.role, now.bundle) = (member.role, member.bundle.clone());
        }
        Some(now)
    }

    /// Bytes of the bundles that are here, and of what they unpack to.
    pub fn used_bytes(&self) -> u64 {
        let here = self.bundles.values().filter(|one| one.recalled.is_none());
        here.fold(0, |sum, one| {
            sum.saturating_add(one.bytes)
                .saturating_add(one.plain_bytes)
        })
    }

    /// The bundles that are here, the oldest first.
    pub fn here(&self) -> impl Iterator<Item = (&String, &Bundle)> {
        let mut here: Vec<_> = self
            .bundles
            .iter()
            .filter(|(_, bundle)| bundle.recalled.is_none())
            .collect();
        here.sort_by_key(|(_, bundle)| bundle.committed.number);
        here.into_iter()
    }

    /// The hash of a row of the audit.
    pub fn hash(&self, number: u64) -> Option<&str> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.hashes.get(index).map(String::as_str)
    }

    /// What somebody may see of the bundles, the newest first. `tellers` says who tells the clusters that several bundles have.
    pub fn shared(&self, who: &Who, tellers: &BTreeMap<String, Teller>) -> Vec<Shared> {
        let mut all: Vec<_> = self
            .bundles
            .iter()
            .filter(|(sha256, _)| who.sees(sha256))
            .collect();
        all.sort_by_key(|(_, bundle)| std::cmp::Reverse(bundle.committed.number));
        let mut members: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
        for (_, bundle) in self.here() {
            for cluster in &bundle.clusters {
                members.entry(cluster).or_default().insert(&bundle.member);
            }
        }
        // A guest knows of nobody.
        let others = |bundle: &Bundle| -> Vec<String> {
            let known = bundle.clusters.iter().filter(|_| who.role != Role::Guest);
            let also = known.filter_map(|cluster| members.get(cluster)).flatten();
            let also: BTreeSet<&&String> = also.filter(|one| **one != &bundle.member).collect();
            also.into_iter().map(|one| self.name_of(one)).collect()
        };
        // What tells a cluster, where it is not this bundle.
        let elsewhere = |sha256: &String, bundle: &Bundle| -> Vec<&Teller> {
            let told = bundle.clusters.iter().filter_map(|id| tellers.get(id));
            told.filter(|teller| teller.sha256 != *sha256).collect()
        };
        let contradicts = |sha256: &String, bundle: &Bundle| -> Vec<Contradicted> {
            let known = bundle.clusters.iter().filter(|_| who.role != Role::Guest);
            known
                .filter_map(|cluster| {
                    let teller = tellers.get(cluster)?;
                    let what = teller.contradict.get(sha256)?;
                    Some(Contradicted {
                        cluster: cluster.clone(),
                        member_name: self.name_of(&teller.member),
                        record: what.record.clone(),
                        field: what.field.clone(),
                    })
                })
                .collect()
        };
        all.into_iter()
            .map(|(sha256, bundle)| (sha256, bundle, elsewhere(sha256, bundle)))
            .map(|(sha256, bundle, elsewhere)| Shared {
                sha256: sha256.clone(),
                name: bundle.name.clone(),
                bytes: bundle.bytes,
                member: bundle.member.clone(),
                member_name: self.name_of(&bundle.member),
                at_micros: bundle.committed.at,
                clusters: bundle.clusters.len(),
                others: others(bundle),
                counted: match bundle.recalled {
                    None => Some(bundle.clusters.len() - elsewhere.len()),
                    Some(_) => Some(0),
                }
                .filter(|_| who.role != Role::Guest),
                told_by: {
                    let known = elsewhere.iter().filter(|_| who.role != Role::Guest);
                    let members: BTreeSet<&String> = known.map(|teller| &teller.member).collect();
                    members.into_iter().map(|one| self.name_of(one)).collect()
                },
                contradicts: contradicts(sha256, bundle),
                recalled_micros: bundle.recalled.as_ref().map(|said| said.at),
            })
            .collect()
    }

    /// What a member is called.
    pub fn name_of(&self, member: &str) -> String {
        let found = self.members.get(member);
        found.map_or_else(|| member.to_owned(), |member| member.name.clone())
    }
}
