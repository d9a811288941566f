//! Any record of a kind, within the limits of the format.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, btree_set, vec};
use proptest::option::of;
use proptest::prelude::*;
use serde_json::Value;

use crate::model::{Activities, ExceptionOrigin, Micros, WorkerChange};
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

/// None comes twice.
fn ids() -> impl Strategy<Value = Vec<String>> {
    btree_set("[a-z]{1,9}", 0..3).prop_map(|ids| ids.into_iter().collect())
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
    let totals = (seconds(), 0f64..1e9, whole(), whole(), whole(), of(whole()));
    let cost = (
        0i64..1 << 53,
        whole(),
        whole(),
        whole(),
        0f64..1.0,
        0i64..1 << 53,
    );
    let hardware = (
        vec(of(0f64..1e12), 7),
        of(0i64..1 << 53),
        of(whole()),
        of(micros()),
        of(stall()),
        of(vec(worker_now(), 0..4)),
        of(bands()),
    );
    (
        micros(),
        whole(),
        whole(),
        memory,
        states(),
        of(micros()),
        totals,
        cost,
        hardware,
    )
        .prop_map(
            |(
                at_micros,
                workers,
                threads,
                memory,
                tasks,
                idle_since_micros,
                totals,
                cost,
                (
                    rates,
                    worker_lag_micros,
                    workers_paused,
                    last_completed_micros,
                    stall,
                    each,
                    bands,
                ),
            )| {
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
                    cpu_percent: rates[0],
                    network_read_bytes_per_s: rates[1],
                    network_write_bytes_per_s: rates[2],
                    disk_read_bytes_per_s: rates[3],
                    disk_write_bytes_per_s: rates[4],
                    gpu_percent: rates[5],
                    gpu_memory_bytes: rates[6],
                    worker_lag_micros,
                    workers_paused,
                    last_completed_micros,
                    stall,
                    workers_each: each,
                    workers_bands: bands,
                    loop_lag_micros: Some(cost.0),
                    totals: Totals {
                        seconds: totals.0,
                        thread_seconds: totals.1,
                        tasks_completed: totals.2,
                        tasks_erred: totals.3,
                        result_bytes: totals.4,
                        tasks_retried: totals.5,
                    },
                    cost: PluginCost {
                        beat_micros: cost.0,
                        sent_bytes: cost.1,
                        hook_errors: cost.2,
                        waiting_records: cost.3,
                        shed_records: cost.3,
                        spooled_bytes: cost.1,
                        loop_share: cost.4,
                        hook_micros: cost.5,
                    },
                }))
            },
        )
}

pub(super) fn task_group() -> impl Strategy<Value = Record> {
    let times = (
        micros(),
        of(micros()),
        of(micros()),
        of(durations()),
        of(whole()),
    );
    (
        times,
        "[a-z0-9]{1,20}",
        text(),
        states(),
        seconds(),
        whole(),
        vec(text(), 0..3),
        ids(),
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
                    durations: times.3,
                    retried: times.4,
                    span_id: dependencies.first().cloned(),
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
        ids(),
        states(),
        of(vec(frame, 0..3)),
        of(whole()),
    )
        .prop_map(
            |(
                at_micros,
                computation_id,
                start_micros,
                stop_micros,
                groups,
                states,
                code,
                retried,
            )| {
                Record::Computation(Box::new(ComputationRecord {
                    at_micros,
                    computation_id,
                    start_micros,
                    stop_micros,
                    groups,
                    states,
                    retried,
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
                    details: message.clone(),
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
    (micros(), text(), payload, of(whole())).prop_map(|(at_micros, topic, payload, count)| {
        Record::Event(EventRecord {
            at_micros,
            topic,
            payload,
            count,
        })
    })
}

fn stall() -> impl Strategy<Value = Stall> {
    (0i64..1 << 53, of(any::<bool>()), of("[a-z]{1,9}")).prop_map(
        |(limit_micros, same_stacks, group_id)| Stall {
            limit_micros,
            same_stacks,
            group_id,
        },
    )
}

fn worker_now() -> impl Strategy<Value = WorkerNow> {
    let bytes = (of(whole()), of(whole()), of(whole()));
    (
        "[a-z]{1,9}",
        of(0f64..1e9),
        bytes,
        of(whole()),
        of(0i64..1 << 53),
    )
        .prop_map(
            |(worker_id, cpu_percent, bytes, processing, lag_micros)| WorkerNow {
                worker_id,
                cpu_percent,
                memory_used_bytes: bytes.0,
                memory_managed_bytes: bytes.1,
                memory_spilled_bytes: bytes.2,
                processing,
                lag_micros,
            },
        )
}

fn bands() -> impl Strategy<Value = WorkerBands> {
    let band = || of([0f64..1e9, 0f64..1e9, 0f64..1e9, 0f64..1e9, 0f64..1e9]);
    [band(), band(), band(), band()].prop_map(|[cpu, used, spilled, processing]| WorkerBands {
        cpu_percent: cpu,
        memory_used_bytes: used,
        memory_spilled_bytes: spilled,
        processing,
    })
}

fn durations() -> impl Strategy<Value = Durations> {
    (
        whole(),
        [0f64..1e9, 0f64..1e9, 0f64..1e9, 0f64..1e9, 0f64..1e9],
    )
        .prop_map(|(count, [mean, std, p50, p95, max])| Durations {
            count,
            mean_seconds: mean,
            std_seconds: std,
            p50_seconds: p50,
            p95_seconds: p95,
            max_seconds: max,
        })
}

pub(super) fn worker() -> impl Strategy<Value = Record> {
    let change = prop_oneof![
        Just(WorkerChange::Joined),
        Just(WorkerChange::Left),
        Just(WorkerChange::Killed)
    ];
    let yes_no = || of(any::<bool>());
    (
        micros(),
        "[a-z0-9]{1,20}",
        (of(text()), of(text()), of(text()), of(text())),
        change,
        (yes_no(), yes_no()),
        (of(whole()), of(whole())),
        btree_map(text(), -1e9..1e9, 0..3),
    )
        .prop_map(
            |(at_micros, worker_id, names, event, flags, sizes, resources)| {
                Record::Worker(Box::new(WorkerRecord {
                    at_micros,
                    worker_id,
                    address: names.0,
                    name: names.1,
                    host: names.2,
                    event,
                    cause: names.3,
                    expected: flags.0,
                    threads: sizes.0,
                    memory_limit_bytes: sizes.1,
                    resources,
                    nanny: flags.1,
                }))
            },
        )
}

pub(super) fn metric() -> impl Strategy<Value = Record> {
    (
        micros(),
        of("[a-z]{1,9}"),
        text(),
        of(text()),
        text(),
        text(),
        -1e18..1e18,
    )
        .prop_map(
            |(at_micros, span_id, context, prefix, activity, unit, value)| {
                Record::Metric(Box::new(MetricRecord {
                    at_micros,
                    span_id,
                    context,
                    prefix,
                    activity,
                    unit,
                    value,
                }))
            },
        )
}

pub(super) fn span() -> impl Strategy<Value = Record> {
    (
        [micros(), micros()],
        "[a-z0-9]{1,20}",
        of("[a-z]{1,9}"),
        vec(text(), 1..4),
        [of(micros()), of(micros())],
        ids(),
    )
        .prop_map(
            |([at_micros, start], span_id, parent_id, tags, [stop, enqueued], groups)| {
                Record::Span(Box::new(SpanRecord {
                    at_micros,
                    span_id,
                    parent_id,
                    name: tags[0].clone(),
                    tags,
                    start_micros: Some(start),
                    stop_micros: stop,
                    enqueued_micros: enqueued,
                    groups,
                }))
            },
        )
}

pub(super) fn profile() -> impl Strategy<Value = Record> {
    let frame = (
        any::<u32>(),
        any::<u32>(),
        of(any::<u32>()),
        of(any::<u32>()),
    );
    let line = (any::<u32>(), of(1u32..), of(any::<u32>()));
    (
        [micros(), micros()],
        of(text()),
        vec(text(), 1..6),
        vec(frame, 1..6),
        vec((any::<u32>(), any::<u32>(), 0u64..1 << 40), 0..20),
        vec(line, 0..6),
        0u64..1 << 40,
    )
        .prop_map(
            |(
                [one, two],
                prefix,
                strings,
                drawn_frames,
                drawn_stacks,
                drawn_lines,
                unattributed,
            )| {
                let string = |place: u32| place % strings.len() as u32;
                let mut frames = ProfileFrames::default();
                for (name, file, line, text) in drawn_frames {
                    frames.name.push(string(name));
                    frames.file.push(string(file));
                    frames.line.push(line);
                    frames.text.push(text.map(string));
                }
                let (mut stacks, mut leaves) = (ProfileStacks::default(), ProfileLeaves::default());
                for (at, (parent, frame, count)) in drawn_stacks.into_iter().enumerate() {
                    stacks.parent.push((parent as usize % (at + 1)) as i32 - 1);
                    stacks.frame.push(frame % frames.name.len() as u32);
                    leaves.stack.push(at as u32);
                    leaves.count.push(count);
                }
                let mut lines = ProfileLines::default();
                for (frame, line, text) in drawn_lines {
                    lines.frame.push(frame % frames.name.len() as u32);
                    lines.line.push(line);
                    lines.text.push(text.map(string));
                    lines.ended.push(unattributed / 2);
                    lines.samples.push(unattributed);
                }
                Record::Profile(Box::new(ProfileRecord {
                    at_micros: two,
                    from_micros: one.min(two),
                    to_micros: one.max(two),
                    prefix,
                    samples: leaves.count.iter().sum::<u64>() + unattributed,
                    sample_micros: 10_000,
                    unattributed,
                    strings,
                    frames,
                    stacks,
                    leaves,
                    lines,
                }))
            },
        )
}
