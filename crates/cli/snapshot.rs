//! `bobbin snapshot`: a checked copy of the whole store, also while another Bobbin writes.

use std::path::Path;

use bobbin_core::api::{self, Snapshot};
use serde::Serialize;

use crate::args::SnapshotArgs;
use crate::failure::Failure;
use crate::{open, print, visible};

#[derive(Serialize)]
struct List {
    snapshots: Vec<Snapshot>,
}

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &SnapshotArgs) -> Result<(), Failure> {
    if args.list {
        return list(api::snapshots(data_dir), json);
    }
    let taken = open::reader(data_dir)?.snapshot()?;
    if json {
        return print::json(&taken);
    }
    print::write(&format!(
        "{}\nsnapshot {}, {}, checked; clusters: {}, batches: {}\n",
        visible::plain(&taken.snapshot.file),
        taken.snapshot.number,
        print::bytes(taken.snapshot.bytes),
        taken.clusters,
        taken.batches
    ))
}

fn list(snapshots: Vec<Snapshot>, json: bool) -> Result<(), Failure> {
    if json {
        return print::json(&List { snapshots });
    }
    if snapshots.is_empty() {
        print::talk("There is no snapshot yet.");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = snapshots
        .iter()
        .map(|snapshot| {
            vec![
                snapshot.number.to_string(),
                print::moment(snapshot.taken_micros),
                print::bytes(snapshot.bytes),
                visible::plain(&snapshot.file),
            ]
        })
        .collect();
    print::write(&print::table(
        &["number", "taken", "size", "file"],
        &[true, false, true, false],
        &rows,
    ))
}
