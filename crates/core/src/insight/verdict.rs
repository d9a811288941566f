//! What became of a cluster, in one word, and the three weightiest reasons.
//!
//! A rule looks at one figure, says from where on it counts, and points at the proof.

use super::cost::core_time;
use super::words::{bytes, count, duration, share, times};
use crate::model::ClusterState;
use crate::query::types::{
    Evidence, EvidenceKind, EvidenceTab, EvidenceUnit, Verdict, VerdictKind,
};
use crate::query::{Judged, LATE_MICROS};

/// Reasons that fit beside a word and are still read.
const TOLD: usize = 3;
/// A thread that is idle for more than half of its time is one that need not be there.
const IDLE_SHARE: f64 = 0.5;
/// Ten core-minutes: what is less than a coffee is worth nobody's while.
const IDLE_SECONDS: f64 = 600.0;
/// A stall is a fault, and no slack that a run needs: it weighs from a hundredth of the time on.
const STALLED_SHARE: f64 = 0.01;
/// Where moving data takes this much beside computing, other chunks or fewer workers do better.
const TRANSFER_SHARE: f64 = 0.3;
/// Shorter work says nothing about shares.
const WORK_SECONDS: f64 = 60.0;
/// Spilling below a hundredth of the memory is the odd partition.
const SPILLED_SHARE: f64 = 0.01;
/// One late sample in ten is no accident.
const LATE_SHARE: f64 = 0.1;
/// Fewer short tasks cost less than a second or two.
const SHORT_TASKS: u64 = 1_000;
/// What Dask needs to schedule a task.
const SCHEDULING_SECONDS: f64 = 0.001;
/// Where scheduling takes a tenth of the time that all threads need for the work, larger tasks are worth having.
const SCHEDULING_SHARE: f64 = 0.1;

/// What became of a cluster, and why that is said.
pub(crate) fn verdict(judged: &Judged) -> Verdict {
    let row = &judged.found.row;
    let failures = failures(judged);
    let mut waste = waste(judged);
    let (kind, mut evidence) = match row.state {
        ClusterState::Lost => (VerdictKind::Lost, vec![state(judged)]),
        ClusterState::Stalled => (VerdictKind::Stalled, vec![state(judged)]),
        _ if !failures.is_empty() => (VerdictKind::Failing, Vec::new()),
        ClusterState::Idle => (VerdictKind::Idle, vec![state(judged)]),
        _ if !waste.is_empty() => (VerdictKind::Wasteful, Vec::new()),
        _ if row.tasks_completed == 0 => (VerdictKind::Unknown, vec![nothing()]),
        _ => (VerdictKind::Healthy, well(judged)),
    };
    evidence.extend(failures);
    evidence.append(&mut waste);
    let more = evidence.len().saturating_sub(TOLD) as u64;
    evidence.truncate(TOLD);
    Verdict {
        kind,
        evidence,
        more,
    }
}

/// What makes a cluster a failing one.
pub(super) fn failures(judged: &Judged) -> Vec<Evidence> {
    let rules = [erred(judged), lost_workers(judged)];
    rules.into_iter().flatten().collect()
}

/// What makes it a wasteful one.
pub(super) fn waste(judged: &Judged) -> Vec<Evidence> {
    let rules = [
        stalled(judged),
        idle(judged),
        transfer(judged),
        spilled(judged),
        skewed(judged),
        short(judged),
        late(judged),
    ];
    rules.into_iter().flatten().collect()
}

/// What the state itself rests on, in the words that the row has for it.
fn state(judged: &Judged) -> Evidence {
    let row = &judged.found.row;
    let (seconds, rule) = match row.state {
        ClusterState::Lost => (
            0.0,
            "three reports in a row did not arrive, and no shutdown was reported",
        ),
        ClusterState::Stalled => (
            judged
                .found
                .stall
                .as_ref()
                .map_or(0.0, |stall| stall.quiet_micros as f64 / 1e6),
            "tasks are assigned, and none has finished for far longer than its group usually takes",
        ),
        _ => (
            row.since_completed_micros.unwrap_or(0) as f64 / 1e6,
            "no task is waiting or assigned",
        ),
    };
    Evidence {
        about: EvidenceKind::State,
        words: row.state_evidence.clone(),
        value: seconds,
        unit: EvidenceUnit::Seconds,
        rule: rule.into(),
        tab: (row.state == ClusterState::Stalled).then_some(EvidenceTab::Workers),
        item: None,
    }
}

fn erred(judged: &Judged) -> Option<Evidence> {
    let row = &judged.found.row;
    if row.tasks_erred == 0 && row.exceptions == 0 {
        return None;
    }
    let mut words = match row.tasks_erred {
        // Dask told of the exception, and not of a task.
        0 => count(row.exceptions, "exception", "exceptions"),
        tasks => format!("{} erred", count(tasks, "task", "tasks")),
    };
    if let Some(first) = &judged.first_exception {
        words += match (row.tasks_erred, row.exceptions) {
            (1, _) => " with ",
            (0, 1) => ": ",
            _ => ", the first with ",
        };
        words += &first.exception_type;
        if let Some(prefix) = &first.prefix {
            words += &format!(" in {prefix}");
        }
    }
    Some(Evidence {
        about: EvidenceKind::ErredTasks,
        words,
        value: row.tasks_erred.max(row.exceptions) as f64,
        unit: EvidenceUnit::Count,
        rule: "flagged from the first task that erred; tasks that only depend on it do not count"
            .into(),
        tab: Some(EvidenceTab::Exceptions),
        item: judged
            .first_exception
            .as_ref()
            .map(|first| first.exception_id.clone()),
    })
}

fn lost_workers(judged: &Judged) -> Option<Evidence> {
    let lost = judged.workers_lost;
    (lost > 0).then(|| Evidence {
        about: EvidenceKind::LostWorkers,
        words: format!(
            "{} lost: killed, or gone without being told to close",
            count(lost, "worker was", "workers were")
        ),
        value: lost as f64,
        unit: EvidenceUnit::Count,
        rule: "flagged from the first: Dask had to recompute the results it held in memory".into(),
        tab: Some(EvidenceTab::Workers),
        item: None,
    })
}

/// Seconds in which threads had nothing to do, and those in which they did nothing while the cluster was stalled.
fn idle_and_stalled(judged: &Judged) -> (f64, f64) {
    let row = &judged.found.row;
    let seconds = &judged.seconds;
    let told = seconds.compute
        + seconds.transfer
        + seconds.disk_read
        + seconds.disk_write
        + seconds.deserialize
        + seconds.other;
    // Groups that are not on the record computed too: samples know of it.
    let busy = told.max(row.compute_seconds);
    let nothing = (row.thread_seconds - busy).max(0.0);
    let stalled = row.stalled_seconds.min(nothing);
    (nothing - stalled, stalled)
}

fn stalled(judged: &Judged) -> Option<Evidence> {
    let (_, stalled) = idle_and_stalled(judged);
    let part = stalled / judged.found.row.thread_seconds;
    (part > STALLED_SHARE && stalled > IDLE_SECONDS).then(|| Evidence {
        about: EvidenceKind::Stalled,
        words: format!(
            "threads did nothing for {} while it was stalled",
            core_time((stalled * 1e6) as i64)
        ),
        value: stalled,
        unit: EvidenceUnit::Seconds,
        rule: format!(
            "flagged above {} of cluster time and ten core-minutes; counted from when the stall was known",
            share(STALLED_SHARE)
        ),
        tab: Some(EvidenceTab::Workers),
        item: None,
    })
}

fn idle(judged: &Judged) -> Option<Evidence> {
    let (idle, _) = idle_and_stalled(judged);
    let part = idle / judged.found.row.thread_seconds;
    (part > IDLE_SHARE && idle > IDLE_SECONDS).then(|| Evidence {
        about: EvidenceKind::IdleShare,
        words: format!(
            "threads were idle for {} of their time, {} in all",
            share(part),
            core_time((idle * 1e6) as i64)
        ),
        value: part,
        unit: EvidenceUnit::Share,
        rule: format!(
            "flagged above {} and ten core-minutes; cluster time minus that of tasks and stalls",
            share(IDLE_SHARE)
        ),
        tab: None,
        item: None,
    })
}

fn transfer(judged: &Judged) -> Option<Evidence> {
    let work = judged.seconds.compute + judged.seconds.transfer;
    let part = judged.seconds.transfer / work;
    (work > WORK_SECONDS && part > TRANSFER_SHARE).then(|| Evidence {
        about: EvidenceKind::TransferShare,
        words: format!(
            "{} of the work went to moving data between workers",
            share(part)
        ),
        value: part,
        unit: EvidenceUnit::Share,
        rule: format!(
            "flagged above {} of transfer and compute, from one core-minute up",
            share(TRANSFER_SHARE)
        ),
        tab: Some(EvidenceTab::Groups),
        item: None,
    })
}

fn spilled(judged: &Judged) -> Option<Evidence> {
    let spilled = judged.spilled_bytes;
    let limit = judged.found.row.memory_limit_bytes.unwrap_or(0);
    (spilled > 0 && spilled as f64 > SPILLED_SHARE * limit as f64).then(|| Evidence {
        about: EvidenceKind::SpilledBytes,
        words: format!("up to {} spilled to disk", bytes(spilled)),
        value: spilled as f64,
        unit: EvidenceUnit::Bytes,
        rule: format!(
            "flagged above {} of the workers’ memory; every spilled byte is written and read back",
            share(SPILLED_SHARE)
        ),
        tab: Some(EvidenceTab::Workers),
        item: None,
    })
}

fn skewed(judged: &Judged) -> Option<Evidence> {
    let group = judged.skewed.as_ref()?;
    let ratio = group.p95_seconds / group.p50_seconds;
    Some(Evidence {
        about: EvidenceKind::Skew,
        words: format!(
            "the slowest tasks of {} took {} as long as the median",
            group.prefix,
            times(ratio)
        ),
        value: ratio,
        unit: EvidenceUnit::Times,
        rule: "p95 ÷ p50 of one group; flagged above five times, if the slow tasks take a second or more"
            .into(),
        tab: Some(EvidenceTab::Groups),
        item: Some(group.group_id.clone()),
    })
}

fn short(judged: &Judged) -> Option<Evidence> {
    let (short, timed) = (judged.short_tasks, judged.timed_tasks);
    let scheduling = short as f64 * SCHEDULING_SECONDS;
    // All threads at once: threads wait for a scheduler that takes as long as they do.
    let row = &judged.found.row;
    let work = row.compute_seconds.max(judged.seconds.compute) / row.threads_peak.max(1) as f64;
    let weighs = scheduling > SCHEDULING_SHARE * work;
    (short >= SHORT_TASKS && short * 2 > timed && weighs).then(|| Evidence {
        about: EvidenceKind::ShortTasks,
        words: format!(
            "{} took {} on average, about what Dask needs to schedule one",
            count(short, "task", "tasks"),
            duration((judged.short_seconds / short as f64 * 1e6) as i64)
        ),
        value: short as f64,
        unit: EvidenceUnit::Count,
        rule: format!(
            "tasks of groups with a mean below 10 ms; flagged from a thousand up, if they are the majority and \
             scheduling them, a millisecond each, takes more than {} of the time all threads need for the work",
            share(SCHEDULING_SHARE)
        ),
        tab: Some(EvidenceTab::Groups),
        item: judged.short_group_id.clone(),
    })
}

fn late(judged: &Judged) -> Option<Evidence> {
    let part = judged.late_samples as f64 / judged.samples as f64;
    (judged.samples > 0 && part > LATE_SHARE).then(|| Evidence {
        about: EvidenceKind::EventLoopLag,
        words: format!(
            "the scheduler was too busy to answer in {} of the reports, up to {} late",
            share(part),
            duration(judged.lag_micros)
        ),
        value: judged.lag_micros as f64 / 1e6,
        unit: EvidenceUnit::Seconds,
        rule: format!(
            "flagged when its event loop is more than {} late in more than one report in ten",
            duration(LATE_MICROS)
        ),
        tab: None,
        item: None,
    })
}

/// What there is to say of a cluster that has not worked.
fn nothing() -> Evidence {
    Evidence {
        about: EvidenceKind::TasksCompleted,
        words: "no task has finished yet".into(),
        value: 0.0,
        unit: EvidenceUnit::Count,
        rule: "there is nothing to judge before the first task finishes".into(),
        tab: None,
        item: None,
    }
}

/// What there is to say of a cluster that is well.
fn well(judged: &Judged) -> Vec<Evidence> {
    let row = &judged.found.row;
    let mut said = vec![Evidence {
        about: EvidenceKind::TasksCompleted,
        words: format!(
            "{} finished, none failed",
            count(row.tasks_completed, "task", "tasks")
        ),
        value: row.tasks_completed as f64,
        unit: EvidenceUnit::Count,
        rule: if row.unavailable.iter().any(|word| word == "lost_workers") {
            "no task erred; this Dask release does not report lost workers"
        } else {
            "no task erred, and no worker was lost"
        }
        .into(),
        tab: Some(EvidenceTab::Groups),
        item: None,
    }];
    let part = row.compute_seconds / row.thread_seconds;
    if part.is_finite() {
        said.push(Evidence {
            about: EvidenceKind::ComputeShare,
            words: format!("threads computed for {} of their time", share(part)),
            value: part,
            unit: EvidenceUnit::Share,
            rule: "compute time ÷ cluster time".into(),
            tab: None,
            item: None,
        });
    }
    said
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::insight::state::tests::found;
    use crate::model::Activities;
    use crate::query::{FirstException, SkewedGroup};

    /// A cluster that is well: 100 threads' hours, most of it computed.
    pub(in crate::insight) fn well_off() -> Judged {
        let mut found = found(ClusterState::Finished, None);
        found.row.tasks_completed = 5_000;
        found.row.compute_seconds = 3_000.0;
        found.row.thread_seconds = 4_000.0;
        found.row.threads_peak = 100;
        found.row.memory_limit_bytes = Some(1_000_000);
        Judged {
            found,
            seconds: Activities {
                compute: 3_000.0,
                transfer: 100.0,
                ..Activities::default()
            },
            workers_lost: 0,
            first_exception: None,
            samples: 100,
            late_samples: 0,
            lag_micros: 5_000,
            spilled_bytes: 0,
            skewed: None,
            timed_tasks: 5_000,
            short_tasks: 0,
            short_seconds: 0.0,
            short_group_id: None,
        }
    }

    fn abouts(verdict: &Verdict) -> Vec<EvidenceKind> {
        verdict.evidence.iter().map(|line| line.about).collect()
    }

    #[test]
    fn a_cluster_that_is_well_says_what_it_did() {
        let said = verdict(&well_off());
        assert_eq!(said.kind, VerdictKind::Healthy);
        assert_eq!(said.evidence[0].words, "5,000 tasks finished, none failed");
        assert_eq!(
            said.evidence[1].words,
            "threads computed for 75 % of their time"
        );
        assert_eq!(
            said.evidence[0].rule,
            "no task erred, and no worker was lost"
        );
        let mut old = well_off();
        old.found.row.unavailable = vec!["lost_workers".into()];
        let said = verdict(&old);
        assert!(said.evidence[0].rule.contains("does not report"));
        let mut new = well_off();
        new.found.row.tasks_completed = 0;
        let said = verdict(&new);
        assert_eq!(said.kind, VerdictKind::Unknown);
        assert_eq!(said.evidence[0].words, "no task has finished yet");
    }

    /// Each rule alone: just below its bound nothing is said, just above it is, and it makes the cluster wasteful.
    #[test]
    fn each_rule_counts_from_its_bound_on() {
        type Change = fn(&mut Judged);
        let rules: [(EvidenceKind, Change, Change); 7] = [
            (
                EvidenceKind::Stalled,
                |j| j.found.row.stalled_seconds = 600.0,
                |j| j.found.row.stalled_seconds = 601.0,
            ),
            (
                EvidenceKind::IdleShare,
                |j| j.found.row.thread_seconds = 6_200.0,
                |j| j.found.row.thread_seconds = 6_201.0,
            ),
            (
                EvidenceKind::TransferShare,
                |j| j.seconds.transfer = 3_000.0 * 0.3 / 0.7 - 1.0,
                |j| j.seconds.transfer = 3_000.0 * 0.3 / 0.7 + 1.0,
            ),
            (
                EvidenceKind::SpilledBytes,
                |j| j.spilled_bytes = 10_000,
                |j| j.spilled_bytes = 10_001,
            ),
            (
                EvidenceKind::ShortTasks,
                |j| (j.short_tasks, j.timed_tasks) = (4_000, 8_000),
                |j| (j.short_tasks, j.timed_tasks) = (4_000, 7_999),
            ),
            (
                EvidenceKind::EventLoopLag,
                |j| j.late_samples = 10,
                |j| j.late_samples = 11,
            ),
            (
                EvidenceKind::Skew,
                |_| {},
                |j| {
                    j.skewed = Some(SkewedGroup {
                        group_id: "g".into(),
                        prefix: "merge".into(),
                        p50_seconds: 1.0,
                        p95_seconds: 8.0,
                    });
                },
            ),
        ];
        for (about, below, above) in rules {
            let mut judged = well_off();
            below(&mut judged);
            assert_eq!(verdict(&judged).kind, VerdictKind::Healthy, "{about:?}");
            above(&mut judged);
            let said = verdict(&judged);
            assert_eq!(
                (said.kind, abouts(&said)),
                (VerdictKind::Wasteful, vec![about])
            );
        }
    }

    #[test]
    fn little_idleness_is_nobodys_business() {
        let mut judged = well_off();
        judged.seconds = Activities::default();
        judged.found.row.thread_seconds = 600.0;
        assert_eq!(verdict(&judged).kind, VerdictKind::Healthy);
    }

    #[test]
    fn idleness_is_time_of_threads_and_counts_work_of_groups_that_were_not_told() {
        let mut judged = well_off();
        judged.found.row.thread_seconds = 10_000.0;
        judged.seconds = Activities::default();
        let said = verdict(&judged);
        assert_eq!(
            said.evidence[0].words,
            "threads were idle for 70 % of their time, 1.94 core-h in all"
        );
        judged.found.row.compute_seconds = 6_000.0;
        assert_eq!(verdict(&judged).kind, VerdictKind::Healthy);
    }

    #[test]
    fn what_stalled_was_not_idle() {
        let mut judged = well_off();
        judged.found.row.thread_seconds = 10_300.0;
        assert_eq!(abouts(&verdict(&judged)), [EvidenceKind::IdleShare]);
        judged.found.row.stalled_seconds = 7_200.0;
        let said = verdict(&judged);
        assert_eq!(abouts(&said), [EvidenceKind::Stalled]);
        assert_eq!(
            said.evidence[0].words,
            "threads did nothing for 2.00 core-h while it was stalled"
        );
    }

    #[test]
    fn a_stall_that_is_nothing_to_the_whole_run_is_no_reason() {
        let mut judged = well_off();
        judged.found.row.thread_seconds = 3_600_000.0;
        judged.seconds.compute = 3_500_000.0;
        judged.found.row.stalled_seconds = 36_000.0;
        assert_eq!(verdict(&judged).kind, VerdictKind::Healthy);
        judged.found.row.stalled_seconds = 36_001.0;
        assert_eq!(abouts(&verdict(&judged)), [EvidenceKind::Stalled]);
    }

    #[test]
    fn short_tasks_are_no_reason_where_the_work_takes_far_longer_than_their_scheduling() {
        let mut judged = well_off();
        (judged.short_tasks, judged.timed_tasks) = (3_000, 3_000);
        // 3 s of scheduling beside 3,000 core-seconds on 100 threads.
        assert_eq!(verdict(&judged).kind, VerdictKind::Healthy);
        judged.short_tasks = 3_001;
        assert_eq!(abouts(&verdict(&judged)), [EvidenceKind::ShortTasks]);
        judged.found.row.threads_peak = 99;
        assert_eq!(verdict(&judged).kind, VerdictKind::Healthy);
    }

    #[test]
    fn failures_come_first_and_three_reasons_are_told() {
        let mut judged = well_off();
        judged.found.row.tasks_erred = 3;
        judged.first_exception = Some(FirstException {
            exception_id: "e1".into(),
            exception_type: "KeyError".into(),
            prefix: Some("load".into()),
        });
        judged.workers_lost = 1;
        judged.spilled_bytes = 500_000;
        judged.late_samples = 50;
        let said = verdict(&judged);
        assert_eq!(said.kind, VerdictKind::Failing);
        assert_eq!(
            abouts(&said),
            [
                EvidenceKind::ErredTasks,
                EvidenceKind::LostWorkers,
                EvidenceKind::SpilledBytes
            ]
        );
        assert_eq!(said.more, 1);
        assert_eq!(
            said.evidence[0].words,
            "3 tasks erred, the first with KeyError in load"
        );
        assert_eq!(
            (said.evidence[0].tab, said.evidence[0].item.as_deref()),
            (Some(EvidenceTab::Exceptions), Some("e1"))
        );
        assert_eq!(
            said.evidence[1].words,
            "1 worker was lost: killed, or gone without being told to close"
        );
        for (tasks_erred, exceptions, words) in [
            (1, 1, "1 task erred with KeyError in load"),
            (0, 1, "1 exception: KeyError in load"),
            (0, 2, "2 exceptions, the first with KeyError in load"),
        ] {
            judged.found.row.tasks_erred = tasks_erred;
            judged.found.row.exceptions = exceptions;
            assert_eq!(verdict(&judged).evidence[0].words, words);
        }
    }

    #[test]
    fn what_it_is_doing_now_outweighs_what_it_cost() {
        for (state, kind) in [
            (ClusterState::Lost, VerdictKind::Lost),
            (ClusterState::Stalled, VerdictKind::Stalled),
            (ClusterState::Idle, VerdictKind::Idle),
        ] {
            let mut judged = well_off();
            judged.found.row.state = state;
            judged.spilled_bytes = 500_000;
            let said = verdict(&judged);
            assert_eq!(
                (said.kind, abouts(&said)),
                (kind, vec![EvidenceKind::State, EvidenceKind::SpilledBytes])
            );
        }
    }
}
