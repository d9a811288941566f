//! What the store takes, what was removed, and how much would be.

use rusqlite::{Connection, named_params};

use super::types::{Deletion, Pruned, PrunedList};
use crate::model::{Micros, RetentionCategory};
use crate::{Error, Result};

/// What stands in the store about its size and its clusters.
pub(crate) struct StorageFacts {
    pub(crate) page_bytes: u64,
    pub(crate) pages: u64,
    pub(crate) free_pages: u64,
    pub(crate) pinned: u64,
    pub(crate) deleted_clusters: u64,
    pub(crate) deleted_batches: u64,
    pub(crate) worked: Option<Micros>,
    pub(crate) deletions: Vec<Deletion>,
}

/// What stands in the store about its size and its clusters.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn storage_facts(db: &Connection) -> Result<StorageFacts> {
    let mut find = db.prepare_cached(include_str!("deletions.sql"))?;
    let deletions = find
        .query_map([], |row| {
            Ok(Deletion {
                id: row.get("id")?,
                name: row.get("shown_name")?,
                due_micros: row.get("due_micros")?,
                begun: row.get("begun")?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    // By themselves: programs that run a copy of the question may refuse `pragma_freelist_count`, as Datasette does.
    let pragma = |name: &str| db.pragma_query_value(None, name, |row| row.get::<_, u64>(0));
    let (page_bytes, pages, free_pages) = (
        pragma("page_size")?,
        pragma("page_count")?,
        pragma("freelist_count")?,
    );
    Ok(db
        .prepare_cached(include_str!("storage.sql"))?
        .query_one([], |row| {
            Ok(StorageFacts {
                page_bytes,
                pages,
                free_pages,
                pinned: row.get("pinned")?,
                deleted_clusters: row.get("deleted_clusters")?,
                deleted_batches: row.get("deleted_batches")?,
                worked: row.get("worked_micros")?,
                deletions,
            })
        })?)
}

/// What was removed of a cluster.
///
/// # Errors
/// [`Error::Sqlite`]; [`Error::Invalid`] if another program wrote it.
pub(crate) fn pruned(db: &Connection, id: i64) -> Result<PrunedList> {
    let mut find = db.prepare_cached(include_str!("pruned.sql"))?;
    let mut found = find.query(named_params! { ":id": id })?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push(Pruned {
            category: category(row.get("category")?)?,
            at_micros: row.get("at_micros")?,
            rule_days: row.get("rule_days")?,
            records: row.get("records")?,
        });
    }
    Ok(PrunedList { rows })
}

fn category(word: String) -> Result<RetentionCategory> {
    RetentionCategory::of_word(&word).ok_or(Error::Invalid {
        what: "store",
        value: word,
        reason: "it is not a category that Bobbin removes".into(),
    })
}

/// A cluster of which something may go.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) started: Micros,
    pub(crate) seen: Micros,
    pub(crate) reports: bool,
    pub(crate) pinned: bool,
}

/// The next clusters behind one, those that were silent longest first.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn candidates(
    db: &Connection,
    now: Micros,
    behind: (Micros, i64),
    limit: u64,
) -> Result<Vec<Candidate>> {
    let mut find = db.prepare_cached(include_str!("candidates.sql"))?;
    let parameters = named_params! {
        ":now": now, ":behind_seen": behind.0, ":behind_id": behind.1, ":limit": limit,
    };
    let rows = find.query_map(parameters, candidate)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Some clusters by their numbers.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn named_candidates(
    db: &Connection,
    now: Micros,
    ids: &[i64],
) -> Result<Vec<Candidate>> {
    let mut find = db.prepare_cached(include_str!("named_candidates.sql"))?;
    let parameters = named_params! { ":now": now, ":ids": serde_json::to_string(ids)? };
    let rows = find.query_map(parameters, candidate)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn candidate(row: &rusqlite::Row<'_>) -> rusqlite::Result<Candidate> {
    Ok(Candidate {
        id: row.get("id")?,
        name: row.get("shown_name")?,
        started: row.get("started_micros")?,
        seen: row.get("seen_micros")?,
        reports: row.get("reports")?,
        pinned: row.get("pinned")?,
    })
}
