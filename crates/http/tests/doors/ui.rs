//! The UI door: a link that works once, a cookie, and no page but its own.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::bench::{Answer, Bench, batch, exchange, request};

/// A browser at the door.
struct Browser {
    host: String,
    link: String,
    cookie: Option<String>,
}

impl Browser {
    fn at(bench: &Bench) -> Self {
        let url = bench.running.ui_url.clone().unwrap();
        let (host, link) = url
            .strip_prefix("http://")
            .unwrap()
            .split_once('/')
            .unwrap();
        Self {
            host: host.into(),
            link: format!("/{link}"),
            cookie: None,
        }
    }

    async fn raw(&self, bytes: &[u8]) -> Answer {
        exchange(TcpStream::connect(&self.host).await.unwrap(), bytes).await
    }

    async fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let mut headers = headers.to_vec();
        headers.extend(self.cookie.as_deref());
        self.raw(&request(
            method,
            path,
            &self.host,
            &headers,
            body.as_bytes(),
        ))
        .await
    }

    async fn sign_in(&mut self) -> Answer {
        let answer = self
            .send("GET", &self.link, &["Sec-Fetch-Site: none"], "")
            .await;
        let set = answer.header("set-cookie").unwrap();
        self.cookie = Some(format!("Cookie: {}", set.split(';').next().unwrap()));
        answer
    }

    async fn call(&self, command: &str, request: &str) -> Answer {
        let origin = format!("Origin: http://{}", self.host);
        let headers = [
            origin.as_str(),
            "Content-Type: application/json",
            "Sec-Fetch-Site: same-origin",
        ];
        self.send("POST", &format!("/api/{command}"), &headers, request)
            .await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_link_works_once_and_becomes_a_cookie() {
    let bench = Bench::with_door().await;
    let mut browser = Browser::at(&bench);
    assert_eq!(browser.send("GET", "/", &[], "").await.status, 401);
    assert_eq!(
        browser
            .send("GET", &browser.link, &["Sec-Purpose: prefetch"], "")
            .await
            .status,
        403
    );
    let answer = browser.sign_in().await;
    assert_eq!(
        (answer.status, answer.header("location").as_deref()),
        (303, Some("/"))
    );
    let set = answer.header("set-cookie").unwrap();
    assert!(
        set.contains("HttpOnly") && set.contains("SameSite=Strict") && set.contains("Path=/"),
        "{set}"
    );
    let page = browser.send("GET", "/", &[], "").await;
    assert_eq!(
        (page.status, page.header("cache-control").as_deref()),
        (200, Some("no-store"))
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"),
        "{policy}"
    );
    assert_eq!(
        page.header("x-content-type-options").as_deref(),
        Some("nosniff")
    );
    assert_eq!(
        page.header("referrer-policy").as_deref(),
        Some("no-referrer")
    );

    let other = Browser::at(&bench);
    assert_eq!(other.send("GET", &other.link, &[], "").await.status, 403);
    assert_eq!(
        browser.send("GET", &browser.link, &[], "").await.status,
        303
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_on_another_page_signs_in_by_way_of_a_page_of_ours() {
    let bench = Bench::with_door().await;
    let browser = Browser::at(&bench);
    let answer = browser
        .send("GET", &browser.link, &["Sec-Fetch-Site: cross-site"], "")
        .await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("set-cookie").is_some());
    assert!(answer.text().contains("http-equiv=\"refresh\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_link_makes_the_old_one_useless() {
    let bench = Bench::with_door().await;
    let browser = Browser::at(&bench);
    let newer = bench.running.new_ui_link().unwrap();
    let old = browser.send("GET", &browser.link, &[], "").await;
    assert_eq!(old.status, 403);
    assert!(old.text().contains("restart Bobbin"), "{old:?}");
    let path = newer.split_once(&browser.host).unwrap().1;
    assert_eq!(browser.send("GET", path, &[], "").await.status, 303);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_answer_the_page_and_errors_have_one_shape() {
    let bench = Bench::with_door().await;
    let mut browser = Browser::at(&bench);
    browser.sign_in().await;
    let answer = browser.call("status", "{}").await;
    assert_eq!(
        (answer.status, &answer.json()["version"]),
        (200, &serde_json::json!(env!("CARGO_PKG_VERSION")))
    );
    let cases = [
        ("no_such_command", "{}", 404, "not_found"),
        ("cluster", "{\"id\":404}", 404, "not_found"),
        ("cluster", "{}", 400, "invalid"),
        ("cluster", "nonsense", 400, "invalid"),
    ];
    for (command, request, status, code) in cases {
        let answer = browser.call(command, request).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (status, code),
            "{command}: {answer:?}"
        );
        let body = answer.json();
        assert!(
            body["message"].is_string() && body.get("hint").is_some(),
            "{body}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_page_itself_may_ask() {
    let bench = Bench::with_door().await;
    let mut browser = Browser::at(&bench);
    browser.sign_in().await;
    let own = format!("Origin: http://{}", browser.host);
    let json = "Content-Type: application/json";
    let cases: [(&[&str], u16); 7] = [
        (&[json], 403),
        (&["Origin: http://evil.example", json], 403),
        (&["Origin: null", json], 403),
        (&["Origin: http://127.0.0.1:1", json], 403),
        (&[&own, json, "Sec-Fetch-Site: cross-site"], 403),
        (&[&own, json, "Sec-Fetch-Site: same-site"], 403),
        (&[&own, "Content-Type: text/plain"], 415),
    ];
    for (headers, status) in cases {
        let answer = browser.send("POST", "/api/status", headers, "{}").await;
        assert_eq!(answer.status, status, "{headers:?}: {answer:?}");
    }
    for path in ["/", "/api/live", "/index.html"] {
        let answer = browser
            .send("GET", path, &["Sec-Fetch-Site: cross-site"], "")
            .await;
        assert_eq!(answer.status, 403, "{path}: {answer:?}");
    }
    assert_eq!(
        browser.send("GET", "/api/status", &[], "").await.status,
        405
    );
    let stranger = Browser {
        cookie: None,
        ..Browser::at(&bench)
    };
    assert_eq!(stranger.call("status", "{}").await.status, 401);
    assert_eq!(stranger.send("GET", "/api/live", &[], "").await.status, 401);
    let guess = Browser {
        cookie: Some("Cookie: bobbin_1=x".into()),
        ..Browser::at(&bench)
    };
    assert_eq!(guess.call("status", "{}").await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_closes_a_cluster_and_no_other_site_does() {
    let bench = Bench::with_door().await;
    let mut browser = Browser::at(&bench);
    browser.sign_in().await;
    let open = |seq| batch("Scheduler-a", "one", seq).replace("close\":false", "close\":true");
    assert_eq!(bench.post(&open(1)).await.status, 200);
    let ask = r#"{"id":1}"#;
    let headers = [
        "Origin: http://evil.example",
        "Content-Type: application/json",
    ];
    let forged = browser
        .send("POST", "/api/close_cluster", &headers, ask)
        .await;
    assert_eq!(forged.status, 403, "{forged:?}");
    let state = async || browser.call("close_order", ask).await.json()["state"].clone();
    assert_eq!(state().await, "not_ordered");
    assert_eq!(
        browser.call("close_cluster", ask).await.json()["state"],
        "ordered"
    );
    let receipt = bench.post(&open(3)).await.json();
    assert_eq!(receipt["stop"]["instance_id"], "one", "{receipt}");
    assert_eq!(state().await, "delivered");

    assert_eq!(
        bench.post(&batch("Scheduler-b", "two", 1)).await.status,
        200
    );
    let refused = browser.call("close_cluster", r#"{"id":2}"#).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (409, "refused"),
        "{refused:?}"
    );
    assert!(refused.text().contains("bobbin.remote-close: true"));
}

#[tokio::test(flavor = "multi_thread")]
async fn its_host_is_exact_too() {
    let bench = Bench::with_door().await;
    let mut browser = Browser::at(&bench);
    browser.sign_in().await;
    let port = browser.host.rsplit(':').next().unwrap().to_owned();
    let cookie = browser.cookie.clone().unwrap();
    let receiver = bench.host();
    for host in [
        format!("evil.example:{port}"),
        format!("[::1]:{port}"),
        "localhost".into(),
        receiver,
    ] {
        for path in ["/", "/api/live", browser.link.as_str()] {
            let answer = browser
                .raw(&request("GET", path, &host, &[&cookie], b""))
                .await;
            assert_eq!(answer.status, 400, "{host} {path}: {answer:?}");
        }
    }
    let answer = browser
        .raw(&request(
            "GET",
            "/",
            &format!("LOCALHOST:{port}"),
            &[&cookie],
            b"",
        ))
        .await;
    assert_eq!(answer.status, 200);
    // Neither door has the other's routes.
    let auth = format!("Authorization: Bearer {}", bench.token);
    assert_eq!(
        browser
            .raw(&request("GET", "/v1/health", &browser.host, &[&auth], b""))
            .await
            .status,
        401
    );
    assert_eq!(bench.get("/").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_told_at_once_and_the_stream_ends_with_the_receiver() {
    let bench = Bench::with_door().await;
    let mut browser = Browser::at(&bench);
    browser.sign_in().await;
    let headers = [
        browser.cookie.as_deref().unwrap(),
        "Accept: text/event-stream",
    ];
    let mut stream = TcpStream::connect(&browser.host).await.unwrap();
    stream
        .write_all(&request("GET", "/api/live", &browser.host, &headers, b""))
        .await
        .unwrap();
    let mut seen = String::new();
    read_until(&mut stream, &mut seen, "\r\n\r\n").await;
    assert!(seen.contains("text/event-stream"), "{seen}");
    assert_eq!(
        bench.post(&batch("Scheduler-live", "one", 1)).await.status,
        200
    );
    read_until(&mut stream, &mut seen, "event: change\n").await;
    read_until(&mut stream, &mut seen, "\"cluster_ids\":[").await;
    let began = std::time::Instant::now();
    bench.running.stop().await.unwrap();
    // It was not cut off at the ten seconds that what is under way has.
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}

async fn read_until(stream: &mut TcpStream, seen: &mut String, what: &str) {
    let mut buffer = [0; 1024];
    while !seen.contains(what) {
        let read = timeout(Duration::from_secs(20), stream.read(&mut buffer)).await;
        let read = read
            .unwrap_or_else(|_| panic!("no {what:?} came: {seen}"))
            .unwrap();
        assert_ne!(read, 0, "ended without {what:?}: {seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
}
