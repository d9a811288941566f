//! Room: what the store may take, and what the disk has.

use std::path::Path;

use super::DoctorCheck;
use crate::Result;
use crate::api::{self, App, Empty, beyond_bytes};
use crate::model::words::{bytes, seconds};

/// With less free than this a snapshot may find no place, and the log of a busy day.
const LITTLE: u64 = 2 << 30;

/// Whether the store can be kept as small as it may be, and by its age.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(super) fn limits(app: &App) -> Result<Vec<DoctorCheck>> {
    let storage = api::storage(app, Empty {})?;
    let used = bytes(storage.used_bytes);
    let mut checks = vec![match (storage.rules.cap_bytes, beyond_bytes(app)?) {
        (None, _) => DoctorCheck::ok("limit", format!("{used} in use, no limit")),
        (Some(cap), 0) => DoctorCheck::ok("limit", format!("{used} in use of {}", bytes(cap))),
        (Some(cap), beyond) => DoctorCheck::note(
            "limit",
            format!(
                "{used} in use of {}; {} of that cannot be removed: Bobbin keeps pinned clusters and those that report",
                bytes(cap),
                bytes(beyond)
            ),
            "unpin clusters, delete some (`bobbin delete`), or raise the limit (`bobbin storage --limit`)",
        ),
    }];
    if let Some(waits) = storage.clock_waits_seconds {
        checks.push(DoctorCheck::note(
            "clock",
            format!(
                "far ahead of when Bobbin last ran: nothing is removed by age for {}",
                seconds(waits)
            ),
            "set this machine's clock; if it is right, confirm it in the app, under Settings",
        ));
    }
    Ok(checks)
}

/// Whether there is room to record at all.
pub(super) fn disk(data_dir: &Path) -> Option<DoctorCheck> {
    let disk = api::disk(data_dir)?;
    let found = format!("{} free", bytes(disk.free_bytes));
    let hint = "free some space, or lower the limit of the store (`bobbin storage --limit`)";
    Some(if disk.free_bytes < disk.spare_bytes() {
        let least = bytes(disk.spare_bytes());
        DoctorCheck::wrong(
            "disk",
            format!("{found}: below {least}, Bobbin takes no batches"),
            hint,
        )
    } else if disk.free_bytes < LITTLE {
        DoctorCheck::note("disk", found, hint)
    } else {
        DoctorCheck::ok("disk", found)
    })
}
