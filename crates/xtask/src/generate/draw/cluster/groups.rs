//! The task groups of a cluster, their time, and the failures among them.

use std::collections::HashMap;

use bobbin_core::{
    model::{Activities, Micros, TaskStates},
    wire::{Durations, ExceptionRecord, Record, TaskGroupRecord},
};

use super::super::{dice::Dice, recorded::Recorded};
use super::Plan;

pub(super) fn sum(seconds: &Activities) -> f64 {
    seconds.compute
        + seconds.transfer
        + seconds.disk_read
        + seconds.disk_write
        + seconds.deserialize
        + seconds.other
}

pub(super) fn scaled(seconds: &Activities, by: f64) -> Activities {
    Activities {
        compute: seconds.compute * by,
        transfer: seconds.transfer * by,
        disk_read: seconds.disk_read * by,
        disk_write: seconds.disk_write * by,
        deserialize: seconds.deserialize * by,
        other: seconds.other * by,
    }
}

/// How many groups of a copy depend on the last one of the copy before. With the edges of the recorded graphs, which have about
/// one for each group, that makes 1.2.
const JOINED: f64 = 0.25;

/// Copies of the recorded graph, each hanging on the one before by some edges, until there are enough groups.
pub(super) fn groups(dice: &mut Dice, recorded: &Recorded, count: usize) -> Vec<TaskGroupRecord> {
    // How much more this run had to do than the recorded one, and how fast its machine was.
    let (more, slower) = (
        dice.log_normal(4.0, 1.0).max(1.0),
        dice.log_normal(1.0, 0.2),
    );
    let mut groups: Vec<TaskGroupRecord> = Vec::with_capacity(count);
    let mut last: Option<String> = None;
    while groups.len() < count {
        let token = dice.hex();
        let mut ids: HashMap<&str, String> = HashMap::new();
        let first = groups.len();
        for of in recorded.groups.iter().take(count - first) {
            let id = dice.hex();
            let mut dependencies: Vec<String> = of
                .dependencies
                .iter()
                .filter_map(|dependency| ids.get(dependency.as_str()).cloned())
                .collect();
            if groups.len() == first || dice.chance(JOINED) {
                dependencies.extend(last.clone());
            }
            ids.insert(&of.group_id, id.clone());
            let states: TaskStates = of
                .states
                .iter()
                .map(|(state, tasks)| (state.clone(), (*tasks as f64 * more) as u64))
                .collect();
            let by = slower * dice.log_normal(1.0, 0.15);
            groups.push(TaskGroupRecord {
                name: format!("{}-{token}", of.prefix),
                group_id: id,
                states,
                seconds: scaled(&of.seconds, more * by),
                result_bytes: (of.result_bytes as f64 * more) as u64,
                durations: of.durations.map(|durations| longer(durations, more, by)),
                span_id: None,
                dependencies,
                is_final: true,
                ..of.clone()
            });
        }
        last = groups.last().map(|group| group.group_id.clone());
    }
    groups
}

/// So many times more tasks, each so many times longer.
fn longer(durations: Durations, more: f64, by: f64) -> Durations {
    Durations {
        count: (durations.count as f64 * more) as u64,
        mean_seconds: durations.mean_seconds * by,
        std_seconds: durations.std_seconds * by,
        p50_seconds: durations.p50_seconds * by,
        p95_seconds: durations.p95_seconds * by,
        max_seconds: durations.max_seconds * by,
    }
}

/// One or two failures as some recorded cluster had them; their tasks count as erred.
pub(super) fn exceptions(
    dice: &mut Dice,
    stories: &[Recorded],
    groups: &mut [TaskGroupRecord],
) -> Vec<Record> {
    let known: Vec<&ExceptionRecord> = stories.iter().flat_map(|story| &story.exceptions).collect();
    if known.is_empty() {
        return Vec::new();
    }
    (0..1 + dice.below(2))
        .map(|_| {
            let of = *dice.pick(&known);
            let place = dice.below(groups.len());
            let group = &mut groups[place];
            let count = 1 + dice.below(5) as u64;
            *group.states.entry("erred".into()).or_default() += count;
            let seen = group.stop_micros.unwrap_or(group.at_micros);
            Record::Exception(Box::new(ExceptionRecord {
                at_micros: group.at_micros,
                exception_id: dice.hex(),
                group_id: Some(group.group_id.clone()),
                group: Some(group.name.clone()),
                first_seen_micros: seen,
                last_seen_micros: seen,
                count,
                ..of.clone()
            }))
        })
        .collect()
}

impl Plan<'_> {
    /// Gives each group its part of the time: one after the other, with much overlap.
    pub(super) fn place(&self, dice: &mut Dice, groups: &mut [TaskGroupRecord]) {
        let (length, count) = ((self.done - self.start) as f64, groups.len() as f64);
        for (place, group) in groups.iter_mut().enumerate() {
            let begin = self.start + (length * 0.85 * place as f64 / count) as i64;
            let end = begin + (length * dice.between(0.02, 0.15)) as i64;
            let stop = if place + 1 == count as usize {
                self.done
            } else {
                end.min(self.done)
            };
            group.start_micros = Some(Micros(begin));
            group.stop_micros = Some(Micros(stop));
            group.at_micros = Micros(stop);
        }
    }
}
