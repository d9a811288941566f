//! Rows removed a few at a time. A statement is short however much there is, and so is what it adds to the log.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, ToSql, named_params};

use super::came::with_rule;
use super::looked::{Looked, Stays};
use super::within::{Instance, Task, Within, instances};
use crate::Result;
use crate::model::{Micros, RetentionCategory};

/// A step ends soon after this: a batch that comes meanwhile waits so much longer.
const STEP: Duration = Duration::from_millis(15);
/// Rows of one statement: profiles are the largest, some tens of kilobytes each, and every page of them is overwritten.
const AT_ONCE: u64 = 64;
/// The least, where the disk has no room for what they add to the log.
const AT_LEAST: u64 = 2;

static CODE: LazyLock<String> =
    LazyLock::new(|| with_rule(include_str!("sql/code.sql"), ":before"));
static EXCEPTIONS: LazyLock<String> =
    LazyLock::new(|| with_rule(include_str!("sql/exceptions.sql"), ":before"));

/// How much one step does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) until: Instant,
    /// Rows of one statement.
    pub(super) rows: u64,
}

/// As much as the log has room for: all at once, until the disk was full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Room(u64);

impl Room {
    pub(super) const PLENTY: Self = Self(AT_ONCE);

    /// From now on. Where there is little room, a step is one statement.
    pub(super) fn pace(self) -> Pace {
        let now = Instant::now();
        Pace {
            until: if self.is_plenty() { now + STEP } else { now },
            rows: self.0,
        }
    }

    pub(super) fn is_plenty(self) -> bool {
        self == Self::PLENTY
    }

    /// A step found room: the next may be a little larger.
    pub(super) fn found(self) -> Self {
        Self((self.0 + 1).min(AT_ONCE))
    }

    /// A step found none. The first time nothing is known but that.
    pub(super) fn missed(self) -> Self {
        Self(match self.is_plenty() {
            true => AT_LEAST,
            false => (self.0 / 2).max(AT_LEAST),
        })
    }
}

/// How much was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Removed {
    /// Records, as somebody would count them.
    pub(super) records: u64,
    /// Something was, if only what belongs to a record.
    pub(super) any: bool,
    /// It ended because of the time.
    pub(super) more: bool,
}

impl Removed {
    /// Nothing yet.
    const UNFINISHED: Self = Self {
        records: 0,
        any: false,
        more: true,
    };

    pub(super) fn and(self, other: Removed) -> Removed {
        Removed {
            records: self.records + other.records,
            any: self.any || other.any,
            more: self.more || other.more,
        }
    }

    /// What belongs to records and is not one itself.
    fn uncounted(self) -> Removed {
        Removed { records: 0, ..self }
    }
}

/// Removes what a cluster has of a category from before `before`, or all of it, and notes that.
pub(super) fn category(
    db: &Connection,
    cluster: i64,
    category: RetentionCategory,
    before: Option<Micros>,
    looked: &mut Looked,
    pace: Pace,
) -> Result<Removed> {
    let over = before.unwrap_or(Micros::LATEST);
    // Their time alone is looked at.
    if category == RetentionCategory::Exceptions {
        return repeat(db, &EXCEPTIONS, cluster, over, pace);
    }
    let mut within = std::mem::take(&mut looked.within);
    let removed = within.each(db, cluster, Task::Remove(category), pace, |instance| {
        let from_seq = match before {
            None => Micros::LATEST.0,
            Some(before) => match looked.stays(db, instance.id, category, before, pace)? {
                Stays::From(seq) => seq,
                Stays::Unknown => return Ok(Removed::UNFINISHED),
            },
        };
        of_instance(db, instance, from_seq, category, pace)
    });
    looked.within = within;
    let removed = removed?;
    if removed.more {
        return Ok(removed);
    }
    Ok(match category {
        // Lines stand with the first profile that has them, and later ones need them, too.
        RetentionCategory::Profiles => {
            removed.and(unneeded_lines(db, cluster, &mut looked.within, pace)?)
        }
        RetentionCategory::Code => removed.and(repeat(db, &CODE, cluster, over, pace)?),
        RetentionCategory::Exceptions | RetentionCategory::Events | RetentionCategory::Samples => {
            removed
        }
    })
}

/// Removes what an instance has of a category in records before `from_seq`.
fn of_instance(
    db: &Connection,
    instance: &Instance,
    from_seq: i64,
    category: RetentionCategory,
    pace: Pace,
) -> Result<Removed> {
    let with = |tables: &[&str], from: i64| records(db, tables, instance.id, from, pace);
    match category {
        RetentionCategory::Profiles => with(&["profile_stack", "profile"], from_seq),
        RetentionCategory::Events => with(&["event"], from_seq),
        RetentionCategory::Exceptions => Ok(Removed::default()),
        RetentionCategory::Code => Ok(with(&["profile_line"], from_seq)?
            .and(with(&["kept"], from_seq)?)
            .uncounted()),
        RetentionCategory::Samples => {
            let Some(last) = instance.last_sample_seq else {
                return Ok(Removed::default());
            };
            let from = from_seq.min(last);
            let removed = with(&["sample_worker", "sample"], from)?;
            if removed.any {
                db.prepare_cached(include_str!("sql/samples_from.sql"))?
                    .execute(named_params! { ":instance_id": instance.id, ":seq": from })?;
            }
            Ok(removed)
        }
    }
}

/// Removes the records of an instance before a sequence number from `tables`: the last of them names the records, the
/// others hold what belongs to them.
fn records(
    db: &Connection,
    tables: &[&str],
    instance: i64,
    from_seq: i64,
    pace: Pace,
) -> Result<Removed> {
    let Some(lead) = tables.last() else {
        return Ok(Removed::default());
    };
    until_none(pace, || {
        let mut rows = 0;
        for table in tables {
            // One sentence for every table whose rows are records of an instance.
            let sql = format!(
                "delete from {table} where instance_id = :instance_id and seq in (
                     select seq from {lead}
                     where instance_id = :instance_id and seq < :from_seq
                     order by seq limit :limit
                 )"
            );
            rows = db.prepare_cached(&sql)?.execute(named_params! {
                ":instance_id": instance,
                ":from_seq": from_seq,
                ":limit": pace.rows,
            })? as u64;
        }
        Ok(rows)
    })
}

/// Removes lines of source of which no profile of the cluster is left.
fn unneeded_lines(
    db: &Connection,
    cluster: i64,
    within: &mut Within,
    pace: Pace,
) -> Result<Removed> {
    let mut needed = false;
    let found = within.each(db, cluster, Task::FindProfiles, pace, |instance| {
        needed = db
            .prepare_cached(include_str!("sql/has_profiles.sql"))?
            .exists(named_params! { ":instance_id": instance.id })?;
        Ok(match needed {
            true => Removed::UNFINISHED,
            false => Removed::default(),
        })
    })?;
    if needed {
        return Ok(Removed::default());
    }
    if found.more {
        return Ok(found);
    }
    let all = Micros::LATEST.0;
    let removed = within.each(db, cluster, Task::RemoveLines, pace, |instance| {
        records(db, &["profile_line"], instance.id, all, pace)
    })?;
    Ok(removed.uncounted())
}

/// Runs a statement that removes at most so many rows of a cluster until there are none.
fn repeat(db: &Connection, sql: &str, cluster: i64, before: Micros, pace: Pace) -> Result<Removed> {
    until_none(pace, || {
        let rows = db.prepare_cached(sql)?.execute(named_params! {
            ":cluster_id": cluster,
            ":before": before,
            ":limit": pace.rows,
        })?;
        Ok(rows as u64)
    })
}

/// Removes at most so many rows at once until there are none, or the time is over.
fn until_none(pace: Pace, mut some: impl FnMut() -> Result<u64>) -> Result<Removed> {
    let mut removed = Removed::default();
    loop {
        let rows = some()?;
        removed.records += rows;
        removed.any |= rows > 0;
        if rows < pace.rows {
            return Ok(removed);
        }
        if Instant::now() > pace.until {
            return Ok(Removed {
                more: true,
                ..removed
            });
        }
    }
}

/// Notes what was removed of a cluster, and by which rule; without one, by the cap.
pub(super) fn note(
    db: &Connection,
    cluster: i64,
    category: RetentionCategory,
    records: u64,
    rule_days: Option<u32>,
    now: Micros,
) -> Result<()> {
    db.prepare_cached(include_str!("sql/pruned.sql"))?
        .execute(named_params! {
            ":cluster_id": cluster,
            ":category": category.word(),
            ":now": now,
            ":rule_days": rule_days,
            ":records": records,
        })?;
    Ok(())
}

/// A table whose rows go with a cluster or an instance, as its foreign keys say.
struct Part {
    table: String,
    /// What identifies a row.
    key: String,
    /// The column that names the cluster or the instance.
    column: String,
    of_instance: bool,
}

/// Removes what hangs on a cluster, instance by instance, and leaves its row.
pub(super) fn parts(db: &Connection, cluster: i64, pace: Pace) -> Result<Removed> {
    let (of_instance, of_cluster): (Vec<_>, Vec<_>) = find_parts(db)?
        .into_iter()
        .partition(|part| part.of_instance);
    let mut removed = Removed::default();
    loop {
        // Those that are done are gone: the next ones are the first ones.
        let some = instances(db, cluster, "")?;
        if some.is_empty() {
            break;
        }
        for instance in some {
            removed = removed.and(remove_all(db, &of_instance, instance.id, pace)?);
            if removed.more {
                return Ok(removed);
            }
            db.prepare_cached(include_str!("sql/instance_gone.sql"))?
                .execute(named_params! { ":instance_id": instance.id })?;
            removed.any = true;
            removed.more = Instant::now() > pace.until;
            if removed.more {
                return Ok(removed);
            }
        }
    }
    Ok(removed.and(remove_all(db, &of_cluster, cluster, pace)?))
}

/// Removes the rows of a cluster or an instance from each of these tables.
fn remove_all(db: &Connection, parts: &[Part], id: i64, pace: Pace) -> Result<Removed> {
    let mut removed = Removed::default();
    for part in parts {
        removed = removed.and(part.remove(db, id, pace)?);
        if removed.more {
            break;
        }
    }
    Ok(removed)
}

impl Part {
    /// Removes the rows of a cluster or an instance.
    fn remove(&self, db: &Connection, id: i64, pace: Pace) -> Result<Removed> {
        let Self {
            table, key, column, ..
        } = self;
        let sql = format!(
            "delete from {table} where ({key}) in (select {key} from {table} where {column} = :id limit :limit)"
        );
        let mut removed = Removed::default();
        loop {
            let parameters: &[(&str, &dyn ToSql)] =
                named_params! { ":id": id, ":limit": pace.rows };
            let rows = db.prepare_cached(&sql)?.execute(parameters)? as u64;
            removed.any |= rows > 0;
            removed.more = rows > 0 && Instant::now() > pace.until;
            if removed.more || rows < pace.rows {
                return Ok(removed);
            }
        }
    }
}

/// The tables that the schema ties to clusters or instances, so that none is ever forgotten.
fn find_parts(db: &Connection) -> Result<Vec<Part>> {
    let mut found = db.prepare_cached(include_str!("sql/parts.sql"))?;
    let rows = found.query_map([], |row| {
        Ok(Part {
            table: row.get("name")?,
            key: row.get("key")?,
            column: row.get("column")?,
            of_instance: row.get("of_instance")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The scheduler's id of a cluster.
pub(super) fn scheduler_id(db: &Connection, cluster: i64) -> Result<Option<String>> {
    Ok(db
        .prepare_cached(include_str!("sql/scheduler_id.sql"))?
        .query_row(named_params! { ":cluster_id": cluster }, |row| row.get(0))
        .optional()?)
}
