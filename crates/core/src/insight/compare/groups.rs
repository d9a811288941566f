//! Task groups matched by prefix: the rest of a group's name is made anew by each run.

use std::collections::{BTreeMap, BTreeSet};

use super::Side;
use crate::insight::baseline::saturating_sum;
use crate::insight::fingerprint::canonical_prefix;
use crate::query::types::{GroupDifference, GroupSums};

/// Below a twentieth, or a hundredth of a second, thread time differs by chance.
const SHARE: f64 = 0.05;
const SECONDS: f64 = 0.01;
/// Bytes of results that differ by less are the same.
const BYTES_SHARE: f64 = 0.02;

/// The groups of both; the largest difference in thread time first.
pub(super) fn differences(a: &Side, b: &Side) -> Vec<GroupDifference> {
    let (mut of_a, mut of_b) = (sums(a), sums(b));
    let names: BTreeSet<String> = of_a.keys().chain(of_b.keys()).cloned().collect();
    let mut rows: Vec<GroupDifference> = names
        .into_iter()
        .map(|prefix| {
            let (a, b) = (of_a.remove(&prefix), of_b.remove(&prefix));
            let seconds = |sums: &Option<GroupSums>| sums.as_ref().map_or(0.0, all_seconds);
            GroupDifference {
                more_seconds: seconds(&b) - seconds(&a),
                differs: differ(a.as_ref(), b.as_ref()),
                prefix,
                a,
                b,
            }
        })
        .collect();
    rows.sort_by(|one, two| two.more_seconds.abs().total_cmp(&one.more_seconds.abs()));
    rows
}

fn sums(side: &Side) -> BTreeMap<String, GroupSums> {
    let mut all = BTreeMap::<String, GroupSums>::new();
    for group in &side.work.groups {
        let sums = all
            .entry(canonical_prefix(&group.prefix))
            .or_insert_with(|| GroupSums {
                groups: 0,
                tasks: 0,
                erred: 0,
                seconds: Default::default(),
                result_bytes: 0,
                task_seconds: None,
            });
        sums.groups += 1;
        let (states, erred) = (&group.states, group.states.get("erred"));
        sums.tasks = saturating_sum(states.values().copied().chain([sums.tasks]));
        sums.erred = sums.erred.saturating_add(erred.copied().unwrap_or(0));
        sums.seconds.compute += group.seconds.compute;
        sums.seconds.transfer += group.seconds.transfer;
        sums.seconds.disk_read += group.seconds.disk_read;
        sums.seconds.disk_write += group.seconds.disk_write;
        sums.seconds.deserialize += group.seconds.deserialize;
        sums.seconds.other += group.seconds.other;
        sums.result_bytes = sums.result_bytes.saturating_add(group.result_bytes);
        sums.task_seconds = (sums.tasks > 0).then(|| sums.seconds.compute / sums.tasks as f64);
    }
    all
}

fn all_seconds(sums: &GroupSums) -> f64 {
    let seconds = &sums.seconds;
    seconds.compute
        + seconds.transfer
        + seconds.disk_read
        + seconds.disk_write
        + seconds.deserialize
        + seconds.other
}

fn differ(a: Option<&GroupSums>, b: Option<&GroupSums>) -> bool {
    let (Some(a), Some(b)) = (a, b) else {
        return true;
    };
    let (one, two) = (all_seconds(a), all_seconds(b));
    let apart = (two - one).abs();
    let bytes = a.result_bytes.abs_diff(b.result_bytes) as f64;
    (a.groups, a.tasks, a.erred) != (b.groups, b.tasks, b.erred)
        || (apart > SECONDS && apart > SHARE * one.max(two))
        || bytes > BYTES_SHARE * a.result_bytes.max(b.result_bytes) as f64
}
