//! `cargo xtask`: everything a clone needs, each in one command, set-up included.

mod app;
mod bench;
mod deny;
mod files;
mod page;
mod process;
mod setup;
mod stamp;
mod test;

use std::{env, process::ExitCode};

use process::{Failure, Result};

const HELP: &str = "\
cargo xtask COMMAND

  setup [--for app|test]     install what is missing: system packages, Node packages, Python environments
  app [--demo] [--release]   set up, build and open the window; without a display, serve the page and print its link
  test [--quick] [--only S]  set up and run every suite; leaves target/test-report.json and target/screenshots
  bench NAME [--quick] [--json] [--dev]
                             measure Bobbin against a peer in the same run; NAME is ingest

Exit codes: 0 done, 1 failed, 2 wrong use.";

fn main() -> ExitCode {
    let mut words = env::args().skip(1);
    let command = words.next().unwrap_or_default();
    let options: Vec<String> = words.collect();
    match run(&command, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit_code)
        }
    }
}

fn run(command: &str, options: &[String]) -> Result {
    match command {
        "setup" => setup::main(options),
        "app" => app::main(options),
        "test" => test::main(options),
        "bench" => bench::main(options),
        "" | "help" | "-h" | "--help" => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(Failure::usage(format!(
            "there is no command {other}\n\n{HELP}"
        ))),
    }
}
