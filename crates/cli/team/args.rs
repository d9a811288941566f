//! What can be typed of a team: the account that was joined, and the hub.

use std::net::SocketAddr;
use std::path::PathBuf;

use bobbin_http::team::{Role, Scope};
use clap::{Args, Subcommand, ValueEnum};

use crate::args::LevelArg;

#[derive(Debug, Args)]
pub struct LedgerArgs {
    /// Check every row and its hash, and exit with 1 if they do not match
    #[arg(long)]
    pub verify: bool,
    /// A hash you noted earlier; its row must still be there
    #[arg(long, value_name = "HASH", requires = "verify")]
    pub head: Option<String>,
    /// Show only the connections that Bobbin opened
    #[arg(long)]
    pub connections: bool,
}

#[derive(Debug, Args)]
pub struct JoinArgs {
    /// The code from your admin [default: read from stdin, where no other user of this machine can see it]
    pub code: Option<String>,
    /// A name for this machine [default: its host name]
    #[arg(long)]
    pub device: Option<String>,
}

#[derive(Debug, Args)]
pub struct PushArgs {
    /// Send bundles that the hub lost again
    #[arg(long)]
    pub again: bool,
    /// Give up on a bundle after this many attempts
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub attempts: u32,
}

#[derive(Debug, Args)]
pub struct RecallArgs {
    /// SHA-256 of the bundle, or its first digits
    #[arg(value_parser = beginning)]
    pub bundle: String,
}

#[derive(Debug, Args)]
pub struct FetchArgs {
    /// SHA-256 of a bundle in the account; leave it out to list the bundles
    pub bundle: Option<String>,
    /// File to write [default: SHA256.bobbin]
    #[arg(long, short)]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct QueueArgs {
    /// Stop sending until --resume; a transfer in progress stops after its current chunk
    #[arg(long, conflicts_with = "resume")]
    pub pause: bool,
    /// Resume sending
    #[arg(long)]
    pub resume: bool,
}

#[derive(Debug, Args)]
pub struct HubArgs {
    /// Folder of the hub on this machine [default: use the account you joined; you must be its admin]
    #[arg(long, env = "BOBBIN_HUB_DIR", value_name = "DIR", global = true)]
    pub hub_dir: Option<PathBuf>,
    /// Account on this machine's hub, by id or name
    #[arg(long, global = true)]
    pub account: Option<String>,
    #[command(subcommand)]
    pub verb: HubVerb,
}

#[derive(Debug, Subcommand)]
pub enum HubVerb {
    /// Serve your teams' laptops until stopped (SIGTERM or Ctrl-C drains and exits with 0)
    Serve(HubServeArgs),
    /// Manage accounts: list, add, quota, level, remove, export
    #[command(subcommand)]
    Account(AccountVerb),
    /// Show or set how long backups of this hub live; recall receipts then say when backups expire
    Backups(BackupsArgs),
    /// Manage members: list, role, remove
    #[command(subcommand)]
    Member(MemberVerb),
    /// Manage invites: new, list, revoke
    #[command(subcommand)]
    Invite(InviteVerb),
    /// Manage tokens: list, new, revoke
    #[command(subcommand)]
    Token(TokenVerb),
    /// List the bundles that the account holds or held
    Bundles,
    /// Delete any member's bundle, and leave a tombstone
    Recall { sha256: String },
    /// Show everything that happened to the account, as a hash chain
    Audit,
}

#[derive(Debug, Args)]
pub struct HubServeArgs {
    /// Address and port of this machine; one address, never all of them
    #[arg(long, default_value = "127.0.0.1:8789")]
    pub listen: SocketAddr,
    /// Name and port where the team reaches the hub, for example hub.example.org:8789 (repeatable; join codes use the
    /// first)
    #[arg(long, value_name = "HOST:PORT")]
    pub name: Vec<String>,
    /// Certificate chain in PEM [default: the hub creates its own certificate]
    #[arg(long, requires = "key", value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Private key of the certificate, in PEM
    #[arg(long, requires = "certificate", value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// SHA-256 of the certificate that join codes pin, if another program terminates TLS in front of the hub
    #[arg(long, value_name = "SHA256")]
    pub pin: Option<String>,
}

#[derive(Debug, Args)]
pub struct BackupsArgs {
    /// Every backup of the hub's folder is gone after this many days; holds for recalls from now on
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub days: Option<u32>,
    /// State nothing (the default)
    #[arg(long, conflicts_with = "days")]
    pub not_stated: bool,
}

#[derive(Debug, Subcommand)]
pub enum AccountVerb {
    /// List the hub's accounts and what they hold
    List,
    /// Create an account
    Add {
        name: String,
        /// Maximum size of its bundles, for example 20GiB
        #[arg(long, default_value = "20GiB", value_parser = quota)]
        quota: u64,
    },
    /// Set how much the account may hold
    Quota {
        /// Maximum size of its bundles, for example 20GiB
        #[arg(value_parser = quota)]
        quota: u64,
    },
    /// Set the highest level for new bundles; existing bundles stay
    Level {
        #[arg(value_enum)]
        level: LevelArg,
    },
    /// Remove the account and everything it holds
    Remove,
    /// Write the account's audit log and every bundle to a new folder
    Export { path: PathBuf },
}

#[derive(Debug, Subcommand)]
pub enum MemberVerb {
    /// List the account's members and their roles
    List,
    /// Change a member's role
    Role {
        member: String,
        #[arg(value_enum)]
        role: RoleArg,
    },
    /// Remove a member and revoke all their tokens immediately; what they shared stays until it is recalled
    Remove { member: String },
}

#[derive(Debug, Subcommand)]
pub enum InviteVerb {
    /// Print a join code that works once
    New {
        /// Name of the member
        name: String,
        #[arg(long, value_enum, default_value_t = RoleArg::Member)]
        role: RoleArg,
        /// The only bundle that a guest may see
        #[arg(long, value_name = "SHA256")]
        bundle: Option<String>,
        /// Days until the code expires
        #[arg(long, default_value_t = 7)]
        days: u32,
        /// Days until the resulting token expires
        #[arg(long, default_value_t = 180)]
        token_days: u32,
    },
    /// List the account's invites, and which are over
    List,
    /// Revoke an invite
    Revoke { invite: String },
}

#[derive(Debug, Subcommand)]
pub enum TokenVerb {
    /// List the account's tokens: owner, machine, expiry and last use
    List,
    /// Create another token for a member, for example for a browser; printed only once
    New {
        member: String,
        /// Name of the machine
        #[arg(long)]
        device: String,
        /// Make the token read-only
        #[arg(long)]
        read: bool,
        /// Days until the token expires
        #[arg(long, default_value_t = 30)]
        days: u32,
    },
    /// Revoke a token immediately
    Revoke { token: String },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum RoleArg {
    Guest,
    Viewer,
    Member,
    Admin,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Self {
        match role {
            RoleArg::Guest => Role::Guest,
            RoleArg::Viewer => Role::Viewer,
            RoleArg::Member => Role::Member,
            RoleArg::Admin => Role::Admin,
        }
    }
}

/// What a token that may only look has.
pub fn scope(read: bool) -> Scope {
    if read { Scope::Read } else { Scope::Full }
}

/// So many digits of a hash name no other bundle by accident.
const DIGITS: usize = 6;

/// Reads a SHA-256 in hexadecimal, or its beginning.
pub fn beginning(text: &str) -> Result<String, String> {
    let is_hash = text.len() <= 64 && text.chars().all(|digit| digit.is_ascii_hexdigit());
    match is_hash && text.len() >= DIGITS {
        true => Ok(text.to_ascii_lowercase()),
        false => Err(format!(
            "write at least the first {DIGITS} digits of the bundle's SHA-256"
        )),
    }
}

/// Reads `500MiB` or `20GiB`.
fn quota(text: &str) -> Result<u64, String> {
    let wanted = || format!("{text:?} is not a size; write one like 500MiB or 20GiB");
    let (number, unit) = [("MiB", 1_u64 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)]
        .into_iter()
        .find_map(|(word, unit)| Some((text.strip_suffix(word)?, unit)))
        .ok_or_else(wanted)?;
    let number: u64 = number.trim().parse().map_err(|_| wanted())?;
    number.checked_mul(unit).ok_or_else(wanted)
}
