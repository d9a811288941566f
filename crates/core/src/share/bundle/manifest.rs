//! The first line of a bundle: what is in it, and what was left out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::{Micros, SourceFormat};
use crate::share::{Choice, FieldCounts, Level};

/// What is in a bundle, and what was left out of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Manifest {
    /// Always `manifest`.
    pub kind: String,
    /// Version of the format; this build reads 1.
    pub format: u32,
    /// The version of Bobbin that wrote it.
    pub bobbin: String,
    /// Its level is that of the cluster of which most is told.
    pub choice: Choice,
    pub clusters: Vec<BundleCluster>,
    /// In the order of the file.
    pub batches: Vec<BundleBatch>,
}

/// One cluster of a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct BundleCluster {
    /// As in the headers of its batches.
    pub cluster_id: String,
    /// What it is called in the bundle.
    pub name: Option<String>,
    /// The latest that was known of it.
    pub as_of_micros: Micros,
    /// How much is told of it, where that is less than the bundle's level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional = nullable)]
    pub level: Option<Level>,
    /// By kind.
    pub records: BTreeMap<String, u64>,
    /// What became of each field that has values, by `record.field`.
    pub fields: FieldCounts,
    /// Records that never arrived.
    pub missing_records: u64,
    /// Records that were removed by their age or for room before this was written, by category: sums by hour are not those of the
    /// whole cluster then.
    pub pruned: BTreeMap<String, u64>,
    /// Records and fields that this version of Bobbin does not know: they are never told.
    pub unknown_records: u64,
    /// Of which kind the file was that it was read from, where no plugin told of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional = nullable)]
    pub source: Option<SourceFormat>,
}

impl Manifest {
    /// What was chosen to be told of one of its clusters.
    pub(crate) fn choice_of(&self, cluster: &BundleCluster) -> Choice {
        let most = self.choice.level;
        Choice {
            level: cluster.level.map_or(most, |level| level.min(most)),
            ..self.choice
        }
    }
}

/// One batch of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BundleBatch {
    /// Of the plain text, in hexadecimal.
    pub sha256: String,
    /// Of plain text.
    pub bytes: u64,
}
