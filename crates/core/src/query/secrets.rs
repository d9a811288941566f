//! What looked like a secret when it came, counted. None of it needs a key.

use rusqlite::{Connection, named_params};

use super::page::LARGEST;
use super::types::{ClusterSecrets, SecretKind, SecretList, SecretWithin, SecretsRequest};
use crate::{Error, Result};

/// The clusters that are asked for and have any.
///
/// # Errors
/// [`Error::TooLarge`], [`Error::Sqlite`].
pub(crate) fn secrets(db: &Connection, request: &SecretsRequest) -> Result<SecretList> {
    if request.ids.len() > LARGEST as usize {
        return Err(Error::TooLarge {
            what: "a list of clusters",
            limit: LARGEST.into(),
        });
    }
    let mut clusters: Vec<ClusterSecrets> = Vec::new();
    let mut statement = db.prepare_cached(include_str!("secrets.sql"))?;
    let ids = serde_json::to_string(&request.ids)?;
    let mut found = statement.query(named_params! { ":ids": ids })?;
    while let Some(row) = found.next()? {
        let cluster_id = row.get("cluster_id")?;
        if clusters
            .last()
            .is_none_or(|last| last.cluster_id != cluster_id)
        {
            clusters.push(ClusterSecrets {
                cluster_id,
                kinds: Vec::new(),
                unlooked: 0,
            });
        }
        let Some(cluster) = clusters.last_mut() else {
            continue;
        };
        let places: u64 = row.get("places")?;
        if row.get("unlooked")? {
            cluster.unlooked += places;
            continue;
        }
        let within: String = row.get("within")?;
        cluster.kinds.push(SecretKind {
            within: match within.as_str() {
                "code" => SecretWithin::Code,
                _ => SecretWithin::Exception,
            },
            what: row.get("what")?,
            values: row.get("different")?,
            places,
        });
    }
    Ok(SecretList { clusters })
}
