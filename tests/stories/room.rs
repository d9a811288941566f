//! Room: what the doctor says where none can be made.

use std::fs;

use serde_json::json;

use crate::support::{Page, Sandbox, Server, post};

/// A batch of three and a half megabytes: they are sealed, and stay as large.
fn heavy(cluster: &str) -> Vec<u8> {
    const EVENTS: u64 = 60;
    let at = std::time::UNIX_EPOCH.elapsed().unwrap().as_micros() as i64;
    let mut body = json!({
        "kind": "header", "protocol": 1, "cluster_id": cluster, "instance_id": "i", "first_seq": 1, "records": EVENTS,
        "sent_at_micros": at, "monotonic_micros": 1, "plugin_version": "0.1.0",
    })
    .to_string();
    for number in 0..EVENTS {
        let text = "word ".repeat(11_600);
        let event = json!({
            "kind": "event", "at_micros": at, "topic": "all", "payload": {"number": number, "text": text},
        });
        body += &format!("\n{event}");
    }
    body.into_bytes()
}

#[track_caller]
fn send(server: &Server, cluster: &str) {
    let token = fs::read_to_string(server.token_file()).unwrap();
    let answer = post(server.tcp(), "/v1/batches", &token, &heavy(cluster));
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn the_doctor_says_that_pinned_clusters_take_all_room() {
    let sandbox = Sandbox::new();
    let server = Server::start_with(&sandbox, &["--ui"]);
    let page = Page::open(&server);
    for number in 1..=6 {
        send(&server, &format!("Scheduler-{number}"));
    }
    let limit = || {
        let report = sandbox.bobbin(&["doctor", "--json"]).json();
        let checks = report["checks"].as_array().unwrap();
        let limit = checks.iter().find(|check| check["name"] == "limit");
        limit.unwrap().clone()
    };
    assert_eq!(limit()["verdict"], "ok");
    let pinned = page.call(
        "mark_clusters",
        &json!({"ids": [1, 2, 3, 4, 5, 6], "pinned": true}),
    );
    assert_eq!(pinned.status, 200, "{pinned:?}");
    server.stop();
    assert_eq!(sandbox.bobbin(&["storage", "--limit", "16MiB"]).code, 0);
    let told = limit();
    assert_eq!(told["verdict"], "note", "{told}");
    assert!(
        told["found"].as_str().unwrap().contains("cannot be removed"),
        "{told}"
    );
    assert!(told["hint"].as_str().unwrap().contains("unpin"), "{told}");
}
