//! `bobbin profile CLUSTER`: its statistical profile for another viewer.

use std::path::{Path, PathBuf};

use bobbin_core::api::{
    self, App, ClusterRequest, ClusterRow, FlameRequest, FlameTableRequest, ProfileFormat,
    ProfileOutRequest, ProfileSelection,
};
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::{open, saved, visible};

#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// The cluster, specified as for `show`
    pub cluster: String,
    /// File format
    #[arg(long, value_enum, default_value_t = ProfileFormatArg::Speedscope)]
    pub format: ProfileFormatArg,
    /// Only tasks with this prefix (repeatable)
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
    /// One line per stack, with its samples
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
            selection: selection(&app, &cluster, &args.prefix)?,
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

/// The samples that are asked for, of which there is one at least: a file of none would look like one of nothing to do.
fn selection(
    app: &App,
    cluster: &ClusterRow,
    prefixes: &[String],
) -> Result<ProfileSelection, Failure> {
    let selection = ProfileSelection {
        ids: vec![cluster.id],
        prefixes: prefixes.to_vec(),
        ..ProfileSelection::default()
    };
    let table = FlameTableRequest {
        selection: selection.clone(),
        ..FlameTableRequest::default()
    };
    if api::flame_table(app, table)?.samples > 0 {
        return Ok(selection);
    }
    let name = visible::plain(&cluster.name);
    let facts = api::cluster(app, ClusterRequest { id: cluster.id })?.facts;
    let missing = Failure::failed(match prefixes {
        [] => format!("there is no profile of {name}"),
        some => format!(
            "there is no profile of {} in {name}",
            visible::plain(&some.join(", "))
        ),
    });
    Err(match facts.off_since.contains_key("profile") {
        true => missing.hint(
            "profiles are off at source: set `bobbin.profile.transmit: true` where the scheduler starts, and the next cluster sends one",
        ),
        false => missing.hint("`bobbin show` lists what has samples"),
    })
}
