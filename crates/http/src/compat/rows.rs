//! Rows as the published client's users and its old terminal view expect them. A missing or null field kills that view,
//! so its fields are always there.

use bobbin_core::api::{
    ClusterRow, ComputationCode, ComputationRow, EventRow, ExceptionRow, SealedText,
};
use bobbin_core::model::{ClusterState, Micros};
use chrono::DateTime;
use serde_json::{Value, json};

/// ISO 8601 with microseconds and `+00:00`: older Pythons do not read `Z`.
fn iso(at: Micros) -> String {
    let time = DateTime::from_timestamp_micros(at.0).unwrap_or_default();
    time.format("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
}

/// A cluster.
pub fn cluster(row: &ClusterRow) -> Value {
    let status = match row.state {
        ClusterState::Running | ClusterState::Stalled | ClusterState::Idle => "running",
        ClusterState::Finished | ClusterState::Lost => "stopped",
    };
    json!({
        "id": row.id,
        "cluster_id": row.id,
        "scheduler_id": row.scheduler_id,
        "name": row.name,
        "account": "local",
        "user": row.user,
        "status": status,
        "state": row.state,
        "created": iso(row.started_micros),
        "finished": row.stopped_micros.map(iso),
        "workers": row.workers,
        "workers_peak": row.workers_peak,
        "threads": row.threads,
        "memory": row.memory_used_bytes.unwrap_or(0),
        "memory_limit": row.memory_limit_bytes.unwrap_or(0),
        "n_tasks": row.tasks.values().sum::<u64>(),
        "n_tasks_completed": row.tasks_completed,
        "n_tasks_erred": row.tasks_erred,
        "thread_seconds": row.thread_seconds,
        "compute_seconds": row.compute_seconds,
        "host": row.host,
        "project": row.project,
        "tags": row.tags,
    })
}

/// A performance report, as the cluster that it became.
pub fn report(row: &ClusterRow) -> Value {
    json!({
        "id": row.id,
        "name": row.name,
        "created": iso(row.stopped_micros.unwrap_or(row.started_micros)),
        // It opens in the window, on this machine.
        "url": format!("bobbin://cluster/{}", row.id),
    })
}

/// A computation. One that runs has `now` for its end: the old terminal view takes no other answer.
pub fn computation(row: &ComputationRow, scheduler_id: &str, now: Micros) -> Value {
    let (code, frames) = match &row.code {
        ComputationCode::Frames { frames } => {
            let text: Vec<&str> = frames.iter().map(|frame| frame.code.as_str()).collect();
            (text.join("\n\n"), json!(frames))
        }
        ComputationCode::Off
        | ComputationCode::NotCaptured
        | ComputationCode::Locked
        | ComputationCode::Forgotten { .. } => (String::new(), json!([])),
    };
    let start = row.start_micros.unwrap_or(now);
    json!({
        "id": row.computation_id,
        "cluster_id": row.cluster_id,
        "scheduler_id": scheduler_id,
        "start": iso(start),
        "stop": iso(row.stop_micros.unwrap_or(now).max(start)),
        "running": row.stop_micros.is_none(),
        "code": code,
        "frames": frames,
        "groups": row.groups,
        "states": row.states,
        "n_tasks": row.states.values().sum::<u64>(),
        "seconds": row.seconds,
    })
}

/// An event. Its payload is what was logged, if the key to it is here.
pub fn event(row: &EventRow, scheduler_id: &str) -> Value {
    let payload = text(&row.payload)
        .map(|text| serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())));
    json!({
        "cluster_id": row.cluster_id,
        "scheduler_id": scheduler_id,
        "timestamp": iso(row.at_micros),
        "topic": row.topic,
        "payload": payload,
    })
}

/// An exception, counted over the tasks that raised it.
pub fn exception(row: &ExceptionRow) -> Value {
    json!({
        "id": row.exception_id,
        "cluster_id": row.cluster_id,
        "cluster": row.cluster_name,
        "group": row.group,
        "origin": row.origin,
        "exception_type": row.exception_type,
        "exception": text(&row.message),
        "traceback": text(&row.traceback),
        "worker": row.worker,
        "created": iso(row.first_seen_micros),
        "last_seen": iso(row.last_seen_micros),
        "count": row.count,
        "dependents": row.dependents,
    })
}

fn text(sealed: &SealedText) -> Option<&str> {
    match sealed {
        SealedText::Text { text } => Some(text),
        SealedText::None | SealedText::Locked => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_microseconds_and_an_offset() {
        assert_eq!(iso(Micros(1_000_000)), "1970-01-01T00:00:01.000000+00:00");
        assert_eq!(
            iso(Micros(1_700_000_000_000_007)),
            "2023-11-14T22:13:20.000007+00:00"
        );
    }

    #[test]
    fn a_computation_without_code_or_end_has_text_and_times() {
        let row = ComputationRow {
            computation_id: "c".into(),
            cluster_id: 3,
            start_micros: None,
            stop_micros: None,
            groups: vec![],
            states: Default::default(),
            tasks_done: 0,
            retried: None,
            seconds: Default::default(),
            code: ComputationCode::NotCaptured,
        };
        let row = computation(&row, "Scheduler-1", Micros(5));
        assert_eq!(row["code"], "");
        assert_eq!(row["start"], row["stop"]);
        assert_eq!(row["running"], true);
    }
}
