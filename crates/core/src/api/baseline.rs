//! Each run against its own history.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use rusqlite::Connection;

use super::{
    App, Baseline, BaselineRequest, ComputationHistory, FingerprintBasis, History, PastRun,
};
use crate::Result;
use crate::insight::{LAST, Run, Size, history, saturating_sum, shape};
use crate::model::{ClusterState, Micros};
use crate::query::{
    CodeAndGroups, ComputationRun, Key, Looked, RunOutline, clusters_of, find_by_id, outlines_of,
    runs, runs_of_cluster, runs_of_code, runs_without_code,
};

/// Computations of a cluster that are told of. No two clusters with more are taken for the same.
const SHOWN: usize = 100;
/// Runs of the same code that are looked at: among them those of the same shape, and those that went well.
const LOOKED_AT: usize = 200;
/// Computations without code that are looked through for one of the same shape.
const SEARCHED: usize = 500;
/// Of those, how many are read at once: most often the newest are the same, and the others need not be read.
const AT_ONCE: usize = 2 * LAST;
/// Clusters that are looked through for the same: those of the same code, or the newest where it is not known.
const CLUSTERS: usize = 200;
/// Computations of those clusters that are looked at.
const COMPUTATIONS: usize = 2_000;

/// By what a run is known again: its code where that is known, and its shape.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fingerprint {
    code: Option<Vec<u8>>,
    shape: [u8; 16],
}

/// A run that may be the same as others.
struct Candidate {
    run: ComputationRun,
    fingerprint: Fingerprint,
}

impl From<ComputationRun> for Candidate {
    fn from(run: ComputationRun) -> Self {
        let fingerprint = Fingerprint {
            code: run.code.clone(),
            shape: shape(&run.groups),
        };
        Self { run, fingerprint }
    }
}

impl Candidate {
    /// Without code and groups there is nothing to know it by.
    fn recognisable(&self) -> bool {
        self.run.code.is_some() || !self.run.groups.is_empty()
    }

    fn micros(&self) -> Option<i64> {
        Some(self.run.stop?.0 - self.run.start?.0)
    }

    fn size(&self) -> Size {
        Size {
            tasks: saturating_sum(self.run.states.values().copied()),
            result_bytes: self.run.result_bytes,
            workers: self.run.workers,
        }
    }

    fn erred(&self) -> u64 {
        self.run.states.get("erred").copied().unwrap_or(0)
    }
}

pub(super) fn baseline(app: &App, request: BaselineRequest) -> Result<Baseline> {
    let now = app.now();
    app.read(|db| {
        let found = find_by_id(db, now, request.id)?;
        let over = matches!(found.row.state, ClusterState::Finished | ClusterState::Lost);
        let own: Vec<Candidate> = candidates(runs_of_cluster(db, request.id, SHOWN)?);
        let total = found.row.computations;
        let mut past = Past::new(
            db,
            request.id,
            own.iter().filter_map(|one| one.run.start).max(),
        );
        let mut computations = Vec::with_capacity(own.len());
        for one in &own {
            computations.push(ComputationHistory {
                computation_id: one.run.computation_id.clone(),
                history: past.of_computation(one)?,
            });
        }
        Ok(Baseline {
            cluster: of_cluster(db, &own, total, over, found.row.workers_peak)?,
            truncated: total > computations.len() as u64,
            computations,
            total,
        })
    })
}

/// The cluster whose time is the median of its runs before, for a comparison; `None` where there are none that are alike.
/// With it comes among how many.
pub(super) fn typical(db: &Connection, now: Micros, id: i64) -> Result<Option<(i64, u64)>> {
    let found = find_by_id(db, now, id)?;
    let own = candidates(runs_of_cluster(db, id, SHOWN)?);
    let (total, workers) = (found.row.computations, found.row.workers_peak);
    let Some(history) = of_cluster(db, &own, total, true, workers)? else {
        return Ok(None);
    };
    let alike = history.runs.iter().any(|run| run.alike);
    let mut runs: Vec<&PastRun> = history
        .runs
        .iter()
        .filter(|run| run.alike || !alike)
        .collect();
    runs.sort_by_key(|run| (run.micros, run.start_micros));
    let middle = runs.len().saturating_sub(1) / 2;
    Ok(runs
        .get(middle)
        .map(|run| (run.cluster_id, runs.len() as u64)))
}

fn candidates(runs: Vec<ComputationRun>) -> Vec<Candidate> {
    runs.into_iter().map(Candidate::from).collect()
}

/// What was run before: asked for once by each code, and each run read once.
struct Past<'a> {
    db: &'a Connection,
    /// The cluster that is told of.
    of: i64,
    before: Option<Micros>,
    by_code: HashMap<Option<Vec<u8>>, Rc<Looked<RunOutline>>>,
    read: HashMap<Key, Rc<Candidate>>,
}

impl<'a> Past<'a> {
    fn new(db: &'a Connection, of: i64, before: Option<Micros>) -> Self {
        Self {
            db,
            of,
            before,
            by_code: HashMap::new(),
            read: HashMap::new(),
        }
    }

    /// Runs that ended, of this code or without any; newest first.
    fn of_code(&mut self, code: &Option<Vec<u8>>) -> Result<Rc<Looked<RunOutline>>> {
        let unknown = match self.by_code.entry(code.clone()) {
            Entry::Occupied(known) => return Ok(Rc::clone(known.get())),
            Entry::Vacant(unknown) => unknown,
        };
        let before = self.before.unwrap_or(Micros(0));
        let mut looked = match code {
            Some(code) => runs_of_code(self.db, self.of, code, before, LOOKED_AT)?,
            None => runs_without_code(self.db, self.of, before, CLUSTERS, SEARCHED)?,
        };
        looked.found.sort_by_key(|run| std::cmp::Reverse(run.start));
        Ok(Rc::clone(unknown.insert(Rc::new(looked))))
    }

    /// These runs, in their order.
    fn candidates(&mut self, of: &[&RunOutline]) -> Result<Vec<Rc<Candidate>>> {
        let keys = of.iter().map(|one| &one.key);
        let unread: Vec<Key> = keys
            .filter(|key| !self.read.contains_key(*key))
            .cloned()
            .collect();
        for one in candidates(runs(self.db, &unread)?) {
            let key = (one.run.cluster_id, one.run.computation_id.clone());
            self.read.insert(key, Rc::new(one));
        }
        let read = of.iter().filter_map(|one| self.read.get(&one.key));
        Ok(read.cloned().collect())
    }

    fn of_computation(&mut self, one: &Candidate) -> Result<History> {
        let basis = basis(one.run.code.is_some());
        let run = Run {
            micros: one.micros(),
            size: one.size(),
            erred: one.erred(),
        };
        if !one.recognisable() {
            return Ok(history(run, basis, Vec::new(), false));
        }
        let same = self.of_code(&one.run.code)?;
        let maybe: Vec<&RunOutline> = same
            .found
            .iter()
            .filter(|other| other.group_total == one.run.group_total)
            .filter(|other| Some(other.start) < one.run.start)
            .collect();
        let mut runs = Vec::new();
        for some in maybe.chunks(AT_ONCE) {
            runs.extend(
                self.candidates(some)?
                    .iter()
                    .filter(|other| other.fingerprint == one.fingerprint && other.erred() == 0)
                    .filter_map(|other| past_run(other)),
            );
            if runs.len() >= LAST {
                break;
            }
        }
        runs.truncate(LAST);
        runs.reverse();
        let truncated = same.truncated && runs.len() < LAST;
        Ok(history(run, basis, runs, truncated))
    }
}

fn past_run(of: &Candidate) -> Option<PastRun> {
    Some(PastRun {
        cluster_id: of.run.cluster_id,
        cluster_name: of.run.cluster_name.clone(),
        computation_id: Some(of.run.computation_id.clone()),
        start_micros: of.run.start?,
        micros: of.micros()?,
        tasks: of.size().tasks,
        result_bytes: of.run.result_bytes,
        workers: of.run.workers,
        alike: false,
    })
}

/// Clusters that ran the same set of computations. Their time is the sum of those of their computations: what passes
/// between them is the user's.
fn of_cluster(
    db: &Connection,
    own: &[Candidate],
    total: u64,
    over: bool,
    workers: u64,
) -> Result<Option<History>> {
    // Best one with code: fewer clusters have to be looked through.
    let known = own.iter().filter(|one| one.recognisable());
    let Some(known) = known.min_by_key(|one| one.run.code.is_none()) else {
        return Ok(None);
    };
    if total > own.len() as u64 {
        return Ok(None);
    }
    let wanted = fingerprints(own);
    let run = Run {
        micros: own
            .iter()
            .map(Candidate::micros)
            .sum::<Option<i64>>()
            .filter(|_| over),
        size: Size {
            workers,
            ..sum(own)
        },
        erred: saturating_sum(own.iter().map(Candidate::erred)),
    };
    let before = own.iter().filter_map(|one| one.run.start).min();
    let before = before.unwrap_or(Micros(0));
    let clusters = clusters_of(
        db,
        known.run.cluster_id,
        known.run.code.as_deref(),
        before,
        CLUSTERS,
    )?;
    let (mut runs, mut looked_at, mut truncated) = (Vec::new(), 0, clusters.truncated);
    'looking: for some in clusters.found.chunks(AT_ONCE) {
        let outlines = outlines_of(db, some)?;
        for &id in some.iter().filter(|id| may_be_same(outlines.get(*id), own)) {
            if looked_at >= COMPUTATIONS {
                truncated = true;
                break 'looking;
            }
            let ran = candidates(runs_of_cluster(db, id, SHOWN + 1)?);
            looked_at += ran.len();
            runs.extend(past_cluster(id, &ran, &wanted));
            if runs.len() == LAST {
                truncated = false;
                break 'looking;
            }
        }
    }
    runs.sort_by_key(|run| (run.start_micros, run.cluster_id));
    let basis = basis(own.iter().all(|one| one.run.code.is_some()));
    Ok(Some(history(run, basis, runs, truncated)))
}

/// Whether computations in outline have the codes, and as many groups, as these.
fn may_be_same(outlines: Option<&Vec<CodeAndGroups>>, own: &[Candidate]) -> bool {
    let ours: BTreeSet<_> = own
        .iter()
        .map(|one| (one.run.code.as_ref(), one.run.group_total))
        .collect();
    let theirs = outlines.into_iter().flatten();
    theirs
        .map(|(code, total)| (code.as_ref(), *total))
        .collect::<BTreeSet<_>>()
        == ours
}

/// A cluster that ran the wanted computations and no others, all of them well.
fn past_cluster(id: i64, ran: &[Candidate], wanted: &BTreeSet<&Fingerprint>) -> Option<PastRun> {
    let failed = ran.iter().any(|one| one.erred() > 0);
    if failed || ran.len() > SHOWN || fingerprints(ran) != *wanted {
        return None;
    }
    let first = ran.iter().min_by_key(|one| one.run.start)?;
    let size = sum(ran);
    Some(PastRun {
        cluster_id: id,
        cluster_name: first.run.cluster_name.clone(),
        computation_id: None,
        start_micros: first.run.start?,
        micros: ran.iter().map(Candidate::micros).sum::<Option<i64>>()?,
        tasks: size.tasks,
        result_bytes: size.result_bytes,
        workers: first.run.workers,
        alike: false,
    })
}

fn basis(with_code: bool) -> FingerprintBasis {
    match with_code {
        true => FingerprintBasis::CodeAndShape,
        false => FingerprintBasis::Shape,
    }
}

fn fingerprints(of: &[Candidate]) -> BTreeSet<&Fingerprint> {
    of.iter().map(|one| &one.fingerprint).collect()
}

/// Over all computations, but for the workers, who are the cluster's.
fn sum(of: &[Candidate]) -> Size {
    of.iter()
        .map(Candidate::size)
        .fold(Size::default(), |sum, one| Size {
            tasks: sum.tasks.saturating_add(one.tasks),
            result_bytes: sum.result_bytes.saturating_add(one.result_bytes),
            workers: sum.workers,
        })
}
