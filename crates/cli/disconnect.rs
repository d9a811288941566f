//! `bobbin disconnect`: Dask's configuration folder as it was before `connect`.

use std::path::Path;

use bobbin_core::connect::disconnect;

use crate::failure::Failure;
use crate::print;

/// Runs the verb. Not being connected is not a failure.
pub fn run(data_dir: &Path, json: bool) -> Result<(), Failure> {
    let done = disconnect(data_dir)?;
    if json {
        return print::json(&done);
    }
    print::write(&match &done.removed_file {
        Some(file) => format!(
            "Disconnected: removed {}\nSchedulers that are already running keep reporting until they end.\n",
            file.display()
        ),
        None => "Not connected: there was nothing to remove.\n".into(),
    })
}
