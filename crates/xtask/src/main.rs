//! `cargo xtask`: everything a clone needs, each in one command, set-up included.

mod app;
mod bench;
mod deny;
mod elsewhere;
#[cfg(feature = "bench")]
mod ending;
mod files;
mod fuzz;
mod generate;
mod optimised;
mod package;
mod page;
#[cfg(feature = "bench")]
mod preload;
mod process;
mod record;
mod setup;
mod stamp;
#[cfg(feature = "bench")]
mod tables;
mod test;
mod torture;
#[cfg(feature = "bench")]
mod written;

use std::{env, process::ExitCode};

use process::{Failure, Result};

const HELP: &str = "\
cargo xtask COMMAND

  setup [--for app|test]     install what is missing: system packages, Node packages, Python environments
  app [--demo] [--release]   set up, build and open the window; without a display, serve the page and print its link
  test [--quick] [--only S]  set up and run every suite; leaves target/test-report.json and target/screenshots
  bench NAME [--quick] [--json] [--dev]
                             measure Bobbin against a peer in the same run; NAME is desk, desktop, hub, ingest, overload,
                             plugin, report, store or views
  bench NAME --write         the same, and write the figures of any but ingest into README.md or docs/performance.md
  bench views --stores       only fill the stores that it measures over, which are kept in target/bench-stores
  package [--dev] [--out DIR] [--sign KEY_FILE]
                             make the Debian packages and the archive, in target/packages; with a key, a signed release file
                             beside them
  package --new-key KEY_FILE
                             make a key that signs releases, and print its public half
  elsewhere                  check that the command compiles for macOS and Windows, on a machine that is neither
  fuzz TARGET [--minutes N] [--seed N]
                             change what strangers send at random and look for faults; without TARGET, it names them
  torture [--quick] [--dev] [--only NAME] [--seed N]
                             kill, cut the power, fill the disk, and count the records lost and doubled; NAME is power,
                             power-normal, power-shared, power-sector, power-folder, power-unsynced, full, room, first,
                             share, cap, log, damage, kill, quit, sleep, spool, migrated, exchange or salvaged; another seed
                             tries other moments, and the long form has another each day
  torture --write            the same in its long form, and write the figures into docs/guarantees.md
  record [STORY ...]         record the stories of the demo anew, with real Dask, into assets/demo; minutes
  generate FOLDER [--clusters N] [--members N] [--days N] [--seed N] [--until DAY] [--groups N] [--stacks N]
                             fill a data folder with clusters like those of a team over a year, drawn from recorded runs; the
                             same options give the same clusters, on another day only with the same --until (DAY counts from
                             1970): --until is today where it is not said

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
        "package" => package::main(options),
        "elsewhere" => elsewhere::main(options),
        "test" => test::main(options),
        "bench" => bench::main(options),
        "generate" => generate::main(options),
        "record" => record::main(options),
        "fuzz" => fuzz::main(options),
        "torture" => torture::main(options),
        "" | "help" | "-h" | "--help" => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(Failure::usage(format!(
            "there is no command {other}\n\n{HELP}"
        ))),
    }
}
