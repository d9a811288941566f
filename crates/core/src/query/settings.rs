//! What the settings show of the store: keys that were handed out, files that arrived, categories that are off; and which
//! clusters came since somebody began to wait for one.

use rusqlite::{Connection, named_params};

use super::types::{HeardCluster, InboxCluster, InboxFate, InboxFile, Privacy, SwitchCount};
use crate::Result;
use crate::model::Micros;

/// Files of one answer, clusters of each, and clusters.
const FILES: usize = 100;
const FILE_CLUSTERS: u32 = 3;
const HEARD: u32 = 10;
/// More than there are categories.
const SWITCHES: u32 = 32;

/// How many keys were handed out, and when the newest was.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn ingest_key_facts(db: &Connection) -> Result<(u64, Option<Micros>)> {
    let facts = db
        .prepare_cached(include_str!("ingest_key_facts.sql"))?
        .query_row([], |row| Ok((row.get("keys")?, row.get("newest_micros")?)))?;
    Ok(facts)
}

/// Clusters that came after the one of this number and were heard since, the latest first; of all, or of these schedulers.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn heard_since(
    db: &Connection,
    since: Micros,
    after_id: i64,
    schedulers: Option<&[String]>,
) -> Result<Vec<HeardCluster>> {
    let mut statement = db.prepare_cached(include_str!("reception.sql"))?;
    let wanted = named_params! {
        ":since_micros": since,
        ":after_id": after_id,
        ":schedulers": schedulers.map(serde_json::to_string).transpose()?,
        ":limit": HEARD,
    };
    let rows = statement.query_map(wanted, |row| {
        Ok(HeardCluster {
            id: row.get("id")?,
            name: row.get("name")?,
            host: row.get("host")?,
            workers: row.get("workers")?,
            heard_micros: row.get("last_heard_micros")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The cluster that came last; 0 where there is none.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn last_cluster_id(db: &Connection) -> Result<i64> {
    let id = db
        .prepare_cached(include_str!("cluster_last_id.sql"))?
        .query_row([], |row| row.get(0))?;
    Ok(id)
}

/// Files that arrived, the latest first, and whether there are more.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn inbox_files(db: &Connection) -> Result<(Vec<InboxFile>, bool)> {
    let mut statement = db.prepare_cached(include_str!("inbox_files.sql"))?;
    let rows = statement.query_map(named_params! { ":limit": FILES as u64 + 1 }, |row| {
        let fate: Option<String> = row.get("fate")?;
        let file = InboxFile {
            folder: row.get("folder")?,
            name: row.get("name")?,
            bytes: row.get("bytes")?,
            at_micros: row.get("at_micros")?,
            fate: match fate.as_deref() {
                Some("read") => InboxFate::Read,
                Some("imported") => InboxFate::Imported,
                Some(_) => InboxFate::Refused,
                None => InboxFate::Unread,
            },
            goes_on: row.get("goes_on")?,
            records: row.get("records")?,
            clusters: Vec::new(),
            clusters_total: row.get("clusters_total")?,
            taken: row.get("taken")?,
            left_out: row.get("left_out")?,
            why: row.get("why")?,
            aside: row.get("aside")?,
        };
        Ok((row.get("id")?, file))
    })?;
    let mut rows: Vec<(Option<i64>, InboxFile)> = rows.collect::<rusqlite::Result<_>>()?;
    let truncated = rows.len() > FILES;
    rows.truncate(FILES);
    let mut clusters = db.prepare_cached(include_str!("inbox_file_clusters.sql"))?;
    let mut files = Vec::with_capacity(rows.len());
    for (taken, mut file) in rows {
        let wanted = named_params! { ":taken_id": taken, ":limit": FILE_CLUSTERS };
        let named = clusters.query_map(wanted, |row| {
            Ok(InboxCluster {
                id: row.get("id")?,
                name: row.get("name")?,
            })
        })?;
        file.clusters = named.collect::<rusqlite::Result<_>>()?;
        files.push(file);
    }
    Ok((files, truncated))
}

/// What clusters switched off at their source, and how much code is kept out.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn privacy(db: &Connection) -> Result<Privacy> {
    let (clusters, forgotten_codes) = db
        .prepare_cached(include_str!("switch_facts.sql"))?
        .query_row([], |row| {
            Ok((row.get("clusters")?, row.get("forgotten_codes")?))
        })?;
    let mut statement = db.prepare_cached(include_str!("switches.sql"))?;
    let rows = statement.query_map(named_params! { ":limit": SWITCHES }, |row| {
        Ok(SwitchCount {
            category: row.get("category")?,
            clusters: row.get("clusters")?,
            cluster_id: row.get("cluster_id")?,
            cluster: row.get("cluster")?,
        })
    })?;
    Ok(Privacy {
        clusters,
        switches: rows.collect::<rusqlite::Result<_>>()?,
        forgotten_codes,
    })
}
