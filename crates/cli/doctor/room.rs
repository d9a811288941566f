//! Room: what the store may take, and what the disk has.

use std::path::Path;

use bobbin_core::Error;
use bobbin_core::api::{self, App, Empty};

use super::Check;
use crate::print;

/// With less free than this a snapshot may find no place, and the log of a busy day.
const LITTLE: u64 = 2 << 30;

/// Whether the store can be kept as small as it may be, and by its age.
///
/// # Errors
/// [`Error::Sqlite`].
pub fn limits(app: &App) -> Result<Vec<Check>, Error> {
    let storage = api::storage(app, Empty {})?;
    let used = print::bytes(storage.used_bytes);
    let mut checks = vec![match (storage.rules.cap_bytes, api::beyond_bytes(app)?) {
        (None, _) => Check::ok("limit", format!("{used} in use, no limit")),
        (Some(cap), 0) => Check::ok("limit", format!("{used} in use of {}", print::bytes(cap))),
        (Some(cap), beyond) => Check::note(
            "limit",
            format!(
                "{used} in use of {}; {} of that cannot be removed: Bobbin keeps pinned clusters and those that report",
                print::bytes(cap),
                print::bytes(beyond)
            ),
            "unpin clusters, delete some (`bobbin delete`), or raise the limit (`bobbin storage --limit`)",
        ),
    }];
    if let Some(seconds) = storage.clock_waits_seconds {
        checks.push(Check::note(
            "clock",
            format!(
                "far ahead of when Bobbin last ran: nothing is removed by age for {}",
                print::seconds(seconds)
            ),
            "set this machine's clock; if it is right, confirm it in the app, under Settings",
        ));
    }
    Ok(checks)
}

/// Whether there is room to record at all.
pub fn disk(data_dir: &Path) -> Option<Check> {
    let disk = api::disk(data_dir)?;
    let found = format!("{} free", print::bytes(disk.free_bytes));
    let hint = "free some space, or lower the limit of the store (`bobbin storage --limit`)";
    Some(if disk.free_bytes < disk.spare_bytes() {
        let least = print::bytes(disk.spare_bytes());
        Check::wrong(
            "disk",
            format!("{found}: below {least}, Bobbin takes no batches"),
            hint,
        )
    } else if disk.free_bytes < LITTLE {
        Check::note("disk", found, hint)
    } else {
        Check::ok("disk", found)
    })
}
