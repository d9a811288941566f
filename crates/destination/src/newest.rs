//! One cluster is one cluster in every sum, whoever shares it and how often: of the bundles that have it, the tables of the one
//! that knows most of it have its rows, and no other's, whatever their accounts. It is that which was told up to the latest time;
//! of several, that which was shared last. The row of the cluster names all who share it. The bundles themselves stay as they
//! were approved.

use std::collections::{BTreeMap, BTreeSet};

use bobbin_core::api::{Column, Table, Values};
use object_store::ObjectStoreExt;
use serde::Serialize;

use crate::{Destination, Result, Shared, io, tables};

/// A bundle that lies at a destination, and what of it counts there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lying {
    #[serde(flatten)]
    pub shared: Shared,
    /// Clusters whose rows its tables have.
    pub counted: u64,
    /// Who tells the others: of each the account, and the name.
    pub others: BTreeSet<String>,
}

impl Lying {
    /// Each of what lies at one destination.
    pub fn each(all: Vec<Shared>) -> Vec<Self> {
        let lying = |shared: &Shared| {
            let better = better(shared, &all);
            Self {
                shared: shared.clone(),
                counted: shared.clusters.saturating_sub(better.len() as u64),
                others: better.into_values().map(who).collect(),
            }
        };
        all.iter().map(lying).collect()
    }
}

/// Of the clusters of a bundle, those of which another one knows more, and that one.
pub(crate) fn better<'a>(of: &Shared, all: &'a [Shared]) -> BTreeMap<String, &'a Shared> {
    let knows = |one: &Shared, cluster: &String| {
        let until = one.told.get(cluster)?;
        Some((*until, one.shared_at_micros, one.sha256.clone()))
    };
    let told = of.told.keys();
    told.filter_map(|cluster| {
        let others = all.iter().filter(|other| other.sha256 != of.sha256);
        let most = others.max_by_key(|other| knows(other, cluster))?;
        (knows(most, cluster) > knows(of, cluster)).then(|| (cluster.clone(), most))
    })
    .collect()
}

/// Who shared it, as the tables name them.
pub(crate) fn who(shared: &Shared) -> String {
    match &shared.by {
        Some(name) => format!("{}/{name}", shared.account),
        None => shared.account.clone(),
    }
}

/// The table of clusters with a column that names, as a list in JSON, all who share each.
fn named(mut table: Table, of: &Shared, all: &[Shared]) -> Result<Table> {
    let Some(Values::Text(clusters)) = table.column("cluster").filter(|_| table.name == "clusters")
    else {
        return Ok(table);
    };
    let by = |cluster: &Option<String>| {
        let Some(cluster) = cluster else {
            return Ok(None);
        };
        let have = all.iter().filter(|one| one.told.contains_key(cluster));
        let names: BTreeSet<String> = have.chain([of]).map(who).collect();
        Ok(Some(
            serde_json::to_string(&names).map_err(bobbin_core::Error::from)?,
        ))
    };
    let shared_by = clusters.iter().map(by).collect::<Result<_>>()?;
    table.columns.push(Column {
        name: "shared_by".into(),
        values: Values::Text(shared_by),
    });
    Ok(table)
}

impl Destination {
    /// Writes the tables of a bundle, but for the rows of clusters of which one of `all` knows more.
    pub(crate) async fn put_tables(
        &self,
        tables: &[Table],
        of: &Shared,
        all: &[Shared],
    ) -> Result<()> {
        let lost: BTreeSet<String> = better(of, all).into_keys().collect();
        for table in tables {
            let table = named(table.without("cluster", &lost), of, all)?;
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
    /// by doing it again. One that is missing, or is not what its name says, has no tables, and holds up nobody.
    pub(crate) async fn settle_tables(&self, changed: &Shared) -> Result<()> {
        let all = self.list().await?;
        let same = all.iter().filter(|other| {
            other.sha256 != changed.sha256
                && other.told.keys().any(|one| changed.told.contains_key(one))
        });
        for other in same {
            self.remove(self.tables_of(&other.sha256).await?).await?;
            if better(other, &all).len() == other.told.len() {
                continue;
            }
            match self.tables_at(&other.sha256).await {
                Ok(tables) => self.put_tables(&tables, other, &all).await?,
                Err(error) if error.is_of_the_bundle() => {
                    tracing::warn!(%error, sha256 = other.sha256, "Bobbin could not write the tables of a bundle");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The tables of a bundle that lies there.
    async fn tables_at(&self, sha256: &str) -> Result<Vec<Table>> {
        let folder = tempfile::tempdir().map_err(|source| io(&std::env::temp_dir(), source))?;
        let bundle = folder.path().join("bundle");
        self.fetch(sha256, &bundle).await?;
        Ok(tables::of_bundle(&bundle)?)
    }
}

#[cfg(test)]
mod tests {
    use bobbin_core::model::Micros;
    use bobbin_core::share::Level;

    use super::*;

    fn shared(sha256: &str, account: &str, told: &[(&str, i64)], at: i64) -> Shared {
        let told = told
            .iter()
            .map(|(id, until)| ((*id).into(), Micros(*until)));
        let told: BTreeMap<String, Micros> = told.collect();
        Shared {
            format: 1,
            sha256: sha256.into(),
            bytes: 1,
            account: account.into(),
            by: Some(format!("of {account}")),
            shared_at_micros: Micros(at),
            clusters: told.len() as u64,
            level: Level::Names,
            told,
            signed: None,
        }
    }

    #[test]
    fn of_all_who_share_a_cluster_the_one_that_knows_most_counts_and_all_are_named() {
        let blue = shared("aa", "blue", &[("x", 5), ("y", 9)], 1);
        let red = shared("bb", "red", &[("x", 7)], 2);
        let late = shared("cc", "blue", &[("x", 7), ("z", 1)], 3);
        let all = [blue, red, late];
        let lying = Lying::each(all.to_vec());
        let counted: Vec<u64> = lying.iter().map(|one| one.counted).collect();
        assert_eq!(counted, [1, 0, 2], "three clusters in all");
        let late = BTreeSet::from(["blue/of blue".to_owned()]);
        assert_eq!((&lying[0].others, &lying[1].others), (&late, &late));
        assert!(lying[2].others.is_empty());

        let text = |values: &[&str]| {
            Values::Text(values.iter().map(|value| Some((*value).into())).collect())
        };
        let table = Table {
            name: "clusters".into(),
            columns: vec![Column {
                name: "cluster".into(),
                values: text(&["x", "z"]),
            }],
        };
        let told = named(table.clone(), &all[2], &all).unwrap();
        assert_eq!(
            told.column("shared_by"),
            Some(&text(&[
                r#"["blue/of blue","red/of red"]"#,
                r#"["blue/of blue"]"#
            ]))
        );
        let hours = Table {
            name: "hours".into(),
            ..table
        };
        assert_eq!(named(hours.clone(), &all[2], &all).unwrap(), hours);
    }
}
