//! Batches as a busy scheduler sends them: the state of the cluster and of the groups that moved since the last beat.

use std::ops::Range;

use serde_json::{Value, json};

use crate::torture::spool::packed;

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
    gzip(&Report::of(shape, cluster, number..number + 1).sent_by(run, cluster))
}

/// All gzip bodies of a small cluster of this user: of its beats, and of its end.
pub fn whole(groups: usize, beats: usize, cluster: usize, user: &str) -> Vec<Vec<u8>> {
    let shape = Shape {
        clusters: 1,
        groups,
    };
    (0..beats)
        .map(|beat| Report::by(user, shape, cluster, beat..beat + 1))
        .chain([Report::of_end(shape, beats)])
        .map(|report| gzip(&report.sent_by(0, cluster)))
        .collect()
}

/// As the plugin packs it.
pub fn gzip(text: &str) -> Vec<u8> {
    packed(text.as_bytes()).unwrap_or_default()
}

/// What a cluster tells of one beat, or of several that it could not tell in time.
pub struct Report {
    first_seq: usize,
    records: usize,
    /// The last that it tells of.
    beat: usize,
    lines: String,
}

impl Report {
    pub fn of(shape: Shape, cluster: usize, beats: Range<usize>) -> Self {
        Self::by("ada", shape, cluster, beats)
    }

    /// That of a cluster of this user.
    fn by(user: &str, shape: Shape, cluster: usize, beats: Range<usize>) -> Self {
        let first_seq = first_seq(shape, beats.start);
        let last = beats.end.saturating_sub(1);
        let mut records = Vec::new();
        for beat in beats {
            let now = moment(beat);
            if beat == 0 {
                records.push(about(cluster, user));
            }
            records.push(sample(beat, now, shape.groups));
            records.extend((0..shape.groups).map(|group| task_group(cluster, group, beat, now)));
        }
        Self {
            first_seq,
            records: records.len(),
            beat: last,
            lines: records.iter().map(|one| format!("{one}\n")).collect(),
        }
    }

    /// What it says in the place of the beat after its last: that it was closed.
    fn of_end(shape: Shape, beat: usize) -> Self {
        let stop = json!({"kind": "stop", "at_micros": moment(beat), "reason": "closed"});
        Self {
            first_seq: first_seq(shape, beat),
            records: 1,
            beat,
            lines: format!("{stop}\n"),
        }
    }

    /// The same behind so many records more.
    pub fn behind(self, records: usize) -> Self {
        Self {
            first_seq: self.first_seq + records,
            ..self
        }
    }

    /// The batch: any cluster may say the same. `run` keeps the ids of repeats apart.
    pub fn sent_by(&self, run: usize, cluster: usize) -> String {
        let header = json!({
            "kind": "header", "protocol": 1, "cluster_id": scheduler_id(run, cluster),
            "instance_id": format!("{run:04x}{cluster:04x}7c1d4e0f9a2b3c4d5e6f7a8b"), "first_seq": self.first_seq,
            "records": self.records, "sent_at_micros": moment(self.beat),
            "monotonic_micros": 86_400_000_000_i64 + self.beat as i64 * INTERVAL_MICROS, "plugin_version": "0.1.0",
        });
        format!("{header}\n{}", self.lines)
    }
}

/// Of a beat. Every cluster sends its facts once, so all later beats are one record shorter.
fn first_seq(shape: Shape, beat: usize) -> usize {
    match beat {
        0 => 1,
        beat => 2 + beat * (shape.groups + 1),
    }
}

/// The cluster, as its batches name it.
pub fn scheduler_id(run: usize, cluster: usize) -> String {
    format!("Scheduler-{run:04x}{cluster:04x}-1d5c-4a53-9d8e-8f0c5a3e7b21")
}

fn moment(beat: usize) -> i64 {
    START_MICROS + beat as i64 * INTERVAL_MICROS
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

    const SHAPE: Shape = Shape {
        clusters: 2,
        groups: 3,
    };

    /// Header and lines of what the second cluster says of these beats.
    fn told(report: Report) -> (Value, Vec<String>) {
        let text = report.sent_by(0, 1);
        let mut lines = text.lines().map(str::to_owned);
        let header = serde_json::from_str(&lines.next().unwrap()).unwrap();
        (header, lines.collect())
    }

    #[test]
    fn sequence_numbers_follow_each_other_without_a_gap() {
        let beats: Vec<Batch> = (0..4)
            .map(|number| decoded(&one(SHAPE, 0, 1, number)))
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

    #[test]
    fn several_beats_in_one_report_are_those_of_as_many_reports() {
        let (header, together) = told(Report::of(SHAPE, 1, 0..3));
        assert_eq!(
            json!([header["first_seq"], header["records"]]),
            json!([1, 13])
        );
        let each: Vec<String> = (0..3)
            .flat_map(|beat| told(Report::of(SHAPE, 1, beat..beat + 1)).1)
            .collect();
        assert_eq!(together, each);
        let (header, _) = told(Report::of(SHAPE, 1, 3..5).behind(7));
        assert_eq!(header["first_seq"], 14 + 7);
    }
}
