//! The `bobbin` command: one file a verb. It reads arguments, calls core, prints; what it knows about Dask is how to
//! write its configuration.

mod args;
mod clusters;
mod connect;
mod disconnect;
mod doctor;
mod failure;
mod files;
mod open;
mod print;
mod serve;
mod show;
mod visible;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use args::{Cli, Verb};
use failure::Failure;

/// Half the time per inflated batch of the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return wrong_use(&error),
    };
    let filter = EnvFilter::try_from_env("BOBBIN_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    run(&cli).unwrap_or_else(|failure| {
        document(&failure, cli.json);
        print::talk(&failure.to_string());
        ExitCode::from(failure.exit as u8)
    })
}

/// Arguments that cannot be used, or `--help` and `--version`.
fn wrong_use(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        let text = error.to_string();
        let (what, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let failure = Failure::usage(what.trim_start_matches("error: ")).hint(rest.trim());
        document(&failure, std::env::args_os().any(|arg| arg == "--json"));
    }
    if error.print().is_err() {
        return ExitCode::FAILURE;
    }
    ExitCode::from(if error.use_stderr() {
        failure::Exit::Usage as u8
    } else {
        0
    })
}

/// With `--json`, a failure is the one document on stdout.
fn document(failure: &Failure, json: bool) {
    if json && print::json(&failure.document()).is_err() {
        print::talk("error: nothing reads stdout");
    }
}

fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    let data_dir = data_dir(cli)?;
    match &cli.verb {
        Verb::Serve(args) => serve::run(&data_dir, args)?,
        Verb::Clusters(args) => clusters::run(&data_dir, cli.json, args)?,
        Verb::Show(args) => show::run(&data_dir, cli.json, args)?,
        Verb::Connect(args) => connect::run(&data_dir, cli.json, args)?,
        Verb::Disconnect => disconnect::run(&data_dir, cli.json)?,
        Verb::Doctor(args) => return doctor::run(&data_dir, cli.json, args),
    }
    Ok(ExitCode::SUCCESS)
}

/// Absolute, since Dask's configuration and the listening line name it to processes in other folders.
fn data_dir(cli: &Cli) -> Result<PathBuf, Failure> {
    match &cli.data_dir {
        Some(dir) => std::path::absolute(dir).map_err(|e| Failure::io("the data folder", dir, &e)),
        None => Ok(bobbin_core::install::default_data_dir()?),
    }
}
