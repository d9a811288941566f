//! Stacks of many records as one tree, and where they came from.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::model::Micros;
use crate::query::{Functions, Growing, Mixed, ProfileRecord, StackFrame, Tree};

/// By the number of each cluster.
type OfClusters = HashMap<i64, u64, BuildHasherDefault<Mixed>>;

/// What stands for samples whose stack is not told.
pub(crate) fn untold() -> StackFrame {
    StackFrame {
        name: "stack not shared".into(),
        file: String::new(),
        line: None,
    }
}

/// A merged tree, and what went into it.
pub(crate) struct Merged {
    pub(crate) tree: Tree,
    pub(crate) samples: u64,
    pub(crate) unattributed: u64,
    /// Time of threads that the samples stand for.
    pub(crate) seconds: f64,
    pub(crate) from: Option<Micros>,
    pub(crate) to: Option<Micros>,
    pub(crate) records: u64,
    pub(crate) truncated: bool,
    /// Samples of each cluster.
    pub(crate) of_clusters: OfClusters,
}

/// A tree to which records are added.
#[derive(Default)]
pub(crate) struct Merging {
    growing: Growing,
    samples: u64,
    unattributed: u64,
    micros: u128,
    from: Option<Micros>,
    to: Option<Micros>,
    records: u64,
    of_clusters: OfClusters,
}

impl Merging {
    /// Goes on from the tree that these records became.
    pub(crate) fn again(tree: &Tree, records: &[ProfileRecord]) -> Self {
        let mut merging = Self {
            growing: Growing::again(tree),
            ..Self::default()
        };
        for record in records {
            merging.count(record);
        }
        merging
    }

    /// Whether stacks are told less finely from here on.
    pub(crate) fn is_full(&self) -> bool {
        self.growing.is_full()
    }

    /// Adds a record, with a function that adds its stacks.
    pub(crate) fn add(&mut self, record: &ProfileRecord, stacks: impl FnOnce(&mut Growing)) {
        stacks(&mut self.growing);
        if record.unattributed > 0 {
            let frame = self.growing.frame(&untold());
            let node = self.growing.node(Growing::ROOT, frame);
            self.growing.add(node, record.unattributed);
        }
        self.count(record);
    }

    /// What a record tells besides its stacks.
    fn count(&mut self, record: &ProfileRecord) {
        self.samples = self.samples.saturating_add(record.samples);
        self.unattributed = self.unattributed.saturating_add(record.unattributed);
        self.micros += u128::from(record.samples) * u128::from(record.sample_micros.unsigned_abs());
        self.from = Some(
            self.from
                .map_or(record.from, |known| known.min(record.from)),
        );
        self.to = self.to.max(Some(record.to));
        self.records += 1;
        let of_cluster = self.of_clusters.entry(record.cluster).or_default();
        *of_cluster = of_cluster.saturating_add(record.samples);
    }

    /// The tree of stacks whose functions are these. `truncated`: there were more records.
    pub(crate) fn finish(self, functions: Functions, truncated: bool) -> Merged {
        let truncated = truncated || self.growing.is_full();
        Merged {
            tree: self.growing.finish_with(functions),
            samples: self.samples,
            unattributed: self.unattributed,
            seconds: self.micros as f64 / 1e6,
            from: self.from,
            to: self.to,
            records: self.records,
            truncated,
            of_clusters: self.of_clusters,
        }
    }
}
