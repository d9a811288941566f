//! The data folder: there, private, with a token, a store that can be read, and the plugin of this version.

use std::fs;
use std::path::Path;

use bobbin_core::Error;
use bobbin_core::api::{self, App, Empty, InboxStatus, KeyPlace, KeyStatus, SafetyStatus};
use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::install::{self, PluginCopy};
use bobbin_core::model::Micros;
use bobbin_core::system::{HAS_MODES, Others, loosened};

use super::{Check, reporters, room};
use crate::failure::Failure;
use crate::{keys, open, print};

/// Reading more than this takes long enough to say so.
const LARGE: u64 = 256 << 20;
/// One is due each day; after three something keeps it from being taken.
const OVERDUE_MICROS: i64 = 3 * 86_400 * 1_000_000;

/// All checks of the folder. None of them creates or changes anything.
pub fn checks(data_dir: &Path) -> Vec<Check> {
    if !data_dir.is_dir() {
        return vec![Check::wrong(
            "data folder",
            format!("{} does not exist", data_dir.display()),
            "start `bobbin serve` or the app once, or point --data-dir at the right folder",
        )];
    }
    let mut checks = vec![
        modes(data_dir),
        settings(data_dir),
        token(data_dir),
        plugin_copy(data_dir),
    ];
    checks.extend(room::disk(data_dir));
    checks.extend(crashes(data_dir));
    let (stored, last_batch) = store(data_dir);
    checks.extend(stored);
    checks.extend(safety(
        &api::safety(data_dir),
        SystemClock.now(),
        last_batch,
    ));
    checks
}

/// May be read by others, and not written: the key that only seals, and what people write by hand, as their editor makes it. The
/// folder lets nobody else in anyway.
const NO_SECRETS: [&str; 3] = ["public_key", "settings.toml", "bobbin-policy.toml"];

/// Nothing else in the folder may be open to others.
fn modes(data_dir: &Path) -> Check {
    if !HAS_MODES {
        return Check::ok(
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
        return Check::ok(
            "data folder",
            format!("{}, accessible only to you", data_dir.display()),
        );
    }
    Check::wrong(
        "data folder",
        format!("open to other users of this machine: {}", open.join(", ")),
        format!("run: chmod go-rwx {}", open.join(" ")),
    )
}

/// What is in force at a start, but for the options of its command line.
fn settings(data_dir: &Path) -> Check {
    let found = match install::settings(data_dir) {
        Ok(found) => found,
        Err(error) => return Check::failed("settings", error.into()),
    };
    let from = match install::settings_path(data_dir) {
        path if path.exists() => format!("from {}", path.display()),
        _ => "the default".to_owned(),
    };
    let port = match found.port_or_default() {
        0 => "any port".to_owned(),
        port => format!("port {port}"),
    };
    let reached = match (found.interface_at(SystemClock.now()), found.interface_until) {
        (None, _) => "this machine only".to_owned(),
        (Some(interface), None) => format!("also on {interface}"),
        (Some(interface), Some(until)) => format!("also on {interface} until {until}"),
    };
    let others = match found.inbox.len() {
        0 => "no other inbox".to_owned(),
        count => format!("other inboxes: {count}"),
    };
    Check::ok("settings", format!("{port}, {reached}, {others}, {from}"))
}

fn token(data_dir: &Path) -> Check {
    let path = data_dir.join("token");
    if !path.exists() {
        return Check::wrong(
            "token",
            format!("{} does not exist", path.display()),
            "start `bobbin serve` or the app to create it",
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
            format!("{} belongs to another version", path.display()),
            "start `bobbin serve` or the app to write it again",
        ),
        PluginCopy::Missing => Check::note(
            "plugin",
            format!("{} does not exist", path.display()),
            "`bobbin connect` writes it",
        ),
    }
}

/// Where Bobbin itself failed, if it ever did.
fn crashes(data_dir: &Path) -> Option<Check> {
    let (path, lines) = install::crashes(data_dir);
    let last = lines.last()?;
    let path = path.display();
    Some(Check::note(
        "crashes",
        format!("{}, the last: {last}", lines.len()),
        format!(
            "attach {path} to a bug report, then remove it: it contains locations in Bobbin's source and nothing of yours"
        ),
    ))
}

/// And when its last batch came.
fn store(data_dir: &Path) -> (Vec<Check>, Option<Micros>) {
    let failed = |failure| (vec![Check::failed("store", failure)], None);
    let app = match open::reader(data_dir) {
        Ok(app) => app,
        Err(failure) => return failed(failure),
    };
    health(&app).unwrap_or_else(|error| failed(Failure::from(error)))
}

fn health(app: &App) -> Result<(Vec<Check>, Option<Micros>), Error> {
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
            "start a cluster: its first batch arrives within a second",
        ),
    });
    checks.extend(reporters::checks(app)?);
    checks.extend(room::limits(app)?);
    checks.extend(arrivals(&status.inbox));
    checks.push(key(&api::keys(app, Empty {})?));
    Ok((checks, status.last_batch_micros))
}

/// Snapshots, damaged stores, and what endangers the present one. Asked of the folder alone: the store may not open.
fn safety(found: &SafetyStatus, now: Micros, last_batch: Option<Micros>) -> Vec<Check> {
    let old = |taken: Micros| last_batch.is_some_and(|batch| batch.0 - taken.0 > OVERDUE_MICROS);
    let mut checks = vec![match found.snapshots.last() {
        Some(last) if old(last.taken_micros) => Check::wrong(
            "snapshots",
            format!(
                "the last is {} old, and clusters have reported since",
                print::seconds((now.0 - last.taken_micros.0).max(0) as f64 / 1e6)
            ),
            "Bobbin takes one each day while it runs: `bobbin snapshot` takes one now, or shows why it cannot; it needs as much \
             space as the store",
        ),
        Some(last) => Check::ok(
            "snapshots",
            format!(
                "{}, the last {} old and checked, {}",
                found.snapshots.len(),
                print::seconds((now.0 - last.taken_micros.0).max(0) as f64 / 1e6),
                print::bytes(last.bytes)
            ),
        ),
        None => Check::note(
            "snapshots",
            "none yet",
            "Bobbin takes one each day while it runs; `bobbin snapshot` takes one now",
        ),
    }];
    if let Some(last) = found.damaged.last() {
        checks.push(Check::note(
            "damaged store",
            format!("moved aside; the last one is in {last}"),
            "`bobbin restore` brings back a snapshot, `bobbin salvage` recovers what is still readable; remove the folder when \
             you no longer need it",
        ));
    }
    if let Some(by) = &found.shared_by {
        checks.push(Check::note(
            "shared folder",
            format!("other machines can access it ({by})"),
            "the store keeps no log there, and is only as safe as that folder's file locks; a folder on this machine is \
             safer: --data-dir",
        ));
    }
    if found.log_bytes > LARGE {
        checks.push(Check::note(
            "log",
            format!("{} are not in the store yet", print::bytes(found.log_bytes)),
            "another program keeps reading the store: close it",
        ));
    }
    checks
}

/// Whether code can be read. Where a keyring holds the key, it is asked, and nobody for its password.
fn key(status: &KeyStatus) -> Check {
    let place = match status.place {
        Some(KeyPlace::File) => ", the key is in its file",
        Some(KeyPlace::Keyring) => ", the key is in the keyring",
        None => "",
    };
    match (keys::words(status.state), status.rotation_left) {
        ((found, Some(hint)), _) if keys::is_lost(status.state) => Check::wrong("key", found, hint),
        ((found, Some(hint)), _) => Check::note("key", found, hint),
        ((found, None), 0) => Check::ok("key", format!("{found}{place}")),
        ((found, None), left) => Check::note(
            "key",
            format!("{found}{place}; a rotation was interrupted with {left} data keys left"),
            "run `bobbin key rotate` to finish it",
        ),
    }
}

/// Batches that arrive as files, and the key with which plugins seal what they leave.
fn arrivals(inbox: &InboxStatus) -> Vec<Check> {
    // Those of clusters that live are among them, and are read as they grow.
    let found = format!("{}, files: {}", inbox.folder, inbox.waiting_files);
    let mut checks = vec![match inbox.refused_files {
        0 => Check::ok("inbox", found),
        refused => Check::note(
            "inbox",
            format!("{found}, refused: {refused}"),
            "the *.why file next to each explains why; remove both once you have seen them",
        ),
    }];
    checks.push(match (inbox.spool_folders, inbox.sealed_files) {
        (0, _) => Check::ok("spool", "no unsent batches"),
        (folders, 0) => Check::note(
            "spool",
            format!("clusters with unsent batches: {folders}"),
            "start `bobbin serve` or the app to import them",
        ),
        (folders, sealed) => Check::note(
            "spool",
            format!("clusters with unsent batches: {folders}, sealed batches: {sealed}"),
            "start `bobbin serve` or the app to import them; sealed batches need the key",
        ),
    });
    checks.push(if inbox.public_key_present {
        Check::ok(
            "public key",
            "plugins can encrypt code they cannot send yet",
        )
    } else {
        Check::wrong(
            "public key",
            "missing, or not this store's: code that plugins cannot send is lost",
            "start `bobbin serve` or the app to write it",
        )
    });
    checks
}
