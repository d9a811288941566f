//! Requests that are not quite HTTP.

use bobbin_http::Config;

use crate::bench::{Bench, SHORT};

#[tokio::test(flavor = "multi_thread")]
async fn tricks_on_the_parser_are_refused_and_harm_nobody() {
    let bench = Bench::with(Config {
        port: 0,
        deadlines: SHORT,
        ..Config::default()
    })
    .await;
    let host = bench.host();
    let auth = format!("Authorization: Bearer {}", bench.token);
    let start = format!("POST /v1/batches HTTP/1.1\r\nHost: {host}\r\n{auth}\r\n");
    let many_headers: String = (0..100_000)
        .map(|number| format!("X-{number}: a\r\n"))
        .collect();
    let tricks = [
        (
            "a length and chunks",
            format!("{start}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ),
        (
            "chunks and a length",
            format!("{start}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
        ),
        (
            "chunks",
            format!("{start}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"),
        ),
        (
            "chunks twice",
            format!("{start}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
        ),
        (
            "unknown transfer",
            format!("{start}Transfer-Encoding: identity\r\n\r\nabc"),
        ),
        (
            "two lengths",
            format!("{start}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"),
        ),
        (
            "a negative length",
            format!("{start}Content-Length: -1\r\n\r\n"),
        ),
        (
            "a signed length",
            format!("{start}Content-Length: +5\r\n\r\nabcde"),
        ),
        (
            "an endless length",
            format!("{start}Content-Length: 99999999999999999999\r\n\r\n"),
        ),
        (
            "a long chunk extension",
            format!(
                "{start}Transfer-Encoding: chunked\r\n\r\n1;{}\r\na\r\n",
                "x".repeat(1 << 20)
            ),
        ),
        ("100,000 headers", format!("{start}{many_headers}\r\n")),
        (
            "a long header",
            format!("{start}X: {}\r\n\r\n", "x".repeat(20_000)),
        ),
        (
            "a long line",
            format!(
                "GET /{} HTTP/1.1\r\nHost: {host}\r\n\r\n",
                "x".repeat(70_000)
            ),
        ),
        (
            "a space before the colon",
            format!("GET /v1/health HTTP/1.1\r\nHost : {host}\r\n{auth}\r\n\r\n"),
        ),
        (
            "a folded header",
            format!("GET /v1/health HTTP/1.1\r\nHost: {host}\r\nX: a\r\n b\r\n{auth}\r\n\r\n"),
        ),
        (
            "a zero in a header",
            format!("GET /v1/health HTTP/1.1\r\nHost: {host}\r\nX: \0\r\n{auth}\r\n\r\n"),
        ),
        ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into()),
        ("HTTP/0.9", "GET /v1/health\r\n".into()),
        (
            "no version",
            format!("GET /v1/health\r\nHost: {host}\r\n\r\n"),
        ),
        ("nonsense", "\u{1}\u{2}\u{3}\r\n\r\n".into()),
        (
            "a proxy's request",
            format!("CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: {host}\r\n{auth}\r\n\r\n"),
        ),
    ];
    for (what, bytes) in tricks {
        let answer = bench.raw(bytes.as_bytes()).await;
        assert!(
            answer.status == 0 || (400..500).contains(&answer.status),
            "{what}: {answer:?}"
        );
    }
    assert_eq!(bench.get("/v1/health").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_behind_a_refused_request_is_not_taken_for_another() {
    let bench = Bench::start().await;
    let host = bench.host();
    let inner = format!(
        "GET /v1/health HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\n\r\n",
        bench.token
    );
    let outer = format!(
        "POST /v1/batches HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer wrong\r\nContent-Length: {}\r\n\r\n{inner}",
        inner.len()
    );
    let answer = bench.raw(outer.as_bytes()).await;
    assert_eq!(answer.status, 401);
    assert!(!answer.text().contains("version"), "{answer:?}");
}
