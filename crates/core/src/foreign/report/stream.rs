//! The task stream: one rectangle for each thing that a thread did for a task.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::bokeh::Table;
use super::escape::unescaped;
use crate::foreign::records::{at_most, id, moment};
use crate::foreign::{Outcome, is};
use crate::model::{Activities, Micros, TaskStates};
use crate::wire::{Durations, TaskGroupRecord};

const GROUPS: usize = 100_000;
const WORKERS: usize = 50_000;
/// A task that took longer than a century did not.
const LONGEST_SECONDS: f64 = 3.2e9;

/// What the rectangles add up to.
#[derive(Default)]
pub(super) struct Stream {
    /// By name, as Dask names groups.
    pub(super) groups: BTreeMap<String, Group>,
    /// Addresses, and how many threads of each had something to do.
    pub(super) workers: BTreeMap<String, u64>,
    pub(super) threads: u64,
    /// Tasks that ended, well or not.
    pub(super) tasks: u64,
    /// When each rectangle ended, by seconds since 1970: what to add to the sums.
    ends: Vec<End>,
    /// When each task began to compute.
    begins: Vec<f64>,
    begun: Option<f64>,
}

/// A group of tasks.
pub(super) struct Group {
    prefix: String,
    ended: u64,
    erred: u64,
    seconds: Activities,
    /// How long each of its tasks computed.
    computed: Vec<f64>,
    first: f64,
    last: f64,
}

struct End {
    at: f64,
    action: Action,
    seconds: f64,
    erred: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Action {
    Compute,
    Transfer,
    DiskRead,
    DiskWrite,
    Deserialize,
}

/// The cluster at one moment.
pub(super) struct Moment {
    pub(super) at: Micros,
    pub(super) seconds: Activities,
    pub(super) completed: u64,
    pub(super) erred: u64,
    pub(super) processing: u64,
    pub(super) last_completed: Option<Micros>,
}

impl Stream {
    pub(super) fn read(table: &Table<'_>) -> Outcome<Self> {
        let starts = table.column("start")?.numbers()?;
        let durations = table.column("duration")?.numbers()?;
        let names = table.column("name")?.texts()?;
        let workers = table.column("worker")?.texts()?;
        let threads = table.column("worker_thread")?.texts()?;
        let rows = starts.len();
        if [durations.len(), names.len(), workers.len(), threads.len()]
            .iter()
            .any(|&length| length != rows)
        {
            return is("the columns of its task stream are of different lengths");
        }
        let optional = |name| -> Outcome<Option<_>> {
            Ok(if table.has(&[name]) {
                Some(table.column(name)?).filter(|column| column.len() == rows)
            } else {
                None
            })
        };
        let keys = optional("key")?;
        let alphas = optional("alpha")?
            .map(|column| column.numbers())
            .transpose()?;
        let colors = optional("color")?
            .map(|column| column.texts())
            .transpose()?;
        let mut stream = Self::default();
        let mut seen = BTreeSet::new();
        for row in 0..rows {
            let color = colors.as_ref().map_or("", |colors| colors[row].as_str());
            let faint = alphas.as_ref().map(|alphas| alphas[row] < 1.0);
            let (action, prefix) = action(&names[row], faint);
            let key = keys.as_ref().and_then(|keys| keys.values().get(row));
            // Its middle is what is drawn, in milliseconds.
            let seconds = durations[row] / 1e3;
            let begun = starts[row] / 1e3 - seconds / 2.0;
            if !(0.0..LONGEST_SECONDS).contains(&seconds) {
                return is("a task in it took a negative time, or more than a century");
            }
            moment(begun)?;
            moment(begun + seconds)?;
            stream.add(key, prefix, action, begun, seconds, color == "black");
            at_most(stream.groups.len(), GROUPS, "task groups")?;
            if seen.insert((&workers[row], &threads[row])) {
                *stream.workers.entry(workers[row].clone()).or_default() += 1;
                at_most(stream.workers.len(), WORKERS, "workers")?;
            }
        }
        stream.threads = seen.len() as u64;
        stream
            .ends
            .sort_by(|one, other| one.at.total_cmp(&other.at));
        stream.begins.sort_by(f64::total_cmp);
        Ok(stream)
    }

    fn add(
        &mut self,
        key: Option<&Value>,
        prefix: &str,
        action: Action,
        begun: f64,
        seconds: f64,
        black: bool,
    ) {
        let name = group_name(key, prefix);
        let ended = begun + seconds;
        let group = self.groups.entry(name).or_insert_with(|| Group {
            prefix: prefix.into(),
            ended: 0,
            erred: 0,
            seconds: Activities::default(),
            computed: Vec::new(),
            first: begun,
            last: ended,
        });
        *sum(&mut group.seconds, action) += seconds;
        (group.first, group.last) = (group.first.min(begun), group.last.max(ended));
        let erred = black && action == Action::Compute;
        if action == Action::Compute {
            self.tasks += 1;
            self.begins.push(begun);
            group.computed.push(seconds);
            if erred {
                group.erred += 1
            } else {
                group.ended += 1
            }
        }
        self.begun = Some(self.begun.map_or(begun, |known| known.min(begun)));
        self.ends.push(End {
            at: ended,
            action,
            seconds,
            erred,
        });
    }

    /// From the first to the last rectangle, in seconds since 1970.
    pub(super) fn span(&self) -> Option<(f64, f64)> {
        Option::zip(self.begun, self.ends.last().map(|end| end.at))
    }

    /// The sums at so many moments, evenly from the beginning to the end. As with Dask's own sums, what a task took counts when
    /// it is over.
    pub(super) fn course(&self, from: Micros, to: Micros, moments: i64) -> Vec<Moment> {
        let steps = moments.min(to.0 - from.0).max(1);
        let mut seconds = Activities::default();
        let (mut completed, mut erred, mut begun, mut next) = (0, 0, 0, 0);
        let mut last_completed = None;
        (0..=steps)
            .map(|step| {
                let at = Micros(
                    from.0
                        + (to.0 - from.0) / steps * step
                        + (to.0 - from.0) % steps * step / steps,
                );
                // What ends within the last microsecond ends by then.
                let until = at.0 as f64 / 1e6 + if step == steps { 1e-3 } else { 0.0 };
                while let Some(end) = self.ends.get(next).filter(|end| end.at <= until) {
                    *sum(&mut seconds, end.action) += end.seconds;
                    if end.action == Action::Compute {
                        completed += 1;
                        erred += u64::from(end.erred);
                        last_completed = moment(end.at).ok();
                    }
                    next += 1;
                }
                begun += self.begins[begun..]
                    .iter()
                    .take_while(|&&begun| begun <= until)
                    .count();
                Moment {
                    at,
                    seconds,
                    completed,
                    erred,
                    processing: (begun as u64).saturating_sub(completed),
                    last_completed,
                }
            })
            .collect()
    }

    /// How the tasks of all groups ended.
    pub(super) fn states(&self) -> TaskStates {
        let groups = self.groups.values();
        states(
            groups.clone().map(|group| group.ended).sum(),
            groups.map(|group| group.erred).sum(),
        )
    }

    pub(super) fn into_groups(self, at: Micros) -> Outcome<Vec<TaskGroupRecord>> {
        self.groups
            .into_iter()
            .map(|(name, group)| group.record(name, at))
            .collect()
    }
}

/// The states that tasks went to when they ended; whether their results are still there is not told.
fn states(ended: u64, erred: u64) -> TaskStates {
    [("memory", ended), ("erred", erred)]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(state, count)| (state.to_owned(), count))
        .collect()
}

impl Group {
    fn record(mut self, name: String, at: Micros) -> Outcome<TaskGroupRecord> {
        self.computed.sort_by(f64::total_cmp);
        Ok(TaskGroupRecord {
            at_micros: at,
            group_id: id(&name),
            name,
            prefix: self.prefix,
            states: states(self.ended, self.erred),
            seconds: self.seconds,
            result_bytes: 0,
            types: Vec::new(),
            start_micros: Some(moment(self.first)?),
            stop_micros: Some(moment(self.last)?),
            durations: durations(&self.computed),
            retried: None,
            span_id: None,
            dependencies: Vec::new(),
            is_final: true,
        })
    }
}

/// Of sorted seconds. Percentiles are those of the nearest rank.
fn durations(sorted: &[f64]) -> Option<Durations> {
    let max_seconds = *sorted.last()?;
    let count = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / count;
    let variance = sorted.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / count;
    let rank = |share: f64| sorted[((share * count).ceil() as usize).clamp(1, sorted.len()) - 1];
    Some(Durations {
        count: sorted.len() as u64,
        mean_seconds: mean,
        std_seconds: variance.sqrt(),
        p50_seconds: rank(0.5),
        p95_seconds: rank(0.95),
        max_seconds,
    })
}

/// What was done, and the prefix of the task's name: the action is told by what its name begins with, and by being drawn faint,
/// since a task may well be called `transfer-funds`.
fn action(name: &str, faint: Option<bool>) -> (Action, &str) {
    let known = [
        ("transfer-", Action::Transfer),
        ("disk-read-", Action::DiskRead),
        ("disk-write-", Action::DiskWrite),
        ("deserialize-", Action::Deserialize),
    ];
    if faint != Some(false) {
        for (word, action) in known {
            if let Some(prefix) = name.strip_prefix(word) {
                return (action, prefix);
            }
        }
    }
    (Action::Compute, name)
}

fn sum(seconds: &mut Activities, action: Action) -> &mut f64 {
    match action {
        Action::Compute => &mut seconds.compute,
        Action::Transfer => &mut seconds.transfer,
        Action::DiskRead => &mut seconds.disk_read,
        Action::DiskWrite => &mut seconds.disk_write,
        Action::Deserialize => &mut seconds.deserialize,
    }
}

/// The group of a key, as Dask's `key_split_group` names it: the first of a tuple, else the prefix.
fn group_name(key: Option<&Value>, prefix: &str) -> String {
    let first = match key {
        Some(Value::Array(parts)) => parts.first().and_then(Value::as_str).map(unescaped),
        Some(Value::String(text)) if text.starts_with('(') => {
            let text = unescaped(text);
            let first = text.split(',').next().unwrap_or_default();
            Some(first.trim_matches(['(', ')', '"', '\'']).to_owned())
        }
        _ => None,
    };
    first
        .filter(|first| !first.is_empty())
        .unwrap_or_else(|| prefix.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn groups_are_named_as_dask_names_them() {
        for (key, wanted) in [
            (json!("('load-12ab', 3)"), "load-12ab"),
            (json!(["load-12ab", 3, 0]), "load-12ab"),
            (json!("load-12ab34"), "load"),
            (json!([3, "x"]), "load"),
            (json!(null), "load"),
        ] {
            assert_eq!(group_name(Some(&key), "load"), wanted, "{key}");
        }
    }

    #[test]
    fn an_action_is_told_by_name_and_look() {
        assert!(action("transfer-sum", Some(true)) == (Action::Transfer, "sum"));
        assert!(action("transfer-funds", Some(false)) == (Action::Compute, "transfer-funds"));
        assert!(action("disk-write-x", None) == (Action::DiskWrite, "x"));
        assert!(action("sum", Some(true)) == (Action::Compute, "sum"));
    }

    #[test]
    fn durations_are_those_of_single_tasks() {
        let read = durations(&[1.0, 2.0, 3.0, 6.0]).unwrap();
        assert_eq!(
            (
                read.count,
                read.mean_seconds,
                read.p50_seconds,
                read.p95_seconds,
                read.max_seconds
            ),
            (4, 3.0, 2.0, 6.0, 6.0)
        );
        assert!(durations(&[]).is_none());
    }
}
