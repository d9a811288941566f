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
const RULES: u32 = 17;
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
            "{} {side} has another version than the scheduler's",
            first.package
        ),
        _ => format!(
            "{} {side} and {} have other versions than the scheduler's",
            first.package,
            count(others, "more package", "more packages")
        ),
    };
    Some(Evidence {
        about: EvidenceKind::Versions,
        words,
        value: packages.len() as f64,
        unit: EvidenceUnit::Count,
        rule: "any package of which a worker or client has another version".into(),
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
            "counts above {}; a paused worker begins no task",
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
            "results of {} are {} on average, with {} of memory for a thread",
            group.prefix,
            bytes(group.mean_bytes),
            bytes(room)
        ),
        value: group.mean_bytes as f64,
        unit: EvidenceUnit::Bytes,
        rule: format!(
            "counts above {}, where {RESULTS_A_THREAD} of them do not fit beside a thread",
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
            "counts from {} on: Dask needs about a millisecond for each",
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
        rule: "counts from a thousand on, if they are most".into(),
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
            "{} of the work was unpickling functions and arguments",
            share(part)
        ),
        value: part,
        unit: EvidenceUnit::Share,
        rule: format!(
            "counts above {} of unpickling and compute, from a core-minute on",
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
            "{} failed and {} made again",
            count(course.retried, "attempt", "attempts"),
            match course.retried {
                1 => "was",
                _ => "were",
            }
        ),
        value: course.retried as f64,
        unit: EvidenceUnit::Count,
        rule: "one is enough: `retries` hides them from whoever waits for the result".into(),
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
        "counts above {} and {} of how long the cluster was up",
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
            "Begin with the exception that was seen first: others often follow from it.",
            None,
        ),
        EvidenceKind::LostWorkers => (
            "Give workers more memory, or let them hold less at once: smaller partitions, fewer threads.",
            Some("https://distributed.dask.org/en/stable/killed.html"),
        ),
        EvidenceKind::IdleShare => (
            "Fewer workers would have taken about as long. An adaptive cluster lets go of those it does not need.",
            Some("https://docs.dask.org/en/stable/adaptive.html"),
        ),
        EvidenceKind::TransferShare => (
            "Larger partitions, or fewer and larger workers, move less. A shuffle on a key that is sorted or indexed already moves nothing.",
            Some(BEST),
        ),
        EvidenceKind::SpilledBytes => (
            "Smaller partitions, or workers with more memory. What is persisted and not needed any longer stays in memory until its last reference goes.",
            Some(MEMORY),
        ),
        EvidenceKind::Skew => (
            "Partitions of unlike size are the usual cause: repartition before this step, or split the largest keys.",
            None,
        ),
        EvidenceKind::ShortTasks => (
            "Let each task do more: larger partitions or chunks, or several calls in one delayed function.",
            Some("https://distributed.dask.org/en/stable/efficiency.html"),
        ),
        EvidenceKind::EventLoopLag => (
            "Fewer and larger tasks, and no large objects through the scheduler: scatter them, or load them on the workers.",
            Some("https://distributed.dask.org/en/stable/efficiency.html"),
        ),
        EvidenceKind::Versions => (
            "Install the same versions everywhere: other ones fail in ways that look like errors of your own.",
            None,
        ),
        EvidenceKind::LargeGraph => (
            "Larger chunks, or several computations one after the other.",
            Some(BEST),
        ),
        EvidenceKind::SingleTasks => (
            "Calls that do the same with other values belong into one `map`: Dask then plans them together, and this page shows them as one.",
            Some("https://docs.dask.org/en/stable/delayed-best-practices.html"),
        ),
        EvidenceKind::LargeResults => (
            "Smaller partitions: with several results beside each thread, workers spill, pause or die.",
            Some(BEST),
        ),
        EvidenceKind::PausedWorkers => (
            "Smaller partitions, fewer threads, or workers with more memory.",
            Some(MEMORY),
        ),
        EvidenceKind::Unpickling => (
            "Large arguments or closures are sent with each task: scatter them once, or load them inside of it.",
            Some("https://distributed.dask.org/en/stable/locality.html"),
        ),
        EvidenceKind::Retried => (
            "Look at the workers that left, and at exceptions of what they read from or wrote to.",
            None,
        ),
        EvidenceKind::IdleBefore => (
            "Start the cluster when there is something to do, or with fewer workers that grow.",
            Some("https://docs.dask.org/en/stable/adaptive.html"),
        ),
        EvidenceKind::IdleAfter => (
            "Close it when it is done, or let it: `bobbin.idle.timeout` in its configuration closes a cluster that was idle for so long.",
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
            "numpy on workers and 1 more package have other versions than the scheduler's"
        );
    }
}
