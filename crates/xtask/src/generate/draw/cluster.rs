//! One cluster: what its plugin would have sent by its end.

use std::collections::{BTreeSet, HashMap};

use bobbin_core::{
    model::{Activities, Micros, TaskStates, WorkerChange},
    wire::{
        ClusterRecord, ComputationRecord, Durations, EventRecord, ExceptionRecord, MetricRecord,
        PluginCost, Record, SampleRecord, SpanRecord, StopRecord, TaskGroupRecord, Totals,
        WorkerNow, WorkerRecord,
    },
};

use super::{
    dice::Dice,
    profile::{self, Code},
    recorded::Recorded,
    team::{self, Author, Team},
};

/// Half of all clusters have fewer groups, one in a hundred has more than 2,000.
const MEDIAN_GROUPS: f64 = 40.0;
const GROUPS_SIGMA: f64 = 1.68;
const MOST_GROUPS: f64 = 5_000.0;
const COMPUTATIONS: usize = 8;
/// Distinct stacks of a cluster's profile.
const STACKS: usize = 900;
/// A plugin tells no more in one record; a larger profile is told in several, one after the other.
const STACKS_A_RECORD: usize = 18_000;
const FAILING: f64 = 0.03;
const IDLE_TAIL: f64 = 0.12;
/// Those whose scheduler was killed.
const LOST: f64 = 0.01;
const GIB: u64 = 1 << 30;
const SECOND: i64 = 1_000_000;
/// A beat, where that makes no more samples than this.
const INTERVAL: i64 = 10 * SECOND;
const MOST_SAMPLES: i64 = 120;
/// Single workers in samples, over all samples: a real cluster tells of each of up to 64 at each beat, which would be most of
/// a store.
const MOST_WORKERS_TOLD: usize = 240;
/// Fine metrics of a computation. Recorded clusters have 4 to 20 for each span.
const MOST_METRICS: usize = 12;
/// Events of a cluster besides its graphs.
const MOST_EVENTS: usize = 8;

/// What was drawn for one cluster before its records are made.
struct Plan<'a> {
    seed: u64,
    author: Author<'a>,
    recorded: &'a Recorded,
    start: i64,
    /// When the last task ended.
    done: i64,
    end: i64,
    workers: u64,
    threads_each: u64,
    worker_ids: Vec<String>,
    /// How much more this run had to do than the recorded one.
    more: f64,
    lost: bool,
}

/// The ids of a cluster and its records, oldest first.
pub struct Generated {
    pub cluster_id: String,
    pub instance_id: String,
    pub records: Vec<Record>,
}

/// How large a cluster is to be; what is not said is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    pub groups: Option<usize>,
    pub stacks: Option<usize>,
}

/// The cluster with this number.
pub fn make(
    seed: u64,
    number: u64,
    size: Size,
    (team, stories): (&Team, &[Recorded]),
    (days, until): (u32, i64),
) -> Generated {
    let mut dice = Dice::new(seed, number);
    let author = team.author(&mut dice);
    let recorded = &stories[author.kind % stories.len()];
    let start = team::start(&mut dice, days, until);
    let (workers, threads_each) = (1 << dice.below(7), 1 << dice.below(4));
    let drawn = dice.log_normal(MEDIAN_GROUPS, GROUPS_SIGMA);
    let count = size
        .groups
        .unwrap_or(drawn.clamp(1.0, MOST_GROUPS) as usize);
    let mut groups = groups(&mut dice, recorded, count);

    let busy_of = |groups: &[TaskGroupRecord]| -> f64 {
        groups.iter().map(|group| sum(&group.seconds)).sum()
    };
    let busy = busy_of(&groups);
    let threads = (workers * threads_each) as f64;
    let length = (busy / threads / dice.between(0.35, 0.9)).clamp(2.0, 86_400.0);
    let done = start + (length * 1e6) as i64;
    let tail = if dice.chance(IDLE_TAIL) {
        dice.between(0.5, 4.0)
    } else {
        dice.between(0.0, 0.05)
    };
    let plan = Plan {
        seed,
        author,
        recorded,
        start,
        done,
        end: done + (length * tail * 1e6) as i64 + SECOND,
        workers,
        threads_each,
        worker_ids: (0..workers).map(|_| dice.hex()).collect(),
        more: busy / busy_of(&recorded.groups).max(1.0),
        lost: dice.chance(LOST),
    };
    plan.place(&mut dice, &mut groups);
    let exceptions = if dice.chance(FAILING) {
        exceptions(&mut dice, stories, &mut groups)
    } else {
        Vec::new()
    };

    let mut records = vec![plan.cluster(&mut dice)];
    records.extend(plan.workers(&mut dice));
    records.extend(plan.samples(&mut dice, &groups));
    records.extend(plan.computations(&mut dice, &groups));
    records.extend(plan.metrics_of(&mut dice, None, None));
    records.extend(plan.events(&mut dice));
    records.extend(plan.profiles(&mut dice, busy, size.stacks.unwrap_or(STACKS)));
    records.extend(
        groups
            .into_iter()
            .map(|group| Record::TaskGroup(Box::new(group))),
    );
    records.extend(exceptions);
    if !plan.lost {
        records.push(Record::Stop(StopRecord {
            at_micros: Micros(plan.end),
            reason: "closed".into(),
        }));
    }
    records.sort_by_key(Record::at);
    Generated {
        cluster_id: format!("Scheduler-{}", dice.hex()),
        instance_id: dice.hex(),
        records,
    }
}

fn sum(seconds: &Activities) -> f64 {
    seconds.compute
        + seconds.transfer
        + seconds.disk_read
        + seconds.disk_write
        + seconds.deserialize
        + seconds.other
}

fn scaled(seconds: &Activities, by: f64) -> Activities {
    Activities {
        compute: seconds.compute * by,
        transfer: seconds.transfer * by,
        disk_read: seconds.disk_read * by,
        disk_write: seconds.disk_write * by,
        deserialize: seconds.deserialize * by,
        other: seconds.other * by,
    }
}

/// Copies of the recorded graph, each hanging on the one before by some edges, until there are enough groups.
fn groups(dice: &mut Dice, recorded: &Recorded, count: usize) -> Vec<TaskGroupRecord> {
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
            if groups.len() == first || dice.chance(0.1) {
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
fn exceptions(
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
    fn place(&self, dice: &mut Dice, groups: &mut [TaskGroupRecord]) {
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

    fn cluster(&self, dice: &mut Dice) -> Record {
        let month = 1 + self.month() % 12;
        let mut record = ClusterRecord {
            at_micros: Micros(self.start),
            started_micros: Micros(self.start),
            name: Some(format!("{}-{}", self.author.project, &dice.hex()[..6])),
            user: Some(self.author.user.into()),
            host: Some(self.author.host.into()),
            project: Some(self.author.project.into()),
            interval_micros: self.interval(),
            ..self.recorded.cluster.clone()
        };
        for package in ["dask", "distributed"] {
            record
                .versions
                .insert(package.into(), Some(format!("2026.{month}.0")));
        }
        record.switches.profile = true;
        Record::Cluster(Box::new(record))
    }

    /// Dask has a release a month.
    fn month(&self) -> i64 {
        self.start / (30 * 86_400 * SECOND)
    }

    fn interval(&self) -> i64 {
        ((self.end - self.start) / MOST_SAMPLES).max(INTERVAL)
    }

    fn workers(&self, dice: &mut Dice) -> Vec<Record> {
        let mut records = Vec::new();
        for (number, id) in self.worker_ids.iter().enumerate() {
            let mut record = WorkerRecord {
                at_micros: Micros(self.start + dice.below(2_000_000) as i64),
                worker_id: id.clone(),
                address: Some(format!("tcp://127.0.0.1:{}", 40_000 + number)),
                name: Some(number.to_string()),
                host: Some(self.author.host.into()),
                event: WorkerChange::Joined,
                cause: None,
                expected: None,
                threads: Some(self.threads_each),
                memory_limit_bytes: Some(4 * GIB * self.threads_each),
                resources: Default::default(),
                nanny: Some(true),
            };
            records.push(Record::Worker(Box::new(record.clone())));
            record.at_micros = Micros(self.end);
            record.event = WorkerChange::Left;
            record.expected = Some(true);
            records.push(Record::Worker(Box::new(record)));
        }
        records
    }

    fn samples(&self, dice: &mut Dice, groups: &[TaskGroupRecord]) -> Vec<Record> {
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
            let idle = at >= self.done;
            let used = if idle {
                0.05
            } else {
                held * dice.between(0.7, 1.0)
            } * limit as f64;
            let managed = used * 0.7;
            let spilled = if held > 0.7 { used * 0.1 } else { 0.0 };
            let cpu = threads as f64 * if idle { 1.0 } else { dice.between(50.0, 98.0) };
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
                stall: None,
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

    /// The groups in turn, each part of them started by one call, with what was measured of it.
    fn computations(&self, dice: &mut Dice, groups: &[TaskGroupRecord]) -> Vec<Record> {
        let mut records = Vec::new();
        for part in groups.chunks(groups.len().div_ceil(COMPUTATIONS)) {
            let of = dice.pick(&self.recorded.computations);
            let mut states = TaskStates::new();
            for (state, tasks) in part.iter().flat_map(|group| &group.states) {
                *states.entry(state.clone()).or_default() += tasks;
            }
            let start = part.iter().filter_map(|group| group.start_micros).min();
            let stop = part.iter().filter_map(|group| group.stop_micros).max();
            let ids: Vec<String> = part.iter().map(|group| group.group_id.clone()).collect();
            let span = dice.pick(&self.recorded.spans);
            let at_micros = stop.unwrap_or(Micros(self.done));
            let span_id = dice.hex();
            records.push(self.graph(dice, start, states.values().sum()));
            let mut prefixes: BTreeSet<&str> = BTreeSet::new();
            prefixes.extend(part.iter().map(|group| &*group.prefix));
            let metrics = prefixes.into_iter().flat_map(|prefix| {
                self.metrics_of(dice, Some(prefix), Some((span_id.as_str(), at_micros)))
            });
            records.extend(metrics.take(MOST_METRICS));
            records.push(Record::Span(Box::new(SpanRecord {
                at_micros,
                span_id,
                parent_id: None,
                start_micros: start,
                stop_micros: stop,
                enqueued_micros: start,
                groups: ids.clone(),
                ..span.clone()
            })));
            records.push(Record::Computation(Box::new(ComputationRecord {
                at_micros,
                computation_id: dice.hex(),
                start_micros: start,
                stop_micros: stop,
                groups: ids,
                states,
                ..of.clone()
            })));
        }
        records
    }

    /// The event of the graph of a computation.
    fn graph(&self, dice: &mut Dice, start: Option<Micros>, tasks: u64) -> Record {
        let mut event = dice.pick(&self.recorded.graphs).clone();
        event.at_micros = start.unwrap_or(Micros(self.start));
        let seconds = event.at_micros.0 as f64 / 1e6;
        event.payload["stimulus_id"] = format!("update-graph-{seconds}").into();
        event.payload["metrics"]["start_timestamp_seconds"] = seconds.into();
        for count in ["tasks", "new_tasks"] {
            event.payload["metrics"][count] = tasks.into();
        }
        Record::Event(event)
    }

    /// Fine metrics of a prefix in a span, or of no prefix in none.
    fn metrics_of(
        &self,
        dice: &mut Dice,
        prefix: Option<&str>,
        span: Option<(&str, Micros)>,
    ) -> Vec<Record> {
        let known = self.recorded.metrics.get(&prefix.map(str::to_owned));
        known
            .into_iter()
            .flatten()
            .map(|metric| {
                let is_rate = metric.unit.contains(" per ");
                let more = if is_rate { 1.0 } else { self.more };
                Record::Metric(Box::new(MetricRecord {
                    at_micros: span.map_or(Micros(self.done), |(_, at)| at),
                    span_id: span.map(|(id, _)| id.to_owned()),
                    value: metric.value * more * dice.log_normal(1.0, 0.2),
                    ..metric.clone()
                }))
            })
            .collect()
    }

    /// What else happened, at any time while there was work; and how often what was only counted.
    fn events(&self, dice: &mut Dice) -> Vec<Record> {
        let mut records = Vec::new();
        for _ in 0..dice.below(MOST_EVENTS + 1) {
            let length = (self.done - self.start) as usize;
            records.push(Record::Event(EventRecord {
                at_micros: Micros(self.start + dice.below(length) as i64),
                ..dice.pick(&self.recorded.events).clone()
            }));
        }
        for topic in &self.recorded.topics {
            let count = topic.count.unwrap_or(0) as f64;
            records.push(Record::Event(EventRecord {
                at_micros: Micros(self.done),
                count: Some(1 + (count * dice.log_normal(1.0, 0.5)) as u64),
                ..topic.clone()
            }));
        }
        records
    }

    /// By prefix, all of them together of about so many stacks; without any, none was collected.
    fn profiles(&self, dice: &mut Dice, busy: f64, stacks: usize) -> Vec<Record> {
        if stacks == 0 {
            return Vec::new();
        }
        let of: Vec<_> = self.recorded.profiles.iter().take(6).collect();
        let parts = (stacks / of.len()).div_ceil(STACKS_A_RECORD);
        let each = stacks / of.len() / parts;
        let samples = (busy * 100.0) as u64 / (of.len() * parts) as u64;
        let length = (self.done - self.start) / parts as i64;
        let mut records = Vec::new();
        for part in 0..parts {
            let from = self.start + length * part as i64;
            let code = Code {
                seed: self.seed,
                project: self.author.project,
                month: self.month(),
                part,
            };
            for one in &of {
                let time = (from, from + length);
                let grown = profile::grow(dice, one, &code, each, time, samples);
                records.push(Record::Profile(Box::new(grown)));
            }
        }
        records
    }
}

#[cfg(test)]
mod tests {
    use super::super::recorded;
    use super::*;

    #[test]
    fn a_cluster_is_the_same_each_time_and_its_sums_are_those_of_its_groups() {
        let (team, stories) = (Team::new(1, 200), recorded::read().unwrap());
        let period = (365, 1_795_000_000_000_000);
        for number in 0..30 {
            let make = || make(1, number, Size::default(), (&team, &stories), period);
            let made = make();
            assert_eq!(made.records, make().records);
            let groups = made.records.iter().filter_map(|record| match record {
                Record::TaskGroup(group) => Some(group),
                _ => None,
            });
            let last = made.records.iter().rev().find_map(|record| match record {
                Record::Sample(sample) => Some(sample),
                _ => None,
            });
            let (mut compute, mut tasks, mut erred) = (0.0, 0, 0);
            for group in groups {
                compute += group.seconds.compute;
                tasks += group.states.values().sum::<u64>();
                erred += group.states.get("erred").copied().unwrap_or(0);
            }
            let totals = last.unwrap().totals;
            assert!((totals.seconds.compute - compute).abs() <= 1e-6 * compute);
            assert_eq!((totals.tasks_completed, totals.tasks_erred), (tasks, erred));
            assert!(
                totals.thread_seconds * 1.01 >= compute,
                "more work than threads had time for"
            );
        }
    }

    #[test]
    fn a_cluster_tells_of_metrics_events_and_single_workers_within_bounds() {
        let (team, stories) = (Team::new(1, 200), recorded::read().unwrap());
        let period = (365, 1_795_000_000_000_000);
        for number in 0..60 {
            let made = make(1, number, Size::default(), (&team, &stories), period);
            let (mut metrics, mut graphs, mut topics, mut told, mut workers) = (0, 0, 0, 0, 0);
            for record in &made.records {
                match record {
                    Record::Metric(_) => metrics += 1,
                    Record::Event(event) => match event.count {
                        Some(_) => topics += 1,
                        None => graphs += usize::from(event.payload["metrics"].is_object()),
                    },
                    Record::Sample(sample) => {
                        let each = sample.workers_each.as_deref().unwrap_or_default();
                        told += each.len();
                        workers = sample.workers as usize;
                        if let (Some(all), [_, ..]) = (sample.memory_used_bytes, each) {
                            let used = each.iter().filter_map(|one| one.memory_used_bytes);
                            let share = used.sum::<u64>() as f64 / all as f64;
                            assert!((0.8..=1.2).contains(&share), "{share}");
                        }
                    }
                    _ => {}
                }
            }
            assert!((1..=COMPUTATIONS).contains(&graphs), "{graphs} graphs");
            assert!((1..=10).contains(&topics), "{topics} topics");
            assert!((1..=160).contains(&metrics), "{metrics} metrics");
            assert!(
                (1..=MOST_WORKERS_TOLD + workers).contains(&told),
                "{told} workers"
            );
        }
    }
}
