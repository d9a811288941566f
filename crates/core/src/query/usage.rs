//! What clusters used, by the hour and ever: the numbers from which the overview and its heat-map are made.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::page::Json;
use super::profile::Mixed;
use super::samples::Counted;
use super::types::LargestPrefix;
use crate::model::{Micros, done};
use crate::store::DayHours;
pub(crate) use crate::store::Named;
use crate::{Error, Result};

/// What was used, as whole numbers: sums do not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Used {
    pub(crate) compute_micros: i64,
    pub(crate) transfer_micros: i64,
    pub(crate) disk_micros: i64,
    pub(crate) other_micros: i64,
    pub(crate) thread_micros: i64,
    pub(crate) worker_micros: i64,
    pub(crate) memory_mib_seconds: i64,
    pub(crate) tasks_completed: i64,
    pub(crate) tasks_erred: i64,
    pub(crate) result_bytes: i64,
    /// Of the time of threads, that in which they did nothing while the cluster was stalled.
    pub(crate) stalled_micros: i64,
}

impl Used {
    /// Of sums in the order of `cluster_hour`.
    fn of(sums: [i64; 10]) -> Self {
        let [
            compute_micros,
            transfer_micros,
            disk_micros,
            other_micros,
            thread_micros,
            worker_micros,
            memory_mib_seconds,
            tasks_completed,
            tasks_erred,
            result_bytes,
        ] = sums;
        Self {
            compute_micros,
            transfer_micros,
            disk_micros,
            other_micros,
            thread_micros,
            worker_micros,
            memory_mib_seconds,
            tasks_completed,
            tasks_erred,
            result_bytes,
            stalled_micros: 0,
        }
    }

    /// Time of threads in which they did anything.
    pub(crate) fn busy_micros(&self) -> i64 {
        [self.transfer_micros, self.disk_micros, self.other_micros]
            .into_iter()
            .fold(self.compute_micros, i64::saturating_add)
    }

    pub(crate) fn add(&mut self, other: &Used) {
        *self = self.each(other, i64::saturating_add);
    }

    fn each(&self, other: &Used, of: impl Fn(i64, i64) -> i64) -> Self {
        Self {
            compute_micros: of(self.compute_micros, other.compute_micros),
            transfer_micros: of(self.transfer_micros, other.transfer_micros),
            disk_micros: of(self.disk_micros, other.disk_micros),
            other_micros: of(self.other_micros, other.other_micros),
            thread_micros: of(self.thread_micros, other.thread_micros),
            worker_micros: of(self.worker_micros, other.worker_micros),
            memory_mib_seconds: of(self.memory_mib_seconds, other.memory_mib_seconds),
            tasks_completed: of(self.tasks_completed, other.tasks_completed),
            tasks_erred: of(self.tasks_erred, other.tasks_erred),
            result_bytes: of(self.result_bytes, other.result_bytes),
            stalled_micros: of(self.stalled_micros, other.stalled_micros),
        }
    }

    /// A share of it, in whole numbers.
    pub(crate) fn scaled(&self, share: f64) -> Self {
        self.each(self, |sum, _| (sum as f64 * share).round() as i64)
    }

    pub(crate) fn less(&self, other: &Used) -> Self {
        self.each(other, i64::saturating_sub)
    }

    pub(super) fn times(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            compute_micros: row.get("compute_micros")?,
            transfer_micros: row.get("transfer_micros")?,
            disk_micros: row.get("disk_micros")?,
            other_micros: row.get("other_micros")?,
            thread_micros: row.get("thread_micros")?,
            worker_micros: row.get("worker_micros")?,
            memory_mib_seconds: row.get("memory_mib_seconds")?,
            ..Self::default()
        })
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            tasks_completed: row.get("tasks_completed")?,
            tasks_erred: row.get("tasks_erred")?,
            result_bytes: row.get("result_bytes")?,
            stalled_micros: row.get("stalled_micros")?,
            ..Self::times(row)?
        })
    }
}

/// One cluster in one hour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HourUse {
    /// Since 1970 UTC.
    pub(crate) hour: i64,
    pub(crate) cluster: i64,
    /// Its place among [`Hours::named`].
    pub(crate) named: u32,
    /// The place of the span of which this is a part; 0 is none, or all of the hour.
    pub(crate) span: u32,
    pub(crate) used: Used,
    pub(crate) workers_peak: u64,
    pub(crate) memory_peak_bytes: Option<u64>,
}

/// The hours of some stretch of time, and how their clusters call their user, host and project.
#[derive(Debug, Default)]
pub(crate) struct Hours {
    pub(crate) hours: Vec<HourUse>,
    pub(crate) named: Vec<Named>,
    places: HashMap<Named, u32>,
    /// The same by what packs have of them.
    packed: HashMap<Vec<u8>, u32>,
}

/// Numbers of clusters.
pub(super) type ClusterIds = HashSet<i64, BuildHasherDefault<Mixed>>;

/// Who a cluster is, as far as its row and its price depend on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Who {
    pub(crate) id: i64,
    pub(crate) started: Micros,
    pub(crate) name: String,
    pub(crate) user: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) tags: BTreeMap<String, String>,
}

/// What the clusters that count used in the hours `[first, end)`: of a day that is packed from its pack, else hour by hour.
///
/// # Errors
/// [`Error::Sqlite`]; [`Error::Invalid`] if a pack is not what this build writes.
pub(crate) fn hours(db: &Connection, counted: &Counted, first: i64, end: i64) -> Result<Hours> {
    let days = (first.div_euclid(24), end.div_euclid(24) + 1);
    let mut found = Hours::default();
    let mut statement = db.prepare_cached(include_str!("usage_days.sql"))?;
    let mut rows = statement.query(named_params! { ":first_day": days.0, ":end_day": days.1 })?;
    while let Some(row) = rows.next()? {
        let begins = row.get::<_, i64>(0)? * 24;
        let packed = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        found.add_day(begins, DayHours::unpack(packed)?, first..end)?;
    }
    found.add_rows(db, first, end, days)?;
    found.add_stalled(db, first, end)?;
    if counted.part().is_some() {
        found.hours.retain(|hour| counted.holds(hour.cluster));
    }
    Ok(found)
}

impl Hours {
    fn place(&mut self, named: Named) -> u32 {
        let named_so_far = &mut self.named;
        *self.places.entry(named).or_insert_with_key(|named| {
            named_so_far.push(named.clone());
            named_so_far.len() as u32 - 1
        })
    }

    /// Every day has most of them again: what was met is found by its bytes alone.
    fn place_of_packed(&mut self, packed: &[u8]) -> Result<u32> {
        if let Some(place) = self.packed.get(packed) {
            return Ok(*place);
        }
        let place = self.place(Named::unpack(packed)?);
        self.packed.insert(packed.to_vec(), place);
        Ok(place)
    }

    fn add_day(&mut self, begins: i64, day: DayHours<&[u8]>, wanted: Range<i64>) -> Result<()> {
        let places: Vec<u32> = day
            .named
            .into_iter()
            .map(|named| self.place_of_packed(named))
            .collect::<Result<_>>()?;
        let of_day = day.hours.into_iter().filter_map(|one| {
            let hour = begins + one.hour;
            wanted.contains(&hour).then(|| HourUse {
                hour,
                cluster: one.cluster,
                named: places[one.named as usize],
                span: 0,
                used: Used::of(one.sums),
                workers_peak: one.workers_peak,
                memory_peak_bytes: one.memory_peak_bytes,
            })
        });
        self.hours.extend(of_day);
        Ok(())
    }

    fn add_rows(&mut self, db: &Connection, first: i64, end: i64, days: (i64, i64)) -> Result<()> {
        let mut statement = db.prepare_cached(include_str!("usage_hours.sql"))?;
        let mut rows = statement.query(named_params! {
            ":first_hour": first, ":end_hour": end, ":first_day": days.0, ":end_day": days.1,
        })?;
        // By place and not by name: where days are not packed yet there may be hundreds of thousands.
        while let Some(row) = rows.next()? {
            let mut sums = [0; 10];
            for (at, sum) in sums.iter_mut().enumerate() {
                *sum = row.get(at)?;
            }
            let named = self.place(Named {
                user: row.get(14)?,
                host: row.get(15)?,
                project: row.get(16)?,
            });
            self.hours.push(HourUse {
                hour: row.get(12)?,
                cluster: row.get(13)?,
                named,
                span: 0,
                used: Used::of(sums),
                workers_peak: row.get(10)?,
                memory_peak_bytes: row.get(11)?,
            });
        }
        Ok(())
    }

    /// Says of the hours that are there how much of their time was stalled.
    fn add_stalled(&mut self, db: &Connection, first: i64, end: i64) -> Result<()> {
        let stalled = db
            .prepare_cached(include_str!("usage_stalled.sql"))?
            .query_map(
                named_params! { ":first_hour": first, ":end_hour": end },
                |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)),
            )?
            .collect::<rusqlite::Result<HashMap<(i64, i64), i64>>>()?;
        // Nearly always there is none.
        if !stalled.is_empty() {
            for one in &mut self.hours {
                let micros = stalled.get(&(one.hour, one.cluster));
                one.used.stalled_micros = micros.copied().unwrap_or(0);
            }
        }
        Ok(())
    }
}

/// Who some clusters are; those that are gone are left out.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn who_of(db: &Connection, ids: &[i64]) -> Result<Vec<Who>> {
    let mut statement = db.prepare_cached(include_str!("usage_who.sql"))?;
    let ids = serde_json::to_string(ids)?;
    let rows = statement.query_map(named_params! { ":ids": ids }, |row| {
        Ok(Who {
            id: row.get(0)?,
            started: row.get(1)?,
            name: row.get(2)?,
            user: row.get(3)?,
            host: row.get(4)?,
            project: row.get(5)?,
            tags: tags_of(row.get(6)?, row.get(7)?),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// What was ever used: clusters, the sums, and the most workers of any cluster. The sums of all are kept; where samples are
/// stored, those that count are added up.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn ever(db: &Connection, counted: &Counted) -> Result<(u64, Used, u64)> {
    let read = |row: &Row<'_>| {
        Ok((
            row.get("clusters")?,
            Used::read(row)?,
            row.get("workers_peak")?,
        ))
    };
    Ok(match counted.part() {
        None => db
            .prepare_cached(include_str!("usage_ever.sql"))?
            .query_one([], read)?,
        Some(sample) => db
            .prepare_cached(include_str!("samples_used.sql"))?
            .query_one(named_params! { ":sample": sample }, read)?,
    })
}

/// Hands on every cluster that counts with what it ever used: for prices that differ from cluster to cluster.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn each_ever(
    db: &Connection,
    counted: &Counted,
    mut each: impl FnMut(&Who, &Used),
) -> Result<()> {
    let mut statement = db.prepare_cached(include_str!("usage_each.sql"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let who = who(row)?;
        if counted.holds(who.id) {
            let used = Used {
                stalled_micros: row.get("stalled_micros")?,
                ..Used::times(row)?
            };
            each(&who, &used);
        }
    }
    Ok(())
}

/// One cluster: who it is, what it ever used, and what it has now.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClusterUsed {
    pub(crate) who: Who,
    pub(crate) used: Used,
    pub(crate) workers: u64,
    pub(crate) threads: u64,
    pub(crate) memory_bytes: u64,
}

/// # Errors
/// [`Error::NotFound`], [`Error::Sqlite`].
pub(crate) fn cluster_used(db: &Connection, id: i64) -> Result<ClusterUsed> {
    let read = |row: &Row<'_>| {
        let limit: Option<u64> = row.get("memory_limit_bytes")?;
        let used: Option<u64> = row.get("memory_used_bytes")?;
        Ok(ClusterUsed {
            who: who(row)?,
            used: Used::times(row)?,
            workers: row.get("workers")?,
            threads: row.get("threads")?,
            memory_bytes: limit.or(used).unwrap_or(0),
        })
    };
    db.prepare_cached(include_str!("usage_cluster.sql"))?
        .query_row(named_params! { ":id": id }, read)
        .optional()?
        .ok_or_else(|| Error::NotFound {
            kind: "cluster",
            id: id.to_string(),
        })
}

pub(super) fn who(row: &Row<'_>) -> rusqlite::Result<Who> {
    Ok(Who {
        id: row.get("id")?,
        started: row.get("started_micros")?,
        name: row.get("shown_name")?,
        user: row.get("user")?,
        host: row.get("host")?,
        project: row.get("project")?,
        tags: tags_of(row.get("tags")?, row.get("own_tags")?),
    })
}

/// What was put by hand stands over what the cluster says of itself.
fn tags_of(
    Json(mut tags): Json<BTreeMap<String, String>>,
    Json(own): Json<BTreeMap<String, String>>,
) -> BTreeMap<String, String> {
    tags.extend(own);
    tags
}

/// How many of some clusters are over, lost or alive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct States {
    pub(crate) finished: u64,
    pub(crate) lost: u64,
    pub(crate) newest_lost: i64,
    pub(crate) alive: u64,
}

/// The states of `count` clusters, which are those that `holds` names.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn states(
    db: &Connection,
    now: Micros,
    count: u64,
    holds: impl Fn(i64) -> bool,
) -> Result<States> {
    let mut found = States::default();
    let mut statement = db.prepare_cached(include_str!("usage_states.sql"))?;
    let mut rows = statement.query(named_params! { ":now": now })?;
    while let Some(row) = rows.next()? {
        let id = row.get("cluster_id")?;
        if !holds(id) {
            continue;
        }
        if row.get("alive")? {
            found.alive += 1;
        } else {
            found.lost += 1;
            found.newest_lost = found.newest_lost.max(id);
        }
    }
    found.finished = count - found.lost - found.alive;
    Ok(found)
}

/// Exceptions of one type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ExceptionsOfType {
    pub(crate) exception_type: String,
    /// Distinct failures: the same one in several clusters counts once.
    pub(crate) exceptions: u64,
    pub(crate) clusters: u64,
}

/// Exceptions that were last seen between two moments, as far as `counts` says of a cluster and a moment, by type; those
/// that were raised most often first.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn exceptions_seen(
    db: &Connection,
    from: Micros,
    to: Micros,
    counts: impl Fn(i64, Micros) -> bool,
) -> Result<Vec<ExceptionsOfType>> {
    #[derive(Default)]
    struct Seen {
        kinds: HashSet<String>,
        clusters: ClusterIds,
        times: u64,
    }
    let mut types: HashMap<i64, Seen, BuildHasherDefault<Mixed>> = HashMap::default();
    let mut statement = db.prepare_cached(include_str!("usage_exceptions.sql"))?;
    let mut rows = statement.query(named_params! { ":from_micros": from, ":to_micros": to })?;
    while let Some(row) = rows.next()? {
        let cluster = row.get(0)?;
        if !counts(cluster, row.get(1)?) {
            continue;
        }
        let seen = types.entry(row.get(2)?).or_default();
        let kind = row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?;
        // Most are seen again and again.
        if !seen.kinds.contains(kind) {
            seen.kinds.insert(kind.to_owned());
        }
        seen.clusters.insert(cluster);
        seen.times = seen.times.saturating_add(row.get(4)?);
    }
    let mut name = db.prepare_cached(include_str!("usage_exception_type.sql"))?;
    let mut types: Vec<(String, Seen)> = types
        .into_iter()
        .map(|(id, seen)| {
            let name = name.query_one(named_params! { ":id": id }, |row| row.get(0))?;
            Ok((name, seen))
        })
        .collect::<rusqlite::Result<_>>()?;
    types.sort_by(|(a, one), (b, two)| two.times.cmp(&one.times).then_with(|| a.cmp(b)));
    Ok(types
        .into_iter()
        .map(|(exception_type, seen)| ExceptionsOfType {
            exception_type,
            exceptions: seen.kinds.len() as u64,
            clusters: seen.clusters.len() as u64,
        })
        .collect())
}

/// The prefix with the most compute time of all groups of a cluster; none if nothing computed.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn largest_prefix(db: &Connection, id: i64) -> Result<Option<LargestPrefix>> {
    let found: Option<(String, f64, f64)> = db
        .prepare_cached(include_str!("usage_prefix.sql"))?
        .query_row(named_params! { ":id": id }, |row| {
            Ok((
                row.get("prefix")?,
                row.get("compute_seconds")?,
                row.get("all_seconds")?,
            ))
        })
        .optional()?;
    let Some((prefix, compute_seconds, all)) =
        found.filter(|(_, seconds, all)| *seconds > 0.0 && *all > 0.0)
    else {
        return Ok(None);
    };
    let mut statement = db.prepare_cached(include_str!("usage_prefix_states.sql"))?;
    let mut groups = statement.query(named_params! { ":id": id, ":prefix": prefix })?;
    let mut tasks = 0_u64;
    while let Some(row) = groups.next()? {
        tasks = tasks.saturating_add(done(&row.get::<_, Json<_>>("states")?.0));
    }
    Ok(Some(LargestPrefix {
        share: compute_seconds / all,
        prefix,
        compute_seconds,
        tasks,
    }))
}

/// The names of all tags, in order, at most so many.
///
/// # Errors
/// [`Error::Sqlite`].
pub(crate) fn tag_names(db: &Connection, limit: usize) -> Result<Vec<String>> {
    let mut statement = db.prepare_cached(include_str!("usage_tags.sql"))?;
    let rows = statement.query_map(named_params! { ":limit": limit as i64 }, |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
