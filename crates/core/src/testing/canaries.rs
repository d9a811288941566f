//! A cluster that says everything that one may say, once, with a canary in every text: so that it is seen what leaves.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

pub(crate) const SCHEDULER: &str = "Scheduler-0d6a1f3e-0000-4000-8000-000000000001";
pub(crate) const INSTANCE: &str = "3c4afc94e62e45bf83b2e42810868ad6";
pub(crate) const GROUP: &str = "88350a4be06642189b5aa53f9acbd316";

/// Everything that a cluster may send, once.
pub(crate) fn told() -> Bench {
    let bench = Bench::new();
    let cluster = with(
        facts(0),
        json!({
            "name": "canary-cluster of canary-user", "user": "canary-user", "host": "canary-host", "project": "canary-project",
            "tags": {"team": "canary-tag"}, "python_path": "/home/canary-home/env/bin/python",
            "dashboard_url": "http://canary-board:8787", "scheduler_address": "tcp://canary-address:8786",
            "host_versions": {"LC_ALL": "canary-locale"},
            "switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]},
        }),
    );
    let named =
        json!({"group_id": GROUP, "name": "load-canary-key-17", "prefix": "load-canary-key"});
    let failed = json!({
        "group_id": GROUP, "group": "load-canary-key-17", "exception_id": "e7a785ff8fc04a2d89fbc291d3176e45",
        "message": "canary-message on canary-host", "worker": "tcp://canary-worker:1",
        "traceback": "File \"/home/canary-home/x.py\"\ncanary-traceback",
    });
    let code = "canary_code()  # by canary-user in /Users/canary-home/x";
    let called = with(
        computation(9, "9f230dd9-9b5b-4a88-a03f-f03d49a3b367", Some(code)),
        json!({"groups": [GROUP]}),
    );
    let worker_id = "bb2d676f6c084361807c800d3d5b1667";
    let joined = with(
        worker(1, worker_id, "joined"),
        json!({"host": "canary-host", "name": "canary-worker", "resources": {"canary-resource": 1.0}}),
    );
    let records = [
        cluster,
        sample(1, 1.25),
        with(
            sample(2, 2.5),
            json!({"workers_each": [[worker_id, 12.5, 100, 50, 0, 1, 10]]}),
        ),
        joined,
        with(group(9, GROUP, 1.5), named),
        called,
        with(exception(9, "e", 3), failed),
        with(
            event(9),
            json!({"payload": {"text": "canary-event", "canary-payload": 1, "/home/canary-home/y": "canary-user"}}),
        ),
        unsent(9, "canary-topic", 4),
        with(
            span(9, "f13f615a-92f0-4877-88bc-639b6894f99e", &[GROUP]),
            json!({"name": "canary-span"}),
        ),
        metric(9, None, "thread-cpu", 0.1),
        with(
            metric(9, None, "own", 0.1),
            json!({"unit": "canary-unit", "prefix": "load-canary-key"}),
        ),
        with(
            sampled(10, Some("inc")),
            json!({"strings": ["inc", "load", "/home/canary-home/work.py", "    canary-line"]}),
        ),
        json!({"kind": "dropped", "at_micros": at(9), "what": "sample", "count": 2, "reason": "queue_full"}),
    ];
    bench
        .at(10)
        .send(batch_of(SCHEDULER, INSTANCE, 1, &records));
    // Five records never came.
    let first = records.len() as u64 + 6;
    bench.at(20).send(batch_of(
        SCHEDULER,
        INSTANCE,
        first,
        &[sample(20, 5.0), stop(21)],
    ));
    bench
}

/// The canaries in a text.
pub(crate) fn canaries(text: &str) -> BTreeSet<&str> {
    text.match_indices("canary")
        .map(|(at, _)| {
            let rest = &text[at..];
            let end =
                rest.find(|letter: char| !(letter.is_alphanumeric() || "_-".contains(letter)));
            &rest[..end.unwrap_or(rest.len())]
        })
        .collect()
}
