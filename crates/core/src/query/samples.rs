//! Clusters that are told from a recording: which they are, and sums with or without them.

use rusqlite::{Connection, OptionalExtension, named_params};

use super::usage::ClusterIds;
use crate::Result;

/// Clusters that are told from a recording.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    /// Their numbers and the ids of their schedulers, but for those that are being removed.
    pub(crate) clusters: Vec<(i64, String)>,
    /// The numbers of all, as long as they are in any sum: that one is removed may still be taken back.
    ids: ClusterIds,
    /// Nothing else is stored.
    pub(crate) only: bool,
}

impl Samples {
    /// Whether this cluster is one.
    pub(crate) fn has(&self, cluster: i64) -> bool {
        self.ids.contains(&cluster)
    }
}

/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn samples(db: &Connection) -> Result<Samples> {
    let mut statement = db.prepare_cached(include_str!("samples.sql"))?;
    let mut rows = statement.query([])?;
    let (mut clusters, mut ids) = (Vec::new(), ClusterIds::default());
    while let Some(row) = rows.next()? {
        ids.insert(row.get("id")?);
        if !row.get::<_, bool>("going")? {
            clusters.push((row.get("id")?, row.get("scheduler_id")?));
        }
    }
    let others = match ids.is_empty() {
        true => true,
        false => db
            .prepare_cached(include_str!("samples_others.sql"))?
            .query_one([], |row| row.get(0))?,
    };
    Ok(Samples {
        clusters,
        ids,
        only: !others,
    })
}

/// The number of the cluster with this scheduler's id.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn sample_of(db: &Connection, scheduler_id: &str) -> Result<Option<i64>> {
    Ok(db
        .prepare_cached(include_str!("sample_of.sql"))?
        .query_row(named_params! { ":scheduler_id": scheduler_id }, |row| {
            row.get(0)
        })
        .optional()?)
}

/// Which clusters count in sums: one's own, or those that are told from a recording, never both.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    samples: ClusterIds,
    sample: bool,
}

impl Counted {
    /// One's own, also where there are none: what is told or kept of money speaks of nothing else.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub(crate) fn own(db: &Connection) -> Result<Self> {
        Ok(Self {
            sample: false,
            samples: samples(db)?.ids,
        })
    }

    /// `sample`: those that are told from a recording are asked for. They are also where there is nothing else.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub(crate) fn read(db: &Connection, sample: bool) -> Result<Self> {
        let found = samples(db)?;
        Ok(Self {
            sample: sample || found.only,
            samples: found.ids,
        })
    }

    /// Whether this cluster counts.
    pub(crate) fn holds(&self, cluster: i64) -> bool {
        self.samples.contains(&cluster) == self.sample
    }

    /// Which of the two is left out, as `cluster.sample` has it; none where only one of them is stored.
    pub(crate) fn part(&self) -> Option<bool> {
        (self.sample || !self.samples.is_empty()).then_some(self.sample)
    }
}
