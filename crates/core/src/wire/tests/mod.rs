//! What is read equals what was written, and nothing from outside brings the reader down.

mod any;

use any::{computation, event, exception, metric, profile, sample, span, task_group, worker};
use proptest::collection::vec;
use proptest::prelude::{any as arbitrary, *};
use serde_json::{Value, json};

use super::*;
use crate::Error;

fn header(records: usize) -> String {
    json!({
        "kind": "header", "protocol": 1, "cluster_id": "Scheduler-1", "instance_id": "i", "first_seq": 5,
        "records": records, "sent_at_micros": 1_700_000_000_000_000i64, "monotonic_micros": 1, "plugin_version": "0.1.0",
    })
    .to_string()
}

fn batch(lines: &[&str]) -> Batch {
    let mut text = header(lines.len());
    for line in lines {
        text += "\n";
        text += line;
    }
    decode(text.as_bytes()).unwrap()
}

fn refusal(line: &str) -> Refusal {
    match batch(&[line]).lines.remove(0) {
        Line::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

const STOP: &str = r#"{"kind":"stop","at_micros":1700000000000000,"reason":"closed"}"#;

#[test]
fn one_bad_line_never_sinks_its_neighbours() {
    let lines = batch(&[STOP, "{\"kind\":", STOP]).lines;
    assert!(matches!(lines[0], Line::Known(Record::Stop(_), None)));
    assert!(matches!(
        &lines[1],
        Line::Refused(Refusal {
            index: 1,
            code: RefusalCode::NotJson,
            ..
        })
    ));
    assert!(matches!(lines[2], Line::Known(Record::Stop(_), None)));
}

#[test]
fn unknown_kinds_and_fields_are_kept() {
    let line = r#"{"kind":"later","id":"x"}"#;
    assert_eq!(
        batch(&[line]).lines[0],
        Line::Unknown(Kept {
            kind: "later".into(),
            text: line.into()
        })
    );
    let line = r#"{"at_micros":1700000000000000,"reason":"closed","kind":"stop","new":{"a":[1]}}"#;
    let Line::Known(Record::Stop(stop), Some(kept)) = &batch(&[line]).lines[0] else {
        panic!()
    };
    assert_eq!(stop.reason, "closed");
    assert_eq!(
        *kept,
        Kept {
            kind: "stop".into(),
            text: r#"{"new":{"a":[1]}}"#.into()
        }
    );
}

#[test]
fn an_unknown_field_inside_totals_is_seen() {
    let line = r#"{"kind":"sample","at_micros":1700000000000000,"workers":1,"threads":1,"tasks":{},"totals":{"compute":1,"gpu":2}}"#;
    let Line::Known(Record::Sample(sample), Some(kept)) = &batch(&[line]).lines[0] else {
        panic!()
    };
    assert_eq!(sample.totals.seconds.compute, 1.0);
    assert_eq!(kept.text, r#"{"totals":{"compute":1,"gpu":2}}"#);
}

#[test]
fn a_refusal_says_where_and_never_quotes_a_value() {
    let refused = refusal(r#"{"kind":"stop","at_micros":"hunter2","reason":"closed"}"#);
    assert_eq!(refused.code, RefusalCode::NotARecord);
    assert!(!refused.detail.contains("hunter2"), "{}", refused.detail);
    assert!(
        refusal(r#"{"kind":"stop","at_micros":1700000000000000}"#)
            .detail
            .starts_with("missing field `reason`")
    );
}

#[test]
fn keys_that_come_twice_are_refused() {
    for line in [
        r#"{"kind":"stop","kind":"stop","at_micros":1700000000000000,"reason":"a"}"#,
        r#"{"kind":"stop","at_micros":1700000000000000,"reason":"a","reason":"b"}"#,
        r#"{"kind":"event","at_micros":1700000000000000,"topic":"t","payload":{"a":1,"a":2}}"#,
        r#"{"kind":"later","a":1,"a":2}"#,
        r#"{"kind":"sample","at_micros":1700000000000000,"workers":1,"threads":1,"tasks":{"a":1,"a":1},"totals":{}}"#,
        r#"{"kind":"sample","at_micros":1700000000000000,"workers":1,"threads":1,"tasks":{},"totals":{"compute":1,"compute":2}}"#,
    ] {
        assert_eq!(refusal(line).code, RefusalCode::NotARecord, "{line}");
    }
}

#[test]
fn an_id_that_comes_twice_in_a_list_counts_once() {
    let line = r#"{"kind":"computation","at_micros":1700000000000000,"computation_id":"c","start_micros":null,"stop_micros":null,"groups":["b","a","b","a"]}"#;
    match &batch(&[line]).lines[0] {
        Line::Known(Record::Computation(read), None) => assert_eq!(read.groups, ["b", "a"]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_and_times_out_of_range_are_refused() {
    for line in [
        r#"{"kind":"stop","at_micros":0,"reason":"a"}"#,
        r#"{"kind":"stop","at_micros":253402300799000000,"reason":"a"}"#,
        r#"{"kind":"dropped","at_micros":1700000000000000,"what":"event","count":9007199254740992,"reason":"a"}"#,
    ] {
        assert_eq!(refusal(line).code, RefusalCode::OutOfRange, "{line}");
    }
    for line in [
        r#"{"kind":"stop","at_micros":1.5,"reason":"a"}"#,
        r#"{"kind":"dropped","at_micros":1700000000000000,"what":"event","count":-1,"reason":"a"}"#,
        r#"{"kind":"dropped","at_micros":1700000000000000,"what":"event","count":99999999999999999999,"reason":"a"}"#,
    ] {
        assert_eq!(refusal(line).code, RefusalCode::NotARecord, "{line}");
    }
    for line in [
        r#"{"kind":"event","at_micros":1700000000000000,"topic":"t","payload":NaN}"#,
        r#"{"kind":"event","at_micros":1700000000000000,"topic":"t","payload":1e400}"#,
        r#"{"kind":"event","at_micros":1700000000000000,"topic":"t","payload":"\ud800"}"#,
    ] {
        assert_eq!(refusal(line).code, RefusalCode::NotJson, "{line}");
    }
}

#[test]
fn deep_nesting_is_refused_without_a_stack_overflow() {
    for deep in [17, 128, 100_000] {
        let payload = "[".repeat(deep) + &"]".repeat(deep);
        let line = format!(
            r#"{{"kind":"event","at_micros":1700000000000000,"topic":"t","payload":{payload}}}"#
        );
        assert_eq!(refusal(&line).code, RefusalCode::TooLarge);
    }
}

#[test]
fn a_header_that_cannot_be_used_refuses_the_batch() {
    for (from, to, what) in [
        ("\"protocol\":1", "\"protocol\":2", "header.protocol"),
        ("\"first_seq\":5", "\"first_seq\":0", "header.first_seq"),
        (
            "\"first_seq\":5",
            "\"first_seq\":9007199254740991",
            "header.first_seq",
        ),
        ("\"kind\":\"header\"", "\"kind\":\"stop\"", "header.kind"),
        (
            "\"cluster_id\":\"Scheduler-1\"",
            "\"cluster_id\":\"\"",
            "header.cluster_id",
        ),
        (
            "\"sent_at_micros\":1700000000000000",
            "\"sent_at_micros\":1",
            "header.sent_at_micros",
        ),
        ("\"instance_id\":\"i\",", "", "header"),
        ("\"kind\":", "\"kind\":\"header\",\"kind\":", "header"),
        ("\"records\":1", "\"records\":1,\"records\":1", "header"),
        ("\"records\":1", "\"records\":2", "header.records"),
        ("\"records\":1", "\"records\":0", "header.records"),
    ] {
        let text = format!("{}\n{STOP}\n", header(1));
        let changed = text.replacen(from, to, 1);
        assert_ne!(text, changed, "{from}");
        match decode(changed.as_bytes()) {
            Err(Error::Invalid { what: found, .. }) => assert_eq!(found, what),
            other => panic!("{to}: {other:?}"),
        }
    }
    assert!(decode(b"").is_err());
}

#[test]
fn a_retry_with_a_new_time_in_its_header_has_the_same_digest() {
    let text = format!("{}\n{STOP}\n", header(1));
    let again = text.replace(
        "1700000000000000,\"monotonic",
        "1700000000000009,\"monotonic",
    );
    assert_eq!(
        decode(text.as_bytes()).unwrap().digest,
        decode(again.as_bytes()).unwrap().digest
    );
    let other = text.replace("closed", "exit");
    assert_ne!(
        decode(text.as_bytes()).unwrap().digest,
        decode(other.as_bytes()).unwrap().digest
    );
}

#[test]
fn batches_follow_each_other_in_a_stream_and_a_torn_end_is_an_error() {
    let one = format!("{}\n{STOP}\n{STOP}\n", header(2));
    let text = format!("{one}\n{one}{}", &one[..one.len() - 30]);
    let read: Vec<_> = decode_stream(text.as_bytes()).collect();
    assert_eq!(read.len(), 3);
    assert_eq!(read[0].as_ref().unwrap().lines.len(), 2);
    assert_eq!(read[1].as_ref().unwrap().lines.len(), 2);
    // The last line is torn: it alone is refused, since the number of lines is right.
    assert!(matches!(
        read[2].as_ref().unwrap().lines[1],
        Line::Refused(_)
    ));
    let torn = format!("{one}{}", header(2));
    assert!(matches!(
        decode_stream(torn.as_bytes()).last(),
        Some(Err(Error::Invalid {
            what: "header.records",
            ..
        }))
    ));
}

fn profile_with(changes: Value) -> Value {
    let mut record = json!({
        "kind": "profile", "at_micros": 1_700_000_000_000_000i64, "from_micros": 1_700_000_000_000_000i64,
        "to_micros": 1_700_000_030_000_000i64, "prefix": null, "samples": 7, "sample_micros": 10_000,
        "unattributed": 2, "strings": ["f", "a.py", "    return 1"],
        "frames": {"name": [0, 0], "file": [1, 1], "line": [3, null], "text": [2, null]},
        "stacks": {"parent": [-1, 0, 0], "frame": [0, 1, 0]}, "leaves": {"stack": [1, 2], "count": [4, 1]},
    });
    for (field, value) in changes.as_object().unwrap() {
        record[field] = value.clone();
    }
    record
}

#[test]
fn a_profile_whose_tables_do_not_fit_is_refused_alone() {
    for lines in [
        json!({}),
        json!({"lines": {"frame": [0, 1], "line": [4, null], "text": [2, null], "ended": [1, 0], "samples": [7, 2]}}),
    ] {
        let good = profile_with(lines).to_string();
        assert!(matches!(
            batch(&[&good]).lines[0],
            Line::Known(Record::Profile(_), None)
        ));
    }
    let max = u64::MAX;
    for changes in [
        json!({"samples": 8}),
        json!({"unattributed": 1}),
        json!({"to_micros": 1_600_000_000_000_000i64}),
        json!({"stacks": {"parent": [-1, 1, 0], "frame": [0, 1, 0]}}),
        json!({"stacks": {"parent": [-1, 2, 0], "frame": [0, 1, 0]}}),
        json!({"stacks": {"parent": [-2, 0, 0], "frame": [0, 1, 0]}}),
        json!({"stacks": {"parent": [-1, 0], "frame": [0, 1, 0]}}),
        json!({"stacks": {"parent": [-1, 0, 0], "frame": [0, 2, 0]}}),
        json!({"leaves": {"stack": [1, 3], "count": [4, 1]}}),
        json!({"leaves": {"stack": [1], "count": [4, 1]}}),
        json!({"leaves": {"stack": [1, 2], "count": [1u64 << 53, 1]}}),
        json!({"frames": {"name": [0, 3], "file": [1, 1], "line": [3, null], "text": [2, null]}}),
        json!({"frames": {"name": [0, 0], "file": [1, 1], "line": [3, null], "text": [9, null]}}),
        json!({"frames": {"name": [0, 0], "file": [1], "line": [3, null], "text": [2, null]}}),
        json!({"lines": {"frame": [2], "line": [4], "text": [null], "ended": [1], "samples": [2]}}),
        json!({"lines": {"frame": [0], "line": [0], "text": [null], "ended": [1], "samples": [2]}}),
        json!({"lines": {"frame": [0], "line": [4], "text": [3], "ended": [1], "samples": [2]}}),
        json!({"lines": {"frame": [0], "line": [4], "text": [2], "ended": [1], "samples": [8]}}),
        json!({"lines": {"frame": [0], "line": [4], "text": [2], "ended": [], "samples": [2]}}),
    ] {
        let line = profile_with(changes).to_string();
        let lines = batch(&[STOP, &line, STOP]).lines;
        let Line::Refused(refused) = &lines[1] else {
            panic!("{line}")
        };
        assert_eq!(
            (refused.index, refused.code),
            (1, RefusalCode::OutOfRange),
            "{line}"
        );
        assert!(matches!(lines[2], Line::Known(Record::Stop(_), None)));
    }
    for changes in [
        json!({"stacks": {"parent": [-1, 0, max], "frame": [0, 1, 0]}}),
        json!({"stacks": {"parent": [-1, 0, 0], "frame": [0, -1, 0]}}),
        json!({"leaves": {"stack": [1, 1.5], "count": [4, 1]}}),
        json!({"strings": ["f", 7]}),
        json!({"frames": null}),
    ] {
        assert_eq!(
            refusal(&profile_with(changes).to_string()).code,
            RefusalCode::NotARecord
        );
    }
}

#[test]
fn a_profile_that_is_too_large_or_too_deep_is_refused() {
    let wide = |stacks: usize| {
        json!({
            "samples": 2, "leaves": {"stack": [], "count": []},
            "stacks": {"parent": vec![-1; stacks], "frame": vec![0; stacks]},
        })
    };
    let deep = |stacks: i64| {
        json!({
            "samples": 2, "leaves": {"stack": [], "count": []},
            "stacks": {"parent": (-1..stacks - 1).collect::<Vec<_>>(), "frame": vec![0; stacks as usize]},
        })
    };
    let many = |frames: usize| {
        let none = vec![Value::Null; frames];
        json!({"frames": {"name": vec![0; frames], "file": vec![0; frames], "line": none, "text": none}})
    };
    let lines = |count: usize| {
        let (zeros, none) = (vec![0; count], vec![Value::Null; count]);
        json!({"lines": {"frame": zeros, "line": none, "text": none, "ended": zeros, "samples": zeros}})
    };
    for changes in [
        wide(20_000),
        deep(1_000),
        many(20_000),
        json!({"strings": vec!["f"; 100_000]}),
        lines(40_000),
    ] {
        let line = profile_with(changes).to_string();
        assert!(matches!(batch(&[&line]).lines[0], Line::Known(..)));
    }
    for changes in [
        wide(20_001),
        wide(1_000_000),
        deep(1_001),
        deep(1_000_000),
        many(20_001),
        json!({"strings": vec!["f"; 100_001]}),
        lines(40_001),
    ] {
        assert_eq!(
            refusal(&profile_with(changes).to_string()).code,
            RefusalCode::TooLarge
        );
    }
}

#[test]
fn what_an_older_plugin_does_not_say_is_not_known_and_a_switch_that_is_not_named_is_on() {
    let line = r#"{"kind":"cluster","at_micros":1700000000000000,"name":null,"cluster_class":null,"scheduler_address":null,"dashboard_url":null,"started_micros":1700000000000000,"user":null,"host":null,"project":null,"python_version":null,"python_path":null,"os":null,"architecture":null,"plugin_version":"0.1.0","interval_micros":1,"switches":{"code":false,"profile":false}}"#;
    let Line::Known(Record::Cluster(cluster), None) = &batch(&[line]).lines[0] else {
        panic!()
    };
    let switches = &cluster.switches;
    assert!(!switches.code && !switches.profile && !switches.remote_close);
    assert!(
        switches.exceptions && switches.names && switches.user && switches.host && switches.paths
    );
    let line = r#"{"kind":"sample","at_micros":1700000000000000,"workers":1,"threads":1,"tasks":{},"totals":{}}"#;
    let Line::Known(Record::Sample(sample), None) = &batch(&[line]).lines[0] else {
        panic!()
    };
    assert_eq!(
        (
            &sample.stall,
            sample.cpu_percent,
            sample.totals.tasks_retried
        ),
        (&None, None, None)
    );
}

#[test]
fn a_row_of_a_worker_has_seven_values_and_no_more_workers_are_read_than_fit() {
    let line = |rows: Value| {
        json!({
            "kind": "sample", "at_micros": 1_700_000_000_000_000i64, "workers": 1, "threads": 1, "tasks": {}, "totals": {},
            "workers_each": rows, "cost": {"loop_share": 7.0}, "network_read_bytes_per_s": -4.0,
        })
        .to_string()
    };
    let row = json!(["w", 12.5, 1, null, null, 3, null]);
    let Line::Known(Record::Sample(sample), None) = &batch(&[&line(json!(vec![row; 70]))]).lines[0]
    else {
        panic!()
    };
    assert_eq!(sample.workers_each.as_ref().unwrap().len(), 64);
    assert_eq!(
        (sample.cost.loop_share, sample.network_read_bytes_per_s),
        (1.0, Some(0.0))
    );
    for row in [json!(["w", 12.5]), json!({"id": "w"})] {
        assert_eq!(refusal(&line(json!([row]))).code, RefusalCode::NotARecord);
    }
    refusal(&line(json!([["w", 1, 1, 1, 1, 1, 1, 1]])));
    let nameless = json!([["", 12.5, 1, null, null, 3, null]]);
    assert_eq!(refusal(&line(nameless)).code, RefusalCode::OutOfRange);
}

proptest! {
    #[test]
    fn every_record_comes_back_as_it_was_written(
        record in prop_oneof![
            sample(), task_group(), computation(), exception(), event(), worker(), metric(), span(), profile()
        ]
    ) {
        let line = serde_json::to_string(&record).unwrap();
        prop_assert_eq!(&batch(&[&line]).lines[0], &Line::Known(record, None));
    }

    #[test]
    fn no_bytes_bring_the_reader_down(bytes in vec(arbitrary::<u8>(), 0..200), cut in 0usize..400) {
        let _ = decode(&bytes);
        let mut text = format!("{}\n{STOP}\n", header(1)).into_bytes();
        text.truncate(cut.min(text.len()));
        text.extend(bytes);
        let _ = decode(&text);
        let _ = decode_stream(&*text).count();
    }
}
