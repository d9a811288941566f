//! The batches of a stage and its file: made of what is told of each text, and made anew where that changed.

use std::sync::Arc;

use super::Model;
use crate::share::bundle::{BundleBatch, FORMAT, Manifest, said};
use crate::share::stage::Decision;

/// A batch as it was made last.
#[derive(Clone, Default)]
pub(in crate::share::stage) struct Made {
    pub(in crate::share::stage) plain: Arc<str>,
    pub(in crate::share::stage) packed: Arc<[u8]>,
    said: Option<BundleBatch>,
    /// Which decisions it follows.
    version: u64,
}

/// A file as it was decided at one moment.
pub(in crate::share::stage) struct Filing {
    pub(in crate::share::stage) version: u64,
    pub(in crate::share::stage) manifest: Manifest,
    pub(in crate::share::stage) batches: Vec<Arc<[u8]>>,
}

impl Model {
    /// Whether the file does not follow what was decided yet.
    pub(in crate::share::stage) fn is_stale(&self) -> bool {
        self.filed != self.version
    }

    /// Whether all batches do.
    pub(in crate::share::stage) fn is_made(&self) -> bool {
        let as_wanted = |(made, wanted): (&Made, &u64)| made.version == *wanted;
        self.made.iter().zip(&self.wanted).all(as_wanted)
    }

    /// A batch that is not as it should be: its number, the version that it has to have, and its text.
    pub(in crate::share::stage) fn stale(&self) -> Option<(usize, u64, String)> {
        let place =
            (0..self.made.len()).find(|place| self.made[*place].version != self.wanted[*place])?;
        let batch = &self.base.batches[place];
        let more: usize = batch
            .spots
            .iter()
            .map(|(_, text)| self.shown[*text as usize].fragment.len())
            .sum();
        let mut plain = String::with_capacity(batch.text.len() + more);
        let mut from = 0;
        for (at, text) in &batch.spots {
            plain.push_str(&batch.text[from..*at as usize]);
            plain.push_str(&self.shown[*text as usize].fragment);
            from = *at as usize;
        }
        plain.push_str(&batch.text[from..]);
        Some((place, self.wanted[place], plain))
    }

    /// Takes a batch that was made, if nothing was decided of it meanwhile.
    pub(in crate::share::stage) fn take(
        &mut self,
        place: usize,
        version: u64,
        plain: String,
        packed: Vec<u8>,
    ) {
        if self.wanted[place] == version {
            self.made[place] = Made {
                said: Some(said(&plain)),
                plain: plain.into(),
                packed: packed.into(),
                version,
            };
        }
    }

    /// What the file has to hold. All batches are as they should be.
    pub(in crate::share::stage) fn filing(&self) -> Filing {
        Filing {
            version: self.version,
            manifest: self.manifest(),
            batches: self
                .made
                .iter()
                .map(|made| Arc::clone(&made.packed))
                .collect(),
        }
    }

    /// Counts what was decided.
    pub(in crate::share::stage) fn version(&self) -> u64 {
        self.version
    }

    /// The file follows what was decided.
    pub(in crate::share::stage) fn filed(&mut self, sha256: String) {
        self.filed = self.version;
        self.filed_sha256 = sha256;
        self.failed = false;
    }

    /// Whether the file with this hash is the one that was written from here last, or none was.
    pub(in crate::share::stage) fn follows(&self, sha256: &str) -> bool {
        self.filed_sha256.is_empty() || self.filed_sha256 == sha256
    }

    /// The first line of the bundle. All batches are as they should be.
    pub(in crate::share::stage) fn manifest(&self) -> Manifest {
        let mut clusters: Vec<_> = self
            .base
            .clusters
            .iter()
            .map(|one| one.said.clone())
            .collect();
        for (cluster, base) in clusters.iter_mut().zip(&self.base.clusters) {
            cluster.name = base
                .name
                .and_then(|text| self.shown[text as usize].text.clone());
            let level = self.base.level_of(base);
            cluster.level = (level != self.base.choice.level).then_some(level);
        }
        for &(cluster, text, count) in &self.told {
            let field = &self.base.texts[text as usize].field;
            let fields = &mut clusters[cluster as usize].fields;
            let counts = fields.entry(field.clone()).or_default();
            match self.shown[text as usize].effect {
                Some(Decision::Keep) => counts.told += count,
                Some(Decision::Mask) => counts.masked += count,
                Some(Decision::Drop) | None => counts.withheld += count,
            }
        }
        Manifest {
            kind: "manifest".into(),
            format: FORMAT,
            bobbin: env!("CARGO_PKG_VERSION").into(),
            choice: self.base.choice,
            clusters,
            batches: self
                .made
                .iter()
                .filter_map(|made| made.said.clone())
                .collect(),
        }
    }
}
