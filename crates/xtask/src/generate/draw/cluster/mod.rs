//! One cluster: what its plugin would have sent by its end.

mod computations;
mod groups;
mod members;
mod profiles;
mod samples;

use bobbin_core::{
    model::Micros,
    wire::{Record, StopRecord, TaskGroupRecord},
};

use self::groups::{exceptions, groups, sum};
use super::{
    dice::Dice,
    recorded::Recorded,
    team::{self, Author, Team},
};

/// Half of all clusters have fewer groups, one in a hundred has more than 2,000.
const MEDIAN_GROUPS: f64 = 40.0;
const GROUPS_SIGMA: f64 = 1.68;
const MOST_GROUPS: f64 = 5_000.0;
/// Distinct stacks of a cluster's profile.
const STACKS: usize = 900;
const FAILING: f64 = 0.03;
const IDLE_TAIL: f64 = 0.12;
/// Of those with such a tail: one of their tasks hangs in it.
const STALLED: f64 = 0.25;
/// Those whose scheduler was killed.
const LOST: f64 = 0.01;
const GIB: u64 = 1 << 30;
const SECOND: i64 = 1_000_000;
/// A beat, where that makes no more samples than this.
const INTERVAL: i64 = 10 * SECOND;
const MOST_SAMPLES: i64 = 120;

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
    /// From the last task that ended to its end.
    stalls: bool,
}

/// A cluster as it was drawn, before anything is told of it.
struct Drawn<'a> {
    dice: Dice,
    plan: Plan<'a>,
    groups: Vec<TaskGroupRecord>,
    exceptions: Vec<Record>,
    /// Seconds that all its tasks took.
    busy: f64,
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
    period: (u32, i64),
) -> Generated {
    draw(seed, number, size, (team, stories), period).tell(size)
}

fn draw<'a>(
    seed: u64,
    number: u64,
    size: Size,
    (team, stories): (&'a Team, &'a [Recorded]),
    (days, until): (u32, i64),
) -> Drawn<'a> {
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
    let idles = dice.chance(IDLE_TAIL);
    let tail = if idles {
        dice.between(0.5, 4.0)
    } else {
        dice.between(0.0, 0.05)
    };
    // Dice of its own: what does not stall is drawn as without it.
    let mut hanging = Dice::named(seed, &format!("what hangs of {number}"));
    let stalls = idles && hanging.chance(STALLED);
    // Longer than the minute after which it counts.
    let least = if stalls {
        hanging.between(300.0, 7_200.0)
    } else {
        0.0
    };
    let plan = Plan {
        seed,
        author,
        recorded,
        start,
        done,
        end: done + ((length * tail).max(least) * 1e6) as i64 + SECOND,
        workers,
        threads_each,
        worker_ids: (0..workers).map(|_| dice.hex()).collect(),
        more: busy / busy_of(&recorded.groups).max(1.0),
        lost: dice.chance(LOST),
        stalls,
    };
    plan.place(&mut dice, &mut groups);
    let exceptions = if dice.chance(FAILING) {
        exceptions(&mut dice, stories, &mut groups)
    } else {
        Vec::new()
    };
    Drawn {
        dice,
        plan,
        groups,
        exceptions,
        busy,
    }
}

impl Drawn<'_> {
    /// What its plugin would have sent.
    fn tell(self, size: Size) -> Generated {
        let Self {
            mut dice,
            plan,
            groups,
            exceptions,
            busy,
        } = self;
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
}

impl Plan<'_> {
    /// Dask has a release a month.
    fn month(&self) -> i64 {
        self.start / (30 * 86_400 * SECOND)
    }

    fn interval(&self) -> i64 {
        ((self.end - self.start) / MOST_SAMPLES).max(INTERVAL)
    }
}

#[cfg(test)]
mod tests {
    use super::super::recorded;
    use super::computations::COMPUTATIONS;
    use super::samples::MOST_WORKERS_TOLD;
    use super::*;

    #[test]
    fn clusters_are_as_large_as_those_of_a_team_and_as_many_of_them_fail_or_idle() {
        const CLUSTERS: u64 = 1_500;
        // Four times as far off as chance alone takes it.
        let near = |found: usize, share: f64| {
            let (expected, all) = (share * CLUSTERS as f64, CLUSTERS as f64);
            (found as f64 - expected).abs() <= 4.0 * (share * (1.0 - share) * all).sqrt()
        };
        let (team, stories) = (Team::new(1, 200), recorded::read().unwrap());
        let period = (365, 1_795_000_000_000_000);
        let (mut sizes, mut edges, mut failing, mut idle) = (Vec::new(), 0, 0, 0);
        for number in 0..CLUSTERS {
            let Drawn {
                mut dice,
                plan,
                groups,
                exceptions,
                busy,
            } = draw(1, number, Size::default(), (&team, &stories), period);
            sizes.push(groups.len());
            edges += groups
                .iter()
                .map(|group| group.dependencies.len())
                .sum::<usize>();
            failing += usize::from(!exceptions.is_empty());
            let tail = (plan.end - plan.done - SECOND) as f64 / (plan.done - plan.start) as f64;
            idle += usize::from(tail > 0.4);
            if number.is_multiple_of(20) {
                let told = plan.computations(&mut dice, &groups);
                let is_computation = |record: &&Record| matches!(record, Record::Computation(_));
                let computations = told.iter().filter(is_computation).count();
                assert_eq!(computations, groups.len().min(8));
                let profiles = plan.profiles(&mut dice, busy, STACKS);
                let nodes = profiles.iter().map(|record| match record {
                    Record::Profile(profile) => profile.stacks.parent.len(),
                    _ => 0,
                });
                let nodes = nodes.sum::<usize>();
                assert!((850..=900).contains(&nodes), "{nodes} nodes");
            }
        }
        let edges = edges as f64 / sizes.iter().sum::<usize>() as f64;
        assert!((1.0..=1.4).contains(&edges), "{edges} edges a group");
        sizes.sort_unstable();
        let (median, p99) = (sizes[sizes.len() / 2], sizes[sizes.len() * 99 / 100]);
        assert!((32..=50).contains(&median), "{median} groups");
        assert!((1_050..=3_800).contains(&p99), "{p99} groups");
        assert!(near(failing, 0.03), "{failing} fail");
        assert!(near(idle, 0.12), "{idle} have an idle tail");
    }

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

    #[test]
    fn some_clusters_stall_after_their_last_task_for_longer_than_the_limit() {
        let (team, stories) = (Team::new(1, 200), recorded::read().unwrap());
        let period = (365, 1_795_000_000_000_000);
        let size = Size {
            groups: Some(5),
            stacks: Some(0),
        };
        let stalls = |number: &u64| {
            let made = make(1, *number, size, (&team, &stories), period);
            made.records.iter().any(|record| {
                let Record::Sample(sample) = record else {
                    return false;
                };
                let quiet = sample.at_micros.0 - sample.last_completed_micros.unwrap().0;
                let stall = sample.stall.as_ref();
                stall.is_some_and(|stall| {
                    sample.tasks["processing"] > 0 && quiet > stall.limit_micros
                })
            })
        };
        let stalled = (0..400).filter(stalls).count();
        // Three in a hundred.
        assert!((3..=24).contains(&stalled), "{stalled}");
    }
}
