//! Peers that hold a connection and do not get on.

use std::time::{Duration, Instant};

use bobbin_http::Config;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::bench::{Bench, SHORT, batch, read_answer, request};

async fn short() -> Bench {
    Bench::with(Config {
        port: 0,
        deadlines: SHORT,
        ..Config::default()
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_header_is_closed_at_its_deadline() {
    let bench = short().await;
    for start in ["", "G", "GET /v1/health HTTP/1.1\r\nHost: 127.", "\u{16}"] {
        let mut stream = TcpStream::connect(bench.running.tcp).await.unwrap();
        stream.write_all(start.as_bytes()).await.unwrap();
        let began = Instant::now();
        assert_eq!(read_answer(&mut stream).await.body, b"", "{start:?}");
        assert!(
            began.elapsed() < Duration::from_secs(3),
            "{start:?}: {:?}",
            began.elapsed()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dribbled_header_is_closed_at_the_same_deadline() {
    let bench = short().await;
    let mut stream = TcpStream::connect(bench.running.tcp).await.unwrap();
    let began = Instant::now();
    for byte in b"GET /v1/health HTTP/1.1\r\nX: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" {
        if stream.write_all(&[*byte]).await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(read_answer(&mut stream).await.status, 0);
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_come_is_refused_at_its_deadline() {
    let bench = short().await;
    let head = format!(
        "POST /v1/batches HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: 1000\r\n\r\n",
        bench.host(),
        bench.token
    );
    let mut stream = TcpStream::connect(bench.running.tcp).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let began = Instant::now();
    let answer = read_answer(&mut stream).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (408, "too_slow"),
        "{answer:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dribbled_body_is_refused_long_before_the_deadline_of_a_whole_one() {
    let bench = Bench::start().await;
    let head = format!(
        "POST /v1/batches HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: 100000\r\n\r\n",
        bench.host(),
        bench.token
    );
    let stream = TcpStream::connect(bench.running.tcp).await.unwrap();
    let (mut reading, mut writing) = stream.into_split();
    writing.write_all(head.as_bytes()).await.unwrap();
    let began = Instant::now();
    let dribble = tokio::spawn(async move {
        while writing.write_all(b"a").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    assert_eq!(read_answer(&mut reading).await.status, 408);
    let took = began.elapsed();
    assert!(
        took > Duration::from_secs(2) && took < Duration::from_secs(9),
        "{took:?}"
    );
    dribble.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_idle_connections_do_not_keep_a_scheduler_out() {
    let bench = Bench::start().await;
    let mut idle = Vec::new();
    for _ in 0..512 {
        let mut stream = TcpStream::connect(bench.running.tcp).await.unwrap();
        stream.write_all(b"GET /v1/hea").await.unwrap();
        idle.push(stream);
    }
    let mut took = Vec::new();
    for number in 0..21 {
        let began = Instant::now();
        let answer = bench
            .post(&batch("Scheduler-a", "one", 1 + 2 * number))
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
        took.push(began.elapsed());
    }
    // Most of them: a disk may take seconds for one.
    took.sort();
    assert!(took[10] < Duration::from_secs(2), "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_is_kept_for_the_next_request() {
    let bench = Bench::start().await;
    let auth = format!("Authorization: Bearer {}", bench.token);
    let closing = request("GET", "/v1/health", &bench.host(), &[&auth], b"");
    let keeping = String::from_utf8(closing.clone())
        .unwrap()
        .replace("Connection: close\r\n", "");
    let answer = bench.raw(&[keeping.as_bytes(), &closing].concat()).await;
    assert_eq!(answer.status, 200);
    assert!(
        answer.text().contains("HTTP/1.1 200 OK"),
        "one answer only: {answer:?}"
    );
}
