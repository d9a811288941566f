//! `bobbin restore`: a snapshot becomes the store, and the store that was there is moved aside.

use std::path::Path;

use bobbin_core::api;
use bobbin_core::clock::SystemClock;

use crate::args::RestoreArgs;
use crate::failure::Failure;
use crate::{open, print, visible};

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &RestoreArgs) -> Result<(), Failure> {
    let restored = api::restore(data_dir, args.snapshot.as_deref(), &SystemClock)
        .map_err(|error| hinted(error, data_dir))?;
    // It is what it says, or nobody is told that it is.
    let damaged = api::safety(data_dir).damaged;
    open::owner(data_dir)?.drain()?;
    unless_moved_aside(&damaged, &api::safety(data_dir).damaged)?;
    if json {
        return print::json(&restored);
    }
    let mut text = format!(
        "restored from {}; clusters: {}, batches: {}\n",
        visible::plain(&restored.file),
        restored.clusters,
        restored.batches
    );
    if let Some(folder) = &restored.replaced {
        text.push_str(&format!(
            "the previous store is in {}\n",
            visible::plain(folder)
        ));
    }
    print::write(&text)
}

/// Whoever opens a damaged store goes on with an empty one. That is no restored store.
fn unless_moved_aside(before: &[String], after: &[String]) -> Result<(), Failure> {
    match after.iter().find(|folder| !before.contains(folder)) {
        None => Ok(()),
        Some(folder) => Err(Failure::failed(format!(
            "the restored store was damaged when Bobbin opened it; it is in {folder}, and the store is now empty"
        ))
        .hint("check the disk, then restore another snapshot: `bobbin snapshot --list`")),
    }
}

fn hinted(error: bobbin_core::Error, data_dir: &Path) -> Failure {
    let failure = Failure::from(error);
    if failure.hint.is_some() {
        return failure;
    }
    if api::snapshots(data_dir).is_empty() {
        failure.hint("there are no snapshots; `bobbin snapshot` takes one")
    } else {
        failure.hint("`bobbin snapshot --list` lists them")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_is_moved_aside_at_once_was_not_restored() {
        let folder = |number| format!("damaged-{number}");
        assert!(unless_moved_aside(&[folder(1)], &[folder(1)]).is_ok());
        let failure = unless_moved_aside(&[folder(1)], &[folder(1), folder(2)]).unwrap_err();
        assert!(failure.message.contains("damaged-2"), "{failure}");
    }
}
