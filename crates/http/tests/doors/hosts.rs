//! A page on a name that was made to lead here still says that name.

use crate::bench::{Bench, request};

/// One of each kind of route, with and without a token, native and for the published client.
const ROUTES: &[(&str, &str)] = &[
    ("GET", "/v1/health"),
    ("GET", "/v1/plugin"),
    ("POST", "/v1/batches"),
    ("GET", "/api/v2/analytics/preload"),
    ("GET", "/api/v2/user/me"),
    ("GET", "/api/v1/users/me/"),
    ("GET", "/api/v2/analytics/w/clusters/list"),
    ("POST", "/api/v2/analytics/w/1/desired-state"),
    ("GET", "/api/v2/user/workspace/w/dask-config-overrides"),
    ("GET", "/nothing"),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_other_host_is_refused_on_every_route_before_the_body_is_read() {
    let bench = Bench::start().await;
    let port = bench.running.tcp.port();
    let auth = format!("Authorization: Bearer {}", bench.token);
    let hosts = [
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.:{port}"),
        format!("localhost.localdomain:{port}"),
        format!("0.0.0.0:{port}"),
        format!("[::1]:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("127.0.0.2:{port}"),
        format!("127.1:{port}"),
        format!("2130706433:{port}"),
        format!("0x7f000001:{port}"),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        format!("127.0.0.1:0{port}"),
        format!("user@127.0.0.1:{port}"),
        format!("127.0.0.1:{port}, 127.0.0.1:{port}"),
        "127.0.0.1".into(),
        "localhost".into(),
        "bobbin".into(),
        String::new(),
        "null".into(),
    ];
    for (method, path) in ROUTES {
        for host in &hosts {
            let answer = bench.raw(&request(method, path, host, &[&auth], b"")).await;
            assert_eq!(
                answer.status, 400,
                "{method} {path} with Host {host:?}: {answer:?}"
            );
        }
        for head in [
            format!("{method} {path} HTTP/1.1\r\n{auth}\r\n\r\n"),
            format!("{method} {path} HTTP/1.0\r\n{auth}\r\n\r\n"),
            format!(
                "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}\r\n{auth}\r\n\r\n"
            ),
            format!(
                "{method} http://evil.example:{port}{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{auth}\r\n\r\n"
            ),
            format!(
                "{method} http://127.0.0.1:{port}{path} HTTP/1.1\r\nHost: evil.example:{port}\r\n{auth}\r\n\r\n"
            ),
        ] {
            let answer = bench.raw(head.as_bytes()).await;
            assert_eq!(answer.status, 400, "{head}: {answer:?}");
        }
    }
    assert_eq!(
        bench.refused("wrong_host"),
        (ROUTES.len() * (hosts.len() + 5)) as u64
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_names_of_this_machine_work_in_any_case() {
    let bench = Bench::start().await;
    let port = bench.running.tcp.port();
    let auth = format!("Authorization: Bearer {}", bench.token);
    for host in ["127.0.0.1", "localhost", "LocalHost"] {
        let host = format!("{host}:{port}");
        let answer = bench
            .raw(&request("GET", "/v1/health", &host, &[&auth], b""))
            .await;
        assert_eq!(answer.status, 200, "{host}: {answer:?}");
        let head = format!(
            "GET http://{host}/v1/health HTTP/1.1\r\nHost: {host}\r\n{auth}\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(bench.raw(head.as_bytes()).await.status, 200, "{head}");
    }
    let answer = bench
        .raw_socket(&request("GET", "/v1/health", "bobbin", &[&auth], b""))
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = bench
        .raw_socket(&request("GET", "/v1/health", &bench.host(), &[&auth], b""))
        .await;
    assert_eq!(answer.status, 400, "{answer:?}");
}
