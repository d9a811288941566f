//! What panels ask, as SQL that anybody can run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::Error;
use crate::api::*;
use crate::testing::*;

fn told() -> Bench {
    let bench = Bench::new();
    bench.send(batch(
        1,
        &[
            facts(0),
            sample(1, 1.0),
            computation(5, "c1", Some("x = 1")),
            exception(6, "e1", 1),
            event(7),
            exception(8, "it's", 2),
            group(9, "g1", 1.0),
        ],
    ));
    bench.send(batch_of("Scheduler-2", "i", 1, &[facts(0), sample(2, 1.0)]));
    bench.at(20);
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

/// Each panel's command, and where its rows are in its answer.
fn panels() -> Vec<(&'static str, Value, Option<&'static str>)> {
    let one = json!({"id": 1});
    let ids = json!({"ids": [1]});
    let edges = json!({"edges": [at(-86_400), at(0), at(86_400)]});
    let period = json!({"from_micros": at(-86_400), "to_micros": at(86_400)});
    let flame = json!({"selection": ids});
    let flames = json!({"before": ids, "after": {"ids": [2]}});
    vec![
        (
            "clusters",
            json!({"text": "since:30000d -name:\"it's\""}),
            Some("rows"),
        ),
        ("cluster", one.clone(), None),
        ("cluster_answers", json!({"id": 1, "cost": true}), None),
        ("verdict", one.clone(), None),
        ("timeline", one.clone(), None),
        ("thread_use", one.clone(), None),
        ("workers", one.clone(), None),
        ("worker_series", one.clone(), None),
        ("worker_heat", one.clone(), None),
        ("task_groups", one.clone(), Some("rows")),
        ("graph", one.clone(), None),
        ("graph_group", json!({"id": 1, "group_id": "g1"}), None),
        ("computations", one.clone(), Some("rows")),
        ("baseline", one.clone(), None),
        ("compare", json!({"a": 1, "b": 2}), None),
        ("spans", one.clone(), Some("rows")),
        ("metrics", one.clone(), None),
        ("activity", one.clone(), None),
        ("exceptions", json!({"id": 1}), Some("rows")),
        ("exception_kinds", json!({}), Some("rows")),
        ("events", one.clone(), Some("rows")),
        ("event_fields", one.clone(), None),
        ("topics", one.clone(), Some("rows")),
        ("profile", one.clone(), None),
        ("cluster_cost", one.clone(), None),
        ("group_costs", one.clone(), None),
        ("findings", one.clone(), None),
        ("cluster_pruned", one, None),
        ("secrets", ids.clone(), None),
        ("line_costs", ids, None),
        ("flame_about", flame.clone(), None),
        ("flame", flame.clone(), None),
        ("flame_table", flame, None),
        ("flame_difference", flames, None),
        ("overview", period.clone(), None),
        ("heat_map", edges, None),
        ("cluster_uses", period.clone(), None),
        ("cost_table", period, None),
        ("budgets", json!({}), None),
        ("prices", json!({}), None),
        ("users", json!({}), None),
        ("view_counts", json!({}), None),
        ("storage", json!({}), None),
        ("removal_preview", json!({}), None),
        ("privacy", json!({}), None),
        ("inbox_files", json!({}), None),
        ("search", json!({"text": "value"}), None),
    ]
}

#[test]
fn what_every_panel_asks_runs_as_it_stands_and_gives_its_rows() {
    let bench = told();
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
        assert_eq!(
            ran.results.len() as u64,
            copy.statements.min(50),
            "{command}"
        );
        if let Some(rows) = rows {
            let shown = answer[rows].as_array().unwrap().len();
            let found = ran.results.iter().any(|result| result.rows.len() == shown);
            assert!(found, "{command}: {shown} rows\n{}", copy.sql);
        }
    }
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

/// The commands that the page keeps asking: `ask('NAME', …)`.
fn asked() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            for call in text.split("ask(").skip(1) {
                if let Some(quoted) = call.trim_start().strip_prefix('\'')
                    && let Some(name) = quoted.split('\'').next()
                    && COMMANDS.contains(&name)
                {
                    found.insert(name.to_owned());
                }
            }
        }
    }
    found
}

#[test]
fn every_panel_of_the_page_is_one_of_these() {
    let asked = asked();
    assert!(asked.len() > 40, "{asked:?}");
    let known: BTreeSet<&str> = panels()
        .iter()
        .map(|(command, ..)| *command)
        .chain(NO_PANELS)
        .collect();
    let missing: Vec<&String> = asked
        .iter()
        .filter(|name| !known.contains(name.as_str()))
        .collect();
    assert_eq!(missing, Vec::<&String>::new());
    let gone: Vec<&str> = NO_PANELS
        .into_iter()
        .filter(|name| !asked.contains(*name))
        .collect();
    assert_eq!(gone, Vec::<&str>::new());
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
