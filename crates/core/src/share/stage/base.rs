//! What a stage is made from: the lines as the store had them, and the texts in them. It is private, and written once.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use super::ask::ClusterLevel;
use super::record::{Recorder, Spot, Text};
use super::staging::names;
use crate::install::{at, write_private};
use crate::model::Micros;
use crate::query::Unsealer;
use crate::seal::{FingerprintKey, Keys, seal_to};
use crate::share::aliases::{Aliases, Numbers};
use crate::share::bundle::{BundleCluster, group_names, tell};
use crate::share::lens::Lens;
use crate::share::rows::{Source, cluster};
use crate::share::{Choice, Level, Snapshot};
use crate::{Error, Result};

/// Plain bytes of a stage: all of it is kept in memory while it is looked at.
const MOST: usize = 1 << 30;

/// One stage, as it was when it was staged.
#[derive(Serialize, Deserialize)]
pub(super) struct Base {
    pub(super) destination: String,
    pub(super) choice: Choice,
    pub(super) staged: Micros,
    pub(super) texts: Vec<Text>,
    pub(super) clusters: Vec<BaseCluster>,
    pub(super) batches: Vec<BaseBatch>,
    /// Fields that are left out since they are new.
    pub(super) held: BTreeSet<String>,
    /// All fields of the format then: of one that came later, nobody saw what it tells. None in stages of versions that did not
    /// note them.
    #[serde(default)]
    pub(super) fields: BTreeSet<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct BaseCluster {
    pub(super) id: i64,
    /// None in stages of versions that did not note it.
    #[serde(default)]
    pub(super) started: Option<Micros>,
    /// None in stages of versions in which all had the stage's.
    #[serde(default)]
    level: Option<Level>,
    /// But for its name, its level, and the counts of texts.
    pub(super) said: BundleCluster,
    pub(super) name: Option<u32>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct BaseBatch {
    /// In the list of clusters.
    pub(super) cluster: u32,
    /// Without the texts.
    pub(super) text: String,
    /// In order.
    pub(super) spots: Vec<Spot>,
}

/// What is to be staged.
pub(super) struct Wanted<'a> {
    pub(super) destination: &'a str,
    /// And how much is told of each.
    pub(super) clusters: &'a [ClusterLevel],
    /// Its level is the highest of theirs.
    pub(super) choice: Choice,
    pub(super) now: Micros,
    pub(super) held: BTreeSet<String>,
}

impl Base {
    /// Reads the clusters, each from one state of the store.
    ///
    /// # Errors
    /// As those of writing a bundle; [`Error::TooLarge`].
    pub(super) fn read(
        wanted: Wanted<'_>,
        keys: &Keys,
        aliases: &FingerprintKey,
        numbers: &RefCell<Numbers>,
        snapshot: &Snapshot<'_>,
    ) -> Result<Self> {
        let aliases = Aliases::counting(aliases, numbers);
        let recorder = Recorder::new()?;
        let (mut clusters, mut batches): (Vec<BaseCluster>, Vec<BaseBatch>) =
            (Vec::new(), Vec::new());
        let mut bytes = 0;
        for &ClusterLevel { id, level } in wanted.clusters {
            let choice = Choice {
                level,
                ..wanted.choice
            };
            recorder.next_cluster();
            let place = clusters.len() as u32;
            snapshot(&mut |db| {
                let cluster = cluster(db, id)?;
                let started = Some(cluster.said.started_micros);
                let source = Source {
                    db,
                    cluster: &cluster,
                    unsealer: level.needs_key().then(|| Unsealer::new(keys)),
                    unread: BTreeMap::new(),
                };
                let lens = Lens::new(choice, &aliases, &cluster.said, group_names(&source)?)
                    .recording(&recorder, &wanted.held);
                let mut said = tell(source, lens, &mut |text| {
                    let (text, spots) = recorder.spots(&text)?;
                    bytes += text.len();
                    if bytes + recorder.bytes() > MOST {
                        return Err(Error::TooLarge {
                            what: "a stage",
                            limit: MOST as u64,
                        });
                    }
                    batches.push(BaseBatch {
                        cluster: place,
                        text,
                        spots,
                    });
                    Ok(())
                })?;
                let name = said.name.take().and_then(|word| recorder.number(&word));
                clusters.push(BaseCluster {
                    id,
                    started,
                    level: Some(level),
                    said,
                    name,
                });
                Ok(())
            })?;
        }
        Ok(Self {
            destination: wanted.destination.into(),
            choice: wanted.choice,
            staged: wanted.now,
            texts: recorder.into_texts(),
            clusters,
            batches,
            held: wanted.held,
            fields: names().into_iter().collect(),
        })
    }

    /// How much is told of a cluster.
    pub(super) fn level_of(&self, cluster: &BaseCluster) -> Level {
        cluster.level.unwrap_or(self.choice.level)
    }

    /// Writes it to a file that only this install's key opens where it holds what the store keeps sealed.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::DiskFull`], [`Error::Locked`].
    pub(super) fn save(&self, path: &Path, keys: &Keys) -> Result<()> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed
            .write_all(&serde_json::to_vec(self)?)
            .map_err(at(path))?;
        let mut packed = packed.finish().map_err(at(path))?;
        if self.choice.level.needs_key() {
            packed = seal_to(&packed, &keys.published().ok_or(Error::Locked)?)?;
        }
        write_private(path, &packed)
    }

    /// # Errors
    /// [`Error::Locked`] where the key is not here; [`Error::NotFound`], [`Error::Io`].
    pub(super) fn load(path: &Path, keys: &Keys) -> Result<Self> {
        let mut packed = std::fs::read(path).map_err(at(path))?;
        // Those of gzip.
        if !packed.starts_with(&[0x1f, 0x8b]) {
            packed = keys.open_batch(&packed)?;
        }
        let mut text = Vec::new();
        GzDecoder::new(packed.as_slice())
            .take(4 * MOST as u64)
            .read_to_end(&mut text)
            .map_err(at(path))?;
        Ok(serde_json::from_slice(&text)?)
    }
}
