//! What can be typed: verbs, flags and their help.

use std::path::PathBuf;

use bobbin_core::api::ClusterOrder;
use bobbin_core::model::ClusterState;
use clap::{Args, Parser, Subcommand, ValueEnum};

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
    /// List the clusters that reported
    Clusters(ClustersArgs),
    /// Show one cluster: its state, task groups, computations and exceptions
    Show(ShowArgs),
    /// Make every scheduler that this user starts on this machine report, with no change of code
    Connect(ConnectArgs),
    /// Take back what `connect` wrote, and leave the folder as it was
    Disconnect,
    /// Check that clusters can report, and say what to do where they cannot (safe to paste: no secrets)
    Doctor(DoctorArgs),
}

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// TCP port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 8788)]
    pub port: u16,
    /// Serve the page to a browser too, and print a link that signs in once
    #[arg(long)]
    pub ui: bool,
    /// Port of the page; 0 takes a free one
    #[arg(long, default_value_t = 0, requires = "ui", value_name = "PORT")]
    pub ui_port: u16,
    /// Load the recorded stories first
    #[arg(long)]
    pub demo: bool,
}

#[derive(Debug, Args)]
pub struct ClustersArgs {
    /// Part of the name, user, host, project, a tag or the scheduler's id
    pub text: Option<String>,
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
    Idle,
    Finished,
    Lost,
}

impl From<StateArg> for ClusterState {
    fn from(state: StateArg) -> Self {
        match state {
            StateArg::Running => ClusterState::Running,
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
    Duration,
    Workers,
    Memory,
    Tasks,
    Compute,
    ThreadTime,
    Exceptions,
}

impl From<OrderArg> for ClusterOrder {
    fn from(order: OrderArg) -> Self {
        match order {
            OrderArg::Started => ClusterOrder::Started,
            OrderArg::Name => ClusterOrder::Name,
            OrderArg::User => ClusterOrder::User,
            OrderArg::Duration => ClusterOrder::Duration,
            OrderArg::Workers => ClusterOrder::WorkersPeak,
            OrderArg::Memory => ClusterOrder::MemoryPeak,
            OrderArg::Tasks => ClusterOrder::TasksCompleted,
            OrderArg::Compute => ClusterOrder::ComputeSeconds,
            OrderArg::ThreadTime => ClusterOrder::ThreadSeconds,
            OrderArg::Exceptions => ClusterOrder::Exceptions,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_hold_together() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
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
