//! Files of strangers: refused with a reason, in little room, and never in part.

use super::*;
use crate::api::{ClustersRequest, clusters, import_file};
use crate::testing::Bench;

/// A value in msgpack.
fn packed(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    pack(value, &mut out);
    out
}

fn pack(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(0xc0),
        Value::Bool(one) => out.push(0xc2 + u8::from(*one)),
        Value::Number(number) => {
            out.push(0xcb);
            out.extend(number.as_f64().unwrap().to_be_bytes());
        }
        Value::String(text) => {
            out.push(0xdb);
            out.extend((text.len() as u32).to_be_bytes());
            out.extend(text.as_bytes());
        }
        Value::Array(items) => {
            out.push(0xdd);
            out.extend((items.len() as u32).to_be_bytes());
            items.iter().for_each(|item| pack(item, out));
        }
        Value::Object(fields) => {
            out.push(0xdf);
            out.extend((fields.len() as u32).to_be_bytes());
            for (key, value) in fields {
                match key.len() {
                    length @ 0..32 => {
                        out.push(0xa0 | length as u8);
                        out.extend(key.as_bytes());
                    }
                    _ => pack(&Value::String(key.clone()), out),
                }
                pack(value, out);
            }
        }
    }
}

fn dump(scheduler: Value) -> Vec<u8> {
    packed(&serde_json::json!({"scheduler": scheduler}))
}

#[test]
fn a_dump_of_what_is_needed_is_enough_and_one_of_wrong_types_is_read_as_far_as_it_tells() {
    let (made, records) = read_bytes(&dump(
        serde_json::json!({"started": 1.7e9, "address": "tcp://x"}),
    ))
    .unwrap();
    assert_eq!(made.as_of, Micros(1_700_000_000_000_000));
    assert_eq!(records.len(), 3, "{records:?}");
    // Each part of a type that it does not have.
    for wrong in [
        serde_json::json!(1),
        serde_json::json!("x"),
        serde_json::json!([[1, 2], "y"]),
        serde_json::json!({"a": {"b": [1]}}),
        Value::Null,
    ] {
        let parts = [
            "address",
            "events",
            "memory",
            "task_groups",
            "tasks",
            "transition_log",
            "workers",
        ];
        for part in parts {
            let mut scheduler = serde_json::json!({"started": 1.7e9});
            scheduler[part] = wrong.clone();
            read_bytes(&dump(scheduler)).unwrap_or_else(|error| panic!("{part} {wrong}: {error}"));
        }
    }
    assert!(refused(&dump(serde_json::json!({"address": "x"}))).contains("start time"));
    assert!(refused(&dump(serde_json::json!({"started": -5}))).contains("start time"));
    assert!(refused(&dump(serde_json::json!("x"))).contains("no scheduler"));
    assert!(refused(&packed(&serde_json::json!({"workers": {}}))).contains("no scheduler"));
}

#[test]
fn a_file_that_is_cut_anywhere_is_refused() {
    let mut cut = 0;
    for (version, name) in [
        ("2024", "dump.msgpack.gz"),
        ("2024", "dump.yaml.gz"),
        ("2022", "report.html.gz"),
        ("2026", "report.html.gz"),
    ] {
        let packed = fs::read(fixture(version, name)).unwrap();
        let plain = unpacked(version, name);
        for share in [0.1, 0.5, 0.9, 0.999] {
            let at = |bytes: &[u8]| (bytes.len() as f64 * share) as usize;
            refused(&packed[..at(&packed)]);
            // A report ends long after its document; YAML may be cut where a line ends.
            if name.contains("msgpack") || (name.contains("report") && share < 0.9) {
                refused(&plain[..at(&plain)]);
                cut += 1;
            }
        }
    }
    assert!(cut > 5);
}

#[test]
fn bombs_take_neither_room_nor_time() {
    // Much of nothing, as a dump, as a report and as a text.
    for (begin, rest) in [
        (&b"\x83\xa9scheduler\xdd\xff\xff\xff\xff"[..], 0xc0),
        (b"<html>", b'x'),
        (b"a;b 1\n", b'x'),
    ] {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(begin).unwrap();
        for _ in 0..64 {
            encoder.write_all(&vec![rest; 1 << 20]).unwrap();
        }
        let why = refused(&encoder.finish().unwrap());
        assert!(why.contains("larger"), "{why}");
    }
    // Lengths that are only said.
    refused(b"\x83\xa9scheduler\xdb\xff\xff\xff\xff");
    refused(b"\x83\xa9scheduler\xdf\xff\xff\xff\xff");
    // Gzip in gzip is not unpacked twice.
    let why = refused(&gzip(&gzip(b"a;b 1\n")));
    assert!(why.contains("not a type that Bobbin reads"), "{why}");
}

#[test]
fn groups_that_together_keep_more_than_a_dump_has_are_refused() {
    // Each of them alone is small enough, and nothing is nowhere longer than it says.
    let entry = |number: u8, items: u32| {
        let mut bytes = vec![0xa1, number, 0x81, 0xac];
        bytes.extend(b"dependencies\xdd");
        bytes.extend(items.to_be_bytes());
        bytes.extend(vec![0xc0; items as usize]);
        bytes
    };
    let dump = |groups: u8| {
        let mut bytes = b"\x81\xa9scheduler\x82\xa7started\xcb\x41\xd9\x55\x55\x40\x00\x00\x00\xabtask_groups\xde\x00".to_vec();
        bytes.push(groups);
        (0..groups).for_each(|number| bytes.extend(entry(number, 199_990)));
        bytes
    };
    assert!(read_bytes(&dump(3)).is_ok());
    let why = refused(&dump(45));
    assert!(why.contains("keeps of one dump"), "{why}");
}

#[test]
fn what_is_not_kept_takes_no_room() {
    // Transitions, and tasks that did not fail: of each more than may be kept.
    let entry = vec![Value::Null; 150_000];
    let many = vec![serde_json::json!(entry); 60];
    let scheduler =
        serde_json::json!({"started": 1.7e9, "transition_log": many, "events": {"stealing": many}});
    read_bytes(&dump(scheduler)).unwrap();
}

#[test]
fn a_profile_of_many_tabs_is_read_once() {
    let quads = |left: Value| {
        serde_json::json!({"type": "ColumnDataSource", "attributes": {"data": {
            "left": left, "right": [1.0, 1.0], "bottom": [0, 1], "name": ["root", "f"], "filename": ["", "f.py"]}}})
    };
    let tab = |title: &str, child: Value| serde_json::json!({"type": "Panel", "attributes": {"title": title, "child": child}});
    let page = |first: Value, second: Value| {
        let summary = serde_json::json!({"type": "Div", "attributes": {"text": SUMMARY}});
        let tasks = serde_json::json!({"type": "ColumnDataSource", "attributes": {"data": stream(3, |_| "a".into())}});
        let tabs = [
            tab("Summary", summary),
            tab("Task Stream", tasks),
            tab("compute", first),
            tab("compute 2", second),
        ];
        format!(
            "<html><script type=\"application/json\">{}</script>",
            serde_json::json!(tabs)
        )
        .into_bytes()
    };
    let good = || quads(serde_json::json!([0.0, 0.0]));
    let bad = || quads(serde_json::json!("none"));
    let (_, records) = read_bytes(&page(good(), bad())).unwrap();
    assert!(profile(&records).is_some());
    assert!(refused(&page(bad(), good())).contains("left"));
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    let mut deep = b"\x83\xa9scheduler".to_vec();
    deep.extend(vec![0x91; 100_000]);
    assert!(refused(&deep).contains("deeper"));
    let yaml = format!("scheduler:\n  x: {}\n", "[".repeat(50_000));
    refused(yaml.as_bytes());
    let yaml: String = (0..500).fold("scheduler:\n".into(), |text, depth| {
        text + &" ".repeat(depth + 1) + "a:\n"
    });
    assert!(refused(yaml.as_bytes()).contains("deeper"));
    let json = format!("{{\"shared\": {}", "[".repeat(100_000));
    refused(json.as_bytes());
    let html = format!(
        "<html><script type=\"application/json\">{}</script>",
        "[".repeat(100_000)
    );
    refused(html.as_bytes());
}

#[test]
fn no_anchor_no_tag_and_no_type_of_its_own_is_opened() {
    let laughs = "scheduler: &a\n  started: 1700000000.0\nworkers:\n  x: *a\n";
    assert!(refused(laughs.as_bytes()).contains("anchor"));
    assert!(refused(b"scheduler:\n  started: 1.7e9\nworkers: *a\n").len() > 10);
    let tagged = "scheduler:\n  started: 1700000000.0\n  x: !!python/object/apply:os.system [\"touch /canary\"]\n";
    assert!(refused(tagged.as_bytes()).contains("type"));
    // Extensions of msgpack: a pickle, a time.
    for ext in [
        &b"\xd4\x05x"[..],
        b"\xc7\x03\x05abc",
        b"\xd7\xff12345678",
        b"\xc1",
    ] {
        let bytes = [b"\x81\xa9scheduler\x81\xa1x", ext].concat();
        assert!(refused(&bytes).contains("type"), "{ext:?}");
    }
    // Plain bytes are passed over.
    let bytes = b"\x81\xa9scheduler\x82\xa7started\xcb\x41\xd9\x55\x55\x40\x00\x00\x00\xa1x\xc4\x03\x80\x04.";
    assert!(read_bytes(bytes).is_ok());
    let two = [&dump(serde_json::json!({"started": 1.7e9}))[..], b"\xc0"].concat();
    assert!(refused(&two).contains("more than one dump"));
}

fn report(columns: &Value, summary: &str) -> Vec<u8> {
    let document = serde_json::json!({"x": {"roots": [
        {"type": "object", "name": "TabPanel", "id": "p1", "attributes": {"title": "Summary", "child":
            {"type": "object", "name": "Div", "id": "p2", "attributes": {"text": summary}}}},
        {"type": "object", "name": "TabPanel", "id": "p3", "attributes": {"title": "Task Stream", "child":
            {"type": "object", "name": "ColumnDataSource", "id": "p4", "attributes": {"data": columns}}}},
    ]}});
    format!("<!DOCTYPE html>\n<script>canary()</script><script type=\"application/json\">{document}</script>").into_bytes()
}

const SUMMARY: &str =
    "&lt;h1&gt; Dask Performance Report &lt;/h1&gt; &lt;li&gt; Workers: 1 &lt;/li&gt;";

fn stream(rows: usize, name: impl Fn(usize) -> String) -> Value {
    let numbers = |from: f64| (0..rows).map(|row| from + row as f64).collect::<Vec<f64>>();
    let names: Vec<String> = (0..rows).map(name).collect();
    serde_json::json!({
        "started": numbers(1.7e12), "duration": vec![1.0; rows], "name": names, "key": names, "worker": vec!["tcp://w"; rows],
        "worker_thread": vec!["tcp://w-1"; rows], "color": vec!["black"; rows], "alpha": vec![1; rows],
    })
}

#[test]
fn a_page_is_only_searched_for_its_document() {
    let (_, records) =
        read_bytes(&report(&stream(3, |_| "../../etc/passwd".into()), SUMMARY)).unwrap();
    // A name that looks like a path is a name.
    assert_eq!(groups(&records)[0].name, "../../etc/passwd");
    assert_eq!(samples(&records).last().unwrap().totals.tasks_erred, 3);
    assert!(!serde_json::to_string(&records).unwrap().contains("canary"));

    assert!(
        refused(&report(
            &stream(3, |_| "a".into()),
            "&lt;h1&gt; Another page &lt;/h1&gt;"
        ))
        .contains("not a Dask performance report")
    );
    assert!(refused(b"<html><body>hello</body></html>").contains("not a Dask performance report"));
    let mut short = stream(3, |_| "a".into());
    short["duration"] = serde_json::json!([1.0]);
    assert!(refused(&report(&short, SUMMARY)).contains("different lengths"));
    for (column, value) in [
        ("started", serde_json::json!(["a", 1, 2])),
        ("started", serde_json::json!([1, 2, 3])),
        ("duration", serde_json::json!([-1, 1, 1])),
        ("name", serde_json::json!([{}, 1, 2])),
        (
            "started",
            serde_json::json!({"__ndarray__": "AA", "dtype": "float64"}),
        ),
    ] {
        let mut wrong = stream(3, |_| "a".into());
        wrong[column] = value;
        refused(&report(&wrong, SUMMARY));
    }
}

#[test]
fn a_million_names_are_too_many_and_their_file_is_refused_whole() {
    let many = report(&stream(100_500, |row| format!("f{row}")), SUMMARY);
    let why = refused(&many);
    assert!(why.contains("100000 task groups"), "{why}");
    let mut folded = String::new();
    for row in 0..1_000_001 {
        folded += &format!("main;f{row} 1\n");
    }
    let why = refused(folded.as_bytes());
    assert!(why.contains("1000000"), "{why}");
}

#[test]
fn nothing_is_stored_of_a_file_that_is_refused() {
    let bench = Bench::new();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.msgpack");
    let mut scheduler =
        serde_json::json!({"started": 1.7e9, "workers": {"a": {"address": "a", "nthreads": 2}}});
    // A state whose name is longer than any is found only when all of it was read.
    scheduler["task_groups"] =
        serde_json::json!({"g": {"name": "g", "states": {"s".repeat(600): 1}}});
    fs::write(&path, dump(scheduler)).unwrap();
    let why = import_file(&bench.app, &path).unwrap_err().to_string();
    assert!(why.contains("no cluster reports"), "{why}");
    assert_eq!(
        clusters(&bench.app, ClustersRequest::default())
            .unwrap()
            .total,
        0
    );
    assert_eq!(
        fs::read_dir(bench.path().join("beside")).map_or(0, Iterator::count),
        0
    );
}

#[test]
fn a_reason_never_quotes_the_file() {
    for bytes in [
        &b"{\"canary\": \"canary"[..],
        b"<html><script type=\"application/json\">{\"canary\": canary}</script>",
        b"scheduler:\n  canary: [canary\n",
        b"canary;f 1\ncanary",
    ] {
        assert!(!refused(bytes).contains("canary"), "{}", refused(bytes));
    }
}
