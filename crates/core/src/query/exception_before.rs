//! When the tasks of a failure last ran without it, and what was another version then.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, named_params};

use super::page::Json;
use super::types::{ExceptionBefore, VersionChange};
use crate::Result;

/// Versions that are told, those that explain most first.
const VERSIONS: usize = 8;
const FIRST: [&str; 3] = ["dask", "distributed", "python"];

/// By package; none where it was not installed.
type Versions = BTreeMap<String, Option<String>>;

/// The last cluster before the first with this failure that had tasks of the same prefix and not this failure; `id` is any
/// cluster with it.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(super) fn exception_before(
    db: &Connection,
    fingerprint: &str,
    id: i64,
) -> Result<Option<ExceptionBefore>> {
    let mut statement = db.prepare_cached(include_str!("exception_before.sql"))?;
    let found = statement
        .query_row(
            named_params! { ":fingerprint": fingerprint, ":id": id },
            |row| {
                let versions = |column: &str, python: &str| -> rusqlite::Result<Versions> {
                    let told: Option<Json<Versions>> = row.get(column)?;
                    let mut told = told.map_or_else(Versions::new, |told| told.0);
                    told.insert("python".into(), row.get(python)?);
                    Ok(told)
                };
                Ok(ExceptionBefore {
                    cluster_id: row.get("cluster_id")?,
                    cluster_name: row.get("cluster_name")?,
                    started_micros: row.get("started_micros")?,
                    prefix: row.get("prefix")?,
                    versions: changes(
                        &versions("versions_without", "python_without")?,
                        &versions("versions_with", "python_with")?,
                    ),
                })
            },
        )
        .optional()?;
    Ok(found)
}

/// Packages of which both told something else.
fn changes(without: &Versions, with: &Versions) -> Vec<VersionChange> {
    let names: BTreeSet<&String> = without.keys().chain(with.keys()).collect();
    let of = |versions: &Versions, name| versions.get(name).cloned().flatten();
    let mut changes: Vec<VersionChange> = names
        .into_iter()
        .map(|name| VersionChange {
            package: name.clone(),
            without: of(without, name),
            with: of(with, name),
        })
        .filter(|change| change.without != change.with)
        .collect();
    let rank = |change: &VersionChange| FIRST.iter().position(|first| *first == change.package);
    changes.sort_by_key(|change| rank(change).unwrap_or(FIRST.len()));
    changes.truncate(VERSIONS);
    changes
}
