//! What the verbs take that tell something to others, or take what others tell.

use std::path::PathBuf;

use bobbin_core::share::Level;
use clap::{Args, Subcommand, ValueEnum};

use crate::team::args::beginning;

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Which, as `show` takes them
    #[arg(required = true)]
    pub clusters: Vec<String>,
    /// The bundle, a new file [default: cluster-N.bobbin in this folder]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How much it tells; each level tells what those before it do
    #[arg(long, value_enum, default_value_t = LevelArg::Names)]
    pub level: LevelArg,
    /// Tell users, hosts, addresses, folders and keys of tasks as they are, without aliases
    #[arg(long)]
    pub real_identities: bool,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// One, or two that are compared, as `show` takes them
    #[arg(required = true, num_args = 1..=2)]
    pub clusters: Vec<String>,
    /// A new file [default: cluster-N.html or compare-A-B.html in this folder; Markdown goes to stdout]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Ten to thirty lines of Markdown, for an issue
    #[arg(long)]
    pub markdown: bool,
    /// How much it tells; each level tells what those before it do
    #[arg(long, value_enum, default_value_t = LevelArg::Names)]
    pub level: LevelArg,
    /// Tell users, hosts, addresses, folders and keys of tasks as they are, without aliases
    #[arg(long)]
    pub real_identities: bool,
    /// Tell what it cost, by the prices of this install
    #[arg(long)]
    pub cost: bool,
}

#[derive(Debug, Args)]
pub struct StageArgs {
    /// Which, as `show` takes them
    #[arg(required_unless_present = "proposed", conflicts_with = "proposed")]
    pub clusters: Vec<String>,
    /// Those that the team's policy proposes; it sends nothing, and decides upon none of them
    #[arg(long)]
    pub proposed: bool,
    /// Whom it is for: a name of your own, or a destination's; aliases and decisions are remembered for each
    #[arg(long, value_name = "DESTINATION")]
    pub to: String,
    /// How much it tells; each level tells what those before it do
    #[arg(long, value_enum, default_value_t = LevelArg::Names)]
    pub level: LevelArg,
    /// Tell users, hosts, addresses, folders and keys of tasks as they are, without aliases
    #[arg(long)]
    pub real_identities: bool,
    /// Tell a field that is new since the last share with this destination (may be repeated)
    #[arg(long, value_name = "FIELD")]
    pub accept_field: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// The number of the stage [default: the newest]
    pub stage: Option<i64>,
    /// List the values of one category, such as hosts or code
    #[arg(long)]
    pub category: Option<String>,
    /// Tell the values of a category, or one value, as they are (may be repeated, as those below)
    #[arg(long, value_name = "WHAT")]
    pub keep: Vec<String>,
    /// Tell an alias instead
    #[arg(long, value_name = "WHAT")]
    pub mask: Vec<String>,
    /// Tell nothing
    #[arg(long, value_name = "WHAT")]
    pub drop: Vec<String>,
    /// Take a decision back
    #[arg(long, value_name = "WHAT")]
    pub undecide: Vec<String>,
    /// Replace something that looks like a secret
    #[arg(long, value_name = "FINDING")]
    pub replace: Vec<String>,
    /// Say that it is none
    #[arg(long, value_name = "FINDING")]
    pub no_secret: Vec<String>,
    /// Read words that are secrets from stdin, one a line: they are looked for from now on, and not stored
    #[arg(long)]
    pub own_words: bool,
}

#[derive(Debug, Args)]
pub struct ApproveArgs {
    /// SHA-256 of the staged bytes, all 64 digits
    #[arg(required_unless_present = "in_advance")]
    pub sha256: Option<String>,
    /// Only if numbers and names were approved for the destination in advance
    #[arg(long, conflicts_with = "in_advance")]
    pub standing: bool,
    /// Approve numbers and names for a destination in advance
    #[arg(long, value_name = "DESTINATION", conflicts_with = "sha256")]
    pub in_advance: Option<String>,
    /// For so many days, up to 90; 0 takes the approval back
    #[arg(long, requires = "in_advance", default_value_t = 30, value_parser = clap::value_parser!(u32).range(0..=90))]
    pub days: u32,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Bundles, batches, performance reports (HTML), dumps of a cluster (msgpack, YAML), profiles (speedscope, folded
    /// stacks): told apart by what is in them
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Only look at all of them, and say what is in them
    #[arg(long)]
    pub check: bool,
}

/// [`Level`] as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LevelArg {
    /// Numbers, with aliases for names
    Metrics,
    /// Names too: functions, projects, tags, libraries
    Names,
    /// Messages and tracebacks too
    Errors,
    /// Code, lines of source and events too
    Everything,
}

impl From<LevelArg> for Level {
    fn from(level: LevelArg) -> Self {
        match level {
            LevelArg::Metrics => Level::Metrics,
            LevelArg::Names => Level::Names,
            LevelArg::Errors => Level::Errors,
            LevelArg::Everything => Level::Everything,
        }
    }
}

#[derive(Debug, Args)]
pub struct DestinationArgs {
    #[command(subcommand)]
    pub verb: DestinationVerb,
}

#[derive(Debug, Subcommand)]
pub enum DestinationVerb {
    /// Make a destination known, or change what is known of it; nothing is sent
    Add {
        /// A folder (with a slash in it), or s3://bucket/folder, gs://…, az://…
        address: String,
        /// Under which the tables of what is shared from here lie
        #[arg(long, default_value = "team")]
        account: String,
        /// What others see as who shared it
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// While Bobbin runs, bring here what others share
        #[arg(long)]
        follow: bool,
        /// On a machine of a cloud, also ask its own service for keys; without, only what the environment names is asked
        #[arg(long)]
        machine_keys: bool,
    },
    /// List the destinations that are known
    List,
    /// Forget a destination; what lies there stays
    Remove { address: String },
    /// List the bundles that lie at a destination
    Bundles { address: String },
    /// Put what was approved for it there, and tables of what it holds
    Share {
        /// SHA-256 of the approved bundle, or its beginning
        #[arg(value_parser = beginning)]
        bundle: String,
        /// A destination that is known
        address: String,
    },
    /// Take back what was shared from here: it is deleted there, and stays away
    Recall {
        /// SHA-256 of the bundle, or its beginning
        #[arg(value_parser = beginning)]
        bundle: String,
        address: String,
    },
    /// Bring here what others shared, and import it
    Pull {
        /// Only of this one [default: of all that are known]
        address: Option<String>,
    },
}
