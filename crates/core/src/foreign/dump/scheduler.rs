//! The scheduler's part of a dump.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::events::Events;
use super::failures::Failures;
use super::references::name_of;
use super::tokens::{Room, Tokens, fields, list, map, skip, value};
use super::workers::Workers;
use super::{text, versions, whole};
use crate::foreign::records::{at_most, cluster, id, later, moment, moment_if, sample, stop};
use crate::foreign::{Outcome, Read, is};
use crate::model::{Activities, Micros, SourceFormat, TaskStates};
use crate::wire::{Record, TaskGroupRecord, Totals};

const GROUPS: usize = 100_000;
/// What a dump does not hold.
const UNAVAILABLE: [&str; 9] = [
    "spans",
    "metrics",
    "computations",
    "code",
    "profile",
    "retries",
    "durations",
    "threads_history",
    "idle_since",
];

/// What was read of it.
#[derive(Default)]
pub(super) struct Scheduler {
    address: Option<String>,
    started: Option<f64>,
    /// The latest time that is told anywhere.
    latest: f64,
    /// When a task ended last.
    last_completed: Option<f64>,
    groups: Vec<Map<String, Value>>,
    tasks: TaskStates,
    /// Tasks of which there is or was a result.
    computed: u64,
    failures: Failures,
    workers: Workers,
    memory: Map<String, Value>,
    events: Events,
}

impl Scheduler {
    /// None where the part is no map.
    pub(super) fn read(tokens: &mut dyn Tokens) -> Outcome<Option<Self>> {
        let mut read = Self::default();
        let is_map = map(tokens, &mut |tokens, part| read.part(tokens, &part))?;
        Ok(is_map.then_some(read))
    }

    fn part(&mut self, tokens: &mut dyn Tokens, part: &str) -> Outcome<()> {
        match part {
            "address" => self.address = value(tokens)?.as_str().map(Into::into),
            "started" => {
                self.started = value(tokens)?.as_f64();
                self.seen(self.started);
            }
            "memory" => self.memory = value(tokens)?.as_object().cloned().unwrap_or_default(),
            "transition_log" => {
                list(tokens, &mut |room, entry| self.transition(room, &entry))?;
            }
            "tasks" => {
                map(tokens, &mut |tokens, key| {
                    let before = *tokens.room();
                    let task = fields(
                        tokens,
                        &[
                            "key",
                            "state",
                            "group_key",
                            "group",
                            "nbytes",
                            "exception",
                            "exception_text",
                            "traceback_text",
                            "exception_blame",
                            "erred_on",
                        ],
                        &[],
                    )?;
                    *tokens.room() = before;
                    self.task(tokens.room(), &key, &task)
                })?;
            }
            "task_groups" => {
                map(tokens, &mut |tokens, name| {
                    at_most(self.groups.len(), GROUPS, "task groups")?;
                    let mut group = fields(
                        tokens,
                        &[
                            "all_durations",
                            "dependencies",
                            "name",
                            "nbytes_total",
                            "prefix",
                            "start",
                            "states",
                            "stop",
                            "types",
                        ],
                        &[],
                    )?;
                    tokens.room().one(name.len())?;
                    group.entry("name").or_insert(Value::String(name));
                    self.groups.push(group);
                    Ok(())
                })?;
            }
            "workers" => {
                map(tokens, &mut |tokens, address| {
                    let worker = fields(tokens, Workers::FIELDS, &["processing"])?;
                    tokens.room().one(address.len())?;
                    self.workers.add(address, worker)
                })?;
            }
            "events" => self.events.read(tokens)?,
            _ => skip(tokens)?,
        }
        Ok(())
    }

    fn seen(&mut self, seconds: Option<f64>) {
        // Of what no time is nothing is taken.
        if let Some(seconds) = seconds.filter(|&seconds| moment(seconds).is_ok()) {
            self.latest = self.latest.max(seconds);
        }
    }

    /// `[key, start, finish, recommendations, stimulus, time]`; before 2022.8 without the stimulus.
    fn transition(&mut self, room: &mut Room, entry: &Value) -> Outcome<()> {
        let Some(parts) = entry.as_array() else {
            return Ok(());
        };
        let time = parts
            .last()
            .and_then(Value::as_f64)
            .filter(|&seconds| moment(seconds).is_ok());
        self.seen(time);
        let (from, to) = (
            parts.get(1).and_then(Value::as_str),
            parts.get(2).and_then(Value::as_str),
        );
        if from == Some("processing") && matches!(to, Some("memory" | "erred")) {
            self.last_completed = later(self.last_completed, time);
        }
        if let (Some(key), Some(time), Some("erred")) = (parts.first(), time, to) {
            room.take(key)?;
            self.failures.erred_at(key, time);
        }
        Ok(())
    }

    fn task(&mut self, room: &mut Room, key: &str, task: &Map<String, Value>) -> Outcome<()> {
        let state = text(task, "state").unwrap_or_else(|| "unknown".into());
        // Dask has a dozen states; whoever names more of them names none.
        if self.tasks.len() < 100 || self.tasks.contains_key(&state) {
            *self.tasks.entry(state.clone()).or_default() += 1;
        }
        let has_result = task
            .get("nbytes")
            .and_then(Value::as_f64)
            .is_some_and(|bytes| bytes >= 0.0);
        if has_result || state == "erred" {
            self.computed += 1;
        }
        if state == "erred" {
            self.failures.add(room, key, task)?;
        }
        Ok(())
    }

    /// The whole dump as records.
    pub(super) fn finish(mut self, name: &str, told: &Value) -> Outcome<Read> {
        self.seen(self.workers.last_seen());
        self.seen(self.events.latest());
        let Some(started) = self.started.filter(|&seconds| moment(seconds).is_ok()) else {
            return is("it does not contain the start time of its scheduler");
        };
        let (started, at) = (moment(started)?, moment(self.latest)?);
        let mut facts = cluster(name, started, at, &UNAVAILABLE);
        facts.scheduler_address = self.address.take();
        versions::put(&mut facts, told);
        if !self.events.are_told() {
            facts
                .unavailable
                .extend(["events".into(), "worker_times".into()]);
        }
        let mut records = vec![Record::Cluster(Box::new(facts))];
        self.workers.records(started, &self.events, &mut records)?;
        let groups = self.groups(at);
        let mut sampled = self.sample(started, at, &groups);
        records.extend(
            groups
                .into_iter()
                .map(|group| Record::TaskGroup(Box::new(group))),
        );
        let (failures, tasks_erred) = self.failures.records(at);
        records.extend(failures);
        records.extend(self.events.records(at));
        sampled.totals.tasks_erred = tasks_erred;
        records.push(Record::Sample(Box::new(sampled)));
        records.push(stop(at));
        Ok(Read {
            format: SourceFormat::ClusterDump,
            as_of: at,
            records,
        })
    }

    fn groups(&self, at: Micros) -> Vec<TaskGroupRecord> {
        let names: BTreeMap<&str, String> = self
            .groups
            .iter()
            .filter_map(|group| group["name"].as_str())
            .map(|name| (name, id(name)))
            .collect();
        self.groups
            .iter()
            .filter_map(|group| Self::group(group, &names, at))
            .collect()
    }

    fn group(
        group: &Map<String, Value>,
        names: &BTreeMap<&str, String>,
        at: Micros,
    ) -> Option<TaskGroupRecord> {
        let name = group["name"].as_str()?;
        let texts = |field: &str| {
            group
                .get(field)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
        };
        let prefix = group.get("prefix").and_then(Value::as_str);
        Some(TaskGroupRecord {
            at_micros: at,
            group_id: id(name),
            name: name.into(),
            prefix: prefix
                .map_or(name, |prefix| name_of(prefix).unwrap_or(prefix))
                .into(),
            states: states(group.get("states")),
            seconds: seconds(group.get("all_durations")),
            result_bytes: whole(group, "nbytes_total").unwrap_or(0),
            types: texts("types").map(Into::into).collect(),
            start_micros: moment_if(group.get("start").and_then(Value::as_f64)),
            stop_micros: moment_if(group.get("stop").and_then(Value::as_f64)),
            durations: None,
            retried: None,
            span_id: None,
            dependencies: texts("dependencies")
                .filter_map(|reference| names.get(name_of(reference)?).cloned())
                .collect(),
            is_final: true,
        })
    }

    fn sample(
        &self,
        started: Micros,
        at: Micros,
        groups: &[TaskGroupRecord],
    ) -> crate::wire::SampleRecord {
        let mut totals = Totals::default();
        for group in groups {
            add(&mut totals.seconds, &group.seconds);
            totals.result_bytes = totals.result_bytes.saturating_add(group.result_bytes);
            // Those that were forgotten are no tasks of the scheduler any more.
            let forgotten = group.states.get("forgotten").copied().unwrap_or(0);
            totals.tasks_completed = totals.tasks_completed.saturating_add(forgotten);
        }
        totals.tasks_completed = totals.tasks_completed.saturating_add(self.computed);
        let threads = self.workers.threads();
        // Of the workers that are left, since the scheduler began: what came and went between is not told.
        totals.thread_seconds = threads as f64 * (at.0 - started.0) as f64 / 1e6;
        let mut one = sample(at, self.workers.count(), threads, totals);
        one.tasks = self.tasks.clone();
        one.memory_limit_bytes = self.workers.memory_limit();
        one.memory_used_bytes = whole(&self.memory, "process");
        one.memory_managed_bytes =
            whole(&self.memory, "managed_in_memory").or_else(|| whole(&self.memory, "managed"));
        one.memory_unmanaged_bytes = whole(&self.memory, "unmanaged");
        one.memory_spilled_bytes =
            whole(&self.memory, "spilled").or_else(|| whole(&self.memory, "managed_spilled"));
        one.workers_paused = Some(self.workers.paused());
        one.cpu_percent = self.workers.cpu_percent();
        one.last_completed_micros = moment_if(self.last_completed);
        one.workers_each = self.workers.each();
        one
    }
}

/// States with their counts.
fn states(value: Option<&Value>) -> TaskStates {
    let states = value.and_then(Value::as_object).into_iter().flatten();
    states
        .filter_map(|(state, count)| Some((state.clone(), super::whole_of(count)?)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// Seconds by the names of `all_durations`.
fn seconds(value: Option<&Value>) -> Activities {
    let mut seconds = Activities::default();
    for (action, took) in value.and_then(Value::as_object).into_iter().flatten() {
        let took = took
            .as_f64()
            .filter(|took| (0.0..2e12).contains(took))
            .unwrap_or(0.0);
        *match action.as_str() {
            "compute" => &mut seconds.compute,
            "transfer" => &mut seconds.transfer,
            "disk-read" => &mut seconds.disk_read,
            "disk-write" => &mut seconds.disk_write,
            "deserialize" => &mut seconds.deserialize,
            _ => &mut seconds.other,
        } += took;
    }
    seconds
}

fn add(sum: &mut Activities, more: &Activities) {
    sum.compute += more.compute;
    sum.transfer += more.transfer;
    sum.disk_read += more.disk_read;
    sum.disk_write += more.disk_write;
    sum.deserialize += more.deserialize;
    sum.other += more.other;
}
