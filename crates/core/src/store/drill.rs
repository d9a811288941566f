//! A restore for practice: a copy that was whole when it was taken may rot on its disk, and is wanted only when it is too late
//! to take another.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::restore;
use super::snapshot::{self, Shelf, Wanted};
use crate::install::write_private;
use crate::model::Micros;
use crate::{Error, Result};

/// What came of the last one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Drill {
    pub(crate) tried: Micros,
    /// Of the copy: the newest one at that time.
    pub(crate) number: u32,
    /// Why what was restored was not what the copy holds.
    pub(crate) wrong: Option<String>,
}

const NAME: &str = "drill.json";
/// So long its result holds.
const MONTH_MICROS: u64 = 30 * 24 * 3_600 * 1_000_000;

/// The last one of a folder, if there was one.
pub(crate) fn last(dir: &Path) -> Option<Drill> {
    serde_json::from_slice(&fs::read(path(dir)).ok()?).ok()
}

/// Whether there is a copy to try: none was for a month, whichever way the clock went, or the last was bad and there is a newer.
pub(crate) fn is_due(dir: &Path, now: Micros) -> bool {
    let Some(newest) = snapshot::replaced(dir).pop() else {
        return false;
    };
    last(dir).is_none_or(|last| {
        now.0.abs_diff(last.tried.0) >= MONTH_MICROS
            || last.wrong.is_some() && newest.number != last.number
    })
}

/// Restores the newest copy beside the others, as [`restore::restore`] does, reads all that came of it, and removes it. Notes
/// whether it held what the copy holds.
///
/// # Errors
/// [`Error::NotFound`] if there is no copy; [`Error::NoRoom`]; [`Error::Busy`] while another copy is made;
/// [`Error::Stopping`] once `stopping` is so. Nothing is noted then.
pub(crate) fn drill(dir: &Path, now: Micros, stopping: &Arc<AtomicBool>) -> Result<Drill> {
    let shelf = Shelf::open(dir)?;
    let newest = snapshot::replaced(dir).pop();
    let newest = newest.ok_or_else(|| Error::NotFound {
        kind: "snapshot",
        id: "at all".into(),
    })?;
    snapshot::room(
        &shelf.folder,
        "trying a snapshot",
        newest.bytes,
        Wanted::Unasked,
    )?;
    let restored = restore::copy(&newest.path, &shelf.work().join("tried.sqlite"), stopping);
    if stopping.load(Ordering::Relaxed) {
        return Err(Error::Stopping);
    }
    let drill = Drill {
        tried: now,
        number: newest.number,
        wrong: match restored {
            Ok(held) => differs(snapshot::held_by(&newest.path)?, held),
            Err(error @ (Error::StoreDamaged { .. } | Error::Sqlite(_))) => Some(error.to_string()),
            Err(error) => return Err(error),
        },
    };
    if let Some(wrong) = &drill.wrong {
        tracing::error!(snapshot = %newest.path.display(), wrong, "a snapshot cannot be restored");
    }
    write_private(&path(dir), &serde_json::to_vec(&drill)?)?;
    Ok(drill)
}

fn differs(copy: snapshot::Held, restored: snapshot::Held) -> Option<String> {
    (copy != restored)
        .then(|| format!("it holds {copy:?}, but the restored store holds {restored:?}"))
}

fn path(dir: &Path) -> PathBuf {
    snapshot::folder(dir).join(NAME)
}
