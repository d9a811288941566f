//! The questions about one cluster.

use super::{first_clause, idleness, percent, plural, said};
use crate::insight::cost::{core_time, money_words};
use crate::insight::words::{bytes, count, duration, grouped};
use crate::model::{Activities, ClusterState, Micros, total};
use crate::query::types::{
    Answer, ClusterCost, ClusterRow, EvidenceTab, LargestPrefix, Proof, Tone,
};

/// Threads that compute for less than this part of their time are not busy.
const BUSY_SHARE: f64 = 0.2;

/// What the answers are made of.
pub(crate) struct KnownCluster<'a> {
    pub(crate) now: Micros,
    /// With the sentence that explains its state.
    pub(crate) row: &'a ClusterRow,
    /// Of all its groups.
    pub(crate) seconds: &'a Activities,
    /// What its version of Dask does not tell.
    pub(crate) unavailable: &'a [String],
    pub(crate) largest: Option<&'a LargestPrefix>,
    /// How often a worker went without being asked to.
    pub(crate) workers_lost: u64,
    /// None where money is not asked about.
    pub(crate) cost: Option<&'a ClusterCost>,
}

impl KnownCluster<'_> {
    fn in_list(&self, tab: EvidenceTab) -> Proof {
        Proof::List {
            id: self.row.id,
            tab,
        }
    }

    /// How long it was there, so far.
    fn length(&self) -> String {
        let end = self.row.stopped_micros.unwrap_or(self.now);
        duration(end.0 - self.row.started_micros.0)
    }
}

pub(crate) fn cluster_answers(known: &KnownCluster<'_>) -> Vec<Answer> {
    let mut answers = vec![finished(known), failed(known)];
    answers.extend(known.cost.map(|cost| costs(known, cost)));
    answers.extend([longest(known), busy(known)]);
    answers
}

fn finished(known: &KnownCluster<'_>) -> Answer {
    let row = known.row;
    let all = total(&row.tasks);
    let open = all.saturating_sub(row.tasks_done);
    let completed = format!("{} finished", plural(row.tasks_completed, "task"));
    let groups = known.in_list(EvidenceTab::Groups);
    let question = match row.state {
        ClusterState::Running | ClusterState::Stalled | ClusterState::Idle => {
            "Why is it still running?"
        }
        ClusterState::Finished | ClusterState::Lost => "Did it finish?",
    };
    match row.state {
        ClusterState::Running => said(
            question,
            match (open, row.tasks_completed) {
                (0, 0) => "It has had no work yet".into(),
                (0, _) => "All its tasks are finished".into(),
                _ => format!("{} of {} to go", plural(open, "task"), grouped(all)),
            },
            match row.tasks_completed {
                0 => format!("connected for {}", known.length()),
                _ => format!("{completed} in {} so far", known.length()),
            },
            Tone::Good,
            groups,
        ),
        ClusterState::Stalled => said(
            question,
            format!(
                "It is stalled: {}",
                match row.since_completed_micros {
                    None => "no task has ever finished",
                    Some(_) => first_clause(&row.state_evidence),
                }
            ),
            format!(
                "{} on workers, {} of {} to go",
                plural(row.tasks.get("processing").copied().unwrap_or(0), "task"),
                grouped(open),
                grouped(all)
            ),
            Tone::Stalled,
            groups,
        ),
        ClusterState::Idle => said(
            question,
            match row.idle_since_micros {
                None => "Nothing to do, and still up".into(),
                Some(_) => format!("{}, and still up", capital(&row.state_evidence)),
            },
            format!(
                "{completed}; it holds {} with {}",
                plural(row.workers, "worker"),
                plural(row.threads, "thread")
            ),
            Tone::Warn,
            known.in_list(EvidenceTab::Workers),
        ),
        ClusterState::Finished => {
            let because = format!("{completed}; {}", row.state_evidence);
            let (answer, tone) = match open {
                0 => (format!("Yes, after {}", known.length()), Tone::Good),
                _ => (
                    format!(
                        "It ended after {} with {} unfinished",
                        known.length(),
                        plural(open, "task")
                    ),
                    Tone::Warn,
                ),
            };
            said(question, answer, because, tone, groups)
        }
        ClusterState::Lost => said(
            question,
            format!(
                "Unknown: {}, the scheduler may have died",
                first_clause(&row.state_evidence)
            ),
            format!(
                "{completed} in {}, {} unfinished",
                known.length(),
                plural(open, "task")
            ),
            Tone::Bad,
            groups,
        ),
    }
}

fn failed(known: &KnownCluster<'_>) -> Answer {
    const QUESTION: &str = "Did anything fail?";
    let row = known.row;
    if row.exceptions > 0 || row.tasks_erred > 0 {
        let kinds = count(row.exceptions, "kind of exception", "kinds of exception");
        return said(
            QUESTION,
            match row.tasks_erred {
                0 => kinds,
                erred => format!("{kinds} in {}", plural(erred, "failed task")),
            },
            format!(
                "tasks that depend on {} are not counted",
                if row.tasks_erred == 1 { "it" } else { "them" }
            ),
            Tone::Bad,
            known.in_list(EvidenceTab::Exceptions),
        );
    }
    let because = format!("{} finished", plural(row.tasks_completed, "task"));
    if known.workers_lost > 0 {
        return said(
            QUESTION,
            format!(
                "{} lost, but no exceptions",
                plural(known.workers_lost, "worker")
            ),
            because,
            Tone::Bad,
            known.in_list(EvidenceTab::Workers),
        );
    }
    // Without an exception, what hangs or fell silent is still not well.
    let (answer, tone) = match (row.tasks_completed, row.state) {
        (0, _) => ("No exceptions", Tone::Calm),
        (_, ClusterState::Lost | ClusterState::Stalled) => ("No exceptions reported", Tone::Calm),
        (_, ClusterState::Running | ClusterState::Idle | ClusterState::Finished) => {
            ("No exceptions", Tone::Good)
        }
    };
    said(QUESTION, answer.into(), because, tone, Proof::Nothing)
}

fn costs(known: &KnownCluster<'_>, of: &ClusterCost) -> Answer {
    let told = |answer: String, because: String, tone| {
        let proof = known.in_list(EvidenceTab::Cost);
        said("What did it cost?", answer, because, tone, proof)
    };
    if of.thread_micros == 0 {
        return told(
            "Nothing to price yet".into(),
            "no worker threads have been reported".into(),
            Tone::Calm,
        );
    }
    let Some(cost) = &of.cost else {
        return told(
            "Unknown: no price applies".into(),
            format!("{} of cluster time", core_time(of.thread_micros)),
            Tone::Warn,
        );
    };
    let idleness = idleness(cost);
    let nothing = idleness
        .as_ref()
        .map(|of| format!("{} of it for {} threads", percent(of.share), of.threads));
    let an_hour = of.an_hour.map(|money| {
        format!(
            "it is costing {} an hour",
            money_words(money, &cost.currency)
        )
    });
    let because: Vec<String> = nothing.into_iter().chain(an_hour).collect();
    told(
        format!("≈ {}", money_words(cost.total, &cost.currency)),
        because.join("; "),
        idleness.map_or(Tone::Calm, |of| of.tone),
    )
}

fn longest(known: &KnownCluster<'_>) -> Answer {
    const QUESTION: &str = "What took the most time?";
    let Some(largest) = known.largest else {
        return said(
            QUESTION,
            "Unknown".into(),
            "no task has finished".into(),
            Tone::Calm,
            Proof::Nothing,
        );
    };
    said(
        QUESTION,
        format!("{}: {}", largest.prefix, percent(largest.share)),
        format!(
            "of compute time: {} in {}",
            core_time((largest.compute_seconds * 1e6) as i64),
            plural(largest.tasks, "task")
        ),
        Tone::Calm,
        Proof::Prefix {
            id: known.row.id,
            prefix: largest.prefix.clone(),
        },
    )
}

fn busy(known: &KnownCluster<'_>) -> Answer {
    const QUESTION: &str = "Was it busy?";
    let row = known.row;
    let Some(part) = row.efficiency else {
        let because = match row.stopped_micros {
            None => "no cluster time yet",
            Some(_) => "no cluster time was recorded",
        };
        return said(
            QUESTION,
            "Unknown".into(),
            because.into(),
            Tone::Calm,
            Proof::Nothing,
        );
    };
    let time = |seconds: f64| core_time((seconds * 1e6) as i64);
    let mut because = format!(
        "computed {} of {}",
        time(row.compute_seconds),
        time(row.thread_seconds)
    );
    if let Some((what, seconds)) = most_of_the_rest(known.seconds) {
        because += &format!("; {what} {}", time(seconds));
    }
    because += &match (row.memory_peak_bytes, row.limit_at_peak()) {
        (Some(peak), Some(limit)) => {
            format!("; at most {} of {} memory", bytes(peak), bytes(limit))
        }
        (Some(peak), None) => format!("; at most {} of memory", bytes(peak)),
        (None, _) => String::new(),
    };
    said(
        QUESTION,
        format!("{} of cluster time", percent(part)),
        because,
        if part < BUSY_SHARE {
            Tone::Warn
        } else {
            Tone::Calm
        },
        // What workers did all the time is measured by themselves; else there is the time of groups.
        known.in_list(
            match known.unavailable.iter().any(|word| word == "metrics") {
                true => EvidenceTab::Groups,
                false => EvidenceTab::Activity,
            },
        ),
    )
}

/// What took the most time besides computing.
fn most_of_the_rest(seconds: &Activities) -> Option<(&'static str, f64)> {
    [
        ("transfer", seconds.transfer),
        ("disk read", seconds.disk_read),
        ("disk write", seconds.disk_write),
        ("deserialize", seconds.deserialize),
        ("other", seconds.other),
    ]
    .into_iter()
    .filter(|(_, seconds)| *seconds > 0.0)
    .max_by(|one, two| one.1.total_cmp(&two.1))
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insight::state::tests::found;
    use crate::insight::with_evidence;
    use crate::model::done;
    use crate::query::types::{Cost, Money};

    const SECOND: i64 = 1_000_000;
    const NOW: Micros = Micros(90 * SECOND);

    /// `running: memory 4, processing 1`: a cluster of so many tasks that began 90 s ago and was last heard 10 s ago.
    fn row(drawn: &str) -> ClusterRow {
        let (state, tasks) = drawn.split_once(':').unwrap();
        let state: ClusterState = serde_json::from_value(state.into()).unwrap();
        let over = matches!(state, ClusterState::Finished | ClusterState::Lost);
        let mut found = found(state, Some("closed"));
        found.sample_at = Some(Micros(80 * SECOND));
        let row = &mut found.row;
        row.tasks = tasks
            .split_terminator(',')
            .map(|told| told.trim().split_once(' ').unwrap())
            .map(|(state, n)| (state.into(), n.parse().unwrap()))
            .collect();
        row.tasks_done = done(&row.tasks);
        row.tasks_completed = row.tasks_done;
        row.stopped_micros = over.then_some(NOW);
        row.last_heard_micros = Micros(80 * SECOND);
        row.idle_since_micros = Some(Micros(20 * SECOND));
        row.since_completed_micros = Some(180 * SECOND);
        (row.workers, row.workers_peak, row.threads) = (2, 4, 8);
        (row.compute_seconds, row.thread_seconds) = (30.0, 120.0);
        row.efficiency = Some(0.25);
        with_evidence(found, NOW)
    }

    const SECONDS: Activities = Activities {
        compute: 30.0,
        transfer: 6.0,
        disk_read: 2.0,
        disk_write: 0.0,
        deserialize: 0.0,
        other: 0.0,
    };

    /// The answers about a cluster, and `more` says what else is known of it.
    fn asked<'a>(row: &'a ClusterRow, more: impl FnOnce(&mut KnownCluster<'a>)) -> Vec<Answer> {
        let mut known = KnownCluster {
            now: NOW,
            row,
            seconds: &SECONDS,
            unavailable: &[],
            largest: None,
            workers_lost: 0,
            cost: None,
        };
        more(&mut known);
        cluster_answers(&known)
    }

    fn words(answer: &Answer) -> (&str, &str, Tone) {
        (&answer.answer, &answer.because, answer.tone)
    }

    #[test]
    fn each_state_is_answered_in_words() {
        for (drawn, answer, because, tone) in [
            (
                "running: memory 4, processing 1",
                "1 task of 5 to go",
                "4 tasks finished in 1 min 30 s so far",
                Tone::Good,
            ),
            (
                "running: waiting 1200",
                "1,200 tasks of 1,200 to go",
                "connected for 1 min 30 s",
                Tone::Good,
            ),
            (
                "running:",
                "It has had no work yet",
                "connected for 1 min 30 s",
                Tone::Good,
            ),
            (
                "running: released 3, erred 1",
                "All its tasks are finished",
                "4 tasks finished in 1 min 30 s so far",
                Tone::Good,
            ),
            (
                "stalled: memory 4, processing 1, waiting 2",
                "It is stalled: no task finished for 3 min",
                "1 task on workers, 3 of 7 to go",
                Tone::Stalled,
            ),
            (
                "idle: forgotten 4",
                "Nothing to do for 1 min 10 s, and still up",
                "4 tasks finished; it holds 2 workers with 8 threads",
                Tone::Warn,
            ),
            (
                "finished: memory 5",
                "Yes, after 1 min 30 s",
                "5 tasks finished; its scheduler shut down",
                Tone::Good,
            ),
            (
                "finished: memory 4, processing 1",
                "It ended after 1 min 30 s with 1 task unfinished",
                "4 tasks finished; its scheduler shut down",
                Tone::Warn,
            ),
            (
                "lost: memory 4, processing 2",
                "Unknown: no report for 10 s, the scheduler may have died",
                "4 tasks finished in 1 min 30 s, 2 tasks unfinished",
                Tone::Bad,
            ),
        ] {
            let row = row(drawn);
            let answers = asked(&row, |_| ());
            assert_eq!(words(&answers[0]), (answer, because, tone), "{drawn}");
            let alive = row.stopped_micros.is_none();
            assert_eq!(
                answers[0].question == "Why is it still running?",
                alive,
                "{drawn}"
            );
        }
        let never = ClusterRow {
            since_completed_micros: None,
            ..row("stalled: processing 1")
        };
        assert_eq!(
            asked(&never, |_| ())[0].answer,
            "It is stalled: no task has ever finished"
        );
        let untold = ClusterRow {
            idle_since_micros: None,
            ..row("idle: memory 1")
        };
        assert_eq!(
            asked(&untold, |_| ())[0].answer,
            "Nothing to do, and still up"
        );
    }

    #[test]
    fn nothing_that_failed_is_good_only_where_the_end_was_heard_and_work_goes_on() {
        for (drawn, lost, answer, tone) in [
            ("running: memory 1", 0, "No exceptions", Tone::Good),
            ("finished: memory 1", 0, "No exceptions", Tone::Good),
            ("running: waiting 1", 0, "No exceptions", Tone::Calm),
            ("lost: memory 1", 0, "No exceptions reported", Tone::Calm),
            ("stalled: memory 1", 0, "No exceptions reported", Tone::Calm),
            (
                "running: memory 1",
                3,
                "3 workers lost, but no exceptions",
                Tone::Bad,
            ),
        ] {
            let answers = asked(&row(drawn), |known| known.workers_lost = lost);
            assert_eq!(
                (answers[1].answer.as_str(), answers[1].tone),
                (answer, tone),
                "{drawn}"
            );
        }
        let failed = |exceptions, tasks_erred| {
            let row = ClusterRow {
                exceptions,
                tasks_erred,
                ..row("running: memory 1")
            };
            asked(&row, |known| known.workers_lost = 1).swap_remove(1)
        };
        assert_eq!(
            words(&failed(2, 7)),
            (
                "2 kinds of exception in 7 failed tasks",
                "tasks that depend on them are not counted",
                Tone::Bad
            )
        );
        assert_eq!(failed(1, 0).answer, "1 kind of exception");
        assert_eq!(
            words(&failed(1, 1)),
            (
                "1 kind of exception in 1 failed task",
                "tasks that depend on it are not counted",
                Tone::Bad
            )
        );
    }

    #[test]
    fn what_took_the_time_and_what_the_rest_was_are_said_with_their_figures() {
        let mut row = row("finished: memory 4");
        let largest = LargestPrefix {
            prefix: "inc".into(),
            compute_seconds: 20.0,
            share: 2.0 / 3.0,
            tasks: 4,
        };
        let answers = asked(&row, |known| known.largest = Some(&largest));
        assert_eq!(
            words(&answers[2]),
            (
                "inc: 67 %",
                "of compute time: 20.0 core-s in 4 tasks",
                Tone::Calm
            )
        );
        assert_eq!(
            words(&answers[3]),
            (
                "25 % of cluster time",
                "computed 30.0 core-s of 2.00 core-min; transfer 6.00 core-s",
                Tone::Calm
            )
        );
        (row.compute_seconds, row.efficiency) = (23.0, Some(23.0 / 120.0));
        row.memory_peak_bytes = Some(1 << 30);
        row.memory_limit_bytes = Some(4 << 30);
        let busy = asked(&row, |_| ()).swap_remove(3);
        assert_eq!(busy.tone, Tone::Warn);
        // The limit is that of two workers, and the peak may be one of four.
        assert!(
            busy.because.ends_with("; at most 1.00 GiB of memory"),
            "{}",
            busy.because
        );
        row.workers_peak = row.workers;
        let busy = asked(&row, |_| ()).swap_remove(3);
        assert!(
            busy.because
                .ends_with("; at most 1.00 GiB of 4.00 GiB memory"),
            "{}",
            busy.because
        );
        row.efficiency = None;
        let unknown = asked(&row, |_| ());
        assert_eq!(
            words(&unknown[2]),
            ("Unknown", "no task has finished", Tone::Calm)
        );
        assert_eq!(
            words(&unknown[3]),
            ("Unknown", "no cluster time was recorded", Tone::Calm)
        );
    }

    fn cents(low: i64, high: i64) -> Money {
        Money {
            low_nanos: low * 10_000_000,
            high_nanos: high * 10_000_000,
        }
    }

    fn cost(idle: Money, stalled: Money) -> ClusterCost {
        ClusterCost {
            now_micros: NOW,
            cost: Some(Cost {
                currency: "EUR".into(),
                total: cents(40, 60),
                idle,
                stalled,
                unpriced_seconds: 0.0,
                words: String::new(),
            }),
            price: None,
            an_hour: None,
            thread_micros: 120 * SECOND,
            assumptions: Vec::new(),
            operations: Vec::new(),
        }
    }

    #[test]
    fn what_it_cost_is_a_range_with_what_went_to_idle_threads_and_what_an_hour_costs() {
        let row = row("running: memory 1");
        let told = |cost: &ClusterCost| asked(&row, |known| known.cost = Some(cost)).swap_remove(2);
        let burning = ClusterCost {
            an_hour: Some(cents(100, 200)),
            ..cost(cents(10, 15), cents(0, 0))
        };
        assert_eq!(
            words(&told(&burning)),
            (
                "≈ 0.40–0.60 €",
                "25 % of it for idle threads; it is costing 1.00–2.00 € an hour",
                Tone::Calm
            )
        );
        let hung = cost(cents(10, 15), cents(20, 35));
        assert_eq!(
            words(&told(&hung)),
            (
                "≈ 0.40–0.60 €",
                "83 % of it for idle and stalled threads",
                Tone::Warn
            )
        );
        let unpriced = ClusterCost {
            cost: None,
            ..cost(cents(0, 0), cents(0, 0))
        };
        assert_eq!(
            words(&told(&unpriced)),
            (
                "Unknown: no price applies",
                "2.00 core-min of cluster time",
                Tone::Warn
            )
        );
        let nothing = ClusterCost {
            thread_micros: 0,
            ..unpriced
        };
        assert_eq!(told(&nothing).answer, "Nothing to price yet");
        // Where money is not asked about, nothing is said of it.
        let questions = asked(&row, |_| ()).into_iter().map(|said| said.question);
        assert!(
            !questions
                .collect::<Vec<_>>()
                .contains(&"What did it cost?".into())
        );
    }

    #[test]
    fn each_answer_leads_to_the_list_that_proves_it() {
        let largest = LargestPrefix {
            prefix: "inc".into(),
            compute_seconds: 1.0,
            share: 1.0,
            tasks: 1,
        };
        let money = cost(cents(0, 0), cents(0, 0));
        let list = |tab| Proof::List { id: 1, tab };
        let running = row("running: memory 1");
        let answers = asked(&running, |known| {
            known.largest = Some(&largest);
            known.cost = Some(&money);
        });
        assert_eq!(
            answers
                .into_iter()
                .map(|said| said.proof)
                .collect::<Vec<_>>(),
            [
                list(EvidenceTab::Groups),
                Proof::Nothing,
                list(EvidenceTab::Cost),
                Proof::Prefix {
                    id: 1,
                    prefix: "inc".into()
                },
                list(EvidenceTab::Activity),
            ]
        );
        // A Dask whose workers do not measure what they do tells of the time of groups.
        let untold = ["metrics".to_owned()];
        let old = asked(&row("idle: memory 1"), |known| {
            known.unavailable = &untold;
            known.workers_lost = 1;
        });
        assert_eq!(
            old.into_iter().map(|said| said.proof).collect::<Vec<_>>(),
            [
                list(EvidenceTab::Workers),
                list(EvidenceTab::Workers),
                Proof::Nothing,
                list(EvidenceTab::Groups),
            ]
        );
    }
}
