//! The demo beside clusters of one's own.

use serde_json::{Value, json};

use crate::api::{SAMPLES, call, call_beside};
use crate::testing::*;

fn asked(bench: &Bench, name: &str, request: &Value) -> Value {
    serde_json::from_str(&call(&bench.app, name, &request.to_string()).unwrap()).unwrap()
}

fn beside(bench: &Bench, name: &str, request: &Value) -> Value {
    let text = call_beside(&bench.app, SAMPLES, name, &request.to_string()).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_demo_counts_nothing_beside_clusters_of_ones_own_and_goes_without_a_trace() {
    let bench = Bench::new();
    let none = asked(&bench, "demo", &json!({}));
    assert_eq!(
        (&none["loaded"], &none["only"]),
        (&json!(false), &json!(false))
    );
    bench.app.load_demo().unwrap();
    assert_eq!(bench.app.load_demo().unwrap(), 0, "it is loaded once");
    let demo = asked(&bench, "demo", &json!({}));
    assert_eq!(
        (&demo["loaded"], &demo["only"]),
        (&json!(true), &json!(true))
    );
    let samples = demo["clusters"].as_u64().unwrap();

    // Where there is nothing else, the samples are summed up.
    let all = asked(&bench, "overview", &json!({}));
    assert_eq!(all["ever"]["clusters"], samples);
    assert!(all["period"]["thread_seconds"].as_f64().unwrap() > 1_000.0);

    // One of one's own, and they are out of every sum.
    bench.send(batch(1, &[facts(0), sample(1, 1.0), exception(2, "e", 1)]));
    assert_eq!(asked(&bench, "demo", &json!({}))["only"], false);
    let own = asked(&bench, "overview", &json!({}));
    assert_eq!(
        (&own["ever"]["clusters"], &own["period"]["clusters"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(own["ever"]["thread_seconds"], 2.0);
    let edges: Vec<i64> = (0..=28)
        .map(|day| at(2) - day * 86_400 * SECOND)
        .rev()
        .collect();
    let heat = asked(
        &bench,
        "heat_map",
        &json!({"edges": edges, "by": "project"}),
    );
    assert!(!heat.to_string().contains("taxi-etl"), "{heat}");
    assert_eq!(
        asked(&bench, "cost_table", &json!({}))["all"]["clusters"],
        1
    );
    assert_eq!(asked(&bench, "exception_kinds", &json!({}))["total"], 1);
    // They are listed, and known for what they are.
    let listed = asked(&bench, "clusters", &json!({"limit": 1000}));
    assert_eq!(listed["total"], samples + 1);
    let rows = listed["rows"].as_array().unwrap();
    assert_eq!(
        rows.iter().filter(|row| row["sample"] == true).count() as u64,
        samples
    );
    let own = asked(&bench, "clusters", &json!({"text": "-has:sample"}));
    assert_eq!(
        (&own["total"], &own["rows"][0]["sample"]),
        (&json!(1), &json!(false))
    );

    // By themselves they are as if there were nothing else.
    let apart = beside(&bench, "overview", &json!({}));
    assert_eq!(
        (&apart["ever"], &apart["period"]),
        (&all["ever"], &all["period"])
    );
    assert_eq!(beside(&bench, "clusters", &json!({}))["total"], samples);
    assert!(
        beside(
            &bench,
            "heat_map",
            &json!({"edges": edges, "by": "project"})
        )
        .to_string()
        .contains("taxi-etl")
    );
    assert!(
        beside(&bench, "exception_kinds", &json!({}))["total"]
            .as_u64()
            .unwrap()
            > 1
    );

    // Nothing of them is shared.
    let sample = rows.iter().find(|row| row["sample"] == true).unwrap()["id"]
        .as_i64()
        .unwrap();
    let staged = call(
        &bench.app,
        "stage_clusters",
        &json!({"ids": [sample], "destination": "a", "choice": {}}).to_string(),
    );
    assert!(staged.unwrap_err().to_string().contains("sample"));

    let gone = asked(&bench, "remove_demo", &json!({}));
    assert_eq!(
        (&gone["loaded"], &gone["clusters"]),
        (&json!(false), &json!(0))
    );
    let end = std::time::Instant::now() + std::time::Duration::from_secs(120);
    let rows_of = |sql: &'static str| -> i64 {
        bench
            .app
            .read(|db| Ok(db.query_one(sql, [], |row| row.get(0))?))
            .unwrap()
    };
    while rows_of("select count(*) from cluster") > 1 {
        assert!(std::time::Instant::now() < end, "they are still there");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(rows_of("select count(*) from sample"), 1);
    assert_eq!(
        asked(&bench, "overview", &json!({}))["ever"]["thread_seconds"],
        2.0
    );
    // It can be had again.
    assert!(bench.app.load_demo().unwrap() > 0);
}

#[test]
fn each_story_is_what_it_says() {
    let bench = Bench::new();
    bench.app.load_demo().unwrap();
    for story in asked(&bench, "demo", &json!({}))["stories"]
        .as_array()
        .unwrap()
    {
        let id = &story["cluster"];
        let verdict = asked(&bench, "verdict", &json!({"id": id}));
        assert_eq!(verdict["kind"], story["name"], "{verdict:#}");
        let findings = asked(&bench, "findings", &json!({"id": id}));
        let abouts: Vec<&str> = findings["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["evidence"]["about"].as_str().unwrap())
            .collect();
        let wanted: &[&str] = match story["name"].as_str().unwrap() {
            "healthy" => &[],
            "wasteful" => &["idle_share", "spilled_bytes", "short_tasks"],
            _ => &["erred_tasks", "lost_workers", "retried"],
        };
        for about in wanted {
            assert!(abouts.contains(about), "{about} in {findings:#}");
        }
        if wanted.is_empty() {
            assert!(abouts.is_empty(), "{findings:#}");
        }
    }
}

/// A receiver without the way there.
struct Inside(crate::api::App);

impl crate::demo::Door for Inside {
    fn post(&self, batch: &[u8]) -> crate::Result<()> {
        self.0.ingest(crate::wire::decode(batch)?).map(drop)
    }
}

#[test]
fn a_cluster_of_ones_own_is_played_once_more_as_a_sample_and_what_is_given_up_goes() {
    let bench = Bench::new();
    let mut records = vec![facts(0), computation(5, "c", Some("canary_code()"))];
    records.extend((6..60).map(|second| sample(second, second as f64)));
    records.push(stop(60));
    bench.send(batch(1, &records));
    bench
        .app
        .set_door(Some(std::sync::Arc::new(Inside(bench.app.clone()))));
    let begun = asked(&bench, "set_replay", &json!({"cluster": 1, "speed": 60}));
    let playing = &begun["playing"];
    assert_eq!(
        (&playing["recorded"], &playing["story"], &playing["failed"]),
        (&json!(1), &Value::Null, &Value::Null)
    );
    let first = playing["cluster"].as_i64().unwrap();
    let told = asked(&bench, "cluster", &json!({"id": first}));
    assert_eq!(told["row"]["sample"], true);
    let went = asked(&bench, "set_replay", &json!({"position_seconds": 60.0}));
    let second = went["playing"]["cluster"].as_i64().unwrap();
    assert_ne!(first, second);
    // What was told of it, code too.
    let computations = asked(&bench, "computations", &json!({"id": second}));
    assert!(
        computations.to_string().contains("canary_code()"),
        "{computations}"
    );
    asked(&bench, "set_replay", &json!({"end": true}));
    let listed = asked(&bench, "clusters", &json!({}));
    let ids: Vec<i64> = listed["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    assert!(ids.contains(&1) && ids.contains(&second));
    // In no sum of one's own.
    assert_eq!(asked(&bench, "overview", &json!({}))["ever"]["clusters"], 1);
    bench.app.set_door(None);
}

#[test]
fn two_who_ask_for_the_demo_at_once_have_it_once() {
    let bench = Bench::new();
    let loaded: Vec<usize> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| bench.app.load_demo().unwrap()))
            .collect();
        asking.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(loaded.iter().filter(|count| **count > 0).count(), 1);
    let demo = asked(&bench, "demo", &json!({}));
    let stories: std::collections::BTreeSet<i64> = demo["stories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|story| story["cluster"].as_i64().unwrap())
        .collect();
    assert_eq!(stories.len(), 3);
    let listed = asked(
        &bench,
        "clusters",
        &json!({"text": "Sample-healthy", "limit": 10}),
    );
    assert!(listed["total"].as_u64().unwrap() <= 1, "{listed}");
}

#[test]
fn a_replay_needs_a_receiver_and_something_to_play() {
    let bench = Bench::new();
    assert_eq!(asked(&bench, "replay", &json!({}))["playing"], Value::Null);
    for (request, told) in [
        (json!({"story": "healthy"}), "no receiver"),
        (json!({"story": "boring"}), "boring"),
        (json!({"paused": true}), "replay"),
        (json!({"cluster": 7}), "7"),
        (json!({"cluster": 7, "story": "healthy"}), "either"),
    ] {
        let refused = call(&bench.app, "set_replay", &request.to_string()).unwrap_err();
        assert!(refused.to_string().contains(told), "{refused}");
    }
    assert_eq!(
        asked(&bench, "set_replay", &json!({"end": true}))["playing"],
        Value::Null
    );
}
