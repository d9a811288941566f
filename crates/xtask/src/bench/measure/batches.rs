//! Batches as a busy scheduler sends them: the state of the cluster and of the groups that moved since the last beat.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

/// What each beat carries.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Clusters that report, each with its own instance.
    pub clusters: usize,
    /// Task groups that moved since the last beat.
    pub groups: usize,
}

/// A moment in November 2026.
const START_MICROS: i64 = 1_795_000_000_000_000;

/// Ten seconds.
const INTERVAL_MICROS: i64 = 10_000_000;

/// Task names of a dataframe with a shuffle and an array job.
const PREFIXES: [&str; 8] = [
    "read-parquet",
    "getitem",
    "shuffle-transfer",
    "shuffle-barrier",
    "shuffle-p2p",
    "sum-chunk",
    "random_sample",
    "mean_combine",
];

/// `count` gzip bodies, the beats of all clusters in turn. `run` keeps the ids of repeats apart.
pub fn make(shape: Shape, count: usize, run: usize) -> Vec<Vec<u8>> {
    (0..count)
        .map(|index| one(shape, run, index % shape.clusters, index / shape.clusters))
        .collect()
}

/// The gzip body of one beat of one cluster.
pub fn one(shape: Shape, run: usize, cluster: usize, number: usize) -> Vec<u8> {
    gzip(&beat(shape.groups, run, cluster, "ada", number))
}

/// All gzip bodies of a small cluster of this user: of its beats, and of its end.
pub fn whole(groups: usize, beats: usize, cluster: usize, user: &str) -> Vec<Vec<u8>> {
    (0..beats)
        .map(|number| beat(groups, 0, cluster, user, number))
        .chain([end(groups, 0, cluster, beats)])
        .map(|text| gzip(&text))
        .collect()
}

/// Python's default level, which is what the plugin sends.
pub fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    let written = encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

/// What one cluster says at a beat.
fn beat(groups: usize, run: usize, cluster: usize, user: &str, beat: usize) -> String {
    let now = moment(beat);
    let mut records = Vec::new();
    if beat == 0 {
        records.push(about(cluster, user));
    }
    records.push(sample(beat, now, groups));
    records.extend((0..groups).map(|group| task_group(cluster, group, beat, now)));
    batch(groups, run, cluster, beat, records)
}

/// What it says in the place of the beat after its last: that it was closed.
fn end(groups: usize, run: usize, cluster: usize, beat: usize) -> String {
    let stop = json!({"kind": "stop", "at_micros": moment(beat), "reason": "closed"});
    batch(groups, run, cluster, beat, vec![stop])
}

fn moment(beat: usize) -> i64 {
    START_MICROS + beat as i64 * INTERVAL_MICROS
}

/// One batch of one cluster.
fn batch(groups: usize, run: usize, cluster: usize, beat: usize, records: Vec<Value>) -> String {
    // Every cluster sends its facts once, so all later batches are one record shorter.
    let per_batch = groups + 1;
    let first_seq = if beat == 0 { 1 } else { 2 + beat * per_batch };
    let header = json!({
        "kind": "header", "protocol": 1, "cluster_id": format!("Scheduler-{run:04x}{cluster:04x}-1d5c-4a53-9d8e-8f0c5a3e7b21"),
        "instance_id": format!("{run:04x}{cluster:04x}7c1d4e0f9a2b3c4d5e6f7a8b"), "first_seq": first_seq, "records": records.len(),
        "sent_at_micros": moment(beat), "monotonic_micros": 86_400_000_000_i64 + beat as i64 * INTERVAL_MICROS,
        "plugin_version": "0.1.0",
    });
    std::iter::once(header)
        .chain(records)
        .map(|record| format!("{record}\n"))
        .collect()
}

fn about(cluster: usize, user: &str) -> Value {
    json!({
        "kind": "cluster", "at_micros": START_MICROS, "name": format!("nightly-{cluster}"), "cluster_class": "LocalCluster",
        "scheduler_address": "tcp://127.0.0.1:40123", "dashboard_url": "http://127.0.0.1:8787/status", "started_micros": START_MICROS,
        "user": user, "host": "laptop", "project": "weather", "tags": {"team": "climate"},
        "versions": {"dask": "2026.8.0", "distributed": "2026.8.0", "numpy": "2.4.1", "pandas": null},
        "python_version": "3.11.7", "python_path": "~/envs/etl/bin/python", "os": "Linux", "architecture": "x86_64",
        "plugin_version": "0.1.0", "interval_micros": INTERVAL_MICROS,
        "switches": {"code": true, "profile": false, "remote_close": false, "events_allow": []},
    })
}

fn sample(beat: usize, now: i64, groups: usize) -> Value {
    let done = beat * groups * 16;
    json!({
        "kind": "sample", "at_micros": now, "workers": 16, "threads": 64, "memory_limit_bytes": 68_719_476_736_u64,
        "memory_used_bytes": 9_126_805_504_u64 + (done as u64 * 8_191) % 1_000_000_007, "memory_managed_bytes": 6_442_450_944_u64,
        "memory_unmanaged_bytes": 2_684_354_560_u64, "memory_spilled_bytes": 0,
        "tasks": {"processing": 64, "waiting": 480, "memory": 1_200, "released": done},
        "idle_since_micros": null, "loop_lag_micros": 1_900 + (beat as i64 * 37) % 900,
        "totals": {"compute": beat as f64 * 611.25, "transfer": beat as f64 * 9.5, "thread_seconds": beat as f64 * 640.0,
                   "tasks_completed": done, "tasks_erred": 0, "result_bytes": done as u64 * 1_048_576},
        "cost": {"beat_micros": 1_250, "sent_bytes": beat as u64 * 2_400, "hook_errors": 0, "waiting_records": 0},
    })
}

fn task_group(cluster: usize, group: usize, beat: usize, now: i64) -> Value {
    let prefix = PREFIXES[group % PREFIXES.len()];
    let done = beat * 16;
    json!({
        "kind": "task_group", "at_micros": now, "group_id": format!("g{cluster:x}-{group}"),
        "name": format!("{prefix}-{:032x}", (cluster as u128 + 7).wrapping_mul(group as u128 + 11).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)),
        "prefix": prefix, "states": {"memory": 32, "processing": 4, "released": done, "waiting": 30},
        "seconds": {"compute": done as f64 * 0.595, "transfer": done as f64 * 0.012}, "result_bytes": done as u64 * 1_048_576,
        "types": ["pandas.core.frame.DataFrame"], "start_micros": START_MICROS + 1_000_000, "stop_micros": now,
        "dependencies": if group == 0 { vec![] } else { vec![format!("g{cluster:x}-{}", group - 1)] }, "final": false,
    })
}

#[cfg(test)]
mod tests {
    use bobbin_core::wire::{Batch, Limits, Line, Record, decode, inflate};

    use super::*;

    #[test]
    fn sequence_numbers_follow_each_other_without_a_gap() {
        let shape = Shape {
            clusters: 2,
            groups: 3,
        };
        let beats: Vec<Batch> = (0..4)
            .map(|number| decoded(&one(shape, 0, 1, number)))
            .collect();
        assert_eq!(first_of_next(&beats), 18);
    }

    #[test]
    fn a_whole_cluster_ends_behind_its_beats() {
        let whole: Vec<Batch> = whole(3, 2, 7, "ben")
            .iter()
            .map(|body| decoded(body))
            .collect();
        // Who it is, a sample and three groups; the same without the first; the end.
        assert_eq!(whole.len(), 3);
        assert_eq!(first_of_next(&whole), 11);
        let Line::Known(Record::Cluster(about), None) = &whole[0].lines[0] else {
            panic!("{:?}", whole[0]);
        };
        assert_eq!(about.user.as_deref(), Some("ben"));
        assert!(matches!(
            whole[2].lines[..],
            [Line::Known(Record::Stop(_), None)]
        ));
    }

    fn decoded(body: &[u8]) -> Batch {
        decode(&inflate(body, &Limits::default()).unwrap()).unwrap()
    }

    /// The number that a record behind these batches would have. Each begins where the one before ended.
    fn first_of_next(batches: &[Batch]) -> u64 {
        batches.iter().fold(1, |expected, batch| {
            assert_eq!(batch.header.first_seq, expected);
            assert_eq!(batch.header.records, batch.lines.len() as u64);
            expected + batch.header.records
        })
    }
}
