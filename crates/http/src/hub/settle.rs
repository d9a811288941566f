//! An account's store and its files follow from its audit. A row is written after what it says was done, but for a recall, whose
//! row comes first: what was cut off in between is ended or undone here, at the next start or by whoever asks next.
//!
//! The file of a bundle is the last that goes with it, so a file without a row that says it is here means that its clusters may
//! still be, too.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bobbin_core::api;
use bobbin_core::system::sync_folder;
use bobbin_core::{Error, Result};

use super::account::Account;
use super::incoming::{at, remove_file};
use crate::team::is_sha256;

/// Fifteen seconds each: how often a removal that takes long is waited for at the start.
const PATIENCE: usize = 40;

impl Account {
    /// Has the store and the files be what the audit says.
    ///
    /// # Errors
    /// Those of the store and of the disk.
    pub(super) fn settle(&self) -> Result<()> {
        let folder = self.dir().join("bundles");
        for entry in fs::read_dir(&folder).map_err(at(&folder))? {
            let name = entry.map_err(at(&folder))?.file_name();
            let name = name.to_string_lossy().into_owned();
            if !is_sha256(&name) {
                remove_file(&folder.join(&name))?;
            } else if !self.is_here(&name) {
                patiently(|| self.take_out(&name))?;
            }
        }
        let here = self.all_here();
        for (sha256, _) in &here {
            if !self.bundle_path(sha256).exists() {
                tracing::error!(account = self.id, sha256, "the file of a bundle is gone");
            }
        }
        let said = here.iter().flat_map(|(_, one)| one.clusters.clone());
        let said: BTreeSet<String> = said.collect();
        let mut strays = api::taken(&self.app)?;
        strays.retain(|id| !said.contains(id));
        patiently(|| api::remove_taken(&self.app, &strays))?;
        patiently(|| self.tell(&said, &here, false))
    }

    /// Ends a recall that was begun.
    ///
    /// # Errors
    /// [`Error::Busy`] where it takes long; those of the store.
    pub(super) fn end_recall(&self, sha256: &str) -> Result<()> {
        if self.is_here(sha256) || !self.bundle_path(sha256).exists() {
            return Ok(());
        }
        self.take_out(sha256)
    }

    /// Removes a bundle that is not here by the audit: its clusters, and its file. Those that others have, too, are told by them.
    pub(super) fn take_out(&self, sha256: &str) -> Result<()> {
        let path = self.bundle_path(sha256);
        let said = self.state().bundles.get(sha256).cloned();
        let clusters = match said {
            Some(bundle) => bundle.clusters,
            None => match api::bundle(&path) {
                Ok(manifest) => ids(&manifest.clusters),
                // It was cut before it was whole, and nothing was taken from it.
                Err(Error::Invalid { .. } | Error::TooLarge { .. }) => Vec::new(),
                Err(error) => return Err(error),
            },
        };
        self.tell(&clusters.into_iter().collect(), &self.all_here(), true)?;
        remove_file(&path)?;
        durable(&self.dir().join("bundles"))
    }

    /// Of these clusters, those that no bundle here has.
    pub(super) fn unshared(&self, clusters: &[String]) -> Vec<String> {
        let state = self.state();
        let shared: BTreeSet<&String> = state
            .here()
            .flat_map(|(_, bundle)| &bundle.clusters)
            .collect();
        let unshared = clusters.iter().filter(|id| !shared.contains(id));
        unshared.cloned().collect()
    }
}

/// The ids of a manifest's clusters.
pub(super) fn ids(clusters: &[bobbin_core::share::BundleCluster]) -> Vec<String> {
    clusters.iter().map(|one| one.cluster_id.clone()).collect()
}

/// That names of a folder are on the disk, too.
///
/// # Errors
/// [`Error::Io`].
pub(super) fn durable(folder: &Path) -> Result<()> {
    sync_folder(folder).map_err(at(folder))
}

fn patiently(mut run: impl FnMut() -> Result<()>) -> Result<()> {
    for _ in 1..PATIENCE {
        match run() {
            Err(Error::Busy) => {}
            ended => return ended,
        }
    }
    run()
}
