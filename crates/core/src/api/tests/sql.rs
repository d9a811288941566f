//! What panels ask, as SQL that anybody can run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::Error;
use crate::api::*;
use crate::testing::*;

/// Two clusters with something for each panel, a kept view and a budget.
fn told() -> Bench {
    let bench = Bench::new();
    let facts = with(
        facts(0),
        json!({"switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]}}),
    );
    let code = "TOKEN = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'";
    bench.send(batch(
        1,
        &[
            facts.clone(),
            worker(1, "w1", "joined"),
            worker(1, "w2", "joined"),
            sample(1, 1.0),
            sample(3, 2.0),
            span(3, "s1", &["g1"]),
            metric(4, Some("s1"), "disk-read", 1.5),
            computation(5, "c1", Some(code)),
            exception(6, "e1", 1),
            event(7),
            exception(8, "it's", 2),
            group(9, "g1", 1.0),
            group(9, "g2", 0.5),
            sampled(20, Some("inc")),
        ],
    ));
    let records = [facts, sample(2, 1.0), sampled(20, Some("inc"))];
    bench.send(batch_of("Scheduler-2", "i", 1, &records));
    bench.at(20);
    let view = json!({
        "name": "short", "filter": "st name:ory", "order": "started", "direction": "descending", "columns": [],
    });
    let budget = json!({
        "id": null, "covers": {"is": "everything"}, "amount_nanos": 5_000_000_000_i64, "time_zone": "",
    });
    for (command, request) in [("save_view", view), ("set_budget", budget)] {
        call(&bench.app, command, &request.to_string()).unwrap();
    }
    bench
}

fn copied(app: &App, command: &str, request: &Value) -> CopiedSql {
    copy_sql(
        app,
        CopySqlRequest {
            command: command.into(),
            request: request.to_string(),
        },
    )
    .unwrap_or_else(|error| panic!("{command}: {error}"))
}

fn run(app: &App, text: &str) -> SqlAnswer {
    sql(
        app,
        SqlRequest {
            sql: text.into(),
            ..SqlRequest::default()
        },
    )
    .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Rows of an answer: where they are, what each is known by there, and the column of the copy that says the same.
type Rows = (&'static str, &'static str, &'static str);

const BY_ID: Option<Rows> = Some(("/rows", "/id", "id"));

/// Each panel's command, and the rows of its answer. Of some, Bobbin itself makes what is shown out of what the copy
/// gives.
fn panels() -> Vec<(&'static str, Value, Option<Rows>)> {
    let one = json!({"id": 1});
    let ids = json!({"ids": [1]});
    let edges = json!({"edges": [at(-86_400), at(0), at(86_400)]});
    let period = json!({"from_micros": at(-86_400), "to_micros": at(86_400)});
    let since = json!({"since_micros": at(-86_400), "after_id": 0, "key_name": null});
    let flame = json!({"selection": ids});
    let flames = json!({"before": ids, "after": {"ids": [2]}});
    let rows = |known_by, column| Some(("/rows", known_by, column));
    vec![
        (
            "clusters",
            json!({"text": "since:30000d -name:\"it's\""}),
            BY_ID,
        ),
        ("clusters", json!({"text": "st or name:nobody"}), BY_ID),
        ("cluster", one.clone(), Some(("", "/row/id", "id"))),
        ("cluster_answers", json!({"id": 1, "cost": true}), None),
        ("verdict", one.clone(), None),
        ("verdicts", ids.clone(), BY_ID),
        (
            "timeline",
            one.clone(),
            Some(("/at_micros", "", "at_micros")),
        ),
        ("thread_use", one.clone(), None),
        ("workers", one.clone(), rows("/worker_id", "worker_id")),
        ("worker_series", one.clone(), None),
        ("worker_heat", one.clone(), None),
        ("task_groups", one.clone(), rows("/group_id", "group_id")),
        ("graph", one.clone(), None),
        ("graph_group", json!({"id": 1, "group_id": "g1"}), None),
        (
            "computations",
            one.clone(),
            rows("/computation_id", "computation_id"),
        ),
        ("baseline", one.clone(), None),
        ("compare", json!({"a": 1, "b": 2}), None),
        ("spans", one.clone(), rows("/span_id", "span_id")),
        ("metrics", one.clone(), rows("/value", "value")),
        ("activity", one.clone(), None),
        (
            "exceptions",
            one.clone(),
            rows("/exception_id", "exception_id"),
        ),
        (
            "exception_kinds",
            json!({}),
            rows("/fingerprint", "fingerprint"),
        ),
        ("events", one.clone(), rows("/at_micros", "at_micros")),
        ("event_fields", one.clone(), None),
        ("topics", one.clone(), rows("/topic", "topic")),
        ("profile", one.clone(), None),
        ("cluster_cost", one.clone(), None),
        ("group_costs", one.clone(), None),
        ("findings", one.clone(), None),
        ("cluster_pruned", one, None),
        (
            "secrets",
            ids.clone(),
            Some(("/clusters", "/cluster_id", "cluster_id")),
        ),
        ("line_costs", ids.clone(), None),
        (
            "flame_about",
            flame.clone(),
            Some(("/clusters", "/id", "id")),
        ),
        ("flame", flame.clone(), None),
        ("flame_table", flame, None),
        ("flame_difference", flames, None),
        ("overview", period.clone(), Some(("/live", "/id", "id"))),
        ("heat_map", edges, None),
        ("cluster_uses", period.clone(), rows("/cluster/id", "id")),
        ("cost_table", period, None),
        ("budgets", json!({}), BY_ID),
        ("prices", json!({}), Some(("/prices", "/id", "price_id"))),
        ("users", json!({}), rows("/user", "user")),
        ("view_counts", json!({}), rows("/clusters", "sum(count)")),
        ("storage", json!({}), None),
        ("removal_preview", json!({}), None),
        ("removal_preview", ids, BY_ID),
        ("privacy", json!({}), None),
        ("inbox_files", json!({}), None),
        (
            "search",
            json!({"text": "value"}),
            Some(("/groups/0/hits", "/cluster_id", "id")),
        ),
        ("search", json!({"text": "canary", "sealed": true}), None),
        ("reception", since, Some(("/clusters", "/id", "id"))),
    ]
}

/// What the rows of an answer are known by, in their order. What several rows beside each other have stands there once.
fn shown(answer: &Value, (place, known_by, _): Rows) -> Vec<Value> {
    let found = answer.pointer(place).unwrap();
    let rows = match found {
        Value::Array(rows) => rows.iter().collect(),
        one => vec![one],
    };
    let known = rows.into_iter().map(|row| row.pointer(known_by).unwrap());
    let mut known: Vec<Value> = known.cloned().collect();
    known.dedup();
    known
}

#[test]
fn what_every_panel_asks_runs_as_it_stands_in_any_sqlite_and_gives_its_rows() {
    let bench = told();
    let db = raw(bench.path());
    for (command, request, rows) in panels() {
        let Ok(answer) = call(&bench.app, command, &request.to_string()) else {
            panic!(
                "{command} cannot be asked with {request}: {:?}",
                call(&bench.app, command, &request.to_string())
            );
        };
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let copy = copied(&bench.app, command, &request);
        assert!(copy.statements > 0, "{command}");
        let ran = run(&bench.app, &copy.sql);
        assert_eq!(ran.results.len() as u64, copy.statements, "{command}");
        let elsewhere = run_raw(&db, &copy.sql);
        assert_eq!(elsewhere.len(), ran.results.len(), "{command}");
        if let Some(rows) = rows {
            let shown = shown(&answer, rows);
            assert!(!shown.is_empty(), "{command}: {answer}");
            let found = elsewhere.iter().any(|one| {
                let column = one.column(rows.2);
                column.is_some_and(|mut column| {
                    column.dedup();
                    column == shown
                })
            });
            assert!(found, "{command}: {shown:?}\n{}", copy.sql);
        }
    }
}

#[test]
fn short_words_and_names_are_found_without_the_function_that_only_bobbin_has() {
    let bench = Bench::new();
    let names = ["It's 100% ČAJ", "it_s čaj", "SET", "a b"];
    for (number, name) in names.into_iter().enumerate() {
        let named = with(facts(0), json!({"name": name}));
        bench.send(batch_of(&format!("Scheduler-{number}"), "i", 1, &[named]));
    }
    let db = raw(bench.path());
    let all = clusters(&bench.app, ClustersRequest::default()).unwrap();
    let mut found_of_all = BTreeSet::new();
    for text in [
        "t",
        "IT",
        "č",
        "Č",
        "%",
        "_",
        "'",
        "name:it's",
        "name:IT_S",
        "name:č",
        "name:\"100% č\"",
        "-č",
        "-name:et -zz",
        "ČA or name:B",
        "name:e workers<5",
        "se state:running -name:it",
    ] {
        let request = ClustersRequest {
            text: Some(text.into()),
            ..ClustersRequest::default()
        };
        let list = clusters(&bench.app, request).unwrap();
        let wanted: BTreeSet<i64> = list.rows.iter().map(|row| row.id).collect();
        let copy = copied(&bench.app, "clusters", &json!({"text": text}));
        let ran = run_raw(&db, &copy.sql);
        // What was found there is put in order by the statements behind it.
        let finding = ran.iter().rfind(|one| {
            // Two letters are pieces of texts in their index.
            one.sql.contains("instr(") || one.sql.contains("cluster_text_term")
        });
        let finding = finding.unwrap_or_else(|| panic!("{text}\n{}", copy.sql));
        let ids = finding.rows.iter().map(|row| row[0].as_i64().unwrap());
        let found: BTreeSet<i64> = ids.collect();
        assert_eq!(found, wanted, "{text}\n{}", copy.sql);
        found_of_all.extend(wanted);
    }
    assert_eq!(found_of_all.len() as u64, all.total);
}

#[test]
fn who_came_with_a_key_is_in_the_copy_as_well() {
    let bench = told();
    let digest = [7; 32];
    bench.app.note_sender(&digest, "Scheduler-2");
    let request = json!({"since_micros": 0, "after_id": 0, "key_name": "0707070707070707"});
    let answer = call(&bench.app, "reception", &request.to_string()).unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["clusters"][0]["id"], 2, "{answer}");
    let copy = copied(&bench.app, "reception", &request);
    let ran = run_raw(&raw(bench.path()), &copy.sql);
    let wanted = Some(vec![json!(2)]);
    let found = ran.iter().any(|one| one.column("id") == wanted);
    assert!(found, "{}", copy.sql);
}

/// What the page keeps asking that is nothing of clusters.
const NO_PANELS: [&str; 15] = [
    "close_order",
    "connection",
    "demo",
    "desktop",
    "idle_kept",
    "keys",
    "ledger",
    "receiver_settings",
    "replay",
    "sends",
    "sharing_rules",
    "sql_tables",
    "stages",
    "this_build",
    "views",
];

/// What the page calls that is no panel either: it does something, reads files, or helps while somebody writes or
/// points.
const NO_QUESTIONS: &[&str] = &[
    "approve_stage",
    "bundle_contents",
    "cancel_sql",
    "check_release",
    "close_bundle",
    "close_cluster",
    "complete_filter",
    "copy_sql",
    "decide_stage",
    "decline_recovery_key",
    "delete_clusters",
    "delete_view",
    "discard_stage",
    "doctor",
    "flame_line",
    "forget_code",
    "import_bundle",
    "import_views",
    "keep_idle",
    "lens",
    "load_demo",
    "lock_key",
    "mark_clusters",
    "merge_users",
    "move_key",
    "new_key",
    "open_bundle",
    "own_words",
    "pause_sends",
    "recovery_key",
    "remember_code",
    "remote_lines",
    "remove_budget",
    "remove_demo",
    "remove_price",
    "replace_token",
    "report",
    "reset_window",
    "restore_key",
    "revoke_keys",
    "rotate_key",
    "save_stage",
    "save_view",
    "send",
    "set_budget",
    "set_connection",
    "set_currency",
    "set_desktop",
    "set_inbox",
    "set_interface",
    "set_port",
    "set_price",
    "set_replay",
    "set_retention",
    "set_sharing",
    "show_token",
    "split_user",
    "sql",
    "stage",
    "stage_bytes",
    "stage_clusters",
    "stage_findings",
    "stage_items",
    "stage_text",
    "stage_whole",
    "status",
    "trust_clock",
    "undo_delete",
    "unlock_key",
];

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src")
}

/// The commands that stand in quotes behind some words of the page, without its tests: `ask('NAME', …)`.
fn behind(words: &str) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut folders = vec![page()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.to_string_lossy().ends_with(".test.ts") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            for call in text.split(words).skip(1) {
                let quoted = call.trim_start().strip_prefix('\'');
                let name = quoted.and_then(|quoted| quoted.split('\'').next());
                found.extend(COMMANDS.iter().find(|command| Some(**command) == name));
            }
        }
    }
    found
}

#[test]
fn every_panel_of_the_page_is_one_of_these_and_tells_what_it_asks() {
    let (asked, called) = (behind("ask("), behind("client.call("));
    assert!(
        asked.len() > 40 && called.len() > 60,
        "{asked:?} {called:?}"
    );
    let page = &asked | &called;
    let panels: BTreeSet<&str> = panels().iter().map(|(command, ..)| *command).collect();
    let others: BTreeSet<&str> = NO_PANELS.iter().chain(NO_QUESTIONS).copied().collect();
    let known = &panels | &others;
    assert_eq!(&page - &known, BTreeSet::new(), "neither a panel nor none");
    assert_eq!(&others - &page, BTreeSet::new(), "gone from the page");
    assert_eq!(&panels & &others, BTreeSet::new(), "both");
    // What a panel calls by itself it puts among the page's questions, where it is copied from.
    let told = &asked | &behind("command:");
    let untold = &(&called & &panels) - &told;
    assert_eq!(untold, BTreeSet::new());
}

#[test]
fn the_page_leaves_out_what_is_nothing_of_clusters() {
    let text = fs::read_to_string(page().join("state/questions.svelte.ts")).unwrap();
    let (_, list) = text.split_once("aside: readonly Command[] = [").unwrap();
    let (list, _) = list.split_once(']').unwrap();
    let left_out: BTreeSet<&str> = list.split('\'').skip(1).step_by(2).collect();
    assert_eq!(left_out, BTreeSet::from(NO_PANELS));
}

#[test]
fn values_are_written_into_the_copy_so_that_they_stay_values() {
    let bench = told();
    let hostile = "x' or 1=1 --\u{202e}; drop table cluster";
    let request = json!({"user": hostile});
    let copy = copied(&bench.app, "clusters", &request);
    assert!(copy.sql.contains("'x'' or 1=1 --"), "{}", copy.sql);
    let ran = run(&bench.app, &copy.sql);
    assert_eq!(ran.results.len() as u64, copy.statements);
    let told = |answer: &SqlAnswer| {
        let mut values = answer
            .results
            .iter()
            .flat_map(|result| result.rows.iter().flatten());
        values.any(|value| *value == SqlValue::Text("Scheduler-1".into()))
    };
    assert!(!told(&ran), "{}", copy.sql);
    // The first value of a list is the first value of its copy.
    let list = clusters(&bench.app, ClustersRequest::default()).unwrap();
    let copy = copied(&bench.app, "clusters", &json!({}));
    let ran = run(&bench.app, &copy.sql);
    assert!(told(&ran), "{}", copy.sql);
    let first = ran
        .results
        .iter()
        .find(|result| result.rows.len() == list.rows.len());
    assert!(
        first.is_some_and(|result| result.rows[0].contains(&SqlValue::Integer(list.rows[0].id)))
    );
}

#[test]
fn statements_that_are_left_out_are_not_counted() {
    let bench = told();
    let request = CopySqlRequest {
        command: "cluster".into(),
        request: json!({"id": 1}).to_string(),
    };
    let whole = copy_sql(&bench.app, request.clone()).unwrap();
    let short = copy_sql_within(&bench.app, request, whole.sql.len()).unwrap();
    assert!(!whole.truncated && short.truncated);
    assert_eq!(short.statements, whole.statements - 1);
    let ran = run(&bench.app, &short.sql);
    assert_eq!(ran.results.len() as u64, short.statements);
}

#[test]
fn a_copy_writes_nothing_and_of_sql_there_is_none() {
    let bench = told();
    for (command, request) in [
        ("mark_clusters", json!({"ids": [1], "pinned": true})),
        ("set_currency", json!({"currency": "EUR"})),
        ("sql", json!({"sql": "select 1"})),
        ("copy_sql", json!({})),
    ] {
        let refused = copy_sql(
            &bench.app,
            CopySqlRequest {
                command: command.into(),
                request: request.to_string(),
            },
        );
        assert!(
            matches!(refused, Err(Error::Refused(_))),
            "{command}: {refused:?}"
        );
    }
    assert!(matches!(
        copy_sql(
            &bench.app,
            CopySqlRequest {
                command: "nonsense".into(),
                request: String::new()
            }
        ),
        Err(Error::UnknownCommand(_))
    ));
}

#[test]
fn a_question_is_cancelled_by_its_name() {
    let bench = told();
    let none = SqlCancelRequest {
        question: "q".into(),
    };
    assert!(!cancel_sql(&bench.app, none.clone()).unwrap().running);
    let app = bench.app.clone();
    let asking = std::thread::spawn(move || {
        sql(
            &app,
            SqlRequest {
                sql: "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n".into(),
                seconds: 60,
                question: Some("q".into()),
                ..SqlRequest::default()
            },
        )
    });
    while !cancel_sql(&bench.app, none.clone()).unwrap().running {
        std::thread::yield_now();
    }
    let error = asking.join().unwrap().unwrap_err().to_string();
    assert!(error.contains("canceled"), "{error}");
    assert!(!cancel_sql(&bench.app, none).unwrap().running);
}
