//! An account's store and its files follow from its audit. A row is written after what it says was done, but for a recall, whose
//! row comes first: what was cut off in between is ended or undone here, at the next start or by whoever asks next.
//!
//! The file of a bundle is the last that goes with it, so a file without a row that says it is here means that its clusters may
//! still be, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use bobbin_core::api;
use bobbin_core::system::sync_folder;
use bobbin_core::{Error, Result};

use super::account::Account;
use super::incoming::{at, remove_file};
use super::state::Bundle;
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
        let here: Vec<(String, Bundle)> = {
            let state = self.state();
            let here = state.here();
            here.map(|(sha256, bundle)| (sha256.clone(), bundle.clone()))
                .collect()
        };
        let said: BTreeSet<&String> = here.iter().flat_map(|(_, one)| &one.clusters).collect();
        let mut strays = api::taken(&self.app)?;
        strays.retain(|id| !said.contains(id));
        patiently(|| api::remove_taken(&self.app, &strays))?;
        let said: Vec<String> = said.into_iter().cloned().collect();
        let missing = api::not_taken(&self.app, &said)?;
        for (sha256, bundle) in &here {
            if !self.bundle_path(sha256).exists() {
                tracing::error!(account = self.id, sha256, "a bundle's file is missing");
            } else if bundle.clusters.iter().any(|id| missing.contains(id)) {
                self.take(sha256, bundle)?;
            }
        }
        Ok(())
    }

    /// Takes the clusters of a bundle that are not here yet, and those that its member shared before and knows more of in it.
    /// In the order of the audit, so that all bundles of a cluster leave the one that knows most.
    fn take(&self, sha256: &str, bundle: &Bundle) -> Result<()> {
        let person = self.state().name_of(&bundle.member);
        let renews = self.renews(&bundle.member);
        api::take_for(&self.app, &self.bundle_path(sha256), &person, &renews).map(drop)
    }

    /// Whether a bundle of a member takes the place of an older one with the same cluster: where they shared it first. Nobody
    /// tells anew what somebody else shared.
    pub(super) fn renews(&self, member: &str) -> impl Fn(&str) -> bool + use<> {
        let state = self.state();
        let mut first: BTreeMap<String, bool> = BTreeMap::new();
        for (_, bundle) in state.here() {
            for id in &bundle.clusters {
                let own = bundle.member == member;
                first.entry(id.clone()).or_insert(own);
            }
        }
        move |id| first.get(id).copied().unwrap_or(true)
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

    /// Removes a bundle that is not here by the audit: its clusters, but for those that are here as an older one tells them, and
    /// its file. Those that others have, too, are taken from them.
    pub(super) fn take_out(&self, sha256: &str) -> Result<()> {
        let path = self.bundle_path(sha256);
        let (said, others) = {
            let state = self.state();
            let here = state.here().filter(|(other, _)| *other != sha256);
            let others: Vec<(String, Bundle)> = here
                .map(|(other, bundle)| (other.clone(), bundle.clone()))
                .collect();
            (state.bundles.get(sha256).cloned(), others)
        };
        // One that was never committed came after all others.
        let number = said
            .as_ref()
            .map_or(u64::MAX, |bundle| bundle.committed.number);
        let (clusters, until) = match (said, api::bundle(&path)) {
            (said, Ok(manifest)) => {
                let told = manifest.clusters.iter();
                let until = told.map(|one| (one.cluster_id.clone(), one.as_of_micros));
                let clusters = said.map_or_else(|| ids(&manifest.clusters), |one| one.clusters);
                (clusters, until.collect())
            }
            (Some(bundle), Err(_)) => (bundle.clusters, BTreeMap::new()),
            // It was cut before it was whole, and nothing was taken from it.
            (None, Err(Error::Invalid { .. } | Error::TooLarge { .. })) => {
                (Vec::new(), BTreeMap::new())
            }
            (None, Err(error)) => return Err(error),
        };
        let older: BTreeSet<&String> = others
            .iter()
            .filter(|(_, other)| other.committed.number < number)
            .flat_map(|(_, other)| &other.clusters)
            .collect();
        let here = api::told_until(&self.app, &clusters)?;
        let gone: Vec<String> = clusters
            .into_iter()
            .filter(|id| {
                !older.contains(id) || until.get(id).is_none_or(|it| here.get(id) == Some(it))
            })
            .collect();
        api::remove_taken(&self.app, &gone)?;
        for (other, bundle) in &others {
            if bundle.clusters.iter().any(|id| gone.contains(id)) {
                self.take(other, bundle)?;
            }
        }
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
