//! The data folder: there, private, with a token, a store that can be read, and the plugin of this version.

use std::fs;
use std::path::Path;

use super::{DoctorCheck, room, safety, store};
use crate::Result;
use crate::api::App;
use crate::install::{self, PluginCopy};
use crate::model::Micros;
use crate::system::{HAS_MODES, Others, loosened};

/// All checks of the folder, and of the store in it.
pub(super) fn checks(
    data_dir: &Path,
    now: Micros,
    open: impl FnOnce() -> Result<App>,
) -> Vec<DoctorCheck> {
    if !data_dir.is_dir() {
        return vec![DoctorCheck::wrong(
            "data folder",
            format!("{} does not exist", data_dir.display()),
            "start `bobbin serve` or the app once, or point --data-dir at the right folder",
        )];
    }
    let mut checks = vec![
        modes(data_dir),
        settings(data_dir, now),
        token(data_dir),
        plugin_copy(data_dir),
    ];
    checks.extend(room::disk(data_dir));
    checks.extend(crashes(data_dir));
    let (stored, last_batch) = store::checks(open);
    checks.extend(stored);
    checks.extend(safety::checks(data_dir, now, last_batch));
    checks
}

/// May be read by others, and not written: the key that only seals, and what people write by hand, as their editor makes it. The
/// folder lets nobody else in anyway.
const NO_SECRETS: [&str; 3] = ["public_key", "settings.toml", "bobbin-policy.toml"];

/// Nothing else in the folder may be open to others.
fn modes(data_dir: &Path) -> DoctorCheck {
    if !HAS_MODES {
        return DoctorCheck::ok(
            "data folder",
            format!(
                "{}; its access list decides who may enter",
                data_dir.display()
            ),
        );
    }
    let inside = fs::read_dir(data_dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let open: Vec<String> = std::iter::once(data_dir.to_path_buf())
        .chain(inside)
        .filter(|path| {
            let most = if NO_SECRETS.iter().any(|name| path.ends_with(name)) {
                Others::Read
            } else {
                Others::Nothing
            };
            fs::symlink_metadata(path)
                .is_ok_and(|found| !found.is_symlink() && loosened(&found, most).is_some())
        })
        .map(|path| path.display().to_string())
        .collect();
    if open.is_empty() {
        return DoctorCheck::ok(
            "data folder",
            format!("{}, accessible only to you", data_dir.display()),
        );
    }
    DoctorCheck::wrong(
        "data folder",
        format!("open to other users of this machine: {}", open.join(", ")),
        format!("run: chmod go-rwx {}", open.join(" ")),
    )
}

/// What is in force at a start, but for the options of its command line.
fn settings(data_dir: &Path, now: Micros) -> DoctorCheck {
    let found = match install::settings(data_dir) {
        Ok(found) => found,
        Err(error) => return DoctorCheck::failed("settings", &error),
    };
    let from = match install::settings_path(data_dir) {
        path if path.exists() => format!("from {}", path.display()),
        _ => "the default".to_owned(),
    };
    let port = match found.port_or_default() {
        0 => "any port".to_owned(),
        port => format!("port {port}"),
    };
    let reached = match (found.interface_at(now), found.interface_until) {
        (None, _) => "this machine only".to_owned(),
        (Some(interface), None) => format!("also on {interface}"),
        (Some(interface), Some(until)) => format!("also on {interface} until {until}"),
    };
    let others = match found.inbox.len() {
        0 => "no other inbox".to_owned(),
        count => format!("other inboxes: {count}"),
    };
    DoctorCheck::ok("settings", format!("{port}, {reached}, {others}, {from}"))
}

fn token(data_dir: &Path) -> DoctorCheck {
    let path = data_dir.join("token");
    if !path.exists() {
        return DoctorCheck::wrong(
            "token",
            format!("{} does not exist", path.display()),
            "start `bobbin serve` or the app to create it",
        );
    }
    match install::token(data_dir) {
        Ok(_) => DoctorCheck::ok("token", format!("in {}", path.display())),
        Err(error) => DoctorCheck::failed("token", &error),
    }
}

fn plugin_copy(data_dir: &Path) -> DoctorCheck {
    let path = install::plugin_path(data_dir);
    match install::plugin_copy(data_dir) {
        PluginCopy::Same => {
            DoctorCheck::ok("plugin", format!("{}, as in this version", path.display()))
        }
        PluginCopy::Different => DoctorCheck::wrong(
            "plugin",
            format!("{} belongs to another version", path.display()),
            "start `bobbin serve` or the app to write it again",
        ),
        PluginCopy::Missing => DoctorCheck::note(
            "plugin",
            format!("{} does not exist", path.display()),
            "`bobbin connect` writes it",
        ),
    }
}

/// Where Bobbin itself failed, if it ever did.
fn crashes(data_dir: &Path) -> Option<DoctorCheck> {
    let (path, lines) = install::crashes(data_dir);
    let last = lines.last()?;
    let path = path.display();
    Some(DoctorCheck::note(
        "crashes",
        format!("{}, the last: {last}", lines.len()),
        format!(
            "attach {path} to a bug report, then remove it: it contains locations in Bobbin's source and nothing of yours"
        ),
    ))
}
