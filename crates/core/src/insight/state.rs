//! Why a cluster is said to be running, stalled, idle, finished or lost.

use super::words::{ago, duration};
use crate::model::{ClusterState, Micros};
use crate::query::Found;
use crate::query::types::ClusterRow;

/// The row of a cluster, with the sentence that explains its state.
pub(crate) fn with_evidence(found: Found, now: Micros) -> ClusterRow {
    explained(found, now).row
}

/// The same, with what else was found.
pub(crate) fn explained(mut found: Found, now: Micros) -> Found {
    found.row.state_evidence = evidence(&found, now);
    found
}

fn evidence(found: &Found, now: Micros) -> String {
    let silent = now.0 - found.row.last_heard_micros.0;
    match found.row.state {
        ClusterState::Finished if found.row.finished_by_hand => {
            format!("marked as finished by hand; last report {}", ago(silent))
        }
        ClusterState::Finished => match found.stop_reason.as_deref() {
            None | Some("" | "closed") => "its scheduler shut down".into(),
            Some("idle_timeout") => "its scheduler shut down: idle for too long".into(),
            Some("remote_close") => "its scheduler shut down: closed from Bobbin".into(),
            Some("exit") => "its scheduler's process ended".into(),
            // Of one that was read from a file of another program.
            Some("end_of_file") => "its file ends here".into(),
            Some(reason) => format!("its scheduler shut down: {reason}"),
        },
        ClusterState::Lost => format!(
            "no report for {}, expected every {}; no shutdown was reported",
            duration(silent),
            duration(found.interval_micros)
        ),
        ClusterState::Idle => {
            let began = found.row.idle_since_micros.unwrap_or(now);
            // Both by the scheduler's clock, and then what has passed since by this machine's.
            let at_sample = found.sample_at.map_or(0, |at| (at.0 - began.0).max(0));
            format!("nothing to do for {}", duration(at_sample + silent.max(0)))
        }
        ClusterState::Stalled => stalled(found),
        ClusterState::Running if found.sample_at.is_none() => "it just started reporting".into(),
        ClusterState::Running => format!("last report {}", ago(silent)),
    }
}

/// `no task finished for 3 min; 8 are running, the slowest group usually takes 2 s (p95)`
fn stalled(found: &Found) -> String {
    let Some(stall) = &found.stall else {
        return String::new();
    };
    let count = |state: &str| found.row.tasks.get(state).copied().unwrap_or(0);
    let quiet = duration(stall.quiet_micros);
    let mut words = match (count("processing"), count("no-worker")) {
        (0, 1) => format!("no task finished for {quiet}; 1 is waiting, and no worker can run it"),
        (0, barred) if barred > 0 => {
            format!(
                "no task finished for {quiet}; {barred} are waiting, and no worker can run them"
            )
        }
        (1, _) => format!("no task finished for {quiet}; 1 is running"),
        (running, _) => format!("no task finished for {quiet}; {running} are running"),
    };
    if let Some(p95) = stall.p95_seconds {
        let usually = duration((p95 * 1e6) as i64);
        words += &format!(", the slowest group usually takes {usually} (p95)");
    }
    if stall.same_stacks == Some(true) {
        words += "; the workers' stacks have not changed";
    }
    words
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::query::Stall;

    pub(in crate::insight) fn found(state: ClusterState, stop_reason: Option<&str>) -> Found {
        Found {
            row: ClusterRow {
                id: 1,
                scheduler_id: "Scheduler-1".into(),
                sample: false,
                name: "one".into(),
                state,
                finished_by_hand: false,
                state_evidence: String::new(),
                user: None,
                host: None,
                project: None,
                tags: BTreeMap::new(),
                own_tags: BTreeMap::new(),
                given_name: None,
                note: None,
                pinned: false,
                started_micros: Micros(0),
                stopped_micros: None,
                last_heard_micros: Micros(100_000_000),
                idle_since_micros: Some(Micros(40_000_000)),
                last_completed_micros: None,
                since_completed_micros: None,
                workers: 0,
                threads: 0,
                workers_peak: 0,
                threads_peak: 0,
                memory_used_bytes: None,
                memory_peak_bytes: None,
                memory_limit_bytes: None,
                tasks: BTreeMap::from([("processing".into(), 8)]),
                tasks_done: 0,
                tasks_completed: 0,
                tasks_erred: 0,
                compute_seconds: 0.0,
                thread_seconds: 0.0,
                stalled_seconds: 0.0,
                efficiency: None,
                unavailable: Vec::new(),
                source: None,
                result_bytes: 0,
                computations: 0,
                exceptions: 0,
                cost: None,
            },
            interval_micros: 10_000_000,
            sample_at: Some(Micros(100_000_000)),
            stop_reason: stop_reason.map(Into::into),
            stall: Some(Stall {
                quiet_micros: 180_000_000,
                p95_seconds: Some(2.0),
                same_stacks: None,
            }),
            instance_id: None,
        }
    }

    #[test]
    fn each_state_is_explained() {
        let now = Micros(190_000_000);
        for (state, reason, words) in [
            (
                ClusterState::Finished,
                Some("closed"),
                "its scheduler shut down",
            ),
            (
                ClusterState::Finished,
                Some("exit"),
                "its scheduler's process ended",
            ),
            (
                ClusterState::Finished,
                Some("moved"),
                "its scheduler shut down: moved",
            ),
            (
                ClusterState::Lost,
                None,
                "no report for 1 min 30 s, expected every 10 s; no shutdown was reported",
            ),
            (
                ClusterState::Stalled,
                None,
                "no task finished for 3 min; 8 are running, the slowest group usually takes 2 s (p95)",
            ),
            (ClusterState::Idle, None, "nothing to do for 2 min 30 s"),
            (ClusterState::Running, None, "last report 1 min 30 s ago"),
        ] {
            assert_eq!(
                with_evidence(found(state, reason), now).state_evidence,
                words
            );
        }
    }

    #[test]
    fn a_report_of_this_second_came_just_now() {
        for (now, words) in [
            (100_692_000, "last report just now"),
            (99_000_000, "last report just now"),
            (101_000_000, "last report 1 s ago"),
        ] {
            let running = with_evidence(found(ClusterState::Running, None), Micros(now));
            assert_eq!(running.state_evidence, words);
        }
    }

    #[test]
    fn work_that_nobody_may_run_is_told_as_that() {
        for (barred, words) in [
            (
                1,
                "no task finished for 3 min; 1 is waiting, and no worker can run it",
            ),
            (
                4,
                "no task finished for 3 min; 4 are waiting, and no worker can run them",
            ),
        ] {
            let mut stalled = found(ClusterState::Stalled, None);
            stalled.row.tasks = BTreeMap::from([("no-worker".into(), barred)]);
            stalled.stall = stalled.stall.map(|stall| Stall {
                p95_seconds: None,
                ..stall
            });
            assert_eq!(
                with_evidence(stalled, Micros(190_000_000)).state_evidence,
                words
            );
        }
    }
}
