//! The routes of the published client, as its versions of several years and its old terminal view need them.

use serde_json::{Value, json};

use crate::bench::{Bench, batch, request};

#[tokio::test(flavor = "multi_thread")]
async fn the_handshakes_of_all_generations() {
    let bench = Bench::start().await;
    let me = bench.get("/api/v2/user/me").await.json();
    assert_eq!(me["username"], "local");
    let memberships = bench.get("/api/v2/user/me/memberships").await.json();
    assert_eq!(memberships[0]["account"]["slug"], "local");
    assert_eq!(
        (
            &memberships[0]["is_admin"],
            &memberships[0]["is_default_account"]
        ),
        (&json!(true), &json!(true))
    );
    let first = bench.get("/api/v1/users/me/").await.json();
    assert_eq!(
        (&first["username"], &first["membership_set"][0]["is_admin"]),
        (&json!("local"), &json!(true))
    );
    let usage = bench.get("/api/v2/user/account/any/usage").await.json();
    assert_eq!(usage["has_quota"], true);
    // An address that ends in a slash doubles the next one.
    assert_eq!(bench.get("//api/v2/user/me").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_is_json_and_none_starts_a_login_or_a_retry() {
    let bench = Bench::start().await;
    let auths = [
        vec![],
        vec![format!("Authorization: Token {}", bench.token)],
        vec!["Authorization: Token x".into()],
    ];
    let routes = [
        ("GET", "/api/v1/users/me/"),
        ("GET", "/api/v1/health"),
        ("GET", "/api/v1/w/usage/cores/"),
        ("GET", "/api/v1/api-tokens/?page=1"),
        ("POST", "/api/v1/api-tokens/"),
        ("DELETE", "/api/v1/api-tokens/7/revoke"),
        ("POST", "/api/v1/api-tokens-no-user/"),
        ("GET", "/api/v1/w/performance_reports/all/"),
        ("GET", "/api/v1/w/notifications/?limit=100&level=0"),
        ("POST", "/api/v1/w/performance_reports/private/"),
        ("GET", "/api/v1/w/backend_options/"),
        ("GET", "/api/v2/user/me"),
        ("GET", "/api/v2/user/workspace/w/dask-config-overrides"),
        ("GET", "/api/v2/clusters/account/w/"),
        ("POST", "/api/v2/clusters/id/7/event"),
        ("POST", "/api/v2/interactions/interaction"),
        ("POST", "/api/v2/analytics/w/cluster/7/span/abc"),
        (
            "GET",
            "/api/v2/analytics/w/clusters/list?limit=100&offset=0&since=604800",
        ),
        ("GET", "/api/v2/analytics/w/clusters/list?since=never"),
        ("GET", "/api/v2/analytics/w/404/computations/list"),
        ("GET", "/api/v2/analytics/w/404/events/list"),
        ("GET", "/api/v2/analytics/w/exceptions/list?cluster=404"),
        ("POST", "/api/v2/analytics/w/404/desired-state"),
        ("PUT", "/api/v2/analytics/w/404/desired-state"),
        ("GET", "/api/v9/anything"),
    ];
    for auth in &auths {
        let headers: Vec<&str> = auth.iter().map(String::as_str).collect();
        for (method, path) in routes {
            let answer = bench
                .raw(&request(method, path, &bench.host(), &headers, b"{}"))
                .await;
            assert!(
                matches!(answer.status, 200 | 400 | 404 | 405 | 409 | 411 | 413),
                "{method} {path} {auth:?}: {answer:?}"
            );
            assert_eq!(
                answer.header("content-type").as_deref(),
                Some("application/json"),
                "{method} {path}"
            );
            let body = answer.json();
            if answer.status != 200 {
                assert_eq!(body.as_object().unwrap().len(), 2, "{body}");
                assert!(body["message"].as_str().unwrap().len() > 10, "{body}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_without_a_token_gets_one_readable_refusal_and_no_loop() {
    let bench = Bench::start().await;
    let grant = bench
        .raw(&request(
            "POST",
            "/api/v1/api-tokens-no-user/",
            &bench.host(),
            &[],
            b"label=a%40b",
        ))
        .await;
    assert_eq!(grant.status, 200);
    let grant = grant.json();
    assert!(grant["identifier"].is_string());
    let auth = format!("Authorization: Token {}", grant["token"].as_str().unwrap());
    let poll = bench
        .raw(&request(
            "GET",
            "/api/v2/user/me",
            &bench.host(),
            &[&auth],
            b"",
        ))
        .await;
    assert_eq!(poll.status, 400);
    assert!(
        poll.json()["message"]
            .as_str()
            .unwrap()
            .contains("bobbin connect --coiled")
    );
}

async fn list(bench: &Bench, path: &str) -> Vec<Value> {
    let answer = bench.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json().as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_have_no_holes_and_end() {
    let bench = Bench::start().await;
    for number in 0..7 {
        assert_eq!(
            bench
                .post(&batch(&format!("Scheduler-{number}"), "one", 1))
                .await
                .status,
            200
        );
    }
    let mut seen = Vec::new();
    for page in 0..4 {
        let path = format!(
            "/api/v2/analytics/w/clusters/list?limit=3&offset={}&since=604800.5",
            page * 3
        );
        let rows = list(&bench, &path).await;
        assert_eq!(rows.len(), [3, 3, 1, 0][page]);
        seen.extend(
            rows.iter()
                .map(|row| row["scheduler_id"].as_str().unwrap().to_owned()),
        );
    }
    seen.sort();
    assert_eq!(
        seen,
        (0..7)
            .map(|number| format!("Scheduler-{number}"))
            .collect::<Vec<_>>()
    );
    assert_eq!(
        list(&bench, "/api/v2/analytics/w/clusters/list?user=nobody")
            .await
            .len(),
        0
    );
    assert_eq!(
        list(&bench, "/api/v2/analytics/w/clusters/list?user=ada")
            .await
            .len(),
        7
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_has_what_the_old_terminal_view_needs_and_both_ids_lead_to_it() {
    let bench = Bench::start().await;
    assert_eq!(
        bench.post(&batch("Scheduler-tui", "one", 1)).await.status,
        200
    );
    let row = list(&bench, "/api/v2/analytics/w/clusters/list")
        .await
        .remove(0);
    assert!(row["id"].as_i64().unwrap() >= 1);
    assert_eq!(row["id"], row["cluster_id"]);
    assert!(row["scheduler_id"].as_str().unwrap().contains('-'));
    assert!(matches!(
        row["status"].as_str(),
        Some("running" | "stopped")
    ));
    assert!(row["created"].as_str().unwrap().contains('T'));
    for number in [
        "workers",
        "memory",
        "memory_limit",
        "n_tasks",
        "thread_seconds",
    ] {
        assert!(row[number].is_number(), "{number}: {row}");
    }
    for field in ["name", "account", "user", "finished"] {
        assert!(row.get(field).is_some(), "{field}: {row}");
    }
    for id in [row["id"].to_string(), "Scheduler-tui".into()] {
        for form in [
            "{}/computations/list",
            "cluster/{}/computations/list",
            "{}/events/list",
        ] {
            let path = format!("/api/v2/analytics/w/{}", form.replace("{}", &id));
            assert_eq!(list(&bench, &path).await.len(), 0);
        }
        assert_eq!(
            list(
                &bench,
                &format!("/api/v2/analytics/w/exceptions/list?cluster={id}")
            )
            .await
            .len(),
            0
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_does_not_allow_it_is_not_closed() {
    let bench = Bench::start().await;
    assert_eq!(
        bench.post(&batch("Scheduler-close", "one", 1)).await.status,
        200
    );
    let path = "/api/v2/analytics/w/Scheduler-close/desired-state";
    let answer = bench
        .ask("POST", path, br#"{"desired_status":"stopped"}"#)
        .await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (409, "REFUSED"),
        "{answer:?}"
    );
    let answer = bench
        .ask("POST", path, br#"{"desired_status":"exploded"}"#)
        .await;
    assert_eq!(answer.status, 400, "{answer:?}");
    let allowing = batch("Scheduler-open", "one", 1)
        .replace("\"remote_close\":false", "\"remote_close\":true");
    assert_eq!(bench.post(&allowing).await.status, 200);
    let path = "/api/v2/analytics/w/Scheduler-open/desired-state";
    let answer = bench
        .ask("POST", path, br#"{"desired_status":"stopped"}"#)
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let receipt = bench
        .post(&batch("Scheduler-open", "one", 3).replace("close\":false", "close\":true"))
        .await
        .json();
    assert_eq!(receipt["stop"]["instance_id"], "one", "{receipt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_served_plugin_leads_back_with_a_key_that_writes() {
    let bench = Bench::start().await;
    let port = bench.running.tcp.port();
    for host in [format!("127.0.0.1:{port}"), format!("LocalHost:{port}")] {
        let answer = bench
            .raw(&request(
                "GET",
                "/api/v2/analytics/preload",
                &host,
                &[],
                b"",
            ))
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let source = answer.text();
        assert!(
            source.contains(&format!(
                "RECEIVER = \"https://{host}#sha256={}\"",
                bench.running.certificate_sha256
            )),
            "{host}"
        );
        assert!(source.contains("CoiledTelemetry"));
        assert!(
            !source.contains(&bench.token),
            "the owner's token was handed out"
        );
        let line = source
            .lines()
            .find(|line| line.starts_with("KEY = "))
            .unwrap();
        let key: String = serde_json::from_str(&line["KEY = ".len()..]).unwrap();
        let auth = format!("Authorization: Bearer {key}");
        let body = batch("Scheduler-served", "one", 1);
        let answer = bench
            .raw(&request(
                "POST",
                "/v1/batches",
                &host,
                &[&auth],
                body.as_bytes(),
            ))
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}
