//! Tables and profiles as files: all rows, by the page's own answers, and a row of the ledger.

use std::io::Write as _;

use super::*;
use crate::api::save::sample_rows;
use crate::install::put_new;
use crate::ledger::{Kind, Ledger};
use crate::query::Values;

fn asked(command: &str, request: Value, list: &str) -> TableRequest {
    TableRequest {
        command: command.into(),
        request,
        list: list.into(),
        name: String::new(),
    }
}

fn texts(part: &Part, column: &str) -> Vec<Option<String>> {
    match part.table.column(column) {
        Some(Values::Text(texts)) => texts.clone(),
        other => panic!("{column}: {other:?}"),
    }
}

#[test]
fn a_table_is_read_page_by_page_to_its_end() {
    let bench = Bench::new();
    let mut records = vec![facts(0)];
    records.extend((0..1500).map(|at| computation(2, &format!("c{at:04}"), None)));
    bench.send(batch(1, &records));
    let part = table_of(
        &bench.app,
        &asked("computations", json!({"id": 1, "limit": 7}), ""),
    )
    .unwrap();
    assert_eq!(
        (part.table.rows(), part.total, part.truncated),
        (1500, Some(1500), false)
    );
    let mut ids = texts(&part, "computation_id");
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 1500);
    assert!(matches!(
        part.table.column("start_at"),
        Some(Values::Moment(_))
    ));
}

#[test]
fn what_a_list_leaves_out_is_said() {
    let bench = Bench::new();
    let mut records = vec![facts(0)];
    records.extend((0..2100).map(|at| group(2, &format!("g{at}"), 1.0)));
    bench.send(batch(1, &records));
    let part = table_of(&bench.app, &asked("task_groups", json!({"id": 1}), "")).unwrap();
    assert_eq!(
        (part.table.rows(), part.total, part.truncated),
        (2000, Some(2100), true)
    );
    let document: Value =
        serde_json::from_slice(&table_document(&bench.app, &part).unwrap()).unwrap();
    assert_eq!(document["rows_total"], 2100);
    assert_eq!(document["truncated"], true);
    // The plain table has them all.
    let plain = named_table(&bench.app, "task_groups", Some("1")).unwrap();
    assert_eq!((plain.table.rows(), plain.truncated), (2100, false));
}

#[test]
fn a_table_of_samples_has_each_of_them_as_it_was_told() {
    let bench = Bench::new();
    // More than a chart ever has points.
    let samples: Vec<Value> = (0..4_001)
        .map(|second| {
            with(
                sample(second, 1.0),
                json!({"memory_used_bytes": if second % 2 == 0 { 900 } else { 100 }}),
            )
        })
        .collect();
    bench.at(4_001).send(batch(1, &[facts(0)]));
    bench.send(batch(2, &samples));
    let part = named_table(&bench.app, "timeline", Some("1")).unwrap();
    assert_eq!(
        (part.table.rows(), part.total, part.truncated),
        (4_001, Some(4_001), false)
    );
    let Some(Values::Whole(used)) = part.table.column("memory_used_bytes") else {
        panic!("{:?}", part.table.column("memory_used_bytes"));
    };
    assert_eq!(used[..3], [Some(900), Some(100), Some(900)]);
    // As the page asks, for a part of the time.
    let window = json!({"id": 1, "from_micros": at(10), "to_micros": at(20)});
    let part = table_of(&bench.app, &asked("timeline", window, "")).unwrap();
    assert_eq!((part.table.rows(), part.total), (10, Some(10)));
    let cut = sample_rows(&bench.app, &json!({"id": 1}), "timeline", 4_000).unwrap();
    assert_eq!(
        (cut.table.rows(), cut.total, cut.truncated),
        (4_000, Some(4_001), true)
    );
}

#[test]
fn the_ledger_and_lists_of_the_settings_are_tables_too() {
    let bench = Bench::new();
    let odd = json!([{"package": "numpy", "where": "worker", "version": "2.0", "count": 3}]);
    bench.send(batch(
        1,
        &[with(facts(0), json!({ "mismatches": odd })), sample(1, 1.0)],
    ));
    let table = |command: &str, request: Value, list: &str| {
        table_of(&bench.app, &asked(command, request, list)).unwrap()
    };
    let users = table("users", json!({}), "");
    assert_eq!(texts(&users, "user"), [Some("ada".to_owned())]);
    let versions = table("cluster", json!({"id": 1}), "facts.mismatches");
    assert_eq!(texts(&versions, "package"), [Some("numpy".to_owned())]);
    assert_eq!(table("inbox_files", json!({}), "files").table.rows(), 0);
    // One record is one row.
    let cost = table("cluster", json!({"id": 1}), "facts.plugin_cost");
    assert_eq!(
        cost.table.column("beat_micros"),
        Some(&Values::Whole(vec![Some(300)]))
    );
    assert_eq!(cost.total, Some(1));
    for _ in 0..3 {
        let made = Made::of(&users, "csv", "text/csv", Vec::new());
        note_saved(&bench.app, &made, None).unwrap();
    }
    let ledger = table("ledger", json!({}), "");
    assert_eq!(
        (ledger.table.rows(), ledger.total, ledger.truncated),
        (3, Some(3), false)
    );
    assert!(matches!(ledger.table.column("at"), Some(Values::Moment(_))));
}

#[test]
fn charts_and_heat_maps_of_a_cluster_are_tables_of_their_cells() {
    let bench = Bench::new();
    let each = |second: i64, workers: Value| {
        let totals = json!({"compute": 2 * second, "transfer": 0, "thread_seconds": 4 * second});
        let more = json!({"workers_each": workers, "totals": totals});
        with(sample(second, 1.0), more)
    };
    let line = |id: &str, cpu: f64| json!([id, cpu, null, null, null, 1, null]);
    bench.at(20).send(batch(
        1,
        &[
            facts(0),
            with(
                group(10, "a", 20.0),
                json!({"prefix": "load", "start_micros": at(0), "stop_micros": at(10)}),
            ),
            each(10, json!([line("w1", 10.0)])),
            each(20, json!([line("w1", 20.0), line("w2", 90.0)])),
        ],
    ));
    let table =
        |command: &str, request: Value| table_of(&bench.app, &asked(command, request, "")).unwrap();
    let threads = table("thread_use", json!({"id": 1, "bins": 2}));
    let activities = texts(&threads, "activity");
    let count = |name: &str| {
        let named = activities.iter().flatten().filter(|one| *one == name);
        named.count()
    };
    assert_eq!((count("idle"), count("transfer")), (2, 2));
    assert_eq!(texts(&threads, "prefix")[0].as_deref(), Some("load"));
    let ends = [at(10), at(20)].map(Some).repeat(activities.len() / 2);
    assert_eq!(threads.table.column("to_at"), Some(&Values::Moment(ends)));

    let heat = table("worker_heat", json!({"id": 1, "bins": 2, "rows": 1}));
    assert_eq!(
        texts(&heat, "worker_id"),
        [Some("w2".into()), Some("w2".into()), None, None]
    );
    assert_eq!(texts(&heat, "worker")[2].as_deref(), Some("1 other"));
    assert!(heat.truncated, "others share a row");

    // Every sample, whatever a chart has room for.
    let samples = table("worker_series", json!({"id": 1, "points": 1}));
    assert_eq!(
        samples.table.column("cpu_percent"),
        Some(&Values::Real(vec![Some(10.0), Some(20.0), Some(90.0)]))
    );
    assert_eq!((samples.total, samples.truncated), (Some(3), false));
}

#[test]
fn of_many_workers_a_table_has_what_their_samples_tell() {
    let bench = Bench::new();
    let spread = json!({"workers_bands": {"cpu_percent": [1, 2, 3, 4, 5]}});
    bench.send(batch(1, &[facts(0), with(sample(10, 1.0), spread)]));
    let request = asked("worker_series", json!({"id": 1}), "");
    let part = table_of(&bench.app, &request).unwrap();
    assert_eq!(
        part.table.column("upper_quartile"),
        Some(&Values::Real(vec![Some(4.0)]))
    );
    assert_eq!(part.total, Some(1));
}

#[test]
fn fields_of_events_that_are_left_out_are_said_and_events_are_not_counted_as_fields() {
    let bench = Bench::new();
    // One more than the charts of the page.
    let fields: serde_json::Map<String, Value> =
        (0..13).map(|at| (format!("n{at}"), json!(at))).collect();
    let numbers = with(event(2), json!({ "payload": fields }));
    bench.send(batch(1, &[facts(0), numbers, event(3), event(4)]));
    let table = |list: &str| {
        let request = asked("event_fields", json!({"id": 1}), list);
        let part = table_of(&bench.app, &request).unwrap();
        (part.table.rows(), part.total, part.truncated)
    };
    assert_eq!(table("numbers"), (12, None, true));
    assert_eq!(table("words"), (1, Some(1), false));
}

#[test]
fn only_what_answers_with_tables_is_asked_for_one() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0), sample(1, 1.0)]));
    let app = &bench.app;
    for command in ["delete_clusters", "recovery_key", "stage_bytes", "nonsense"] {
        let refused = table_of(app, &asked(command, json!({"ids": [1]}), "")).unwrap_err();
        assert_eq!(refused.code(), Code::Invalid, "{command}");
    }
    assert!(table_of(app, &asked("cluster", json!({"id": 1}), "row.name")).is_err());
    assert!(named_table(app, "workers", None).is_err());
    let timeline = table_of(app, &asked("timeline", json!({"id": 1}), ".")).unwrap();
    assert_eq!(timeline.table.rows(), 1);
    for name in TABLES {
        assert!(named_table(app, name, Some("1")).is_ok(), "{name}");
    }
}

#[test]
fn the_row_of_a_saved_file_has_the_level_that_tells_it_and_the_policy_in_force() {
    let bench = Bench::new();
    let records = [
        facts(0),
        sample(1, 1.0),
        computation(2, "c", Some("canary-code")),
        exception(3, "e", 1),
        event(4),
        with(event(5), json!({"payload": {"loss": 0.5}})),
    ];
    bench.send(batch(1, &records));
    fs::write(bench.path().join("bobbin-policy.toml"), "team = 'data'").unwrap();
    let saved = |command: &str, list: &str| {
        let part = table_of(&bench.app, &asked(command, json!({"id": 1}), list)).unwrap();
        let made = Made::of(&part, "csv", "text/csv", csv(&part.table).into_bytes());
        note_saved(&bench.app, &made, None).unwrap();
        let row = Ledger::of(bench.path()).rows().unwrap().pop().unwrap();
        assert_eq!(row.entry.policy.unwrap().team.as_deref(), Some("data"));
        row.entry.level.unwrap()
    };
    let all = [
        ("timeline", "."),
        ("workers", ""),
        ("topics", ""),
        ("exceptions", ""),
        ("computations", ""),
        ("events", ""),
        ("event_fields", "words"),
        ("event_fields", "numbers"),
    ];
    let levels = all.map(|(command, list)| saved(command, list));
    assert_eq!(
        levels.each_ref().map(String::as_str),
        [
            "metrics",
            "metrics",
            "names",
            "errors",
            "everything",
            "everything",
            "everything",
            "everything"
        ]
    );
    // What cannot be opened is not in the file.
    call(&bench.app, "lock_key", "{}").unwrap();
    assert_eq!(saved("exceptions", ""), "names");
    // One that cannot be read binds no file of one's own.
    fs::write(bench.path().join("bobbin-policy.toml"), "team = 7").unwrap();
    let made = Made::whole("picture", "svg", "image/svg+xml", Vec::new());
    assert!(note_saved(&bench.app, &made, None).is_ok());
}

#[test]
fn locked_code_is_locked_in_a_file_too() {
    let bench = Bench::new();
    bench.send(batch(
        1,
        &[facts(0), computation(2, "c", Some("canary-code"))],
    ));
    let request = asked("computations", json!({"id": 1}), "");
    let open = table_of(&bench.app, &request).unwrap();
    assert!(csv(&open.table).contains("canary-code"));
    call(&bench.app, "lock_key", "{}").unwrap();
    let locked = table_of(&bench.app, &request).unwrap();
    assert!(!csv(&locked.table).contains("canary-code"));
    assert_eq!(texts(&locked, "code_is"), [Some("locked".into())]);
}

#[test]
fn a_file_has_a_row_of_the_ledger_and_is_written_over_none() {
    let bench = Bench::new();
    let facts = with(facts(0), json!({"switches": {"profile": true}}));
    bench.send(batch(1, &[facts, sampled(20, Some("inc"))]));
    let request = ProfileOutRequest {
        flame: FlameRequest {
            selection: ProfileSelection {
                ids: vec![1],
                ..ProfileSelection::default()
            },
            ..FlameRequest::default()
        },
        format: ProfileFormat::Folded,
    };
    let made = profile_out(&bench.app, &request).unwrap();
    assert!(made.name.ends_with(".folded.txt") && !made.bytes.is_empty());
    let path = bench.path().join(&made.name);
    let saved = write_made(&bench.app, &made, &path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), made.bytes);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let rows = Ledger::of(bench.path()).rows().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].entry.kind, Kind::Export);
    assert_eq!(rows[0].entry.sha256.as_ref(), Some(&saved.sha256));
    assert_eq!(rows[0].entry.level.as_deref(), Some("names"));
    assert_eq!(rows[0].entry.policy, None);
    let again = write_made(&bench.app, &made, &path).unwrap_err();
    assert_eq!(again.code(), Code::Refused);
    assert_eq!(Ledger::of(bench.path()).rows().unwrap().len(), 1);
    // Without its row there is no file.
    fs::write(bench.path().join("ledger.ndjson"), "broken\n").unwrap();
    let other = bench.path().join("other.txt");
    assert!(write_made(&bench.app, &made, &other).is_err());
    assert!(!other.exists());
    // Nor one that is there under another name.
    let left = fs::read_dir(bench.path()).unwrap();
    let left =
        left.filter(|entry| entry.as_ref().unwrap().path().extension() == Some("new".as_ref()));
    assert_eq!(left.count(), 0);
}

#[test]
fn a_file_has_its_name_when_all_of_it_is_there_and_its_row_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.csv");
    let names = || {
        let entries = fs::read_dir(dir.path()).unwrap();
        entries.map(|entry| entry.unwrap()).collect::<Vec<_>>()
    };
    let noted = || {
        let there = names();
        assert!(!path.exists() && there.len() == 1);
        let beside = there[0].metadata().unwrap();
        assert_eq!((beside.len(), beside.mode() & 0o777), (4, 0o600));
        Ok(())
    };
    put_new(&path, |file| file.write_all(b"rows"), noted).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"rows");
    assert_eq!(names().len(), 1);
    // Somebody else took the name while ours was written.
    let taken = dir.path().join("taken.csv");
    let taking = || {
        fs::write(&taken, "theirs").unwrap();
        Ok(())
    };
    let answer = put_new(&taken, |file| file.write_all(b"ours"), taking);
    assert_eq!(answer.unwrap_err().code(), Code::Refused);
    assert_eq!(fs::read(&taken).unwrap(), b"theirs");
    assert_eq!(names().len(), 2);
}

#[test]
fn the_chain_of_the_ledger_is_saved_as_it_stands_in_its_file() {
    let bench = Bench::new();
    let none = chain_out(&bench.app).unwrap();
    assert_eq!((&*none.name, none.bytes.len()), ("bobbin-ledger.ndjson", 0));
    note_saved(&bench.app, &none, None).unwrap();
    let file = bench.path().join("ledger.ndjson");
    let there = fs::read(&file).unwrap();
    let chain = chain_out(&bench.app).unwrap();
    assert_eq!(chain.bytes, there);
    // That it was saved is the next row, and one that does not hold together is saved to be looked at.
    note_saved(&bench.app, &chain, None).unwrap();
    assert_eq!(Ledger::of(bench.path()).rows().unwrap().len(), 2);
    fs::write(&file, "broken\n").unwrap();
    assert_eq!(chain_out(&bench.app).unwrap().bytes, b"broken\n");
}

#[test]
fn a_name_from_a_cluster_is_no_path() {
    let made = Made::whole(
        "profile of ../../etc/\u{202e}x",
        "svg",
        "image/svg+xml",
        Vec::new(),
    );
    assert_eq!(made.name, "profile-of-..-..-etc--x.svg");
    let none = Made::whole("东京", "csv", "text/csv", Vec::new());
    assert_eq!(none.name, "bobbin.csv");
}
