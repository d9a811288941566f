//! Why one run took longer than another: the difference in wall clock in parts that add up to it exactly.
//!
//! A run's wall clock is three stretches,
//!
//! ```text
//! wall = start-up + working + idle
//! ```
//!
//! start-up until the first task began, working while some computation was, and idle for the rest: nobody asked for
//! anything. Differences of start-up and idle are parts as they are. While it works, the cluster has a number of threads
//! on average, and their time goes to something:
//!
//! ```text
//! working = cluster time ÷ threads                        threads = cluster time ÷ working, as told by workers
//! cluster time = Σ over prefixes (tasks × seconds a task) + transfer + disk + deserialising + other + stalled + waiting
//! ```
//!
//! Waiting is what is left. It can be less than nothing, since transfers go on beside computing.
//!
//! What changed is a product of two, and which change is made first would decide how much each of them gets. So each gets
//! the mean over both orders, which is Shapley's value (1953) of a game of two. With Δ for B less A, and a bar for the
//! mean of A and B:
//!
//! ```text
//! Δ working     = Δ(cluster time) × mean(1 ÷ threads) + mean(cluster time) × Δ(1 ÷ threads)
//! Δ(tasks × s)  = Δ tasks × mean(s)                  + mean(tasks) × Δ s
//! ```
//!
//! The second line splits the share that the first one gives to cluster time (Owen's value, 1977). A prefix that one run
//! lacks is all in tasks. Each part is rounded to whole microseconds, and waiting takes up what rounding leaves, so the
//! parts add up exactly; and swapping A and B changes nothing but their sign.

use std::collections::{BTreeMap, BTreeSet};

use super::compare_words::exact;
use crate::query::types::{PartKind, Waterfall, WaterfallPart};

/// Parts of prefixes that are drawn by themselves.
const DRAWN: usize = 10;

/// The tasks of one prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PrefixWork {
    pub(crate) tasks: f64,
    /// Computing, over all of them.
    pub(crate) seconds: f64,
}

/// One run, as far as its time goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RunTime {
    pub(crate) wall_micros: i64,
    pub(crate) startup_micros: i64,
    pub(crate) working_micros: i64,
    pub(crate) prefixes: BTreeMap<String, PrefixWork>,
    pub(crate) transfer_seconds: f64,
    pub(crate) disk_seconds: f64,
    pub(crate) deserialize_seconds: f64,
    pub(crate) other_seconds: f64,
    /// Threads that did nothing while the cluster was stalled.
    pub(crate) stalled_seconds: f64,
    /// Thread time while it worked; null where nothing tells.
    pub(crate) thread_seconds: Option<f64>,
}

impl RunTime {
    fn idle_micros(&self) -> i64 {
        self.wall_micros - self.startup_micros - self.working_micros
    }

    /// While it worked.
    pub(crate) fn threads(&self) -> Option<f64> {
        let seconds = self.thread_seconds?;
        (seconds > 0.0 && self.working_micros > 0)
            .then(|| seconds * 1e6 / self.working_micros as f64)
    }

    pub(crate) fn tasks(&self) -> f64 {
        self.prefixes.values().map(|work| work.tasks).sum()
    }

    /// The time at work as if it had had so many tasks, each as they were; start-up and idleness do not come with tasks, and are
    /// left out. Without tasks it stays as it is.
    pub(crate) fn per_tasks(&self, tasks: u64) -> Self {
        let own = self.tasks();
        if own <= 0.0 {
            return self.clone();
        }
        let by = tasks as f64 / own;
        let scaled = |work: &PrefixWork| PrefixWork {
            tasks: work.tasks * by,
            seconds: work.seconds * by,
        };
        let working = (self.working_micros as f64 * by).round() as i64;
        Self {
            wall_micros: working,
            startup_micros: 0,
            working_micros: working,
            prefixes: self
                .prefixes
                .iter()
                .map(|(name, work)| (name.clone(), scaled(work)))
                .collect(),
            transfer_seconds: self.transfer_seconds * by,
            disk_seconds: self.disk_seconds * by,
            deserialize_seconds: self.deserialize_seconds * by,
            other_seconds: self.other_seconds * by,
            stalled_seconds: self.stalled_seconds * by,
            thread_seconds: self.thread_seconds.map(|seconds| seconds * by),
        }
    }

    /// Of the thread seconds in which threads did nothing, those while the cluster was stalled.
    fn stalled(&self) -> f64 {
        self.stalled_seconds.min(self.nothing_seconds().max(0.0))
    }

    /// Thread seconds in which threads did none of the rest.
    fn waiting_seconds(&self) -> f64 {
        self.nothing_seconds() - self.stalled()
    }

    fn nothing_seconds(&self) -> f64 {
        let computing: f64 = self.prefixes.values().map(|work| work.seconds).sum();
        self.thread_seconds.unwrap_or(0.0)
            - computing
            - self.transfer_seconds
            - self.disk_seconds
            - self.deserialize_seconds
            - self.other_seconds
    }
}

/// The difference between two runs in parts, as the head of this file says.
pub(crate) fn waterfall(a: &RunTime, b: &RunTime, per_tasks: Option<u64>) -> Waterfall {
    let mut parts = vec![WaterfallPart {
        words: instead(b.startup_micros, a.startup_micros, "until the first task"),
        ..part(PartKind::Startup, b.startup_micros - a.startup_micros)
    }];
    match (a.threads(), b.threads()) {
        (Some(threads_a), Some(threads_b)) => working(a, b, threads_a, threads_b, &mut parts),
        _ => parts.push(WaterfallPart {
            words: instead(
                b.working_micros,
                a.working_micros,
                "working; the number of threads is unknown",
            ),
            ..part(PartKind::Working, b.working_micros - a.working_micros)
        }),
    }
    parts.push(WaterfallPart {
        words: instead(b.idle_micros(), a.idle_micros(), "with nothing to do"),
        ..part(PartKind::Idle, b.idle_micros() - a.idle_micros())
    });
    Waterfall {
        a_micros: a.wall_micros,
        b_micros: b.wall_micros,
        parts,
        per_tasks,
    }
}

fn working(
    a: &RunTime,
    b: &RunTime,
    threads_a: f64,
    threads_b: f64,
    parts: &mut Vec<WaterfallPart>,
) {
    // Microseconds of wall clock for each second of threads.
    let (pace_a, pace_b) = (1e6 / threads_a, 1e6 / threads_b);
    let pace = (pace_a + pace_b) / 2.0;
    let first = parts.len();
    let mut add = |kind, prefix: Option<&str>, micros: f64, words: String| {
        parts.push(WaterfallPart {
            prefix: prefix.map(Into::into),
            words,
            ..part(kind, micros.round() as i64)
        });
    };
    let prefixes: BTreeSet<&String> = a.prefixes.keys().chain(b.prefixes.keys()).collect();
    let mut computing = Vec::new();
    for prefix in prefixes {
        let one = a.prefixes.get(prefix).copied().unwrap_or_default();
        let two = b.prefixes.get(prefix).copied().unwrap_or_default();
        let (tasks, speed) = split(one, two);
        computing.push((
            PartKind::Tasks,
            prefix,
            tasks * pace,
            instead_of(two.tasks, one.tasks),
        ));
        computing.push((PartKind::Speed, prefix, speed * pace, speed_words(one, two)));
    }
    computing.retain(|(_, _, micros, _)| micros.round() != 0.0);
    computing.sort_by(
        |(kind, prefix, micros, _), (other_kind, other, others, _)| {
            (others.abs().total_cmp(&micros.abs()))
                .then_with(|| (prefix, kind).cmp(&(other, other_kind)))
        },
    );
    for (kind, prefix, micros, words) in computing {
        add(kind, Some(prefix), micros, words);
    }
    for (kind, one, two) in [
        (PartKind::Transfer, a.transfer_seconds, b.transfer_seconds),
        (PartKind::Disk, a.disk_seconds, b.disk_seconds),
        (
            PartKind::Deserialize,
            a.deserialize_seconds,
            b.deserialize_seconds,
        ),
        (PartKind::Other, a.other_seconds, b.other_seconds),
    ] {
        add(
            kind,
            None,
            (two - one) * pace,
            instead(micros(two), micros(one), "of cluster time"),
        );
    }
    let time = (a.thread_seconds.unwrap_or(0.0) + b.thread_seconds.unwrap_or(0.0)) / 2.0;
    let threads = format!(
        "{} threads on average instead of {}",
        figure(threads_b),
        figure(threads_a)
    );
    add(PartKind::Threads, None, time * (pace_b - pace_a), threads);
    let (stalled_a, stalled_b) = (a.stalled(), b.stalled());
    // Nearly always there is none.
    if stalled_a > 0.0 || stalled_b > 0.0 {
        let words = instead(micros(stalled_b), micros(stalled_a), "of cluster time");
        let more = (stalled_b - stalled_a) * pace;
        add(PartKind::Stalled, None, more, words);
    }
    let told = parts[first..]
        .iter()
        .fold(0, |sum: i64, part| sum.saturating_add(part.micros));
    parts.push(WaterfallPart {
        words: waiting_words(a, b),
        ..part(
            PartKind::Waiting,
            (b.working_micros - a.working_micros).saturating_sub(told),
        )
    });
    let computing = parts[first..]
        .iter_mut()
        .filter(|part| part.prefix.is_some());
    for small in computing.skip(DRAWN) {
        small.small = true;
    }
}

fn part(kind: PartKind, micros: i64) -> WaterfallPart {
    WaterfallPart {
        kind,
        prefix: None,
        micros,
        words: String::new(),
        small: false,
    }
}

/// What more tasks and slower tasks each added to the seconds of a prefix.
fn split(a: PrefixWork, b: PrefixWork) -> (f64, f64) {
    let difference = b.seconds - a.seconds;
    if a.tasks <= 0.0 || b.tasks <= 0.0 {
        return (difference, 0.0);
    }
    let (each_a, each_b) = (a.seconds / a.tasks, b.seconds / b.tasks);
    let tasks = (b.tasks - a.tasks) * ((each_a + each_b) / 2.0);
    let speed = (each_b - each_a) * ((a.tasks + b.tasks) / 2.0);
    (tasks, speed)
}

fn micros(seconds: f64) -> i64 {
    (seconds * 1e6).round() as i64
}

fn instead(now: i64, before: i64, what: &str) -> String {
    format!("{} instead of {} {what}", exact(now), exact(before))
}

fn instead_of(now: f64, before: f64) -> String {
    if before == 0.0 {
        return format!("{} tasks, none in A", figure(now));
    }
    if now == 0.0 {
        return format!("no tasks, {} in A", figure(before));
    }
    format!("{} tasks instead of {}", figure(now), figure(before))
}

fn speed_words(a: PrefixWork, b: PrefixWork) -> String {
    let each = |work: PrefixWork| exact(micros(work.seconds / work.tasks.max(f64::MIN_POSITIVE)));
    format!("{} per task instead of {}", each(b), each(a))
}

fn waiting_words(a: &RunTime, b: &RunTime) -> String {
    let share = |run: &RunTime| {
        let of = run.thread_seconds.unwrap_or(0.0);
        run.waiting_seconds() / of.max(f64::MIN_POSITIVE) * 100.0
    };
    let (one, two) = (share(a), share(b));
    // Of shares that are nearly the same the digit tells in what they differ.
    let digits = usize::from(one.round() == two.round());
    let percent = |value: f64| format!("{value:.digits$} %").replace('-', "−");
    let overlap = if one.round() < 0.0 || two.round() < 0.0 {
        "; below zero because transfers overlap with computing"
    } else {
        ""
    };
    format!(
        "{} of cluster time instead of {}{overlap}",
        percent(two),
        percent(one)
    )
}

/// With a digit, where that is not zero.
fn figure(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    if tenths.fract() == 0.0 || value >= 1_000.0 {
        format!("{value:.0}")
    } else {
        format!("{tenths:.1}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::btree_map;
    use proptest::prelude::*;

    use super::*;

    /// Two seconds of start-up, ten of work by four threads that do nothing but compute, three idle.
    fn run() -> RunTime {
        let work = PrefixWork {
            tasks: 100.0,
            seconds: 40.0,
        };
        RunTime {
            wall_micros: 15_000_000,
            startup_micros: 2_000_000,
            working_micros: 10_000_000,
            prefixes: BTreeMap::from([("inc".into(), work)]),
            thread_seconds: Some(40.0),
            ..RunTime::default()
        }
    }

    fn parts(of: &Waterfall) -> Vec<(PartKind, i64)> {
        of.parts
            .iter()
            .filter(|part| part.micros != 0)
            .map(|part| (part.kind, part.micros))
            .collect()
    }

    #[test]
    fn a_single_change_is_the_only_part() {
        // As many tasks, each half as long again.
        let mut slower = run();
        slower.prefixes.insert(
            "inc".into(),
            PrefixWork {
                tasks: 100.0,
                seconds: 60.0,
            },
        );
        (
            slower.working_micros,
            slower.wall_micros,
            slower.thread_seconds,
        ) = (15_000_000, 20_000_000, Some(60.0));
        let told = waterfall(&run(), &slower, None);
        assert_eq!(parts(&told), [(PartKind::Speed, 5_000_000)]);
        assert_eq!(told.parts[1].words, "600 ms per task instead of 400 ms");
        // Half of the threads.
        let mut fewer = run();
        (fewer.working_micros, fewer.wall_micros) = (20_000_000, 25_000_000);
        let told = waterfall(&run(), &fewer, None);
        assert_eq!(parts(&told), [(PartKind::Threads, 10_000_000)]);
        // Nothing to do for longer, and a later start.
        let mut late = run();
        (late.startup_micros, late.wall_micros) = (3_000_000, 20_000_000);
        assert_eq!(
            parts(&waterfall(&run(), &late, None)),
            [(PartKind::Startup, 1_000_000), (PartKind::Idle, 4_000_000)]
        );
    }

    #[test]
    fn two_changes_share_what_they_did_together() {
        // Twice the tasks, each twice as long: 40 s become 160 s, 60 s of them by each.
        let mut grown = run();
        grown.prefixes.insert(
            "inc".into(),
            PrefixWork {
                tasks: 200.0,
                seconds: 160.0,
            },
        );
        (
            grown.working_micros,
            grown.wall_micros,
            grown.thread_seconds,
        ) = (40_000_000, 45_000_000, Some(160.0));
        let told = waterfall(&run(), &grown, None);
        assert_eq!(
            parts(&told),
            [(PartKind::Tasks, 15_000_000), (PartKind::Speed, 15_000_000)]
        );
        // For a thousand tasks, only the speed is left.
        let each = waterfall(
            &run().per_tasks(1_000),
            &grown.per_tasks(1_000),
            Some(1_000),
        );
        assert!(each.parts.iter().all(|part| part.kind != PartKind::Tasks));
        assert_eq!(parts(&each), [(PartKind::Speed, 100_000_000)]);
    }

    #[test]
    fn what_stalled_is_told_apart_from_waiting() {
        // Ten seconds more, in which four threads do nothing.
        let stuck = |stalled_seconds| RunTime {
            working_micros: 20_000_000,
            wall_micros: 25_000_000,
            thread_seconds: Some(80.0),
            stalled_seconds,
            ..run()
        };
        let told = |stalled_seconds| parts(&waterfall(&run(), &stuck(stalled_seconds), None));
        assert_eq!(told(0.0), [(PartKind::Waiting, 10_000_000)]);
        assert_eq!(
            told(30.0),
            [
                (PartKind::Stalled, 7_500_000),
                (PartKind::Waiting, 2_500_000)
            ]
        );
        // No more than threads did nothing.
        assert_eq!(told(90.0), [(PartKind::Stalled, 10_000_000)]);
    }

    #[test]
    fn a_prefix_of_one_run_is_all_in_tasks() {
        let mut more = run();
        more.prefixes.insert(
            "new".into(),
            PrefixWork {
                tasks: 10.0,
                seconds: 4.0,
            },
        );
        (more.working_micros, more.wall_micros, more.thread_seconds) =
            (11_000_000, 16_000_000, Some(44.0));
        let told = waterfall(&run(), &more, None);
        assert_eq!(parts(&told), [(PartKind::Tasks, 1_000_000)]);
        assert_eq!(told.parts[1].words, "10 tasks, none in A");
    }

    #[test]
    fn time_at_work_is_one_part_where_nothing_tells_of_threads() {
        let blind = RunTime {
            thread_seconds: None,
            working_micros: 4_000_000,
            wall_micros: 9_000_000,
            ..run()
        };
        let told = waterfall(&run(), &blind, None);
        assert_eq!(parts(&told), [(PartKind::Working, -6_000_000)]);
    }

    #[test]
    fn figures_that_no_cluster_has_stop_nothing() {
        let work = PrefixWork {
            tasks: 1.0,
            seconds: 2e12,
        };
        let strange = RunTime {
            prefixes: BTreeMap::from([("a".into(), work), ("b".into(), work)]),
            thread_seconds: Some(1e-6),
            ..run()
        };
        let told = waterfall(&run(), &strange, None);
        assert_eq!(told.parts[1].micros, i64::MAX);
    }

    prop_compose! {
        fn any_run()(
            startup in 0i64..100_000_000,
            working in 0i64..100_000_000_000,
            idle in 0i64..100_000_000,
            prefixes in btree_map("[a-f]", (0u32..5_000, 0.0f64..10_000.0), 0..6),
            apart in (0.0f64..1e4, 0.0f64..1e4, 0.0f64..1e3, 0.0f64..1e3, 0.0f64..1e4),
            threads in proptest::option::weighted(0.9, 0.1f64..1e6),
        ) -> RunTime {
            let work = |(tasks, seconds)| PrefixWork { tasks: f64::from(tasks), seconds };
            RunTime {
                wall_micros: startup + working + idle,
                startup_micros: startup,
                working_micros: working,
                prefixes: prefixes.into_iter().map(|(name, drawn)| (name, work(drawn))).collect(),
                transfer_seconds: apart.0,
                disk_seconds: apart.1,
                deserialize_seconds: apart.2,
                other_seconds: apart.3,
                stalled_seconds: apart.4,
                thread_seconds: threads,
            }
        }
    }

    proptest! {
        #[test]
        fn the_parts_add_up_exactly(a in any_run(), b in any_run()) {
            let told = waterfall(&a, &b, None);
            let sum: i64 = told.parts.iter().map(|part| part.micros).sum();
            prop_assert_eq!(sum, b.wall_micros - a.wall_micros);
        }

        #[test]
        fn swapping_the_runs_changes_the_signs_alone(a in any_run(), b in any_run()) {
            let (there, back) = (waterfall(&a, &b, None), waterfall(&b, &a, None));
            prop_assert_eq!(there.parts.len(), back.parts.len());
            for (one, two) in there.parts.iter().zip(&back.parts) {
                prop_assert_eq!((one.kind, &one.prefix, one.micros), (two.kind, &two.prefix, -two.micros));
            }
        }

        #[test]
        fn a_run_beside_itself_differs_in_nothing(a in any_run()) {
            prop_assert!(waterfall(&a, &a, None).parts.iter().all(|part| part.micros == 0));
        }

        #[test]
        fn for_a_thousand_tasks_they_add_up_as_well(a in any_run(), b in any_run()) {
            let (a, b) = (a.per_tasks(1_000), b.per_tasks(1_000));
            prop_assert!(a.idle_micros() == 0 && a.startup_micros == 0 || a.tasks() <= 0.0);
            let sum: i64 = waterfall(&a, &b, None).parts.iter().map(|part| part.micros).sum();
            prop_assert_eq!(sum, b.wall_micros - a.wall_micros);
        }

        #[test]
        fn waiting_takes_up_no_more_than_rounding_leaves(a in any_run(), b in any_run()) {
            if let (Some(one), Some(two)) = (a.threads(), b.threads()) {
                let pace = (1e6 / one + 1e6 / two) / 2.0;
                let exact = (b.waiting_seconds() - a.waiting_seconds()) * pace;
                let told = waterfall(&a, &b, None);
                let waiting = told.parts.iter().find(|part| part.kind == PartKind::Waiting).unwrap();
                let slack = told.parts.len() as f64 + exact.abs() * 1e-9 + b.working_micros as f64 * 1e-6;
                prop_assert!((waiting.micros as f64 - exact).abs() <= slack, "{} {exact}", waiting.micros);
            }
        }
    }
}
