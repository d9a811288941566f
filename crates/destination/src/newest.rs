//! A cluster that grew is shared again: of the bundles of an account that have it, the tables of the one that knows most of it
//! have its rows, and no other's. The bundles themselves stay as they were approved.

use std::collections::BTreeSet;

use bobbin_core::api::Table;
use object_store::ObjectStoreExt;

use crate::{Destination, Result, Shared, io, tables};

/// The clusters of a bundle of which another one of its account knows more.
pub(crate) fn lost(of: &Shared, all: &[Shared]) -> BTreeSet<String> {
    let others: Vec<&Shared> = all
        .iter()
        .filter(|other| other.account == of.account && other.sha256 != of.sha256)
        .collect();
    let knows = |one: &Shared, cluster: &String| {
        let until = one.told.get(cluster)?;
        Some((*until, one.shared_at_micros, one.sha256.clone()))
    };
    let told = of.told.keys();
    told.filter(|cluster| {
        let own = knows(of, cluster);
        others.iter().any(|other| knows(other, cluster) > own)
    })
    .cloned()
    .collect()
}

impl Destination {
    /// Writes the tables of a bundle, but for the rows of these clusters.
    pub(crate) async fn put_tables(
        &self,
        tables: &[Table],
        of: &Shared,
        lost: &BTreeSet<String>,
    ) -> Result<()> {
        for table in tables {
            let table = table.without("cluster", lost);
            for (day, part) in table.split_by("day") {
                let path = self
                    .layout
                    .table(&table.name, &of.account, &day, &of.sha256);
                let bytes = bobbin_save::parquet::encoded(&part, "day")?;
                self.store
                    .put(&path, bytes.into())
                    .await
                    .map_err(self.at())?;
            }
        }
        Ok(())
    }

    /// Writes anew the tables of the other bundles that have a cluster of this one, which came or went. What was cut off is done
    /// by doing it again.
    pub(crate) async fn settle_tables(&self, changed: &Shared) -> Result<()> {
        let all = self.list().await?;
        let same = all.iter().filter(|other| {
            other.account == changed.account
                && other.sha256 != changed.sha256
                && other.told.keys().any(|one| changed.told.contains_key(one))
        });
        for other in same {
            let lost = lost(other, &all);
            for path in self.tables_of(&other.sha256).await? {
                self.store.delete(&path).await.map_err(self.at())?;
            }
            if lost.len() == other.told.len() {
                continue;
            }
            let folder = tempfile::tempdir().map_err(|source| io(&std::env::temp_dir(), source))?;
            let bundle = folder.path().join("bundle");
            self.fetch(&other.sha256, &bundle).await?;
            let tables = tables::of_bundle(&bundle)?;
            self.put_tables(&tables, other, &lost).await?;
        }
        Ok(())
    }
}
