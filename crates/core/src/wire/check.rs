//! Limits on what a record may hold. Numbers and times out of range refuse the record; text that is too long is cut.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::{Record, RefusalCode};
use crate::model::{Activities, Micros};

/// The largest whole number that JSON carries exactly.
pub(super) const LARGEST: u64 = (1 << 53) - 1;
/// 2000-01-01, before which there was no Dask.
const EARLIEST: Micros = Micros(946_684_800_000_000);
/// Seconds of threads: 600,000 threads for a century. In microseconds they fit 61 bits.
const SECONDS: f64 = 2e12;
const NAME_BYTES: usize = 512;
const PATH_BYTES: usize = 4 << 10;
const MESSAGE_BYTES: usize = 64 << 10;
const TRACEBACK_BYTES: usize = 64 << 10;
const CODE_BYTES: usize = 256 << 10;
const EVENT_BYTES: usize = 64 << 10;
const FRAMES: usize = 64;
const LIST: usize = 10_000;
const KEYS: usize = 4_096;

/// What is wrong, and in which field.
pub(super) type Wrong = (RefusalCode, &'static str);
type Checked = Result<(), Wrong>;

/// Checks a record and cuts its texts.
pub(super) fn check(record: &mut Record) -> Checked {
    match record {
        Record::Cluster(r) => {
            time(r.at_micros, "at_micros")?;
            time(r.started_micros, "started_micros")?;
            signed(r.interval_micros, "interval_micros")?;
            for name in [
                &mut r.name,
                &mut r.cluster_class,
                &mut r.user,
                &mut r.host,
                &mut r.project,
            ] {
                optional(name, cut_name);
            }
            for name in [&mut r.python_version, &mut r.os, &mut r.architecture] {
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
            keys(&r.versions, "versions")?;
            r.versions
                .values_mut()
                .for_each(|version| optional(version, cut_name));
            r.switches.events_allow.truncate(KEYS);
            r.switches.events_allow.iter_mut().for_each(cut_name);
            Ok(())
        }
        Record::Sample(r) => {
            time(r.at_micros, "at_micros")?;
            optional_time(r.idle_since_micros, "idle_since_micros")?;
            whole(r.workers, "workers")?;
            whole(r.threads, "threads")?;
            let bytes = [
                (r.memory_limit_bytes, "memory_limit_bytes"),
                (r.memory_used_bytes, "memory_used_bytes"),
                (r.memory_managed_bytes, "memory_managed_bytes"),
                (r.memory_unmanaged_bytes, "memory_unmanaged_bytes"),
                (r.memory_spilled_bytes, "memory_spilled_bytes"),
            ];
            for (value, field) in bytes {
                whole(value.unwrap_or(0), field)?;
            }
            counts(&r.tasks, "tasks")?;
            signed(r.loop_lag_micros.unwrap_or(0), "loop_lag_micros")?;
            activities(&mut r.totals.seconds, "totals")?;
            seconds(&mut r.totals.thread_seconds, "totals.thread_seconds")?;
            whole(r.totals.tasks_completed, "totals.tasks_completed")?;
            whole(r.totals.tasks_erred, "totals.tasks_erred")?;
            whole(r.totals.result_bytes, "totals.result_bytes")?;
            signed(r.cost.beat_micros, "cost.beat_micros")?;
            whole(r.cost.sent_bytes, "cost.sent_bytes")?;
            whole(r.cost.hook_errors, "cost.hook_errors")?;
            whole(r.cost.waiting_records, "cost.waiting_records")
        }
        Record::TaskGroup(r) => {
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
            ids(&mut r.dependencies, "dependencies")
        }
        Record::Computation(r) => {
            time(r.at_micros, "at_micros")?;
            id(&r.computation_id, "computation_id")?;
            optional_time(r.start_micros, "start_micros")?;
            optional_time(r.stop_micros, "stop_micros")?;
            ids(&mut r.groups, "groups")?;
            counts(&r.states, "states")?;
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
        Record::Exception(r) => {
            time(r.at_micros, "at_micros")?;
            id(&r.exception_id, "exception_id")?;
            if let Some(group) = &r.group_id {
                id(group, "group_id")?;
            }
            optional(&mut r.group, cut_name);
            cut_name(&mut r.exception_type);
            optional(&mut r.message, |text| cut(text, MESSAGE_BYTES));
            optional(&mut r.traceback, |text| cut(text, TRACEBACK_BYTES));
            optional(&mut r.worker, cut_name);
            time(r.first_seen_micros, "first_seen_micros")?;
            time(r.last_seen_micros, "last_seen_micros")?;
            whole(r.count, "count")?;
            whole(r.dependents, "dependents")
        }
        Record::Event(r) => {
            time(r.at_micros, "at_micros")?;
            cut_name(&mut r.topic);
            // Counting the bytes is not worth an error of its own: a value that was read can be written.
            let bytes = serde_json::to_vec(&r.payload).map_or(usize::MAX, |text| text.len());
            if bytes > EVENT_BYTES {
                Err((RefusalCode::TooLarge, "payload"))
            } else {
                Ok(())
            }
        }
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

pub(super) fn time(value: Micros, field: &'static str) -> Checked {
    if (EARLIEST..=Micros::LATEST).contains(&value) {
        Ok(())
    } else {
        Err((RefusalCode::OutOfRange, field))
    }
}

fn optional_time(value: Option<Micros>, field: &'static str) -> Checked {
    value.map_or(Ok(()), |value| time(value, field))
}

pub(super) fn whole(value: u64, field: &'static str) -> Checked {
    if value <= LARGEST {
        Ok(())
    } else {
        Err((RefusalCode::OutOfRange, field))
    }
}

fn signed(value: i64, field: &'static str) -> Checked {
    u64::try_from(value)
        .map_err(|_| (RefusalCode::OutOfRange, field))
        .and_then(|value| whole(value, field))
}

fn counts(states: &BTreeMap<String, u64>, field: &'static str) -> Checked {
    keys(states, field)?;
    states.values().try_for_each(|&count| whole(count, field))
}

fn keys<V>(map: &BTreeMap<String, V>, field: &'static str) -> Checked {
    if map.len() > KEYS || map.keys().any(|key| key.len() > NAME_BYTES) {
        return Err((RefusalCode::TooLarge, field));
    }
    Ok(())
}

pub(super) fn id(text: &str, field: &'static str) -> Checked {
    match text.len() {
        0 => Err((RefusalCode::OutOfRange, field)),
        1..=NAME_BYTES => Ok(()),
        _ => Err((RefusalCode::TooLarge, field)),
    }
}

fn ids(list: &mut Vec<String>, field: &'static str) -> Checked {
    list.truncate(LIST);
    list.iter().try_for_each(|text| id(text, field))
}

fn activities(all: &mut Activities, field: &'static str) -> Checked {
    let Activities {
        compute,
        transfer,
        disk_read,
        disk_write,
        deserialize,
        other,
    } = all;
    [compute, transfer, disk_read, disk_write, deserialize, other]
        .into_iter()
        .try_for_each(|value| seconds(value, field))
}

/// Negative seconds come from a wall clock that was set back during a task: they count as none.
fn seconds(value: &mut f64, field: &'static str) -> Checked {
    if *value > SECONDS {
        return Err((RefusalCode::OutOfRange, field));
    }
    *value = value.max(0.0);
    Ok(())
}

fn optional(text: &mut Option<String>, cut: impl FnOnce(&mut String)) {
    if let Some(text) = text {
        cut(text);
    }
}

/// Cuts a name, and keeps two long names apart by a few digits of their hash.
fn cut_name(text: &mut String) {
    if text.len() > NAME_BYTES {
        let hash = Sha256::digest(text.as_bytes());
        let tail = format!(
            "…{:02x}{:02x}{:02x}{:02x}",
            hash[0], hash[1], hash[2], hash[3]
        );
        text.truncate(text.floor_char_boundary(NAME_BYTES - tail.len()));
        text.push_str(&tail);
    }
}

/// Cuts a text and says so.
fn cut(text: &mut String, bytes: usize) {
    const MARK: &str = "… (cut)";
    if text.len() > bytes {
        text.truncate(text.floor_char_boundary(bytes - MARK.len()));
        text.push_str(MARK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let (mut one, mut two) = ("é".repeat(400), "é".repeat(400) + "2");
        cut_name(&mut one);
        cut_name(&mut two);
        assert!(one.len() <= NAME_BYTES && two.len() <= NAME_BYTES);
        assert_ne!(one, two);
    }

    #[test]
    fn a_long_text_is_cut_at_a_letter_and_marked() {
        let mut text = "é".repeat(40_000);
        cut(&mut text, TRACEBACK_BYTES);
        assert!(text.len() <= TRACEBACK_BYTES && text.ends_with("… (cut)"));
    }
}
