//! How many rows one cluster may have of what a hostile one could make without end. What lies beyond is only counted.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{Connection, ToSql, named_params};

use super::Context;
use super::again::Again;
use super::names::Names;
use crate::Result;
use crate::store::execute_in_order;

/// Clusters whose rows are remembered.
const KEPT: usize = 4_096;

/// A kind of rows with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bounded {
    WorkerEvent,
    Metric,
    Span,
    Topic,
}

impl Bounded {
    /// Its name on the wire, the most of it, and how to count it. Dask itself has about six metrics a prefix, and
    /// thousands of workers that come and go are real.
    fn rule(self) -> (&'static str, u64, &'static str) {
        match self {
            Bounded::WorkerEvent => ("worker", 50_000, include_str!("sql/worker_event_count.sql")),
            Bounded::Metric => ("metric", 20_000, include_str!("sql/metric_count.sql")),
            Bounded::Span => ("span", 10_000, include_str!("sql/span_count.sql")),
            Bounded::Topic => ("event", 1_000, include_str!("sql/topic_count.sql")),
        }
    }
}

/// A row that replaces an earlier one of the same key. The one that inserts names the key first, the one that updates names it last.
pub(super) struct Latest<'a> {
    pub(super) update: &'static str,
    pub(super) insert: &'static str,
    /// Asks for the key alone.
    pub(super) known: &'static str,
    pub(super) key: &'a [(&'a str, &'a dyn ToSql)],
    pub(super) rest: &'a [(&'a str, &'a dyn ToSql)],
}

/// The rows of clusters, as far as they were counted.
#[derive(Default)]
pub(super) struct Bounds(HashMap<(i64, Bounded), u64>);

impl Bounds {
    /// Some of what was counted may not have been stored.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    /// Whether one more row may be made; if not, it is counted as too many.
    pub(super) fn room(&mut self, context: &Context<'_>, kind: Bounded) -> Result<bool> {
        let (what, limit, count) = kind.rule();
        let rows = self.rows(context, kind, count)?;
        if *rows < limit {
            return Ok(true);
        }
        too_many(context, what)?;
        Ok(false)
    }

    /// The numbers of the words of a key. Where there is no room, new words are not stored for nothing: then the record is
    /// counted as too many, and there are none.
    pub(super) fn words<const N: usize>(
        &mut self,
        context: &Context<'_>,
        kind: Bounded,
        names: &mut Names,
        texts: [&str; N],
    ) -> Result<Option<[i64; N]>> {
        let (what, limit, count) = kind.rule();
        let full = *self.rows(context, kind, count)? >= limit;
        let mut ids = [0; N];
        for (id, text) in ids.iter_mut().zip(texts) {
            *id = if !full {
                names.id(context.db, text)?
            } else if let Some(id) = names.find(context.db, text)? {
                id
            } else {
                too_many(context, what)?;
                return Ok(None);
            };
        }
        Ok(Some(ids))
    }

    /// Counts a row that was made.
    pub(super) fn made(&mut self, context: &Context<'_>, kind: Bounded) -> Result<()> {
        let (_, _, count) = kind.rule();
        *self.rows(context, kind, count)? += 1;
        Ok(())
    }

    /// Stores the latest record of something: mostly there is an earlier one, so that is tried first.
    pub(super) fn put<'a>(
        &mut self,
        context: &Context<'a>,
        again: &mut Again<'a>,
        kind: Bounded,
        row: &Latest<'_>,
    ) -> Result<()> {
        let db = context.db;
        let to_update = [row.rest, row.key].concat();
        let updated = execute_in_order(again.get(db, row.update)?, &to_update)?;
        if updated > 0 || known(db, row)? {
            return Ok(());
        }
        if self.room(context, kind)? {
            let to_insert = [row.key, row.rest].concat();
            execute_in_order(again.get(db, row.insert)?, &to_insert)?;
            self.made(context, kind)?;
        }
        Ok(())
    }

    fn rows(&mut self, context: &Context<'_>, kind: Bounded, count: &str) -> Result<&mut u64> {
        if self.0.len() >= KEPT {
            self.0.clear();
        }
        match self.0.entry((context.cluster, kind)) {
            Entry::Occupied(rows) => Ok(rows.into_mut()),
            Entry::Vacant(place) => {
                let rows = context
                    .db
                    .prepare_cached(count)?
                    .query_one(named_params! { ":cluster_id": context.cluster }, |row| {
                        row.get(0)
                    })?;
                Ok(place.insert(rows))
            }
        }
    }
}

fn known(db: &Connection, row: &Latest<'_>) -> Result<bool> {
    Ok(db.prepare_cached(row.known)?.exists(row.key)?)
}

fn too_many(context: &Context<'_>, what: &str) -> Result<()> {
    context
        .db
        .prepare_cached(include_str!("sql/too_many.sql"))?
        .execute(named_params! { ":cluster_id": context.cluster, ":what": what })?;
    Ok(())
}
