//! Profiles: speedscope's format and folded stacks.

use serde_json::json;

use super::*;

fn speedscope(profiles: Value) -> Vec<u8> {
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "main", "file": "a.py", "line": 3}, {"name": "load"}, {"name": "sum", "file": "b.py", "col": 1}]},
        "profiles": profiles, "exporter": "somebody", "name": "canary",
    })
    .to_string()
    .into_bytes()
}

/// `outer;inner count`, as the record has them.
fn folded(record: &ProfileRecord) -> Vec<String> {
    let name = |stack: usize| {
        record.strings[record.frames.name[record.stacks.frame[stack] as usize] as usize].clone()
    };
    let leaves = record.leaves.stack.iter().zip(&record.leaves.count);
    let mut lines: Vec<String> = leaves
        .map(|(&leaf, count)| {
            let mut names = Vec::new();
            let mut at = leaf as i32;
            while at >= 0 {
                names.insert(0, name(at as usize));
                at = record.stacks.parent[at as usize];
            }
            format!("{} {count}", names.join(";"))
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn a_sampled_profile_keeps_its_samples() {
    let (made, records) = read_bytes(&speedscope(json!([
        {"type": "sampled", "name": "one", "unit": "milliseconds", "startValue": 0, "endValue": 30,
         "samples": [[0, 1], [0, 1], [0, 2], []], "weights": [10, 10, 10, 10]},
        {"type": "sampled", "name": "two", "unit": "milliseconds", "startValue": 0, "endValue": 10, "samples": [[0]], "weights": [10]},
    ])))
    .unwrap();
    let record = profile(&records).unwrap();
    assert_eq!(
        (record.samples, record.sample_micros, record.unattributed),
        (5, 10_000, 1)
    );
    assert_eq!(folded(record), ["main 1", "main;load 2", "main;sum 1"]);
    assert_eq!(record.to_micros.0 - record.from_micros.0, 50_000);
    assert_eq!(
        (made.name.as_str(), made.source),
        ("story", SourceFormat::Speedscope)
    );
    assert!(facts(&records).unavailable.contains(&"times".into()));
}

#[test]
fn uneven_times_become_microseconds_and_counts_stay_counts() {
    let (_, records) = read_bytes(&speedscope(json!([
        {"type": "sampled", "unit": "seconds", "samples": [[0], [0, 1]], "weights": [0.5, 0.25]},
    ])))
    .unwrap();
    let record = profile(&records).unwrap();
    assert_eq!((record.samples, record.sample_micros), (750_000, 1));
    let (_, records) = read_bytes(&speedscope(
        json!([{"type": "sampled", "unit": "none", "samples": [[0], [0, 1]], "weights": [3, 4]}]),
    ))
    .unwrap();
    let record = profile(&records).unwrap();
    assert_eq!((record.samples, record.sample_micros), (7, 0));
    assert!(facts(&records).unavailable.contains(&"sample_time".into()));
}

#[test]
fn of_a_file_of_memray_the_allocations_are_counted_and_the_bytes_are_left_out() {
    let (_, records) = read_bytes(&unpacked("memray", "allocating.speedscope.json.gz")).unwrap();
    let record = profile(&records).unwrap();
    let lines = folded(record);
    let of = |function: &str| lines.iter().filter(|line| line.contains(function)).count();
    // Made by `allocating.py`: three lists of a thousand bytearrays, and nothing else that is this large.
    assert!(of("allocating") > 0, "{lines:?}");
    assert!(
        record.samples >= 3_000 && record.sample_micros == 0,
        "{}",
        record.samples
    );
    let left_out = ["profile_bytes", "sample_time"];
    assert!(
        left_out
            .iter()
            .all(|word| facts(&records).unavailable.contains(&(*word).into()))
    );
}

#[test]
fn an_evented_profile_counts_what_was_on_top() {
    let event = |what: &str, frame: u32, at: f64| json!({"type": what, "frame": frame, "at": at});
    let (_, records) = read_bytes(&speedscope(json!([{"type": "evented", "unit": "microseconds", "startValue": 0, "endValue": 10, "events": [
        event("O", 0, 0.0), event("O", 1, 2.0), event("C", 1, 5.0), event("O", 2, 5.0), event("C", 2, 6.0), event("C", 0, 10.0),
    ]}])))
    .unwrap();
    let record = profile(&records).unwrap();
    assert_eq!(folded(record), ["main 6", "main;load 3", "main;sum 1"]);
    assert_eq!((record.samples, record.sample_micros), (10, 1));
    for (events, why) in [
        (json!([event("O", 0, 0.0)]), "never closed"),
        (json!([event("C", 0, 0.0)]), "not on top"),
        (
            json!([
                event("O", 0, 0.0),
                event("O", 1, 1.0),
                event("C", 0, 2.0),
                event("C", 1, 3.0)
            ]),
            "not on top",
        ),
        (
            json!([event("O", 0, 5.0), event("C", 0, 2.0)]),
            "back in time",
        ),
        (
            json!([event("O", 9, 0.0), event("C", 9, 2.0)]),
            "a missing function",
        ),
    ] {
        let why_not = refused(&speedscope(
            json!([{"type": "evented", "unit": "none", "events": events}]),
        ));
        assert!(why_not.contains(why), "{why_not}");
    }
}

#[test]
fn folded_stacks_are_counted() {
    let (made, records) =
        read_bytes(b"# a sampler\nmain;load (a.py:12) 3\nmain;sum 2\r\nmain;load (a.py:14) 1\n\n")
            .unwrap();
    let record = profile(&records).unwrap();
    assert_eq!(folded(record), ["main;load 4", "main;sum 2"]);
    assert_eq!(made.source, SourceFormat::FoldedStacks);
    assert_eq!(record.sample_micros, 0);
}

#[test]
fn other_weights_and_wrong_shapes_are_refused_in_words() {
    let sampled = |unit: &str, samples: Value, weights: Value| {
        speedscope(
            json!([{"type": "sampled", "unit": unit, "samples": samples, "weights": weights}]),
        )
    };
    for (bytes, why) in [
        (sampled("bytes", json!([[0]]), json!([1])), "bytes"),
        (
            sampled("none", json!([[0]]), json!([1, 2])),
            "number of weights",
        ),
        (
            sampled("none", json!([[7]]), json!([1])),
            "a missing function",
        ),
        (sampled("none", json!([[0]]), json!([-1])), "negative"),
        (sampled("none", json!([[0]]), json!([0])), "no samples"),
        (sampled("parsecs", json!([[0]]), json!([1])), "speedscope"),
        (speedscope(json!([])), "no profile"),
        (b"{\"a\": 1}".to_vec(), "not a readable speedscope profile"),
        (
            speedscope(
                json!([{"type": "sampled", "unit": "none", "samples": [[0]], "weights": [1]}, {"type": "sampled", "unit": "seconds", "samples": [], "weights": []}]),
            ),
            "different units",
        ),
        (
            sampled("seconds", json!([[0]]), json!([1e300])),
            "too large",
        ),
    ] {
        let why_not = refused(&bytes);
        assert!(
            why_not.contains(why) && !why_not.contains("canary"),
            "{why_not}"
        );
    }
}
