//! The data folder: there, private, with a token, a store that can be read, and the plugin of this version.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bobbin_core::Error;
use bobbin_core::api::{self, App, Empty};
use bobbin_core::install::{self, PluginCopy};

use super::Check;
use crate::failure::Failure;
use crate::{open, print};

/// Reading more than this takes long enough to say so.
const LARGE: u64 = 256 << 20;

/// All checks of the folder. None of them creates or changes anything.
pub fn checks(data_dir: &Path) -> Vec<Check> {
    if !data_dir.is_dir() {
        return vec![Check::wrong(
            "data folder",
            format!("{} does not exist", data_dir.display()),
            "start `bobbin serve` or the app once, or point --data-dir at the right folder",
        )];
    }
    let mut checks = vec![modes(data_dir), token(data_dir), plugin_copy(data_dir)];
    checks.extend(store(data_dir));
    checks
}

/// Nothing in the folder may be open to others.
fn modes(data_dir: &Path) -> Check {
    let inside = fs::read_dir(data_dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let open: Vec<String> = std::iter::once(data_dir.to_path_buf())
        .chain(inside)
        .filter(|path| {
            fs::symlink_metadata(path).is_ok_and(|m| !m.is_symlink() && m.mode() & 0o077 != 0)
        })
        .map(|path| path.display().to_string())
        .collect();
    if open.is_empty() {
        return Check::ok(
            "data folder",
            format!("{}, for its owner alone", data_dir.display()),
        );
    }
    Check::wrong(
        "data folder",
        format!("open to other users of this machine: {}", open.join(", ")),
        format!("run: chmod go-rwx {}", open.join(" ")),
    )
}

fn token(data_dir: &Path) -> Check {
    let path = data_dir.join("token");
    if !path.exists() {
        return Check::wrong(
            "token",
            format!("{} does not exist", path.display()),
            "start `bobbin serve` or the app: it makes one",
        );
    }
    match install::token(data_dir) {
        Ok(_) => Check::ok("token", format!("in {}", path.display())),
        Err(error) => Check::failed("token", error.into()),
    }
}

fn plugin_copy(data_dir: &Path) -> Check {
    let path = install::plugin_path(data_dir);
    match install::plugin_copy(data_dir) {
        PluginCopy::Same => Check::ok("plugin", format!("{}, as in this version", path.display())),
        PluginCopy::Different => Check::wrong(
            "plugin",
            format!("{} is not that of this version", path.display()),
            "start `bobbin serve` or the app: both write it anew",
        ),
        PluginCopy::Missing => Check::note(
            "plugin",
            format!("{} does not exist", path.display()),
            "`bobbin connect` writes it",
        ),
    }
}

fn store(data_dir: &Path) -> Vec<Check> {
    let app = match open::reader(data_dir) {
        Ok(app) => app,
        Err(failure) => return vec![Check::failed("store", failure)],
    };
    match health(&app) {
        Ok(checks) => checks,
        Err(error) => vec![Check::failed("store", Failure::from(error))],
    }
}

fn health(app: &App) -> Result<Vec<Check>, Error> {
    let status = api::status(app, Empty {})?;
    if status.store_bytes > LARGE {
        print::talk("Reading the whole store …");
    }
    let schema = app.inspect()?;
    let mut checks = vec![Check::ok(
        "store",
        format!(
            "undamaged, schema {schema}, {}, clusters: {}",
            print::bytes(status.store_bytes),
            status.clusters
        ),
    )];
    checks.push(match status.last_batch_micros {
        Some(at) => Check::ok(
            "last batch",
            format!("{} ago", print::seconds((app.now().0 - at.0) as f64 / 1e6)),
        ),
        None => Check::note(
            "last batch",
            "none yet",
            "start a cluster: its first batch comes within a second",
        ),
    });
    checks.push(if status.key_present {
        Check::ok("key", "code and tracebacks can be read")
    } else {
        Check::wrong(
            "key",
            "missing: code and tracebacks that were recorded cannot be read",
            "put the file `key` back into the data folder",
        )
    });
    Ok(checks)
}
