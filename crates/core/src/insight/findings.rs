//! What the stored numbers say against how a cluster was used: what its verdict rests on, and rules of less weight, each
//! with its figure, from where on it counts, and what to do.

use super::verdict::{failures, waste};
use super::words::{bytes, count, duration, share};
use crate::model::Micros;
use crate::query::types::{
    Evidence, EvidenceKind, EvidenceTab, EvidenceUnit, Finding, FindingList, VersionMismatch,
    VersionSide,
};
use crate::query::{Course, Judged};

/// Failures and waste of the verdict, and those below.
const RULES: u32 = 18;
/// Dask's documentation says to stay well below a million: at about a millisecond a task, this is minutes of scheduling.
const LARGE_GRAPH: u64 = 100_000;
/// Fewer groups of one task are code that runs a few things once.
const SINGLE_GROUPS: u64 = 1_000;
/// A thread reads one and makes another while a third waits to be sent.
const RESULTS_A_THREAD: u64 = 3;
/// Smaller results fit in any worker.
const LARGE_RESULT: u64 = 64 << 20;
const UNPICKLING_SHARE: f64 = 0.1;
const PAUSED_SHARE: f64 = 0.01;
/// Shorter waits are those of workers that start.
const IDLE: i64 = 300_000_000;
const IDLE_SHARE: f64 = 0.2;

/// All that there is to find.
pub(crate) fn findings(
    judged: &Judged,
    course: &Course,
    mismatches: &[VersionMismatch],
) -> FindingList {
    let more = [
        versions(mismatches),
        paused(course),
        large_results(course),
        large_graph(course),
        single_tasks(course),
        unpickling(judged),
        retried(course),
        idle_before(judged, course),
        idle_after(judged, course),
    ];
    let evidence = failures(judged)
        .into_iter()
        .chain(waste(judged))
        .chain(more.into_iter().flatten());
    let rows = evidence.map(|evidence| {
        let (advice, page) = advice(evidence.about);
        Finding {
            evidence,
            advice: advice.into(),
            page: page.map(Into::into),
        }
    });
    FindingList {
        rows: rows.collect(),
        rules: RULES,
    }
}

fn versions(mismatches: &[VersionMismatch]) -> Option<Evidence> {
    let first = mismatches.first()?;
    let mut packages: Vec<&str> = mismatches.iter().map(|one| one.package.as_str()).collect();
    packages.sort_unstable();
    packages.dedup();
    let side = match first.side {
        VersionSide::Worker => "on workers",
        VersionSide::Client => "in the client",
    };
    let others = packages.len() as u64 - 1;
    let words = match others {
        0 => format!(
            "{} {side} has a different version than on the scheduler",
            first.package
        ),
        _ => format!(
            "{} {side} and {} have different versions than on the scheduler",
            first.package,
            count(others, "more package", "more packages")
        ),
    };
    Some(Evidence {
        about: EvidenceKind::Versions,
        words,
        value: packages.len() as f64,
        unit: EvidenceUnit::Count,
        rule: "flagged when a worker or client has a different version of any package".into(),
        tab: Some(EvidenceTab::Facts),
        item: None,
    })
}

fn paused(course: &Course) -> Option<Evidence> {
    let part = course.paused_samples as f64 / course.samples as f64;
    (course.paused_samples > 0 && part > PAUSED_SHARE).then(|| Evidence {
        about: EvidenceKind::PausedWorkers,
        words: format!(
            "workers were paused in {} of the reports: their memory was full",
            share(part)
        ),
        value: part,
        unit: EvidenceUnit::Share,
        rule: format!(
            "flagged above {}; a paused worker starts no tasks",
            share(PAUSED_SHARE)
        ),
        tab: Some(EvidenceTab::Workers),
        item: None,
    })
}

fn large_results(course: &Course) -> Option<Evidence> {
    let group = course.largest_results.as_ref()?;
    let room = course.thread_memory_bytes?;
    let large =
        group.mean_bytes > LARGE_RESULT && group.mean_bytes.saturating_mul(RESULTS_A_THREAD) > room;
    large.then(|| Evidence {
        about: EvidenceKind::LargeResults,
        words: format!(
            "results of {} average {}, with {} of memory per thread",
            group.prefix,
            bytes(group.mean_bytes),
            bytes(room)
        ),
        value: group.mean_bytes as f64,
        unit: EvidenceUnit::Bytes,
        rule: format!(
            "flagged above {}, if {RESULTS_A_THREAD} of them do not fit into the memory of one thread",
            bytes(LARGE_RESULT)
        ),
        tab: Some(EvidenceTab::Groups),
        item: Some(group.group_id.clone()),
    })
}

fn large_graph(course: &Course) -> Option<Evidence> {
    let (computation, tasks) = course.largest_graph.as_ref()?;
    (*tasks >= LARGE_GRAPH).then(|| Evidence {
        about: EvidenceKind::LargeGraph,
        words: format!("one computation had {}", count(*tasks, "task", "tasks")),
        value: *tasks as f64,
        unit: EvidenceUnit::Count,
        rule: format!(
            "flagged from {} up: Dask needs about a millisecond for each",
            count(LARGE_GRAPH, "task", "tasks")
        ),
        tab: Some(EvidenceTab::Computations),
        item: Some(computation.clone()),
    })
}

fn single_tasks(course: &Course) -> Option<Evidence> {
    let single = course.single_groups;
    (single >= SINGLE_GROUPS && single * 2 > course.groups).then(|| Evidence {
        about: EvidenceKind::SingleTasks,
        words: format!(
            "{} of {} have a single task",
            count(single, "group", "groups"),
            count(course.groups, "group", "groups")
        ),
        value: single as f64,
        unit: EvidenceUnit::Count,
        rule: "flagged from a thousand up, if they are the majority".into(),
        tab: Some(EvidenceTab::Groups),
        item: None,
    })
}

fn unpickling(judged: &Judged) -> Option<Evidence> {
    let (read, computed) = (judged.seconds.deserialize, judged.seconds.compute);
    let part = read / (read + computed);
    (read > 60.0 && part > UNPICKLING_SHARE).then(|| Evidence {
        about: EvidenceKind::Unpickling,
        words: format!(
            "{} of the work went to unpickling functions and arguments",
            share(part)
        ),
        value: part,
        unit: EvidenceUnit::Share,
        rule: format!(
            "flagged above {} of unpickling and compute, from one core-minute up",
            share(UNPICKLING_SHARE)
        ),
        tab: Some(EvidenceTab::Activity),
        item: None,
    })
}

fn retried(course: &Course) -> Option<Evidence> {
    (course.retried > 0).then(|| Evidence {
        about: EvidenceKind::Retried,
        words: format!(
            "{} failed and {} retried",
            count(course.retried, "attempt", "attempts"),
            match course.retried {
                1 => "was",
                _ => "were",
            }
        ),
        value: course.retried as f64,
        unit: EvidenceUnit::Count,
        rule: "flagged from the first: `retries` hides failures from the code that waits for the result".into(),
        tab: Some(EvidenceTab::Groups),
        item: None,
    })
}

/// A stretch without work that is long, and long for this cluster.
fn stretch(judged: &Judged, from: Micros, to: Micros) -> Option<i64> {
    let row = &judged.found.row;
    let end = row.stopped_micros.unwrap_or(row.last_heard_micros);
    let (idle, life) = (to.0 - from.0, end.0 - row.started_micros.0);
    (idle > IDLE && idle as f64 > IDLE_SHARE * life as f64).then_some(idle)
}

fn idle_rule() -> String {
    format!(
        "flagged above {} and {} of the cluster’s uptime",
        duration(IDLE),
        share(IDLE_SHARE)
    )
}

fn idle_before(judged: &Judged, course: &Course) -> Option<Evidence> {
    let began = judged.found.row.started_micros.max(course.first_sample?);
    let idle = stretch(judged, began, course.first_work?)?;
    Some(Evidence {
        about: EvidenceKind::IdleBefore,
        words: format!("it waited {} for its first task", duration(idle)),
        value: idle as f64 / 1e6,
        unit: EvidenceUnit::Seconds,
        rule: idle_rule(),
        tab: None,
        item: None,
    })
}

fn idle_after(judged: &Judged, course: &Course) -> Option<Evidence> {
    let idle = stretch(judged, course.last_work?, judged.found.row.stopped_micros?)?;
    Some(Evidence {
        about: EvidenceKind::IdleAfter,
        words: format!("it stayed up for {} after its last task", duration(idle)),
        value: idle as f64 / 1e6,
        unit: EvidenceUnit::Seconds,
        rule: idle_rule(),
        tab: None,
        item: None,
    })
}

/// What to do, and Dask's own page on it.
fn advice(about: EvidenceKind) -> (&'static str, Option<&'static str>) {
    const BEST: &str = "https://docs.dask.org/en/stable/best-practices.html";
    const MEMORY: &str = "https://distributed.dask.org/en/stable/worker-memory.html";
    match about {
        EvidenceKind::ErredTasks => (
            "Start with the first exception: the others often follow from it.",
            None,
        ),
        EvidenceKind::LostWorkers => (
            "Give workers more memory, or have them hold less at once: use smaller partitions or fewer threads.",
            Some("https://distributed.dask.org/en/stable/killed.html"),
        ),
        EvidenceKind::Stalled => (
            "Find what the tasks were waiting for: a lock, a slow service, or data from a worker that did not answer.",
            None,
        ),
        EvidenceKind::IdleShare => (
            "Use fewer workers: the run would have taken about as long. An adaptive cluster releases workers it does not need.",
            Some("https://docs.dask.org/en/stable/adaptive.html"),
        ),
        EvidenceKind::TransferShare => (
            "Use larger partitions, or fewer and larger workers, to move less data. A shuffle on a key that is already sorted or indexed moves nothing.",
            Some(BEST),
        ),
        EvidenceKind::SpilledBytes => (
            "Use smaller partitions or workers with more memory. Persisted data stays in memory until its last reference is gone, so drop what you no longer need.",
            Some(MEMORY),
        ),
        EvidenceKind::Skew => (
            "Uneven partitions are the usual cause. Repartition before this step, or split the largest keys.",
            None,
        ),
        EvidenceKind::ShortTasks => (
            "Give each task more to do: use larger partitions or chunks, or put several calls into one delayed function.",
            Some("https://distributed.dask.org/en/stable/efficiency.html"),
        ),
        EvidenceKind::EventLoopLag => (
            "Use fewer and larger tasks, and keep large objects off the scheduler: scatter them, or load them on the workers.",
            Some("https://distributed.dask.org/en/stable/efficiency.html"),
        ),
        EvidenceKind::Versions => (
            "Install the same versions everywhere. Mismatched versions fail in ways that look like bugs in your own code.",
            None,
        ),
        EvidenceKind::LargeGraph => (
            "Use larger chunks, or split the work into several computations, one after the other.",
            Some(BEST),
        ),
        EvidenceKind::SingleTasks => (
            "Put calls that do the same with different values into one `map`. Dask then plans them together, and this page shows them as one.",
            Some("https://docs.dask.org/en/stable/delayed-best-practices.html"),
        ),
        EvidenceKind::LargeResults => (
            "Use smaller partitions. With several results per thread in memory, workers spill, pause or die.",
            Some(BEST),
        ),
        EvidenceKind::PausedWorkers => (
            "Use smaller partitions, fewer threads or workers with more memory.",
            Some(MEMORY),
        ),
        EvidenceKind::Unpickling => (
            "Dask sends large arguments and closures with every task. Scatter them once, or load them inside the task.",
            Some("https://distributed.dask.org/en/stable/locality.html"),
        ),
        EvidenceKind::Retried => (
            "Check the workers that left, and the exceptions of the systems they read from or wrote to.",
            None,
        ),
        EvidenceKind::IdleBefore => (
            "Start the cluster when there is work to do, or start with few workers and let it scale up.",
            Some("https://docs.dask.org/en/stable/adaptive.html"),
        ),
        EvidenceKind::IdleAfter => (
            "Close the cluster when it is done, or set `bobbin.idle.timeout` in its configuration: the cluster then closes after being idle that long.",
            None,
        ),
        EvidenceKind::State | EvidenceKind::ComputeShare | EvidenceKind::TasksCompleted => {
            ("", None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insight::verdict::tests::well_off;
    use crate::model::ClusterState;
    use crate::query::LargestResults;

    fn abouts(judged: &Judged, course: &Course) -> Vec<EvidenceKind> {
        let found = findings(judged, course, &[]);
        found.rows.iter().map(|row| row.evidence.about).collect()
    }

    #[test]
    fn a_cluster_that_is_well_has_none() {
        assert_eq!(abouts(&well_off(), &Course::default()), []);
    }

    /// Each rule alone: on its bound nothing is found, just above it is, with advice.
    #[test]
    fn each_rule_counts_from_its_bound_on() {
        type Change = fn(&mut Course);
        let results = |mean_bytes| {
            Some(LargestResults {
                group_id: "g".into(),
                prefix: "load".into(),
                mean_bytes,
            })
        };
        let rules: [(EvidenceKind, Change, Change); 5] = [
            (
                EvidenceKind::LargeGraph,
                |c| c.largest_graph = Some(("c1".into(), 99_999)),
                |c| c.largest_graph = Some(("c1".into(), 100_000)),
            ),
            (
                EvidenceKind::SingleTasks,
                |c| (c.single_groups, c.groups) = (1_500, 3_000),
                |c| (c.single_groups, c.groups) = (1_500, 2_999),
            ),
            (
                EvidenceKind::PausedWorkers,
                |c| (c.paused_samples, c.samples) = (1, 100),
                |c| (c.paused_samples, c.samples) = (2, 100),
            ),
            (EvidenceKind::Retried, |_| {}, |c| c.retried = 1),
            (
                EvidenceKind::LargeResults,
                |c| c.thread_memory_bytes = Some(300 << 20),
                |c| c.thread_memory_bytes = Some((300 << 20) - 1),
            ),
        ];
        for (about, below, above) in rules {
            let mut course = Course {
                largest_results: results(100 << 20),
                thread_memory_bytes: Some(1 << 40),
                ..Course::default()
            };
            below(&mut course);
            assert_eq!(abouts(&well_off(), &course), [], "{about:?}");
            above(&mut course);
            let found = findings(&well_off(), &course, &[]);
            assert_eq!(abouts(&well_off(), &course), [about]);
            assert!(!found.rows[0].advice.is_empty() && !found.rows[0].evidence.rule.is_empty());
        }
    }

    #[test]
    fn idleness_before_and_after_the_work_is_found_where_it_is_long_for_the_cluster() {
        let minutes = |n: i64| Micros(n * 60_000_000);
        let mut judged = well_off();
        judged.found.row.state = ClusterState::Finished;
        judged.found.row.started_micros = minutes(0);
        judged.found.row.stopped_micros = Some(minutes(40));
        let mut course = Course {
            first_sample: Some(minutes(0)),
            first_work: Some(minutes(8)),
            last_work: Some(minutes(32)),
            ..Course::default()
        };
        assert_eq!(abouts(&judged, &course), [], "a fifth each");
        course.first_work = Some(minutes(10));
        course.last_work = Some(minutes(30));
        let found = findings(&judged, &course, &[]);
        let words: Vec<_> = found
            .rows
            .iter()
            .map(|row| row.evidence.words.as_str())
            .collect();
        assert_eq!(
            words,
            [
                "it waited 10 min for its first task",
                "it stayed up for 10 min after its last task"
            ]
        );
        judged.found.row.stopped_micros = None;
        assert_eq!(
            abouts(&judged, &course),
            [EvidenceKind::IdleBefore],
            "while it is up, its state says that it is idle"
        );
    }

    #[test]
    fn what_the_verdict_rests_on_comes_first_and_all_of_it() {
        let mut judged = well_off();
        judged.found.row.tasks_erred = 3;
        judged.workers_lost = 1;
        judged.spilled_bytes = 500_000;
        judged.late_samples = 50;
        let course = Course {
            retried: 2,
            ..Course::default()
        };
        let mismatch = |package: &str| VersionMismatch {
            package: package.into(),
            side: VersionSide::Worker,
            version: None,
            count: 1,
        };
        let found = findings(&judged, &course, &[mismatch("numpy"), mismatch("msgpack")]);
        let abouts: Vec<_> = found.rows.iter().map(|row| row.evidence.about).collect();
        assert_eq!(
            abouts,
            [
                EvidenceKind::ErredTasks,
                EvidenceKind::LostWorkers,
                EvidenceKind::SpilledBytes,
                EvidenceKind::EventLoopLag,
                EvidenceKind::Versions,
                EvidenceKind::Retried
            ]
        );
        assert_eq!(
            found.rows[4].evidence.words,
            "numpy on workers and 1 more package have different versions than on the scheduler"
        );
    }
}
