//! The store: undamaged, heard from lately, within its limit; what arrives as files, and whether code can be read.

use super::{DoctorCheck, key, reporters, room};
use crate::Result;
use crate::api::{self, App, Empty, InboxStatus};
use crate::model::Micros;
use crate::model::words::{bytes, seconds};

/// All checks of the store, and when its last batch came.
pub(super) fn checks(open: impl FnOnce() -> Result<App>) -> (Vec<DoctorCheck>, Option<Micros>) {
    open()
        .and_then(|app| health(&app))
        .unwrap_or_else(|error| (vec![DoctorCheck::failed("store", &error)], None))
}

fn health(app: &App) -> Result<(Vec<DoctorCheck>, Option<Micros>)> {
    let status = api::status(app, Empty {})?;
    let schema = app.inspect()?;
    let mut checks = vec![DoctorCheck::ok(
        "store",
        format!(
            "undamaged, schema {schema}, {}, clusters: {}",
            bytes(status.store_bytes),
            status.clusters
        ),
    )];
    checks.push(match status.last_batch_micros {
        Some(at) => DoctorCheck::ok(
            "last batch",
            format!("{} ago", seconds((app.now().0 - at.0) as f64 / 1e6)),
        ),
        None => DoctorCheck::note(
            "last batch",
            "none yet",
            "start a cluster: its first batch arrives within a second",
        ),
    });
    checks.extend(reporters::checks(app)?);
    checks.extend(room::limits(app)?);
    checks.extend(arrivals(&status.inbox));
    checks.push(key::check(&api::keys(app, Empty {})?));
    Ok((checks, status.last_batch_micros))
}

/// Batches that arrive as files, and the key with which plugins seal what they leave.
fn arrivals(inbox: &InboxStatus) -> Vec<DoctorCheck> {
    // Those of clusters that live are among them, and are read as they grow.
    let found = format!("{}, files: {}", inbox.folder, inbox.waiting_files);
    let mut checks = vec![match inbox.refused_files {
        0 => DoctorCheck::ok("inbox", found),
        refused => DoctorCheck::note(
            "inbox",
            format!("{found}, refused: {refused}"),
            "the *.why file next to each explains why; remove both once you have seen them",
        ),
    }];
    checks.push(match (inbox.spool_folders, inbox.sealed_files) {
        (0, _) => DoctorCheck::ok("spool", "no unsent batches"),
        (folders, 0) => DoctorCheck::note(
            "spool",
            format!("clusters with unsent batches: {folders}"),
            "start `bobbin serve` or the app to import them",
        ),
        (folders, sealed) => DoctorCheck::note(
            "spool",
            format!("clusters with unsent batches: {folders}, sealed batches: {sealed}"),
            "start `bobbin serve` or the app to import them; sealed batches need the key",
        ),
    });
    checks.push(if inbox.public_key_present {
        DoctorCheck::ok(
            "public key",
            "plugins can encrypt code they cannot send yet",
        )
    } else {
        DoctorCheck::wrong(
            "public key",
            "missing, or not this store's: code that plugins cannot send is lost",
            "start `bobbin serve` or the app to write it",
        )
    });
    checks
}
