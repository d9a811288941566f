//! Any record of a kind, within the limits of the format.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use serde_json::Value;

use crate::model::{Activities, ExceptionOrigin, Micros};
use crate::wire::*;

fn micros() -> impl Strategy<Value = Micros> {
    (1_000_000_000_000_000i64..Micros::LATEST.0).prop_map(Micros)
}

fn whole() -> impl Strategy<Value = u64> {
    0u64..1 << 53
}

fn text() -> impl Strategy<Value = String> {
    "\\PC{0,40}"
}

fn seconds() -> impl Strategy<Value = Activities> {
    [
        0f64..1e9,
        0f64..1e9,
        0f64..1e9,
        0f64..1e9,
        0f64..1e9,
        0f64..1e9,
    ]
    .prop_map(
        |[compute, transfer, disk_read, disk_write, deserialize, other]| Activities {
            compute,
            transfer,
            disk_read,
            disk_write,
            deserialize,
            other,
        },
    )
}

fn states() -> impl Strategy<Value = BTreeMap<String, u64>> {
    btree_map(text(), whole(), 0..4)
}

pub(super) fn sample() -> impl Strategy<Value = Record> {
    let memory = (
        of(whole()),
        of(whole()),
        of(whole()),
        of(whole()),
        of(whole()),
    );
    let totals = (seconds(), 0f64..1e9, whole(), whole(), whole());
    (
        micros(),
        whole(),
        whole(),
        memory,
        states(),
        of(micros()),
        totals,
        (0i64..1 << 53, whole(), whole(), whole()),
    )
        .prop_map(
            |(at_micros, workers, threads, memory, tasks, idle_since_micros, totals, cost)| {
                Record::Sample(Box::new(SampleRecord {
                    at_micros,
                    workers,
                    threads,
                    memory_limit_bytes: memory.0,
                    memory_used_bytes: memory.1,
                    memory_managed_bytes: memory.2,
                    memory_unmanaged_bytes: memory.3,
                    memory_spilled_bytes: memory.4,
                    tasks,
                    idle_since_micros,
                    loop_lag_micros: Some(cost.0),
                    totals: Totals {
                        seconds: totals.0,
                        thread_seconds: totals.1,
                        tasks_completed: totals.2,
                        tasks_erred: totals.3,
                        result_bytes: totals.4,
                    },
                    cost: PluginCost {
                        beat_micros: cost.0,
                        sent_bytes: cost.1,
                        hook_errors: cost.2,
                        waiting_records: cost.3,
                    },
                }))
            },
        )
}

pub(super) fn task_group() -> impl Strategy<Value = Record> {
    let times = (micros(), of(micros()), of(micros()));
    (
        times,
        "[a-z0-9]{1,20}",
        text(),
        states(),
        seconds(),
        whole(),
        vec(text(), 0..3),
        vec("[a-z]{1,9}", 0..3),
        any::<bool>(),
    )
        .prop_map(
            |(
                times,
                group_id,
                name,
                states,
                seconds,
                result_bytes,
                types,
                dependencies,
                is_final,
            )| {
                Record::TaskGroup(Box::new(TaskGroupRecord {
                    at_micros: times.0,
                    group_id,
                    prefix: name.clone(),
                    name,
                    states,
                    seconds,
                    result_bytes,
                    types,
                    start_micros: times.1,
                    stop_micros: times.2,
                    dependencies,
                    is_final,
                }))
            },
        )
}

pub(super) fn computation() -> impl Strategy<Value = Record> {
    let frame = (text(), of(text()), of(any::<u32>()), of(any::<u32>())).prop_map(
        |(code, filename, line_relative, line)| CodeFrame {
            code,
            filename,
            line_relative,
            line,
        },
    );
    (
        micros(),
        "[a-z0-9]{1,20}",
        of(micros()),
        of(micros()),
        vec("[a-z]{1,9}", 0..3),
        states(),
        of(vec(frame, 0..3)),
    )
        .prop_map(
            |(at_micros, computation_id, start_micros, stop_micros, groups, states, code)| {
                Record::Computation(Box::new(ComputationRecord {
                    at_micros,
                    computation_id,
                    start_micros,
                    stop_micros,
                    groups,
                    states,
                    code,
                }))
            },
        )
}

pub(super) fn exception() -> impl Strategy<Value = Record> {
    (
        micros(),
        "[a-z0-9]{1,20}",
        of(text()),
        text(),
        of(text()),
        any::<bool>(),
        whole(),
    )
        .prop_map(
            |(at_micros, exception_id, group, exception_type, message, user, count)| {
                Record::Exception(Box::new(ExceptionRecord {
                    at_micros,
                    exception_id,
                    group_id: None,
                    group,
                    origin: if user {
                        ExceptionOrigin::User
                    } else {
                        ExceptionOrigin::Dask
                    },
                    exception_type,
                    traceback: message.clone(),
                    message,
                    worker: None,
                    first_seen_micros: at_micros,
                    last_seen_micros: at_micros,
                    count,
                    dependents: count,
                }))
            },
        )
}

pub(super) fn event() -> impl Strategy<Value = Record> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from)
    ];
    let payload = leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(text(), inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect()))
        ]
    });
    (micros(), text(), payload).prop_map(|(at_micros, topic, payload)| {
        Record::Event(EventRecord {
            at_micros,
            topic,
            payload,
        })
    })
}
