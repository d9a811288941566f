//! Clusters that a reader deletes: asked for, for ten seconds undone by one word, then carried out whether anybody looks or
//! not. First the cluster leaves every list and sum and its keys are destroyed, then its rows go in short steps.
//!
//! Snapshots from before still hold it: they are replaced, for which the deletions that were carried out are counted.
//!
//! What a deleted cluster sends from then on is not stored, nor what it had sent before and comes again from a spool: it
//! is known by a hash of its scheduler's id. A scheduler that starts anew has another id.

use rusqlite::{Connection, OptionalExtension, named_params};
use sha2::{Digest, Sha256};

use super::Step;
use super::remove::{self, Pace};
use super::waits::UNDO_MICROS;
use crate::Result;
use crate::model::Micros;

/// Asks for the deletion of clusters; gives how many there are.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn ask(db: &Connection, ids: &[i64], now: Micros, at_once: bool) -> Result<usize> {
    let wait = if at_once { 0 } else { UNDO_MICROS };
    ask_for(db, ids, now, wait, false)
}

fn ask_for(db: &Connection, ids: &[i64], now: Micros, wait: i64, for_room: bool) -> Result<usize> {
    Ok(db
        .prepare_cached(include_str!("sql/deletion_ask.sql"))?
        .execute(named_params! {
            ":ids": serde_json::to_string(ids)?,
            ":now": now,
            ":due": now.0 + wait,
            ":for_room": for_room,
        })?)
}

/// Takes it back, where it has not begun; gives for how many.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn undo(db: &Connection, ids: &[i64]) -> Result<usize> {
    Ok(db
        .prepare_cached(include_str!("sql/deletion_undo.sql"))?
        .execute(named_params! { ":ids": serde_json::to_string(ids)? })?)
}

/// Whoever asked may have wanted it undone when Bobbin broke off: what was not begun is not done.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn forget_unbegun(db: &Connection) -> Result<()> {
    db.execute(include_str!("sql/deletion_forget.sql"), [])?;
    Ok(())
}

/// Whether batches of this scheduler are not stored because its cluster was deleted. Counts those.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn is_deleted(db: &Connection, scheduler_id: &str) -> Result<bool> {
    Ok(db
        .prepare_cached(include_str!("sql/deleted_count.sql"))?
        .execute(named_params! { ":digest": digest(scheduler_id) })?
        > 0)
}

fn digest(scheduler_id: &str) -> [u8; 32] {
    Sha256::digest(scheduler_id.as_bytes()).into()
}

/// Whether any deletion is asked for, or begun.
pub(super) fn any(db: &Connection) -> Result<bool> {
    Ok(db
        .prepare_cached(include_str!("sql/deletion_any.sql"))?
        .query_one([], |row| row.get(0))?)
}

/// A deletion that was asked for and has not begun.
pub(super) struct Asked {
    pub(super) cluster: i64,
    pub(super) asked: Micros,
    pub(super) due: Micros,
}

/// Those that were asked for.
pub(super) fn asked(db: &Connection) -> Result<Vec<Asked>> {
    let mut asked = db.prepare_cached(include_str!("sql/deletion_asked.sql"))?;
    let rows = asked.query_map([], |row| {
        Ok(Asked {
            cluster: row.get("cluster_id")?,
            asked: row.get("asked_micros")?,
            due: row.get("due_micros")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Begins all that were asked for.
pub(super) fn begin_all(db: &Connection, now: Micros) -> Result<()> {
    for one in asked(db)? {
        super::in_transaction(db, |db| begin(db, one.cluster, now))?;
    }
    Ok(())
}

/// Deletes clusters that nobody would have back: they leave every list and sum in this transaction.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn at_once(db: &Connection, clusters: &[i64], now: Micros) -> Result<()> {
    ask(db, clusters, now, true)?;
    clusters
        .iter()
        .try_for_each(|cluster| begin(db, *cluster, now))
}

/// Begins the deletion of a cluster for which there is no room.
pub(super) fn begin_for_room(db: &Connection, cluster: i64, now: Micros) -> Result<()> {
    ask_for(db, &[cluster], now, 0, true)?;
    begin(db, cluster, now)
}

/// Takes the cluster out of every list and sum, in one transaction with the word that it is deleted.
fn begin(db: &Connection, cluster: i64, now: Micros) -> Result<()> {
    let Some(scheduler_id) = remove::scheduler_id(db, cluster)? else {
        return Ok(());
    };
    db.prepare_cached(include_str!("sql/deleted_new.sql"))?
        .execute(named_params! { ":digest": digest(&scheduler_id), ":now": now })?;
    db.prepare_cached(include_str!("sql/deleted_files.sql"))?
        .execute(named_params! { ":scheduler_id": scheduler_id })?;
    for sql in [
        include_str!("sql/deletion_begin.sql"),
        include_str!("sql/deleted_keys.sql"),
        include_str!("sql/deleted_totals.sql"),
        include_str!("sql/deleted_taken.sql"),
    ] {
        db.prepare_cached(sql)?
            .execute(named_params! { ":cluster_id": cluster })?;
    }
    Ok(())
}

/// The first deletion to carry on with, and whether it is begun.
fn first(db: &Connection, over: &[i64]) -> Result<Option<(i64, bool)>> {
    Ok(db
        .prepare_cached(include_str!("sql/deletion_due.sql"))?
        .query_row(
            named_params! { ":over": serde_json::to_string(over)? },
            |row| Ok((row.get("cluster_id")?, row.get("begun")?)),
        )
        .optional()?)
}

/// Carries on with the first deletion that is begun, or that is `over`: nobody took it back in time. None if there is none.
pub(super) fn step(db: &Connection, now: Micros, over: &[i64], pace: Pace) -> Result<Option<Step>> {
    let Some((cluster, begun)) = first(db, over)? else {
        return Ok(None);
    };
    if !begun {
        begin(db, cluster, now)?;
        return Ok(Some(Step {
            more: true,
            changed: vec![cluster],
            forget: true,
            deleted: Some(cluster),
        }));
    }
    let removed = remove::parts(db, cluster, pace)?;
    if removed.more {
        return Ok(Some(Step {
            more: true,
            ..Step::default()
        }));
    }
    for sql in [
        include_str!("sql/deletion_done.sql"),
        include_str!("sql/deletion_end.sql"),
    ] {
        db.prepare_cached(sql)?
            .execute(named_params! { ":cluster_id": cluster })?;
    }
    Ok(Some(Step {
        more: first(db, over)?.is_some(),
        changed: vec![cluster],
        forget: true,
        deleted: None,
    }))
}
