//! `bobbin show CLUSTER`: all that is known about one cluster.

mod head;
mod lists;
mod profile;

use std::path::Path;

use bobbin_core::api::{
    self, Cluster, ClusterRequest, ComputationList, ComputationsRequest, EventList, EventsRequest,
    ExceptionList, ExceptionsRequest, MetricList, MetricsRequest, Profile, ProfileRequest,
    SpanList, SpansRequest, TaskGroupList, TaskGroupsRequest, Timeline, TimelineRequest, TopicList,
    TopicsRequest, Verdict, WorkerList, WorkersRequest,
};
use bobbin_core::model::{Micros, TaskStates};
use serde::Serialize;

use crate::args::ShowArgs;
use crate::failure::Failure;
use crate::{open, print, visible};

/// The answer with `--json`: everything at once, so that it can be compared with Dask's own numbers.
#[derive(Debug, Serialize)]
struct Shown {
    cluster: Cluster,
    verdict: Verdict,
    task_groups: TaskGroupList,
    computations: ComputationList,
    exceptions: ExceptionList,
    timeline: Timeline,
    workers: WorkerList,
    spans: SpanList,
    metrics: MetricList,
    events: EventList,
    topics: TopicList,
    profile: Profile,
}

/// Rows of each table without `--json`.
const SHORT: usize = 20;
/// Rows of each list with it.
const MOST: u32 = 1_000;

/// Runs the verb. An unknown cluster fails with 1.
pub fn run(data_dir: &Path, json: bool, args: &ShowArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    let row = open::cluster(&app, &args.cluster)?;
    let id = row.id;
    let shown = Shown {
        cluster: api::cluster(&app, ClusterRequest { id })?,
        verdict: api::verdict(&app, ClusterRequest { id })?,
        task_groups: api::task_groups(&app, TaskGroupsRequest { id })?,
        computations: api::computations(
            &app,
            ComputationsRequest {
                id,
                from_micros: None,
                to_micros: None,
                limit: MOST,
                offset: 0,
            },
        )?,
        exceptions: api::exceptions(
            &app,
            ExceptionsRequest {
                id: Some(id),
                limit: MOST,
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
        workers: api::workers(
            &app,
            WorkersRequest {
                id,
                worker_id: None,
                limit: MOST,
                offset: 0,
            },
        )?,
        spans: api::spans(
            &app,
            SpansRequest {
                id,
                limit: MOST,
                ..SpansRequest::default()
            },
        )?,
        metrics: api::metrics(
            &app,
            MetricsRequest {
                id,
                span_id: None,
                prefix: None,
            },
        )?,
        events: api::events(
            &app,
            EventsRequest {
                id,
                from_micros: None,
                to_micros: None,
                limit: MOST,
                offset: 0,
            },
        )?,
        topics: api::topics(&app, TopicsRequest { id })?,
        profile: api::profile(
            &app,
            ProfileRequest {
                id,
                prefix: None,
                from_micros: None,
                to_micros: None,
                nodes: 0,
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
        [
            self.head(now),
            self.groups(),
            self.calls(),
            self.spans(),
            self.activities(),
            self.functions(),
            self.failures(),
            self.workers(),
            self.topics(),
        ]
        .concat()
    }
}

/// A blank line before, and how many more there are after.
fn section(body: &str, shown: usize, total: u64) -> String {
    if shown == 0 {
        return String::new();
    }
    let more = total.saturating_sub(shown as u64);
    let rest = if more > 0 {
        format!("… and {more} more; see --json\n")
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
