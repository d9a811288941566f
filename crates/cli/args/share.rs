//! What the verbs take that tell something to others, or take what others tell.

use std::path::PathBuf;

use bobbin_core::share::Level;
use clap::{Args, Subcommand, ValueEnum};

use crate::team::args::beginning;

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The clusters, specified as for `show`
    #[arg(required = true)]
    pub clusters: Vec<String>,
    /// The bundle, a new file [default: cluster-N.bobbin in the current folder]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How much to share; each level includes the ones before it
    #[arg(long, value_enum, default_value_t = LevelArg::Names)]
    pub level: LevelArg,
    /// Share real users, hosts, addresses, folders and task keys, without aliases
    #[arg(long)]
    pub real_identities: bool,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// One cluster, or two to compare, specified as for `show`
    #[arg(required = true, num_args = 1..=2)]
    pub clusters: Vec<String>,
    /// A new file [default: cluster-N.html or compare-A-B.html in the current folder; Markdown goes to stdout]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write ten to thirty lines of Markdown, for an issue
    #[arg(long)]
    pub markdown: bool,
    /// How much to share; each level includes the ones before it
    #[arg(long, value_enum, default_value_t = LevelArg::Names)]
    pub level: LevelArg,
    /// Share real users, hosts, addresses, folders and task keys, without aliases
    #[arg(long)]
    pub real_identities: bool,
    /// Include the cost, by your prices
    #[arg(long)]
    pub cost: bool,
    /// Only show how large it would be and what it would include; write nothing
    #[arg(long)]
    pub check: bool,
}

#[derive(Debug, Args)]
pub struct StageArgs {
    /// The clusters, specified as for `show`
    #[arg(required_unless_present = "proposed", conflicts_with = "proposed")]
    pub clusters: Vec<String>,
    /// Stage the clusters that the team's policy proposes; sends nothing and makes no decisions
    #[arg(long)]
    pub proposed: bool,
    /// Who it is for: a name you choose, or a destination; Bobbin remembers aliases and decisions for each
    #[arg(long, value_name = "DESTINATION")]
    pub to: String,
    /// How much to share; each level includes the ones before it
    #[arg(long, value_enum, default_value_t = LevelArg::Names)]
    pub level: LevelArg,
    /// Share more or less of one cluster than of the others, for example nightly=errors (repeatable)
    #[arg(long, value_name = "CLUSTER=LEVEL", value_parser = level_of, conflicts_with = "proposed")]
    pub level_of: Vec<(String, LevelArg)>,
    /// Share real users, hosts, addresses, folders and task keys, without aliases
    #[arg(long)]
    pub real_identities: bool,
    /// Share a field that is new since your last share with this destination (repeatable)
    #[arg(long, value_name = "FIELD")]
    pub accept_field: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// The number of the stage [default: the newest]
    pub stage: Option<i64>,
    /// List the values of one category, for example hosts or code
    #[arg(long)]
    pub category: Option<String>,
    /// Keep a category or a single value as it is (repeatable, like the options below)
    #[arg(long, value_name = "WHAT")]
    pub keep: Vec<String>,
    /// Share an alias instead
    #[arg(long, value_name = "WHAT")]
    pub mask: Vec<String>,
    /// Leave it out
    #[arg(long, value_name = "WHAT")]
    pub drop: Vec<String>,
    /// Undo a decision
    #[arg(long, value_name = "WHAT")]
    pub undecide: Vec<String>,
    /// Replace a suspected secret, an e-mail or IP address, or a national ID
    #[arg(long, value_name = "FINDING")]
    pub replace: Vec<String>,
    /// Mark a suspected secret as harmless, or keep an e-mail or IP address or a national ID
    #[arg(long, value_name = "FINDING")]
    pub no_secret: Vec<String>,
    /// Read your own secret words from stdin, one per line; Bobbin looks for them from now on and does not store them
    #[arg(long)]
    pub own_words: bool,
}

#[derive(Debug, Args)]
pub struct ApproveArgs {
    /// SHA-256 of the staged bytes, all 64 digits
    #[arg(required_unless_present = "in_advance")]
    pub sha256: Option<String>,
    /// Approve only if you approved numbers and names for the destination in advance
    #[arg(long, conflicts_with = "in_advance")]
    pub standing: bool,
    /// Approve numbers and names for a destination in advance
    #[arg(long, value_name = "DESTINATION", conflicts_with = "sha256")]
    pub in_advance: Option<String>,
    /// How many days the approval lasts, up to 90; 0 withdraws it
    #[arg(long, requires = "in_advance", default_value_t = 30, value_parser = clap::value_parser!(u32).range(0..=90))]
    pub days: u32,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Bundles, batches, performance reports (HTML), cluster dumps (msgpack, YAML), profiles (speedscope, folded
    /// stacks); Bobbin detects the type from the content
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Only check the files and show what is in them
    #[arg(long)]
    pub check: bool,
}

/// A cluster, and how much of it is shared.
fn level_of(text: &str) -> Result<(String, LevelArg), String> {
    let (cluster, level) = text
        .rsplit_once('=')
        .ok_or("write the cluster, =, and a level, for example nightly=errors")?;
    Ok((cluster.into(), LevelArg::from_str(level, false)?))
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
    /// Code, source lines and events too
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
    /// Add a destination, or change one; sends nothing
    Add {
        /// A folder (with a slash in it), or s3://bucket/folder, gs://…, az://…
        address: String,
        /// Account name for the tables of what you share
        #[arg(long, default_value = "team")]
        account: String,
        /// The name others see for what you share
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// While Bobbin runs, import what others share
        #[arg(long)]
        follow: bool,
        /// On a cloud machine, also ask its metadata service for keys; by default, Bobbin uses only what the environment names
        #[arg(long)]
        machine_keys: bool,
    },
    /// List your destinations
    List,
    /// Remove a destination; its files stay where they are
    Remove { address: String },
    /// List the bundles at a destination
    Bundles { address: String },
    /// Put an approved bundle at a destination, with tables of its contents
    Share {
        /// SHA-256 of the approved bundle, or its first digits
        #[arg(value_parser = beginning)]
        bundle: String,
        /// One of your destinations
        address: String,
    },
    /// Recall a bundle you shared: it is deleted at the destination and does not come back
    Recall {
        /// SHA-256 of the bundle, or its first digits
        #[arg(value_parser = beginning)]
        bundle: String,
        address: String,
    },
    /// Import what others shared
    Pull {
        /// Only from this destination [default: from all]
        address: Option<String>,
    },
    /// Trust the key that signed a bundle, if its member has a new one
    Trust {
        /// SHA-256 of a bundle that was set aside, or its first digits
        #[arg(value_parser = beginning)]
        bundle: String,
        /// One of your destinations
        address: String,
    },
}
