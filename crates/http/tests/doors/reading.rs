//! What Python reads through the receiver: a few lists, by the owner's token.

use serde_json::{Value, json};

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

#[tokio::test(flavor = "multi_thread")]
async fn texts_are_opened_for_who_asks_for_them_and_never_told_in_clear() {
    let bench = Bench::start().await;
    let text = batch("Scheduler-read", "one", 1);
    let failed = json!({
        "kind": "exception", "at_micros": 1_790_000_000_000_000_i64, "exception_id": "e1", "origin": "user",
        "exception_type": "ValueError", "message": "zqcanarymessage", "traceback": "zqcanarytraceback",
        "group_id": null, "group": null, "worker": null,
        "first_seen_micros": 1_790_000_000_000_000_i64, "last_seen_micros": 1_790_000_000_000_000_i64, "count": 1,
    });
    let text = text.replacen("\"records\":2", "\"records\":3", 1) + &failed.to_string() + "\n";
    let posted = bench.post(&text).await;
    assert_eq!(
        (posted.status, &posted.json()["refused"]),
        (200, &json!([]))
    );
    let auth = format!("Authorization: Bearer {}", bench.token);
    let asked = async |path: &str, host: &str, by_socket: bool| {
        let bytes = request("POST", path, host, &[&auth], b"{\"id\": 1}");
        match by_socket {
            true => bench.raw_socket(&bytes).await,
            false => bench.raw(&bytes).await,
        }
    };
    let message = |answer: &Value| answer["rows"][0]["message"].clone();
    let path = "/v1/read/exceptions";
    let with_text = "/v1/read/exceptions?text=true";
    for by_socket in [false, true] {
        let host = bench.host();
        let told = asked(path, if by_socket { "bobbin" } else { &host }, by_socket).await;
        assert_eq!(told.status, 200, "{told:?}");
        assert_eq!(message(&told.json()), json!({"is": "locked"}));
        assert!(!told.text().contains("zqcanary"), "{told:?}");
    }
    let opened = asked(with_text, "bobbin", true).await;
    assert_eq!(
        message(&opened.json()),
        json!({"is": "text", "text": "zqcanarymessage"})
    );
    let refused = asked(with_text, &bench.host(), false).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (403, "text_in_clear")
    );
    assert!(!refused.text().contains("zqcanary"), "{refused:?}");
    for odd in ["?text=1", "?", "?text=true&text=true", "?Text=true"] {
        let wrong = asked(&format!("{path}{odd}"), "bobbin", true).await;
        assert_eq!(
            (wrong.status, wrong.code().as_str()),
            (400, "invalid"),
            "{odd}"
        );
    }
}
