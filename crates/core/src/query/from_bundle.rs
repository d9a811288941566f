//! What a bundle left out of a cluster that came in one.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Deserialize;

use super::page::Json;
use super::types::FromBundle;
use crate::Result;
use crate::model::SourceFormat;

/// As the manifest counts it.
#[derive(Deserialize)]
struct Count {
    masked: u64,
    withheld: u64,
}

/// Categories as the switches of the plugin have them, and the fields that tell of each.
const CATEGORIES: &[(&str, &[&str])] = &[
    ("code", &["computation.code"]),
    ("lines", &["profile.frames.text", "profile.lines.text"]),
    (
        "exceptions",
        &[
            "exception.message",
            "exception.traceback",
            "exception.details",
        ],
    ),
    ("events", &["event.payload"]),
    (
        "names",
        &["task_group.prefix", "span.name", "profile.frames.name"],
    ),
    ("user", &["cluster.user"]),
    ("host", &["cluster.host", "worker.address", "worker.host"]),
    (
        "paths",
        &[
            "computation.code.filename",
            "profile.frames.file",
            "cluster.python_path",
        ],
    ),
];

/// Null for a cluster that did not come in a bundle.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(super) fn from_bundle(db: &Connection, id: i64) -> Result<Option<FromBundle>> {
    let found = db
        .prepare_cached(include_str!("from_bundle.sql"))?
        .query_row(named_params! { ":id": id }, |row| {
            let fields: BTreeMap<String, Count> = row.get::<_, Json<_>>("fields")?.0;
            let sum = |names: &[&str], of: fn(&Count) -> u64| -> u64 {
                names
                    .iter()
                    .filter_map(|name| fields.get(*name))
                    .map(of)
                    .sum()
            };
            let counted = |of: fn(&Count) -> u64| {
                CATEGORIES
                    .iter()
                    .map(move |(category, names)| ((*category).to_owned(), sum(names, of)))
                    .filter(|(_, count)| *count > 0)
            };
            Ok(FromBundle {
                imported_micros: row.get("imported_micros")?,
                as_of_micros: row.get("as_of_micros")?,
                level: row.get("level")?,
                identities: row.get("identities")?,
                left_out: counted(|count| count.withheld).collect(),
                masked: counted(|count| count.masked)
                    .map(|(name, _)| name)
                    .collect(),
                source: row
                    .get::<_, Option<String>>("source_format")?
                    .and_then(|word| SourceFormat::of_word(&word)),
            })
        })
        .optional()?;
    Ok(found)
}
