//! `bobbin table NAME`: a table as CSV, JSON or Parquet, all rows of it.

use std::path::{Path, PathBuf};

use bobbin_core::api::{self, TableFormat};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::{open, saved};

#[derive(Debug, Args)]
pub struct TableArgs {
    /// The table to save; those from `workers` on cover one cluster
    #[arg(value_parser = PossibleValuesParser::new(api::TABLES.iter().copied()))]
    pub name: String,
    /// Only this cluster, specified as for `show`
    #[arg(long)]
    pub cluster: Option<String>,
    /// File format [default: from the file's extension]
    #[arg(long, value_enum)]
    pub format: Option<TableFormatArg>,
    /// A new file
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

/// [`TableFormat`] as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum TableFormatArg {
    /// For spreadsheets; text that they would run as a formula gets a leading apostrophe
    Csv,
    /// Includes the number of rows, and whether some are left out
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
                Failure::usage(format!("{} has no known format", args.output.display()))
                    .hint("end its name in .csv, .json or .parquet, or pass --format"),
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
