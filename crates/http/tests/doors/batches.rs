//! Batches: stored once, acknowledged when durable, and never more than the limits.

use std::time::Duration;

use bobbin_core::api::ClusterRequest;
use serde_json::json;

use crate::bench::{Bench, batch, gzip, request};

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_acknowledged_and_a_repeat_is_recognised() {
    let bench = Bench::start().await;
    let body = batch("Scheduler-a", "one", 1);
    let first = bench.post(&body).await;
    assert_eq!(first.status, 200, "{first:?}");
    let expected = json!({
        "cluster_id": "Scheduler-a", "instance_id": "one", "first_seq": 1, "records": 2,
        "duplicate": false, "refused": [], "stop": null, "watched": false,
    });
    assert_eq!(first.json(), expected);
    let again = bench.post(&body).await;
    assert_eq!(
        (again.status, again.json()["duplicate"].clone()),
        (200, json!(true)),
        "{again:?}"
    );
    let clusters = bobbin_core::api::clusters(&bench.app, Default::default()).unwrap();
    assert_eq!(clusters.total, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_somebody_looks_at_is_told_so_and_no_other() {
    let bench = Bench::start().await;
    for name in ["Scheduler-seen", "Scheduler-unseen"] {
        assert_eq!(bench.post(&batch(name, "one", 1)).await.status, 200);
    }
    let seen = bobbin_core::api::find_cluster(&bench.app, "Scheduler-seen").unwrap();
    bobbin_core::api::cluster(&bench.app, ClusterRequest { id: seen.id }).unwrap();
    for (name, watched) in [("Scheduler-seen", true), ("Scheduler-unseen", false)] {
        let answer = bench.post(&batch(name, "one", 3)).await;
        assert_eq!(answer.json()["watched"], json!(watched), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_bad_line_does_not_sink_its_neighbours() {
    let bench = Bench::start().await;
    let body = batch("Scheduler-b", "one", 1).replace("\"kind\":\"sample\"", "\"kind\":7");
    let answer = bench.post(&body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["refused"][0]["index"], json!(1), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_batch_is_read_as_a_small_one_is() {
    let bench = Bench::start().await;
    for samples in [1, 400] {
        let small = batch(&format!("Scheduler-{samples}"), "one", 1);
        let records = samples + 1;
        let header = format!("\"records\":{records}");
        let mut body = small.replace("\"records\":2", &header);
        let sample = small.trim_end().lines().next_back().unwrap();
        body.truncate(body.trim_end().len());
        for _ in 1..samples {
            body = format!("{body}\n{sample}");
        }
        let packed = bench.post(&body).await;
        let plain = bench.ask("POST", "/v1/batches", body.as_bytes()).await;
        for (answer, duplicate) in [(packed, false), (plain, true)] {
            assert_eq!(answer.status, 200, "{answer:?}");
            let told = answer.json();
            assert_eq!(told["records"], json!(records), "{told}");
            assert_eq!(told["duplicate"], json!(duplicate), "{told}");
            assert_eq!(told["refused"], json!([]));
        }
        let torn = bench.post(&body[..body.len() - sample.len()]).await;
        assert_eq!(torn.status, 422, "{torn:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_batch_is_refused_for_good() {
    let bench = Bench::start().await;
    for body in ["", "{}", "nothing\n", "{\"kind\":\"header\"}\n", "[1]\n"] {
        let answer = bench.post(body).await;
        assert_eq!(answer.status, 422, "{body:?}: {answer:?}");
    }
    let newer = batch("Scheduler-c", "one", 1).replace("\"protocol\":1", "\"protocol\":99");
    assert_eq!(bench.post(&newer).await.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_one_member_of_gzip_is_unpacked() {
    let bench = Bench::start().await;
    let auth = format!("Authorization: Bearer {}", bench.token);
    let headers = [auth.as_str(), "Content-Encoding: gzip"];
    let whole = gzip(batch("Scheduler-d", "one", 1).as_bytes());
    let cases = [
        ("trailing bytes", [&whole[..], b"more"].concat(), 422),
        ("a second member", [&whole[..], &whole[..]].concat(), 422),
        ("cut short", whole[..whole.len() - 5].to_vec(), 422),
        ("not gzip", b"not gzip at all".to_vec(), 422),
        ("a bomb", gzip(&vec![b'a'; 40 << 20]), 413),
        ("gzip in gzip", gzip(&gzip(&vec![b'a'; 8 << 20])), 422),
    ];
    for (what, body, status) in cases {
        let answer = bench
            .raw(&request(
                "POST",
                "/v1/batches",
                &bench.host(),
                &headers,
                &body,
            ))
            .await;
        assert_eq!(answer.status, status, "{what}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_encodings_are_refused_before_the_body() {
    let bench = Bench::start().await;
    let auth = format!("Authorization: Bearer {}", bench.token);
    for coding in ["zstd", "br", "deflate", "gzip, gzip", "x-gzip"] {
        let header = format!("Content-Encoding: {coding}");
        let answer = bench
            .raw(&request(
                "POST",
                "/v1/batches",
                &bench.host(),
                &[&auth, &header],
                b"abc",
            ))
            .await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (415, "unsupported_encoding"),
            "{coding}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn too_much_is_refused_and_the_sender_hears_it() {
    let bench = Bench::start().await;
    let auth = format!("Authorization: Bearer {}", bench.token);
    let body = vec![b'a'; (4 << 20) + 1];
    let answer = bench
        .raw(&request(
            "POST",
            "/v1/batches",
            &bench.host(),
            &[&auth],
            &body,
        ))
        .await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (413, "too_large"),
        "{answer:?}"
    );
    // Without a token nothing is read, and the answer arrives all the same.
    let answer = bench
        .raw(&request("POST", "/v1/batches", &bench.host(), &[], &body))
        .await;
    assert_eq!(answer.status, 401, "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_bombs_at_once_do_not_keep_a_good_sender_out() {
    let bench = std::sync::Arc::new(Bench::start().await);
    let bomb = std::sync::Arc::new(gzip(&vec![b'a'; 64 << 20]));
    let bombs: Vec<_> = (0..64)
        .map(|_| {
            let (bench, bomb) = (bench.clone(), bomb.clone());
            tokio::spawn(async move {
                let auth = format!("Authorization: Bearer {}", bench.token);
                let headers = [auth.as_str(), "Content-Encoding: gzip"];
                bench
                    .raw(&request(
                        "POST",
                        "/v1/batches",
                        &bench.host(),
                        &headers,
                        &bomb,
                    ))
                    .await
                    .status
            })
        })
        .collect();
    for number in 0..5 {
        let good = batch("Scheduler-good", "one", 1 + 2 * number);
        let answer = tokio::time::timeout(Duration::from_secs(10), bench.post(&good))
            .await
            .unwrap();
        assert!(matches!(answer.status, 200 | 503), "{answer:?}");
    }
    for bomb in bombs {
        let status = bomb.await.unwrap();
        assert!(matches!(status, 413 | 503), "{status}");
    }
}
