//! The words that are told at every level, all of which Dask or the plugin made: whoever can write to the receiver may write
//! anything where they stand.

use serde_json::{Map, Value};

/// What is told in the place of any other.
const OTHER: &str = "other";

const STATES: &[&str] = &[
    "released",
    "waiting",
    "no-worker",
    "queued",
    "processing",
    "memory",
    "erred",
    "forgotten",
];
/// Why a cluster ended.
const STOPS: &[&str] = &["closed", "idle_timeout", "remote_close", "exit"];
/// Kinds of records, and what else may be lost.
const LOSSES: &[&str] = &[
    "cluster",
    "sample",
    "worker",
    "task_group",
    "computation",
    "metric",
    "span",
    "exception",
    "event",
    "profile",
    "dropped",
    "stop",
    "worker_profile",
    "profile_source",
    "exception_text",
    "stop_order",
];
/// Why it was.
const REASONS: &[&str] = &[
    "queue_full",
    "not_writable",
    "too_many",
    "too_late",
    "spool_full",
    "spool_lost",
    "refused",
    "too_large",
    "no_time",
    "not_sealed",
    "switched_off",
    "not_allowed",
    "not_pinned",
    "other_instance",
    "no_order",
    "expired",
];
/// What a version of Dask does not tell.
const UNAVAILABLE: &[&str] = &[
    "queued",
    "spans",
    "metrics",
    "retries",
    "idle_since",
    "threads_history",
    "lost_workers",
    "memory_kills",
];

/// A value with no other words than those that are called `words`; of an object the keys, where numbers of others are added.
pub(super) fn closed(words: &str, value: &Value) -> Value {
    match value {
        Value::String(text) => word(words, text).into(),
        Value::Array(items) => items.iter().map(|item| closed(words, item)).collect(),
        Value::Object(items) => {
            let mut shown = Map::new();
            for (key, item) in items {
                let number = shown.entry(word(words, key)).or_insert(Value::from(0));
                let sum = number
                    .as_u64()
                    .unwrap_or(0)
                    .saturating_add(item.as_u64().unwrap_or(0));
                *number = sum.into();
            }
            Value::Object(shown)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn word(words: &str, text: &str) -> String {
    let list = match words {
        "version" => return version(text),
        "state" => STATES,
        "stop" => STOPS,
        "loss" => LOSSES,
        "reason" => REASONS,
        "unavailable" => UNAVAILABLE,
        _ => &[],
    };
    match list.contains(&text) {
        true => text.into(),
        false => OTHER.into(),
    }
}

/// A version of the plugin: numbers, and which one before or after a release.
pub(super) fn version(text: &str) -> String {
    const MARKS: [&str; 9] = [
        "a", "b", "rc", ".dev", ".post", "-alpha.", "-beta.", "-rc.", "-dev.",
    ];
    let digits = |text: &str| {
        (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let end = text
        .find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
        .unwrap_or(text.len());
    let release = text[..end].trim_end_matches('.');
    let rest = &text[release.len()..];
    let numbers = release.split('.').count() <= 4 && release.split('.').all(digits);
    let marked = rest.is_empty()
        || MARKS
            .iter()
            .any(|mark| rest.strip_prefix(mark).is_some_and(digits));
    match numbers && marked {
        true => text.into(),
        false => OTHER.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn versions_have_a_form_and_numbers_of_other_states_are_added() {
        for fine in [
            "0.1.0",
            "1.0",
            "2026.3.1",
            "1.0rc1",
            "0.1.0.dev12",
            "0.1.0-rc.2",
        ] {
            assert_eq!(version(fine), fine);
        }
        for bad in [
            "",
            "ana",
            "1.0+ana",
            "1.0-ana",
            "0.1.0.",
            "4111111111111111",
            "1.2.3.4.5",
            ".1",
        ] {
            assert_eq!(version(bad), OTHER, "{bad}");
        }
        assert_eq!(
            closed("state", &json!({"memory": 1, "ana": 2, "bob": 3})),
            json!({"memory": 1, "other": 5})
        );
        assert_eq!(closed("nothing of ours", &"x".into()), OTHER);
    }
}
