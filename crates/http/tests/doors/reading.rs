//! What Python reads through the receiver: a few lists, by the owner's token.

use serde_json::json;

use crate::bench::{Bench, batch, request};

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_reads_lists_and_finds_numbers_and_nothing_else() {
    let bench = Bench::start().await;
    bench.post(&batch("Scheduler-read", "one", 1)).await;
    let auth = format!("Authorization: Bearer {}", bench.token);
    let asked = async |what: &str, question: &str| {
        let path = format!("/v1/read/{what}");
        let text = request("POST", &path, &bench.host(), &[&auth], question.as_bytes());
        bench.raw(&text).await
    };
    let listed = asked("clusters", "{\"limit\": 10}").await;
    assert_eq!(
        (listed.status, &listed.json()["rows"][0]["scheduler_id"]),
        (200, &json!("Scheduler-read"))
    );
    let number = asked("number", "{\"scheduler_id\": \"Scheduler-read\"}").await;
    assert_eq!((number.status, number.json()), (200, json!({"id": 1})));
    for what in [
        "cluster",
        "computations",
        "events",
        "exceptions",
        "task_groups",
    ] {
        assert_eq!(asked(what, "{\"id\": 1}").await.status, 200, "{what}");
    }
    for (what, question, status) in [
        ("number", "{\"scheduler_id\": \"Scheduler-none\"}", 404),
        ("computations", "{\"id\": 9}", 404),
        ("clusters", "{\"limmit\": 10}", 400),
        ("clusters", "no JSON", 400),
        ("clusters", "\u{fffd}", 400),
        // Commands of the page that change something, or tell of this machine, are not among them.
        ("load_demo", "{}", 404),
        ("status", "{}", 404),
        ("sql", "{}", 404),
        ("clusters/", "{}", 404),
        ("", "{}", 404),
    ] {
        let answer = asked(what, question).await;
        assert_eq!(answer.status, status, "{what} {question}: {answer:?}");
        assert!(answer.json()["message"].is_string(), "{answer:?}");
    }
    let wrong = request("GET", "/v1/read/clusters", &bench.host(), &[&auth], b"");
    assert_eq!(bench.raw(&wrong).await.status, 405);
    // A key that was handed out writes, and reads nothing.
    let key = bench.app.new_ingest_key().unwrap();
    let auth = format!("Authorization: Bearer {}", key.expose());
    let text = request("POST", "/v1/read/clusters", &bench.host(), &[&auth], b"{}");
    let refused = bench.raw(&text).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (403, "write_only_key")
    );
}
