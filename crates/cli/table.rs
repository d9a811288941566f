//! `bobbin table NAME`: a table as CSV, JSON or Parquet, all rows of it.

use std::path::{Path, PathBuf};

use bobbin_core::api::{self, TableFormat};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::{open, saved};

#[derive(Debug, Args)]
pub struct TableArgs {
    /// Which table; those from `workers` on are of one cluster
    #[arg(value_parser = PossibleValuesParser::new(api::TABLES.iter().copied()))]
    pub name: String,
    /// Only of this cluster, as `show` takes it
    #[arg(long)]
    pub cluster: Option<String>,
    /// What it is written as [default: as the file is called]
    #[arg(long, value_enum)]
    pub format: Option<TableFormatArg>,
    /// A new file
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

/// [`TableFormat`] as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum TableFormatArg {
    /// For spreadsheets; texts that they would run as formulas get an apostrophe
    Csv,
    /// With the number of rows, and whether some are left out
    Json,
    Parquet,
}

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &TableArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    let format = match (args.format, &*saved::ending(&args.output)) {
        (Some(TableFormatArg::Csv), _) | (None, "csv") => TableFormat::Csv,
        (Some(TableFormatArg::Json), _) | (None, "json") => TableFormat::Json,
        (Some(TableFormatArg::Parquet), _) | (None, "parquet") => TableFormat::Parquet,
        (None, _) => {
            return Err(
                Failure::usage(format!("{} names no format", args.output.display()))
                    .hint("call it .csv, .json or .parquet, or say --format"),
            );
        }
    };
    // An unknown cluster is told as every verb tells it.
    let cluster = match &args.cluster {
        Some(text) => Some(open::cluster(&app, text)?.id.to_string()),
        None => None,
    };
    let part = api::named_table(&app, &args.name, cluster.as_deref())?;
    let made = bobbin_save::written(&app, &part, format)?;
    saved::write(&app, &made, &args.output, json)
}
