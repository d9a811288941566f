//! What tells the things of a bundle apart, and how the fields of a later record may differ from those of an earlier one. Each
//! field is compared, and never changes, unless it is listed here.

use serde_json::Value;

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
    /// A path, which has all of its folders only where identities are real: its last part never changes.
    File,
}

/// What the things of a kind of record are known by, and what of them may change.
pub(super) struct Compared {
    /// What the things are: one kind of record may tell two sorts of them.
    pub(super) what: &'static str,
    pub(super) kind: &'static str,
    /// Fields that together name one thing.
    pub(super) id: &'static [&'static str],
    /// Each record stands, in its order. Otherwise a thing has one.
    pub(super) each: bool,
    /// Those that may change, by their path; what is in one is like it.
    changes: &'static [(&'static str, How)],
}

impl Compared {
    /// How a field may change, if it is listed.
    pub(super) fn how(&self, path: &str) -> Option<How> {
        let mut listed = self.changes.iter();
        listed.find(|(name, _)| *name == path).map(|(_, how)| *how)
    }

    const fn named(kind: &'static str, id: &'static [&'static str]) -> Self {
        Self {
            what: kind,
            kind,
            id,
            each: false,
            changes: &[],
        }
    }

    const fn each(kind: &'static str, id: &'static [&'static str]) -> Self {
        Self {
            each: true,
            ..Self::named(kind, id)
        }
    }

    const fn changing(self, changes: &'static [(&'static str, How)]) -> Self {
        Self { changes, ..self }
    }
}

/// All kinds but `profile`: stores put profiles together by their age, so one of two bundles may have an hour where the other has
/// its minutes. Only their samples are compared, as a sum.
const KINDS: &[Compared] = &[
    Compared::named("cluster", &[]).changing(&[
        ("at_micros", How::Grows),
        ("python_path", How::File),
        ("dashboard_url", How::Free),
        ("mismatches", How::Free),
        ("unavailable", How::Free),
        ("plugin_version", How::Free),
        ("interval_micros", How::Free),
        ("idle_timeout_micros", How::Free),
        ("switches", How::Free),
    ]),
    Compared::named("sample", &["at_micros"]),
    // The id of a worker may be an alias, so they are told apart by their order.
    Compared::each("worker", &["at_micros", "event"]),
    Compared::named("task_group", &["group_id"]).changing(&[
        ("at_micros", How::Grows),
        ("states", How::Free),
        ("seconds", How::Grows),
        ("result_bytes", How::Grows),
        ("types", How::Free),
        ("start_micros", How::Falls),
        ("stop_micros", How::Grows),
        ("durations", How::Free),
        ("durations.count", How::Grows),
        ("retried", How::Grows),
        ("dependencies", How::Free),
        ("final", How::Free),
    ]),
    Compared::named("computation", &["computation_id"]).changing(&[
        ("at_micros", How::Grows),
        ("start_micros", How::Free),
        ("stop_micros", How::Free),
        ("groups", How::Free),
        ("states", How::Free),
        ("retried", How::Grows),
    ]),
    Compared::named(
        "metric",
        &["span_id", "context", "prefix", "activity", "unit"],
    )
    .changing(&[("at_micros", How::Grows), ("value", How::Grows)]),
    Compared::named("span", &["span_id"]).changing(&[
        ("at_micros", How::Grows),
        ("start_micros", How::Free),
        ("stop_micros", How::Free),
        ("enqueued_micros", How::Free),
        ("groups", How::Free),
    ]),
    Compared::named("exception", &["exception_id"]).changing(&[
        ("at_micros", How::Grows),
        ("last_seen_micros", How::Grows),
        ("count", How::Grows),
        ("dependents", How::Grows),
    ]),
    Compared::each("event", &["at_micros"]),
    Compared::each("dropped", &["at_micros", "what", "reason"]),
    Compared::named("stop", &[]),
];

/// Of events that are not sent, the latest count of a topic stands.
const TOPIC: Compared = Compared {
    what: "topic",
    ..Compared::named("event", &["topic"])
        .changing(&[("at_micros", How::Grows), ("count", How::Grows)])
};

/// What a record is compared as.
pub(super) fn compared(kind: &str, record: &Value) -> Option<&'static Compared> {
    if kind == TOPIC.kind && !record["count"].is_null() {
        return Some(&TOPIC);
    }
    KINDS.iter().find(|one| one.kind == kind)
}

/// What is compared as a sum, too: of things with names of which some may be aliases, and of profiles. Each with the field that
/// is added up, and the one by which.
pub(super) const SUMS: [(&str, &str, Option<&str>); 3] = [
    ("metric", "value", Some("unit")),
    ("event", "count", None),
    ("profile", "samples", None),
];

/// Fields that are not compared. People wrote them: each member has other words of them masked, and only some keep them at all.
pub(super) const APART: [(&str, &str); 5] = [
    ("exception", "message"),
    ("exception", "traceback"),
    ("exception", "details"),
    ("computation", "code"),
    ("event", "payload"),
];
