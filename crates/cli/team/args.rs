//! What can be typed of a team: the account that was joined, and the hub.

use std::net::SocketAddr;
use std::path::PathBuf;

use bobbin_http::team::{Role, Scope};
use clap::{Args, Subcommand, ValueEnum};

use crate::args::LevelArg;

#[derive(Debug, Args)]
pub struct LedgerArgs {
    /// Look at every row and its hash, and end with 1 where they do not hold together
    #[arg(long)]
    pub verify: bool,
    /// A hash that was noted before: its row must still be there
    #[arg(long, value_name = "HASH", requires = "verify")]
    pub head: Option<String>,
    /// Only the connections that were ever opened
    #[arg(long)]
    pub connections: bool,
}

#[derive(Debug, Args)]
pub struct JoinArgs {
    /// What an admin gave you; left out, it is read from stdin, where no other user of this machine sees it
    pub code: Option<String>,
    /// What to call this machine [default: its host name]
    #[arg(long)]
    pub device: Option<String>,
}

#[derive(Debug, Args)]
pub struct PushArgs {
    /// Send what the hub lost, once more
    #[arg(long)]
    pub again: bool,
    /// Give up after so many attempts of each
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub attempts: u32,
}

#[derive(Debug, Args)]
pub struct RecallArgs {
    /// SHA-256 of the bundle, or its beginning
    #[arg(value_parser = beginning)]
    pub bundle: String,
}

#[derive(Debug, Args)]
pub struct FetchArgs {
    /// SHA-256 of a bundle that the account holds; left out, they are listed
    pub bundle: Option<String>,
    /// Where to [default: SHA256.bobbin]
    #[arg(long, short)]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct QueueArgs {
    /// Send nothing more until --resume; what is under way ends after its chunk
    #[arg(long, conflicts_with = "resume")]
    pub pause: bool,
    #[arg(long)]
    pub resume: bool,
}

#[derive(Debug, Args)]
pub struct HubArgs {
    /// Folder of the hub on this machine; left out, the account that was joined is meant, and you must be its admin
    #[arg(long, env = "BOBBIN_HUB_DIR", value_name = "DIR", global = true)]
    pub hub_dir: Option<PathBuf>,
    /// Account on the hub of this machine, by its id or name
    #[arg(long, global = true)]
    pub account: Option<String>,
    #[command(subcommand)]
    pub verb: HubVerb,
}

#[derive(Debug, Subcommand)]
pub enum HubVerb {
    /// Listen for the laptops of teams until stopped (SIGTERM or Ctrl-C drains and ends with 0)
    Serve(HubServeArgs),
    /// Accounts: list, add, quota, level, remove, export
    #[command(subcommand)]
    Account(AccountVerb),
    /// Show how long backups of this hub live, or state it: recall receipts then say when backups expire
    Backups(BackupsArgs),
    /// Members: list, role, remove
    #[command(subcommand)]
    Member(MemberVerb),
    /// Invites: new, list, revoke
    #[command(subcommand)]
    Invite(InviteVerb),
    /// Tokens: list, new, revoke
    #[command(subcommand)]
    Token(TokenVerb),
    /// Bundles that the account holds or held
    Bundles,
    /// Delete a bundle of anybody, and leave a tombstone
    Recall { sha256: String },
    /// All that happened to the account, in its chain of hashes
    Audit,
}

#[derive(Debug, Args)]
pub struct HubServeArgs {
    /// Address and port of this machine; never all of its addresses
    #[arg(long, default_value = "127.0.0.1:8789")]
    pub listen: SocketAddr,
    /// Name and port under which the team reaches it, such as hub.example.org:8789 (may be repeated; the first stands in join
    /// codes)
    #[arg(long, value_name = "HOST:PORT")]
    pub name: Vec<String>,
    /// Certificate in PEM, with those behind it; without, the hub makes its own
    #[arg(long, requires = "key", value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Its key in PEM
    #[arg(long, requires = "certificate", value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// SHA-256 of the certificate that join codes pin, where another program answers TLS in front of the hub
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
    /// The accounts of this hub, with what they hold
    List,
    /// Make an account
    Add {
        name: String,
        /// Bytes of bundles that it may hold, such as 20GiB
        #[arg(long, default_value = "20GiB", value_parser = quota)]
        quota: u64,
    },
    /// Set how much the account may hold
    Quota {
        /// Bytes of bundles, such as 20GiB
        #[arg(value_parser = quota)]
        quota: u64,
    },
    /// Set the most that bundles may tell from now on; those that are there stay
    Level {
        #[arg(value_enum)]
        level: LevelArg,
    },
    /// Remove the account with all that it holds
    Remove,
    /// Write its audit and every bundle into a new folder
    Export { path: PathBuf },
}

#[derive(Debug, Subcommand)]
pub enum MemberVerb {
    /// Who is in the account, and in which role
    List,
    /// Give a member another role
    Role {
        member: String,
        #[arg(value_enum)]
        role: RoleArg,
    },
    /// End all tokens of a member at once; what they shared stays until it is recalled
    Remove { member: String },
}

#[derive(Debug, Subcommand)]
pub enum InviteVerb {
    /// Print a join code that works once
    New {
        /// What the member is called
        name: String,
        #[arg(long, value_enum, default_value_t = RoleArg::Member)]
        role: RoleArg,
        /// The one bundle that a guest may see
        #[arg(long, value_name = "SHA256")]
        bundle: Option<String>,
        /// Days in which it must be used
        #[arg(long, default_value_t = 7)]
        days: u32,
        /// Days that the token is good for which it becomes
        #[arg(long, default_value_t = 180)]
        token_days: u32,
    },
    /// Invites that nobody used yet
    List,
    /// Make an invite worthless
    Revoke { invite: String },
}

#[derive(Debug, Subcommand)]
pub enum TokenVerb {
    /// The tokens of the account: whose, for which machine, until when, and when it was shown last
    List,
    /// One more token of a member, such as for a browser; printed once
    New {
        member: String,
        /// What the machine is called
        #[arg(long)]
        device: String,
        /// For looking alone
        #[arg(long)]
        read: bool,
        /// Days that it is good for
        #[arg(long, default_value_t = 30)]
        days: u32,
    },
    /// End a token at once
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
            "write the first {DIGITS} digits or more of the bundle's SHA-256"
        )),
    }
}

/// Reads `500MiB` or `20GiB`.
fn quota(text: &str) -> Result<u64, String> {
    let wanted = || format!("{text:?} is not a size such as 500MiB or 20GiB");
    let (number, unit) = [("MiB", 1_u64 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)]
        .into_iter()
        .find_map(|(word, unit)| Some((text.strip_suffix(word)?, unit)))
        .ok_or_else(wanted)?;
    let number: u64 = number.trim().parse().map_err(|_| wanted())?;
    number.checked_mul(unit).ok_or_else(wanted)
}
