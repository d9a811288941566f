//! The beats of a cluster: what of its groups was done by then, and its workers' parts.

use bobbin_core::{
    model::{Micros, TaskStates},
    wire::{PluginCost, Record, SampleRecord, Stall, TaskGroupRecord, Totals, WorkerNow},
};

use super::super::dice::Dice;
use super::groups::scaled;
use super::{GIB, Plan, SECOND};

/// Single workers in samples, over all samples: a real cluster tells of each of up to 64 at each beat, which would be most of
/// a store.
pub(super) const MOST_WORKERS_TOLD: usize = 240;
/// The least that a plugin gives.
const STALL_LIMIT: i64 = 60 * SECOND;

impl Plan<'_> {
    pub(super) fn samples(&self, dice: &mut Dice, groups: &[TaskGroupRecord]) -> Vec<Record> {
        let threads = self.workers * self.threads_each;
        let limit = 4 * GIB * threads;
        let held = dice.between(0.1, 0.8);
        let mut records = Vec::new();
        let mut at = self.start + SECOND;
        let beats = 1 + (self.end - at).max(0) / self.interval();
        let told_each = (beats as usize * self.worker_ids.len()).div_ceil(MOST_WORKERS_TOLD);
        loop {
            let mut totals = Totals::default();
            let mut tasks = TaskStates::new();
            for group in groups {
                self.add(group, at, &mut totals, &mut tasks);
            }
            totals.thread_seconds = threads as f64 * (at - self.start) as f64 / 1e6;
            let over = at >= self.done;
            let stall = (over && self.stalls).then(|| self.stall(groups, &mut tasks));
            let idle = over && !self.stalls;
            let used = if over {
                0.05
            } else {
                held * dice.between(0.7, 1.0)
            } * limit as f64;
            let managed = used * 0.7;
            let spilled = if held > 0.7 { used * 0.1 } else { 0.0 };
            let cpu = threads as f64 * if over { 1.0 } else { dice.between(50.0, 98.0) };
            let processing = tasks.get("processing").copied().unwrap_or(0);
            let tells = records.len().is_multiple_of(told_each);
            let workers_each =
                tells.then(|| self.each(dice, [cpu, used, managed, spilled], processing));
            records.push(Record::Sample(Box::new(SampleRecord {
                at_micros: Micros(at),
                workers: self.workers,
                threads,
                memory_limit_bytes: Some(limit),
                memory_used_bytes: Some(used as u64),
                memory_managed_bytes: Some(managed as u64),
                memory_unmanaged_bytes: Some((used - managed) as u64),
                memory_spilled_bytes: Some(spilled as u64),
                tasks,
                idle_since_micros: idle.then_some(Micros(self.done)),
                cpu_percent: Some(cpu),
                network_read_bytes_per_s: None,
                network_write_bytes_per_s: None,
                disk_read_bytes_per_s: None,
                disk_write_bytes_per_s: None,
                gpu_percent: None,
                gpu_memory_bytes: None,
                worker_lag_micros: Some(2_000 + dice.below(20_000) as i64),
                workers_paused: Some(0),
                last_completed_micros: Some(Micros(at.min(self.done))),
                stall,
                workers_each,
                workers_bands: None,
                loop_lag_micros: Some(1_000 + dice.below(3_000) as i64),
                totals,
                cost: PluginCost::default(),
            })));
            if at >= self.end {
                return records;
            }
            at = (at + self.interval()).min(self.end);
        }
    }

    /// A task of the last group that never ends, on each worker, though all that end have ended.
    fn stall(&self, groups: &[TaskGroupRecord], tasks: &mut TaskStates) -> Stall {
        *tasks.entry("processing".into()).or_default() += self.workers;
        Stall {
            limit_micros: STALL_LIMIT,
            same_stacks: Some(true),
            group_id: groups.last().map(|group| group.group_id.clone()),
        }
    }

    /// The workers' parts of these sums: each has a little more or less than others.
    fn each(&self, dice: &mut Dice, sums: [f64; 4], processing: u64) -> Vec<WorkerNow> {
        let ids = self.worker_ids.iter();
        ids.map(|id| {
            let part = dice.between(0.8, 1.2) / self.workers as f64;
            let [cpu, used, managed, spilled] = sums.map(|sum| sum * part);
            WorkerNow {
                worker_id: id.clone(),
                cpu_percent: Some((cpu * 10.0).round() / 10.0),
                memory_used_bytes: Some(used as u64),
                memory_managed_bytes: Some(managed as u64),
                memory_spilled_bytes: Some(spilled as u64),
                processing: Some((processing as f64 * part) as u64),
                lag_micros: Some(2_000 + dice.below(20_000) as i64),
            }
        })
        .collect()
    }

    /// What of a group was done by then.
    fn add(&self, group: &TaskGroupRecord, at: i64, totals: &mut Totals, tasks: &mut TaskStates) {
        let (Some(start), Some(stop)) = (group.start_micros, group.stop_micros) else {
            return;
        };
        let share = (at - start.0) as f64 / (stop.0 - start.0).max(1) as f64;
        let (share, all) = (share.clamp(0.0, 1.0), group.states.values().sum::<u64>());
        let erred = group.states.get("erred").copied().unwrap_or(0);
        let done = (all as f64 * share) as u64;
        let seconds = scaled(&group.seconds, share);
        let sums = &mut totals.seconds;
        sums.compute += seconds.compute;
        sums.transfer += seconds.transfer;
        sums.disk_read += seconds.disk_read;
        sums.disk_write += seconds.disk_write;
        sums.deserialize += seconds.deserialize;
        sums.other += seconds.other;
        totals.tasks_completed += done;
        totals.tasks_erred += if share >= 1.0 { erred } else { 0 };
        totals.result_bytes += (group.result_bytes as f64 * share) as u64;
        let state = if share > 0.0 { "processing" } else { "waiting" };
        if done < all {
            *tasks.entry(state.into()).or_default() += all - done;
        }
        if done > 0 && share < 1.0 {
            *tasks.entry("memory".into()).or_default() += done;
        }
    }
}
