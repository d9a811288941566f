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
mod tests;
