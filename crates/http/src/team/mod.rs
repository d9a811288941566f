//! What a laptop and a hub say to each other. Both sides are in this crate, so that a word has one spelling.
//!
//! A bundle goes in chunks of a mebibyte, each named by its place and known by its SHA-256. Every request may come twice.
//!
//! ```text
//! POST   /v1/join                        an invite into a token
//! GET    /v1/me                          who shows this token, and what there is room for
//! GET    /v1/chain/NUMBER                the hash of a row of the account's audit
//! GET    /v1/bundles                     what the account holds
//! PUT    /v1/bundles/SHA256              says what will come; answers with what is missing
//! GET    /v1/bundles/SHA256              what is missing, or the proof of what became of it
//! PUT    /v1/bundles/SHA256/chunks/N     a chunk
//! POST   /v1/bundles/SHA256/commit       all chunks are there: take it, and sign a receipt
//! DELETE /v1/bundles/SHA256              delete it, and sign a tombstone
//! GET    /v1/bundles/SHA256/file         its bytes
//! POST   /v1/account                     members, invites, tokens: for admins
//! ```

mod code;
mod signed;

use bobbin_core::model::Micros;
use bobbin_core::share::Level;
use serde::{Deserialize, Serialize};

pub use bobbin_core::signature::Signed;
pub use code::{JoinCode, is_address};
pub use signed::{HubKey, Proof, ProofKind};

/// Bytes of each chunk but the last.
pub const CHUNK_BYTES: usize = 1 << 20;
/// Chunks of one bundle: four gibibytes.
pub const CHUNKS: usize = 4096;

/// What a member may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Looks at one bundle, and at nothing else.
    Guest,
    /// Looks at all that was shared.
    Viewer,
    /// Shares, and recalls what is their own.
    Member,
    /// Recalls anything, and has a say over members, invites and tokens.
    Admin,
}

impl Role {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Role::Guest => "guest",
            Role::Viewer => "viewer",
            Role::Member => "member",
            Role::Admin => "admin",
        }
    }
}

/// What a token is good for, within its member's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// To look.
    Read,
    /// All that the member may.
    Full,
}

/// An invite, to be made a token.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Join {
    pub invite: String,
    /// What the member calls the machine.
    pub device: String,
}

/// What an invite became.
#[derive(Serialize, Deserialize)]
pub struct Joined {
    pub account: String,
    pub account_name: String,
    pub member: String,
    pub role: Role,
    pub token: String,
    pub token_id: String,
    pub expires_micros: Micros,
    /// The public half of the hub's signing key, in hexadecimal.
    pub hub_key: String,
    /// The most that a bundle may tell; none where nobody said so.
    #[serde(default)]
    pub level: Option<Level>,
    /// None for guests, and from a hub of a version that did not say it.
    #[serde(default)]
    pub readers: Option<Readers>,
}

/// Who can read what is shared with an account, and for how long backups may hold what was recalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readers {
    pub viewers: u32,
    pub members: u32,
    pub admins: u32,
    /// None where whoever runs the hub does not say.
    pub backup_days: Option<u32>,
}

/// Who shows a token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Me {
    pub account: String,
    pub account_name: String,
    pub member: String,
    pub name: String,
    pub role: Role,
    pub scope: Scope,
    pub token_id: String,
    pub expires_micros: Micros,
    /// The most that a bundle may tell; none where nobody said so.
    #[serde(default)]
    pub level: Option<Level>,
    /// None for guests, and from a hub of a version that did not say it.
    #[serde(default)]
    pub readers: Option<Readers>,
    /// How much the account may hold and does, and the rows of its audit: a guest knows of one bundle alone.
    pub quota_bytes: Option<u64>,
    pub used_bytes: Option<u64>,
    pub rows: Option<u64>,
}

/// What will come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    pub bytes: u64,
    /// SHA-256 of each, in hexadecimal.
    pub chunks: Vec<String>,
    /// What it is called.
    pub name: String,
    /// The row of the tombstone that a person knew when they approved these bytes anew.
    #[serde(default)]
    pub again_after: Option<u64>,
}

/// How far a bundle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Some of it is missing, or it is not taken yet.
    Open,
    Committed,
    Recalled,
}

/// What became of a bundle so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    pub progress: Progress,
    /// Numbers of chunks, from 0.
    pub missing: Vec<usize>,
    /// The receipt or the tombstone.
    pub proof: Option<Signed>,
}

/// One bundle that an account holds, or held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shared {
    pub sha256: String,
    pub name: String,
    pub bytes: u64,
    pub member: String,
    pub member_name: String,
    pub at_micros: Micros,
    pub clusters: usize,
    /// Names of other members who share a cluster of it, too: it counts once.
    #[serde(default)]
    pub others: Vec<String>,
    /// Clusters that the account shows as this bundle tells them; none where a hub does not say.
    #[serde(default)]
    pub counted: Option<usize>,
    /// Names of those who tell the others of its clusters.
    #[serde(default)]
    pub told_by: Vec<String>,
    /// Where it contradicts what tells a cluster.
    #[serde(default)]
    pub contradicts: Vec<Contradicted>,
    /// When it was recalled.
    pub recalled_micros: Option<Micros>,
}

/// A cluster of which two bundles tell what cannot both be right: what tells it stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contradicted {
    pub cluster: String,
    /// Whose bundle tells it.
    pub member_name: String,
    /// The kind of the first record in which they differ.
    pub record: String,
    /// Its field; none where one has a record that the other says there was not.
    pub field: Option<String>,
}

/// Whether a text is a SHA-256 in hexadecimal, as every name of a bundle and of a chunk is.
pub fn is_sha256(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
