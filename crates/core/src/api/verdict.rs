//! What is to be said of one cluster: its verdict, the answers to what one asks first, what its threads did, its failures by
//! kind, its events by field.

use super::answers::cluster_of;
use super::cost::cost_of;
use super::{
    App, ClusterAnswers, ClusterAnswersRequest, ClusterRequest, EventFields, EventFieldsRequest,
    ExceptionKindList, ExceptionKindsRequest, FindingList, ShortVerdict, ThreadUse,
    ThreadUseRequest, Verdict, VerdictList, VerdictsRequest,
};
use crate::insight::answers::{self, KnownCluster};
use crate::insight::{explained, findings as find, verdict as judge};
use crate::query::{self, Unsealer};
use crate::{Error, Result};

pub(super) fn verdict(app: &App, request: ClusterRequest) -> Result<Verdict> {
    let now = app.now();
    let judged = app.read(|db| query::judged(db, now, request.id))?;
    Ok(judge(&query::Judged {
        found: explained(judged.found, now),
        ..judged
    }))
}

pub(super) fn cluster_answers(app: &App, request: ClusterAnswersRequest) -> Result<ClusterAnswers> {
    let now = app.now();
    app.read(|db| {
        let cluster = cluster_of(db, now, request.id)?;
        let cost = match request.cost {
            true => Some(cost_of(db, now, &cluster.row)?),
            false => None,
        };
        Ok(ClusterAnswers {
            rows: answers::cluster_answers(&KnownCluster {
                now,
                row: &cluster.row,
                seconds: &cluster.seconds,
                unavailable: &cluster.facts.unavailable,
                largest: cluster.largest.as_ref(),
                workers_lost: query::workers_lost(db, request.id)?,
                cost: cost.as_ref(),
            }),
        })
    })
}

pub(super) fn findings(app: &App, request: ClusterRequest) -> Result<FindingList> {
    let now = app.now();
    let (judged, course, facts) = app.read(|db| {
        let judged = query::judged(db, now, request.id)?;
        let (_, facts, ..) = query::cluster(db, now, request.id)?;
        Ok((judged, query::course(db, request.id)?, facts))
    })?;
    Ok(find(&judged, &course, &facts.mismatches))
}

/// Clusters that are judged at once: as many as a screen of the list has, several times.
const VERDICTS: usize = 200;

pub(super) fn verdicts(app: &App, request: VerdictsRequest) -> Result<VerdictList> {
    if request.ids.len() > VERDICTS {
        return Err(Error::Invalid {
            what: "ids",
            value: request.ids.len().to_string(),
            reason: format!("ask for at most {VERDICTS} clusters at once"),
        });
    }
    let mut rows = Vec::with_capacity(request.ids.len());
    for id in request.ids {
        // One after the other, so that nothing waits for all of them.
        match verdict(app, ClusterRequest { id }) {
            Ok(mut said) => rows.push(ShortVerdict {
                id,
                kind: said.kind,
                words: match said.evidence.is_empty() {
                    true => String::new(),
                    false => said.evidence.swap_remove(0).words,
                },
            }),
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(VerdictList { rows })
}

pub(super) fn thread_use(app: &App, request: ThreadUseRequest) -> Result<ThreadUse> {
    app.read(|db| query::thread_use(db, &request))
}

pub(super) fn exception_kinds(
    app: &App,
    request: ExceptionKindsRequest,
) -> Result<ExceptionKindList> {
    let mut unsealer = Unsealer::new(app.keys());
    app.read(|db| query::exception_kinds(db, &mut unsealer, &app.counted(db)?, &request))
}

pub(super) fn event_fields(app: &App, request: EventFieldsRequest) -> Result<EventFields> {
    let mut unsealer = Unsealer::new(app.keys());
    app.read(|db| query::event_fields(db, &mut unsealer, &request))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::query::types::EvidenceKind;
    use crate::testing::*;

    #[test]
    fn answers_are_of_all_groups_and_workers_also_of_more_than_a_list_has() {
        let bench = Bench::new();
        let mut told = vec![facts(0)];
        told.extend((0..2_100).map(|n| group(10, &format!("g{n}"), 0.01)));
        for n in 0..1_100 {
            let id = format!("w{n}");
            told.push(worker(1, &id, "joined"));
            told.push(with(worker(2, &id, "left"), json!({"expected": false})));
        }
        bench.send(batch(1, &told));
        let asked = |id, cost| {
            let request = ClusterAnswersRequest { id, cost };
            cluster_answers(&bench.app, request).map(|answers| answers.rows)
        };
        let rows = asked(1, false).unwrap();
        assert_eq!(rows[1].answer, "1,100 workers lost, but no exceptions");
        assert_eq!(
            (rows[2].answer.as_str(), rows[2].because.as_str()),
            ("inc: 100 %", "of compute time: 21.0 core-s in 21,000 tasks")
        );
        // What it cost is one answer more, for those who ask.
        let priced = asked(1, true).unwrap();
        assert_eq!(
            (priced[2].answer.as_str(), priced.len()),
            ("Nothing to price yet", rows.len() + 1)
        );
        assert!(matches!(asked(9, false), Err(Error::NotFound { .. })));
    }

    #[test]
    fn what_stalled_is_a_reason_before_the_writer_has_counted_it() {
        let bench = Bench::new();
        let stall = json!({"limit_micros": 60 * SECOND, "same_stacks": true, "group_id": "g1"});
        let told = |seconds: i64| {
            with(
                sample(seconds, 10.0),
                json!({"last_completed_micros": at(9), "stall": stall, "totals": {
                    "compute": 10.0, "thread_seconds": seconds * 4, "tasks_completed": 5, "tasks_erred": 0, "result_bytes": 7,
                }}),
            )
        };
        let records = [facts(0), told(10), told(60), told(100), told(1_000)];
        bench.at(1_000).send(batch(1, &records));
        let said = verdict(&bench.app, ClusterRequest { id: 1 }).unwrap();
        let mut reasons = said.evidence.iter().map(|line| line.about);
        assert!(
            reasons.any(|about| about == EvidenceKind::Stalled),
            "{said:?}"
        );
    }

    #[test]
    fn rows_are_judged_in_their_order_and_those_that_are_gone_left_out() {
        let bench = Bench::new();
        for id in ["Scheduler-1", "Scheduler-2"] {
            bench.send(batch_of(id, "i", 1, &[facts(0), sample(1, 1.0)]));
        }
        let ask = |ids: &[i64]| {
            let request = VerdictsRequest { ids: ids.to_vec() };
            verdicts(&bench.app, request)
        };
        let rows = ask(&[2, 77, 1]).unwrap().rows;
        assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [2, 1]);
        let whole = verdict(&bench.app, ClusterRequest { id: 1 }).unwrap();
        assert_eq!(
            (rows[1].kind, &rows[1].words),
            (whole.kind, &whole.evidence[0].words)
        );
        assert!(ask(&[1; 201]).is_err());
    }
}
