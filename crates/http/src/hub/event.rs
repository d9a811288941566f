//! What happens to an account. The rows of its audit are these, in a chain of hashes, and what the account is follows from them:
//! there is no second place that could say something else.

use bobbin_core::ledger::Row;
use bobbin_core::model::Micros;
use bobbin_core::share::Level;
use serde::{Deserialize, Serialize};

use crate::team::{Role, Scope};

/// A row of an account's audit, but for its time and its place in the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Audited {
    /// Who did it: a member's id, or `hub` for whoever runs it.
    pub by: String,
    #[serde(flatten)]
    pub event: Event,
}

/// A row of an account's audit.
pub type AuditRow = Row<Audited>;

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Opened {
        name: String,
        quota_bytes: u64,
        /// The most that bundles may tell; none in rows of an earlier version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<Level>,
    },
    QuotaSet {
        quota_bytes: u64,
    },
    /// The most that bundles may tell from now on.
    LevelSet {
        level: Level,
    },
    /// Whoever runs the hub had all that is here written into a folder.
    Exported {
        bundles: usize,
    },
    MemberAdded {
        member: String,
        name: String,
        role: Role,
        /// The one bundle that a guest may see.
        bundle: Option<String>,
    },
    RoleSet {
        member: String,
        role: Role,
    },
    /// With all of their tokens.
    MemberRemoved {
        member: String,
    },
    InviteMade {
        invite: String,
        /// SHA-256 of its text.
        digest: String,
        name: String,
        role: Role,
        bundle: Option<String>,
        expires_micros: Micros,
        token_days: u32,
    },
    InviteRevoked {
        invite: String,
    },
    /// The invite is spent, its member and their token are made: one row, so that it happens once.
    Joined {
        invite: String,
        member: String,
        name: String,
        role: Role,
        bundle: Option<String>,
        token: Device,
    },
    TokenMade {
        member: String,
        token: Device,
    },
    TokenRevoked {
        token: String,
    },
    Committed {
        sha256: String,
        /// Of its file.
        bytes: u64,
        /// What that unpacks to.
        plain_bytes: u64,
        member: String,
        name: String,
        clusters: Vec<String>,
        /// Those of which it contradicts what another member shared before.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        contradicts: Vec<String>,
    },
    Recalled {
        sha256: String,
        member: String,
        /// Until when backups of the hub may hold it; none where nobody said how long they live.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        backups_until_micros: Option<Micros>,
    },
}

/// A token of one machine. Only a digest of it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    pub id: String,
    /// SHA-256 of its text.
    pub digest: String,
    /// What its member calls the machine.
    pub device: String,
    pub scope: Scope,
    pub expires_micros: Micros,
}
