//! The stores that views are measured over: filled once, kept in `target`, and copied for each run.

use std::{
    fs,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::size::Size;
use crate::{
    files::{root, target},
    generate::{
        Order,
        draw::{Size as ClusterSize, fill},
    },
    process::{Result, say},
    stamp::Stamp,
};

/// One filled store.
pub struct Store {
    /// Names it among the figures.
    pub name: &'static str,
    pub clusters: u64,
    folder: PathBuf,
}

/// A history of a tenth of the usual length, the usual one with a few giants in it, and one ten times as long. The first
/// and the last are of clusters with few groups and no profiles: what is measured there is lists and sums over clusters.
pub struct Stores {
    pub few: Store,
    pub main: Store,
    pub many: Store,
}

/// Groups of a cluster of the first and the last.
const FEW_GROUPS: usize = 4;
/// The store looks the same for a month: what was drawn for the last days lies a little further back.
const FRESH_SECONDS: u64 = 30 * 86_400;

impl Stores {
    /// Fills those that are not there, or were filled by another generator or with another schema.
    ///
    /// # Errors
    /// A store cannot be filled.
    pub fn find_or_make(size: Size) -> Result<Self> {
        let clusters = usual(size);
        Ok(Self {
            few: bare("few", size, clusters / 10)?,
            main: Self::main(size)?,
            many: Self::many(size)?,
        })
    }

    /// That of the usual length alone.
    ///
    /// # Errors
    /// As [`Stores::find_or_make`].
    pub fn main(size: Size) -> Result<Store> {
        find_or_make("main", size, order(usual(size), None, None), &giants(size))
    }

    /// As many clusters as in that, with few groups and no profiles.
    ///
    /// # Errors
    /// As [`Stores::find_or_make`].
    pub fn long(size: Size) -> Result<Store> {
        bare("long", size, usual(size))
    }

    /// The same kind with a fifth of its history, and as many clusters a day.
    ///
    /// # Errors
    /// As [`Stores::find_or_make`].
    pub fn short(size: Size) -> Result<Store> {
        let year = order(usual(size), Some(FEW_GROUPS), Some(0));
        let fifth = Order {
            clusters: year.clusters / 5,
            days: year.days / 5,
            ..year
        };
        find_or_make("short", size, fifth, &[])
    }

    /// The last alone.
    ///
    /// # Errors
    /// As [`Stores::find_or_make`].
    pub fn many(size: Size) -> Result<Store> {
        bare("many", size, usual(size) * 10)
    }
}

/// Clusters of the usual history.
fn usual(size: Size) -> u64 {
    match size {
        Size::Full => 10_000,
        Size::Quick => 500,
        Size::Smoke => 20,
    }
}

fn bare(name: &'static str, size: Size, clusters: u64) -> Result<Store> {
    find_or_make(name, size, order(clusters, Some(FEW_GROUPS), Some(0)), &[])
}

impl Store {
    /// How large its file is.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn bytes(&self) -> Result<u64> {
        Ok(fs::metadata(self.folder.join("bobbin.sqlite"))?.len())
    }

    /// A copy that may be written to.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn copy(&self, to: &Path) -> Result {
        // Bobbin opens no folder that others may read.
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(to)?;
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let copy = to.join(entry.file_name());
            fs::copy(entry.path(), &copy)?;
            // A store that does not stand as it was closed is read whole at its start.
            let changed = entry.metadata()?.modified()?;
            fs::File::open(&copy)?.set_modified(changed)?;
        }
        Ok(())
    }
}

fn order(clusters: u64, groups: Option<usize>, stacks: Option<usize>) -> Order {
    Order {
        clusters,
        members: 200,
        days: 365,
        seed: 1,
        until: None,
        groups,
        stacks,
    }
}

/// What is looked at by itself: a graph that peers can draw, one that they cannot, the largest profile, and two to compare.
fn giants(size: Size) -> [ClusterSize; 5] {
    let (graph, profile, compared) = match size {
        Size::Full => (5_000, 1_000_000, 100_000),
        Size::Quick => (2_000, 200_000, 20_000),
        Size::Smoke => (500, 5_000, 2_000),
    };
    let groups = |groups| ClusterSize {
        groups: Some(groups),
        ..ClusterSize::default()
    };
    let stacks = |stacks| ClusterSize {
        stacks: Some(stacks),
        ..ClusterSize::default()
    };
    [
        groups(graph.min(500)),
        groups(graph),
        stacks(profile),
        stacks(compared),
        stacks(compared),
    ]
}

fn find_or_make(
    name: &'static str,
    size: Size,
    order: Order,
    more: &[ClusterSize],
) -> Result<Store> {
    let called = format!("{}-{name}", size.name());
    let folder = target().join("bench-stores").join(&called);
    let from = [
        "crates/core/src/store/migrations",
        "crates/core/src/store/stacks.rs",
        "crates/xtask/src/generate",
        "assets/demo",
    ];
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let month = now.as_secs() / FRESH_SECONDS;
    let stamp = Stamp::of(
        &format!("bench-store-{called}"),
        &from.map(|path| root().join(path)),
        &format!("{month} {order:?} {more:?}"),
    )?;
    if !(stamp.is_current() && folder.exists()) {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        say(
            &format!("store {called}"),
            &format!("{} clusters", order.clusters),
        );
        fill(&folder, order, more)?;
        stamp.keep()?;
    }
    Ok(Store {
        name,
        clusters: order.clusters,
        folder,
    })
}
