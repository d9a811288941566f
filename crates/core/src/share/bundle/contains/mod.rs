//! Whether one bundle tells of a cluster all that another one does, and more. Two members who share one cluster have it from the
//! same plugin, so what both tell has to be the same: where it is not, one of them is wrong, and nobody can see which.
//!
//! What is held against each other are numbers, and names that the first tells as they are. An alias of one install is not that of
//! another, so what stands behind one is not compared, nor are messages, tracebacks, code and payloads.

mod kinds;
mod same;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::kinds::{Compared, EACH, How, KINDS, STALL, SUMS, TIMES};
use self::same::{Again, alike, is_less, less, said_again};
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
