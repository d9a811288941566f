//! The `bobbin` command: one file a verb. It reads arguments, calls core, prints; what it knows about Dask is how to
//! write its configuration.

mod args;
mod check;
mod close;
mod clusters;
mod compare;
mod connect;
mod delete;
mod demo;
mod destination;
mod disconnect;
mod doctor;
mod end;
mod export;
mod failure;
mod hand_over;
mod import;
mod keys;
mod mcp;
mod near;
mod open;
mod picture;
mod print;
mod profile;
mod replay;
mod report;
mod restore;
mod review;
mod salvage;
mod saved;
mod serve;
mod shell;
mod show;
mod snapshot;
mod sql;
mod storage;
mod table;
mod team;
#[cfg(unix)]
mod tray;
#[cfg(windows)]
#[path = "no_tray.rs"]
mod tray;
mod update;
mod visible;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use args::{Cli, Verb};
use failure::Failure;

fn main() -> ExitCode {
    if let Some(answered) = bobbin_core::api::begin() {
        return answered;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return wrong_use(&error),
    };
    let filter = EnvFilter::try_from_env("BOBBIN_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    bobbin_destination::choose_cryptography();
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
    bobbin_core::install::keep_crashes(&data_dir);
    match &cli.verb {
        Verb::Serve(args) => serve::run(&data_dir, args)?,
        Verb::Tray(args) => tray::run(&data_dir, args)?,
        Verb::Clusters(args) => clusters::run(&data_dir, cli.json, args)?,
        Verb::Show(args) => show::run(&data_dir, cli.json, args)?,
        Verb::Compare(args) => compare::run(&data_dir, cli.json, args)?,
        Verb::Check(args) => return check::run(&data_dir, cli.json, args),
        Verb::Mcp(args) => mcp::run(&data_dir, args)?,
        Verb::Sql(args) => sql::run(&data_dir, cli.json, args)?,
        Verb::Table(args) => table::run(&data_dir, cli.json, args)?,
        Verb::Picture(args) => picture::run(&data_dir, cli.json, args)?,
        Verb::Profile(args) => profile::run(&data_dir, cli.json, args)?,
        Verb::Demo(args) => demo::run(&data_dir, cli.json, args)?,
        Verb::Replay(args) => replay::run(&data_dir, cli.json, args)?,
        Verb::Export(args) => export::run(&data_dir, cli.json, args)?,
        Verb::Report(args) => report::run(&data_dir, cli.json, args)?,
        Verb::Import(args) => import::run(&data_dir, cli.json, args)?,
        Verb::Destination(args) => destination::run(&data_dir, cli.json, args)?,
        Verb::Stage(args) => review::stage(&data_dir, cli.json, args)?,
        Verb::Review(args) => review::review(&data_dir, cli.json, args)?,
        Verb::Approve(args) => review::approve(&data_dir, cli.json, args)?,
        Verb::Ledger(args) => return team::ledger::run(&data_dir, cli.json, args),
        Verb::Join(args) => team::join::run(&data_dir, cli.json, args)?,
        Verb::Push(args) => return team::push::run(&data_dir, cli.json, args),
        Verb::Queue(args) => team::queue::run(&data_dir, cli.json, args)?,
        Verb::Recall(args) => team::recall::run(&data_dir, cli.json, args)?,
        Verb::Fetch(args) => team::fetch::run(&data_dir, cli.json, args)?,
        Verb::Hub(args) => team::hub::run(&data_dir, cli.json, args)?,
        Verb::Close(args) => close::run(&data_dir, cli.json, args)?,
        Verb::Snapshot(args) => snapshot::run(&data_dir, cli.json, args)?,
        Verb::Restore(args) => restore::run(&data_dir, cli.json, args)?,
        Verb::Salvage(args) => salvage::run(&data_dir, cli.json, args)?,
        Verb::Key(args) => keys::run(&data_dir, cli.json, args)?,
        Verb::Delete(args) => delete::run(&data_dir, cli.json, args)?,
        Verb::Storage(args) => storage::run(&data_dir, cli.json, args)?,
        Verb::Connect(args) => connect::run(&data_dir, cli.json, args)?,
        Verb::Disconnect => disconnect::run(&data_dir, cli.json)?,
        Verb::Doctor(args) => return doctor::run(&data_dir, cli.json, args),
        Verb::Update(args) => update::run(cli.json, args)?,
        Verb::Completions(args) => shell::completions(cli.json, args)?,
        Verb::Man(args) => shell::man(cli.json, args)?,
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
