//! What can be typed: verbs, flags and their help.

mod share;
mod words;

use std::path::PathBuf;

use bobbin_core::install::Interface;
use bobbin_core::model::RetentionRules;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::check::CheckArgs;
use crate::mcp::McpArgs;
use crate::picture::PictureArgs;
use crate::profile::ProfileArgs;
use crate::table::TableArgs;
use crate::team::args::{
    FetchArgs, HubArgs, JoinArgs, LedgerArgs, PushArgs, QueueArgs, RecallArgs,
};
use crate::update::UpdateArgs;

pub use share::{
    ApproveArgs, DestinationArgs, DestinationVerb, ExportArgs, ImportArgs, LevelArg, ReportArgs,
    ReviewArgs, StageArgs,
};
use words::{Limit, OrderArg, StateArg, parse_cap, parse_days, parse_span};

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  failed
  2  wrong usage
  3  refused: Bobbin understood, but doing it would break something

Data goes to stdout, messages to stderr. With --json, stdout is exactly one JSON document, even when a command fails.
BOBBIN_LOG sets how much is logged to stderr, for example `info` or `bobbin_http=debug`; the default is `warn`.";

/// See what your Dask clusters did, on your own machine.
#[derive(Debug, Parser)]
#[command(name = "bobbin", version, after_help = EXIT_CODES, propagate_version = true)]
pub struct Cli {
    /// Folder where Bobbin keeps everything [default: your data folder, for example ~/.local/share/bobbin]
    #[arg(long, global = true, env = "BOBBIN_DATA_DIR", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Receive reports from schedulers until stopped (SIGTERM or Ctrl-C drains and exits with 0)
    Serve(ServeArgs),
    /// Receive in the background with a tray icon, as the window does while it is closed; the icon opens the window
    Tray(TrayArgs),
    /// List the clusters that have reported
    Clusters(ClustersArgs),
    /// Show one cluster: its state, task groups, computations and exceptions
    Show(ShowArgs),
    /// Show what changed between two clusters, and break the difference in wall-clock time down by cause
    Compare(CompareArgs),
    /// Fail if a run is worse than earlier runs of the same work; for tests and continuous integration
    Check(CheckArgs),
    /// Query the store in SQL (read-only)
    Sql(SqlArgs),
    /// Save a table as CSV, JSON or Parquet
    Table(TableArgs),
    /// Save a heat map, timeline, task group graph or flame graph as SVG or PNG
    Picture(PictureArgs),
    /// Save a profile for speedscope or pprof, or as folded stacks
    Profile(ProfileArgs),
    /// Write clusters to a bundle, a file to share: by default numbers and names, with aliases for people and machines
    Export(ExportArgs),
    /// Write a cluster, or what changed between two, as one HTML file that opens anywhere, or as a few lines of Markdown
    Report(ReportArgs),
    /// Load or remove samples (recorded real runs, excluded from all totals), or record one of your clusters for others
    Demo(DemoArgs),
    /// Replay a story or a recording through the running Bobbin, as if its cluster reported now
    Replay(ReplayArgs),
    /// Import clusters from bundles and from other tools' files: Dask performance reports, cluster dumps, profiles
    Import(ImportArgs),
    /// Manage destinations: folders and object stores with your team's bundles; share, list, recall, pull
    Destination(DestinationArgs),
    /// Write the exact bytes you want to share, so that you can review them first
    Stage(StageArgs),
    /// Show what staged bytes contain, and decide what to share
    Review(ReviewArgs),
    /// Approve staged bytes by their hash
    Approve(ApproveArgs),
    /// Show everything that ever left this machine, and every connection Bobbin opened
    Ledger(LedgerArgs),
    /// Join a team's account with a code from its admin
    Join(JoinArgs),
    /// Send approved bundles to the account you joined, until its hub has signed for them
    Push(PushArgs),
    /// Show what is approved for the account and its progress; pause or resume sending
    Queue(QueueArgs),
    /// Delete a bundle from the account and get the hub's signed confirmation; your local data stays
    Recall(RecallArgs),
    /// List what the account holds, or save one of its bundles as a file
    Fetch(FetchArgs),
    /// Run a team hub, and manage its accounts
    Hub(HubArgs),
    /// Ask a cluster to close, if it allows that
    Close(CloseArgs),
    /// Copy the whole store into the `snapshots` folder and check the copy; Bobbin takes one a day and keeps the last three
    Snapshot(SnapshotArgs),
    /// Replace the store with a snapshot, and move the old store aside; refused while Bobbin is running
    Restore(RestoreArgs),
    /// Recover what is still readable in a damaged store into a snapshot
    Salvage(SalvageArgs),
    /// Show whether recorded code can be decrypted; move, print, restore or rotate its key
    Key(KeyArgs),
    /// Delete clusters and everything they sent, after ten seconds in which Ctrl-C cancels
    Delete(DeleteArgs),
    /// Show the size of the store, how long data is kept and what would be removed; change the limits
    Storage(StorageArgs),
    /// Make every scheduler you start on this machine report to Bobbin, without code changes
    Connect(ConnectArgs),
    /// Undo `connect`, and leave the folder as it was
    Disconnect,
    /// Serve AI agents over stdin and stdout (Model Context Protocol): read-only, limited to what a share would contain
    Mcp(McpArgs),
    /// Check that clusters can report, and show how to fix what is wrong (safe to paste: no secrets)
    Doctor(DoctorArgs),
    /// Check a release file and its packages, and show what they change; installs nothing and opens no connection
    Update(UpdateArgs),
    /// Print a completion script for your shell
    Completions(CompletionsArgs),
    /// Write a man page for each command
    #[command(hide = true)]
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell to write it for
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// An existing folder
    pub dir: PathBuf,
}

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// TCP port on 127.0.0.1; 0 picks a free one [default: from settings.toml, else 8788]
    #[arg(long)]
    pub port: Option<u16>,
    /// Also listen on this address of the machine, over TLS only, so that schedulers on other machines can report [default: from
    /// settings.toml, else none]
    #[arg(long, value_name = "ADDRESS")]
    pub interface: Option<Interface>,
    /// Also serve the page to a browser, and print a one-time sign-in link
    #[arg(long)]
    pub ui: bool,
    /// Port of the page; 0 picks a free one
    #[arg(long, default_value_t = 0, requires = "ui", value_name = "PORT")]
    pub ui_port: u16,
    /// Also import the files that Bobbin reads from this folder, and leave them there (repeatable)
    #[arg(long, value_name = "DIR")]
    pub inbox: Vec<PathBuf>,
    /// Load the samples first
    #[arg(long)]
    pub demo: bool,
}

#[derive(Debug, Args)]
pub struct TrayArgs {
    /// TCP port on 127.0.0.1; 0 picks a free one [default: from settings.toml, else 8788]
    #[arg(long)]
    pub port: Option<u16>,
    /// Start paused: accept no reports until you resume in the tray
    #[arg(long)]
    pub paused: bool,
}

#[derive(Debug, Args)]
pub struct ClustersArgs {
    /// Words from the name, user, host, project, tags, note or scheduler id, and terms like user:ana 'workers>=10'
    /// has:exception since:7d tag:env=prod; combine with `or` and parentheses, negate with a leading - (after --)
    pub filter: Vec<String>,
    /// Only clusters in this state (repeatable)
    #[arg(long, value_enum)]
    pub state: Vec<StateArg>,
    /// Only clusters that reported within this time, for example 90m, 24h or 7d
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    pub since: Option<i64>,
    /// Only clusters of this user
    #[arg(long)]
    pub user: Option<String>,
    /// Only clusters of this project, or of this user if no project is set
    #[arg(long)]
    pub label: Option<String>,
    /// Sort the list by this
    #[arg(long, value_enum, default_value_t = OrderArg::Started)]
    pub sort: OrderArg,
    /// Smallest or oldest first
    #[arg(long)]
    pub ascending: bool,
    /// Maximum number of clusters, up to 1,000
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Skip this many clusters
    #[arg(long, default_value_t = 0)]
    pub offset: u64,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Cluster number, scheduler id (or its first characters), or name
    pub cluster: String,
}

#[derive(Debug, Args)]
pub struct SqlArgs {
    /// Read-only statements, separated by `;`; use `-` or leave it out to read from stdin
    pub sql: Option<String>,
    /// Print CSV; text that a spreadsheet would run as a formula gets a leading apostrophe
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Maximum number of rows per statement, up to 100,000
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit: u32,
    /// Time limit in seconds, up to 60
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub seconds: u32,
    /// List the tables and their columns instead
    #[arg(long, conflicts_with_all = ["sql", "csv"])]
    pub tables: bool,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The earlier run, specified as for `show`; `baseline` is the median of the other run's earlier runs
    pub a: String,
    /// The later run, specified the same way
    pub b: String,
    /// Show times per thousand tasks, for runs of different sizes
    #[arg(long)]
    pub per_task: bool,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    #[command(subcommand)]
    pub verb: Option<DemoVerb>,
}

#[derive(Debug, Subcommand)]
pub enum DemoVerb {
    /// Load the samples and the weeks before them (the default); does nothing if they are already loaded
    Load,
    /// Remove all samples, including replays, and all of their rows
    Remove,
    /// Write a shareable recording of a cluster: aliases for names, people and machines, and all times moved to one fixed day
    Make(MakeDemoArgs),
}

#[derive(Debug, Args)]
pub struct MakeDemoArgs {
    /// The cluster, specified as for `show`
    pub cluster: String,
    /// The recording, a new file [default: demo-N.bobbin in the current folder]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Include real names of functions, prefixes, projects and exception types
    #[arg(long)]
    pub names: bool,
    /// Also include code, messages and events
    #[arg(long)]
    pub code: bool,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// A story (healthy, wasteful, failing), or a file: from `bobbin demo make`, a bundle of one cluster, or written by a plugin
    #[arg(value_name = "STORY|FILE")]
    pub what: PathBuf,
    /// Playback speed, from 1 to 60 times the original
    #[arg(long, default_value_t = 1.0)]
    pub speed: f64,
}

#[derive(Debug, Args)]
pub struct CloseArgs {
    /// The cluster, specified as for `show`
    pub cluster: String,
}

#[derive(Debug, Args)]
pub struct SnapshotArgs {
    /// List the existing snapshots instead of taking one
    #[arg(long)]
    pub list: bool,
}

#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// Snapshot number or file [default: the newest]
    pub snapshot: Option<String>,
}

#[derive(Debug, Args)]
pub struct SalvageArgs {
    /// The damaged store, or its folder [default: the store that was last moved aside]
    pub store: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct KeyArgs {
    #[command(subcommand)]
    pub verb: Option<KeyVerb>,
}

#[derive(Debug, Subcommand)]
pub enum KeyVerb {
    /// Move the key to the operating system's keyring, or to the file `key`
    Move {
        /// Where to move it
        #[arg(long, value_enum)]
        to: KeyPlaceArg,
    },
    /// Print the recovery key (an age identity); keep it on paper or in a password manager
    Recovery,
    /// Restore the key from a printed recovery key
    Restore {
        /// File with the recovery key [default: read from stdin]
        file: Option<PathBuf>,
    },
    /// Replace the key with a new one; existing data stays readable. Resumes if it was interrupted
    Rotate,
    /// Start with a new key if the old one is lost; existing data stays locked until you restore the old key
    New,
}

/// [`bobbin_core::api::KeyPlace`] as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum KeyPlaceArg {
    File,
    Keyring,
}

#[derive(Debug, Args)]
pub struct DeleteArgs {
    /// The clusters, specified as for `show`
    #[arg(required = true)]
    pub clusters: Vec<String>,
    /// Delete immediately, without the ten-second wait
    #[arg(long)]
    pub now: bool,
    /// Delete nothing; only show what would be freed
    #[arg(long, conflicts_with = "now")]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct StorageArgs {
    /// Size limit of the store, for example 5GiB, or `none`
    #[arg(long, value_name = "SIZE", value_parser = parse_cap)]
    pub limit: Option<Limit<u64>>,
    /// Days to keep profiles, or `ever`
    #[arg(long, value_name = "DAYS", value_parser = parse_days)]
    pub profiles: Option<Limit<u32>>,
    /// Days to keep code, or `ever`
    #[arg(long, value_name = "DAYS", value_parser = parse_days)]
    pub code: Option<Limit<u32>>,
    /// Days to keep messages and tracebacks, or `ever`
    #[arg(long, value_name = "DAYS", value_parser = parse_days)]
    pub exceptions: Option<Limit<u32>>,
    /// Days to keep events, or `ever`
    #[arg(long, value_name = "DAYS", value_parser = parse_days)]
    pub events: Option<Limit<u32>>,
    /// Days to keep the data behind charts over time, or `ever`
    #[arg(long, value_name = "DAYS", value_parser = parse_days)]
    pub samples: Option<Limit<u32>>,
    /// Remove now what has reached its limit, and wait until it is done
    #[arg(long)]
    pub prune: bool,
    /// Change nothing; only show what would be removed
    #[arg(long)]
    pub dry_run: bool,
}

impl StorageArgs {
    /// Whether a rule is to be another.
    pub fn sets(&self) -> bool {
        let days = [
            &self.profiles,
            &self.code,
            &self.exceptions,
            &self.events,
            &self.samples,
        ];
        self.limit.is_some() || days.into_iter().any(Option::is_some)
    }

    /// These rules over the present ones.
    pub fn over(&self, present: RetentionRules) -> RetentionRules {
        let days = |set: Option<Limit<u32>>, present| set.map_or(present, |set| set.0);
        RetentionRules {
            cap_bytes: self.limit.map_or(present.cap_bytes, |set| set.0),
            profiles_days: days(self.profiles, present.profiles_days),
            code_days: days(self.code, present.code_days),
            exceptions_days: days(self.exceptions, present.exceptions_days),
            events_days: days(self.events, present.events_days),
            samples_days: days(self.samples, present.samples_days),
        }
    }
}

#[derive(Debug, Args)]
pub struct ConnectArgs {
    /// Change nothing; print the lines that point a script with the published `coiled` client at Bobbin
    #[arg(long)]
    pub coiled: bool,
    /// Dask's configuration folder [default: DASK_CONFIG, else ~/.config/dask]
    #[arg(long, value_name = "DIR", conflicts_with = "coiled")]
    pub dask_config_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Dask's configuration folder [default: DASK_CONFIG, else ~/.config/dask]
    #[arg(long, value_name = "DIR")]
    pub dask_config_dir: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_hold_together() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
