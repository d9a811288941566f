//! `bobbin connect`: every scheduler of this user reports, by one file in Dask's configuration folder.

pub mod coiled;

use std::path::Path;
use std::sync::Arc;

use bobbin_core::api;
use bobbin_core::clock::SystemClock;
use bobbin_core::connect::dask::Places;
use bobbin_core::connect::{Connected, connect};

use crate::args::ConnectArgs;
use crate::failure::Failure;
use crate::{print, visible};

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &ConnectArgs) -> Result<(), Failure> {
    if args.coiled {
        return coiled::run(data_dir, json);
    }
    let places = Places::find(args.dask_config_dir.as_deref())?;
    api::ready_to_seal(data_dir, Arc::new(SystemClock), bobbin_keyring::system())?;
    let done = connect(data_dir, &places)?;
    for warning in &done.warnings {
        print::talk(&format!("warning: {warning}"));
    }
    if json {
        print::json(&done)
    } else {
        print::write(&text(&done))
    }
}

fn text(done: &Connected) -> String {
    let mut text = format!(
        "{}: every scheduler you start from now on reports to Bobbin.\n  configuration  {}\n  plugin         {}\n",
        if done.changed {
            "Connected"
        } else {
            "Already connected"
        },
        done.file.display(),
        done.plugin.display()
    );
    for other in &done.kept_preloads {
        let first = other.lines().next().unwrap_or_default();
        text.push_str(&format!(
            "  kept preload   {}\n",
            print::cut(&visible::plain(first), 80)
        ));
    }
    if !done.captures_code {
        text.push_str("  code           as set by nframes in your own configuration\n");
    }
    text
}
