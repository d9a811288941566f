//! Limits on what a record may hold. Numbers and times out of range refuse the record; text that is too long is cut.

mod limits;
mod profile;

use super::{
    ClusterRecord, Durations, EventRecord, ExceptionRecord, Record, RefusalCode, SampleRecord,
    TaskGroupRecord, WorkerRecord,
};
use limits::{
    CODE_BYTES, Checked, DETAILS_BYTES, EVENT_BYTES, FRAMES, KEYS, MESSAGE_BYTES, PATH_BYTES,
    TRACEBACK_BYTES, activities, counts, cut, cut_name, ids, keys, number, optional, optional_id,
    optional_signed, optional_time, optional_whole, rate, seconds, signed,
};
pub(super) use limits::{id, time, whole};
pub(crate) use profile::{LINES as PROFILE_LINES, STACKS as PROFILE_STACKS};

/// Workers that a sample tells of one by one.
const WORKERS: usize = 64;
const MISMATCHES: usize = 200;
const TAGS: usize = 64;

/// Checks a record and cuts its texts.
pub(super) fn check(record: &mut Record) -> Checked {
    match record {
        Record::Cluster(r) => cluster(r),
        Record::Sample(r) => sample(r),
        Record::Worker(r) => worker(r),
        Record::TaskGroup(r) => task_group(r),
        Record::Computation(r) => {
            time(r.at_micros, "at_micros")?;
            id(&r.computation_id, "computation_id")?;
            optional_time(r.start_micros, "start_micros")?;
            optional_time(r.stop_micros, "stop_micros")?;
            ids(&mut r.groups, "groups")?;
            counts(&r.states, "states")?;
            optional_whole(r.retried, "retried")?;
            let Some(frames) = &mut r.code else {
                return Ok(());
            };
            frames.truncate(FRAMES);
            for frame in frames {
                cut(&mut frame.code, CODE_BYTES);
                optional(&mut frame.filename, |text| cut(text, PATH_BYTES));
            }
            Ok(())
        }
        Record::Metric(r) => {
            time(r.at_micros, "at_micros")?;
            optional_id(r.span_id.as_ref(), "span_id")?;
            for name in [&mut r.context, &mut r.activity, &mut r.unit] {
                cut_name(name);
            }
            optional(&mut r.prefix, cut_name);
            number(r.value, "value")
        }
        Record::Span(r) => {
            time(r.at_micros, "at_micros")?;
            id(&r.span_id, "span_id")?;
            optional_id(r.parent_id.as_ref(), "parent_id")?;
            cut_name(&mut r.name);
            r.tags.truncate(TAGS);
            r.tags.iter_mut().for_each(cut_name);
            optional_time(r.start_micros, "start_micros")?;
            optional_time(r.stop_micros, "stop_micros")?;
            optional_time(r.enqueued_micros, "enqueued_micros")?;
            ids(&mut r.groups, "groups")
        }
        Record::Exception(r) => exception(r),
        Record::Event(r) => event(r),
        Record::Profile(r) => profile::check(r),
        Record::Dropped(r) => {
            time(r.at_micros, "at_micros")?;
            cut_name(&mut r.what);
            cut_name(&mut r.reason);
            whole(r.count, "count")
        }
        Record::Stop(r) => {
            time(r.at_micros, "at_micros")?;
            cut_name(&mut r.reason);
            Ok(())
        }
    }
}

fn cluster(r: &mut ClusterRecord) -> Checked {
    time(r.at_micros, "at_micros")?;
    time(r.started_micros, "started_micros")?;
    signed(r.interval_micros, "interval_micros")?;
    optional_signed(r.idle_timeout_micros, "idle_timeout_micros")?;
    for name in [
        &mut r.name,
        &mut r.cluster_class,
        &mut r.user,
        &mut r.host,
        &mut r.project,
        &mut r.python_version,
        &mut r.os,
        &mut r.architecture,
    ] {
        optional(name, cut_name);
    }
    for path in [
        &mut r.scheduler_address,
        &mut r.dashboard_url,
        &mut r.python_path,
    ] {
        optional(path, |text| cut(text, PATH_BYTES));
    }
    cut_name(&mut r.plugin_version);
    keys(&r.tags, "tags")?;
    r.tags.values_mut().for_each(cut_name);
    for (versions, field) in [
        (&mut r.versions, "versions"),
        (&mut r.host_versions, "host_versions"),
    ] {
        keys(versions, field)?;
        versions
            .values_mut()
            .for_each(|version| optional(version, cut_name));
    }
    r.mismatches.truncate(MISMATCHES);
    for mismatch in &mut r.mismatches {
        cut_name(&mut mismatch.package);
        optional(&mut mismatch.version, cut_name);
        whole(mismatch.count, "mismatches.count")?;
    }
    for names in [&mut r.unavailable, &mut r.switches.events_allow] {
        names.truncate(KEYS);
        names.iter_mut().for_each(cut_name);
    }
    Ok(())
}

fn sample(r: &mut SampleRecord) -> Checked {
    time(r.at_micros, "at_micros")?;
    optional_time(r.idle_since_micros, "idle_since_micros")?;
    optional_time(r.last_completed_micros, "last_completed_micros")?;
    whole(r.workers, "workers")?;
    whole(r.threads, "threads")?;
    for (value, field) in [
        (r.memory_limit_bytes, "memory_limit_bytes"),
        (r.memory_used_bytes, "memory_used_bytes"),
        (r.memory_managed_bytes, "memory_managed_bytes"),
        (r.memory_unmanaged_bytes, "memory_unmanaged_bytes"),
        (r.memory_spilled_bytes, "memory_spilled_bytes"),
        (r.workers_paused, "workers_paused"),
        (r.totals.tasks_retried, "totals.tasks_retried"),
    ] {
        optional_whole(value, field)?;
    }
    for (value, field) in [
        (&mut r.cpu_percent, "cpu_percent"),
        (&mut r.network_read_bytes_per_s, "network_read_bytes_per_s"),
        (
            &mut r.network_write_bytes_per_s,
            "network_write_bytes_per_s",
        ),
        (&mut r.disk_read_bytes_per_s, "disk_read_bytes_per_s"),
        (&mut r.disk_write_bytes_per_s, "disk_write_bytes_per_s"),
        (&mut r.gpu_percent, "gpu_percent"),
        (&mut r.gpu_memory_bytes, "gpu_memory_bytes"),
    ] {
        rate(value, field)?;
    }
    counts(&r.tasks, "tasks")?;
    optional_signed(r.loop_lag_micros, "loop_lag_micros")?;
    optional_signed(r.worker_lag_micros, "worker_lag_micros")?;
    if let Some(stall) = &r.stall {
        signed(stall.limit_micros, "stall.limit_micros")?;
        optional_id(stall.group_id.as_ref(), "stall.group_id")?;
    }
    workers(r)?;
    activities(&mut r.totals.seconds, "totals")?;
    seconds(&mut r.totals.thread_seconds, "totals.thread_seconds")?;
    whole(r.totals.tasks_completed, "totals.tasks_completed")?;
    whole(r.totals.tasks_erred, "totals.tasks_erred")?;
    whole(r.totals.result_bytes, "totals.result_bytes")?;
    signed(r.cost.beat_micros, "cost.beat_micros")?;
    signed(r.cost.hook_micros, "cost.hook_micros")?;
    r.cost.loop_share = r.cost.loop_share.clamp(0.0, 1.0);
    whole(r.cost.sent_bytes, "cost.sent_bytes")?;
    whole(r.cost.hook_errors, "cost.hook_errors")?;
    whole(r.cost.waiting_records, "cost.waiting_records")?;
    whole(r.cost.shed_records, "cost.shed_records")?;
    whole(r.cost.spooled_bytes, "cost.spooled_bytes")
}

/// The workers of a sample, each or together.
fn workers(r: &mut SampleRecord) -> Checked {
    if let Some(each) = &mut r.workers_each {
        each.truncate(WORKERS);
        for worker in each {
            id(&worker.worker_id, "workers_each")?;
            rate(&mut worker.cpu_percent, "workers_each")?;
            for value in [
                worker.memory_used_bytes,
                worker.memory_managed_bytes,
                worker.memory_spilled_bytes,
                worker.processing,
            ] {
                optional_whole(value, "workers_each")?;
            }
            optional_signed(worker.lag_micros, "workers_each")?;
        }
    }
    if let Some(bands) = &r.workers_bands {
        [
            bands.cpu_percent,
            bands.memory_used_bytes,
            bands.memory_spilled_bytes,
            bands.processing,
        ]
        .into_iter()
        .flatten()
        .flatten()
        .try_for_each(|value| number(value, "workers_bands"))?;
    }
    Ok(())
}

fn worker(r: &mut WorkerRecord) -> Checked {
    time(r.at_micros, "at_micros")?;
    id(&r.worker_id, "worker_id")?;
    for name in [&mut r.address, &mut r.name, &mut r.host, &mut r.cause] {
        optional(name, cut_name);
    }
    optional_whole(r.threads, "threads")?;
    optional_whole(r.memory_limit_bytes, "memory_limit_bytes")?;
    keys(&r.resources, "resources")?;
    r.resources
        .values()
        .try_for_each(|&value| number(value, "resources"))
}

fn task_group(r: &mut TaskGroupRecord) -> Checked {
    time(r.at_micros, "at_micros")?;
    id(&r.group_id, "group_id")?;
    cut_name(&mut r.name);
    cut_name(&mut r.prefix);
    counts(&r.states, "states")?;
    activities(&mut r.seconds, "seconds")?;
    whole(r.result_bytes, "result_bytes")?;
    r.types.truncate(KEYS);
    r.types.iter_mut().for_each(cut_name);
    optional_time(r.start_micros, "start_micros")?;
    optional_time(r.stop_micros, "stop_micros")?;
    if let Some(durations) = &mut r.durations {
        let Durations {
            count,
            mean_seconds,
            std_seconds,
            p50_seconds,
            p95_seconds,
            max_seconds,
        } = durations;
        whole(*count, "durations.count")?;
        for value in [
            mean_seconds,
            std_seconds,
            p50_seconds,
            p95_seconds,
            max_seconds,
        ] {
            seconds(value, "durations")?;
        }
    }
    optional_whole(r.retried, "retried")?;
    optional_id(r.span_id.as_ref(), "span_id")?;
    ids(&mut r.dependencies, "dependencies")
}

fn exception(r: &mut ExceptionRecord) -> Checked {
    time(r.at_micros, "at_micros")?;
    id(&r.exception_id, "exception_id")?;
    optional_id(r.group_id.as_ref(), "group_id")?;
    optional(&mut r.group, cut_name);
    cut_name(&mut r.exception_type);
    optional(&mut r.message, |text| cut(text, MESSAGE_BYTES));
    optional(&mut r.traceback, |text| cut(text, TRACEBACK_BYTES));
    optional(&mut r.details, |text| cut(text, DETAILS_BYTES));
    optional(&mut r.worker, cut_name);
    time(r.first_seen_micros, "first_seen_micros")?;
    time(r.last_seen_micros, "last_seen_micros")?;
    whole(r.count, "count")?;
    whole(r.dependents, "dependents")
}

fn event(r: &mut EventRecord) -> Checked {
    time(r.at_micros, "at_micros")?;
    cut_name(&mut r.topic);
    optional_whole(r.count, "count")?;
    // Counting the bytes is not worth an error of its own: a value that was read can be written.
    let bytes = serde_json::to_vec(&r.payload).map_or(usize::MAX, |text| text.len());
    if bytes > EVENT_BYTES {
        Err((RefusalCode::TooLarge, "payload"))
    } else {
        Ok(())
    }
}
