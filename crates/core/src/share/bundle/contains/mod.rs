//! Whether one bundle tells of a cluster all that another one does, and more. Two members who share one cluster have it from the
//! same plugin, so what both tell has to be the same: where it is not, one of them is wrong, and nobody can see which.
//!
//! Every field is held against the other's, but for those that are listed with a reason in `kinds`. An alias of one install is not
//! that of another, so what stands behind one is not compared.

mod again;
mod kinds;
mod same;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::again::Again;
use self::kinds::{APART, Compared, SUMS, compared};
use self::same::less;
use super::manifest::BundleCluster;
use super::read::Opened;
use crate::Result;
use crate::share::FieldCount;
use crate::share::aliases::has_alias;
use crate::wire::Line;

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
    /// By instance, what they are, and id.
    things: BTreeMap<Key, Thing>,
    /// How many there are of one id, of those of which each record stands.
    counts: BTreeMap<Key, u64>,
    /// Things that it tells twice, in two ways: which of them is stored is not looked at here.
    twice: BTreeSet<Key>,
    /// Of which things some have an alias in their id.
    aliased: BTreeSet<&'static str>,
    /// By instance, kind and unit.
    sums: BTreeMap<Key, f64>,
    /// The time of the last sample of each instance.
    last: BTreeMap<String, i64>,
    /// Instances that said goodbye.
    ended: BTreeSet<String>,
    instances: BTreeSet<String>,
}

type Key = (String, &'static str, String);

struct Thing {
    of: &'static Compared,
    at: i64,
    record: Value,
}

/// Whether `other` tells of a cluster all that `first` does, and more.
///
/// # Errors
/// Those of reading either.
pub(crate) fn contained(first: &Opened, other: &Opened, cluster_id: &str) -> Result<Contained> {
    let (Some(said), Some(more)) = (said(first, cluster_id), said(other, cluster_id)) else {
        return Ok(Contained::NotWhole);
    };
    let (old, new) = (told(first, cluster_id)?, told(other, cluster_id)?);
    let (lacks, wrong) = held_against(said, &old, &new);
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

/// Whether the second lacks something of the first, and the first thing in which they contradict each other. `said` is what the
/// first says of itself.
fn held_against(said: &BundleCluster, old: &Told, new: &Told) -> (bool, Option<Contradiction>) {
    let whole = is_whole(said);
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
            None if is_summed(before.of.kind) && has_alias(&key.2) => Found::Same,
            None => Found::Lacks,
            Some(after) => thing(said, before, after, !(whole && old.is_over(&key.0))),
        });
    }
    for (key, sum) in &old.sums {
        let after = new.sums.get(key).copied().unwrap_or(0.0);
        if less(after, *sum) {
            note(Found::Lacks);
        }
    }
    for key in &new.twice {
        note(contradicts(new.things[key].of.kind, None));
    }
    if whole {
        old.never_said(new).into_iter().for_each(&mut note);
    }
    (lacks, wrong)
}

/// Whether things of a kind that cannot be found by their ids are compared by their sum.
fn is_summed(kind: &str) -> bool {
    SUMS.iter().any(|one| one.0 == kind)
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
    said.missing_records == 0 && has_whole_records(said)
}

/// Whether all is there of each record that a bundle has.
fn has_whole_records(said: &BundleCluster) -> bool {
    said.pruned.is_empty() && said.unknown_records == 0
}

/// Whether a bundle leaves something of a field out, or has aliases in it.
fn leaves_out(said: &BundleCluster, field: &str) -> bool {
    let is_in = |one: &str, other: &str| {
        one.strip_prefix(other)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let mut fields = said.fields.iter();
    fields.any(|(name, count)| {
        count.masked + count.withheld > 0 && (is_in(field, name) || is_in(name, field))
    })
}

impl Told {
    /// Whether a run of the plugin said goodbye; of one that is not here, whether all did.
    fn is_over(&self, instance: &str) -> bool {
        match self.instances.contains(instance) {
            true => self.ended.contains(instance),
            false => !self.instances.is_empty() && self.instances == self.ended,
        }
    }

    /// What another bundle has of a time of which this one knows all, and this one does not.
    fn never_said(&self, other: &Told) -> Vec<Found> {
        let mut found = Vec::new();
        for (key, thing) in &other.things {
            let (instance, what, id) = key;
            let kind = thing.of.kind;
            let beat = matches!(kind, "sample" | "task_group");
            let before = beat && self.last.get(instance).is_some_and(|last| thing.at < *last);
            // It may have another name here.
            let unknown = is_summed(kind) && (has_alias(id) || self.aliased.contains(what));
            let known = self.things.contains_key(key) || unknown;
            if (self.is_over(instance) || before) && !known {
                found.push(contradicts(kind, None));
            }
        }
        for (key, sum) in &other.sums {
            let before = self.sums.get(key).copied().unwrap_or(0.0);
            if self.is_over(&key.0) && less(before, *sum) {
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
                told.take(&instance, record.kind(), serde_json::to_value(&record)?);
            }
        }
    }
    Ok(told)
}

impl Told {
    fn take(&mut self, instance: &str, kind: &str, mut record: Value) {
        let at = record["at_micros"].as_i64().unwrap_or_default();
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
        if let Some((kind, value, unit)) = SUMS.iter().find(|one| one.0 == kind) {
            let unit = unit.and_then(|unit| record[unit].as_str()).unwrap_or("");
            if !has_alias(unit) {
                let key = (instance.to_owned(), *kind, unit.to_owned());
                *self.sums.entry(key).or_default() += record[*value].as_f64().unwrap_or(0.0);
            }
        }
        let Some(of) = compared(kind, &record) else {
            return;
        };
        if let Some(fields) = record.as_object_mut() {
            fields.retain(|name, _| !APART.contains(&(kind, name.as_str())));
        }
        let id: Vec<String> = of.id.iter().map(|id| record[*id].to_string()).collect();
        let mut key = (instance.to_owned(), of.what, id.join(" "));
        if kind == "cluster" {
            // Only the run that spoke last has it.
            key.0.clear();
        }
        if has_alias(&key.2) {
            self.aliased.insert(of.what);
        }
        if of.each {
            let count = self.counts.entry(key.clone()).or_default();
            *count += 1;
            key.2 += &format!(" {count}");
        }
        let thing = Thing { of, at, record };
        if self
            .things
            .get(&key)
            .is_some_and(|other| other.record != thing.record)
        {
            self.twice.insert(key.clone());
        }
        self.things.insert(key, thing);
    }
}

/// How a later state of a thing stands to an earlier one, of a bundle that says this of itself.
fn thing(said: &BundleCluster, before: &Thing, after: &Thing, may_grow: bool) -> Found {
    if after.at < before.at {
        return Found::Lacks;
    }
    let left_out = |path: &str| {
        !has_whole_records(said) || leaves_out(said, &format!("{}.{path}", before.of.kind))
    };
    let mut again = Again {
        of: before.of,
        grew: after.at > before.at && may_grow,
        left_out: &left_out,
        lacks: false,
        differs: None,
    };
    again.record(&before.record, &after.record);
    match (again.differs, again.lacks) {
        (Some(field), _) => contradicts(before.of.kind, Some(&field)),
        (None, true) => Found::Lacks,
        (None, false) => Found::Same,
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
