//! The lists of one cluster as tables: the first rows of each.

use bobbin_core::api::{ComputationCode, ComputationRow, SealedText, WorkerRow};
use bobbin_core::model::WorkerState;

use super::{SHORT, Shown, section, states};
use crate::{print, visible};

impl Shown {
    pub(super) fn groups(&self) -> String {
        // Files of other programs may not tell it, which is not zero.
        let unavailable = &self.cluster.facts.unavailable;
        let has_bytes = !unavailable.iter().any(|word| word == "result_bytes");
        let rows: Vec<Vec<String>> = self
            .task_groups
            .rows
            .iter()
            .take(SHORT)
            .map(|group| {
                let spread = group.durations.as_ref();
                vec![
                    print::cut(&visible::plain(&group.name), 48),
                    states(&group.states),
                    print::seconds(group.seconds.compute),
                    print::seconds(group.seconds.transfer),
                    print::or_dash(spread.map(|spread| spread.p50_seconds), print::seconds),
                    print::or_dash(spread.map(|spread| spread.p95_seconds), print::seconds),
                    print::or_dash(spread.map(|spread| spread.max_seconds), print::seconds),
                    print::or_dash(group.retried, |retried| retried.to_string()),
                    print::or_dash(has_bytes.then_some(group.result_bytes), print::bytes),
                ]
            })
            .collect();
        let head = [
            "task group",
            "tasks",
            "compute",
            "transfer",
            "p50",
            "p95",
            "longest",
            "retried",
            "results",
        ];
        let right = [false, false, true, true, true, true, true, true, true];
        section(
            &print::table(&head, &right, &rows),
            rows.len(),
            self.task_groups.total,
        )
    }

    pub(super) fn calls(&self) -> String {
        let rows: Vec<Vec<String>> = self
            .computations
            .rows
            .iter()
            .take(SHORT)
            .map(|call| {
                vec![
                    print::or_dash(call.start_micros, print::moment),
                    print::or_dash(call.start_micros.zip(call.stop_micros), |(a, b)| {
                        print::seconds((b.0 - a.0) as f64 / 1e6)
                    }),
                    states(&call.states),
                    print::cut(&code(call), 60),
                ]
            })
            .collect();
        let head = ["computation", "took", "tasks", "code"];
        section(
            &print::table(&head, &[false, true, false, false], &rows),
            rows.len(),
            self.computations.total,
        )
    }

    pub(super) fn failures(&self) -> String {
        let mut text = String::new();
        for row in self.exceptions.rows.iter().take(SHORT) {
            let message = match &row.message {
                SealedText::Text { text } => visible::plain_lines(text, "  "),
                SealedText::None => "(message not sent)".into(),
                SealedText::Locked => "(message locked: the key is missing)".into(),
            };
            let group = row.group.as_deref().unwrap_or("–");
            let details = match row.details {
                SealedText::None => "",
                SealedText::Text { .. } | SealedText::Locked => "  (see --json for details)\n",
            };
            text.push_str(&format!(
                "{} × {}  in {}, last {}\n  {message}\n{details}",
                row.count,
                visible::plain(&row.exception_type),
                print::cut(&visible::plain(group), 48),
                print::moment(row.last_seen_micros)
            ));
        }
        section(
            &text,
            self.exceptions.rows.len().min(SHORT),
            self.exceptions.total,
        )
    }

    pub(super) fn workers(&self) -> String {
        let rows: Vec<Vec<String>> = self
            .workers
            .rows
            .iter()
            .take(SHORT)
            .map(|worker| {
                let now = worker.now.as_ref();
                vec![
                    print::cut(&visible::plain(worker_name(worker)), 40),
                    state(worker.state).into(),
                    print::moment(worker.first_seen_micros),
                    print::or_dash(worker.threads, |threads| threads.to_string()),
                    print::or_dash(now.and_then(|now| now.cpu_percent), |cpu| {
                        format!("{cpu:.0} %")
                    }),
                    print::or_dash(now.and_then(|now| now.memory_used_bytes), print::bytes),
                    print::or_dash(worker.memory_limit_bytes, print::bytes),
                    last_event(worker),
                ]
            })
            .collect();
        let head = [
            "worker",
            "state",
            "since",
            "threads",
            "cpu",
            "memory",
            "limit",
            "last event",
        ];
        let right = [false, false, false, true, true, true, true, false];
        section(
            &print::table(&head, &right, &rows),
            rows.len(),
            self.workers.total,
        )
    }

    pub(super) fn spans(&self) -> String {
        let rows: Vec<Vec<String>> = self
            .spans
            .rows
            .iter()
            .take(SHORT)
            .map(|span| {
                let path = match &span.tags[..] {
                    [] => span.name.clone(),
                    tags => tags.join(" / "),
                };
                vec![
                    print::cut(&visible::plain(&path), 48),
                    print::or_dash(span.start_micros, print::moment),
                    print::or_dash(span.start_micros.zip(span.stop_micros), |(a, b)| {
                        print::seconds((b.0 - a.0) as f64 / 1e6)
                    }),
                    span.groups.len().to_string(),
                    print::seconds(span.seconds.compute),
                ]
            })
            .collect();
        let head = ["span", "started", "took", "groups", "compute"];
        section(
            &print::table(&head, &[false, false, true, true, true], &rows),
            rows.len(),
            self.spans.total,
        )
    }

    pub(super) fn topics(&self) -> String {
        let rows: Vec<Vec<String>> = self
            .topics
            .rows
            .iter()
            .take(SHORT)
            .map(|topic| {
                vec![
                    print::cut(&visible::plain(&topic.topic), 48),
                    topic.stored.to_string(),
                    topic.not_sent.to_string(),
                ]
            })
            .collect();
        section(
            &print::table(
                &["topic of events", "stored", "seen, not sent"],
                &[false, true, true],
                &rows,
            ),
            rows.len(),
            self.topics.total,
        )
    }
}

/// What a person calls a worker.
fn worker_name(worker: &WorkerRow) -> &str {
    let names = [&worker.name, &worker.address];
    names
        .into_iter()
        .flatten()
        .next()
        .unwrap_or(&worker.worker_id)
}

fn state(state: WorkerState) -> &'static str {
    match state {
        WorkerState::Running => "running",
        WorkerState::Paused => "paused",
        WorkerState::Gone => "gone",
    }
}

/// `killed 2026-11-21 10:00:00 (memory)`
fn last_event(worker: &WorkerRow) -> String {
    let Some(event) = worker.events.last() else {
        return String::new();
    };
    let cause = match (&event.cause, event.expected) {
        (Some(cause), _) => format!(" ({})", visible::plain(cause)),
        (None, Some(false)) => " (not expected)".into(),
        (None, Some(true) | None) => String::new(),
    };
    let (word, at) = (event.event.word(), print::moment(event.at_micros));
    print::cut(&format!("{word} {at}{cause}"), 80)
}

/// The line that made the call, or why there is none.
fn code(call: &ComputationRow) -> String {
    match &call.code {
        ComputationCode::Frames { frames } => frames.last().map_or_else(String::new, |frame| {
            let at = frame.line_relative.unwrap_or(0) as usize;
            let line = frame
                .code
                .lines()
                .nth(at)
                .or_else(|| frame.code.lines().next())
                .unwrap_or_default();
            visible::plain(line.trim())
        }),
        ComputationCode::Off => "(switched off)".into(),
        ComputationCode::NotCaptured => "(not captured)".into(),
        ComputationCode::Locked => "(locked: the key is missing)".into(),
        ComputationCode::Forgotten { .. } => "(deleted at your request)".into(),
    }
}
