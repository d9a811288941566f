//! `bobbin doctor`: would a cluster that starts now be seen? Core makes the checks, and this prints them.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use bobbin_core::Result;
use bobbin_core::api::{self, App, Empty, Role};
use bobbin_core::clock::{Clock, SystemClock};

use crate::args::DoctorArgs;
use crate::failure::{Exit, Failure};
use crate::print;

/// Reading more than this takes long enough to say so.
const LARGE: u64 = 256 << 20;

/// Runs the verb: 0 if nothing is wrong, else 1.
pub fn run(
    data_dir: &Path,
    json: bool,
    args: &DoctorArgs,
) -> std::result::Result<ExitCode, Failure> {
    let checkup = api::examine(
        data_dir,
        args.dask_config_dir.as_deref(),
        Some(bobbin_http::probe),
        SystemClock.now(),
        || opened(data_dir),
    );
    if json {
        print::json(&checkup)?
    } else {
        print::write(&checkup.text())?
    }
    Ok(if checkup.healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(Exit::Failed as u8)
    })
}

/// The store, which is about to be read whole.
fn opened(data_dir: &Path) -> Result<App> {
    let keyring = bobbin_keyring::system();
    let app = App::open_with(data_dir, Role::Reader, Arc::new(SystemClock), keyring)?;
    if api::status(&app, Empty {})?.store_bytes > LARGE {
        print::talk("Reading the whole store …");
    }
    Ok(app)
}
