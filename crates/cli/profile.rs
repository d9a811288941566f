//! `bobbin profile CLUSTER`: its statistical profile for another viewer.

use std::path::{Path, PathBuf};

use bobbin_core::api::{self, FlameRequest, ProfileFormat, ProfileOutRequest};
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::{open, profiled, saved};

#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// Which, as `show` takes it
    pub cluster: String,
    /// What it is written as
    #[arg(long, value_enum, default_value_t = ProfileFormatArg::Speedscope)]
    pub format: ProfileFormatArg,
    /// Only of tasks with this prefix (may be repeated)
    #[arg(long)]
    pub prefix: Vec<String>,
    /// A new file
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

/// [`ProfileFormat`] as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ProfileFormatArg {
    /// For <https://www.speedscope.app>
    Speedscope,
    /// One line a stack, with its samples
    Folded,
    /// Gzipped protocol buffers, for `go tool pprof`
    Pprof,
}

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &ProfileArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    let cluster = open::cluster(&app, &args.cluster)?;
    let asked = ProfileOutRequest {
        flame: FlameRequest {
            selection: profiled::selection(&app, &cluster, &args.prefix)?,
            ..FlameRequest::default()
        },
        format: match args.format {
            ProfileFormatArg::Speedscope => ProfileFormat::Speedscope,
            ProfileFormatArg::Folded => ProfileFormat::Folded,
            ProfileFormatArg::Pprof => ProfileFormat::Pprof,
        },
    };
    let made = api::profile_out(&app, &asked)?;
    saved::write(&app, &made, &args.output, json)
}
