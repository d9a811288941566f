//! The five questions about a period.

use super::{first_clause, idleness, percent, plural, said};
use crate::insight::cost::{core_time, money_words};
use crate::insight::words::{count, duration, grouped};
use crate::model::{ClusterState, Micros};
use crate::query::types::{Answer, ClusterRow, Money, Proof, TimeParts, Tone, UsageTotals};
use crate::query::{ExceptionsOfType, States};

/// The cluster that computed most in the period, its share of that, and its largest prefix with its share of the cluster.
pub(crate) struct Largest {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) share: f64,
    pub(crate) prefix: Option<(String, f64)>,
}

/// What the answers are made of.
pub(crate) struct Known<'a> {
    pub(crate) now: Micros,
    pub(crate) period: &'a UsageTotals,
    pub(crate) states: States,
    pub(crate) exceptions: &'a [ExceptionsOfType],
    pub(crate) largest: Option<Largest>,
    /// How many are alive.
    pub(crate) alive: u64,
    /// Of these the one that most needs a look, with what it costs in an hour.
    pub(crate) neediest: Option<(&'a ClusterRow, Option<Money>)>,
    pub(crate) currency: &'a str,
}

pub(crate) fn answers(known: &Known<'_>) -> Vec<Answer> {
    vec![
        finished(known),
        failed(known),
        cost(known),
        longest(known),
        still_running(known),
    ]
}

fn finished(known: &Known<'_>) -> Answer {
    const QUESTION: &str = "Did my computations finish?";
    let States {
        finished,
        lost,
        alive,
        newest_lost,
    } = known.states;
    let all = finished + lost + alive;
    let tasks = format!(
        "{} finished, {} failed",
        plural(known.period.tasks_completed, "task"),
        grouped(known.period.tasks_erred)
    );
    match (all, lost, alive) {
        (0, ..) => said(
            QUESTION,
            "Nothing ran in this period".into(),
            "no cluster reported".into(),
            Tone::Calm,
            Proof::Nothing,
        ),
        (_, 0, 0) => said(
            QUESTION,
            match all {
                1 => "Yes, the only cluster finished".into(),
                _ => format!("Yes, all {} clusters finished", grouped(all)),
            },
            tasks,
            Tone::Good,
            Proof::Finished,
        ),
        (_, 0, _) => said(
            QUESTION,
            match finished {
                0 => format!("Not yet: {} still running", is_are(alive)),
                _ => format!(
                    "{} of {} finished; {} still running",
                    grouped(finished),
                    plural(all, "cluster"),
                    is_are(alive)
                ),
            },
            tasks,
            Tone::Calm,
            Proof::Finished,
        ),
        (_, 1, _) => said(
            QUESTION,
            format!(
                "{} of {} finished; 1 was lost",
                grouped(finished),
                plural(all, "cluster")
            ),
            format!("it stopped reporting without shutting down; {tasks}"),
            Tone::Bad,
            Proof::Cluster { id: newest_lost },
        ),
        _ => said(
            QUESTION,
            format!(
                "{} of {} finished; {} were lost",
                grouped(finished),
                plural(all, "cluster"),
                grouped(lost)
            ),
            format!("they stopped reporting without shutting down; {tasks}"),
            Tone::Bad,
            Proof::Lost,
        ),
    }
}

fn failed(known: &Known<'_>) -> Answer {
    const QUESTION: &str = "Did any exceptions occur?";
    let all: u64 = known.exceptions.iter().map(|kind| kind.exceptions).sum();
    match known.exceptions.first() {
        Some(first) => said(
            QUESTION,
            format!(
                "{}, most often {}",
                count(all, "kind of exception", "kinds of exception"),
                first.exception_type
            ),
            format!(
                "{} failed; {} in {}",
                plural(known.period.tasks_erred, "task"),
                first.exception_type,
                plural(first.clusters, "cluster")
            ),
            Tone::Bad,
            Proof::Exception {
                text: first.exception_type.clone(),
            },
        ),
        None if known.period.tasks_erred > 0 => said(
            QUESTION,
            format!("{} failed", plural(known.period.tasks_erred, "task")),
            "no exception was reported".into(),
            Tone::Bad,
            Proof::Failed,
        ),
        None => said(
            QUESTION,
            "No exceptions".into(),
            format!("{} finished", plural(known.period.tasks_completed, "task")),
            match known.period.tasks_completed {
                0 => Tone::Calm,
                _ => Tone::Good,
            },
            Proof::Nothing,
        ),
    }
}

fn cost(known: &Known<'_>) -> Answer {
    const QUESTION: &str = "How much did that cost?";
    let Some(cost) = &known.period.cost else {
        return said(
            QUESTION,
            "Unknown: no price applies".into(),
            core_time(all_time(known.period)),
            Tone::Warn,
            Proof::Prices,
        );
    };
    let (because, tone) = match idleness(cost) {
        None => (cost.words.clone(), Tone::Calm),
        Some(idleness) => (
            format!(
                "{} went to {} threads: {}; {}",
                percent(idleness.share),
                idleness.threads,
                money_words(idleness.money, &cost.currency),
                cost.words
            ),
            idleness.tone,
        ),
    };
    said(
        QUESTION,
        format!("≈ {}", money_words(cost.total, &cost.currency)),
        because,
        tone,
        Proof::Costs,
    )
}

fn all_time(period: &UsageTotals) -> i64 {
    let TimeParts {
        compute_micros,
        transfer_micros,
        disk_micros,
        other_micros,
        idle_micros,
        stalled_micros,
    } = period.parts;
    compute_micros + transfer_micros + disk_micros + other_micros + idle_micros + stalled_micros
}

fn longest(known: &Known<'_>) -> Answer {
    const QUESTION: &str = "What is taking most of the time?";
    let Some(largest) = &known.largest else {
        return said(
            QUESTION,
            "Nothing was computed".into(),
            "in this period".into(),
            Tone::Calm,
            Proof::Nothing,
        );
    };
    let of_all = format!(
        "{} took {} of compute time",
        largest.name,
        percent(largest.share)
    );
    match &largest.prefix {
        // Where no single cluster has most of the time, the largest is named first, and only then what took most of its.
        Some((prefix, share)) if largest.share < 0.5 => said(
            QUESTION,
            of_all,
            format!(
                "of that, {prefix} took {}; no cluster took more",
                percent(*share)
            ),
            Tone::Calm,
            Proof::Prefix {
                id: largest.id,
                prefix: prefix.clone(),
            },
        ),
        Some((prefix, share)) => said(
            QUESTION,
            format!("{prefix}: {} of {}", percent(*share), largest.name),
            of_all,
            Tone::Calm,
            Proof::Prefix {
                id: largest.id,
                prefix: prefix.clone(),
            },
        ),
        None => said(
            QUESTION,
            of_all,
            "no task groups were recorded for it".into(),
            Tone::Calm,
            Proof::Cluster { id: largest.id },
        ),
    }
}

fn still_running(known: &Known<'_>) -> Answer {
    const QUESTION: &str = "Why is that cluster still running?";
    let Some((row, money)) = known.neediest else {
        return said(
            QUESTION,
            "No cluster is running".into(),
            "no running costs".into(),
            Tone::Good,
            Proof::Nothing,
        );
    };
    let burning = match money {
        Some(money) => format!("; {} an hour", money_words(money, known.currency)),
        None => String::new(),
    };
    let more = match known.alive {
        1 => String::new(),
        n => format!("; {} running in total", grouped(n)),
    };
    let proof = Proof::Cluster { id: row.id };
    match row.state {
        ClusterState::Stalled => said(
            QUESTION,
            format!(
                "{} is stalled: {}",
                row.name,
                first_clause(&row.state_evidence)
            ),
            format!("it holds {}{burning}{more}", plural(row.threads, "thread")),
            Tone::Stalled,
            proof,
        ),
        ClusterState::Idle => said(
            QUESTION,
            format!(
                "{} has had {} and is still up",
                row.name, row.state_evidence
            ),
            format!("it holds {}{burning}{more}", plural(row.threads, "thread")),
            Tone::Warn,
            proof,
        ),
        ClusterState::Running | ClusterState::Finished | ClusterState::Lost => said(
            QUESTION,
            match row.tasks.get("processing").copied().unwrap_or(0) {
                0 => format!("{} is waiting for work", row.name),
                tasks => format!("{} is working on {}", row.name, plural(tasks, "task")),
            },
            format!(
                "up for {}{burning}{more}",
                duration(known.now.0 - row.started_micros.0)
            ),
            Tone::Good,
            proof,
        ),
    }
}

fn is_are(n: u64) -> String {
    match n {
        1 => "1 is".into(),
        _ => format!("{} are", grouped(n)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::query::types::Cost;

    fn period(tasks_erred: u64, cost: Option<Cost>) -> UsageTotals {
        UsageTotals {
            clusters: 3,
            thread_seconds: 7_200.0,
            compute_seconds: 3_600.0,
            efficiency: Some(0.5),
            parts: TimeParts {
                compute_micros: 3_600_000_000,
                idle_micros: 3_600_000_000,
                ..TimeParts::default()
            },
            tasks_completed: 12_345,
            tasks_erred,
            result_bytes: 0,
            workers_peak: 1,
            cost,
        }
    }

    fn euros(low: i64, high: i64) -> Money {
        Money {
            low_nanos: low * 10_000_000,
            high_nanos: high * 10_000_000,
        }
    }

    fn row(name: &str, state: ClusterState, evidence: &str) -> ClusterRow {
        ClusterRow {
            id: 7,
            name: name.into(),
            state,
            state_evidence: evidence.into(),
            threads: 32,
            tasks: BTreeMap::from([("processing".into(), 8)]),
            started_micros: Micros(0),
            ..a_row()
        }
    }

    /// Of a cluster that said hello.
    fn a_row() -> ClusterRow {
        let bench = crate::testing::Bench::new();
        bench.send(crate::testing::batch(1, &[crate::testing::facts(0)]));
        let found = bench
            .app
            .read(|db| crate::query::find_by_id(db, bench.app.now(), 1))
            .unwrap();
        crate::insight::with_evidence(found, bench.app.now())
    }

    #[test]
    fn failed_tasks_lead_to_their_clusters_and_money_to_whom_it_was_for() {
        let proof =
            |period: &UsageTotals, at: usize| answers(&known(period, &[])).swap_remove(at).proof;
        assert_eq!(proof(&period(3, None), 1), Proof::Failed);
        assert_eq!(proof(&period(0, None), 1), Proof::Nothing);
        assert_eq!(proof(&period(0, None), 2), Proof::Prices);
        let cost = Cost {
            currency: "EUR".into(),
            total: euros(100, 200),
            idle: euros(0, 0),
            stalled: euros(0, 0),
            unpriced_seconds: 0.0,
            words: "by one price".into(),
        };
        assert_eq!(proof(&period(0, Some(cost)), 2), Proof::Costs);
    }

    fn told(known: &Known<'_>, at: usize) -> (String, String, Tone) {
        let answer = answers(known).swap_remove(at);
        (answer.answer, answer.because, answer.tone)
    }

    /// The last of what is alive needs a look most.
    fn known<'a>(period: &'a UsageTotals, live: &'a [(ClusterRow, Option<Money>)]) -> Known<'a> {
        Known {
            now: Micros(7_500_000_000),
            period,
            states: States::default(),
            exceptions: &[],
            largest: None,
            alive: live.len() as u64,
            neediest: live.last().map(|(row, money)| (row, *money)),
            currency: "EUR",
        }
    }

    #[test]
    fn whether_all_finished() {
        let period = period(3, None);
        let with = |finished, lost, alive| {
            let known = Known {
                states: States {
                    finished,
                    lost,
                    alive,
                    newest_lost: 4,
                },
                ..known(&period, &[])
            };
            told(&known, 0)
        };
        assert_eq!(with(0, 0, 0).0, "Nothing ran in this period");
        assert_eq!(
            with(1_200, 0, 0),
            (
                "Yes, all 1,200 clusters finished".into(),
                "12,345 tasks finished, 3 failed".into(),
                Tone::Good
            )
        );
        assert_eq!(
            with(2, 0, 1).0,
            "2 of 3 clusters finished; 1 is still running"
        );
        assert_eq!(with(0, 0, 2).0, "Not yet: 2 are still running");
        assert_eq!(with(2, 1, 1).0, "2 of 4 clusters finished; 1 was lost");
        assert_eq!(
            (with(2, 2, 0).0, with(2, 2, 0).2),
            ("2 of 4 clusters finished; 2 were lost".into(), Tone::Bad)
        );
    }

    #[test]
    fn what_failed_what_it_cost_and_what_took_the_time() {
        let cost = Cost {
            currency: "EUR".into(),
            total: euros(42, 61),
            idle: euros(20, 30),
            stalled: euros(1, 1),
            unpriced_seconds: 0.0,
            words: "My own machine".into(),
        };
        let period = period(3, Some(cost));
        let exceptions = [ExceptionsOfType {
            exception_type: "ValueError".into(),
            exceptions: 2,
            clusters: 1,
        }];
        let largest = |share| Known {
            exceptions: &exceptions,
            largest: Some(Largest {
                id: 7,
                name: "nightly".into(),
                share,
                prefix: Some(("read-parquet".into(), 0.61)),
            }),
            ..known(&period, &[])
        };
        let known = largest(0.62);
        assert_eq!(
            told(&known, 1).0,
            "2 kinds of exception, most often ValueError"
        );
        assert_eq!(
            told(&known, 2),
            (
                "≈ 0.42–0.61 €".into(),
                "51 % went to idle and stalled threads: 0.21–0.31 €; My own machine".into(),
                Tone::Warn
            )
        );
        assert_eq!(told(&known, 3).0, "read-parquet: 61 % of nightly");
        // One of many clusters: what took the most of it took little of all.
        assert_eq!(
            told(&largest(0.38), 3).0,
            "nightly took 38 % of compute time"
        );
        assert_eq!(told(&known, 4).0, "No cluster is running");
    }

    #[test]
    fn of_what_runs_the_one_that_needs_a_look_is_named_and_all_are_counted() {
        let period = period(0, None);
        let busy = (row("busy", ClusterState::Running, ""), None);
        let idle = (
            row("forgotten", ClusterState::Idle, "nothing to do for 2 h"),
            Some(euros(40, 50)),
        );
        let stuck = (
            row(
                "stuck",
                ClusterState::Stalled,
                "no task finished for 3 min; 8 are running",
            ),
            None,
        );
        let live = [busy, idle, stuck];
        assert_eq!(
            told(&known(&period, &live[..1]), 4).0,
            "busy is working on 8 tasks"
        );
        assert_eq!(told(&known(&period, &live[..1]), 4).1, "up for 2 h 5 min");
        assert_eq!(
            told(&known(&period, &live[..2]), 4),
            (
                "forgotten has had nothing to do for 2 h and is still up".into(),
                "it holds 32 threads; 0.40–0.50 € an hour; 2 running in total".into(),
                Tone::Warn
            )
        );
        assert_eq!(
            told(&known(&period, &live), 4).0,
            "stuck is stalled: no task finished for 3 min"
        );
    }
}
