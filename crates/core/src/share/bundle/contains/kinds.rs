//! What of each kind of record two bundles are compared by.

/// How a field of a later record may differ from that of an earlier one of the same thing.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum How {
    /// Never.
    Fixed,
    /// It only grows.
    Grows,
    /// It only becomes less.
    Falls,
    /// In any way; of one moment it is the same.
    Free,
    /// A name, which never changes.
    Named,
}

/// What a kind of record is known by, and what of it is compared.
pub(super) struct Compared {
    pub(super) kind: &'static str,
    /// Fields that together name one thing; its latest record stands. None: each record stands, by its time.
    pub(super) id: &'static [&'static str],
    pub(super) fields: &'static [(&'static str, How)],
}

/// Every field of a sample, but for ids.
const SAMPLE: Compared = Compared {
    kind: "sample",
    id: &["at_micros"],
    fields: &[],
};

pub(super) const KINDS: &[Compared] = &[
    SAMPLE,
    Compared {
        kind: "cluster",
        id: &[],
        fields: &[
            ("started_micros", How::Fixed),
            ("interval_micros", How::Free),
            ("name", How::Named),
            ("user", How::Named),
            ("host", How::Named),
            ("project", How::Named),
        ],
    },
    Compared {
        kind: "task_group",
        id: &["group_id"],
        fields: &[
            ("name", How::Named),
            ("prefix", How::Named),
            ("start_micros", How::Falls),
            ("stop_micros", How::Grows),
            ("result_bytes", How::Grows),
            ("retried", How::Grows),
            ("seconds.compute", How::Grows),
            ("seconds.transfer", How::Grows),
            ("seconds.disk_read", How::Grows),
            ("seconds.disk_write", How::Grows),
            ("seconds.deserialize", How::Grows),
            ("seconds.other", How::Grows),
            ("durations.count", How::Grows),
            ("states", How::Free),
        ],
    },
    Compared {
        kind: "computation",
        id: &["computation_id"],
        fields: &[
            ("start_micros", How::Free),
            ("stop_micros", How::Free),
            ("states", How::Free),
            ("retried", How::Grows),
        ],
    },
    Compared {
        kind: "span",
        id: &["span_id"],
        fields: &[
            ("name", How::Named),
            ("start_micros", How::Free),
            ("stop_micros", How::Free),
        ],
    },
    Compared {
        kind: "exception",
        id: &["exception_id"],
        fields: &[
            ("exception_type", How::Named),
            ("origin", How::Fixed),
            ("first_seen_micros", How::Fixed),
            ("last_seen_micros", How::Grows),
            ("count", How::Grows),
            ("dependents", How::Grows),
        ],
    },
    Compared {
        kind: "stop",
        id: &[],
        fields: &[("at_micros", How::Fixed), ("reason", How::Fixed)],
    },
];

/// Kinds of which each record stands, and of which nothing but their times is alike in two bundles.
pub(super) const TIMES: [&str; 2] = ["worker", "event"];
/// What is only compared as a sum: its names may be aliases.
pub(super) const SUMS: [(&str, &str, Option<&str>); 3] = [
    ("metric", "value", Some("unit")),
    ("profile", "samples", None),
    ("dropped", "count", None),
];
/// Of samples, what holds the ids of workers.
pub(super) const EACH: &str = "workers_each";
/// Of samples, what is not compared: it names a group.
pub(super) const STALL: &str = "stall";
