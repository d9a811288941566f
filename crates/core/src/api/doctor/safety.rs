//! Snapshots, damaged stores, and what endangers the present one.

use std::path::Path;

use super::DoctorCheck;
use crate::api;
use crate::model::Micros;
use crate::model::words::{bytes, seconds};

/// One is due each day; after three something keeps it from being taken.
const OVERDUE_MICROS: i64 = 3 * 86_400 * 1_000_000;
/// So much that is not in the store yet says that somebody keeps it from getting there.
const LARGE: u64 = 256 << 20;

/// Asked of the folder alone: the store may not open.
pub(super) fn checks(data_dir: &Path, now: Micros, last_batch: Option<Micros>) -> Vec<DoctorCheck> {
    let found = api::safety(data_dir);
    let old = |taken: Micros| last_batch.is_some_and(|batch| batch.0 - taken.0 > OVERDUE_MICROS);
    let mut checks = vec![match found.snapshots.last() {
        Some(last) if old(last.taken_micros) => DoctorCheck::wrong(
            "snapshots",
            format!(
                "the last is {} old, and clusters have reported since",
                seconds((now.0 - last.taken_micros.0).max(0) as f64 / 1e6)
            ),
            "Bobbin takes one each day while it runs: `bobbin snapshot` takes one now, or shows why it cannot; it needs as much \
             space as the store",
        ),
        Some(last) => DoctorCheck::ok(
            "snapshots",
            format!(
                "{}, the last {} old and checked, {}",
                found.snapshots.len(),
                seconds((now.0 - last.taken_micros.0).max(0) as f64 / 1e6),
                bytes(last.bytes)
            ),
        ),
        None => DoctorCheck::note(
            "snapshots",
            "none yet",
            "Bobbin takes one each day while it runs; `bobbin snapshot` takes one now",
        ),
    }];
    if let Some(drill) = &found.drill
        && let Some(wrong) = &drill.wrong
    {
        checks.push(DoctorCheck::wrong(
            "trial restore",
            format!("snapshot {} failed: {wrong}", drill.number),
            "check the disk; `bobbin snapshot` takes another one, which Bobbin tries next",
        ));
    }
    if let Some(last) = found.damaged.last() {
        checks.push(DoctorCheck::note(
            "damaged store",
            format!("moved aside; the last one is in {last}"),
            "`bobbin restore` brings back a snapshot, `bobbin salvage` recovers what is still readable; remove the folder when \
             you no longer need it",
        ));
    }
    if let Some(by) = &found.shared_by {
        checks.push(DoctorCheck::note(
            "shared folder",
            format!("other machines can access it ({by})"),
            "the store keeps no log there, and is only as safe as that folder's file locks; a folder on this machine is \
             safer: --data-dir",
        ));
    }
    if found.log_bytes > LARGE {
        checks.push(DoctorCheck::note(
            "log",
            format!("{} are not in the store yet", bytes(found.log_bytes)),
            "another program keeps reading the store: close it",
        ));
    }
    checks
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::super::DoctorVerdict;
    use super::*;
    use crate::store::FILE;

    #[test]
    fn a_log_that_stays_long_is_noted_with_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let log = File::create(dir.path().join(format!("{FILE}-wal"))).unwrap();
        let noted = |bytes| {
            log.set_len(bytes).unwrap();
            let checks = checks(dir.path(), Micros(0), None);
            checks.into_iter().find(|check| check.name == "log")
        };
        assert_eq!(noted(LARGE), None);
        let note = noted(LARGE + 1).unwrap();
        assert_eq!(note.verdict, DoctorVerdict::Note);
        assert!(note.hint.unwrap().contains("close"), "{}", note.found);
    }
}
