//! Whether one bundle tells of a cluster all that another one does, and more. Two members who share one cluster have it from the
//! same plugin, so what both tell has to be the same: where it is not, one of them is wrong, and nobody can see which.
//!
//! What is held against each other are numbers, and names that the first tells as they are. An alias of one install is not that of
//! another, so what stands behind one is not compared, nor are messages, tracebacks, code and payloads.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::manifest::BundleCluster;
use super::read::Opened;
use crate::Result;
use crate::share::FieldCount;
use crate::share::aliases::has_alias;
use crate::wire::{Line, Record};

/// How one bundle stands to another that tells of the same cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Contained {
    /// It tells all that the other does, and more.
    Whole,
    /// It lacks something, or tells nothing more.
    NotWhole,
    /// Both cannot be right.
    Contradicts(Contradiction),
}

/// The first thing in which two bundles contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    /// Kind of the record.
    pub record: String,
    /// The field; none where one has a record that the other says there was not.
    pub field: Option<String>,
}

/// How a field of a later record may differ from that of an earlier one of the same thing.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// Never.
    Fixed,
    /// It only grows.
    Grows,
    /// It only becomes less.
    Falls,
    /// In any way; of one moment it is the same.
    Free,
    /// A name, which never changes.
    Named,
}

/// What a kind of record is known by, and what of it is compared.
struct Compared {
    kind: &'static str,
    /// Fields that together name one thing; its latest record stands. None: each record stands, by its time.
    id: &'static [&'static str],
    fields: &'static [(&'static str, How)],
}

/// Every field of a sample, but for ids.
const SAMPLE: Compared = Compared {
    kind: "sample",
    id: &["at_micros"],
    fields: &[],
};

const KINDS: &[Compared] = &[
    SAMPLE,
    Compared {
        kind: "cluster",
        id: &[],
        fields: &[
            ("started_micros", How::Fixed),
            ("interval_micros", How::Free),
            ("name", How::Named),
            ("user", How::Named),
            ("host", How::Named),
            ("project", How::Named),
        ],
    },
    Compared {
        kind: "task_group",
        id: &["group_id"],
        fields: &[
            ("name", How::Named),
            ("prefix", How::Named),
            ("start_micros", How::Falls),
            ("stop_micros", How::Grows),
            ("result_bytes", How::Grows),
            ("retried", How::Grows),
            ("seconds.compute", How::Grows),
            ("seconds.transfer", How::Grows),
            ("seconds.disk_read", How::Grows),
            ("seconds.disk_write", How::Grows),
            ("seconds.deserialize", How::Grows),
            ("seconds.other", How::Grows),
            ("durations.count", How::Grows),
            ("states", How::Free),
        ],
    },
    Compared {
        kind: "computation",
        id: &["computation_id"],
        fields: &[
            ("start_micros", How::Free),
            ("stop_micros", How::Free),
            ("states", How::Free),
            ("retried", How::Grows),
        ],
    },
    Compared {
        kind: "span",
        id: &["span_id"],
        fields: &[
            ("name", How::Named),
            ("start_micros", How::Free),
            ("stop_micros", How::Free),
        ],
    },
    Compared {
        kind: "exception",
        id: &["exception_id"],
        fields: &[
            ("exception_type", How::Named),
            ("origin", How::Fixed),
            ("first_seen_micros", How::Fixed),
            ("last_seen_micros", How::Grows),
            ("count", How::Grows),
            ("dependents", How::Grows),
        ],
    },
    Compared {
        kind: "stop",
        id: &[],
        fields: &[("at_micros", How::Fixed), ("reason", How::Fixed)],
    },
];

/// Kinds of which each record stands, and of which nothing but their times is alike in two bundles.
const TIMES: [&str; 2] = ["worker", "event"];
/// What is only compared as a sum: its names may be aliases.
const SUMS: [(&str, &str, Option<&str>); 3] = [
    ("metric", "value", Some("unit")),
    ("profile", "samples", None),
    ("dropped", "count", None),
];
/// Of samples, what holds the ids of workers.
const EACH: &str = "workers_each";
/// Of samples, what is not compared: it names a group.
const STALL: &str = "stall";
/// How far two fractions that were written and read may lie apart, beside how large they are.
const NEAR: f64 = 1e-9;

/// What one bundle tells of a cluster, as far as it is compared.
#[derive(Default)]
struct Told {
    /// By instance, kind and id; each with when it was said.
    things: BTreeMap<Key, Thing>,
    /// Things that it tells twice, in two ways: which of them is stored is not looked at here.
    twice: BTreeSet<Key>,
    /// By instance, kind and time.
    times: BTreeMap<Key, u64>,
    /// By instance, kind and unit.
    sums: BTreeMap<Key, f64>,
    /// The time of the last sample of each instance.
    last: BTreeMap<String, i64>,
    /// Instances that said goodbye.
    ended: BTreeSet<String>,
    instances: BTreeSet<String>,
}

type Key = (String, &'static str, String);

#[derive(PartialEq)]
struct Thing {
    at: i64,
    fields: Vec<(&'static str, How, Value)>,
}

/// Whether `other` tells of a cluster all that `first` does, and more.
///
/// # Errors
/// Those of reading either.
pub(crate) fn contained(first: &Opened, other: &Opened, cluster_id: &str) -> Result<Contained> {
    let (Some(said), Some(more)) = (said(first, cluster_id), said(other, cluster_id)) else {
        return Ok(Contained::NotWhole);
    };
    let whole = is_whole(said);
    let (old, new) = (told(first, cluster_id)?, told(other, cluster_id)?);
    let (mut lacks, mut wrong) = (false, None);
    let mut note = |found: Found| match found {
        Found::Same => {}
        Found::Lacks => lacks = true,
        Found::Contradicts(what) => {
            wrong.get_or_insert(what);
        }
    };
    for (key, before) in &old.things {
        note(match new.things.get(key) {
            None => Found::Lacks,
            Some(after) => {
                let may_grow = !(whole && old.ended.contains(&key.0));
                thing(key.1, before, after, may_grow)
            }
        });
    }
    for (key, times) in &old.times {
        if new.times.get(key).is_none_or(|more| more < times) {
            note(Found::Lacks);
        }
    }
    for (key, sum) in &old.sums {
        let after = new.sums.get(key).copied().unwrap_or(0.0);
        if less(after, *sum) {
            note(Found::Lacks);
        }
    }
    for (_, kind, _) in &new.twice {
        note(contradicts(kind, None));
    }
    if whole {
        old.never_said(&new).into_iter().for_each(&mut note);
    }
    if let Some(what) = wrong {
        return Ok(Contained::Contradicts(what));
    }
    Ok(
        match lacks || tells_less(said, more) || !tells_more(said, more) {
            true => Contained::NotWhole,
            false => Contained::Whole,
        },
    )
}

/// What became of one comparison.
enum Found {
    Same,
    Lacks,
    Contradicts(Contradiction),
}

fn contradicts(record: &str, field: Option<&str>) -> Found {
    Found::Contradicts(Contradiction {
        record: record.into(),
        field: field.map(str::to_owned),
    })
}

fn said<'a>(of: &'a Opened, cluster_id: &str) -> Option<&'a BundleCluster> {
    let mut clusters = of.manifest.clusters.iter();
    clusters.find(|one| one.cluster_id == cluster_id)
}

/// Whether a bundle has all that its plugin said up to then: what it does not have then was never said.
fn is_whole(said: &BundleCluster) -> bool {
    said.missing_records == 0 && said.pruned.is_empty() && said.unknown_records == 0
}

impl Told {
    /// What another bundle has of a time of which this one knows all, and this one does not.
    fn never_said(&self, other: &Told) -> Vec<Found> {
        let goes_on = |instance: &String| !self.ended.contains(instance);
        let all_ended = !self.instances.is_empty() && !self.instances.iter().any(goes_on);
        let mut found = Vec::new();
        for (key, thing) in &other.things {
            let (instance, kind, _) = key;
            let known = self.instances.contains(instance);
            let over = match known {
                true => self.ended.contains(instance),
                false => all_ended,
            };
            let beat = matches!(*kind, "sample" | "task_group");
            let before = beat && self.last.get(instance).is_some_and(|last| thing.at < *last);
            if (over || before) && !self.things.contains_key(key) {
                found.push(contradicts(kind, None));
            }
        }
        for (key, times) in &other.times {
            let more = self.times.get(key).is_none_or(|before| times > before);
            if more && self.ended.contains(&key.0) {
                found.push(contradicts(key.1, None));
            }
        }
        for (key, sum) in &other.sums {
            let before = self.sums.get(key).copied().unwrap_or(0.0);
            if self.ended.contains(&key.0) && less(before, *sum) {
                found.push(contradicts(key.1, None));
            }
        }
        found
    }
}

fn told(of: &Opened, cluster_id: &str) -> Result<Told> {
    let mut told = Told::default();
    let Some(part) = of.part(cluster_id) else {
        return Ok(told);
    };
    for batch in part {
        let batch = batch?;
        let instance = batch.header.instance_id;
        told.instances.insert(instance.clone());
        for line in batch.lines {
            if let Line::Known(record, _) = line {
                told.take(&instance, &record)?;
            }
        }
    }
    Ok(told)
}

impl Told {
    fn take(&mut self, instance: &str, record: &Record) -> Result<()> {
        let (kind, at) = (record.kind(), record.at().0);
        match kind {
            "stop" => {
                self.ended.insert(instance.into());
            }
            "sample" => {
                let last = self.last.entry(instance.into()).or_insert(at);
                *last = at.max(*last);
            }
            _ => {}
        }
        let record = serde_json::to_value(record)?;
        let key = |kind, id: String| (instance.to_owned(), kind, id);
        if let Some(one) = KINDS.iter().find(|one| one.kind == kind) {
            let id: Vec<String> = one.id.iter().map(|id| record[*id].to_string()).collect();
            let fields = match one.fields.is_empty() {
                true => of_sample(&record),
                false => fields(one, &record),
            };
            let mut key = key(one.kind, id.join(" "));
            if kind == "cluster" {
                // Only the run that spoke last has it.
                key.0.clear();
            }
            let thing = Thing { at, fields };
            if self.things.get(&key).is_some_and(|other| *other != thing) {
                self.twice.insert(key.clone());
            }
            self.things.insert(key, thing);
        } else if let Some(kind) = TIMES.iter().find(|one| **one == kind) {
            // Of events that are not sent the latest count stands, so its time is another in a later bundle.
            if record["count"].is_null() {
                *self.times.entry(key(kind, at.to_string())).or_default() += 1;
            }
        } else if let Some((kind, value, unit)) = SUMS.iter().find(|one| one.0 == kind) {
            let unit = unit.and_then(|unit| record[unit].as_str()).unwrap_or("");
            if !has_alias(unit) {
                let sum = self.sums.entry(key(kind, unit.into())).or_default();
                *sum += record[*value].as_f64().unwrap_or(0.0);
            }
        }
        Ok(())
    }
}

/// What is compared of a record, without what it does not say.
fn fields(one: &Compared, record: &Value) -> Vec<(&'static str, How, Value)> {
    let value = |path: &str| {
        let mut parts = path.split('.');
        let first = parts.next().map_or(&Value::Null, |part| &record[part]);
        parts.fold(first, |value, part| &value[part]).clone()
    };
    let all = one
        .fields
        .iter()
        .map(|(name, how)| (*name, *how, value(name)));
    all.filter(|(_, _, value)| !value.is_null()).collect()
}

/// All of a sample, but for names.
fn of_sample(record: &Value) -> Vec<(&'static str, How, Value)> {
    let Some(all) = record.as_object() else {
        return Vec::new();
    };
    let mut rest = serde_json::Map::new();
    for (name, value) in all {
        let value = match name.as_str() {
            "kind" | STALL => continue,
            EACH => value
                .as_array()
                .map_or(Value::Null, |rows| rows.iter().map(without_first).collect()),
            _ => value.clone(),
        };
        if !value.is_null() {
            rest.insert(name.clone(), value);
        }
    }
    vec![("sample", How::Fixed, Value::Object(rest))]
}

/// A row of numbers behind the name that they are of.
fn without_first(row: &Value) -> Value {
    let numbers = row.as_array().and_then(|row| row.get(1..));
    numbers.map_or(Value::Null, |numbers| numbers.to_vec().into())
}

/// How a later state of a thing stands to an earlier one.
fn thing(kind: &str, before: &Thing, after: &Thing, may_grow: bool) -> Found {
    if after.at < before.at {
        return Found::Lacks;
    }
    let grew = after.at > before.at && may_grow;
    let mut lacks = false;
    for (name, how, old) in &before.fields {
        let Some((_, _, new)) = after.fields.iter().find(|(other, ..)| other == name) else {
            lacks = true;
            continue;
        };
        let fine = match how {
            How::Named => match (old.as_str(), new.as_str()) {
                // What stands behind it, nobody knows here.
                (Some(old), _) if has_alias(old) => true,
                (Some(_), Some(new)) if has_alias(new) => {
                    lacks = true;
                    true
                }
                _ => old == new,
            },
            How::Fixed => match said_again(old, new) {
                Again::Same => true,
                Again::Lacks => {
                    lacks = true;
                    true
                }
                Again::Differs(part) => return contradicts(kind, Some(part.unwrap_or(*name))),
            },
            _ if !grew => alike(old, new),
            How::Grows => !is_less(new, old),
            How::Falls => !is_less(old, new),
            How::Free => true,
        };
        if !fine {
            return contradicts(kind, Some(*name));
        }
    }
    match lacks {
        true => Found::Lacks,
        false => Found::Same,
    }
}

enum Again<'a> {
    Same,
    /// Something of it is not said.
    Lacks,
    /// The part of it that differs, where it has parts.
    Differs(Option<&'a str>),
}

/// Whether a value is said again as it was; of an object, what the first does not say does not count.
fn said_again<'a>(old: &'a Value, new: &Value) -> Again<'a> {
    let (Some(before), Some(after)) = (old.as_object(), new.as_object()) else {
        return match alike(old, new) {
            true => Again::Same,
            false => Again::Differs(None),
        };
    };
    let mut lacks = false;
    for (name, old) in before {
        match after.get(name) {
            None | Some(Value::Null) => lacks = true,
            Some(new) if alike(old, new) => {}
            Some(_) => return Again::Differs(Some(name)),
        }
    }
    match lacks {
        true => Again::Lacks,
        false => Again::Same,
    }
}

/// Whether two values are the same, but for how numbers are written.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => !is_less(one, other) && !is_less(other, one),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, one)| other.get(name).is_some_and(|other| alike(one, other)))
        }
        _ => one == other,
    }
}

/// Counts and times are compared to the last digit.
fn is_less(one: &Value, other: &Value) -> bool {
    if let (Some(one), Some(other)) = (one.as_i64(), other.as_i64()) {
        return one < other;
    }
    less(number(one), number(other))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn less(one: f64, other: f64) -> bool {
    other - one > NEAR * one.abs().max(other.abs())
}

/// Whether the second tells less of a field, or holds fewer records, than the first.
fn tells_less(first: &BundleCluster, other: &BundleCluster) -> bool {
    let none = FieldCount::default();
    let field = |(name, before): (&String, &FieldCount)| {
        let after = other.fields.get(name).unwrap_or(&none);
        let all = after.told > 0 && after.masked == 0 && after.withheld == 0;
        let fewer =
            after.told < before.told || after.told + after.masked < before.told + before.masked;
        fewer && !all
    };
    // What was removed by its age is in no record.
    let removed =
        |(what, count): (&String, &u64)| first.pruned.get(what).is_none_or(|old| old < count);
    other.as_of_micros < first.as_of_micros
        || first.fields.iter().any(field)
        || other.pruned.iter().any(removed)
}

/// Whether the second knows of a later time, or tells more of a field.
fn tells_more(first: &BundleCluster, other: &BundleCluster) -> bool {
    let none = FieldCount::default();
    let field = |(name, after): (&String, &FieldCount)| {
        let before = first.fields.get(name).unwrap_or(&none);
        after.told > before.told
    };
    let records = |(kind, count): (&String, &u64)| first.records.get(kind).unwrap_or(&0) < count;
    other.as_of_micros > first.as_of_micros
        || other.fields.iter().any(field)
        || other.records.iter().any(records)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use serde_json::json;

    use super::super::open;
    use super::*;
    use crate::api::export;
    use crate::share::{Choice, Level};
    use crate::testing::*;

    const CLUSTER: &str = "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51";
    const RUN: &str = "0d6a7c1e52f44b8e9a3d7f1b2c3d4e51";
    const OTHER_RUN: &str = "0d6a7c1e52f44b8e9a3d7f1b2c3d4e52";
    const GROUP: &str = "1d6a7c1e52f44b8e9a3d7f1b2c3d4e51";
    const ERROR: &str = "2d6a7c1e52f44b8e9a3d7f1b2c3d4e51";

    /// What one member's laptop was sent.
    struct Laptop {
        bench: Bench,
        seq: u64,
    }

    impl Laptop {
        fn with(records: &[Value]) -> Self {
            let laptop = Self {
                bench: Bench::new(),
                seq: 1,
            };
            laptop.and(RUN, records)
        }

        fn and(mut self, run: &str, records: &[Value]) -> Self {
            self.bench.send(batch_of(CLUSTER, run, self.seq, records));
            self.seq += records.len() as u64;
            self
        }

        fn bundle(&self, level: Level) -> PathBuf {
            let path = self.bench.path().join(format!("{}.bobbin", level.word()));
            let choice = Choice {
                level,
                ..Choice::default()
            };
            export(&self.bench.app, &path, &[1], choice).unwrap();
            path
        }
    }

    /// What the plugin said up to its second report.
    fn begun() -> Vec<Value> {
        vec![
            facts(0),
            sample(10, 1.0),
            group(10, GROUP, 1.0),
            sample(20, 2.0),
            metric(20, None, "thread-cpu", 1.5),
            exception(20, ERROR, 1),
            worker(5, "w1", "joined"),
        ]
    }

    fn more() -> Vec<Value> {
        vec![
            sample(30, 3.0),
            group(30, GROUP, 3.0),
            exception(30, ERROR, 2),
            metric(30, None, "thread-cpu", 2.5),
        ]
    }

    fn held(first: &Path, other: &Path) -> Contained {
        contained(&open(first).unwrap(), &open(other).unwrap(), CLUSTER).unwrap()
    }

    fn against(records: &[Value]) -> Contained {
        held_at(Level::Names, Level::Names, records)
    }

    fn held_at(first: Level, other: Level, records: &[Value]) -> Contained {
        held(
            &Laptop::with(&begun()).bundle(first),
            &Laptop::with(records).bundle(other),
        )
    }

    fn contradicts(record: &str, field: Option<&str>) -> Contained {
        Contained::Contradicts(Contradiction {
            record: record.into(),
            field: field.map(str::to_owned),
        })
    }

    #[test]
    fn a_bundle_that_goes_on_or_tells_more_holds_the_one_before() {
        let later = [begun(), more()].concat();
        assert_eq!(against(&later), Contained::Whole);
        // Aliases of two installs are no contradiction.
        for level in [Level::Names, Level::Errors, Level::Everything] {
            assert_eq!(held_at(Level::Metrics, level, &begun()), Contained::Whole);
            assert_eq!(held_at(Level::Metrics, level, &later), Contained::Whole);
        }
        // The same is nothing more.
        assert_eq!(against(&begun()), Contained::NotWhole);
        let ended = [begun(), vec![stop(21)]].concat();
        assert_eq!(against(&ended), Contained::Whole);
    }

    #[test]
    fn one_that_tells_less_of_something_does_not() {
        let later = [begun(), more()].concat();
        assert_eq!(
            held_at(Level::Names, Level::Metrics, &later),
            Contained::NotWhole
        );
        assert_eq!(
            held_at(Level::Errors, Level::Names, &later),
            Contained::NotWhole
        );
        for left_out in [1, 2, 5, 6] {
            let mut later = later.clone();
            later.remove(left_out);
            // Of what grows the later record stands for it.
            let whole = matches!(left_out, 2 | 5);
            assert_eq!(against(&later) == Contained::Whole, whole, "{left_out}");
        }
        let older = &begun()[..3];
        assert_eq!(against(older), Contained::NotWhole);
    }

    #[test]
    fn other_numbers_and_names_are_a_contradiction() {
        let later = [begun(), more()].concat();
        let changed = |place: usize, other: Value| {
            let mut all = later.clone();
            all[place] = with(all[place].clone(), other);
            against(&all)
        };
        assert_eq!(
            changed(1, json!({"memory_used_bytes": 7})),
            contradicts("sample", Some("memory_used_bytes"))
        );
        assert_eq!(
            changed(0, json!({"started_micros": at(-5)})),
            contradicts("cluster", Some("started_micros"))
        );
        let group_later = 8;
        assert_eq!(
            changed(
                group_later,
                json!({"seconds": {"compute": 0.5, "transfer": 0.5}})
            ),
            contradicts("task_group", Some("seconds.compute"))
        );
        assert_eq!(
            changed(group_later, json!({"prefix": "dec"})),
            contradicts("task_group", Some("prefix"))
        );
        assert_eq!(
            changed(9, json!({"first_seen_micros": at(1)})),
            contradicts("exception", Some("first_seen_micros"))
        );
        // What tells one thing in two ways, of which only one is looked at.
        let mut twice = later.clone();
        twice.insert(1, with(later[1].clone(), json!({"memory_used_bytes": 7})));
        assert_eq!(against(&twice), contradicts("sample", None));
        // By a microsecond, too.
        let later_by_one = at(2) + 1;
        assert_eq!(
            changed(9, json!({"first_seen_micros": later_by_one})),
            contradicts("exception", Some("first_seen_micros"))
        );
        // A report of a moment of which all is known.
        let between = [begun(), vec![sample(15, 1.5)], more()].concat();
        assert_eq!(against(&between), contradicts("sample", None));
    }

    #[test]
    fn what_said_goodbye_does_not_go_on() {
        let ended = || [begun(), vec![stop(21)]].concat();
        let laptop = Laptop::with(&ended());
        let first = laptop.bundle(Level::Names);
        let after =
            |records: Vec<Value>| held(&first, &Laptop::with(&records).bundle(Level::Errors));
        assert_eq!(after(ended()), Contained::Whole, "it tells more");
        for (record, field) in [
            (sample(30, 9.0), None),
            (group(30, GROUP, 9.0), Some("stop_micros")),
            (group(30, OTHER_RUN, 9.0), None),
            (metric(30, None, "thread-cpu", 9.0), None),
            (worker(30, "w2", "joined"), None),
        ] {
            let kind = record["kind"].as_str().unwrap().to_owned();
            let all = [ended(), vec![record]].concat();
            assert_eq!(after(all), contradicts(&kind, field), "{kind}");
        }
        assert_eq!(after(begun()), Contained::NotWhole);
        let again = Laptop::with(&ended()).and(OTHER_RUN, &[sample(40, 1.0)]);
        assert_eq!(
            held(&first, &again.bundle(Level::Names)),
            contradicts("sample", None)
        );
    }
}
