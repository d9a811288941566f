//! `bobbin show CLUSTER`: all that is known about one cluster.

use std::path::Path;

use bobbin_core::Code;
use bobbin_core::api::{
    self, Cluster, ClusterRequest, ComputationCode, ComputationList, ComputationRow,
    ComputationsRequest, ExceptionList, ExceptionsRequest, SealedText, TaskGroupList,
    TaskGroupsRequest, Timeline, TimelineRequest,
};
use bobbin_core::model::{Micros, TaskStates};
use serde::Serialize;

use crate::args::ShowArgs;
use crate::clusters::{duration, word};
use crate::failure::Failure;
use crate::{open, print, visible};

/// The answer with `--json`: everything at once, so that it can be compared with Dask's own numbers.
#[derive(Debug, Serialize)]
struct Shown {
    cluster: Cluster,
    task_groups: TaskGroupList,
    computations: ComputationList,
    exceptions: ExceptionList,
    timeline: Timeline,
}

/// Rows of each table without `--json`.
const SHORT: usize = 20;

/// Runs the verb. An unknown cluster fails with 1.
pub fn run(data_dir: &Path, json: bool, args: &ShowArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    let row = api::find_cluster(&app, &args.cluster).map_err(|error| {
        let failure = Failure::from(error);
        match failure.code {
            Code::NotFound if failure.hint.is_none() => {
                failure.hint("`bobbin clusters` lists them")
            }
            _ => failure,
        }
    })?;
    let id = row.id;
    let shown = Shown {
        cluster: api::cluster(&app, ClusterRequest { id })?,
        task_groups: api::task_groups(&app, TaskGroupsRequest { id })?,
        computations: api::computations(
            &app,
            ComputationsRequest {
                id,
                limit: 1_000,
                offset: 0,
            },
        )?,
        exceptions: api::exceptions(
            &app,
            ExceptionsRequest {
                id: Some(id),
                limit: 1_000,
                ..Default::default()
            },
        )?,
        timeline: api::timeline(
            &app,
            TimelineRequest {
                id,
                from_micros: None,
                to_micros: None,
                points: 0,
            },
        )?,
    };
    if json {
        print::json(&shown)
    } else {
        print::write(&shown.text(app.now()))
    }
}

impl Shown {
    fn text(&self, now: Micros) -> String {
        let mut text = self.head(now);
        text.push_str(&self.groups());
        text.push_str(&self.calls());
        text.push_str(&self.failures());
        text
    }

    fn head(&self, now: Micros) -> String {
        let row = &self.cluster.row;
        let facts = &self.cluster.facts;
        let seconds = &self.cluster.seconds;
        let mut text = format!(
            "{}  #{}  {}\n",
            visible::plain(&row.name),
            row.id,
            visible::plain(&row.scheduler_id)
        );
        let mut line =
            |name: &str, value: String| text.push_str(&format!("  {name:<10} {value}\n"));
        line(
            "state",
            format!(
                "{} ({})",
                word(row.state),
                visible::plain(&row.state_evidence)
            ),
        );
        line(
            "started",
            format!(
                "{}, {} long",
                print::moment(row.started_micros),
                duration(row, now)
            ),
        );
        if let Some(reason) = &facts.stop_reason {
            line("stopped", visible::plain(reason));
        }
        line(
            "workers",
            format!(
                "{} with {} threads, at most {}",
                row.workers, row.threads, row.workers_peak
            ),
        );
        let memory = |bytes| print::or_dash(bytes, print::bytes);
        line(
            "memory",
            format!(
                "{} of {}, at most {}",
                memory(row.memory_used_bytes),
                memory(row.memory_limit_bytes),
                memory(row.memory_peak_bytes)
            ),
        );
        line(
            "tasks",
            format!(
                "{} done, {} erred, now {}",
                row.tasks_completed,
                row.tasks_erred,
                states(&row.tasks)
            ),
        );
        line(
            "time",
            format!(
                "{} compute, {} transfer, {} disk, of {} thread time",
                print::seconds(seconds.compute),
                print::seconds(seconds.transfer),
                print::seconds(seconds.disk_read + seconds.disk_write),
                print::seconds(row.thread_seconds)
            ),
        );
        let losses = &self.cluster.losses;
        let shed: u64 = losses.dropped_records.values().sum();
        if losses.missing_records + shed + losses.refused_records > 0 {
            line(
                "missing",
                format!(
                    "{} records on the way, {shed} shed, {} unreadable",
                    losses.missing_records, losses.refused_records
                ),
            );
        }
        text
    }

    fn groups(&self) -> String {
        let rows: Vec<Vec<String>> = self
            .task_groups
            .rows
            .iter()
            .take(SHORT)
            .map(|group| {
                vec![
                    print::cut(&visible::plain(&group.name), 48),
                    states(&group.states),
                    print::seconds(group.seconds.compute),
                    print::seconds(group.seconds.transfer),
                    print::bytes(group.result_bytes),
                ]
            })
            .collect();
        let head = ["task group", "tasks", "compute", "transfer", "results"];
        section(
            &print::table(&head, &[false, false, true, true, true], &rows),
            rows.len(),
            self.task_groups.total,
        )
    }

    fn calls(&self) -> String {
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

    fn failures(&self) -> String {
        let mut text = String::new();
        for row in self.exceptions.rows.iter().take(SHORT) {
            let message = match &row.message {
                SealedText::Text { text } => visible::plain_lines(text, "  "),
                SealedText::None => "(message not sent)".into(),
                SealedText::Locked => "(message locked: the key is missing)".into(),
            };
            let group = row.group.as_deref().unwrap_or("–");
            text.push_str(&format!(
                "{} × {}  in {}, last {}\n  {message}\n",
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
}

/// A blank line before, and how many more there are after.
fn section(body: &str, shown: usize, total: u64) -> String {
    if shown == 0 {
        return String::new();
    }
    let more = total.saturating_sub(shown as u64);
    let rest = if more > 0 {
        format!("… and {more} more; --json has them\n")
    } else {
        String::new()
    };
    format!("\n{body}{rest}")
}

fn states(states: &TaskStates) -> String {
    let parts: Vec<String> = states
        .iter()
        .filter(|(_, n)| **n > 0)
        .map(|(state, n)| format!("{n} {}", visible::plain(state)))
        .collect();
    if parts.is_empty() {
        "none".into()
    } else {
        parts.join(", ")
    }
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
    }
}
