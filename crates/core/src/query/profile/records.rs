//! The stored profiles of a selection, read in one pass: those that are meant, what prefixes there are, and what tells this
//! state of them from another.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Row, named_params};

use super::selection::Selected;
use super::stamp::Stamp;
use crate::Result;
use crate::model::Micros;
use crate::query::page::LARGEST;
use crate::query::types::ProfilePrefix;

/// Records that are merged at most: a day of one every second.
const RECORDS: usize = 86_400;
/// JavaScript keeps numbers up to here exactly.
const MOST_SAMPLES: u64 = (1 << 53) - 1;

/// One stored profile, without its stacks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProfileRecord {
    pub(crate) cluster: i64,
    pub(crate) instance: i64,
    pub(crate) seq: u64,
    pub(crate) from: Micros,
    pub(crate) to: Micros,
    pub(crate) samples: u64,
    pub(crate) sample_micros: i64,
    pub(crate) unattributed: u64,
}

#[cfg(test)]
impl ProfileRecord {
    /// That of a number, with one sample.
    pub(crate) fn of(seq: u64) -> Self {
        Self {
            cluster: 1,
            instance: 1,
            seq,
            from: Micros(0),
            to: Micros(1),
            samples: 1,
            sample_micros: 1,
            unattributed: 0,
        }
    }
}

/// The profiles of a selection as they are stored now.
pub(crate) struct Profiles {
    /// Those that were selected, the newest first.
    pub(crate) records: Vec<ProfileRecord>,
    /// Whether there were more than can be merged.
    pub(crate) truncated: bool,
    /// What can be chosen in a window of time, whatever prefixes are chosen: most samples first.
    pub(crate) prefixes: Vec<ProfilePrefix>,
    /// Changes when a profile of these clusters comes, goes or is put together with others.
    pub(crate) stamp: String,
}

/// What is stored of a selection. Sorted and summed here: to let SQLite do it takes several times as long as to read the rows.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn profiles(db: &Connection, selected: &Selected) -> Result<Profiles> {
    let chosen = selected.prefixes.as_deref();
    let chosen = chosen.map(|names| numbers(db, names)).transpose()?;
    let mut stamp = Stamp::default();
    let mut samples: HashMap<Option<i64>, u64> = HashMap::new();
    let mut newest = Newest::of(RECORDS);
    let mut statement = db.prepare_cached(include_str!("../profile_records.sql"))?;
    let mut rows =
        statement.query(named_params! { ":ids": serde_json::to_string(&selected.ids)? })?;
    while let Some(row) = rows.next()? {
        let (record, prefix) = read(row)?;
        stamp.add(&[
            record.instance,
            record.seq.cast_signed(),
            record.from.0,
            record.to.0,
            record.samples.cast_signed(),
            record.unattributed.cast_signed(),
        ]);
        let begins = selected.from_micros.is_none_or(|from| record.to > from);
        let ends = selected.to_micros.is_none_or(|to| record.from < to);
        if !begins || !ends {
            continue;
        }
        let sum = samples.entry(prefix).or_default();
        *sum = sum.saturating_add(record.samples);
        let is_chosen = |chosen: &HashSet<i64>| prefix.is_some_and(|one| chosen.contains(&one));
        if chosen.as_ref().is_none_or(is_chosen) {
            newest.add(record);
        }
    }
    let (records, truncated) = newest.in_order();
    Ok(Profiles {
        records,
        truncated,
        prefixes: prefixes(db, &samples)?,
        stamp: stamp.to_string(),
    })
}

/// A record and its prefix. Columns by their places: to look for their names takes longer than to read them, and the rows are tens
/// of thousands.
fn read(row: &Row<'_>) -> rusqlite::Result<(ProfileRecord, Option<i64>)> {
    let record = ProfileRecord {
        cluster: row.get(0)?,
        instance: row.get(1)?,
        seq: row.get(2)?,
        from: row.get(3)?,
        to: row.get(4)?,
        samples: row.get(5)?,
        sample_micros: row.get(6)?,
        unattributed: row.get(7)?,
    };
    Ok((record, row.get(8)?))
}

/// The numbers of the prefixes with these names.
fn numbers(db: &Connection, names: &[String]) -> Result<HashSet<i64>> {
    let mut statement = db.prepare_cached(include_str!("../profile_prefix_ids.sql"))?;
    let names = serde_json::to_string(names)?;
    let found = statement.query_map(named_params! { ":prefixes": names }, |row| row.get(0))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// Prefixes by their names.
fn prefixes(db: &Connection, samples: &HashMap<Option<i64>, u64>) -> Result<Vec<ProfilePrefix>> {
    let ids: Vec<i64> = samples.keys().flatten().copied().collect();
    let mut statement = db.prepare_cached(include_str!("../profile_prefixes.sql"))?;
    let names = statement.query_map(
        named_params! { ":ids": serde_json::to_string(&ids)? },
        |row| Ok((row.get("id")?, row.get("prefix")?)),
    )?;
    let mut names = names.collect::<rusqlite::Result<HashMap<i64, String>>>()?;
    let mut prefixes: Vec<ProfilePrefix> = samples
        .iter()
        .map(|(id, &samples)| ProfilePrefix {
            prefix: id.and_then(|id| names.remove(&id)),
            samples: samples.min(MOST_SAMPLES),
        })
        .collect();
    prefixes.sort_by(|a, b| (b.samples, &a.prefix).cmp(&(a.samples, &b.prefix)));
    prefixes.truncate(LARGEST as usize);
    Ok(prefixes)
}

/// The newest of many records, of which no more than twice as many as are wanted are held.
struct Newest {
    most: usize,
    records: Vec<ProfileRecord>,
    more: bool,
}

impl Newest {
    fn of(most: usize) -> Self {
        Self {
            most,
            records: Vec::new(),
            more: false,
        }
    }

    fn add(&mut self, record: ProfileRecord) {
        self.records.push(record);
        if self.records.len() > 2 * self.most {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.records.len() > self.most {
            self.records.select_nth_unstable_by_key(self.most, order);
            self.records.truncate(self.most);
            self.more = true;
        }
    }

    /// The newest first, and whether there were more.
    fn in_order(mut self) -> (Vec<ProfileRecord>, bool) {
        self.cut();
        self.records.sort_unstable_by_key(order);
        (self.records, self.more)
    }
}

fn order(record: &ProfileRecord) -> (Reverse<Micros>, i64, u64) {
    (Reverse(record.to), record.instance, record.seq)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_newest_are_kept_in_order(drawn in vec((0i64..9, 0i64..3, 0u64..9), 0..60), most in 1usize..9) {
            let mut all: Vec<ProfileRecord> = drawn
                .iter()
                .map(|&(to, instance, seq)| ProfileRecord {
                    cluster: 1,
                    instance,
                    seq,
                    from: Micros(0),
                    to: Micros(to),
                    samples: 1,
                    sample_micros: 1,
                    unattributed: 0,
                })
                .collect();
            let mut newest = Newest::of(most);
            for record in &all {
                newest.add(*record);
            }
            let (kept, more) = newest.in_order();
            all.sort_by_key(order);
            prop_assert_eq!(more, all.len() > most);
            all.truncate(most);
            let orders = |records: &[ProfileRecord]| records.iter().map(order).collect::<Vec<_>>();
            prop_assert_eq!(orders(&kept), orders(&all));
        }
    }
}
