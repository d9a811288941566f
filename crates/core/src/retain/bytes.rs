//! About how much room clusters take, and how much of it would go.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rusqlite::{Connection, named_params};

use super::came::with_rule;
use crate::Result;
use crate::model::{Micros, RetentionCategory};

static STORED_BYTES: LazyLock<String> =
    LazyLock::new(|| with_rule(include_str!("sql/stored_bytes.sql"), "due.before_micros"));

/// Before which moment each category goes; what is missing stays.
pub(crate) type Cutoffs = BTreeMap<RetentionCategory, Micros>;

/// Everything that there is.
pub(crate) fn all() -> Cutoffs {
    RetentionCategory::ALL
        .into_iter()
        .map(|category| (category, Micros::LATEST))
        .collect()
}

/// About how much each of these clusters has, by category; none of a category is all that belongs to none. From the
/// lengths of values, and what their rows, keys and indexes take besides.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn stored_bytes(
    db: &Connection,
    ids: &[i64],
    before: &Cutoffs,
    whole: bool,
) -> Result<BTreeMap<i64, BTreeMap<Option<RetentionCategory>, u64>>> {
    let cutoffs: BTreeMap<&str, Micros> = before
        .iter()
        .map(|(category, before)| (category.word(), *before))
        .collect();
    let mut bytes: BTreeMap<i64, BTreeMap<_, u64>> = BTreeMap::new();
    let mut find = db.prepare_cached(&STORED_BYTES)?;
    let mut rows = find.query(named_params! {
        ":ids": serde_json::to_string(ids)?,
        ":before": serde_json::to_string(&cutoffs)?,
        ":whole": whole,
    })?;
    while let Some(row) = rows.next()? {
        let word: Option<String> = row.get("category")?;
        *bytes
            .entry(row.get("cluster_id")?)
            .or_default()
            .entry(word.and_then(|word| RetentionCategory::of_word(&word)))
            .or_default() += row.get::<_, f64>("bytes")? as u64;
    }
    Ok(bytes)
}

/// About how much a cluster takes.
///
/// # Errors
/// As [`stored_bytes`].
pub(crate) fn whole_bytes(db: &Connection, cluster: i64) -> Result<u64> {
    sum(db, cluster, &all())
}

/// The same without its detail.
///
/// # Errors
/// As [`stored_bytes`].
pub(crate) fn left_bytes(db: &Connection, cluster: i64) -> Result<u64> {
    sum(db, cluster, &Cutoffs::new())
}

fn sum(db: &Connection, cluster: i64, detail: &Cutoffs) -> Result<u64> {
    let found = stored_bytes(db, &[cluster], detail, true)?;
    Ok(found.values().flat_map(BTreeMap::values).sum())
}
