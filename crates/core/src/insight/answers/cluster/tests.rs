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
