//! What the time and the bytes of Dask's fine performance metrics went to.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Of what kind an activity is. Dask has some dozen of them, and its versions name new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MetricKind {
    /// The user's functions, computing.
    Cpu,
    /// The user's functions, waiting for disks, networks or locks.
    Waiting,
    /// Data between workers.
    Network,
    DiskRead,
    DiskWrite,
    /// Serializing and compressing, and the way back.
    Packing,
    /// Attempts that failed or were canceled.
    Failed,
    Idle,
    Other,
    /// A worker's own event loop. It runs beside everything else, so it is no part of any sum.
    EventLoop,
}

/// How Dask's words of a kind end. The first kind that fits counts.
const ENDS: [(MetricKind, &[&str]); 8] = [
    (MetricKind::Cpu, &["thread-cpu"]),
    (MetricKind::Waiting, &["thread-noncpu"]),
    (MetricKind::Network, &["network", "transfer"]),
    (MetricKind::DiskRead, &["disk-read"]),
    (MetricKind::DiskWrite, &["disk-write"]),
    (MetricKind::Packing, &["serialize", "compress"]),
    (MetricKind::Failed, &["failed", "cancelled", "missing"]),
    (MetricKind::Idle, &["idle"]),
];

impl MetricKind {
    /// The kind of an activity in its context, both in Dask's own words.
    pub fn of(context: &str, activity: &str) -> Self {
        if context == "worker" {
            return Self::EventLoop;
        }
        ENDS.iter()
            .find(|(_, ends)| ends.iter().any(|end| activity.ends_with(*end)))
            .map_or(Self::Other, |(kind, _)| *kind)
    }
}

#[cfg(test)]
mod tests {
    use super::MetricKind;

    #[test]
    fn dasks_words_have_kinds_and_unknown_ones_are_other() {
        for (activity, kind) in [
            ("thread-cpu", MetricKind::Cpu),
            ("thread-noncpu", MetricKind::Waiting),
            ("network", MetricKind::Network),
            ("transfer", MetricKind::Network),
            ("disk-read", MetricKind::DiskRead),
            ("disk-write", MetricKind::DiskWrite),
            ("deserialize", MetricKind::Packing),
            ("decompress", MetricKind::Packing),
            ("failed", MetricKind::Failed),
            ("idle", MetricKind::Idle),
            ("memory-read", MetricKind::Other),
            ("constructor", MetricKind::Other),
            ("", MetricKind::Other),
        ] {
            assert_eq!(MetricKind::of("execute", activity), kind, "{activity}");
        }
        assert_eq!(MetricKind::of("worker", "idle"), MetricKind::EventLoop);
    }
}
