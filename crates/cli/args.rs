//! What can be typed: verbs, flags and their help.

mod share;

use std::path::PathBuf;

use bobbin_core::api::ClusterOrder;
use bobbin_core::install::Interface;
use bobbin_core::model::{ClusterState, RetentionRules};
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

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  failed
  2  wrong use
  3  refused: understood, and not done so as not to break something

Data goes to stdout, talk to stderr. With --json, stdout is exactly one JSON document, also when a verb fails.
BOBBIN_LOG says how much is logged to stderr, such as `info` or `bobbin_http=debug`; the default is `warn`.";

/// See what your Dask clusters did, on your own machine.
#[derive(Debug, Parser)]
#[command(name = "bobbin", version, after_help = EXIT_CODES, propagate_version = true)]
pub struct Cli {
    /// Folder that holds everything [default: the user's data folder, such as ~/.local/share/bobbin]
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
    /// Receive from schedulers until stopped (SIGTERM or Ctrl-C drains and ends with 0)
    Serve(ServeArgs),
    /// Receive as the window does while it is closed: with an icon in the tray, which opens it
    Tray(TrayArgs),
    /// List the clusters that reported
    Clusters(ClustersArgs),
    /// Show one cluster: its state, task groups, computations and exceptions
    Show(ShowArgs),
    /// Say what changed from one cluster to another, and split the difference in wall clock into its reasons
    Compare(CompareArgs),
    /// Fail where a run is worse than others of the same; for tests and continuous integration
    Check(CheckArgs),
    /// Ask the store in SQL; nothing can be changed with it
    Sql(SqlArgs),
    /// Save a table as CSV, JSON or Parquet
    Table(TableArgs),
    /// Save a heat-map, a timeline, a graph of task groups or a flame graph as SVG or PNG
    Picture(PictureArgs),
    /// Save a profile for speedscope or pprof, or as folded stacks
    Profile(ProfileArgs),
    /// Write clusters to a bundle, a file for others: by default numbers and names, with aliases for people and machines
    Export(ExportArgs),
    /// Write a cluster, or what changed between two, as one HTML file that opens anywhere, or as a few lines of Markdown
    Report(ReportArgs),
    /// Load recorded stories of real runs, as samples that count in no sum; remove them; make a recording of a cluster for others
    Demo(DemoArgs),
    /// Play a story or a recording through the Bobbin that runs, as if its cluster reported now
    Replay(ReplayArgs),
    /// Take the clusters of bundles, and of files of other programs: performance reports and dumps of Dask, profiles
    Import(ImportArgs),
    /// Folders and object stores where a team's bundles lie: make one known, look, bring here what others shared
    Destination(DestinationArgs),
    /// Write the exact bytes that are to be shared, to be looked at first
    Stage(StageArgs),
    /// Say what is in staged bytes, and decide what is told
    Review(ReviewArgs),
    /// Approve staged bytes by their hash
    Approve(ApproveArgs),
    /// Say what ever left this machine, and which connections were ever opened
    Ledger(LedgerArgs),
    /// Join a team's account, by the code that an admin gave you
    Join(JoinArgs),
    /// Send what was approved to the account that was joined, until its hub has signed for it
    Push(PushArgs),
    /// Say what was approved for the account, and how far it is; pause
    Queue(QueueArgs),
    /// Delete a bundle from the account, and have its hub sign that it did; nothing here is deleted
    Recall(RecallArgs),
    /// List what the account holds, or take a bundle of it as a file
    Fetch(FetchArgs),
    /// Run a team's hub, and have a say in its accounts
    Hub(HubArgs),
    /// Ask a cluster that allows it to close
    Close(CloseArgs),
    /// Copy the whole store into the folder `snapshots`, and check the copy; the last three are kept, and one a day is taken
    Snapshot(SnapshotArgs),
    /// Put a snapshot in the place of the store, which is moved aside; refused while a Bobbin runs
    Restore(RestoreArgs),
    /// Read what can still be read of a damaged store into a snapshot
    Salvage(SalvageArgs),
    /// Say whether recorded code can be read; move its key, print it, take it back, replace it
    Key(KeyArgs),
    /// Delete clusters with all that they sent, after ten seconds in which Ctrl-C takes it back
    Delete(DeleteArgs),
    /// Say how large the store is, what is kept for how long and what would go; set that
    Storage(StorageArgs),
    /// Make every scheduler that this user starts on this machine report, with no change of code
    Connect(ConnectArgs),
    /// Take back what `connect` wrote, and leave the folder as it was
    Disconnect,
    /// Answer agents over stdin and stdout (Model Context Protocol), read-only, with what a share would tell
    Mcp(McpArgs),
    /// Check that clusters can report, and say what to do where they cannot (safe to paste: no secrets)
    Doctor(DoctorArgs),
    /// Check a release file and the packages beside it, and show what they change; installs nothing and opens no connection
    Update(UpdateArgs),
    /// Print what completes verbs and flags in a shell
    Completions(CompletionsArgs),
    /// Write a page of the manual for each verb
    #[command(hide = true)]
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell that reads it
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// A folder that exists
    pub dir: PathBuf,
}

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// TCP port on 127.0.0.1; 0 takes a free one [default: that of settings.toml, else 8788]
    #[arg(long)]
    pub port: Option<u16>,
    /// Listen on this address of the machine, too, over TLS alone, so that schedulers on other machines report [default: that of
    /// settings.toml, else none]
    #[arg(long, value_name = "ADDRESS")]
    pub interface: Option<Interface>,
    /// Serve the page to a browser too, and print a link that signs in once
    #[arg(long)]
    pub ui: bool,
    /// Port of the page; 0 takes a free one
    #[arg(long, default_value_t = 0, requires = "ui", value_name = "PORT")]
    pub ui_port: u16,
    /// Read files of batches (*.bobbin) in this folder, too, and leave them there (may be repeated)
    #[arg(long, value_name = "DIR")]
    pub inbox: Vec<PathBuf>,
    /// Load the recorded stories first
    #[arg(long)]
    pub demo: bool,
}

#[derive(Debug, Args)]
pub struct TrayArgs {
    /// TCP port on 127.0.0.1; 0 takes a free one [default: that of settings.toml, else 8788]
    #[arg(long)]
    pub port: Option<u16>,
    /// Let nobody report until that is resumed in the tray
    #[arg(long)]
    pub paused: bool,
}

#[derive(Debug, Args)]
pub struct ClustersArgs {
    /// Words of the name, user, host, project, a tag, the note or the scheduler's id; and terms such as user:ana
    /// 'workers>=10' has:exception since:7d tag:env=prod, with `or`, parentheses, and a leading - for not (behind --)
    pub filter: Vec<String>,
    /// Only clusters in this state (may be repeated)
    #[arg(long, value_enum)]
    pub state: Vec<StateArg>,
    /// Only clusters that reported within this time, such as 90m, 24h or 7d
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    pub since: Option<i64>,
    /// Only clusters of this user
    #[arg(long)]
    pub user: Option<String>,
    /// Only clusters of this project, or of this user where no project is set
    #[arg(long)]
    pub label: Option<String>,
    /// What the list is ordered by
    #[arg(long, value_enum, default_value_t = OrderArg::Started)]
    pub sort: OrderArg,
    /// Smallest or oldest first
    #[arg(long)]
    pub ascending: bool,
    /// At most this many, up to 1,000
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Skip this many
    #[arg(long, default_value_t = 0)]
    pub offset: u64,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Bobbin's number of the cluster, its scheduler's id or the beginning of it, or its name
    pub cluster: String,
}

#[derive(Debug, Args)]
pub struct SqlArgs {
    /// Statements that only read, with `;` between them; `-` or nothing reads them from stdin
    pub sql: Option<String>,
    /// Print comma-separated values; texts that a spreadsheet would run as formulas get an apostrophe
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// At most this many rows of each statement, up to 100,000
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit: u32,
    /// The longest that it may take, up to 60
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub seconds: u32,
    /// List the tables and their columns instead
    #[arg(long, conflicts_with_all = ["sql", "csv"])]
    pub tables: bool,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The run before, as `show` takes it; `baseline` is the median of the earlier runs of the other
    pub a: String,
    /// The run after, in the same way
    pub b: String,
    /// Times for each thousand tasks, for runs of different size
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
    /// Load the stories and the weeks before them (the same without a word); nothing happens where they are loaded
    Load,
    /// Remove all samples, replays among them, with every row that they have
    Remove,
    /// Write a recording of a cluster that can be handed on: aliases for names, people and machines, all times of one fixed day
    Make(MakeDemoArgs),
}

#[derive(Debug, Args)]
pub struct MakeDemoArgs {
    /// Which, as `show` takes it
    pub cluster: String,
    /// The recording, a new file [default: demo-N.bobbin in this folder]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Tell functions, prefixes, projects and types of exceptions as they are
    #[arg(long)]
    pub names: bool,
    /// Tell code, messages and events, too
    #[arg(long)]
    pub code: bool,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// A story (healthy, wasteful, failing), or a file: of `bobbin demo make`, a bundle of one cluster, or what a plugin wrote
    #[arg(value_name = "STORY|FILE")]
    pub what: PathBuf,
    /// So many times as fast as it was, from 1 to 60
    #[arg(long, default_value_t = 1.0)]
    pub speed: f64,
}

#[derive(Debug, Args)]
pub struct CloseArgs {
    /// Which, as `show` takes it
    pub cluster: String,
}

#[derive(Debug, Args)]
pub struct SnapshotArgs {
    /// Take none; list those that there are
    #[arg(long)]
    pub list: bool,
}

#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// Its number, or its file; the newest where none is named
    pub snapshot: Option<String>,
}

#[derive(Debug, Args)]
pub struct SalvageArgs {
    /// The damaged store, or its folder; the last that was moved aside where none is named
    pub store: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct KeyArgs {
    #[command(subcommand)]
    pub verb: Option<KeyVerb>,
}

#[derive(Debug, Subcommand)]
pub enum KeyVerb {
    /// Move the key into the keyring of the operating system, or into the file `key`
    Move {
        #[arg(long, value_enum)]
        to: KeyPlaceArg,
    },
    /// Print the recovery key: an age identity, to be kept on paper or in a password manager
    Recovery,
    /// Take a key back from what was printed of it
    Restore {
        /// A file that holds it; without one it is read from stdin
        file: Option<PathBuf>,
    },
    /// Replace the key by a new one; what was recorded stays readable. Goes on where it was cut short
    Rotate,
    /// Begin with a new key where the old one is lost; what was recorded stays locked until that comes back
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
    /// Which, as `show` takes them
    #[arg(required = true)]
    pub clusters: Vec<String>,
    /// Do not wait ten seconds
    #[arg(long)]
    pub now: bool,
    /// Delete nothing; say what would be freed
    #[arg(long, conflicts_with = "now")]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct StorageArgs {
    /// How large the store may be, such as 5GiB, or `none`
    #[arg(long, value_name = "SIZE", value_parser = parse_cap)]
    pub limit: Option<Limit<u64>>,
    /// How many days profiles are kept, or `ever`
    #[arg(long, value_name = "DAYS", value_parser = parse_days)]
    pub profiles: Option<Limit<u32>>,
    /// The same of code
    #[arg(long, value_name = "DAYS", value_parser = parse_days)]
    pub code: Option<Limit<u32>>,
    /// The same of messages and tracebacks
    #[arg(long, value_name = "DAYS", value_parser = parse_days)]
    pub exceptions: Option<Limit<u32>>,
    /// The same of events
    #[arg(long, value_name = "DAYS", value_parser = parse_days)]
    pub events: Option<Limit<u32>>,
    /// The same of what charts over time are drawn from
    #[arg(long, value_name = "DAYS", value_parser = parse_days)]
    pub samples: Option<Limit<u32>>,
    /// Remove now what is due, and wait for it
    #[arg(long)]
    pub prune: bool,
    /// Set and remove nothing; say what would be removed
    #[arg(long)]
    pub dry_run: bool,
}

/// A limit that can be taken away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit<T>(pub Option<T>);

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
    /// Change nothing; print the lines that point a script that uses the published `coiled` client at Bobbin
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

/// [`ClusterState`] as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum StateArg {
    Running,
    Stalled,
    Idle,
    Finished,
    Lost,
}

impl From<StateArg> for ClusterState {
    fn from(state: StateArg) -> Self {
        match state {
            StateArg::Running => ClusterState::Running,
            StateArg::Stalled => ClusterState::Stalled,
            StateArg::Idle => ClusterState::Idle,
            StateArg::Finished => ClusterState::Finished,
            StateArg::Lost => ClusterState::Lost,
        }
    }
}

/// [`ClusterOrder`] as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum OrderArg {
    Started,
    Name,
    User,
    Host,
    Project,
    Seen,
    Duration,
    Workers,
    Threads,
    Memory,
    Tasks,
    Compute,
    ThreadTime,
    Efficiency,
    Exceptions,
    Cost,
}

impl From<OrderArg> for ClusterOrder {
    fn from(order: OrderArg) -> Self {
        match order {
            OrderArg::Started => ClusterOrder::Started,
            OrderArg::Name => ClusterOrder::Name,
            OrderArg::User => ClusterOrder::User,
            OrderArg::Host => ClusterOrder::Host,
            OrderArg::Project => ClusterOrder::Project,
            OrderArg::Seen => ClusterOrder::Seen,
            OrderArg::Duration => ClusterOrder::Duration,
            OrderArg::Workers => ClusterOrder::WorkersPeak,
            OrderArg::Threads => ClusterOrder::ThreadsPeak,
            OrderArg::Memory => ClusterOrder::MemoryPeak,
            OrderArg::Tasks => ClusterOrder::TasksCompleted,
            OrderArg::Compute => ClusterOrder::ComputeSeconds,
            OrderArg::ThreadTime => ClusterOrder::ThreadSeconds,
            OrderArg::Efficiency => ClusterOrder::Efficiency,
            OrderArg::Exceptions => ClusterOrder::Exceptions,
            OrderArg::Cost => ClusterOrder::Cost,
        }
    }
}

/// Reads `90s`, `15m`, `24h` or `7d` into microseconds.
fn parse_span(text: &str) -> Result<i64, String> {
    let wanted = || format!("{text:?} is not a time such as 90m, 24h or 7d");
    let unit = text.chars().last().ok_or_else(wanted)?;
    let seconds: i64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(wanted()),
    };
    let count: i64 = text[..text.len() - 1].parse().map_err(|_| wanted())?;
    if count < 0 {
        return Err(wanted());
    }
    count.checked_mul(seconds * 1_000_000).ok_or_else(wanted)
}

/// Reads `500MiB`, `5GiB`, `1.5TiB` or `none`.
fn parse_cap(text: &str) -> Result<Limit<u64>, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let wanted = || format!("{text:?} is not a size such as 500MiB or 5GiB, or `none`");
    let (number, unit) = ["MiB", "GiB", "TiB"]
        .into_iter()
        .zip([1_u64 << 20, 1 << 30, 1 << 40])
        .find_map(|(word, unit)| Some((text.strip_suffix(word)?, unit)))
        .ok_or_else(wanted)?;
    let number: f64 = number.trim().parse().map_err(|_| wanted())?;
    if !(0.0..1e6).contains(&number) {
        return Err(wanted());
    }
    Ok(Limit(Some((number * unit as f64) as u64)))
}

/// Reads `30`, `30d` or `ever`.
fn parse_days(text: &str) -> Result<Limit<u32>, String> {
    if text == "ever" {
        return Ok(Limit(None));
    }
    let days = text.strip_suffix('d').unwrap_or(text).parse();
    days.map(|days| Limit(Some(days)))
        .map_err(|_| format!("{text:?} is not a number of days, or `ever`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_hold_together() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn limits_have_a_unit_and_can_be_taken_away() {
        assert_eq!(parse_cap("1.5GiB"), Ok(Limit(Some(3 << 29))));
        assert_eq!(parse_cap("none"), Ok(Limit(None)));
        assert_eq!(parse_days("30d"), Ok(Limit(Some(30))));
        assert_eq!(parse_days("ever"), Ok(Limit(None)));
        for bad in ["", "5", "5GB", "-1GiB", "NaNGiB", "none "] {
            assert!(parse_cap(bad).is_err(), "{bad}");
        }
        for bad in ["", "d", "-1", "1.5"] {
            assert!(parse_days(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn spans_have_a_unit() {
        assert_eq!(parse_span("90m"), Ok(5_400_000_000));
        assert_eq!(parse_span("7d"), Ok(604_800_000_000));
        for bad in ["", "7", "d", "-1d", "99999999999999999d", "7ß"] {
            assert!(parse_span(bad).is_err(), "{bad}");
        }
    }
}
