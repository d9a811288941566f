//! A token always; a key that was handed out may write and nothing else.

use std::time::{Duration, Instant};

use bobbin_core::api::call;
use bobbin_core::demo::Door;
use bobbin_core::install;
use bobbin_http::{Near, Post};
use serde_json::json;

use crate::bench::{Bench, batch, request};

#[tokio::test(flavor = "multi_thread")]
async fn without_the_token_nothing_is_told() {
    let bench = Bench::start().await;
    let right = bench.token.clone();
    let longer = format!("{right}a");
    let wrong = [
        String::new(),
        "Authorization: Bearer".into(),
        "Authorization: Bearer ".into(),
        "Authorization: Bearer wrong".into(),
        format!("Authorization: Bearer {longer}"),
        format!("Authorization: Bearer {}", &right[..right.len() - 1]),
        format!("Authorization: Bearer {}", right.to_uppercase()),
        format!("Authorization: Basic {right}"),
        format!("Authorization: {right}"),
        format!("X-Token: {right}"),
        format!("Authorization: Bearer {right}\r\nAuthorization: Bearer {right}"),
    ];
    for header in &wrong {
        let headers: Vec<&str> = if header.is_empty() {
            vec![]
        } else {
            vec![header]
        };
        for (method, path) in [
            ("GET", "/v1/health"),
            ("GET", "/v1/plugin"),
            ("POST", "/v1/batches"),
            ("POST", "/v1/read/clusters"),
        ] {
            let answer = bench
                .raw(&request(method, path, &bench.host(), &headers, b""))
                .await;
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (401, "wrong_token"),
                "{header} on {path}"
            );
            assert!(!answer.text().contains(&right), "the token was echoed");
        }
        // The published client would start a login at 401 or 403, and overwrite saved credentials.
        for path in [
            "/api/v2/user/me",
            "/api/v1/users/me/",
            "/api/v2/analytics/w/clusters/list",
        ] {
            let answer = bench
                .raw(&request("GET", path, &bench.host(), &headers, b""))
                .await;
            assert_eq!(answer.status, 400, "{header} on {path}: {answer:?}");
            let body = answer.json();
            assert_eq!(body.as_object().unwrap().len(), 2, "{body}");
            assert!(
                body["message"]
                    .as_str()
                    .unwrap()
                    .contains("bobbin connect --coiled"),
                "{body}"
            );
        }
    }
    let query = request(
        "GET",
        &format!("/v1/health?token={right}"),
        &bench.host(),
        &[],
        b"",
    );
    assert_eq!(bench.raw(&query).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_guesses_is_slowed_and_who_has_the_token_is_not() {
    let bench = Bench::start().await;
    let wrong = request(
        "GET",
        "/v1/health",
        &bench.host(),
        &["Authorization: Bearer wrong"],
        b"",
    );
    for _ in 0..100 {
        assert_eq!(bench.raw(&wrong).await.status, 401);
    }
    let begun = Instant::now();
    let (guessed, known) = tokio::join!(bench.raw(&wrong), async {
        let known = bench.get("/v1/health").await;
        (known.status, begun.elapsed())
    });
    assert_eq!((guessed.status, known.0), (401, 200));
    assert!(begun.elapsed() >= Duration::from_secs(1));
    assert!(known.1 < Duration::from_secs(1), "{:?}", known.1);
    assert_eq!(bench.refused("wrong_token"), 101);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_is_right_under_each_name_in_use() {
    let bench = Bench::start().await;
    for scheme in ["Bearer", "Token", "ApiToken"] {
        let auth = format!("Authorization: {scheme} {}", bench.token);
        for path in ["/v1/health", "/api/v2/user/me"] {
            let answer = bench
                .raw(&request("GET", path, &bench.host(), &[&auth], b""))
                .await;
            assert_eq!(answer.status, 200, "{scheme} on {path}: {answer:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_was_handed_out_writes_and_does_nothing_else() {
    let bench = Bench::start().await;
    let key = bench.app.new_ingest_key().unwrap();
    let auth = format!("Authorization: Bearer {}", key.expose());
    let body = batch("Scheduler-key", "one", 1);
    let posted = bench
        .raw(&request(
            "POST",
            "/v1/batches",
            &bench.host(),
            &[&auth],
            body.as_bytes(),
        ))
        .await;
    assert_eq!(
        (posted.status, posted.json()["records"].clone()),
        (200, json!(2)),
        "{posted:?}"
    );
    for path in ["/v1/health", "/v1/plugin"] {
        let answer = bench
            .raw(&request("GET", path, &bench.host(), &[&auth], b""))
            .await;
        assert_eq!(answer.status, 403, "{path}: {answer:?}");
    }
    for (method, path) in [
        ("GET", "/api/v2/user/me"),
        ("GET", "/api/v2/analytics/w/clusters/list"),
        ("POST", "/api/v2/analytics/w/1/desired-state"),
    ] {
        let answer = bench
            .raw(&request(method, path, &bench.host(), &[&auth], b""))
            .await;
        assert_eq!(answer.status, 400, "{path}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_goes_on_where_the_token_was_replaced_meanwhile() {
    let bench = Bench::start().await;
    let address = install::read_address(bench.data()).unwrap().unwrap();
    let door = Post::new(Near::of(&address).unwrap(), bench.data().into());
    let post = |number: u64| {
        let batch = batch("Scheduler-replay", &format!("instance-{number}"), 1);
        tokio::task::block_in_place(|| door.post(batch.as_bytes()))
    };
    post(1).unwrap();
    let before = bench.token.clone();
    let replaced = call(&bench.app, "replace_token", r#"{"sure":true}"#).unwrap();
    assert!(!replaced.contains(&before));
    post(2).unwrap();
    // One that was tried in vain is not tried for ever.
    install::replace_token(bench.data()).unwrap();
    let error = post(3).unwrap_err().to_string();
    assert!(error.contains("401"), "{error}");
}
