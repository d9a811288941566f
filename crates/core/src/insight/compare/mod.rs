//! What changed from one run to another.

mod check;
mod code;
mod environment;
mod groups;
mod time;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use check::check;

use super::baseline::{Measured, Size, saturating_sum, unlike};
use super::fingerprint::canonical_prefix;
use super::waterfall::{RunTime, waterfall};
use crate::model::{ClusterState, Micros};
use crate::query::types::{
    ClusterFacts, ClusterRow, ComparedRun, Comparison, ComputationCode, ExceptionDifference,
    PartKind,
};
use crate::query::{GroupWork, Work, WorkerStep};

/// Tasks for which times are told when runs are of different size.
const PER_TASKS: u64 = 1_000;

/// One of the two runs, with all that a comparison looks at.
pub(crate) struct Side {
    pub(crate) row: ClusterRow,
    pub(crate) facts: ClusterFacts,
    pub(crate) work: Work,
    /// Of its computations, oldest first.
    pub(crate) code: Vec<ComputationCode>,
    /// Keyed hashes of that code and of graphs, sorted: what was run.
    pub(crate) fingerprints: Vec<(Option<Vec<u8>>, [u8; 16])>,
    pub(crate) typical_of: Option<u64>,
}

impl Side {
    /// Its last moment: where it is not over, the last that was heard.
    pub(crate) fn end(row: &ClusterRow) -> Micros {
        row.stopped_micros
            .unwrap_or(row.last_heard_micros)
            .max(row.started_micros)
    }

    fn size(&self) -> Size {
        let of =
            |measure: fn(&GroupWork) -> u64| saturating_sum(self.work.groups.iter().map(measure));
        Size {
            tasks: of(|group| saturating_sum(group.states.values().copied())),
            result_bytes: of(|group| group.result_bytes),
            workers: self.row.workers_peak,
        }
    }

    fn erred(&self) -> u64 {
        let erred = |group: &GroupWork| group.states.get("erred").copied().unwrap_or(0);
        saturating_sum(self.work.groups.iter().map(erred))
    }

    fn lost(&self) -> u64 {
        self.work
            .workers
            .iter()
            .filter(|step: &&WorkerStep| step.lost)
            .count() as u64
    }

    /// Before the last computation or group was through.
    fn lost_at_work(&self) -> u64 {
        let last = self.work.busy.iter().map(|(_, to)| *to).max();
        let steps = self.work.workers.iter();
        steps
            .filter(|step| step.lost && Some(step.at.0) < last)
            .count() as u64
    }

    fn compared(&self, time: &RunTime) -> ComparedRun {
        let size = self.size();
        ComparedRun {
            id: self.row.id,
            name: self.row.name.clone(),
            state: self.row.state,
            started_micros: self.row.started_micros,
            typical_of: self.typical_of,
            wall_micros: time.wall_micros,
            startup_micros: time.startup_micros,
            working_micros: time.working_micros,
            idle_micros: time.wall_micros - time.startup_micros - time.working_micros,
            tasks: size.tasks,
            erred: self.erred(),
            result_bytes: size.result_bytes,
            computations: self.row.computations,
            workers_peak: self.row.workers_peak,
            workers_lost: self.lost(),
            threads: time.threads(),
        }
    }
}

/// What changed from A to B.
pub(crate) fn compare(a: &Side, b: &Side, per_task: bool) -> Comparison {
    let (time_a, time_b) = (time::run_time(a), time::run_time(b));
    let mut told = match per_task {
        true => waterfall(
            &time_a.per_tasks(PER_TASKS),
            &time_b.per_tasks(PER_TASKS),
            Some(PER_TASKS),
        ),
        false => waterfall(&time_a, &time_b, None),
    };
    let mut groups = groups::differences(a, b);
    let written = written(a, b);
    let own = |prefix: &mut String| {
        if let Some(name) = written.get(prefix.as_str()) {
            *prefix = (*name).to_owned();
        }
    };
    told.parts
        .iter_mut()
        .filter_map(|part| part.prefix.as_mut())
        .for_each(own);
    groups.iter_mut().map(|row| &mut row.prefix).for_each(own);
    for part in &mut told.parts {
        if part.kind == PartKind::Threads {
            part.words += &lost(a, b);
        }
    }
    let sizes = unlike(b.size(), a.size());
    Comparison {
        better_per_task: a.size().tasks > 0
            && b.size().tasks > 0
            && sizes.iter().any(|(what, _)| *what == Measured::Tasks),
        environment: environment::differences(a, b),
        code: code::compare(a, b),
        unlike: said(a, b, sizes),
        left_out: left_out(a, b),
        waterfall: told,
        groups,
        exceptions: exceptions(a, b),
        a: a.compared(&time_a),
        b: b.compared(&time_b),
    }
}

/// What is known of why there were fewer threads: `; 2 workers were lost in B`. Those that went after the work were no
/// loss to it.
fn lost(a: &Side, b: &Side) -> String {
    let words = |(name, side): (&str, &Side)| match side.lost_at_work() {
        0 => String::new(),
        1 => format!("; 1 worker was lost in {name}"),
        n => format!("; {n} workers were lost in {name}"),
    };
    [("A", a), ("B", b)].map(words).concat()
}

/// Prefixes as B writes them, or A where B has none, by the name under which both are matched.
fn written<'a>(a: &'a Side, b: &'a Side) -> BTreeMap<String, &'a str> {
    let groups = a.work.groups.iter().chain(&b.work.groups);
    groups
        .map(|group| (canonical_prefix(&group.prefix), group.prefix.as_str()))
        .collect()
}

/// In what two runs are not alike: what has to be known before any number is read.
fn said(a: &Side, b: &Side, sizes: Vec<(Measured, String)>) -> Vec<String> {
    let mut said = Vec::new();
    for (name, side) in [("A", a), ("B", b)] {
        if !matches!(side.row.state, ClusterState::Finished | ClusterState::Lost) {
            said.push(format!("{name} has not ended: its times are up to now"));
        }
    }
    said.extend(other_computations(a, b));
    said.extend(sizes.into_iter().map(|(_, words)| format!("B has {words}")));
    let tasks = |erred: u64| match erred {
        1 => "1 task".to_owned(),
        erred => format!("{erred} tasks"),
    };
    match (a.erred(), b.erred()) {
        (a, b) if a == b => {}
        (a, 0) => said.push(format!("{} failed in A, none in B", tasks(a))),
        (0, b) => said.push(format!("{} failed in B, none in A", tasks(b))),
        (a, b) => said.push(format!("{} failed in A, {} in B", tasks(a), tasks(b))),
    }
    said
}

/// Of runs with very many computations only the newest are compared.
fn left_out(a: &Side, b: &Side) -> Vec<String> {
    [("A", a), ("B", b)]
        .into_iter()
        .filter(|(_, side)| side.row.computations > side.code.len() as u64)
        .map(|(name, side)| {
            let (newest, all) = (side.code.len(), side.row.computations);
            format!("For {name}, Bobbin compares the code and graph of only the newest {newest} of {all} computations.")
        })
        .collect()
}

/// Whether they ran other computations; without the code of one of them, as far as their graphs tell.
fn other_computations(a: &Side, b: &Side) -> Option<String> {
    let known = |side: &Side| side.fingerprints.iter().all(|(code, _)| code.is_some());
    let with_code = known(a) && known(b);
    let of = |side: &Side| -> BTreeSet<(Option<Vec<u8>>, [u8; 16])> {
        let one =
            |(code, shape): &(Option<Vec<u8>>, _)| (code.clone().filter(|_| with_code), *shape);
        side.fingerprints.iter().map(one).collect()
    };
    let (of_a, of_b) = (of(a), of(b));
    let place = if with_code {
        "in code or graph"
    } else {
        "in graph"
    };
    match (of_a == of_b, of_a.is_disjoint(&of_b)) {
        (true, _) => None,
        (false, true) => Some(format!("they ran different computations, {place}")),
        (false, false) => Some(format!("some of their computations differ, {place}")),
    }
}

/// How often each type failed; those of one run alone first, and the most frequent of them.
fn exceptions(a: &Side, b: &Side) -> Vec<ExceptionDifference> {
    let mut counts = BTreeMap::<_, (u64, u64)>::new();
    for (key, count) in &a.work.exceptions {
        counts.entry(key).or_default().0 += count;
    }
    for (key, count) in &b.work.exceptions {
        counts.entry(key).or_default().1 += count;
    }
    let mut rows: Vec<ExceptionDifference> = counts
        .into_iter()
        .map(|((exception_type, prefix), (a, b))| ExceptionDifference {
            exception_type: exception_type.clone(),
            prefix: prefix.clone(),
            a,
            b,
        })
        .collect();
    rows.sort_by_key(|row| (row.a > 0 && row.b > 0, std::cmp::Reverse(row.a + row.b)));
    rows
}
