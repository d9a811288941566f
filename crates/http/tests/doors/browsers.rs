//! No browser gets an answer that it could use, whatever page asks.

use crate::bench::{Bench, request};

#[tokio::test(flavor = "multi_thread")]
async fn what_only_browsers_send_is_refused_even_with_the_token() {
    let bench = Bench::start().await;
    let auth = format!("Authorization: Bearer {}", bench.token);
    for header in [
        "Origin: http://evil.example",
        "Origin: null",
        "Referer: http://127.0.0.1/",
        "Cookie: a=b",
        "Sec-Fetch-Site: same-origin",
        "Sec-Fetch-Mode: no-cors",
        "Access-Control-Request-Method: POST",
        "Access-Control-Request-Private-Network: true",
    ] {
        for (method, path) in [
            ("GET", "/v1/health"),
            ("POST", "/v1/batches"),
            ("OPTIONS", "/v1/batches"),
            ("GET", "/api/v2/analytics/preload"),
            ("GET", "/api/v2/user/me"),
            ("POST", "/api/v1/w/performance_reports/private/"),
        ] {
            let answer = bench
                .raw(&request(method, path, &bench.host(), &[&auth, header], b""))
                .await;
            assert_eq!(answer.status, 403, "{header} on {path}: {answer:?}");
            assert!(
                !answer.head.to_ascii_lowercase().contains("access-control-"),
                "{answer:?}"
            );
        }
    }
    assert_eq!(bench.refused("browser"), 8 * 6);
}
